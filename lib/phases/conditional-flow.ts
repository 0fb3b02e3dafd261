/**
 * LateMergeEquivalentConditionalFlow: what becomes of branches once phis are copies. In turn until nothing changes: branches are
 * folded, regions around what never diverges go, short arms become straight code, arms in a row under one predicate become one. Each step makes room for the others: an
 * arm without its region may be short, and two arms less is one block more for the scheduler. What is done after the last region
 * and could be done before it moves there at last (hoist-end.ts).
 */
import type { Func } from "../ori/types.js";
import { foldBranches, Naming } from "./branches.js";
import { joinEqualTests } from "./equal-tests.js";
import { hoistEnds } from "./hoist-end.js";
import { type PhaseParameters, phaseParameters } from "./parameters.js";
import { predicate } from "./predication.js";
import { dropRegions, dropWarpSyncs, dropYields } from "./regions.js";

/** Conversions of a round after which the next asks little. */
const FEW = 8;

export function simplifyConditionalFlow(func: Func, p: PhaseParameters = phaseParameters): void {
  if (!func.virtual || p.DisableMergeEquivalentConditionalFlow) return;
  settleBranches(func, p);
  if (joinEqualTests(func) > 0) foldBranches(func, false);
  if (hoistEnds(func) > 0) foldBranches(func, false);
}

/** What stays a branch; nothing moves from after the last region yet, for the path to the end is then branched to and not an end under a guard. */
export function settleBranches(func: Func, p: PhaseParameters = phaseParameters): void {
  if (!func.virtual || p.DisableMergeEquivalentConditionalFlow) return;
  let left = p.MergeEquivalentConditionalFlowBudget;
  const names = new Naming(func);
  foldBranches(func, true, names);
  // After the first rounds one branch makes room for the next.
  for (let converted = Number.POSITIVE_INFINITY; left-- > 0; foldBranches(func, true, names)) {
    const dropped = dropRegions(func, names) + dropYields(func);
    converted = p.DisablePredication ? 0 : predicate(func, converted > FEW, names);
    if (dropped + converted === 0) break;
  }
  dropWarpSyncs(func);
}
