/**
 * A rule at work: matching by trying, with operands that may change places in every order, and what the root becomes.
 */
import { InternalError } from "../errors.js";
import type { Form } from "../isa/types.js";
import { clone, imm, isReg, neg, notPT, PT, RZ, register, sameOperand } from "../ori/operand.js";
import { slotDefault } from "../ori/slots.js";
import { type Inst, Kind, NO_INDEX, type Operand } from "../ori/types.js";
import { alignmentOf } from "../ori/verify/physical.js";
import type { Target } from "../target/types.js";
import { type Apply, type Combining, unused } from "./combining.js";
import { evaluate } from "./expression.js";
import { hasOneResult, isDefault, isZeroPattern, mayHold, mayHoldAtAll, modBits, ordersOf } from "./places.js";
import type { PatternInst, PatternOperand, Rule } from "./syntax.js";

interface Goal {
  readonly pattern: PatternOperand;
  readonly operand: Operand;
  readonly slot: Form["srcs"][number];
}

class Matching {
  readonly operands: Map<string, Operand> = new Map();
  readonly literals: Map<string, number> = new Map();
  /** Names bound, in order: going back takes the last ones off. */
  private readonly trail: string[] = [];
  private readonly c: Combining;
  private readonly at: number;
  private readonly done: () => boolean;

  constructor(c: Combining, at: number, done: (m: Matching) => boolean) {
    this.c = c;
    this.at = at;
    this.done = () => done(this);
  }

  /** All goals hold, and so does what is done then. */
  solve(goals: readonly Goal[], n = 0): boolean {
    const goal = goals[n];
    if (goal === undefined) return this.done();
    const { pattern: p, operand: o } = goal;
    switch (p.is) {
      case "default":
        return isDefault(o, slotDefault(goal.slot)) && this.solve(goals, n + 1);
      case "zero":
        return isZeroPattern(p, o, this.c) && this.solve(goals, n + 1);
      case "literal":
        return this.literal(p, o, goals, n);
      case "inner":
        return this.inner(p, o, goals, n);
      default:
        return this.name(p, o, goals, n);
    }
  }

  isLiteral(o: Operand): boolean {
    return this.c.literal(o) !== null;
  }

  private back(to: number): false {
    while (this.trail.length > to) {
      const name = this.trail.pop()!;
      this.operands.delete(name);
      this.literals.delete(name);
    }
    return false;
  }

  private literal(p: PatternOperand & { is: "literal" }, o: Operand, goals: readonly Goal[], n: number): boolean {
    const value = this.c.literal(o);
    if (value === null) return false;
    const mark = this.trail.length;
    if (p.name === null) {
      if (p.value.is !== "number" || p.value.value !== value) return false;
    } else {
      const known = this.literals.get(p.name);
      if (known !== undefined && known !== value) return false;
      if (known === undefined) {
        this.literals.set(p.name, value);
        this.trail.push(p.name);
      }
    }
    return this.solve(goals, n + 1) || this.back(mark);
  }

  private name(p: PatternOperand & { is: "name" }, given: Operand, goals: readonly Goal[], n: number): boolean {
    if (given.kind === Kind.None || given.kind === Kind.Label || given.kind === Kind.Sym) return false;
    let o = given;
    if (p.mods !== "any") {
      if (given.part !== "" || given.mods !== modBits(p.mods)) return false;
      if (given.mods !== 0) o = { ...clone(given), mods: 0 };
    }
    if (p.half !== null) {
      const pair = pairOfHalf(o, p.half);
      if (pair === null) return false;
      o = pair;
    }
    const mark = this.trail.length;
    const known = this.operands.get(p.name);
    if (known !== undefined) return sameOperand(known, o) && this.solve(goals, n + 1);
    this.operands.set(p.name, o);
    this.trail.push(p.name);
    return this.solve(goals, n + 1) || this.back(mark);
  }

  private inner(p: PatternOperand & { is: "inner" }, given: Operand, goals: readonly Goal[], n: number): boolean {
    if (!isReg(given) || given.part !== "" || given.mods !== modBits(p.mods)) return false;
    const o = given.mods === 0 ? given : { ...clone(given), mods: 0 };
    if (!p.shared && !this.c.once(o)) return false;
    const inst = this.c.inner(o, this.at, [p.inst.form.name]);
    if (inst === null || !hasOneResult(inst)) return false;
    if (p.name === null) return this.instruction(p.inst, inst, goals.slice(n + 1));
    const mark = this.trail.length;
    this.operands.set(p.name, o);
    this.trail.push(p.name);
    return this.instruction(p.inst, inst, goals.slice(n + 1)) || this.back(mark);
  }

  /** The sources of the instruction in every order, then the goals that are left. */
  instruction(p: PatternInst, inst: Inst, rest: readonly Goal[]): boolean {
    for (const order of ordersOf(p)) {
      if (!mayHold(p, inst, order, this.c)) continue;
      const goals = p.srcs.map(
        (pattern, k): Goal => ({ pattern, operand: inst.srcs[order[k]!] as Operand, slot: p.form.srcs[k]! }),
      );
      if (this.solve([...goals, ...rest])) return true;
    }
    return false;
  }
}

function zeroOf(p: PatternOperand & { is: "zero" }, slot: Form["srcs"][number]): Operand {
  if (p.predicate) return p.not ? notPT() : PT();
  const zero = RZ(Math.max(1, slot.width));
  return p.not ? neg(zero) : zero;
}

