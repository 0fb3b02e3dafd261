/**
 * Instructions put together in the SSA window (the second part of the GeneralOptimize bundles): one engine over the rewrite rules of
 * `lib/rules`. What ptxas 13.0.88 makes of each is measured (facts on its optimizer: single use of the inner value, except for
 * addresses, which it makes once per sum).
 */
import { rewriteBlock } from "../ori/editor.js";
import type { Func, Inst } from "../ori/types.js";
import { type CombineRule, Combining } from "../rules/combining.js";
import { rulesOfRoot } from "../rules/table.js";
import { RewriteCounter } from "./rewrites.js";
import { familyOf } from "./rule-groups.js";

/** What goes into a sum that keeps to itself (`own`): sums and copies, no products or shifts. */
const ofOwn: ReadonlySet<string> = new Set(["IADD3", "IADD3.X", "MOV", "SEL"]);

/** What a product with a literal does not become where PTX names its rounding (`rounded`). */
const ofUnrounded: ReadonlySet<string> = new Set([
  "product-of-one",
  "product-of-one-flushed",
  "product-of-minus-one-float",
]);

/** What PRMTs of loaded vectors do not become (`part`). */
const ofMasks: ReadonlySet<string> = new Set(["low-byte", "low-half"]);

/** How often each rule was applied, by name, and how many applications are still allowed. */
export interface Rewrites {
  readonly hits: Map<string, number>;
  left: number;
  /** How often rules of a group may still be applied, by the name of the rule. */
  readonly limits: ReadonlyMap<string, { left: number }>;
  readonly counter: RewriteCounter;
  /** Tried before the others. */
  readonly more: readonly CombineRule[];
}

export function newRewrites(
  budget: number = Number.POSITIVE_INFINITY,
  limits: Rewrites["limits"] = new Map(),
  counter: RewriteCounter = new RewriteCounter(),
  more: readonly CombineRule[] = [],
): Rewrites {
  return { hits: new Map(), left: budget, limits, counter, more };
}

/** Applies the rules until none applies or the budget is spent; returns how often one did. */
export function combine(func: Func, rewrites: Rewrites = newRewrites(), level: 1 | 2 = 2): number {
  const c = new Combining(func);
  const { hits, limits, counter, more } = rewrites;
  const rulesOf = (inst: Inst): readonly CombineRule[] => {
    if (inst.said === "kept" && inst.form.op !== "MOV") return [];
    let all = rulesOfRoot(level, inst.form)?.of(c, inst) ?? [];
    if (inst.said === "part") all = all.filter((r) => !ofMasks.has(familyOf(r.name)));
    if (inst.said === "own") all = all.filter((r) => r.inner?.every((f) => ofOwn.has(f)) ?? true);
    if (inst.said === "rounded") all = all.filter((r) => !ofUnrounded.has(familyOf(r.name)));
    return more.length === 0 ? all : [...more.filter((r) => r.roots.includes(inst.form.name)), ...all];
  };
  let total = 0;
  c.defs.flat.insts.forEach((inst, at) => {
    for (let again = true; again && rewrites.left > 0 && counter.open; ) {
      again = false;
      if (c.dropped.has(inst)) break;
      for (const rule of rulesOf(inst)) {
        const limit = limits.size === 0 ? undefined : limits.get(familyOf(rule.name));
        if ((limit !== undefined && limit.left <= 0) || !rule.apply(c, inst, at)) continue;
        if (limit !== undefined) limit.left--;
        hits.set(rule.name, (hits.get(rule.name) ?? 0) + 1);
        rewrites.left--;
        counter.take(`rule ${rule.name}`, inst);
        total++;
        again = true;
        break;
      }
    }
  });
  if (total === 0) return 0;
  func.generation++;
  for (const block of func.blocks)
    rewriteBlock(func, block, (inst, out) => {
      out.push(...(c.inserted.get(inst) ?? []));
      if (!c.dropped.has(inst)) out.push(inst);
    });
  return total;
}
