/**
 * Instructions put together in the SSA window (the second part of the GeneralOptimize bundles): sums of three, products with
 * their sum, shifts with theirs, logic of up to three inputs, 64-bit addresses, constants, comparisons. What ptxas 13.0.88 makes of
 * each is measured (facts on its optimizer: single use of the inner value, except for addresses, which it makes once per sum).
 * The rules stand in `rules/`, by subject.
 */
import { rewriteBlock } from "../ori/editor.js";
import type { Func } from "../ori/types.js";
import { byteRules } from "./rules/bytes.js";
import { type CombineRule, Combining } from "./rules/combining.js";
import { constantRules } from "./rules/constants.js";
import { floatRules } from "./rules/floats.js";
import { logicRules } from "./rules/logic.js";
import { predicateRules } from "./rules/predicates.js";
import { sumRules } from "./rules/sums.js";
import { wideRules } from "./rules/wide.js";

/** In the order in which they are tried at a root. */
export const combineRules: readonly CombineRule[] = [
  ...constantRules,
  ...wideRules,
  ...sumRules,
  ...logicRules,
  ...predicateRules,
  ...byteRules,
  ...floatRules,
];

const byRoot = new Map<string, CombineRule[]>();
for (const rule of combineRules) for (const r of rule.roots) byRoot.set(r, [...(byRoot.get(r) ?? []), rule]);

/** Applies the rules until none applies; returns how often each did. */
export function combine(func: Func, hits: Map<string, number> = new Map()): number {
  const c = new Combining(func);
  let total = 0;
  c.defs.flat.insts.forEach((inst, at) => {
    for (let again = inst.guard === null; again; ) {
      again = false;
      if (c.dropped.has(inst)) break;
      for (const rule of byRoot.get(inst.form.name) ?? []) {
        if (!rule.apply(c, inst, at)) continue;
        hits.set(rule.name, (hits.get(rule.name) ?? 0) + 1);
        total++;
        again = true;
        break;
      }
    }
  });
  if (total > 0) {
    func.generation++;
    for (const block of func.blocks)
      rewriteBlock(func, block, (inst, out) => (c.dropped.has(inst) ? 0 : out.push(inst)));
  }
  return total;
}
