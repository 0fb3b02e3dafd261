/**
 * From single flips to fields. Every bit of the base word is flipped once; bits that touch the same tokens are one field.
 * A field whose flips change one number by fixed amounts is that number; every other field is a table over all its values.
 */
import type { Random } from "../../lib/sim/random.js";
import { type Field, floatOf, type Linear, numberEdits, numeric } from "./model.js";
import type { Probe } from "./probe.js";
import { counted, difference, type Edit, floatValue, isRegister, sameEdits, sameFloat, type Tokens } from "./text.js";
import type { FloatFormat } from "./types.js";
import { bitOf, fieldOf, flipped, randomValue, setField, type Word } from "./word.js";

/** A base word with its text, and how answers become tokens. */
export interface Base {
  readonly word: Word;
  readonly tokens: Tokens;
  readonly relative: boolean;
  readonly random: Random;
  /** Asks words for their tokens; null for those that are not printed. */
  ask(words: readonly Word[]): Probe<(Tokens | null)[]>;
}

/** What flipping each bit does. */
export interface Flips {
  /** Edits of bits that belong to a field. */
  readonly effects: ReadonlyMap<number, readonly Edit[]>;
  /** Refused. */
  readonly illegal: ReadonlySet<number>;
  /** Never printed. */
  readonly silent: readonly number[];
  /** Bits that change the shape of the text. */
  readonly modes: ReadonlySet<number>;
}

export const NAME = /^[A-Z][A-Z0-9]*$/;

/** Largest table: all values of so many bits. */
const TABLE_BITS = 13;

export function* flipBits(base: Base, bits: readonly number[]): Probe<Flips> {
  const t0 = base.tokens;
  const name = Math.max(
    0,
    t0.findIndex((t) => NAME.test(t) && !isRegister(t)),
  );
  const texts = yield* base.ask(bits.map((b) => flipped(base.word, b)));
  const effects = new Map<number, readonly Edit[]>();
  const illegal = new Set<number>();
  const silent: number[] = [];
  const modes = new Set<number>();
  bits.forEach((b, i) => {
    const t = texts[i];
    if (t === null || t === undefined) {
      illegal.add(b);
      return;
    }
    const edits = difference(t0, t);
    if (edits.length === 0) silent.push(b);
    else if (!severalPlaces(t0, edits) && changesShape(t0, edits, name)) modes.add(b);
    else effects.set(b, edits);
  });
  return { effects, illegal, silent, modes };
}

/** One register printed at several places: n and n, or n and n + 1. */
function severalPlaces(t0: Tokens, edits: readonly Edit[]): boolean {
  if (edits.length < 2 || edits.length > 3) return false;
  let step: bigint | null = null;
  for (const e of edits) {
    if (e.to - e.from !== 1 || e.text.length !== 1) return false;
    const a = numeric(t0[e.from]!);
    const b = numeric(e.text[0]!);
    if (a === null || b === null || a.prefix !== b.prefix || (a.prefix !== "R" && a.prefix !== "UR")) return false;
    if (step !== null && step !== b.value - a.value) return false;
    step = b.value - a.value;
  }
  return true;
}

const SIGNS: ReadonlySet<string> = new Set([",", "|", "-", "~", "!"]);

/** The mnemonic changes, or several operands at once, or a suffix together with an operand. */
function changesShape(t0: Tokens, edits: readonly Edit[], name: number): boolean {
  const touched = edits.reduce((n, e) => n + Math.max(e.to - e.from, e.text.length), 0);
  if (edits.some((e) => e.from <= name && name < e.to)) return true;
  if ((edits.length > 2 && touched > 4) || touched > 9) return true;
  const all = edits.flatMap((e) => [...t0.slice(e.from, e.to), ...e.text]);
  if (all.some((t) => t[0] === ".") && all.some((t) => t[0] !== "." && !SIGNS.has(t))) return true;
  let operands = 0;
  for (const e of edits) {
    const a = t0.slice(e.from, e.to).filter(isOperand).length;
    const b = e.text.filter(isOperand).length;
    if (a >= 2 || b >= 2) return true;
    if (a + b > 0) operands++;
  }
  return operands >= 2;
}

const isOperand = (t: string): boolean => counted(t) !== null;

