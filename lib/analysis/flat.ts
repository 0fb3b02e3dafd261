/**
 * A function flattened once into columns: instructions in layout order, their register uses and definitions as ranges
 * of two arrays of units. Every dataflow analysis runs over these columns and never touches operand objects.
 *
 * Uses include guards and index registers of constant operands (`cx[UR4][…]` reads a descriptor of two). The hard-wired
 * registers RZ, URZ, PT, UPT appear nowhere. A guarded definition, or one of only a part of a register, does not kill
 * what was there before. On physical registers the instructions that move predicates (P2R, R2P and their uniform kin)
 * read or write those under their mask, with slot IMPLICIT; where the mask is no number any of them may be meant.
 * So do calls and returns with what the ABI passes in registers, and WARPGROUP.ARRIVE and .DEPBAR with the registers of
 * warp-group products (products.ts), also on virtual registers.
 */

import { IMPLICIT } from "../isa/operand.js";
import { writesSomeLanes } from "../isa/some-lanes.js";
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";
import { beginnings } from "./guarded-values.js";
import { type Handover, handovers, type Runs } from "./products.js";
import { type Units, unitAt, unitOf, unitsOf } from "./units.js";

/** Instructions that move predicates by a mask, their second source. */
const implicitFile: Readonly<Record<string, readonly [file: File, which: "use" | "def"]>> = {
  P2R: [File.P, "use"],
  R2P: [File.P, "def"],
  UP2UR: [File.UP, "use"],
  UR2UP: [File.UP, "def"],
};
const PREDICATES = 7;

export { IMPLICIT };

/** Definitions and reads of a function's instructions in layout order, as arrays. */
export interface Flat {
  /** The units that registers are counted in. */
  readonly units: Units;
  /** All instructions in layout order. */
  readonly insts: readonly Inst[];
  /** Instructions of block i of the layout: `first[i] … first[i + 1] − 1`. */
  readonly first: Int32Array;
  /** Layout index of the block of each instruction. */
  readonly block: Int32Array;
  /** Uses of instruction i: entries `useStart[i] … useStart[i + 1] − 1` of the columns `use*`. */
  readonly useStart: Int32Array;
  /** First unit that each read touches. */
  readonly useUnit: Int32Array;
  /** Units that each read touches. */
  readonly useWidth: Uint8Array;
  /** Where the use stands: source slot, −1 for the guard, IMPLICIT for none. */
  readonly useSlot: Int16Array;
  /** Where the definitions of each instruction start in the arrays below. */
  readonly defStart: Int32Array;
  /** First unit that each definition writes. */
  readonly defUnit: Int32Array;
  /** Units that each definition writes. */
  readonly defWidth: Uint8Array;
  /** Definition slot of each definition. */
  readonly defSlot: Int16Array;
  /** 1 when the definition certainly replaces the old contents. */
  readonly defKills: Uint8Array;
  /** 1 when it does, or when nobody reads after it what was there before (guarded-values.ts): the register need not be live before it. */
  readonly defBegins: Uint8Array;
}

/** Growable columns of one kind of reference (uses or definitions). Filled anew for each function; what is kept is copied out. */
class References {
  unit: Int32Array = new Int32Array(1024);
  width: Uint8Array = new Uint8Array(1024);
  slot: Int16Array = new Int16Array(1024);
  kills: Uint8Array = new Uint8Array(1024);
  count = 0;

  /** Makes place for `more`, which may be written without looking. */
  reserve(more: number): void {
    const room = this.unit.length;
    if (this.count + more > room) this.grow(2 * room + more);
  }

  add(unit: number, width: number, slot: number, kills: boolean): void {
    this.reserve(1);
    const at = this.count++;
    this.unit[at] = unit;
    this.width[at] = width;
    this.slot[at] = slot;
    this.kills[at] = kills ? 1 : 0;
  }

  private grow(room: number): void {
    const wider = <T extends { set(from: T): void }>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    this.unit = wider(new Int32Array(room), this.unit);
    this.width = wider(new Uint8Array(room), this.width);
    this.slot = wider(new Int16Array(room), this.slot);
    this.kills = wider(new Uint8Array(room), this.kills);
  }
}

const uses = new References();
const defs = new References();

