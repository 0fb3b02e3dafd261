/**
 * Liveness of register units, all files together.
 *
 * Each read that its block does not certainly write first is followed back over the edges to where its unit is certainly written, so
 * the work is as large as the result. A guarded definition does not kill: where the guard is false the old contents
 * live on, unless nobody can see them (guarded-values.ts). Unreachable blocks are solved too (their code is allocated and encoded like any other).
 */
import { isPhi } from "../ori/flow.js";
import type { Inst } from "../ori/types.js";
import { clearRange, setRange, wordsFor } from "./bits.js";
import { type BlockUnits, Crossing, type PathsBack } from "./block-units.js";
import type { Cfg } from "./cfg.js";
import type { Flat } from "./flat.js";

/** What is live at the borders of blocks. */
export interface Liveness {
  /** The instructions and units that it speaks of. */
  readonly flat: Flat;
  /** Words of a bit set of all units. */
  readonly words: number;
  /** By layout index of the block. */
  readonly liveIn: BlockUnits;
  /** Units live where the block ends, by layout index. */
  readonly liveOut: BlockUnits;
}

/**
 * A phi reads its sources where it stands. So in the SSA window they seem to live on every path there; with `onEdges` each
 * lives on the edge from its own predecessor only, and not into the block of the phi.
 */
export function liveness(cfg: Cfg, flat: Flat, onEdges = false): Liveness {
  return { flat, words: wordsFor(flat.units.count), ...crossingOf(cfg, flat, onEdges).solve(cfg) };
}

/** The same, of one unit after the other: in the SSA window all of it may be as large as the square of the function. */
export function livenessOfUnits(cfg: Cfg, flat: Flat): PathsBack {
  return crossingOf(cfg, flat, false).paths(cfg);
}

/**
 * Units that some block reads before it certainly writes them, where a block leads to it: those that are live out of any block
 * at all, found without following them. Phis read where they stand.
 */
export function exposedReads(cfg: Cfg, flat: Flat): number[] {
  const crossing = new Crossing(flat.units.count);
  for (let b = 0; b < cfg.count; b++)
    if (cfg.predStart[b] !== cfg.predStart[b + 1]) summarize(flat, cfg, b, crossing, false);
  return crossing.unitsRead();
}

function crossingOf(cfg: Cfg, flat: Flat, onEdges: boolean): Crossing {
  const crossing = new Crossing(flat.units.count);
  for (let b = 0; b < cfg.count; b++) summarize(flat, cfg, b, crossing, onEdges);
  return crossing;
}

function summarize(flat: Flat, cfg: Cfg, b: number, crossing: Crossing, onEdges: boolean): void {
  const end = flat.first[b + 1] as number;
  for (let i = flat.first[b] as number; i < end; i++) {
    const phi = onEdges && isPhi(flat.insts[i] as Inst);
    for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++) {
      const first = flat.useUnit[u] as number;
      const past = first + (flat.useWidth[u] as number);
      const slot = flat.useSlot[u] as number;
      const from = phi && slot >= 0 ? (cfg.pred[(cfg.predStart[b] as number) + slot] as number) : -1;
      for (let unit = first; unit < past; unit++)
        if (from < 0) crossing.read(b, unit);
        else crossing.readAtEnd(from, unit);
    }
    for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
      if (flat.defBegins[d] === 0) continue;
      const first = flat.defUnit[d] as number;
      const past = first + (flat.defWidth[d] as number);
      for (let unit = first; unit < past; unit++) crossing.kill(b, unit);
    }
  }
}

/** Turns the set live after instruction `i` (of `flat.insts`), at `offset` of `live`, into the set live before it. */
export function stepBack(flat: Flat, i: number, live: Uint32Array, offset = 0): void {
  for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
    if (flat.defBegins[d] === 1) clearRange(live, offset, flat.defUnit[d] as number, flat.defWidth[d] as number);
  }
  for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++) {
    setRange(live, offset, flat.useUnit[u] as number, flat.useWidth[u] as number);
  }
}

/** Adds the definitions of instruction `i` to a set: what is occupied while it writes, also when never read. */
export function addDefinitions(flat: Flat, i: number, live: Uint32Array, offset = 0): void {
  for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
    setRange(live, offset, flat.defUnit[d] as number, flat.defWidth[d] as number);
  }
}

/**
 * Walks the instructions of a block from the last to the first. `visit(i, live)` gets the index in `flat.insts` and the
 * units live *after* the instruction; the set is reused, copy what must last.
 */
export function walkBack(result: Liveness, block: number, visit: (inst: number, live: Uint32Array) => void): void {
  const { flat, words } = result;
  const live = new Uint32Array(words);
  result.liveOut.addTo(block, live);
  for (let i = (flat.first[block + 1] as number) - 1; i >= (flat.first[block] as number); i--) {
    visit(i, live);
    stepBack(flat, i, live);
  }
}

/** Number of units live into a block. */
export function liveInCount(result: Liveness, block: number): number {
  return result.liveIn.count(block);
}
