/** Leaves as entries of a map: the file form of what was learned. */
import type { Leaf } from "./leaf.js";
import type { Field, Group, Linear } from "./model.js";
import { difference, type Edit, isRegister, type Tokens } from "./text.js";
import type { Counting, EditRow, EntryHead, EntryMap, FieldMap, GroupMap } from "./types.js";
import {
  bitOf,
  bitsOfMask,
  CONTROL_BIT,
  fieldOf,
  hexMask,
  hexWord,
  maskOfBits,
  REUSE_BITS,
  type When,
} from "./word.js";

export type Emitted = { readonly entry: EntryMap } | { readonly omitted: EntryHead & { readonly why?: string } };

/** Share of wrong and unknown words above which a map is not worth having. */
const TOO_MANY_WRONG = 0.04;
/** Longest run of tokens that is written as one text per value. */
const SPAN = 6;

const opcodeOf = (key: number): { opcode: string; bit91: number } => ({
  opcode: `0x${(key & 0xfff).toString(16).padStart(3, "0")}`,
  bit91: key >> 12,
});

export function emitLeaf(leaf: Leaf): Emitted {
  const { base } = leaf;
  if (base === null) return { omitted: { ...opcodeOf(leaf.key), ...whenOf(leaf.when), why: "no accepted word found" } };
  const mask = maskOfBits([...bitsOfMask(leaf.when.mask), ...[...leaf.modes].filter((b) => b < CONTROL_BIT)]);
  const value = base.word.map((x, i) => (x & mask[i]!) >>> 0);
  const when: When = { mask, value };
  const [right, wrong, unknown] = [leaf.count("right"), leaf.count("wrong"), leaf.count("unknown")];
  const head: EntryHead = {
    ...opcodeOf(leaf.key),
    ...whenOf(when),
    mnemonic: mnemonicOf(base.tokens),
    verify: { test: [right, wrong, unknown] },
  };
  if (right === 0 || wrong + unknown > TOO_MANY_WRONG * (right + wrong + unknown)) return { omitted: head };
  const fixed = (bits: readonly number[]): boolean => bits.every((b) => bitOf(mask, b) === 1);
  const grouped = new Set(leaf.groups.flatMap((g) => g.fields.map((bits) => bits[0]!)));
  const fields = [...leaf.fields]
    .sort((a, b) => a.bits[0]! - b.bits[0]!)
    .filter((f) => !fixed(f.bits) || grouped.has(f.bits[0]!))
    .map((f) => emitField(f, base.tokens, fixed(f.bits) ? null : when));
  const illegal = leaf.illegal.filter((b) => b < CONTROL_BIT && !bitOf(mask, b)).sort((a, b) => a - b);
  return {
    entry: {
      ...head,
      ...(wrong > 0 ? { inexact: true } : {}),
      base: hexWord(base.word),
      tokens: base.tokens,
      ...(base.relative ? { pc_relative: true } : {}),
      fields,
      ...(leaf.groups.length > 0 ? { groups: leaf.groups.map((g) => emitGroup(g, base.tokens)) } : {}),
      ...(illegal.length > 0 ? { illegal_flips: illegal } : {}),
      unprinted: leaf.silent.filter((b) => b < CONTROL_BIT && !bitOf(mask, b)),
      reuse: REUSE_BITS.filter((b) => !leaf.illegal.includes(b) && !leaf.silent.includes(b)).map((b) => b - 122),
    },
  };
}

const whenOf = ({ mask, value }: When): Pick<EntryHead, "when"> =>
  mask.every((x) => x === 0) ? {} : { when: { mask: hexMask(mask), value: hexMask(value) } };

function mnemonicOf(t: Tokens): string {
  const upper = (x: string): boolean => /^[A-Z]/.test(x) && !isRegister(x) && x !== "PT" && x !== "UPT";
  return t.find(upper) ?? "?";
}

const small = (v: bigint): number | string => (v <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(v) : String(v));

