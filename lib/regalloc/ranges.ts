/**
 * Live ranges of register units as lists of program points.
 *
 * An instruction i has two points: it reads at 2i and writes at 2i + 1. A unit occupies its register from the write of
 * a definition to the last read, both included, so `d` of `IADD3 d, a, …` may take the register of `a` when `a` ends
 * there, and two results of one instruction never share. A result nobody reads still occupies its point.
 *
 *    0  a = …        a: [1, 4]
 *    1  @p a = …     (guarded: the old a may survive, so the range goes on)
 *    2  b = a        b: [5, …]
 *
 * A range is where the unit is live *and* may have been defined. Without the second half, a value written and read
 * under the same guard would look live back to the function's entry, because a guarded write kills nothing.
 *
 * Block-level sets are kept for the units that are read in a block before it writes them, the only ones that can cross
 * an edge; in PTX-like code they are few.
 */
import { analysis, type BlockUnits, Crossing, hasBit, setBit } from "../analysis/index.js";
import { type Block, File, type Func, type Inst, Kind, Mod, type Operand, ZERO_REG } from "../ori/types.js";
import { type Flat, flatten, isGuarded } from "./flat.js";

export interface Ranges {
  readonly flat: Flat;
  /** Two per instruction. */
  readonly points: number;
  /** Unit → its first pair in `segments`; one entry more than units. */
  readonly start: Int32Array;
  /** [from, to] pairs, ascending and disjoint per unit. */
  readonly segments: Int32Array;
  /** Calls by the ABI: their indices in `flat.insts`, ascending. */
  readonly calls: Int32Array;
}

interface Asked {
  /** Unit → its column in the block sets, −1 for units that are not in them. */
  readonly column: Int32Array;
  readonly members: Int32Array;
  readonly words: number;
}

const NONE = -1;

interface BlockSets {
  readonly liveIn: BlockUnits;
  readonly liveOut: BlockUnits;
  /** Units that are read in a block before it writes them: the only ones that can be live at its ends. */
  readonly crossing: readonly number[];
}

/**
 * Of the units that cross blocks those that may be undefined where they are live: such as some write leaves standing, and
 * such as are live where nothing comes before. What is live anywhere else has been defined on every path there.
 */
function doubtful(flat: Flat, { liveIn, crossing }: BlockSets): Asked {
  const column = new Int32Array(flat.units).fill(NONE);
  const members: number[] = [];
  const add = (u: number): void => {
    if (column[u] !== NONE) return;
    column[u] = members.length;
    members.push(u);
  };
  const crosses = new Uint8Array(flat.units);
  for (const u of crossing) crosses[u] = 1;
  for (let k = 0; k < flat.defs.length; k++) {
    const u = flat.defs[k] as number;
    if (flat.partial[k] === 1 && crosses[u] === 1) add(u);
  }
  const { order, count } = analysis(flat.func, "cfg");
  for (let b = 0; b < count; b++) if (b === 0 || (order[b] as number) < 0) liveIn.forEach(b, add);
  return { column, members: Int32Array.from(members), words: (members.length + 31) >>> 5 };
}

/** Units live at both ends of each block: each read is followed back. */
function liveSets(flat: Flat): BlockSets {
  const sets = new Crossing(flat.units);
  for (let b = 0; b + 1 < flat.blockStart.length; b++) {
    const end = flat.blockStart[b + 1] as number;
    for (let i = flat.blockStart[b] as number; i < end; i++) {
      for (let k = flat.useStart[i] as number; k < (flat.useStart[i + 1] as number); k++)
        sets.read(b, flat.uses[k] as number);
      for (let k = flat.defStart[i] as number; k < (flat.defStart[i + 1] as number); k++)
        if (flat.partial[k] === 0) sets.kill(b, flat.defs[k] as number);
    }
  }
  return { ...sets.solve(analysis(flat.func, "cfg")), crossing: sets.unitsRead() };
}

/** Doubtful units that some path to each block's start has defined. */
function maybeDefined(flat: Flat, asked: Asked): Uint32Array {
  const { words, members, column } = asked;
  const blocks = flat.func.blocks;
  const maybeOut = new Uint32Array(blocks.length * words);
  const maybeIn = new Uint32Array(blocks.length * words);
  if (words === 0) return maybeIn;
  for (let b = 0; b < blocks.length; b++) {
    const from = flat.defStart[flat.blockStart[b] as number] as number;
    const to = flat.defStart[flat.blockStart[b + 1] as number] as number;
    for (let k = from; k < to; k++) {
      const c = column[flat.defs[k] as number] as number;
      if (c >= 0) setBit(maybeOut, b * words, c);
    }
  }
  if (flat.func.kind === "func") {
    // What the caller passes.
    for (let c = 0; c < members.length; c++)
      if (flat.func.values.fixed(flat.owner[members[c] as number] as number) >= 0) setBit(maybeIn, 0, c);
  }
  for (let changed = true; changed; ) {
    changed = false;
    for (let b = 0; b < blocks.length; b++) {
      const row = b * words;
      for (const p of (blocks[b] as Block).preds)
        changed = merge(maybeIn, row, maybeOut, at(flat, p) * words, words) || changed;
      for (let w = row; w < row + words; w++) maybeOut[w] = (maybeOut[w] as number) | (maybeIn[w] as number);
    }
  }
  return maybeIn;
}

