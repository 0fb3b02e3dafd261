/**
 * Bits that no text shows: constants of them in compiled words; where an encoding was never met, those of encodings of
 * the same operation (low nine opcode bits), else 0, which is a guess.
 */
import type { Defaults, EntryMap } from "./types.js";
import { always, bitOf, hexMask, holds, keyOf, setBit, type Word, wordFromHex, zero } from "./word.js";

interface Constant {
  readonly ones: Word;
  readonly zeros: Word;
  seen: number;
}

export function setDefaults(entries: readonly EntryMap[], real: readonly Word[]): void {
  const constants = observed(entries, real);
  const siblings = new Map<string, [number, number]>();
  for (const [e, c] of constants) {
    const bits = [...e.unprinted, ...(e.illegal_flips ?? [])];
    const mask = zero();
    const value = zero();
    const varies = zero();
    for (const b of bits) {
      const constant = bitOf(c.ones, b) === 1 || bitOf(c.zeros, b) === 1;
      if (!constant) setBit(varies, b, 1);
      else {
        setBit(mask, b, 1);
        setBit(value, b, bitOf(c.ones, b));
      }
    }
    const some = varies.some((x) => x !== 0);
    const defaults: Defaults = { mask: hexMask(mask), value: hexMask(value), seen: c.seen };
    e.defaults = some ? { ...defaults, varies: hexMask(varies) } : defaults;
    for (const b of e.unprinted) {
      if (!bitOf(mask, b)) continue;
      for (const k of siblingKeys(e, b)) {
        const n = siblings.get(k) ?? [0, 0];
        n[bitOf(value, b) as 0 | 1]++;
        siblings.set(k, n);
      }
    }
  }
  for (const e of entries) if (!constants.has(e)) e.defaults = inferred(e, siblings);
}

const siblingKeys = (e: EntryMap, bit: number): readonly [string, string] => [
  `${e.opcode} ${e.bit91} ${bit}`,
  `${Number.parseInt(e.opcode, 16) & 0x1ff} ${bit}`,
];

function inferred(e: EntryMap, siblings: ReadonlyMap<string, readonly [number, number]>): Defaults {
  const mask = zero();
  const value = zero();
  let known = 0;
  for (const b of e.unprinted) {
    setBit(mask, b, 1);
    const n = siblingKeys(e, b)
      .map((k) => siblings.get(k))
      .find((x) => x !== undefined);
    if (n === undefined) continue;
    known++;
    setBit(value, b, n[1] > n[0] ? 1 : 0);
  }
  const base = wordFromHex(e.base);
  for (const b of e.illegal_flips ?? []) {
    setBit(mask, b, 1);
    setBit(value, b, bitOf(base, b));
  }
  return {
    mask: hexMask(mask),
    value: hexMask(value),
    inferred: known > 0 && 2 * known >= e.unprinted.length ? "siblings" : "zero",
  };
}

/** Bits that are 1, and 0, in all words of an entry. */
function observed(entries: readonly EntryMap[], real: readonly Word[]): Map<EntryMap, Constant> {
  const byKey = new Map<number, { e: EntryMap; when: { mask: Word; value: Word } }[]>();
  for (const e of entries) {
    const key = Number.parseInt(e.opcode, 16) | (e.bit91 << 12);
    const when = e.when ? { mask: wordFromHex(e.when.mask), value: wordFromHex(e.when.value) } : always();
    byKey.set(key, [...(byKey.get(key) ?? []), { e, when }]);
  }
  const out = new Map<EntryMap, Constant>();
  for (const w of real) {
    const e = byKey.get(keyOf(w))?.find((x) => holds(w, x.when))?.e;
    if (e === undefined) continue;
    let c = out.get(e);
    if (c === undefined) {
      c = { ones: w.slice(), zeros: w.map((x) => ~x), seen: 0 };
      out.set(e, c);
    }
    for (let i = 0; i < 4; i++) {
      c.ones[i]! &= w[i]!;
      c.zeros[i]! &= ~w[i]!;
    }
    c.seen++;
  }
  return out;
}
