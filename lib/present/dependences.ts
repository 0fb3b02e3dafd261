/** Dependence graphs of a function's blocks as plain data, with a critical path of each. */
import { pathsToEnd, pathsToStart } from "../sched/estimate.js";
import { type BlockGraph, edgeKinds, type LatencyModel } from "../sched/index.js";
import type { PipelineDependences } from "../view/index.js";

/** What the instructions of a block wait for. */
export function dependencesOf({ dag, entry, exit, timeline }: BlockGraph, model: LatencyModel): PipelineDependences {
  const occupancy = dag.insts.map((inst) => model.occupancy(inst));
  const [earliest, ahead] = [pathsToStart(dag, entry), pathsToEnd(dag, occupancy, exit)];
  const edges: PipelineDependences["edges"][number][] = [];
  for (let i = 0; i < dag.count; i++)
    for (let e = dag.succStart[i] as number; e < (dag.succStart[i + 1] as number); e++)
      edges.push([
        i,
        dag.succ[e] as number,
        dag.succLatency[e] as number,
        edgeKinds[dag.succKind[e] as number] ?? "order",
      ]);
  const count = dag.insts.length;
  return {
    edges,
    earliest: Array.from(earliest.subarray(0, count)),
    ahead: Array.from(ahead.subarray(0, count)),
    issue: Array.from(timeline.issue),
    critical: criticalPath(dag, earliest, ahead),
  };
}

/** A longest path: from the first node whose path to the start and path to the end together are the longest, on along edges that leave no slack. */
function criticalPath(dag: BlockGraph["dag"], earliest: Int32Array, ahead: Int32Array): number[] {
  const through = (i: number): number => (earliest[i] as number) + (ahead[i] as number);
  let at = -1;
  for (let i = 0; i < dag.insts.length; i++) {
    const longer = at < 0 || through(i) > through(at);
    if (longer || (through(i) === through(at) && (earliest[i] as number) < (earliest[at] as number))) at = i;
  }
  const path: number[] = [];
  while (at >= 0) {
    if (at < dag.insts.length) path.push(at);
    let next = -1;
    for (let e = dag.succStart[at] as number; e < (dag.succStart[at + 1] as number); e++) {
      const s = dag.succ[e] as number;
      const issues = (earliest[at] as number) + (dag.succLatency[e] as number);
      if (issues === earliest[s] && (ahead[at] as number) === (ahead[s] as number) + (dag.succLatency[e] as number)) {
        if (next < 0 || s < next) next = s;
      }
    }
    at = next;
  }
  return path;
}