/** Bits of each field, low to high. */
export function clusters({ effects, illegal }: Flips, t0: Tokens): number[][] {
  const parent = new Map<number, number>([...effects.keys()].map((b) => [b, b]));
  const find = (b: number): number => {
    let x = b;
    while (parent.get(x) !== x) x = parent.get(x)!;
    return x;
  };
  const owner = new Map<string, number>();
  for (const [b, edits] of effects)
    for (const e of edits) {
      const places: string[] = [];
      for (let i = e.from; i < e.to; i++) if (t0[i] !== ",") places.push(`t${i}`);
      for (const p of places.length > 0 ? places : [`g${e.from}`]) {
        const o = owner.get(p);
        if (o === undefined) owner.set(p, b);
        else parent.set(find(b), find(o));
      }
    }
  const by = new Map<number, number[]>();
  for (const b of effects.keys()) by.set(find(b), [...(by.get(find(b)) ?? []), b]);
  let out = [...by.values()].map((c) => c.sort((a, b) => a - b));
  // The guard's number and its negation are printed apart and belong together.
  const guard = out.filter((c) => c.every((b) => b >= 12 && b <= 15));
  if (guard.length > 1) {
    out = out.filter((c) => !guard.includes(c));
    out.push(guard.flat().sort((a, b) => a - b));
  }
  for (const c of [...out]) {
    if (!isPredicate(c, effects, t0)) continue;
    const not = out.find((d) => d.length === 1 && d[0] === c[2]! + 1 && isNegation(effects.get(d[0]!)!, t0));
    if (not) {
      out = out.filter((d) => d !== not && d !== c);
      out.push([...c, ...not]);
    }
  }
  // A bit that is refused beside the base word's values belongs to the enumeration beside it.
  const where = new Map(out.flatMap((c) => c.map((b) => [b, c] as const)));
  for (const b of [...illegal].sort((x, y) => x - y)) {
    if (b >= 105) continue;
    const c = [where.get(b - 1), where.get(b + 1)].find((x) => x !== undefined && x.length < 8);
    if (c === undefined) continue;
    c.push(b);
    c.sort((x, y) => x - y);
    where.set(b, c);
  }
  return out.sort((a, b) => a[0]! - b[0]!);
}

function isPredicate(c: readonly number[], effects: Flips["effects"], t0: Tokens): boolean {
  if (c.length !== 3 || c[2]! - c[0]! !== 2) return false;
  return c.some((b) =>
    effects.get(b)!.some((e) => t0.slice(e.from, e.to).some((t) => isRegister(t) && t.includes("P"))),
  );
}

const isNegation = (edits: readonly Edit[], t0: Tokens): boolean =>
  edits.every((e) => [...t0.slice(e.from, e.to), ...e.text].every((t) => t === "!" || t === ","));

/** Learns one field by trying its values. */
export function* learnField(base: Base, bits: readonly number[], effects: Flips["effects"]): Probe<Field> {
  const n = bits.length;
  const t0 = base.tokens;
  const guess = shownNumber(base, bits, effects);
  const values = valuesToTry(base.random, n, guess !== null);
  const words = values.map((v) => {
    const w = base.word.slice();
    setField(w, bits, v);
    return w;
  });
  const texts = yield* base.ask(words);
  const table = new Map<bigint, readonly Edit[]>();
  const illegal: bigint[] = [];
  values.forEach((v, i) => {
    const t = texts[i];
    if (t === null || t === undefined) illegal.push(v);
    else table.set(v, difference(t0, t));
  });
  const f: Field = {
    bits,
    base: fieldOf(base.word, bits),
    kind: "",
    linear: null,
    float: null,
    table,
    illegal,
    partial: n > TABLE_BITS,
  };
  if (guess?.float) {
    f.float = { token: guess.token, format: floatFormat(t0, guess.token, n, table) };
    f.table = new Map();
  } else if (guess?.linear) {
    const { linear } = guess;
    const other = new Map([...table].filter(([v, e]) => !sameEdits(numberEdits(linear, t0, v), e)));
    if (other.size <= Math.max(2, table.size >> 2)) {
      f.linear = linear;
      f.table = other;
    }
  }
  f.kind = kindOf(f, base);
  return f;
}

function valuesToTry(random: Random, n: number, number: boolean): bigint[] {
  const top = (1n << BigInt(n)) - 1n;
  const values = new Set<bigint>();
  if (number && n > 3) {
    for (const v of [0n, top, 1n, top - 1n, 1n << BigInt(n - 1)]) values.add(v);
    if (n > 16) for (const v of [0x7fn, 0xffn, 0xffffn]) values.add(v);
    for (let i = 0; i < 8; i++) values.add(randomValue(random, n));
  } else if (n <= TABLE_BITS) for (let v = 0n; v <= top; v++) values.add(v);
  else {
    values.add(0n).add(top);
    for (let i = 0; i < n; i++) values.add(1n << BigInt(i));
    for (let i = 0; i < 200; i++) values.add(randomValue(random, n));
  }
  return [...values].sort((a, b) => (a < b ? -1 : 1));
}

