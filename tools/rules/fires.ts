/** Whether a rule fires on its own left side, put before the phases as lowering would make it. */
import { runPhases } from "../../lib/phases/index.js";
import { unwrap } from "../../lib/result.js";
import type { Rule } from "../../lib/rules/syntax.js";
import type { TargetName } from "../../lib/target/index.js";
import { literalSamples } from "./samples.js";
import { leftSide } from "./trial.js";

/** The rules that are applied to the left side with these literals. */
export function hitsOn(rule: Rule, target: TargetName, literals: ReadonlyMap<string, number>): ReadonlySet<string> {
  const hits = new Set<string>();
  const func = leftSide(rule, { target, literals });
  unwrap(
    runPhases(func, {
      level: rule.level,
      onRewrites: (found) => {
        for (const name of found.keys()) hits.add(name);
      },
    }),
  );
  return hits;
}

/** Most choices of literals that are tried: some are the business of a rule that comes first. */
export const TRIES = 6;

/** The rules that were applied to the left side, for the first literals with which this one is among them; else for the last ones. */
export function firing(
  rule: Rule,
  target: TargetName,
): { readonly fires: boolean; readonly others: readonly string[] } {
  let others: string[] = [];
  for (const literals of literalSamples(rule, TRIES)) {
    const hits = hitsOn(rule, target, literals);
    if (hits.has(rule.name)) return { fires: true, others: [] };
    others = [...hits];
  }
  return { fires: false, others };
}