function counting(l: Linear): Counting {
  const w = l.weights;
  const n = w.length;
  const k = w[0]!;
  const plain = (to: number): boolean => w.slice(0, to).every((x, i) => x === k << BigInt(i));
  const how = plain(n)
    ? { signed: false, scale: Number(k) }
    : plain(n - 1) && w[n - 1] === -(k << BigInt(n - 1))
      ? { signed: true, scale: Number(k) }
      : { weights: w.map(Number) };
  return { token: l.token, prefix: l.prefix, ...how, ...(l.bias === 0n ? {} : { bias: Number(l.bias) }) };
}

const textOf = (t: readonly string[]): string => t.join(" ");
const rowOf = (e: Edit): EditRow => [e.from, e.to, textOf(e.text)];

function emitField(f: Field, tokens: Tokens, when: When | null): FieldMap {
  const { bits } = f;
  const n = bits.length;
  const lo = bits[0]!;
  // Values that agree with what the entry's condition says of the field's bits.
  const mask = when === null ? 0n : fieldOf(when.mask, bits);
  const value = when === null ? 0n : fieldOf(when.value, bits);
  const reachable = (v: bigint): boolean => (v & mask) === value;
  const table = [...f.table].filter(([v]) => reachable(v)).sort(([a], [b]) => (a < b ? -1 : 1));
  const illegal = f.illegal.filter(reachable);
  const values = valueTable(table, tokens);
  return {
    ...(bits.every((b, i) => b === lo + i) ? { lo } : { bits }),
    width: n,
    kind: f.kind,
    base: small(f.base),
    ...(f.linear ? counting(f.linear) : {}),
    ...(f.float ? f.float : {}),
    ...(values === null ? {} : { ...values.span, [f.linear || f.float ? "special" : "values"]: values.texts }),
    ...(illegal.length > 0 ? { illegal: ranges(illegal) } : {}),
    ...(f.partial && !f.linear && !f.float ? { partial: true } : {}),
  };
}

function valueTable(
  table: readonly (readonly [bigint, readonly Edit[]])[],
  tokens: Tokens,
): { span: { span?: readonly [number, number] }; texts: Record<string, string | EditRow[]> } | null {
  if (table.length === 0) return null;
  const edits = table.flatMap(([, e]) => e);
  const from = Math.min(...edits.map((e) => e.from));
  const to = Math.max(...edits.map((e) => e.to));
  if (edits.length === 0) return { span: { span: [0, 0] }, texts: Object.fromEntries(table.map(([v]) => [v, ""])) };
  if (to - from > SPAN) return { span: {}, texts: Object.fromEntries(table.map(([v, e]) => [v, e.map(rowOf)])) };
  const text = (list: readonly Edit[]): string => {
    const out: string[] = [];
    let at = from;
    for (const e of [...list].sort((a, b) => a.from - b.from || a.to - b.to)) {
      out.push(...tokens.slice(at, e.from), ...e.text);
      at = e.to;
    }
    return textOf([...out, ...tokens.slice(at, to)]);
  };
  return { span: { span: [from, to] }, texts: Object.fromEntries(table.map(([v, e]) => [v, text(e)])) };
}

function ranges(values: readonly bigint[]): (number | [number, number])[] {
  const out: [number, number][] = [];
  for (const v of [...values].map(Number).sort((a, b) => a - b)) {
    const last = out.at(-1);
    if (last && v === last[1] + 1) last[1] = v;
    else out.push([v, v]);
  }
  return out.map((r) => (r[0] === r[1] ? r[0] : r));
}

function emitGroup(g: Group, tokens: Tokens): GroupMap {
  return {
    fields: g.fields.map((bits) => bits[0]!),
    cases: g.cases.map((c) => ({
      if: c.when.map((v) => (v === null ? null : Number(v))),
      edits: difference(tokens, c.tokens).map(rowOf),
      tokens: c.tokens.length,
      show: c.show.map(({ field, linear }) => ({ lo: g.fields[field]![0]!, ...counting(linear) })),
    })),
  };
}
