/**
 * How large a loop may become by unrolling. Measured on ptxas 13.0.88 -O3 (sm_90 by bisection, 75 and 100 agree on a grid; facts
 * on its optimizer and its flow decisions). A body is counted in instructions, without copies, constants that are operands
 * anyway, and what only counts turns; an access to memory counts two.
 */
import { readsConstants } from "../analysis/index.js";
import type { CountedLoop } from "../analysis/induction.js";
import type { Block, Inst } from "../ori/types.js";
import { foldingIn } from "./unroll-folded.js";

/** Thresholds, by the wiki's names where it has one. */
export interface UnrollLimits {
  /** False: no loop is unrolled. */
  readonly LoopUnroll: boolean;
  /** Largest size of a loop of known trips after unrolling in part. */
  readonly UnrollBudget: number;
  /** Largest body that is unrolled in part. */
  readonly UnrollInstLimit: number;
  /** Turns of the main loop where the trips are not known. */
  readonly UnrollUnknownCount: number;
  /** Largest body of such a loop. */
  readonly UnrollUnknownInstLimit: number;
  /** Loops of several blocks are unrolled, too. */
  readonly UnrollMultiBlockLoops: boolean;
  /** Loops whose number of turns is not known are unrolled, too. */
  readonly UnrollVariableBounds: boolean;
  /** Turns at once of a loop of known trips that is unrolled in part, and of the main loop of others; 0: what the sizes say. */
  readonly LoopUnrollFactor: number;
  /** Largest body that is unrolled in full; such bodies as small as the second are so whatever their trips (to 4096). */
  readonly UnrollFullInstLimit: number;
  /** Instructions below which a loop is small. */
  readonly UnrollSmallLoopLimit: number;
  /** Loops around others are unrolled when these are gone. */
  readonly LoopUnrollNonInnermost: boolean;
  /** Loops of several blocks and unknown trips are unrolled, too. */
  readonly LoopUnrollUnknownMultiBlock: boolean;
  /** What a load of a constant bank counts, and what a loop with a texture fetch counts less. */
  readonly LoopUnrollExtraFoldableLdcWeight: number;
  /** Texture instructions that an unrolled loop may have. */
  readonly LoopUnrollNumInstTex: number;
  /** What the computation of an address counts. */
  readonly LoopUnrollFoldableAddrWeight: number;
  /** Instructions that a body, and a loop unrolled in part, may have beyond their limits. */
  readonly LoopUnrollNumExtraInstBase: number;
  /** Factor of the trips up to which a body is unrolled in full. */
  readonly UnrollFlexableFullLimit: number;
  /** Turns are sure without a look at whether their sum wraps: right only for loops whose counter stays far from the ends of 32 bits. */
  readonly DisablePartialUnrollOverflowCheck: boolean;
  /** Most predicates live in a loop that is unrolled. */
  readonly UnrollPregThreshold: number;
}

/** Trips beyond which no knob unrolls a loop in full. */
const MOST_TRIPS = 4096;

export const unrollLimits: UnrollLimits = {
  LoopUnroll: true,
  UnrollBudget: 350,
  UnrollInstLimit: 75,
  UnrollUnknownCount: 4,
  UnrollUnknownInstLimit: 18,
  UnrollMultiBlockLoops: true,
  UnrollVariableBounds: true,
  LoopUnrollFactor: 0,
  UnrollFullInstLimit: Number.POSITIVE_INFINITY,
  UnrollSmallLoopLimit: 0,
  LoopUnrollNonInnermost: true,
  LoopUnrollUnknownMultiBlock: true,
  LoopUnrollExtraFoldableLdcWeight: 0,
  LoopUnrollNumInstTex: 0,
  LoopUnrollFoldableAddrWeight: 1,
  LoopUnrollNumExtraInstBase: 0,
  UnrollFlexableFullLimit: 1,
  DisablePartialUnrollOverflowCheck: false,
  UnrollPregThreshold: 50,
};

/** Most trips that are unrolled in full, for bodies of 1, 2, 3 … instructions. */
const mostTrips: readonly number[] = [
  3591, 1451, 1368, 850, 596, 441, 343, 268, 221, 182, 150, 132, 108, 95, 84, 73, 70, 61, 54, 52, 45, 43, 38, 37, 32,
  31, 30, 26, 25, 25, 21, 21, 20, 20, 17, 17, 16, 16, 15, 13, 13, 13, 12, 12, 12, 12, 11, 10, 9,
];
/** Largest body for so many trips, beyond that list. */
const largestBody: readonly (readonly [trips: number, body: number])[] = [
  [9, 55],
  [8, 57],
  [7, 62],
  [6, 72],
  [5, 78],
  [4, 97],
  [3, 126],
  [2, 194],
];

/** Whether a body of this size, so many times, is unrolled in full. */
export function fitsInFull(body: number, trips: number, limits: UnrollLimits = unrollLimits): boolean {
  if (trips <= 1) return true;
  if (limits.LoopUnrollFactor > 0) return trips <= limits.LoopUnrollFactor;
  if (body > limits.UnrollFullInstLimit) return false;
  if (body <= limits.UnrollSmallLoopLimit && trips <= MOST_TRIPS) return true;
  const most = mostTrips[Math.max(1, Math.ceil(body)) - 1];
  const counted = trips / limits.UnrollFlexableFullLimit;
  return most === undefined ? largestBody.some(([t, largest]) => counted <= t && body <= largest) : counted <= most;
}

