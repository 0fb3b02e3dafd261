/** Why a rule does not apply: the places where its root stands, and of each the first condition that refuses it. */
import { diagnostic } from "../diagnostics.js";
import type { Form } from "../isa/types.js";
import { snapshot } from "../ori/func.js";
import { clone, isReg, isZeroReg, sameOperand } from "../ori/operand.js";
import { printInst, printValue } from "../ori/print.js";
import { slotDefault } from "../ori/slots.js";
import { type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { fail, ok, type Result } from "../result.js";
import { Combining, unused } from "./combining.js";
import { evaluate } from "./expression.js";
import { hasOneResult, isDefault, isZeroPattern, modBits, ordersOf } from "./places.js";
import { applyOf, pairOfHalf } from "./rewrite.js";
import { type PatternInst, type PatternOperand, type Rule, splitTop } from "./syntax.js";
import { textRules } from "./table.js";

/** An instruction with the form of a rule's root. */
export interface RulePlace {
  /** The instruction. */
  readonly inst: Inst;
  /** The instruction as the IR's text has it. */
  readonly text: string;
  /** Name of the rule. */
  readonly rule: string;
  /** The first condition that does not hold there, in words; null: the rule applies. */
  readonly refused: string | null;
  /** Operands and instructions of the pattern that held before it: how near the rule came. */
  readonly held: number;
}

/** Text of each rule that is one, by name: gates, left side, conditions, right side, with ` ; ` between (`syntax.ts` has the language). */
export function ruleTexts(): ReadonlyMap<string, string> {
  return new Map(textRules().map((r) => [r.name, r.text]));
}

/**
 * Where the root of a rule stands in a function, and why the rule does not apply there. Of the orders in which sources may
 * change places the one counts that comes furthest. The rule must be a text (`ruleTexts`), the function in the SSA window,
 * where rules apply: best the function after a phase that applies them (`observe` of `runPhases`), when each has been tried.
 * Fails for other rules and functions. Changes nothing.
 */
export function rulePlaces(func: Func, name: string): Result<readonly RulePlace[]> {
  return allRulePlaces(func, [name]);
}

/** The same of several rules at once, by default of all that are texts: instruction by instruction, and at each in the order of the rules. */
export function allRulePlaces(func: Func, names?: readonly string[]): Result<readonly RulePlace[]> {
  const all = textRules();
  const unknown = names?.find((n) => !all.some((r) => r.name === n));
  if (unknown !== undefined) return fail([diagnostic("error", `there is no rule '${unknown}' that is a text`)]);
  if (func.milestone !== "ssa")
    return fail([
      diagnostic("error", `rules apply in the SSA window; function ${func.name} is at '${func.milestone}'`),
    ]);
  const byRoot = new Map<string, Rule[]>();
  for (const rule of all) {
    if (names !== undefined && !names.includes(rule.name)) continue;
    const form = rule.left.form.name;
    byRoot.set(form, [...(byRoot.get(form) ?? []), rule]);
  }
  const c = new Combining(func);
  return ok(
    c.defs.flat.insts.flatMap((inst, at): RulePlace[] => {
      const rules = byRoot.get(inst.form.name) ?? [];
      if (rules.length === 0) return [];
      const text = printInst(func, inst);
      return rules.map((rule) => {
        const stop = refusalAt(rule, c, inst, at) ?? (appliesAt(rule, func, at) ? null : NO_ENCODING);
        return {
          inst,
          text,
          rule: rule.name,
          refused: stop?.why ?? null,
          held: stop === NO_ENCODING ? operandsOf(rule.left) : (stop?.depth ?? operandsOf(rule.left)),
        };
      });
    }),
  );
}

/** What is left when all that the text asks holds. */
const NO_ENCODING: Refusal = { depth: 0, why: "what the rule would write has no encoding on this SM" };

/** Operands of a pattern, those of the instructions in it included. */
function operandsOf(p: PatternInst): number {
  return p.srcs.reduce((n, o) => n + 1 + (o.is === "inner" ? 1 + operandsOf(o.inst) : 0), 0);
}

/** The engine's own answer, on a copy. */
function appliesAt(rule: Rule, func: Func, at: number): boolean {
  const c = new Combining(snapshot(func));
  return applyOf(rule)(c, c.defs.flat.insts[at] as Inst, at);
}

interface Bound {
  readonly operands: ReadonlyMap<string, Operand>;
  readonly literals: ReadonlyMap<string, number>;
}

/** How far a match came, in operands that held, and what stopped it. */
interface Refusal {
  readonly depth: number;
  readonly why: string;
}

interface Goal {
  readonly pattern: PatternOperand;
  readonly operand: Operand;
  readonly slot: Form["srcs"][number];
  /** `source 2 of IADD3`. */
  readonly place: string;
}

function refusalAt(rule: Rule, c: Combining, root: Inst, at: number): Refusal | null {
  const { target } = c.func;
  const on = rule.on.find((f) => !target.has(f as never));
  if (on !== undefined) return { depth: 0, why: `${target.name} has no ${on}` };
  const off = rule.off.find((f) => target.has(f as never));
  if (off !== undefined) return { depth: 0, why: `${target.name} has ${off}` };
  const operands = new Map<string, Operand>();
  for (const [k, d] of rule.left.dsts.entries()) {
    const o = root.dsts[k] as Operand;
    if (d.is === "name" && isReg(o)) operands.set(d.name, o);
    else if (d.is === "name" || !unused(o))
      return { depth: 0, why: `result ${k + 1} is ${d.is === "name" ? "no register" : "read"}` };
  }
  const search = new Search(rule, c, at);
  return search.instruction(rule.left, root, [], 0, { operands, literals: new Map() });
}

/** As the engine matches (`rewrite.ts`), but each refusal has its words. */
class Search {
  private readonly rule: Rule;
  private readonly c: Combining;
  private readonly at: number;

  constructor(rule: Rule, c: Combining, at: number) {
    this.rule = rule;
    this.c = c;
    this.at = at;
  }

  /** Null: some order holds. */
  instruction(p: PatternInst, inst: Inst, rest: readonly Goal[], depth: number, bound: Bound): Refusal | null {
    let best: Refusal | null = null;
    for (const order of ordersOf(p)) {
      const goals = p.srcs.map((pattern, k): Goal => {
        return {
          pattern,
          operand: inst.srcs[order[k]!] as Operand,
          slot: p.form.srcs[k]!,
          place: `source ${order[k]! + 1} of ${p.form.name}`,
        };
      });
      const refusal = this.solve([...goals, ...rest], depth, bound);
      if (refusal === null) return null;
      if (best === null || refusal.depth > best.depth) best = refusal;
    }
    return best;
  }

  private solve(goals: readonly Goal[], depth: number, bound: Bound): Refusal | null {
    const [goal, ...rest] = goals;
    if (goal === undefined) {
      const why = unmet(this.rule, bound);
      return why === null ? null : { depth: depth + 1, why };
    }
    const { pattern: p, operand: o, place } = goal;
    const on = (why: string | null, now: Bound = bound): Refusal | null =>
      why === null ? this.solve(rest, depth + 1, now) : { depth, why: `${place} ${why}` };
    switch (p.is) {
      case "default":
        return on(isDefault(o, slotDefault(goal.slot)) ? null : "is more than what it has where a text leaves it out");
      case "zero":
        return on(isZeroPattern(p, o, this.c) ? null : `is not ${p.not ? "-" : ""}${p.predicate ? "PT" : "zero"}`);
      case "literal":
        return this.literal(p, o, bound, on);
      case "inner":
        return this.inner(p, goal, rest, depth, bound);
      default:
        return this.name(p, o, bound, on);
    }
  }

  private literal(p: PatternOperand & { is: "literal" }, o: Operand, bound: Bound, on: On): Refusal | null {
    const value = this.c.literal(o);
    if (value === null) return on("is no literal");
    if (p.name === null) {
      const wanted = p.value.is === "number" ? p.value.value : null;
      return on(wanted === value ? null : `is ${value}, not ${wanted}`);
    }
    const known = bound.literals.get(p.name) ?? value;
    if (known !== value) return on(`is ${value}, where ${p.name} is ${known} already`);
    return on(null, { ...bound, literals: new Map(bound.literals).set(p.name, value) });
  }

  private name(p: PatternOperand & { is: "name" }, given: Operand, bound: Bound, on: On): Refusal | null {
    if (given.kind === Kind.None || given.kind === Kind.Label || given.kind === Kind.Sym) return on("is no value");
    let o = given;
    if (p.mods !== "any") {
      if (given.part !== "" || given.mods !== modBits(p.mods)) return on(`does not have ${modsOf(p.mods)}`);
      if (given.mods !== 0) o = { ...clone(given), mods: 0 };
    }
    if (p.half !== null) {
      const pair = pairOfHalf(o, p.half);
      if (pair === null) return on(`is not the ${p.half === 0 ? "lower" : "upper"} half of a pair`);
      o = pair;
    }
    const known = bound.operands.get(p.name);
    if (known !== undefined && !sameOperand(known, o)) return on(`is not the ${p.name} that stands elsewhere`);
    return on(null, { ...bound, operands: new Map(bound.operands).set(p.name, o) });
  }

  private inner(
    p: PatternOperand & { is: "inner" },
    goal: Goal,
    rest: readonly Goal[],
    depth: number,
    bound: Bound,
  ): Refusal | null {
    const { operand: given, place } = goal;
    const not = (why: string): Refusal => ({ depth, why: `${place} ${why}` });
    const wanted = p.inst.form.name;
    if (!isReg(given) || isZeroReg(given)) return not(`is no register that ${wanted} defines`);
    if (given.part !== "" || given.mods !== modBits(p.mods)) return not(`does not have ${modsOf(p.mods)}`);
    const o = given.mods === 0 ? given : { ...clone(given), mods: 0 };
    const value = printValue(this.c.func, o);
    const maker = this.c.made(o);
    if (maker === null) return not(`(${value}) is not defined whole by one instruction without guard`);
    if (maker.form.name !== wanted) return not(`(${value}) is defined by ${maker.form.name}, not by ${wanted}`);
    // From here on the match has come further than one whose operand another instruction defines.
    const further = (why: string): Refusal => ({ depth: depth + 1, why: `${place} (${value}) ${why}` });
    if (!p.shared && !this.c.once(o)) return further("is read elsewhere, too");
    const inst = this.c.inner(o, this.at, [wanted]);
    if (inst === null) return further("is defined from values that may be others by then");
    if (!hasOneResult(inst)) return further("is not the only result that is read");
    const now = p.name === null ? bound : { ...bound, operands: new Map(bound.operands).set(p.name, o) };
    return this.instruction(p.inst, inst, rest, depth + 2, now);
  }
}

type On = (why: string | null, now?: Bound) => Refusal | null;

const modsOf = (mods: string): string => (mods === "" ? "a plain value" : `the sign ${mods} that the rule wants`);

/** The first condition after `when` that does not hold, as it stands there. */
function unmet(rule: Rule, { operands, literals }: Bound): string | null {
  const value = (name: string): number => literals.get(name) as number;
  let plain = 0;
  let asked = 0;
  for (const text of splitTop(rule.text.split(" ; ")[2] ?? "")) {
    const structural = /^(?:reg|const|imm|differ|notimm|unknown)\(/.test(text);
    const holds = structural
      ? holdsOf(rule.structural[asked++]!, operands)
      : evaluate(rule.conditions[plain++]!, value) !== 0;
    if (holds) continue;
    const named = [...literals].filter(([n]) => new RegExp(`\\b${n}\\b`).test(text)).map(([n, v]) => `${n} is ${v}`);
    return `${text} does not hold${named.length === 0 ? "" : `: ${named.join(", ")}`}`;
  }
  return null;
}

function holdsOf({ what, names }: Rule["structural"][number], operands: Bound["operands"]): boolean {
  const [a, b] = names.map((n) => operands.get(n));
  if (a === undefined) return false;
  switch (what) {
    case "differ":
      return b !== undefined && !sameOperand(a, b);
    case "notimm":
      return a.kind !== Kind.Imm;
    case "reg":
      return isReg(a);
    case "unknown":
      return isReg(a) && !isZeroReg(a);
    default:
      return a.kind === (what === "const" ? Kind.Const : Kind.Imm);
  }
}
