/**
 * How often each block runs, relative to one run of the entry. Without a profile a loop is taken to run `TRIPS` times
 * per entry, so each of its exits is taken once in that many passes, and the edges out of any other branch are equally
 * likely. One pass over the reachable blocks in reverse post-order; irreducible cycles count as straight code.
 */
import type { Cfg } from "./cfg.js";
import type { Loops } from "./loops.js";

/** Executions that a loop is assumed to make per entry. */
export const TRIPS = 10;
/** Deeper loops count no more, so that the numbers stay comparable. */
const most = 1e6;

/** Executions of each block (layout index) per run of the function, loops making `trips` trips; 0 for unreachable ones. */
export function blockFrequencies(cfg: Cfg, loops: Loops, trips: number = TRIPS): Float64Array {
  const freq = new Float64Array(cfg.count);
  if (cfg.count === 0) return freq;
  freq[0] = 1;
  for (const b of cfg.rpo) {
    if (isHeader(loops, b)) freq[b] = Math.min(most, (freq[b] as number) * trips);
    spread(cfg, loops, b, freq, trips);
  }
  return freq;
}

function isHeader(loops: Loops, b: number): boolean {
  const l = loops.innermost[b] as number;
  return l >= 0 && loops.loops[l]?.header === b;
}

/** Whether the edge leaves the innermost loop of its source. */
function leaves(loops: Loops, from: number, to: number): boolean {
  const depth = loops.depth[from] as number;
  if (depth === 0) return false;
  let inner = loops.innermost[to] as number;
  const of = loops.innermost[from] as number;
  while (inner >= 0 && inner !== of) inner = loops.loops[inner]?.parent ?? -1;
  return inner !== of;
}

/** Hands the frequency of a block to its successors; edges back to a loop's header are part of its trips. */
function spread(cfg: Cfg, loops: Loops, b: number, freq: Float64Array, trips: number): void {
  const from = cfg.succStart[b] as number;
  const end = cfg.succStart[b + 1] as number;
  let out = 0;
  for (let e = from; e < end; e++) if (leaves(loops, b, cfg.succ[e] as number)) out++;
  const stay = end - from - out;
  const leaving = out === 0 ? 0 : stay === 0 ? 1 : 1 / trips;
  for (let e = from; e < end; e++) {
    const s = cfg.succ[e] as number;
    if ((cfg.order[s] as number) <= (cfg.order[b] as number)) continue;
    const share = leaves(loops, b, s) ? leaving / out : (1 - leaving) / stay;
    freq[s] = (freq[s] as number) + (freq[b] as number) * share;
  }
}
