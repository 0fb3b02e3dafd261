/** Rules that a knob turns off together, or counts: how often they may still be applied. Variants of a rule (`with`) go by its name. */
import type { PhaseParameters } from "./parameters.js";

const names = (text: string): readonly string[] => text.split(", ");

/** By the switch that turns them off. */
const groups = {
  FPFoldDisable: names(
    "product-of-one, product-of-one-flushed, product-of-minus-one-float, " + "extremum-of-same-float",
  ),
  FPRefactoringDisable: names(
    "saturated-product, minimum-of-saturated, maximum-of-saturated, maximum-of-saturated-and-negative, maximum-of-saturated-and-one, minimum-of-saturated-and-zero, " +
      "minimum-of-saturated-and-negative, minimum-of-saturated-product-and-sum, maximum-of-saturated-product-and-sum, maximum-of-saturated-product-and-sum-and-negative, " +
      "maximum-of-saturated-product-and-sum-and-one, minimum-of-saturated-product-and-sum-and-zero, minimum-of-saturated-product-and-sum-and-negative, " +
      "saturated-again, saturated-product-and-sum-again, sum-of-saturated-and-one, sum-of-saturated-and-minus-one, product-of-saturated-and-negative, " +
      "product-of-saturated-and-zero, sum-of-saturated-product-and-sum-and-one, sum-of-saturated-product-and-sum-and-minus-one, " +
      "product-of-saturated-product-and-sum-and-negative, product-of-saturated-product-and-sum-and-zero, sum-of-halves, product-of-halves, sum-of-halves-mma, product-of-halves-mma, " +
      "product-and-sum-of-halves-mma, sign-as-modifier, sign-of-halves-as-modifier",
  ),
  DisableCmpToPred: names("join-compare, test-of-select, test-of-logic"),
  DisableLongIntArithAddressFolding: names("add-wide"),
  DisableDependentConstExpr: names("fold, fold-compare"),
  DisableStrideOnAddr: names("product-and-sum, shift-and-sum"),
} as const satisfies { readonly [K in keyof PhaseParameters]?: readonly string[] };

/** What multiplies and shifts products anew. */
const products = names(
  "product-of-product-and-sum, product-of-plus-one-product, product-of-minus-one-product, " +
    "shift-of-product, shift-of-plus-one-product",
);

/** The name of a rule without its variant. */
export const familyOf = (rule: string): string => rule.split(" ", 1)[0] as string;

/** The rules that the parameters hold back. */
export function ruleLimits(p: PhaseParameters): ReadonlyMap<string, { left: number }> {
  const limits = new Map<string, { left: number }>();
  for (const [knob, rules] of Object.entries(groups))
    if (p[knob as keyof typeof groups]) for (const r of rules) limits.set(r, { left: 0 });
  if (Number.isFinite(p.DistributeAndReassociateMulBudget)) {
    const shared = { left: p.DistributeAndReassociateMulBudget };
    for (const r of products) limits.set(r, shared);
  }
  return limits;
}

/** All rules that some knob names, for tests. */
export const namedRules: readonly string[] = [...Object.values(groups).flat(), ...products];
