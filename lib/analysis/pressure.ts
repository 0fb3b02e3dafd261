/**
 * Register pressure: how many registers of each file are occupied at each instruction. At an instruction that is the
 * greater of what is live before it and what is live after it together with what it writes (a result nobody reads
 * needs a register all the same). Units of 32-bit registers, or predicates; RZ and PT do not count.
 */
import { isPhi } from "../ori/flow.js";
import { File, type Inst } from "../ori/types.js";
import type { Liveness } from "./liveness.js";

/** Per instruction in layout order. */
export interface PressureOf {
  /** Registers live at each instruction, by its index in `Flat.insts`. */
  readonly at: Uint16Array;
  /** The greatest of them. */
  readonly max: number;
  /** First instruction (index in layout order) with the maximum, −1 in an empty function. */
  readonly where: number;
}

/** Live registers at each instruction, by file. */
export interface Pressure {
  /** Ordinary registers, in 32-bit registers. */
  readonly R: PressureOf;
  /** Uniform registers. */
  readonly UR: PressureOf;
  /** Predicates. */
  readonly P: PressureOf;
  /** Uniform predicates. */
  readonly UP: PressureOf;
  /** Convergence barriers. */
  readonly B: PressureOf;
}

const files = [File.R, File.UR, File.P, File.UP, File.B] as const;

/** A set of units that knows how many of each file are in it. */
class Counted {
  /** Units in the set, by file. */
  readonly counts: Int32Array = new Int32Array(files.length);
  private readonly has: Uint8Array;
  private readonly list: number[] = [];

  constructor(private readonly file: Uint8Array) {
    this.has = new Uint8Array(file.length);
  }

  /** Whether the unit is new to the set. */
  add(unit: number): boolean {
    if (this.has[unit] === 1) return false;
    this.has[unit] = 1;
    this.list.push(unit);
    this.change(unit, 1);
    return true;
  }

  remove(unit: number): void {
    if (this.has[unit] === 0) return;
    this.has[unit] = 0;
    this.change(unit, -1);
  }

  clear(): void {
    for (const unit of this.list) this.has[unit] = 0;
    this.list.length = 0;
    this.counts.fill(0);
  }

  private change(unit: number, by: number): void {
    const f = (this.file[unit] as number) - File.R;
    this.counts[f] = (this.counts[f] as number) + by;
  }
}

/** Counts live registers at each instruction. `onEdges`: the liveness is one that has the sources of phis read on the edges. */
export function pressure(live: Liveness, onEdges = false): Pressure {
  const { flat } = live;
  const n = flat.insts.length;
  const at = files.map(() => new Uint16Array(n));
  const set = new Counted(flat.units.file);
  const note = (i: number): void => {
    for (let f = 0; f < files.length; f++) {
      const column = at[f] as Uint16Array;
      const c = set.counts[f] as number;
      if (c > (column[i] as number)) column[i] = c;
    }
  };
  /** Results nobody reads take registers while they are written. */
  const write = (i: number): void => {
    const unread: number[] = [];
    for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
      const first = flat.defUnit[d] as number;
      for (let u = first; u < first + (flat.defWidth[d] as number); u++) if (set.add(u)) unread.push(u);
    }
    note(i);
    for (const u of unread) set.remove(u);
  };
  const stepBack = (i: number): void => {
    for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
      if (flat.defBegins[d] === 0) continue;
      const first = flat.defUnit[d] as number;
      for (let u = first; u < first + (flat.defWidth[d] as number); u++) set.remove(u);
    }
    const reads = !(onEdges && isPhi(flat.insts[i] as Inst));
    for (let k = flat.useStart[i] as number; reads && k < (flat.useStart[i + 1] as number); k++) {
      const first = flat.useUnit[k] as number;
      for (let u = first; u < first + (flat.useWidth[k] as number); u++) set.add(u);
    }
    note(i);
  };
  for (let b = 0; b + 1 < flat.first.length; b++) {
    set.clear();
    live.liveOut.forEach(b, (u) => void set.add(u));
    for (let i = (flat.first[b + 1] as number) - 1; i >= (flat.first[b] as number); i--) {
      if (flat.defStart[i] !== flat.defStart[i + 1]) write(i);
      stepBack(i);
    }
  }
  const of = (f: number): PressureOf => {
    const column = at[f] as Uint16Array;
    let where = -1;
    for (let i = 0; i < n; i++) if (where < 0 || (column[i] as number) > (column[where] as number)) where = i;
    return { at: column, max: where < 0 ? 0 : (column[where] as number), where };
  };
  return { R: of(0), UR: of(1), P: of(2), UP: of(3), B: of(4) };
}
