/**
 * Reaching definitions of register units. Only definitions that are not overwritten before the end of their block can
 * reach another one, so only those take part in the dataflow: forward over bit sets, in = ∪ out of the predecessors,
 * out = exposed ∪ (in − killed). They are numbered by unit, so that those of one unit are a range of bits.
 *
 * A definition is named by its entry in the columns `def*` of `Flat`; the value a function starts with is
 * `LIVE_IN`.
 */
import { hasBit, setBit, wordsFor } from "./bits.js";
import type { Cfg } from "./cfg.js";
import type { Flat } from "./flat.js";

/** What a register holds when the function is entered. */
export const LIVE_IN = -1;

/** Which definitions reach which reads. */
export interface Reaching {
  /** The definitions and reads that it speaks of. */
  readonly flat: Flat;
  /** Definitions that each use may read: `def[defStart[u]] … def[defStart[u + 1] − 1]` for entry u of `Flat.use*`. */
  readonly defStart: Int32Array;
  /** Entries of `Flat.def*`, or LIVE_IN; ascending, each once. */
  readonly def: Int32Array;
}

/** Follows definitions along the flow to the reads that may see them. */
export function reaching(cfg: Cfg, flat: Flat): Reaching {
  const exposed = new Exposed(cfg, flat);
  const into = solve(cfg, exposed);
  return chains(cfg, flat, exposed, into);
}

/** Downward exposed definitions, numbered by unit; number 0 of each unit is what the function starts with. */
class Exposed {
  /** Numbers of unit u: `start[u] … start[u + 1] − 1`. */
  readonly start: Int32Array;
  /** Entry of each number. */
  readonly entry: Int32Array;
  readonly words: number;
  /** Row per block. */
  readonly out: Uint32Array;
  /** Units certainly overwritten per block. */
  readonly killed: Uint8Array;
  readonly units: number;

  constructor(cfg: Cfg, flat: Flat) {
    this.units = flat.units.count;
    const list = this.collect(cfg, flat);
    this.start = new Int32Array(this.units + 1);
    for (const [, unit] of list) this.start[unit + 1] = (this.start[unit + 1] as number) + 1;
    for (let u = 0; u < this.units; u++) {
      this.start[u + 1] = (this.start[u + 1] as number) + (this.start[u] as number) + 1;
    }
    const total = this.start[this.units] as number;
    this.entry = new Int32Array(total).fill(LIVE_IN);
    this.words = wordsFor(total);
    this.out = new Uint32Array(cfg.count * this.words);
    this.killed = new Uint8Array(cfg.count * this.units);
    const next = Int32Array.from(this.start, (s) => s + 1);
    for (const [entry, unit, block, kills] of list) {
      const n = next[unit] as number;
      next[unit] = n + 1;
      this.entry[n] = entry;
      setBit(this.out, block * this.words, n);
      if (kills) this.killed[block * this.units + unit] = 1;
    }
  }

  /** [entry, unit, block, kills] of the definitions that reach the end of their block. */
  private collect(cfg: Cfg, flat: Flat): [number, number, number, boolean][] {
    const list: [number, number, number, boolean][] = [];
    const covered = new Int32Array(this.units).fill(-1);
    for (let b = 0; b < cfg.count; b++) {
      for (let i = (flat.first[b + 1] as number) - 1; i >= (flat.first[b] as number); i--) {
        for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
          const kills = flat.defKills[d] === 1;
          const unit = flat.defUnit[d] as number;
          for (let u = unit; u < unit + (flat.defWidth[d] as number); u++) {
            if (covered[u] === b) continue;
            list.push([d, u, b, kills]);
            if (kills) covered[u] = b;
          }
        }
      }
    }
    return list.sort((x, y) => x[1] - y[1] || x[0] - y[0]);
  }
}

/** Numbers that reach the start of each block. */
function solve(cfg: Cfg, exposed: Exposed): Uint32Array {
  const { words, out, killed, units, start } = exposed;
  const into = new Uint32Array(cfg.count * words);
  const leaving = new Uint32Array(cfg.count * words);
  if (cfg.count > 0) for (let u = 0; u < units; u++) setBit(into, 0, start[u] as number);
  const keep = new Uint32Array(words);
  for (let again = true; again; ) {
    again = false;
    for (const b of cfg.rpo) {
      const row = b * words;
      for (let e = cfg.predStart[b] as number; e < (cfg.predStart[b + 1] as number); e++) {
        const p = (cfg.pred[e] as number) * words;
        for (let w = 0; w < words; w++) into[row + w] = (into[row + w] as number) | (leaving[p + w] as number);
      }
      keep.fill(-1);
      for (let u = 0; u < units; u++) {
        if (killed[b * units + u] === 1) clear(keep, start[u] as number, start[u + 1] as number);
      }
      for (let w = 0; w < words; w++) {
        const now = ((out[row + w] as number) | ((into[row + w] as number) & (keep[w] as number))) >>> 0;
        if (now === leaving[row + w]) continue;
        leaving[row + w] = now;
        again = true;
      }
    }
  }
  return into;
}

function clear(set: Uint32Array, from: number, to: number): void {
  for (let n = from; n < to; n++) set[n >>> 5] = (set[n >>> 5] as number) & ~(1 << (n & 31));
}

/** One walk over each block: what reaches a use is what the block defined before it, or what reached the block. */
function chains(cfg: Cfg, flat: Flat, exposed: Exposed, into: Uint32Array): Reaching {
  const defStart = new Int32Array(flat.useUnit.length + 1);
  const def: number[] = [];
  const stamp = new Int32Array(exposed.units).fill(-1);
  /** Definitions in this block of each unit since the last certain one; `open` when what came before still counts. */
  const here: number[][] = [];
  const open = new Uint8Array(exposed.units);
  const found = new Set<number>();
  const gather = (b: number, unit: number): void => {
    const local = stamp[unit] === b;
    if (local) for (const d of here[unit] as number[]) found.add(d);
    if (local && open[unit] === 0) return;
    const row = b * exposed.words;
    for (let n = exposed.start[unit] as number; n < (exposed.start[unit + 1] as number); n++) {
      if (hasBit(into, row, n)) found.add(exposed.entry[n] as number);
    }
  };
  for (let b = 0; b < cfg.count; b++) {
    for (let i = flat.first[b] as number; i < (flat.first[b + 1] as number); i++) {
      for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++) {
        found.clear();
        const unit = flat.useUnit[u] as number;
        for (let k = unit; k < unit + (flat.useWidth[u] as number); k++) gather(b, k);
        for (const d of [...found].sort((x, y) => x - y)) def.push(d);
        defStart[u + 1] = def.length;
      }
      for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
        const unit = flat.defUnit[d] as number;
        for (let k = unit; k < unit + (flat.defWidth[d] as number); k++) {
          if (flat.defKills[d] === 1) {
            here[k] = [d];
            open[k] = 0;
          } else {
            if (stamp[k] !== b) open[k] = 1;
            here[k] = stamp[k] === b ? [...(here[k] as number[]), d] : [d];
          }
          stamp[k] = b;
        }
      }
    }
  }
  return { flat, defStart, def: Int32Array.from(def) };
}

/** Definitions that use `entry` (of `Flat.use*`) may read. */
export function reachingDefs(result: Reaching, entry: number): Int32Array {
  return result.def.subarray(result.defStart[entry] as number, result.defStart[entry + 1] as number);
}