/** Flattens the function as it is now. */
export function flatten(func: Func): Flat {
  const units = unitsOf(func);
  const first = new Int32Array(func.blocks.length + 1);
  func.blocks.forEach((b, i) => {
    first[i + 1] = (first[i] as number) + b.insts.length;
  });
  const count = first[func.blocks.length] as number;
  const insts: Inst[] = new Array(count);
  const block = new Int32Array(count);
  for (let b = 0, i = 0; b < func.blocks.length; b++) {
    const list = (func.blocks[b] as Block).insts;
    block.fill(b, i, i + list.length);
    for (let k = 0; k < list.length; k++) insts[i++] = list[k] as Inst;
  }
  const useStart = new Int32Array(count + 1);
  const defStart = new Int32Array(count + 1);
  uses.count = 0;
  defs.count = 0;
  const handed = handovers(func, units);
  for (let i = 0; i < count; i++) {
    const inst = insts[i] as Inst;
    addUses(units, inst);
    addDefs(units, inst);
    if (handed !== null) addHandover(handed.get(inst));
    useStart[i + 1] = uses.count;
    defStart[i + 1] = defs.count;
  }
  const columns = {
    units,
    insts,
    first,
    block,
    useStart,
    useUnit: uses.unit.slice(0, uses.count),
    useWidth: uses.width.slice(0, uses.count),
    useSlot: uses.slot.slice(0, uses.count),
    defStart,
    defUnit: defs.unit.slice(0, defs.count),
    defWidth: defs.width.slice(0, defs.count),
    defSlot: defs.slot.slice(0, defs.count),
    defKills: defs.kills.slice(0, defs.count),
  };
  return { ...columns, defBegins: beginnings(columns) };
}

function addUses(units: Units, inst: Inst): void {
  const { srcs, guard } = inst;
  const { virtual, base } = units;
  uses.reserve(srcs.length + 1);
  const { unit, width, slot } = uses;
  let n = uses.count;
  if (guard !== null && guard.id !== ZERO_REG) {
    unit[n] = unitAt(units, guard.file, guard.id, 0);
    width[n] = 1;
    slot[n++] = -1;
  }
  for (let s = 0; s < srcs.length; s++) {
    const o = srcs[s] as Operand;
    if (o.kind === Kind.Reg) {
      if (o.id === ZERO_REG) continue;
      unit[n] = virtual ? (base[o.id] as number) + o.sub : (base[o.file] as number) + o.id + o.sub;
      width[n] = o.width;
      slot[n++] = s;
    } else if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG) {
      unit[n] = unitAt(units, o.file === File.None ? File.R : o.file, o.index, 0);
      width[n] = o.id === -1 ? 2 : 1;
      slot[n++] = s;
    }
  }
  uses.count = n;
  if (inst.passed !== undefined) for (const o of inst.passed.uses) uses.add(unitOf(units, o), o.width, IMPLICIT, false);
  if (!virtual) addImplicit(units, uses, inst, "use");
}

function addImplicit(units: Units, to: References, inst: Inst, which: "use" | "def"): void {
  const implied = implicitFile[inst.form.op];
  if (implied === undefined || implied[1] !== which) return;
  const mask = inst.srcs[1]!;
  if (mask.kind !== Kind.Imm) {
    to.add(unitAt(units, implied[0], 0, 0), PREDICATES, IMPLICIT, false);
    return;
  }
  for (let p = 0; p < PREDICATES; p++)
    if (((mask.value >>> p) & 1) === 1) to.add(unitAt(units, implied[0], p, 0), 1, IMPLICIT, always(inst));
}

function addHandover(h: Handover | undefined): void {
  if (h === undefined) return;
  const add = (to: References, runs: Runs): void => {
    for (let k = 0; k < runs.length; k += 2) to.add(runs[k] as number, runs[k + 1] as number, IMPLICIT, false);
  };
  add(uses, h.uses);
  add(defs, h.defs);
}

const always = (inst: Inst): boolean => inst.guard === null || (inst.guard.id === ZERO_REG && !inst.guard.not);

/** A definition of the whole registers that it names, and not of bytes or halves. */
export function writesWhole({ part }: Operand): boolean {
  return part === "" || (!part.startsWith(".H") && !part.startsWith(".B"));
}

function addDefs(units: Units, inst: Inst): void {
  const { dsts } = inst;
  const { virtual, base } = units;
  const certain = always(inst) && !writesSomeLanes(inst.form);
  defs.reserve(dsts.length);
  const { unit, width, slot, kills } = defs;
  let n = defs.count;
  for (let s = 0; s < dsts.length; s++) {
    const o = dsts[s] as Operand;
    if (o.kind !== Kind.Reg || o.id === ZERO_REG) continue;
    unit[n] = virtual ? (base[o.id] as number) + o.sub : (base[o.file] as number) + o.id + o.sub;
    width[n] = o.width;
    slot[n] = s;
    kills[n++] = certain && writesWhole(o) ? 1 : 0;
  }
  defs.count = n;
  if (inst.passed !== undefined)
    for (const o of inst.passed.defs) defs.add(unitOf(units, o), o.width, IMPLICIT, certain);
  if (!virtual) addImplicit(units, defs, inst, "def");
}
