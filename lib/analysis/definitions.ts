/**
 * What the SSA window makes easy to ask: which instruction computes a register unit, how often it is read, and whether
 * one instruction comes before another on every path. A unit with several definitions, a guarded one, or one bound to a
 * physical register has no single definition and answers −1.
 */
import { type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";
import { analysis } from "./cache.js";
import { dominates } from "./dominators.js";
import type { Flat } from "./flat.js";
import { type Units, unitOf } from "./units.js";

interface Columns {
  readonly def: Int32Array;
  readonly uses: Int32Array;
}

/** What was found of the instructions of a function: the same until they change. */
const found = new WeakMap<Flat, Columns>();

function columns(func: Func, flat: Flat): Columns {
  const known = found.get(flat);
  if (known !== undefined) return known;
  const cfg = analysis(func, "cfg");
  const { count, owner } = flat.units;
  const def = new Int32Array(count).fill(-1);
  const uses = new Int32Array(count);
  const defined = new Uint8Array(count);
  for (let i = 0; i < flat.insts.length; i++) {
    const reachable = (cfg.order[flat.block[i] as number] as number) >= 0;
    for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
      for (let k = 0; k < (flat.defWidth[d] as number); k++) {
        const u = (flat.defUnit[d] as number) + k;
        const only = defined[u] === 0 && flat.defKills[d] === 1 && reachable;
        defined[u] = 1;
        def[u] = only && func.values.fixed(owner[u] as number) < 0 ? i : -1;
      }
    }
    for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++) {
      for (let k = 0; k < (flat.useWidth[u] as number); k++) {
        const unit = (flat.useUnit[u] as number) + k;
        uses[unit] = (uses[unit] as number) + 1;
      }
    }
  }
  found.set(flat, { def, uses });
  return { def, uses };
}

/** Units with a single, complete definition, and how often each is read. Who edits may keep them right: they are its own. */
export class Definitions {
  /** The instructions of the function. */
  readonly flat: Flat;
  /** The units of its registers. */
  readonly units: Units;
  /** Index (in `flat.insts`) of the one instruction that defines the unit, always and completely; −1: there is none such. */
  readonly def: Int32Array;
  /** Reads of the unit, guards and index registers included. */
  readonly uses: Int32Array;
  private readonly func: Func;

  constructor(func: Func) {
    this.func = func;
    const flat = analysis(func, "flat");
    this.flat = flat;
    this.units = flat.units;
    const { def, uses } = columns(func, flat);
    this.def = def.slice();
    this.uses = uses.slice();
  }

  /** Every path to instruction `b` goes through instruction `a` first. */
  before(a: number, b: number): boolean {
    const x = this.flat.block[a] as number;
    const y = this.flat.block[b] as number;
    return x === y ? a < b : dominates(analysis(this.func, "dominators"), x, y);
  }

  /** The registers of the operand each have one definition, and it comes before instruction `at`; constants do always. */
  holds(o: Operand, at: number): boolean {
    if (o.kind === Kind.Reg) {
      if (o.id === ZERO_REG) return true;
      const u = unitOf(this.units, o);
      for (let k = 0; k < o.width; k++) {
        const d = this.def[u + k] as number;
        if (d < 0 || !this.before(d, at)) return false;
      }
      return true;
    }
    return o.kind === Kind.Imm || (o.kind === Kind.Const && o.index === NO_INDEX);
  }

  /** The instruction that defines all registers of the operand, null when there is none or they are several. */
  definition(o: Operand): Inst | null {
    const at = this.indexOf(o);
    return at < 0 ? null : (this.flat.insts[at] as Inst);
  }

  /** As `definition`, its index; −1: none. */
  indexOf(o: Operand): number {
    if (o.kind !== Kind.Reg || o.id === ZERO_REG) return -1;
    const u = unitOf(this.units, o);
    const first = this.def[u] as number;
    for (let k = 1; k < o.width; k++) if (this.def[u + k] !== first) return -1;
    return first;
  }

  /** Reads of the registers of the operand, all together. */
  usesOf(o: Operand): number {
    const u = unitOf(this.units, o);
    let n = 0;
    for (let k = 0; k < o.width; k++) n += this.uses[u + k] as number;
    return n;
  }
}
