/** What the instruction table says about the bits of a word: operands, whose values are free, and everything else. */

import { tableFor } from "../../lib/isa/compiled.js";
import { findLine } from "../../lib/sass/decode.js";
import { fieldsOf } from "../../lib/sass/docs.js";

export const WORD = 128;
/** The control word is no part of what is described. */
export const BITS = 105;
const OPCODE = 12;
const GUARD = 16;
/** Any control word that no instruction refuses: stall 1, no scoreboards. */
const CONTROL = 0x7f1 << 9;
/** Numbers of fewer bits are taken as modifiers. */
const WIDE = 12;

export interface Operand {
  /** Register, predicate, number, or a place in the code. */
  readonly kind: "r" | "p" | "n" | "label";
  /** Counted over all words of the unit, 128 bits each. */
  readonly from: number;
  readonly length: number;
}

export interface Shape {
  /** Equal for words with the same operands in the same places. */
  readonly name: string;
  readonly mnemonic: string;
  readonly words: number;
  readonly operands: readonly Operand[];
  /** Places of one piece that are no operands: modifiers, signs, small numbers. */
  readonly groups: readonly { readonly from: number; readonly length: number }[];
  /** Where the number of a constant bank stands. */
  readonly bank: { readonly from: number; readonly length: number } | null;
  /** All bits that are neither guard nor operand. */
  readonly rest: readonly number[];
}

interface WordShape extends Shape {
  readonly words: 1;
}

const shapes = new Map<string, Shape>();

function wordShape(word: Uint32Array): WordShape | null {
  const w = word.slice();
  w[3] = (w[3]! & 0x1ff) | CONTROL;
  const line = findLine(tableFor(100), w, 0) ?? findLine(tableFor(120), w, 0) ?? findLine(tableFor(103), w, 0);
  if (line === null) return null;
  const operands: Operand[] = [];
  let bank: { from: number; length: number } | null = null;
  const groups: { from: number; length: number }[] = [];
  const taken = new Set<number>();
  for (const f of fieldsOf(line)) {
    if (f.letter === "C" || f.what.startsWith("guard")) continue;
    const what = f.what.replace(/^\S+: /, "");
    if (/^(distance|address)/.test(what))
      for (const { lo: from, width: length } of f.loc) {
        operands.push({ kind: "label", from, length });
        for (let i = 0; i < length; i++) taken.add(from + i);
      }
    const one = f.loc.length === 1 ? f.loc[0]! : null;
    if (one === null || one.lo >= BITS) continue;
    const { lo: from, width: length } = one;
    const kind = /^register (R|UR)|^index register|^uniform register/.test(what)
      ? length === 8
        ? "r"
        : null
      : /^predicate/.test(what)
        ? "p"
        : /^(number|offset|distance|address)/.test(what) && length >= WIDE
          ? "n"
          : null;
    if (what === "bank") bank = { from, length };
    if (kind === null) groups.push({ from, length });
    else if (!operands.some((o) => o.from === from)) {
      operands.push({ kind, from, length });
      for (let i = 0; i < length; i++) taken.add(from + i);
    }
  }
  operands.sort((a, b) => a.from - b.from);
  const rest: number[] = [];
  for (let b = GUARD; b < BITS; b++) if (!taken.has(b)) rest.push(b);
  const name = `${(w[0]! & ((1 << OPCODE) - 1)).toString(16).padStart(3, "0")} ${operands.map((o) => `${o.kind}${o.from}.${o.length}`).join(" ")}`;
  return { name, mnemonic: line.line.row.op.split(".")[0]!, words: 1, operands, groups, bank, rest };
}

/** Null where the instruction table does not know a word. */
export function shapeOf(words: readonly Uint32Array[]): Shape | null {
  const each: WordShape[] = [];
  for (const w of words) {
    const s = wordShape(w);
    if (s === null) return null;
    each.push(s);
  }
  const name = each.map((s) => s.name).join(" + ");
  const known = shapes.get(name);
  if (known !== undefined) {
    // Lines of one layout differ in their modifiers: all their groups may tell items apart.
    const groups = known.groups as { from: number; length: number }[];
    each.forEach((s, k) => {
      for (const g of s.groups)
        if (!groups.some((h) => h.from === g.from + k * WORD && h.length === g.length))
          groups.push({ from: g.from + k * WORD, length: g.length });
    });
    return known;
  }
  const shape: Shape = {
    name,
    mnemonic: (each.find((s) => !fillers.includes(s.mnemonic)) ?? each[0]!).mnemonic,
    words: words.length,
    operands: each.flatMap((s, k) => s.operands.map((o) => ({ ...o, from: o.from + k * WORD }))),
    groups: each.flatMap((s, k) => s.groups.map((g) => ({ from: g.from + k * WORD, length: g.length }))),
    bank: each.length === 1 ? each[0]!.bank : null,
    rest: each.flatMap((s, k) => s.rest.map((b) => b + k * WORD)),
  };
  shapes.set(name, shape);
  return shape;
}

const fillers: readonly string[] = ["WARPSYNC", "LDS", "SHF", "LOP3"];

export function bitsAt(words: Uint32Array, from: number, length: number): number {
  let v = 0;
  for (let i = length - 1; i >= 0; i--) v = v * 2 + ((words[(from + i) >> 5]! >>> ((from + i) & 31)) & 1);
  return v;
}
