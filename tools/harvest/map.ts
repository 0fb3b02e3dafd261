/**
 * Predicts texts from a map file alone: shares no code with the classifier but the tokens. A map that is `same_as` another
 * takes the encodings that it does not replace from there.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { applyEdits, difference, type Edit, FLOAT_MARK, numberToken, relative, tokens } from "./text.js";
import type { Counting, EditRow, EntryMap, FieldMap, GroupMap, SmMap } from "./types.js";
import { always, fieldOf, holds, keyOf, type When, type Word, wordFromHex } from "./word.js";

interface ReadField {
  readonly map: FieldMap;
  readonly bits: readonly number[];
}

export interface ReadEntry {
  readonly map: EntryMap;
  readonly key: number;
  readonly when: When;
  readonly fields: readonly ReadField[];
}

const keyOfEntry = (e: { opcode: string; bit91: number }): number =>
  Number.parseInt(e.opcode, 16) | (e.bit91 ? 0x1000 : 0);

export const bitsOf = (f: FieldMap): readonly number[] =>
  f.bits ?? Array.from({ length: f.width }, (_, i) => f.lo! + i);

export class MapReader {
  readonly doc: SmMap;
  readonly byKey: Map<number, ReadEntry[]>;

  constructor(doc: SmMap, base: MapReader | null) {
    this.doc = doc;
    this.byKey = new Map(base?.byKey);
    for (const [opcode, bit91] of [...(doc.replaced ?? []), ...(doc.absent ?? [])])
      this.byKey.delete(keyOfEntry({ opcode, bit91 }));
    for (const map of doc.encodings) {
      const key = keyOfEntry(map);
      const when = map.when ? { mask: wordFromHex(map.when.mask), value: wordFromHex(map.when.value) } : always();
      const entry = { map, key, when, fields: map.fields.map((f) => ({ map: f, bits: bitsOf(f) })) };
      this.byKey.set(key, [...(this.byKey.get(key) ?? []), entry]);
    }
  }

  /** `fields-sm90a.json`; the file of `same_as` stands beside it or in the folder of its target. */
  static read(path: string): MapReader {
    const doc = JSON.parse(readFileSync(path, "utf8")) as SmMap;
    if (doc.same_as === undefined) return new MapReader(doc, null);
    const sm = doc.same_as.replace("_", "");
    const name = `fields-${sm}.json`;
    const other = [join(dirname(path), name), join(dirname(path), "..", sm, name)].find((p) => existsSync(p));
    if (other === undefined) throw new Error(`${path} needs ${name}`);
    return new MapReader(doc, MapReader.read(other));
  }

  find(w: Word): ReadEntry | null {
    return this.byKey.get(keyOf(w))?.find((e) => holds(w, e.when)) ?? null;
  }
}

/** Tokens of a printed text, as an entry counts them. */
export function printedTokens(e: ReadEntry, text: string, address: number): string[] {
  const t = tokens(text);
  return e.map.pc_relative ? relative(t, address) : t;
}

/** Null where a value is unknown to the map. */
export function predictText(e: ReadEntry, w: Word): string[] | null {
  const base = e.map.tokens;
  const values = new Map(e.fields.map((f) => [f.bits[0]!, { field: f, value: fieldOf(w, f.bits) }]));
  const done = new Set<number>();
  const edits: Edit[] = [];
  for (const g of e.map.groups ?? []) {
    if (g.fields.some((lo) => done.has(lo) || !values.has(lo))) continue;
    const text = groupText(g, base, values);
    if (text === null) return null;
    edits.push(...difference(base, text));
    for (const lo of g.fields) done.add(lo);
  }
  for (const [lo, { field, value }] of values) {
    if (done.has(lo)) continue;
    const list = valueEdits(field.map, value);
    if (list === null) return null;
    // Down to real differences, so that neighbours do not get in each other's way.
    for (const x of list)
      for (const d of difference(base.slice(x.from, x.to), x.text))
        edits.push({ from: x.from + d.from, to: x.from + d.to, text: d.text });
  }
  return applyEdits(base, edits);
}

const editOf = ([from, to, text]: EditRow): Edit => ({ from, to, text: text === "" ? [] : text.split(" ") });

function count(c: Counting, value: bigint, width: number): bigint {
  let n = BigInt(c.bias ?? 0);
  if (c.weights) {
    c.weights.forEach((w, i) => {
      if ((value >> BigInt(i)) & 1n) n += BigInt(w);
    });
    return n;
  }
  const v = c.signed && value >> BigInt(width - 1) ? value - (1n << BigInt(width)) : value;
  return n + v * BigInt(c.scale!);
}

function groupText(
  g: GroupMap,
  base: readonly string[],
  values: ReadonlyMap<number, { readonly field: ReadField; readonly value: bigint }>,
): string[] | null {
  let best: GroupMap["cases"][number] | null = null;
  let most = -1;
  for (const c of g.cases) {
    const named = c.if.filter((x) => x !== null).length;
    if (named > most && c.if.every((x, i) => x === null || BigInt(x) === values.get(g.fields[i]!)!.value)) {
      best = c;
      most = named;
    }
  }
  if (best === null) return null;
  const out = applyEdits(base, best.edits.map(editOf));
  if (out === null) return null;
  for (const s of best.show) {
    const { field, value } = values.get(s.lo)!;
    out[s.token] = numberToken(s.prefix, count(s, value, field.map.width));
  }
  return out;
}

function valueEdits(f: FieldMap, value: bigint): Edit[] | null {
  const known = (f.values ?? f.special)?.[String(value)];
  if (typeof known === "string") return [editOf([f.span![0], f.span![1], known])];
  if (known !== undefined) return known.map(editOf);
  if (f.token === undefined) return String(value) === String(f.base) ? [] : null;
  const at = { from: f.token, to: f.token + 1 };
  if ("format" in f) {
    const x = f.format ? float(f.format, Number(value & 0xffffffffn)) : null;
    return x === null ? null : [{ ...at, text: [FLOAT_MARK + x] }];
  }
  return f.prefix === undefined
    ? null
    : [{ ...at, text: [numberToken(f.prefix, count(f as Counting, value, f.width))] }];
}

function float(format: NonNullable<FieldMap["format"]>, v: number): number {
  const d = new DataView(new ArrayBuffer(8));
  switch (format) {
    case "f32":
      d.setUint32(0, v);
      return d.getFloat32(0);
    case "f64hi":
      d.setUint32(0, v);
      return d.getFloat64(0);
    case "bf16":
      d.setUint32(0, v << 16);
      return d.getFloat32(0);
    case "f16": {
      const sign = v & 0x8000 ? -1 : 1;
      const [exponent, fraction] = [(v >> 10) & 31, v & 0x3ff];
      if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
      return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
    }
  }
}
