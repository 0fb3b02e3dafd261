/**
 * Instruction words: 128 bits as four u32, lowest first. Bit 0 is the lowest bit of the first byte. The encoding of an
 * instruction is chosen by bits 0-11 and 91; both together are its key (bit 91 as bit 12).
 */
import type { Random } from "../../lib/sim/random.js";

export type Word = Uint32Array;

/** First bit of the control word (stall, yield, scoreboards, reuse). */
export const CONTROL_BIT = 105;
/** A control word that nearly every instruction takes: stall 1, no scoreboards, no waits. */
const CONTROL_HIGH = 0x7f1 << 9;
/** Reuse flags of the source operands, the only printed bits of the control word. */
export const REUSE_BITS: readonly number[] = [122, 123, 124, 125];
/** Bits that a word may differ in from others of its key. */
export const FREE_BITS: readonly number[] = Array.from({ length: CONTROL_BIT - 12 }, (_, i) => i + 12).filter(
  (b) => b !== 91,
);

export const wordOf = (a: number, b: number, c: number, d: number): Word => Uint32Array.of(a, b, c, d);
export const zero = (): Word => new Uint32Array(4);

export const bitOf = (w: Word, bit: number): number => (w[bit >> 5]! >>> (bit & 31)) & 1;

export function setBit(w: Word, bit: number, value: number): void {
  const mask = 1 << (bit & 31);
  if (value) w[bit >> 5]! |= mask;
  else w[bit >> 5]! &= ~mask;
}

export function flipped(w: Word, ...bits: readonly number[]): Word {
  const out = w.slice();
  for (const b of bits) out[b >> 5]! ^= 1 << (b & 31);
  return out;
}

/** Value of scattered bits, low to high. */
export function fieldOf(w: Word, bits: readonly number[]): bigint {
  let lo = 0;
  const n = Math.min(bits.length, 32);
  for (let i = 0; i < n; i++) lo |= bitOf(w, bits[i]!) << i;
  if (bits.length <= 32) return BigInt(lo >>> 0);
  let hi = 0;
  for (let i = 32; i < bits.length; i++) hi |= bitOf(w, bits[i]!) << (i - 32);
  return (BigInt(hi >>> 0) << 32n) | BigInt(lo >>> 0);
}

export function setField(w: Word, bits: readonly number[], value: bigint): void {
  const lo = Number(value & 0xffffffffn);
  const hi = bits.length > 32 ? Number(value >> 32n) : 0;
  for (let i = 0; i < bits.length; i++) setBit(w, bits[i]!, i < 32 ? (lo >>> i) & 1 : (hi >>> (i - 32)) & 1);
}

export const keyOf = (w: Word): number => (w[0]! & 0xfff) | (bitOf(w, 91) << 12);

/** `210`, `c10u`: bits 0-11 in hex, `u` where bit 91 is set. */
export const keyName = (key: number): string => (key & 0xfff).toString(16).padStart(3, "0") + (key >> 12 ? "u" : "");
export const keyNamed = (name: string): number => Number.parseInt(name, 16) | (name.endsWith("u") ? 0x1000 : 0);

/** All words of a key whose bits under the mask have the value. */
export interface When {
  readonly mask: Word;
  readonly value: Word;
}

export const always = (): When => ({ mask: zero(), value: zero() });

export function holds(w: Word, { mask, value }: When): boolean {
  return (
    (w[0]! & mask[0]!) >>> 0 === value[0]! &&
    (w[1]! & mask[1]!) >>> 0 === value[1]! &&
    (w[2]! & mask[2]!) >>> 0 === value[2]! &&
    (w[3]! & mask[3]!) >>> 0 === value[3]!
  );
}

export function narrowed(when: When, bit: number, value: number): When {
  const out = { mask: when.mask.slice(), value: when.value.slice() };
  setBit(out.mask, bit, 1);
  setBit(out.value, bit, value);
  return out;
}

/** The word with a harmless control word, and with the bits that `when` demands. */
export function settled(w: Word, { mask, value }: When): Word {
  const out = w.slice();
  out[3] = (out[3]! & 0x1ff) | CONTROL_HIGH;
  for (let i = 0; i < 4; i++) out[i] = (out[i]! & ~mask[i]!) | value[i]!;
  return out;
}

/** A word of a key with all other bits random. */
export function randomWord(key: number, random: Random): Word {
  const w = wordOf(random.word(), random.word(), random.word(), (random.word() & 0x1ff) | CONTROL_HIGH);
  w[0] = (w[0]! & ~0xfff) | (key & 0xfff);
  setBit(w, 91, key >> 12);
  return w;
}

/** Distinguishes words; the control word does not count. */
export const sameBits = (w: Word): string => `${w[0]!},${w[1]!},${w[2]!},${w[3]! & 0x1ff}`;

export const hexWord = (w: Word): string =>
  `0x${[3, 2, 1, 0].map((k) => w[k]!.toString(16).padStart(8, "0")).join("")}`;
/** Without leading zeros. */
export const hexMask = (w: Word): string =>
  `0x${hexWord(w)
    .slice(2)
    .replace(/^0+(?=.)/, "")}`;

export function wordFromHex(text: string): Word {
  const digits = text.replace(/^0x/, "").padStart(32, "0");
  return wordOf(
    ...([3, 2, 1, 0].map((k) => Number.parseInt(digits.slice(8 * k, 8 * k + 8), 16)) as [
      number,
      number,
      number,
      number,
    ]),
  );
}

export function bitsOfMask(w: Word): number[] {
  const out: number[] = [];
  for (let b = 0; b < 128; b++) if (bitOf(w, b)) out.push(b);
  return out;
}

export function maskOfBits(bits: Iterable<number>): Word {
  const out = zero();
  for (const b of bits) setBit(out, b, 1);
  return out;
}

/** From 0 to n − 1. */
export const below = (random: Random, n: number): number => random.word() % n;
export const pick = <T>(random: Random, list: readonly T[]): T => list[below(random, list.length)]!;

/** Random value of a field of n bits. */
export function randomValue(random: Random, n: number): bigint {
  const v = (BigInt(random.word()) << 32n) | BigInt(random.word());
  return v & ((1n << BigInt(n)) - 1n);
}

/** In place. */
export function shuffle<T>(random: Random, list: T[]): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = below(random, i + 1);
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}

/** Without words that differ in the control word only. */
export function distinct(words: Iterable<Word>): Word[] {
  const seen = new Map<string, Word>();
  for (const w of words) {
    const k = sameBits(w);
    if (!seen.has(k)) seen.set(k, w);
  }
  return [...seen.values()];
}
