/**
 * The GeneralOptimize bundles: copies, combinations, dead code, in rounds; every bundle begins where the one before left off.
 * Inside the SSA window only, where each register has one definition.
 */
import type { Func } from "../ori/types.js";
import { combine, newRewrites } from "./combine.js";
import { constantsAsOperands } from "./constant-moves.js";
import { propagateCopies } from "./copy-propagation.js";
import { removeDeadCode } from "./dead-code.js";
import { foldKnownBranches } from "./known-branches.js";
import { type PhaseParameters, parametersOf } from "./parameters.js";
import { ruleLimits } from "./rule-groups.js";
import type { PhaseBody, PhaseContext } from "./types.js";

/** What one round makes the next finds: constants through copies, single uses through dead code. Most functions need two. */
const ROUNDS = 4;

export const generalOptimize: PhaseBody = (func, context) => {
  if (func.milestone !== "ssa") return;
  const { rewriteBudget, onRewrites } = context.options;
  const p = parametersOf(context);
  const rewrites = newRewrites(rewriteBudget, ruleLimits(p), context.rewrites, context.options.rules);
  optimize(func, p, context, (f) => combine(f, rewrites, context.level === 1 ? 1 : 2));
  onRewrites?.(rewrites.hits, context.phase);
};

function optimize(func: Func, p: PhaseParameters, context: PhaseContext, step: (func: Func) => number): void {
  constantsAsOperands(func);
  for (let round = 0; round < ROUNDS; round++) {
    const rewritten = propagateCopies(func, p, context.rewrites) + step(func);
    const changed = rewritten + foldKnownBranches(func, context.rewrites);
    removeDeadCode(func);
    if (changed === 0) return;
  }
}
