/** Rewrite rules: their language, the engine's view of a function, and all rules there are. */
export { type CombineRule, Combining } from "./combining.js";
export { encodes } from "./encodable.js";
export { type Proof, proofs } from "./proofs.js";
export { isProved, nativeRules, rules, rulesByRoot, textRules } from "./table.js";
export { allRulePlaces, type RulePlace, rulePlaces, ruleTexts } from "./why.js";
