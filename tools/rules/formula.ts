/** A rule as one formula: is there an input on which the sides differ although the conditions hold? */

import type { SlotInfo } from "../../lib/isa/types.js";
import { slotDefault } from "../../lib/ori/slots.js";
import { File, Kind, Mod } from "../../lib/ori/types.js";
import type { Expression } from "../../lib/rules/expression.js";
import type { PatternInst, PatternOperand, Rule } from "../../lib/rules/syntax.js";
import { meanings } from "./meaning.js";
import { type Term, Terms } from "./terms.js";

/** SMT-LIB text that is unsatisfiable where the rule holds; null: an instruction has no meaning here. */
export function formulaOf(rule: Rule): string | null {
  if (!known(rule.left) || !known(rule.right)) return null;
  return new Formula(rule).text();
}

function known(i: PatternInst): boolean {
  return meanings[i.form.op] !== undefined && i.srcs.every((s) => s.is !== "inner" || known(s.inst));
}

class Formula {
  private readonly t = new Terms();
  private readonly vars = new Map<string, Term>();
  private readonly rule: Rule;

  constructor(rule: Rule) {
    this.rule = rule;
  }

  text(): string {
    const { t, rule } = this;
    const left = this.instruction(rule.left, true);
    const right = this.instruction(rule.right, false);
    const wrong: string[] = [];
    rule.left.dsts.forEach((d, k) => {
      if (d.is !== "name") return;
      const at = rule.right.dsts.findIndex((r) => r.is === "name" && r.name === d.name);
      const [x, y] = [left[k], right[at]];
      if (x == null || y == null) throw new Error(`${rule.name}: no meaning of result ${d.name}`);
      wrong.push(`(not (= ${x.text} ${y.text}))`);
    });
    const conditions = rule.conditions.map((e) => `(not (= ${this.expression(e).text} ${t.constant(0, 32).text}))`);
    return [
      "(set-logic QF_BV)",
      ...t.lines,
      ...conditions.map((c) => `(assert ${c})`),
      `(assert (or ${wrong.join(" ")}))`,
      "(check-sat)",
    ].join("\n");
  }

  private variable(name: string, width: number): Term {
    const known = this.vars.get(name);
    if (known !== undefined && known.width !== width)
      throw new Error(`${this.rule.name}: ${name} has ${known.width} and ${width} bits`);
    const v = known ?? this.t.variable(`v_${name}`, width);
    this.vars.set(name, v);
    return v;
  }

  private instruction(i: PatternInst, isLeft: boolean): readonly (Term | null)[] {
    const ownMods = i.form.op === "LEA";
    const mods = i.srcs.map((s) => (s.is === "name" || s.is === "inner" ? (s.mods === "any" ? "" : s.mods) : ""));
    const srcs = i.srcs.map((s, k) => {
      const v = this.operand(s, i.form.srcs[k]!, isLeft);
      const m = ownMods && k === 0 ? "" : mods[k];
      return m === "-" ? this.t.neg(v) : m === "~" || m === "!" ? this.t.not(v) : v;
    });
    return meanings[i.form.op]!(this.t, srcs, i.form, mods);
  }

  private operand(p: PatternOperand, slot: SlotInfo, isLeft: boolean): Term {
    const { t } = this;
    const width = slot.file === File.P ? 1 : 32 * Math.max(1, slot.width);
    switch (p.is) {
      case "default": {
        const d = slotDefault(slot);
        if (d.kind === Kind.Imm) return t.constant(d.value, 32);
        return t.constant(slot.file === File.P && (d.mods & Mod.Not) === 0 ? 1 : 0, width);
      }
      case "zero":
        return t.constant(p.predicate && !p.not ? 1 : 0, width);
      case "literal":
        return p.name !== null && isLeft ? this.variable(p.name, 32) : this.expression(p.value);
      case "inner": {
        const results = this.instruction(p.inst, isLeft);
        const at = p.inst.form.dsts.findIndex((d) => d.optional === null);
        const v = results[at];
        if (v == null) throw new Error(`${this.rule.name}: no meaning of ${p.inst.form.name}`);
        if (p.name !== null) this.vars.set(p.name, v);
        return v;
      }
      default: {
        if (p.half === null) return this.variable(p.name, width);
        const pair = this.variable(p.name, 64);
        return t.extract(32 * p.half + 31, 32 * p.half, pair);
      }
    }
  }

  /** 32 bits; conditions are 0 or 1. */
  private expression(e: Expression): Term {
    const { t } = this;
    if (e.is === "number") return t.constant(e.value, 32);
    if (e.is === "name") return this.variable(e.name, 32);
    const [a, b, c, d] = e.args.map((x) => this.expression(x)) as [Term, Term, Term, Term];
    const bit = (x: Term): Term => t.zext(x, 32);
    const truth = (x: Term): Term => t.not(t.eq(x, t.constant(0, 32)));
    switch (e.name) {
      case "or":
        return bit(t.or(truth(a), truth(b)));
      case "and":
        return bit(t.and(truth(a), truth(b)));
      case "==":
        return bit(t.eq(a, b));
      case "!=":
        return bit(t.not(t.eq(a, b)));
      case "<":
        return bit(t.ult(a, b));
      case "<=":
        return bit(t.ule(a, b));
      case ">":
        return bit(t.ult(b, a));
      case ">=":
        return bit(t.ule(b, a));
      case "slt":
        return bit(t.slt(a, b));
      case "sle":
        return bit(t.sle(a, b));
      case "|":
        return t.or(a, b);
      case "^":
        return t.xor(a, b);
      case "&":
        return t.and(a, b);
      case "<<":
        return t.shl(a, b);
      case ">>":
        return t.ashr(a, b);
      case ">>>":
        return t.lshr(a, b);
      case "+":
        return t.add(a, b);
      case "-":
        return t.sub(a, b);
      case "*":
        return t.mul(a, b);
      case "neg":
        return t.neg(a);
      case "~":
        return t.not(a);
      case "smin":
        return t.ite(t.slt(a, b), a, b);
      case "smax":
        return t.ite(t.slt(a, b), b, a);
      case "umin":
        return t.ite(t.ult(a, b), a, b);
      case "umax":
        return t.ite(t.ult(a, b), b, a);
      case "pow2":
        return bit(t.and(truth(a), t.eq(t.and(a, t.sub(a, t.constant(1, 32))), t.constant(0, 32))));
      case "log2": {
        let out = t.constant(0, 32);
        for (let k = 1; k < 32; k++) out = t.ite(t.extract(k, k, a), t.constant(k, 32), out);
        return out;
      }
      case "compose": {
        let out = t.constant(0, 8);
        const byte = (x: Term): Term => t.extract(7, 0, x);
        const bits = [b, c, d].map(byte);
        for (let i = 0; i < 8; i++) {
          const index = t.concat(
            t.concat(t.extract(i, i, bits[0]!), t.extract(i, i, bits[1]!)),
            t.extract(i, i, bits[2]!),
          );
          const v = t.extract(0, 0, t.lshr(byte(a), t.zext(index, 8)));
          out = t.or(out, t.shl(t.zext(v, 8), t.constant(i, 8)));
        }
        return t.zext(out, 32);
      }
      default:
        throw new Error(`no formula for ${e.name}`);
    }
  }
}
