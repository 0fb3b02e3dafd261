/** On which SM a rule can be tried. */
import type { Rule } from "../../lib/rules/syntax.js";
import { type TargetName, target as targetOf } from "../../lib/target/index.js";
import { literalSamples } from "./samples.js";
import { differs } from "./trial.js";

const TARGETS: readonly TargetName[] = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"];

/** The first SM on which the rule may fire; null: none has both sides. */
export function targetFor(rule: Rule): TargetName | null {
  return (
    TARGETS.find(
      (t) =>
        rule.on.every((f) => targetOf(t).has(f as never)) &&
        !rule.off.some((f) => targetOf(t).has(f as never)) &&
        formsExist(rule, t),
    ) ?? null
  );
}

function formsExist(rule: Rule, t: TargetName): boolean {
  try {
    const literals = literalSamples(rule, 1)[0];
    return literals !== undefined && differs(rule, { target: t, literals }, new Uint32Array(8 * 128)) !== undefined;
  } catch {
    return false;
  }
}
