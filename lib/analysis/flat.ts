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
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";
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
}

/** Growable columns of one kind of reference (uses or definitions). */
class References {
  readonly start: Int32Array;
  private unit: Int32Array;
  private width: Uint8Array;
  private slot: Int16Array;
  private kills: Uint8Array;
  private room: number;
  private count = 0;
  private rows = 0;

  constructor(rows: number, room: number) {
    this.room = room;
    this.start = new Int32Array(rows + 1);
    this.unit = new Int32Array(room);
    this.width = new Uint8Array(room);
    this.slot = new Int16Array(room);
    this.kills = new Uint8Array(room);
  }

  add(unit: number, width: number, slot: number, kills: boolean): void {
    const at = this.count++;
    if (at === this.room) this.grow();
    this.unit[at] = unit;
    this.width[at] = width;
    this.slot[at] = slot;
    this.kills[at] = kills ? 1 : 0;
  }

  /** The instruction has no more of them. */
  end(): void {
    this.start[++this.rows] = this.count;
  }

  get columns(): { start: Int32Array; unit: Int32Array; width: Uint8Array; slot: Int16Array; kills: Uint8Array } {
    const { start, unit, width, slot, kills, count } = this;
    return {
      start,
      unit: unit.subarray(0, count),
      width: width.subarray(0, count),
      slot: slot.subarray(0, count),
      kills: kills.subarray(0, count),
    };
  }

  private grow(): void {
    const room = 2 * this.room + 16;
    this.room = room;
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
  const uses = new References(count, 3 * count + 8);
  const defs = new References(count, count + 8);
  const handed = handovers(func, units);
  for (let i = 0; i < count; i++) {
    const inst = insts[i] as Inst;
    addUses(units, uses, inst);
    addDefs(units, defs, inst);
    if (handed !== null) addHandover(uses, defs, handed.get(inst));
    uses.end();
    defs.end();
  }
  const [u, d] = [uses.columns, defs.columns];
  return {
    units,
    insts,
    first,
    block,
    useStart: u.start,
    useUnit: u.unit,
    useWidth: u.width,
    useSlot: u.slot,
    defStart: d.start,
    defUnit: d.unit,
    defWidth: d.width,
    defSlot: d.slot,
    defKills: d.kills,
  };
}

function addUses(units: Units, uses: References, inst: Inst): void {
  const g = inst.guard;
  if (g !== null && g.id !== ZERO_REG) uses.add(unitAt(units, g.file, g.id, 0), 1, -1, false);
  for (let s = 0; s < inst.srcs.length; s++) {
    const o = inst.srcs[s] as Operand;
    if (o.kind === Kind.Reg) {
      if (o.id !== ZERO_REG) uses.add(unitOf(units, o), o.width, s, false);
    } else if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG) {
      const width = o.id === -1 ? 2 : 1;
      uses.add(unitAt(units, o.file === File.None ? File.R : o.file, o.index, 0), width, s, false);
    }
  }
  if (inst.passed !== undefined) for (const o of inst.passed.uses) uses.add(unitOf(units, o), o.width, IMPLICIT, false);
  if (!units.virtual) addImplicit(units, uses, inst, "use");
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

function addHandover(uses: References, defs: References, h: Handover | undefined): void {
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

function addDefs(units: Units, defs: References, inst: Inst): void {
  const certain = always(inst);
  for (let s = 0; s < inst.dsts.length; s++) {
    const o = inst.dsts[s] as Operand;
    if (o.kind !== Kind.Reg || o.id === ZERO_REG) continue;
    defs.add(unitOf(units, o), o.width, s, certain && writesWhole(o));
  }
  if (inst.passed !== undefined)
    for (const o of inst.passed.defs) defs.add(unitOf(units, o), o.width, IMPLICIT, certain);
  if (!units.virtual) addImplicit(units, defs, inst, "def");
}
