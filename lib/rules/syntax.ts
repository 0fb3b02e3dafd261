/**
 * Rewrite rules as text, in the syntax of the IR.
 *
 *     rule shift-and-sum from O1
 *       IADD3 d, (SHF.L.U32 x, #n, RZ), y, RZ   when n <= 31, reg(x)
 *       => LEA d, x, y, #n
 *
 * On the left the root and, in parentheses, the instructions that define its operands; on the right what the root becomes, with new
 * instructions in parentheses. An inner instruction is read by the root alone, or by others too where a star stands before it.
 *
 * Operands: `x` one without modifiers, the same wherever it stands again; `?x` one with any; `-x`, `~x`, `|x|`, `!p` with just this; names
 * that begin with p or q are predicates. `#n` a literal of 32 bits (also one that a register holds), on the right `#(…)` a computed one.
 * `y@(…)` also gives the operand that the inner instruction defines a name.
 * `RZ`, `PT`, numbers stand for themselves. What is left out has its default, and results that are left out are not read.
 * `x.0` and `x.1` are the lower and upper half of the pair `x`.
 *
 * `with S = U32 | S32, K = 1 | 2` makes one rule of each column, `$S` its words. `on F`, `off F`: SMs with and without a feature;
 * `from O2`: the lowest level. Of conditions `reg(x)`, `const(x)`, `imm(x)` ask what kind of operand it is, `differ(x, y)` whether two are not the
 * same, `unknown(x)` whether a register holds no literal; the others are expressions over literals, and the proof rests on these.
 */
import { InternalError } from "../errors.js";
import { type Form, form } from "../isa/form.js";
import type { SlotInfo } from "../isa/types.js";
import { File } from "../ori/types.js";
import { type Expression, parseExpression } from "./expression.js";

export type PatternOperand =
  | { readonly is: "name"; readonly name: string; readonly mods: Mods; readonly half: 0 | 1 | null }
  | { readonly is: "literal"; readonly value: Expression; readonly name: string | null }
  | { readonly is: "zero"; readonly predicate: boolean /** `!PT`, `-RZ`. */; readonly not: boolean }
  | {
      readonly is: "inner";
      readonly inst: PatternInst;
      readonly shared: boolean;
      readonly mods: Mods;
      readonly name: string | null;
    }
  | { readonly is: "default" };

/** `any` binds the operand with its modifiers. */
export type Mods = "" | "-" | "~" | "!" | "|" | "any";

export interface PatternInst {
  readonly form: Form;
  /** One for each slot. */
  readonly dsts: readonly PatternOperand[];
  readonly srcs: readonly PatternOperand[];
}

export interface Structural {
  readonly what: "reg" | "const" | "imm" | "differ" | "notimm" | "unknown";
  readonly names: readonly string[];
}

export interface Rule {
  readonly name: string;
  /** Text from which the rule was read, `with` put in. */
  readonly text: string;
  readonly level: 1 | 2;
  readonly on: readonly string[];
  readonly off: readonly string[];
  readonly left: PatternInst;
  readonly right: PatternInst;
  readonly conditions: readonly Expression[];
  readonly structural: readonly Structural[];
}

/** Reads the rules of a text; throws InternalError for what is none. */
export function parseRules(text: string): Rule[] {
  const plain = text.replace(/\/\/.*$/gm, "");
  return plain
    .split(/^rule /m)
    .slice(1)
    .flatMap(expand);
}

function expand(text: string): Rule[] {
  const m = /^(\S+)([^\n]*)\n([\s\S]*)$/.exec(text);
  if (m === null) throw new InternalError(`no rule: ${text}`);
  const [, name, rest, body] = m as unknown as [string, string, string, string];
  const columns = /\bwith\s+(.*)$/.exec(rest)?.[1];
  const gates = columns === undefined ? rest : rest.slice(0, rest.indexOf("with"));
  if (columns === undefined) return [parseRule(name, gates, body)];
  const words = columns.split(",").map((c) => {
    const [word, values] = c.split("=") as [string, string];
    return { word: word.trim(), values: values.split("|").map((v) => v.trim()) };
  });
  return words[0]!.values.map((_, k) => {
    const put = (s: string): string => words.reduce((t, w) => t.replaceAll(`$${w.word}`, w.values[k] ?? ""), s);
    const column = words.map((w) => (w.values[k] ?? "").replace(/^\./, "").replace("!", "not ") || "plain");
    return parseRule(`${name} ${column.join(" ")}`, put(gates), put(body));
  });
}

function parseRule(name: string, gates: string, body: string): Rule {
  const [leftAndWhen, right, ...more] = body.split("=>") as [string, string | undefined, ...string[]];
  if (right === undefined || more.length > 0) throw new InternalError(`rule ${name}: one => is needed`);
  const [left, when = ""] = leftAndWhen.split(/\bwhen\b/) as [string, string?];
  const structural: Structural[] = [];
  const conditions: Expression[] = [];
  for (const c of splitTop(when)) {
    const s = /^(reg|const|imm|differ|notimm|unknown)\(([^)]*)\)$/.exec(c);
    if (s === null) conditions.push(parseExpression(c));
    else structural.push({ what: s[1] as Structural["what"], names: s[2]!.split(",").map((n) => n.trim()) });
  }
  return {
    name,
    text: [gates, left, when, right].map((t) => t.trim().replace(/\s+/g, " ")).join(" ; "),
    level: /\bfrom O2\b/.test(gates) ? 2 : 1,
    on: [...gates.matchAll(/\bon (\w+)/g)].map((g) => g[1]!),
    off: [...gates.matchAll(/\boff (\w+)/g)].map((g) => g[1]!),
    left: parseInst(left.trim(), "root", name),
    right: parseInst(right.trim(), "root", name),
    conditions,
    structural,
  };
}

