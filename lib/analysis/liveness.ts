/**
 * Liveness of register units, all files together.
 *
 * Backward dataflow over bit sets: liveIn = use ∪ (liveOut − kill), liveOut = ∪ liveIn of the successors, where `use`
 * holds the units read before any certain definition in the block. Blocks are visited in reverse of reverse post-order,
 * again only while a successor changed. A guarded definition does not kill: where the guard is false the old contents
 * live on. Unreachable blocks are solved too (their code is allocated and encoded like any other).
 */
import { clearRange, countBits, hasBit, setBit, setRange, wordsFor } from "./bits.js";
import type { Cfg } from "./cfg.js";
import type { Flat } from "./flat.js";

export interface Liveness {
  readonly flat: Flat;
  /** Words per set. */
  readonly words: number;
  /** Row per block (layout index), `words` words each. */
  readonly liveIn: Uint32Array;
  readonly liveOut: Uint32Array;
}

/** What is read in a block before it is certainly written there. */
export class Reads {
  readonly block: number[] = [];
  readonly unit: number[] = [];

  add(block: number, unit: number): void {
    this.block.push(block);
    this.unit.push(unit);
  }
}

/** Follows the reads back to where their units are killed; adds to `liveIn` (which holds the reads) and returns `liveOut`. */
export function followBack(cfg: Cfg, words: number, reads: Reads, liveIn: Uint32Array, kill: Uint32Array): Uint32Array {
  const liveOut = new Uint32Array(liveIn.length);
  const { block, unit } = reads;
  while (block.length > 0) {
    const b = block.pop() as number;
    const u = unit.pop() as number;
    for (let e = cfg.predStart[b] as number; e < (cfg.predStart[b + 1] as number); e++) {
      const p = cfg.pred[e] as number;
      if (p < 0 || hasBit(liveOut, p * words, u)) continue;
      setBit(liveOut, p * words, u);
      if (hasBit(kill, p * words, u) || hasBit(liveIn, p * words, u)) continue;
      setBit(liveIn, p * words, u);
      reads.add(p, u);
    }
  }
  return liveOut;
}

export function liveness(cfg: Cfg, flat: Flat): Liveness {
  const words = wordsFor(flat.units.count);
  const use = new Uint32Array(cfg.count * words);
  const kill = new Uint32Array(cfg.count * words);
  for (let b = 0; b < cfg.count; b++) summarize(flat, b, use, kill, b * words);
  const liveIn = use.slice();
  const liveOut = new Uint32Array(cfg.count * words);
  const order = backwardOrder(cfg);
  const dirty = new Uint8Array(cfg.count).fill(1);
  for (let again = true; again; ) {
    again = false;
    for (let i = 0; i < order.length; i++) {
      const b = order[i] as number;
      if (dirty[b] === 0) continue;
      dirty[b] = 0;
      if (!update(cfg, b, words, use, kill, liveIn, liveOut)) continue;
      for (let e = cfg.predStart[b] as number; e < (cfg.predStart[b + 1] as number); e++) {
        dirty[cfg.pred[e] as number] = 1;
        again = true;
      }
    }
  }
  return { flat, words, liveIn, liveOut };
}

/** Post-order of the reachable blocks, then the unreachable ones from the last to the first. */
function backwardOrder(cfg: Cfg): Int32Array {
  const order = new Int32Array(cfg.count);
  let n = 0;
  for (let i = cfg.rpo.length - 1; i >= 0; i--) order[n++] = cfg.rpo[i] as number;
  for (let b = cfg.count - 1; b >= 0; b--) if ((cfg.order[b] as number) < 0) order[n++] = b;
  return order;
}

/** Recomputes one block; true when its liveIn grew. */
function update(
  cfg: Cfg,
  b: number,
  words: number,
  use: Uint32Array,
  kill: Uint32Array,
  liveIn: Uint32Array,
  liveOut: Uint32Array,
): boolean {
  const row = b * words;
  let changed = false;
  for (let e = cfg.succStart[b] as number; e < (cfg.succStart[b + 1] as number); e++) {
    const s = (cfg.succ[e] as number) * words;
    for (let w = 0; w < words; w++) liveOut[row + w] = (liveOut[row + w] as number) | (liveIn[s + w] as number);
  }
  for (let w = 0; w < words; w++) {
    const now = (use[row + w] as number) | ((liveOut[row + w] as number) & ~(kill[row + w] as number));
    if (now >>> 0 !== liveIn[row + w]) {
      liveIn[row + w] = now;
      changed = true;
    }
  }
  return changed;
}

function summarize(flat: Flat, b: number, use: Uint32Array, kill: Uint32Array, row: number): void {
  for (let i = (flat.first[b + 1] as number) - 1; i >= (flat.first[b] as number); i--) {
    for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
      if (flat.defKills[d] === 0) continue;
      clearRange(use, row, flat.defUnit[d] as number, flat.defWidth[d] as number);
      setRange(kill, row, flat.defUnit[d] as number, flat.defWidth[d] as number);
    }
    for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++) {
      setRange(use, row, flat.useUnit[u] as number, flat.useWidth[u] as number);
    }
  }
}

/** Turns the set live after instruction `i` (of `flat.insts`), at `offset` of `live`, into the set live before it. */
export function stepBack(flat: Flat, i: number, live: Uint32Array, offset = 0): void {
  for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
    if (flat.defKills[d] === 1) clearRange(live, offset, flat.defUnit[d] as number, flat.defWidth[d] as number);
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
  const live = result.liveOut.slice(block * words, (block + 1) * words);
  for (let i = (flat.first[block + 1] as number) - 1; i >= (flat.first[block] as number); i--) {
    visit(i, live);
    stepBack(flat, i, live);
  }
}

/** Number of units live into a block. */
export function liveInCount(result: Liveness, block: number): number {
  return countBits(result.liveIn, block * result.words, result.words);
}