/** Turns per round of the main loop, the rest of the trips in front; 1: none fits. */
export function partialFactor(body: number, trips: number, limits: UnrollLimits): number {
  if (limits.LoopUnrollFactor > 0) return Math.min(limits.LoopUnrollFactor, trips - 1);
  const more = limits.LoopUnrollNumExtraInstBase;
  if (body > limits.UnrollInstLimit + more) return 1;
  const budget = limits.UnrollBudget + more;
  for (let u = Math.floor(budget / Math.max(1, body)); u > 1; u--)
    if (u < trips && (u + (trips % u)) * body <= budget) return u;
  return 1;
}

/** Sums and products that only addresses of accesses in the loop read, where these count otherwise than others. */
function addressesOf(blocks: CountedLoop["blocks"], limits: UnrollLimits): ReadonlySet<Inst> {
  const found = new Set<Inst>();
  if (limits.LoopUnrollFoldableAddrWeight === 1) return found;
  const [asAddress, otherwise] = [new Set<number>(), new Set<number>()];
  for (const b of blocks)
    for (const i of b.insts)
      for (const [s, o] of i.srcs.entries()) (i.form.srcs[s]?.name === "base" ? asAddress : otherwise).add(o.id);
  for (const b of blocks)
    for (const i of b.insts)
      if (/^(IADD3|IMAD|LEA)$/.test(i.form.op) && i.dsts.some((o) => asAddress.has(o.id) && !otherwise.has(o.id)))
        found.add(i);
  return found;
}

const free: ReadonlySet<string> = new Set(["MOV", "BSSY", "BSYNC", "BRA", "ULDC", "UMOV", "NOP"]);

/** Size of one turn as it counts where the trips are known. */
export function bodySize({ blocks, overhead }: CountedLoop, limits: UnrollLimits = unrollLimits): number {
  let size = 0;
  const addresses = addressesOf(blocks, limits);
  for (const b of blocks)
    for (const i of b.insts)
      if (!overhead.has(i)) size += addresses.has(i) ? limits.LoopUnrollFoldableAddrWeight : weight(i, limits);
  return size - bonus(blocks, limits);
}

/** How much more often a body with one instruction that folds is unrolled in full, and at most. */
const MORE_PER_FOLDED = 0.2;
const MOST_MORE = 4;

/**
 * Whether the loop is unrolled in full. What folds in each turn does not count, and each such instruction lets a body be copied more often: ptxas
 * 13.0.88 takes bodies of 8, 16, 24 products that wait for each other 276, 75, 37 times, with 4 that fold 618, 184, 85 times, with 8 912, 287, 138 times, with 16 1389, 481,
 * 240 times (sm_90). Fewer here: the sizes of arms are estimates.
 */
export function isUnrolledInFull(loop: CountedLoop, trips: number, limits: UnrollLimits = unrollLimits): boolean {
  if (fitsInFull(bodySize(loop, limits), trips, limits)) return true;
  if (limits.LoopUnrollFactor > 0 || trips > MOST_TRIPS) return false;
  const { insts, arms } = foldingIn(loop);
  const sizeOf = (b: Block): number =>
    b.insts.reduce((n, i) => n + (insts.has(i) || loop.overhead.has(i) ? 0 : weight(i, limits)), 0);
  const folded = [...insts].filter((i) => !loop.overhead.has(i)).length;
  let size = loop.blocks.reduce((n, b) => n + sizeOf(b), 0);
  for (const some of arms) {
    const sizes = some.map(sizeOf);
    size -= sizes.reduce((n, x) => n + x, 0) - Math.max(0, ...sizes);
  }
  const more = Math.min(MOST_MORE, 1 + MORE_PER_FOLDED * folded);
  return fitsInFull(size - bonus(loop.blocks, limits), Math.max(2, Math.ceil(trips / more)), limits);
}

function bonus(blocks: CountedLoop["blocks"], { LoopUnrollNumInstTex }: UnrollLimits): number {
  if (LoopUnrollNumInstTex === 0) return 0;
  return blocks.some((b) => b.insts.some((i) => /^(TEX|TLD|TLD4|TXD)$/.test(i.form.op))) ? LoopUnrollNumInstTex : 0;
}

function weight(inst: Inst, { LoopUnrollExtraFoldableLdcWeight }: UnrollLimits): number {
  if (free.has(inst.form.op)) return 0;
  if (readsConstants(inst)) return LoopUnrollExtraFoldableLdcWeight;
  return inst.form.memory === null ? 1 : 2;
}

/**
 * Size of one turn where the trips are not known: loads count half (from global memory) or nothing, since sums of what they
 * give are joined in threes, which are counted here as they will be.
 */
export function unknownBodySize({ blocks, overhead }: CountedLoop, limits: UnrollLimits = unrollLimits): number {
  let size = 0;
  for (const b of blocks) {
    const loaded = new Set<number>();
    for (const i of b.insts) {
      if (overhead.has(i)) continue;
      const load = i.form.memory?.access === "load" && !readsConstants(i);
      if (load) {
        for (const o of i.dsts) loaded.add(o.id);
        size += i.form.memory?.space === "shared" ? 0 : 0.5;
      } else if (i.form.name === "IADD3" && i.srcs.some((o) => loaded.has(o.id))) size += 0.5;
      else size += weight(i, limits);
      if (i.form.op === "MOV" && i.srcs.some((o) => loaded.has(o.id))) for (const o of i.dsts) loaded.add(o.id);
    }
  }
  return size - bonus(blocks, limits);
}