/** Parts between commas outside of parentheses. */
export function splitTop(text: string): string[] {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (let k = 0; k <= text.length; k++) {
    const c = text[k];
    if (c === "(") depth++;
    else if (c === ")") depth--;
    else if ((c === "," && depth === 0) || c === undefined) {
      const part = text.slice(from, k).trim();
      if (part !== "") parts.push(part);
      from = k + 1;
    }
  }
  return parts;
}

/** The logic of two inputs by name, as LOP3's tables over its first two. */
export const logicTables: Readonly<Record<string, number>> = {
  AND: 0xc0,
  OR: 0xfc,
  XOR: 0x3c,
  ANDN: 0x30,
  ORN: 0xf3,
  NOT: 0x0f,
};

function parseInst(text: string, place: "root" | "inner", rule: string): PatternInst {
  const space = text.search(/\s/);
  const word = space < 0 ? text : text.slice(0, space);
  const operands = space < 0 ? [] : splitTop(text.slice(space)).map((o) => parseOperand(o, rule));
  const table = logicTables[word];
  const f = form(table === undefined ? word : "LOP3.LUT");
  if (table !== undefined) {
    if (word === "NOT") operands.push({ is: "zero", predicate: false, not: false });
    operands.push(
      { is: "zero", predicate: false, not: false },
      { is: "literal", value: { is: "number", value: table }, name: null },
    );
  }
  const dsts = place === "inner" ? f.dsts.map((): PatternOperand => ({ is: "default" })) : null;
  const slots = dsts === null ? [...f.dsts, ...f.srcs] : f.srcs;
  const filled = fill(f, slots, operands, rule);
  return dsts === null
    ? { form: f, dsts: filled.slice(0, f.dsts.length), srcs: filled.slice(f.dsts.length) }
    : { form: f, dsts, srcs: filled };
}

const isPredicate = (o: PatternOperand): boolean => {
  if (o.is === "zero") return o.predicate;
  if (o.is === "name") return /^[pq]/.test(o.name);
  return o.is === "inner" && o.inst.form.dsts.find((d) => d.optional === null)?.file === File.P;
};

function accepts(slot: SlotInfo, o: PatternOperand): boolean {
  const predicate = slot.file === File.P;
  // A register may hold a literal.
  if (o.is === "literal") return slot.accepts.includes("imm") || slot.file === File.R;
  return isPredicate(o) === predicate;
}

/** One operand for each slot: each goes to the next that takes it; optional slots are passed over where the required ones need them. */
function fill(f: Form, slots: readonly SlotInfo[], given: readonly PatternOperand[], rule: string): PatternOperand[] {
  let required = slots.filter((s) => s.optional === null).length;
  let next = 0;
  const out = slots.map((slot): PatternOperand => {
    const o = given[next];
    const takes = o !== undefined && accepts(slot, o);
    if (slot.optional === null) {
      required--;
      if (!takes) throw new InternalError(`rule ${rule}: ${f.name} cannot have operand ${next + 1} there`);
      next++;
      return o;
    }
    if (!takes || given.length - next <= required) return { is: "default" };
    next++;
    return o;
  });
  if (next !== given.length) throw new InternalError(`rule ${rule}: ${f.name} has too many operands`);
  return out;
}

function parseOperand(text: string, rule: string): PatternOperand {
  const inner = /^(?:([a-z]\w*)@)?([-~!]?)(\*?)\(([\s\S]*)\)$/.exec(text);
  if (inner !== null)
    return {
      is: "inner",
      inst: parseInst(inner[4]!.trim(), "inner", rule),
      shared: inner[3] === "*",
      mods: inner[2] as Mods,
      name: inner[1] ?? null,
    };
  if (text === "RZ" || text === "-RZ") return { is: "zero", predicate: false, not: text === "-RZ" };
  if (text === "PT" || text === "!PT") return { is: "zero", predicate: true, not: text === "!PT" };
  if (text.startsWith("#")) {
    const value = parseExpression(text.slice(1));
    return { is: "literal", value, name: value.is === "name" ? value.name : null };
  }
  if (/^-?(0x[0-9a-f]+|\d+)$/i.test(text))
    return { is: "literal", value: { is: "number", value: Number(text) >>> 0 }, name: null };
  const name = /^([-~!?|]?)([a-z]\w*)(?:\.([01]))?\|?$/.exec(text);
  if (name === null) throw new InternalError(`rule ${rule}: no operand: ${text}`);
  return {
    is: "name",
    name: name[2]!,
    mods: (name[1] === "?" ? "any" : name[1]) as Mods,
    half: name[3] === undefined ? null : name[3] === "0" ? 0 : 1,
  };
}
