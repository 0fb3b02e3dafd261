/**
 * The GeneralOptimize bundles: copies, combinations, dead code, in rounds; every bundle begins where the one before left off.
 * Inside the SSA window only, where each register has one definition.
 */
import type { Func } from "../ori/types.js";
import { combine } from "./combine.js";
import { constantsAsOperands } from "./constant-moves.js";
import { propagateCopies } from "./copy-propagation.js";
import { removeDeadCode } from "./dead-code.js";

/** What one round makes the next finds: constants through copies, single uses through dead code. Most functions need two. */
const ROUNDS = 4;

export function generalOptimize(func: Func): void {
  if (func.milestone !== "ssa") return;
  constantsAsOperands(func);
  for (let round = 0; round < ROUNDS; round++) {
    const changed = propagateCopies(func) + combine(func);
    removeDeadCode(func);
    if (changed === 0) return;
  }
}
