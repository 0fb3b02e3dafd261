/**
 * Both sides of every rule in the simulator, whose meaning of instructions shares nothing with the prover's: edges of all
 * types and random operands.
 */
import { textRules } from "../../lib/rules/table.js";
import { literalSamples, operandRows } from "../../tools/rules/samples.js";
import { targetFor } from "../../tools/rules/targets.js";
import { differs } from "../../tools/rules/trial.js";

test.each(textRules().map((rule) => [rule.name, rule] as const))("%s", (_, rule) => {
  const target = targetFor(rule);
  expect(target).not.toBeNull();
  for (const [seed, literals] of literalSamples(rule, 3).entries())
    expect(differs(rule, { target: target!, literals }, operandRows(1024, seed))).toBeNull();
});
