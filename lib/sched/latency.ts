/**
 * Static latency of a function at any moment between lowering and encoding, on virtual or physical registers: the cycles
 * of one warp alone by the issue model of estimate.ts, on the order as it stands. No caches, no other warps.
 */
import { analysis } from "../analysis/cache.js";
import type { Block, Func } from "../ori/types.js";
import { DagBuilder, type DagOptions } from "./build.js";
import { CrossBlock } from "./edges.js";
import { timeline } from "./estimate.js";
import { latencyModel } from "./model.js";
import type { BlockGraph } from "./report.js";
import { blocksInOrder } from "./schedule.js";

/** What one block takes, by the scheduler's model. */
export interface BlockCycles {
  /** Id of the block. */
  readonly block: number;
  /** Instructions of the block. */
  readonly instructions: number;
  /** Executions per run of the function: a loop is taken to make ten trips, the paths of a branch to be equally likely. */
  readonly frequency: number;
  /** Cycles until the last result of the block that is waited for is there. */
  readonly cycles: number;
}

/** Static latency of a function. */
export interface FuncLatency {
  /** Cycles of one warp per run of the function: sum over the blocks of frequency × cycles. */
  readonly cycles: number;
  /** In layout order; blocks without instructions are left out. */
  readonly blocks: readonly BlockCycles[];
}

/** How latency is told. */
export interface LatencyOptions extends DagOptions {
  /** Called with the dependence graph of every block that has instructions. */
  readonly onGraph?: (graph: BlockGraph) => void;
}

/**
 * Leaves the function as it is. Outside the SSA window what `scheduleFunc` tells of the orders given (`before`), without what only who schedules must know:
 * values and how many of them are live at once. `options.model` changes the tables that are asked.
 */
export function funcLatency(func: Func, options: LatencyOptions = {}): FuncLatency {
  const model = options.model ?? latencyModel(func.target);
  const builder = new DagBuilder(func, { ...options, model });
  const cfg = analysis(func, "cfg");
  const { liveOut } = analysis(func, "livenessOnEdges");
  const cross = new CrossBlock(cfg, builder.flat);
  const frequencies = analysis(func, "frequencies");
  const cycles = new Float64Array(cfg.count);
  for (const b of blocksInOrder(cfg)) {
    const block = func.blocks[b] as Block;
    if (block.insts.length === 0) continue;
    const dag = builder.build(block);
    const occupancy = block.insts.map((inst) => model.occupancy(inst));
    const entry = cross.entry(b);
    const exit = cross.exit(b, occupancy);
    const time = timeline(dag, occupancy, null, entry, exit);
    options.onGraph?.({ block: block.id, dag, entry, exit, timeline: time });
    cross.leave(b, dag, occupancy, time, (unit) => liveOut.has(b, unit));
    cycles[b] = time.drain;
  }
  const blocks = func.blocks.flatMap(({ id, insts }, b) =>
    insts.length === 0
      ? []
      : [{ block: id, instructions: insts.length, frequency: frequencies[b] as number, cycles: cycles[b] as number }],
  );
  return { cycles: blocks.reduce((sum, b) => sum + b.frequency * b.cycles, 0), blocks };
}