function at(flat: Flat, block: Block): number {
  return flat.position[block.id] as number;
}

function merge(into: Uint32Array, row: number, from: Uint32Array, fromRow: number, words: number): boolean {
  let changed = false;
  for (let w = 0; w < words; w++) {
    const old = into[row + w] as number;
    const now = (old | (from[fromRow + w] as number)) >>> 0;
    if (now !== old) {
      into[row + w] = now;
      changed = true;
    }
  }
  return changed;
}

/** Collects segments back to front; adjacent ones become one. */
class SegmentLists {
  private readonly head: Int32Array;
  private readonly from: number[] = [];
  private readonly to: number[] = [];
  private readonly next: number[] = [];

  constructor(units: number) {
    this.head = new Int32Array(units).fill(NONE);
  }

  /** `to` must be below everything recorded for the unit so far, or touch it. */
  prepend(unit: number, from: number, to: number): void {
    const h = this.head[unit] as number;
    if (h !== NONE && (this.from[h] as number) <= to + 1) {
      this.from[h] = from;
      return;
    }
    this.next.push(h);
    this.from.push(from);
    this.to.push(to);
    this.head[unit] = this.from.length - 1;
  }

  everywhere(unit: number, last: number): void {
    this.head[unit] = NONE;
    this.prepend(unit, 0, last);
  }

  finish(): { start: Int32Array; segments: Int32Array } {
    const start = new Int32Array(this.head.length + 1);
    const segments: number[] = [];
    for (let u = 0; u < this.head.length; u++) {
      for (let s = this.head[u] as number; s !== NONE; s = this.next[s] as number) {
        segments.push(this.from[s] as number, this.to[s] as number);
      }
      start[u + 1] = segments.length >>> 1;
    }
    return { start, segments: Int32Array.from(segments) };
  }
}

/** Marks the guarded writes before which their unit cannot have been defined: they begin a range. */
function firstWrites(flat: Flat, asked: Asked, maybeIn: Uint32Array): Uint8Array {
  const first = new Uint8Array(flat.defs.length);
  const seen = new Int32Array(flat.units).fill(NONE);
  for (let b = 0; b + 1 < flat.blockStart.length; b++) {
    for (
      let k = flat.defStart[flat.blockStart[b] as number] as number;
      k < (flat.defStart[flat.blockStart[b + 1] as number] as number);
      k++
    ) {
      const u = flat.defs[k] as number;
      if (flat.partial[k] === 1 && seen[u] !== b && !inSet(maybeIn, b, u, asked)) first[k] = 1;
      seen[u] = b;
    }
  }
  return first;
}

function inSet(set: Uint32Array, block: number, unit: number, asked: Asked): boolean {
  const c = asked.column[unit] as number;
  return c >= 0 && hasBit(set, block * asked.words, c);
}

export function computeRanges(flat: Flat): Ranges {
  const sets = liveSets(flat);
  const asked = doubtful(flat, sets);
  const maybeIn = maybeDefined(flat, asked);
  const first = firstWrites(flat, asked, maybeIn);
  const defined = (b: number, u: number): boolean => asked.column[u] === NONE || inSet(maybeIn, b, u, asked);
  const lists = new SegmentLists(flat.units);
  // End of the range that is open at the current point; stale entries are told by the block they were made in.
  const open = new Int32Array(flat.units).fill(NONE);
  for (let b = flat.blockStart.length - 2; b >= 0; b--) scanBlock(flat, b, sets.liveOut, defined, first, lists, open);
  if (hasDivergence(flat.func)) extendPerWarp(flat, sets.crossing, lists);
  return { flat, points: flat.insts.length * 2, ...lists.finish(), calls: callsOf(flat) };
}

function callsOf(flat: Flat): Int32Array {
  const calls: number[] = [];
  flat.insts.forEach((inst, i) => {
    if (inst.passed !== undefined && inst.form.flow === "call") calls.push(i);
  });
  return Int32Array.from(calls);
}

/** Of each register of a value the stretches of program points at which it is occupied: from, to, from, to …, ascending. */
export function occupiedPoints({ flat, start, segments }: Ranges, value: number): number[][] {
  const points: number[][] = [];
  for (let u = flat.unitBase[value] as number; u < (flat.unitBase[value + 1] as number); u++)
    points.push(Array.from(segments.subarray(2 * (start[u] as number), 2 * (start[u + 1] as number))));
  return points;
}

