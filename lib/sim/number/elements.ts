/**
 * Elements of matrix fragments: several to a 32-bit register, the lowest first. A matrix is held as rows of words, and as
 * rows of values.
 *
 * Sources: PTX ISA 9.7.14.5.14 (e2m1 in the middle four bits, e3m2 and e2m3 in the low six of a byte), 5.2.3 (formats; tf32
 * has the range of f32 and 10 fraction bits, its layout is implementation defined: the upper 19 bits of the word are taken, as
 * cvt.rna.tf32 writes them, the others ignored).
 */
import { E4M3, E5M2, float8Value } from "./float8.js";
import { BF16, F16, type Short, shortValue } from "./half.js";

export interface Element {
  readonly name: string;
  /** Bits that an element takes in a register. */
  readonly bits: number;
  /** Value of each pattern of `bits`; null for tf32, which is read from the word. */
  readonly values: Float64Array | null;
}

const f32: Float32Array = new Float32Array(1);
const i32: Int32Array = new Int32Array(f32.buffer);

/** Value of a pattern by sign, exponent and fraction without infinities (the 4- and 6-bit formats of OCP MX have none). */
function smallFloat(pattern: number, exponentBits: number, fractionBits: number): number {
  const bias = (1 << (exponentBits - 1)) - 1;
  const exponent = (pattern >> fractionBits) & ((1 << exponentBits) - 1);
  const fraction = pattern & ((1 << fractionBits) - 1);
  const sign = (pattern >> (exponentBits + fractionBits)) & 1 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** (1 - bias - fractionBits);
  return sign * (fraction + (1 << fractionBits)) * 2 ** (exponent - bias - fractionBits);
}

function short(format: Short): (pattern: number) => number {
  return (pattern) => shortValue(pattern, format);
}

const makers: Readonly<Record<string, readonly [bits: number, value: ((pattern: number) => number) | null]>> = {
  F16: [16, short(F16)],
  BF16: [16, short(BF16)],
  TF32: [32, null],
  E4M3: [8, (p) => float8Value(p, E4M3)],
  E5M2: [8, (p) => float8Value(p, E5M2)],
  E3M2: [8, (p) => smallFloat(p & 0x3f, 3, 2)],
  E2M3: [8, (p) => smallFloat(p & 0x3f, 2, 3)],
  E2M1: [8, (p) => smallFloat((p >> 2) & 0xf, 2, 1)],
  /** As products of four-bit elements alone hold it: eight to a register. */
  "E2M1.PACKED": [4, (p) => smallFloat(p, 2, 1)],
  S8: [8, (p) => (p << 24) >> 24],
  U8: [8, (p) => p],
  S4: [4, (p) => (p << 28) >> 28],
  U4: [4, (p) => p],
};

const made = new Map<string, Element>();

/** The element type of a modifier (`F16`, `E4M3`, `S8` …); undefined for other names. Tables are made when first asked for. */
export function elementOf(name: string): Element | undefined {
  const maker = Object.hasOwn(makers, name) ? makers[name] : undefined;
  if (maker === undefined) return undefined;
  let element = made.get(name);
  if (element === undefined) {
    const [bits, value] = maker;
    element = {
      name,
      bits,
      values: value === null ? null : Float64Array.from({ length: 1 << bits }, (_, p) => value(p)),
    };
    made.set(name, element);
  }
  return element;
}

/** Reads `count` words as values; `sign` −1 negates them. */
export function unpack(words: Int32Array, count: number, e: Element, sign: number, out: Float64Array): void {
  const { bits, values } = e;
  if (values === null) {
    for (let i = 0; i < count; i++) {
      i32[0] = words[i]! & 0xffffe000;
      out[i] = sign * f32[0]!;
    }
    return;
  }
  const mask = (1 << bits) - 1;
  let at = 0;
  for (let i = 0; i < count; i++) {
    const word = words[i]!;
    for (let shift = 0; shift < 32; shift += bits) out[at++] = sign * values[(word >>> shift) & mask]!;
  }
}

/** `sum[i · columns + j] += Σ a[i · depth + k] · b[j · depth + k]`, in the order of k. */
export function accumulate(
  sum: Float64Array,
  a: Float64Array,
  b: Float64Array,
  rows: number,
  columns: number,
  depth: number,
): void {
  for (let i = 0; i < rows; i++) {
    const ai = i * depth;
    for (let j = 0; j < columns; j++) {
      const bj = j * depth;
      let s = 0;
      for (let k = 0; k < depth; k++) s += a[ai + k]! * b[bj + k]!;
      sum[i * columns + j]! += s;
    }
  }
}

/** A sum as the bits of an f32, rounded toward zero; no number as the canonical one. */
export function truncatedF32(x: number): number {
  if (Number.isNaN(x)) return 0x7fffffff;
  f32[0] = x;
  if (Math.abs(f32[0]!) > Math.abs(x)) i32[0]!--;
  return i32[0]!;
}
