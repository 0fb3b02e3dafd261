import type { Func } from "../ori/types.js";

/** Adds convergence regions. */
export function addRegions(func: Func): void {
  func.generation++;
}
