/**
 * All rewrite rules, in the order in which they are tried at a root, found by the name of the root's form. A rule without a proof of
 * the text that it has does not load (`proofs.ts`, made by tools/prove-rules.ts).
 */
import { InternalError } from "../errors.js";
import type { Form } from "../isa/types.js";
import type { Inst } from "../ori/types.js";
import type { CombineRule, Combining } from "./combining.js";
import { hashOf } from "./hash.js";
import { byteRules } from "./native/bytes.js";
import { constantRules } from "./native/constants.js";
import { contractionRules } from "./native/contraction.js";
import { floatRules } from "./native/floats.js";
import { halfRules } from "./native/halves.js";
import { knownBitRules, knownCompareRules } from "./native/known-bits.js";
import { logicRules } from "./native/logic.js";
import { narrowSourceRules } from "./native/narrow-sources.js";
import { predicateRules } from "./native/predicates.js";
import { readBitRules } from "./native/read-bits.js";
import { sumRules } from "./native/sums.js";
import { wideRules } from "./native/wide.js";
import { wideSumRules } from "./native/wide-sums.js";
import { proofs } from "./proofs.js";
import { applyOf } from "./rewrite.js";
import { parseRules, type Rule } from "./syntax.js";
import { texts } from "./texts/index.js";

/** Rules that look further than one instruction: tried where no text applies. */
const farRules: readonly CombineRule[] = [...knownBitRules, ...readBitRules];

const nearRules: readonly CombineRule[] = [
  ...constantRules,
  ...wideRules,
  ...wideSumRules,
  ...sumRules,
  ...logicRules,
  ...knownCompareRules,
  ...predicateRules,
  ...byteRules,
  ...contractionRules,
  ...floatRules,
  ...narrowSourceRules,
  ...halfRules,
];

/** Rules that are functions: what they do is no pattern of a fixed shape. They are proved instance by instance. */
export const nativeRules: readonly CombineRule[] = [...nearRules, ...farRules];

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
      (r): CombineRule => ({
        name: r.name,
        roots: [r.left.form.name],
        apply: applyOf(r),
        level: r.level,
        ...innerOf(r),
      }),
    );
    loaded = [...nearRules, ...byText, ...farRules];
  }
  return loaded;
}

function innerOf(rule: Rule): { inner?: readonly string[] } {
  const inner = rule.left.srcs.find((s) => s.is === "inner");
  return inner?.is === "inner" ? { inner: [inner.inst.form.name] } : {};
}

/** The rules of one form of root: what defines the root's sources says which of them can apply. */
export class RulesOfRoot {
  private readonly all: readonly CombineRule[];
  /** Bit of each form that rules ask for; those from the 32nd on share the last. */
  private readonly bits: Map<string, number> = new Map();
  /** The same by the form's id, 0 for others; filled as forms are met. */
  private readonly bitOfForm: (number | undefined)[] = [];
  private readonly byForms: Map<number, readonly CombineRule[]> = new Map();

  constructor(all: readonly CombineRule[]) {
    this.all = all;
    for (const rule of all)
      for (const f of rule.inner ?? []) if (!this.bits.has(f)) this.bits.set(f, 1 << Math.min(31, this.bits.size));
  }

  /** Those that may apply to the root, in the order in which they are tried. */
  of(c: Combining, root: Inst): readonly CombineRule[] {
    let forms = 0;
    for (const o of root.srcs) {
      const inst = c.made(o);
      if (inst !== null) forms |= this.bitOfForm[inst.form.id] ?? this.find(inst.form);
    }
    let found = this.byForms.get(forms);
    if (found === undefined) {
      found = this.all.filter((r) => r.inner?.some((f) => (forms & this.bits.get(f)!) !== 0) ?? true);
      this.byForms.set(forms, found);
    }
    return found;
  }

  private find({ id, name }: Form): number {
    const bit = this.bits.get(name) ?? 0;
    this.bitOfForm[id] = bit;
    return bit;
  }
}

/** By level, then by form. */
const tables = new Map<number, (RulesOfRoot | null | undefined)[]>();
const byRoot = new Map<number, ReadonlyMap<string, readonly CombineRule[]>>();

/** The rules of a level for roots of the form; null: there are none. */
export function rulesOfRoot(level: 1 | 2, root: Form): RulesOfRoot | null {
  let table = tables.get(level);
  if (table === undefined) {
    table = [];
    tables.set(level, table);
  }
  let found = table[root.id];
  if (found === undefined) {
    const all = rulesByRoot(level).get(root.name);
    found = all === undefined ? null : new RulesOfRoot(all);
    table[root.id] = found;
  }
  return found;
}

/** The rules of a level by the name of their root's form. */
export function rulesByRoot(level: 1 | 2): ReadonlyMap<string, readonly CombineRule[]> {
  let table = byRoot.get(level);
  if (table === undefined) {
    const made = new Map<string, CombineRule[]>();
    for (const rule of rules())
      if ((rule.level ?? 1) <= level)
        for (const r of rule.roots) {
          const list = made.get(r);
          if (list === undefined) made.set(r, [rule]);
          else list.push(rule);
        }
    table = made;
    byRoot.set(level, table);
  }
  return table;
}
