/** How long the code of a cubin takes one warp, told from the machine words alone: no launch, no memory, no other warps. */
import type { Cubin, CubinFunction } from "../elf/index.js";
import { InternalError } from "../errors.js";
import { liftFunction } from "../lift/index.js";
import { policyNamed, scheduleFunc } from "../sched/index.js";

export interface BlockLatency {
  /** Byte offset of the block. */
  readonly address: number;
  readonly instructions: number;
  /** Executions per run of the function: a loop is taken to make ten trips, the ways of a branch to be equally likely. */
  readonly frequency: number;
  /** Cycles until the last result of the block that is waited for is there. */
  readonly cycles: number;
}

export interface FunctionLatency {
  /** Cycles of one warp per run of the function: sum over the blocks of frequency × cycles. */
  readonly cycles: number;
  readonly blocks: readonly BlockLatency[];
  /** Byte offset of what stands behind the last instruction (a branch to itself and NOPs). */
  readonly end: number;
}

/**
 * Issue model of lib/sched/estimate.ts on the order as it stands: fixed distances and expected latencies from the tables.
 * Null for code that cannot be lifted (unknown words).
 */
export function staticLatency(cubin: Cubin, f: CubinFunction): FunctionLatency | null {
  const lifted = liftFunction(cubin, f);
  if (!lifted.ok) return null;
  const { func, blockAt, tailOffset } = lifted.value;
  const address = new Map([...blockAt].map(([offset, block]) => [block, offset]));
  // The policy keeps the order; what it reports is the estimate.
  const report = scheduleFunc(func, policyNamed("source-order")!);
  const blocks = report.blocks.map((b) => {
    const at = address.get(b.block);
    if (at === undefined) throw new InternalError("a lifted block without an address", { func: f.name });
    return { address: at, instructions: b.instructions, frequency: b.frequency, cycles: b.before.drain };
  });
  return { cycles: report.before, blocks, end: tailOffset };
}
