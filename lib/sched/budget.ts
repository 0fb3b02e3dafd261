/**
 * How many registers a schedule may keep live (wiki page 36, digest E §2D.3): what the function may have, less a
 * sixty-fourth, since the allocator needs room for registers that must stand together. A target given by
 * SchedMaxRTarget is taken as it is. On physical registers the allocation is made, so nothing more can be had or lost.
 */
import type { Func } from "../ori/types.js";
import type { HeuristicParameters } from "./policy.js";

export function registerBudget(func: Func, parameters: HeuristicParameters, maxRegisters?: number): number {
  const most = func.target.limits.maxRegistersPerThread;
  if (parameters.registerTarget !== null) return Math.min(parameters.registerTarget, most);
  if (!func.virtual) return most;
  const may = Math.min(most, maxRegisters ?? most);
  return may - (may >> 6);
}
