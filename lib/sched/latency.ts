/**
 * Static latency of a function at any moment between lowering and encoding, on virtual or physical registers: the cycles
 * of one warp alone by the issue model of estimate.ts, on the order as it stands. No caches, no other warps.
 */
import type { Func } from "../ori/types.js";
import { sourceOrder } from "./policies.js";
import { type ScheduleOptions, scheduleFunc } from "./schedule.js";

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

/** Leaves the function as it is. `options.model` and `options.latencies` change the tables that are asked. */
export function funcLatency(func: Func, options: ScheduleOptions = {}): FuncLatency {
  // No block is selected: what is reported is the estimate of the order given.
  const report = scheduleFunc(func, sourceOrder, { ...options, select: () => false });
  const blocks = report.blocks.map(({ block, instructions, frequency, before }) => ({
    block,
    instructions,
    frequency,
    cycles: before.drain,
  }));
  return { cycles: report.before, blocks };
}
