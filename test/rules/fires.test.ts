/** Every rule that is a text fires on its own left side, as lowering would make it. */
import { textRules } from "../../lib/rules/table.js";
import { firing } from "../../tools/rules/fires.js";
import { targetFor } from "../../tools/rules/targets.js";

test.each(textRules().map((rule) => [rule.name, rule] as const))("%s", (_, rule) => {
  const target = targetFor(rule);
  expect(target).not.toBeNull();
  expect(firing(rule, target!)).toEqual({ fires: true, others: [] });
});
