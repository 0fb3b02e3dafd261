/**
 * Paths through a dependence graph, and the length of an order of it.
 *
 * The issue model, for one warp: instructions issue in order; one issues when all it depends on issued at least the
 * edge's distance before (fixed distances from the latency tables, expected latencies for results that scoreboards
 * guard), when its execution pipe takes it (the pipe's interval after the instruction before it there), and when the
 * least stall of the instruction ahead has passed. No caches, no other warps, no limit on scoreboards.
 */
import type { Dag } from "./dag.js";
import type { Occupancy } from "./model.js";
import { executionPipes } from "./pipes.js";

/** Longest path in cycles from each node to the end of the block, with what `exit` adds after its results. */
export function pathsToEnd(dag: Dag, occupancy: readonly Occupancy[], exit: Int32Array | null): Int32Array {
  const path = new Int32Array(dag.count);
  for (let k = dag.count - 1; k >= 0; k--) {
    const i = dag.topological[k] as number;
    let most = i < occupancy.length && exit !== null ? (exit[i] as number) : 0;
    for (let e = dag.succStart[i] as number; e < (dag.succStart[i + 1] as number); e++) {
      const p = (path[dag.succ[e] as number] as number) + (dag.succLatency[e] as number);
      if (p > most) most = p;
    }
    path[i] = most;
  }
  return path;
}

/** Longest path in cycles from the start of the block to each node: the earliest cycle it could issue in. */
export function pathsToStart(dag: Dag, entry: Int32Array | null): Int32Array {
  const path = new Int32Array(dag.count);
  for (let k = 0; k < dag.count; k++) {
    const i = dag.topological[k] as number;
    let most = i < dag.insts.length && entry !== null ? (entry[i] as number) : 0;
    for (let e = dag.predStart[i] as number; e < (dag.predStart[i + 1] as number); e++) {
      const p = (path[dag.pred[e] as number] as number) + (dag.predLatency[e] as number);
      if (p > most) most = p;
    }
    path[i] = most;
  }
  return path;
}

/** Cycles and drain (as in `Timeline`) below which no order of the block comes. `toStart`: `pathsToStart`. */
export function leastLength(
  toStart: Int32Array,
  occupancy: readonly Occupancy[],
  exit: Int32Array | null,
): { readonly cycles: number; readonly drain: number } {
  const busy = new Int32Array(executionPipes.length);
  const longest = new Int32Array(executionPipes.length);
  let [issuing, slowest, cycles, drain] = [0, 0, 0, 0];
  for (let i = 0; i < occupancy.length; i++) {
    const { pipe, interval, minStall } = occupancy[i] as Occupancy;
    busy[pipe] = (busy[pipe] as number) + interval;
    longest[pipe] = Math.max(longest[pipe] as number, interval);
    issuing += Math.max(1, minStall);
    slowest = Math.max(slowest, minStall, 1);
    cycles = Math.max(cycles, (toStart[i] as number) + 1);
    if (exit !== null) drain = Math.max(drain, (toStart[i] as number) + (exit[i] as number));
  }
  // What issues last, on its pipe or in all, comes after the intervals of the others.
  cycles = Math.max(cycles, issuing - slowest + 1);
  for (let p = 0; p < busy.length; p++) cycles = Math.max(cycles, (busy[p] as number) - (longest[p] as number) + 1);
  return { cycles, drain: Math.max(drain, cycles) };
}

/** When the instructions of a block issue in an order. */
export interface Timeline {
  /** Issue cycle of each node. */
  readonly issue: Int32Array;
  /** Cycle in which the last instruction issues, plus one. */
  readonly cycles: number;
  /** Cycle in which the last result that is waited for after the block is there; at least `cycles`. */
  readonly drain: number;
}

/**
 * When each instruction of a block issues in an order (`order[k]` is the node at place k; null: as it stands). `entry`
 * and `exit` as in `BlockContext`.
 */
export function timeline(
  dag: Dag,
  occupancy: readonly Occupancy[],
  order: Int32Array | null,
  entry: Int32Array | null = null,
  exit: Int32Array | null = null,
): Timeline {
  const n = dag.insts.length;
  const issue = new Int32Array(n);
  const earliest = new Int32Array(dag.count);
  const waiting = new Int32Array(dag.count);
  for (let j = n; j < dag.count; j++) {
    waiting[j] = (dag.predStart[j + 1] as number) - (dag.predStart[j] as number);
  }
  if (entry !== null) earliest.set(entry.subarray(0, n));
  const pipe = new Int32Array(executionPipes.length);
  const tell = (node: number, t: number): void => {
    for (let e = dag.succStart[node] as number; e < (dag.succStart[node + 1] as number); e++) {
      const o = dag.succ[e] as number;
      const at = t + (dag.succLatency[e] as number);
      if (at > (earliest[o] as number)) earliest[o] = at;
      if (o >= n) {
        const left = (waiting[o] as number) - 1;
        waiting[o] = left;
        if (left === 0) tell(o, earliest[o] as number);
      }
    }
  };
  let cycle = 0;
  let last = -1;
  let drain = 0;
  for (let k = 0; k < n; k++) {
    const i = order === null ? k : (order[k] as number);
    const o = occupancy[i] as Occupancy;
    const t = Math.max(cycle, earliest[i] as number, pipe[o.pipe] as number);
    issue[i] = t;
    pipe[o.pipe] = t + o.interval;
    cycle = t + Math.max(1, o.minStall);
    last = t;
    if (exit !== null) drain = Math.max(drain, t + (exit[i] as number));
    tell(i, t);
  }
  return { issue, cycles: last + 1, drain: Math.max(drain, last + 1) };
}