/** The pair of which the operand is the lower or upper half; null: it is none. */
export function pairOfHalf(o: Operand, half: 0 | 1): Operand | null {
  if (o.width !== 1 || o.mods !== 0) return null;
  if (isReg(o)) {
    const sub = o.sub - half;
    return sub < 0 || sub % alignmentOf(2) !== 0 ? null : register(o.file, o.id, 2, sub);
  }
  const from = o.value - 4 * half;
  if (o.kind !== Kind.Const || o.index !== NO_INDEX || from % 8 !== 0) return null;
  return { ...clone(o), width: 2, value: from };
}

/** What the rule does at a root: `apply` of the engine. */
export function applyOf(rule: Rule): Apply {
  const gates = new WeakMap<Target, boolean>();
  const gated = (target: Target): boolean => {
    let open = gates.get(target);
    if (open === undefined) {
      open = gateOf(rule, (f) => target.has(f));
      gates.set(target, open);
    }
    return open;
  };
  return (c, root, at) => {
    if (!mayHoldAtAll(rule.left, root, c) || !gated(c.func.target)) return false;
    const matching = new Matching(c, at, (m) => holds(rule, m) && replace(rule, c, root, at, m));
    if (!matchResults(rule.left, root, matching)) return false;
    return matching.instruction(rule.left, root, []);
  };
}

function gateOf(rule: Rule, has: (f: never) => boolean): boolean {
  for (const f of rule.on) if (!has(f as never)) return false;
  for (const f of rule.off) if (has(f as never)) return false;
  return true;
}

/** Results that the pattern names are bound; the others are not read. */
function matchResults(p: PatternInst, root: Inst, m: Matching): boolean {
  return p.dsts.every((d, k) => {
    const o = root.dsts[k] as Operand;
    if (d.is !== "name") return unused(o);
    if (!isReg(o)) return false;
    m.operands.set(d.name, o);
    return true;
  });
}

function holds(rule: Rule, m: Matching): boolean {
  for (const { what, names } of rule.structural) {
    const [a, b] = names.map((n) => m.operands.get(n));
    if (a === undefined) throw new InternalError(`rule ${rule.name}: ${names[0]} is no operand`);
    if (what === "differ") {
      if (b === undefined || sameOperand(a, b)) return false;
    } else if (what === "unknown") {
      if (!isReg(a) || m.isLiteral(a)) return false;
    } else if (what === "notimm") {
      if (a.kind === Kind.Imm) return false;
    } else if (what === "reg" ? !isReg(a) : a.kind !== (what === "const" ? Kind.Const : Kind.Imm)) return false;
  }
  const value = valueIn(rule, m);
  return rule.conditions.every((e) => evaluate(e, value) !== 0);
}

function valueIn(rule: Rule, m: Matching): (name: string) => number {
  return (name) => {
    const v = m.literals.get(name);
    if (v === undefined) throw new InternalError(`rule ${rule.name}: ${name} is no literal`);
    return v;
  };
}

function replace(rule: Rule, c: Combining, root: Inst, at: number, m: Matching): boolean {
  const value = valueIn(rule, m);
  const fresh: { form: Form; dsts: Operand[]; srcs: Operand[] }[] = [];
  const operand = (p: PatternOperand, slot: Form["srcs"][number]): Operand => {
    switch (p.is) {
      case "default":
        return slotDefault(slot);
      case "zero":
        return zeroOf(p, slot);
      case "literal":
        return imm(evaluate(p.value, value));
      case "inner": {
        const { form: f } = p.inst;
        const srcs = p.inst.srcs.map((s, k) => operand(s, f.srcs[k]!));
        const place = f.dsts.findIndex((s) => s.optional === null);
        const result = f.dsts[place]!;
        const d = register(
          result.file,
          c.func.values.add(result.file, Math.max(1, result.width)),
          Math.max(1, result.width),
        );
        fresh.push({ form: f, dsts: f.dsts.map((s, k) => (k === place ? d : slotDefault(s))), srcs });
        return { ...clone(d), mods: modBits(p.mods) };
      }
      default: {
        const bound = m.operands.get(p.name);
        if (bound === undefined) throw new InternalError(`rule ${rule.name}: ${p.name} is not bound`);
        const o = clone(bound);
        if (p.half !== null) {
          o.width = 1;
          if (o.kind === Kind.Const) o.value += 4 * p.half;
          else o.sub += p.half;
        }
        if (p.mods !== "any") o.mods ^= modBits(p.mods);
        return o;
      }
    }
  };
  const { form: f } = rule.right;
  const dsts = rule.right.dsts.map((d, k) => operand(d, f.dsts[k]!));
  const srcs = rule.right.srcs.map((s, k) => operand(s, f.srcs[k]!));
  if (fresh.some((i) => !c.encodes(i.form, i.dsts, i.srcs))) return false;
  // Where operands may change places, what the rule makes may stand there already: it would apply for ever.
  const stands = (order: readonly number[]): boolean => order.every((k, n) => sameOperand(srcs[k]!, root.srcs[n]!));
  if (f === root.form && fresh.length === 0 && ordersOf(rule.right).some(stands)) return false;
  for (const order of ordersOf(rule.right)) {
    const placed = order.map((k) => srcs[k]!);
    if (!c.write(at, f, dsts, placed)) continue;
    c.insertBefore(root, fresh);
    return true;
  }
  return false;
}