/** A register of the value holds something from before a call until after it. */
export function livesAcrossCall(ranges: Ranges, value: number): boolean {
  const { flat, start, segments, calls } = ranges;
  if (calls.length === 0) return false;
  for (let u = flat.unitBase[value] as number; u < (flat.unitBase[value + 1] as number); u++) {
    for (let s = start[u] as number; s < (start[u + 1] as number); s++) {
      const call = firstAtLeast(calls, (segments[2 * s] as number) / 2);
      // It is read at point 2c and comes back at 2c + 1.
      if (call < calls.length && (segments[2 * s + 1] as number) > 2 * (calls[call] as number)) return true;
    }
  }
  return false;
}

function firstAtLeast(sorted: Int32Array, least: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function scanBlock(
  flat: Flat,
  b: number,
  liveOut: BlockUnits,
  defined: (block: number, unit: number) => boolean,
  first: Uint8Array,
  lists: SegmentLists,
  open: Int32Array,
): void {
  const begin = flat.blockStart[b] as number;
  const end = flat.blockStart[b + 1] as number;
  const touched: number[] = [];
  liveOut.forEach(b, (u) => {
    open[u] = 2 * end - 1;
    touched.push(u);
  });
  for (let i = end - 1; i >= begin; i--) {
    for (let k = flat.defStart[i] as number; k < (flat.defStart[i + 1] as number); k++) {
      const u = flat.defs[k] as number;
      const to = open[u] as number;
      if (to === NONE) lists.prepend(u, 2 * i + 1, 2 * i + 1);
      else if (flat.partial[k] === 0 || first[k] === 1) {
        lists.prepend(u, 2 * i + 1, to);
        open[u] = NONE;
      }
    }
    for (let k = flat.useStart[i] as number; k < (flat.useStart[i + 1] as number); k++) {
      const u = flat.uses[k] as number;
      if (open[u] !== NONE) continue;
      open[u] = 2 * i;
      touched.push(u);
    }
  }
  for (const u of touched) {
    const to = open[u] as number;
    if (to === NONE) continue;
    open[u] = NONE;
    if (to >= 2 * begin && defined(b, u)) lists.prepend(u, 2 * begin, to);
  }
}

/** Some branch may split a warp: it depends on more than uniform predicates. */
function hasDivergence(func: Func): boolean {
  return func.blocks.some((b) => {
    const last = b.insts[b.insts.length - 1];
    return b.succs.length > 1 && (last === undefined || !isUniformBranch(last));
  });
}

function isUniformBranch(inst: Inst): boolean {
  if (inst.form.flow !== "branch" || (isGuarded(inst.guard) && inst.guard.file !== File.UP)) return false;
  const holds = (o: Operand): boolean => o.kind === Kind.Reg && (o.id !== ZERO_REG || (o.mods & Mod.Not) !== 0);
  if (inst.srcs.some((o) => o.file !== File.UP && holds(o))) return false;
  return isGuarded(inst.guard) || inst.srcs.some((o) => o.file === File.UP && holds(o));
}

/**
 * A uniform register belongs to the warp: after a divergent branch one side may run, in any order, before the other
 * side reads what was live across the branch. So a uniform value that crosses a block edge keeps its register for the
 * whole function when there is divergence; short uniform values (descriptors, addresses) are unaffected.
 */
function extendPerWarp(flat: Flat, crossing: readonly number[], lists: SegmentLists): void {
  for (const u of crossing) {
    const file = flat.fileOf[u];
    if (file === File.UR || file === File.UP) lists.everywhere(u, flat.insts.length * 2 - 1);
  }
}

/**
 * Registers of a file that are occupied at each program point (two per instruction in layout order: reading, writing);
 * the curve whose maximum no allocation can beat, alignment and holes aside.
 */
export function livePressure(func: Func, file: File): Uint16Array {
  return occupied(computeRanges(flatten(func)), file);
}

/** The greatest of `livePressure`, of the units that count. */
export function mostOccupied(ranges: Ranges, file: File, counts: (unit: number) => boolean): number {
  return occupied(ranges, file, counts).reduce((most, n) => Math.max(most, n), 0);
}

function occupied(ranges: Ranges, file: File, counts: (unit: number) => boolean = () => true): Uint16Array {
  const { flat, start, segments } = ranges;
  const delta = new Int32Array(ranges.points + 1);
  for (let u = 0; u < flat.units; u++) {
    if (flat.fileOf[u] !== file || !counts(u)) continue;
    for (let s = start[u] as number; s < (start[u + 1] as number); s++) {
      const from = segments[2 * s] as number;
      const past = (segments[2 * s + 1] as number) + 1;
      delta[from] = (delta[from] as number) + 1;
      delta[past] = (delta[past] as number) - 1;
    }
  }
  const out = new Uint16Array(ranges.points);
  let now = 0;
  for (let p = 0; p < out.length; p++) {
    now += delta[p] as number;
    out[p] = now;
  }
  return out;
}
