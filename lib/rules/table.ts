/**
 * All rewrite rules, in the order in which they are tried at a root, found by the name of the root's form. A rule without a proof of
 * the text that it has does not load (`proofs.ts`, made by tools/prove-rules.ts).
 */
import { InternalError } from "../errors.js";
import type { CombineRule } from "./combining.js";
import { hashOf } from "./hash.js";
import { byteRules } from "./native/bytes.js";
import { constantRules } from "./native/constants.js";
import { floatRules } from "./native/floats.js";
import { logicRules } from "./native/logic.js";
import { predicateRules } from "./native/predicates.js";
import { sumRules } from "./native/sums.js";
import { wideRules } from "./native/wide.js";
import { proofs } from "./proofs.js";
import { applyOf } from "./rewrite.js";
import { parseRules, type Rule } from "./syntax.js";
import { texts } from "./texts/index.js";

/** Rules that are functions: what they do is no pattern of a fixed shape. They are proved instance by instance. */
export const nativeRules: readonly CombineRule[] = [
  ...constantRules,
  ...wideRules,
  ...sumRules,
  ...logicRules,
  ...predicateRules,
  ...byteRules,
  ...floatRules,
];

let read: readonly Rule[] | null = null;

/** Rules that are texts, as read, proved or not. */
export function textRules(): readonly Rule[] {
  read ??= texts.flatMap(parseRules);
  return read;
}

/** Whether the proof on record is one of this text. */
export function isProved(rule: Rule): boolean {
  return proofs[rule.name]?.hash === hashOf(rule.text);
}

let loaded: readonly CombineRule[] | null = null;

/** All rules that load. Throws InternalError for one that is not proved. */
export function rules(): readonly CombineRule[] {
  if (loaded === null) {
    const unproved = textRules().filter((r) => !isProved(r));
    if (unproved.length > 0)
      throw new InternalError(`rules without proof: ${unproved.map((r) => r.name).join(", ")} (tools/prove-rules.ts)`);
    const byText = textRules().map(
      (r): CombineRule => ({ name: r.name, roots: [r.left.form.name], apply: applyOf(r), level: r.level }),
    );
    loaded = [...nativeRules, ...byText];
  }
  return loaded;
}

const tables = new Map<number, ReadonlyMap<string, readonly CombineRule[]>>();

/** The rules of a level by the form of their root. */
export function rulesByRoot(level: 1 | 2): ReadonlyMap<string, readonly CombineRule[]> {
  let table = tables.get(level) as Map<string, CombineRule[]> | undefined;
  if (table === undefined) {
    table = new Map();
    for (const rule of rules())
      if ((rule.level ?? 1) <= level) for (const r of rule.roots) table.set(r, [...(table.get(r) ?? []), rule]);
    tables.set(level, table);
  }
  return table;
}