/** The number that a field's flips change, if all of them change one. */
function shownNumber(
  base: Base,
  bits: readonly number[],
  effects: Flips["effects"],
): { readonly token: number; readonly linear: Linear | null; readonly float: boolean } | null {
  let token = -1;
  const shown: string[] = [];
  for (const b of bits) {
    const edits = effects.get(b);
    if (edits?.length !== 1) return null;
    const e = edits[0]!;
    if (e.to - e.from !== 1 || e.text.length !== 1 || (token >= 0 && e.from !== token)) return null;
    token = e.from;
    shown.push(e.text[0]!);
  }
  const here = counted(base.tokens[token]!);
  if (bits.length < 2 || here === null) return null;
  if (here.prefix === "float") return { token, linear: null, float: true };
  const linear = here.value === null ? null : linearOf(base.word, bits, here.prefix, here.value, shown, token);
  if (linear !== null) return { token, linear, float: false };
  return bits.length >= 10 ? { token, linear: null, float: true } : null;
}

function linearOf(
  word: Word,
  bits: readonly number[],
  prefix: string,
  value: bigint,
  shown: readonly string[],
  token: number,
): Linear | null {
  const weights: bigint[] = [];
  let bias = value;
  for (let i = 0; i < bits.length; i++) {
    const c = numeric(shown[i]!);
    if (c === null || c.prefix !== prefix) return null;
    const set = bitOf(word, bits[i]!) === 1;
    const weight = set ? value - c.value : c.value - value;
    weights.push(weight);
    if (set) bias -= weight;
  }
  return { token, prefix, weights, bias };
}

function floatFormat(
  t0: Tokens,
  token: number,
  width: number,
  table: ReadonlyMap<bigint, readonly Edit[]>,
): FloatFormat | null {
  for (const format of ["f32", "f64hi", "f16", "bf16"] as const) {
    let right = 0;
    let tried = 0;
    for (const [v, edits] of table) {
      const x = floatOf(format, v, width);
      if (x === null) continue;
      tried++;
      if (sameFloat(x, floatValue(edits[0]?.text[0] ?? t0[token]!), 1e-6)) right++;
    }
    if (tried > 0 && right >= 0.8 * tried) return format;
  }
  return null;
}

const FILES: Readonly<Record<string, string>> = {
  R: "reg",
  UR: "ureg",
  P: "pred",
  UP: "upred",
  B: "barrier",
  SB: "scoreboard",
};

/** A name for what a field is, for readers. */
function kindOf(f: Field, base: Base): string {
  const t0 = base.tokens;
  if (f.float) return "fimm";
  if (f.linear) {
    const { prefix, token } = f.linear;
    if (prefix !== "hex" && prefix !== "dec") return FILES[prefix] ?? prefix;
    let j = token;
    while (j > 0 && t0[j] !== "[" && t0[j] !== "]" && t0[j] !== ",") j--;
    if (t0[j] === "[" && token > 0) {
      if (t0[j - 1] === "c") return "const-bank";
      return t0[j - 1] === "]" ? "const-offset" : "mem-offset";
    }
    return base.relative ? "rel" : "imm";
  }
  const seen = new Set<string>();
  for (const edits of f.table.values())
    for (const e of edits) for (const t of [...t0.slice(e.from, e.to), ...e.text]) if (t !== ",") seen.add(t);
  const all = [...seen];
  if (all.length === 0) return "mixed";
  if (all.every((t) => isRegister(t) || t === "!" || t === "@")) {
    for (const [prefix, kind] of [
      ["UP", "upred"],
      ["UR", "ureg"],
      ["P", "pred"],
    ] as const)
      if (all.some((t) => t.startsWith(prefix))) return kind;
    return "reg";
  }
  if (all.length === 1 && (all[0] === "-" || all[0] === "~" || all[0] === "!")) return "neg";
  if (all.length === 1 && all[0] === "|") return "abs";
  if (all.length === 1 && all[0] === ".reuse") return "reuse";
  if (all.every((t) => t[0] === ".")) return f.bits.length === 1 ? "flag" : "modifier";
  return all.every(isOperand) ? "enum-num" : "mixed";
}
