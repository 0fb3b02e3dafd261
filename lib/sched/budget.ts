/**
 * How many registers a schedule may keep live (wiki page 36, digest E §2D.3): what the function may have, less a
 * sixty-fourth, since the allocator needs room for registers that must stand together; and no more than let all warps of
 * an SM run at once, since hiding latency inside a warp is not worth the other warps (ptxas -O3 on the corpus stops at
 * exactly 32 registers on sm_90 and 64 on sm_75). A target given by SchedMaxRTarget is taken as it is. On physical
 * registers the allocation is made, so nothing more can be had or lost.
 */
import type { Func } from "../ori/types.js";
import type { HeuristicParameters } from "./policy.js";

/** Registers of a count "as ptxas counts" that are not for values: two that it adds, and R1, which stays the stack's. */
const RESERVED = 3;

/** Barriers and predicates that the encoding has (the predicate that is always true aside). */
const BARRIERS = 16;
const PREDICATES = 7;

/**
 * Registers of each file (R, UR, P, UP, B) that may be live. SchedMaxRTarget 0 means no budget but what the encoding has
 * (wiki page 36).
 */
export function registerLimits(func: Func, parameters: HeuristicParameters, maxRegisters?: number): readonly number[] {
  const uniform = func.target.limits.uniformRegisters;
  return [registerBudget(func, parameters, maxRegisters), uniform, PREDICATES, PREDICATES, BARRIERS];
}

function registerBudget(func: Func, parameters: HeuristicParameters, maxRegisters?: number): number {
  const { maxRegistersPerThread: most, registersPerSm, maxThreadsPerSm, registerAllocationUnit } = func.target.limits;
  const { registerTarget } = parameters;
  if (registerTarget !== null) return registerTarget === 0 ? most : Math.min(registerTarget, most);
  if (!func.virtual) return most;
  const may = Math.min(most, maxRegisters ?? most);
  const perThread = registerAllocationUnit / func.target.limits.warpSize;
  const allWarps = Math.floor(registersPerSm / maxThreadsPerSm / perThread) * perThread;
  return Math.min(may - (may >> 6), allWarps) - RESERVED;
}
