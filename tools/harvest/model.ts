/** What a leaf has learned: a base word, its text, and how fields edit that text. Predicts the text of any word of the leaf. */
import { applyEdits, counted, difference, type Edit, FLOAT_MARK, numberToken, type Tokens } from "./text.js";
import type { FloatFormat } from "./types.js";
import { fieldOf, type Word } from "./word.js";

/** A number shown in one token: bias + the weights of the bits that are set. */
export interface Linear {
  readonly token: number;
  readonly prefix: string;
  readonly weights: readonly bigint[];
  readonly bias: bigint;
}

export interface Field {
  /** Low to high. */
  readonly bits: readonly number[];
  readonly base: bigint;
  kind: string;
  linear: Linear | null;
  float: { readonly token: number; readonly format: FloatFormat | null } | null;
  /** Edits by value: all values, or those that a number does not explain. */
  table: ReadonlyMap<bigint, readonly Edit[]>;
  readonly illegal: readonly bigint[];
  /** The table lacks values. */
  readonly partial: boolean;
}

export interface GroupCase {
  readonly when: readonly (bigint | null)[];
  readonly tokens: Tokens;
  readonly show: readonly { readonly field: number; readonly linear: Linear }[];
}

export interface Group {
  /** Bits of each field. */
  readonly fields: readonly (readonly number[])[];
  readonly cases: readonly GroupCase[];
}

export interface Model {
  readonly base: Word;
  readonly tokens: Tokens;
  readonly fields: readonly Field[];
  readonly groups: readonly Group[];
}

export function linearValue(l: Linear, value: bigint): bigint {
  let n = l.bias;
  for (let i = 0, v = value; v > 0n; i++, v >>= 1n) if (v & 1n) n += l.weights[i]!;
  return n;
}

const floats = new DataView(new ArrayBuffer(8));

/** Null where a format does not have so many bits. */
export function floatOf(format: FloatFormat, value: bigint, width: number): number | null {
  const v = Number(value & 0xffffffffn);
  if (width === 32 && (format === "f32" || format === "f64hi")) {
    floats.setUint32(0, v);
    floats.setUint32(4, 0);
    return format === "f32" ? floats.getFloat32(0) : floats.getFloat64(0);
  }
  if (width !== 16) return null;
  if (format === "bf16") {
    floats.setUint32(0, v << 16);
    return floats.getFloat32(0);
  }
  if (format !== "f16") return null;
  const sign = v & 0x8000 ? -1 : 1;
  const exponent = (v >> 10) & 31;
  const fraction = v & 0x3ff;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
}

/** Edits that a value makes; null where it is not known. */
export function fieldEdits(f: Field, tokens: Tokens, value: bigint): readonly Edit[] | null {
  const known = f.table.get(value);
  if (known !== undefined) return known;
  if (value === f.base) return [];
  if (f.linear !== null) return numberEdits(f.linear, tokens, value);
  if (f.float === null || f.float.format === null) return null;
  const x = floatOf(f.float.format, value, f.bits.length);
  return x === null ? null : [{ from: f.float.token, to: f.float.token + 1, text: [FLOAT_MARK + x] }];
}

export function numberEdits(l: Linear, tokens: Tokens, value: bigint): readonly Edit[] {
  const text = numberToken(l.prefix, linearValue(l, value));
  return tokens[l.token] === text ? [] : [{ from: l.token, to: l.token + 1, text: [text] }];
}

/** The most special case that fits. */
function groupTokens(g: Group, values: readonly bigint[]): Tokens | null {
  let best: GroupCase | null = null;
  let specials = -1;
  for (const c of g.cases) {
    let n = 0;
    let fits = true;
    for (let i = 0; i < values.length && fits; i++) {
      if (c.when[i] === null) continue;
      fits = c.when[i] === values[i];
      n++;
    }
    if (fits && n > specials) {
      best = c;
      specials = n;
    }
  }
  if (best === null) return null;
  const out = [...best.tokens];
  for (const { field, linear } of best.show)
    out[linear.token] = numberToken(linear.prefix, linearValue(linear, values[field]!));
  return out;
}

/** Text of a word, null where a value is not known or edits get in each other's way. */
export function predict(m: Model, w: Word): string[] | null {
  const edits: Edit[] = [];
  const grouped = new Set<number>();
  for (const g of m.groups) {
    if (g.fields.some((bits) => grouped.has(bits[0]!))) continue;
    const t = groupTokens(
      g,
      g.fields.map((bits) => fieldOf(w, bits)),
    );
    if (t === null) return null;
    edits.push(...difference(m.tokens, t));
    for (const bits of g.fields) grouped.add(bits[0]!);
  }
  for (const f of m.fields) {
    if (grouped.size > 0 && grouped.has(f.bits[0]!)) continue;
    const e = fieldEdits(f, m.tokens, fieldOf(w, f.bits));
    if (e === null) return null;
    for (const x of e) edits.push(x);
  }
  return applyEdits(m.tokens, edits);
}

/** A token that counts, and is not a float. */
export const numeric = (token: string): { readonly prefix: string; readonly value: bigint } | null => {
  const c = counted(token);
  return c === null || c.value === null || c.prefix === "float" ? null : { prefix: c.prefix, value: c.value };
};
