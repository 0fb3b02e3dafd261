/**
 * The GeneralOptimize bundles: copies, combinations, dead code, once each; every bundle begins where the one before left off.
 * Inside the SSA window only, where each register has one definition.
 */
import type { Func } from "../ori/types.js";
import { combine } from "./combine.js";
import { propagateCopies } from "./copy-propagation.js";
import { removeDeadCode } from "./dead-code.js";

export function generalOptimize(func: Func): void {
  if (func.milestone !== "ssa") return;
  propagateCopies(func);
  combine(func);
  removeDeadCode(func);
}
