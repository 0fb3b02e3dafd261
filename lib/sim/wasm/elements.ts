/** Elements of matrix products: how many are in a word, and four words of them as vectors. number/elements.ts says what they are. */
import { Op } from "./opcodes.js";
import type { Vectors } from "./vectors.js";

export type Elements = "F16" | "BF16" | "TF32" | SmallFloat | SmallInteger | "E2M1.PACKED" | "B1" | "F64";
type SmallFloat = "E4M3" | "E5M2" | "E3M2" | "E2M3" | "E2M1";
type SmallInteger = "S8" | "U8" | "S4" | "U4";

/** Elements in a 32-bit word. */
export const perWord: Readonly<Record<Elements, number>> = {
  F64: 1 / 2,
  TF32: 1,
  F16: 2,
  BF16: 2,
  E4M3: 4,
  E5M2: 4,
  E3M2: 4,
  E2M3: 4,
  E2M1: 4,
  S8: 4,
  U8: 4,
  S4: 8,
  U4: 8,
  "E2M1.PACKED": 8,
  B1: 32,
};

const integers: readonly Elements[] = ["S8", "U8", "S4", "U4", "E2M1.PACKED", "B1"];
/** Its products are summed up as integers; those of packed E2M1 count halves. */
export const isInteger = (e: Elements): boolean => integers.includes(e);

/** Bytes that a word takes as pairs of 16-bit integers; single bits stay a word. */
export const bytesOf = (e: Elements): number => (e === "B1" ? 4 : 2 * perWord[e]);

/** Twice the value of E2M1 by its four bits, in the first bytes of four words. */
const HALVES_OF_E2M1 = [0x03020100, 0x0c080604, 0xfdfeff00 | 0, 0xf4f8fafc | 0] as const;

/** Neighbours of packed E2M1 as integers, in order. */
function packedPairs(w: Vectors, word: number): number[] {
  const table = w.words(...HALVES_OF_E2M1);
  const [even, odd] = [word, w.shifted(Op.i32x4ShrU, word, 4)].map((x) =>
    w.v(Op.swizzle, table, w.v(Op.and, x, w.splat(0x0f0f0f0f))),
  ) as [number, number];
  return [0, 1, 2, 3].map((i) => {
    const tops = Array.from({ length: 16 }, (_, at) => (at & ~3) + i + (at & 2 ? 16 : 0));
    return w.shifted(Op.i16x8ShrS, w.shuffled(even, odd, tops), 8);
  });
}

/**
 * Pairs of elements of words as 16-bit integers; of bytes the first and third, the second and fourth, of nibbles those four apart. Sums do not depend on
 * their order. Of packed E2M1 they are neighbours, and each integer is twice the element.
 */
export function pairs(w: Vectors, word: number, elements: Elements): number[] {
  if (elements === "B1") return [word];
  if (elements === "E2M1.PACKED") return packedPairs(w, word);
  const bits = 32 / perWord[elements];
  const signed = elements === "S8" || elements === "S4";
  return Array.from({ length: 16 / bits }, (_, i) => {
    if (signed) {
      const left = 16 - bits * (i + 1);
      return w.shifted(Op.i16x8ShrS, left === 0 ? word : w.shifted(Op.i16x8Shl, word, left), 16 - bits);
    }
    const low = i === 0 ? word : w.shifted(Op.i16x8ShrU, word, bits * i);
    return w.v(Op.and, low, w.splat(bits === 8 ? 0x00ff00ff : 0x000f000f));
  });
}

/** The f16 in the upper halves of words as f32; what is below them does not count; NaNs stay NaNs. */
function upperHalf(w: Vectors, top: number): number {
  // The magnitude three places lower is the f32 but for a factor of 2^112, which makes subnormals right, too.
  const scaled = w.v(
    Op.f32x4Mul,
    w.v(Op.and, w.shifted(Op.i32x4ShrS, top, 3), w.splat(0x8fffe000)),
    w.splat(0x77800000),
  );
  const isSpecial = w.v(Op.i32x4Eq, w.v(Op.and, top, w.splat(0x7c000000)), w.splat(0x7c000000));
  return w.v(Op.bitselect, w.v(Op.or, scaled, w.splat(0x7f800000)), scaled, isSpecial);
}

/** Lower or upper halves of words as f32; NaNs stay NaNs. */
export function half(w: Vectors, word: number, upper: boolean, elements: "F16" | "BF16"): number {
  const top = upper ? word : w.shifted(Op.i32x4Shl, word, 16);
  return elements === "F16" ? upperHalf(w, top) : w.v(Op.and, top, w.splat(0xffff0000));
}

/** Of small floats without infinities: bits with the unused upper ones, places from the sign in the top bit to an f32's, sign and magnitude there, the power of two that is missing. */
interface Small {
  readonly bits: number;
  readonly right: number;
  readonly kept: number;
  readonly scale: number;
}

const smalls: Readonly<Record<Exclude<SmallFloat, "E5M2">, Small>> = {
  E4M3: { bits: 8, right: 4, kept: 0x87f00000, scale: 127 - 7 },
  E3M2: { bits: 6, right: 5, kept: 0x83e00000, scale: 127 - 3 },
  E2M3: { bits: 6, right: 6, kept: 0x81f00000, scale: 127 - 1 },
  // The middle four bits of the byte.
  E2M1: { bits: 6, right: 6, kept: 0x81c00000, scale: 127 - 1 },
};

function small(w: Vectors, word: number, byte: number, elements: SmallFloat): number {
  const shifted = (left: number): number => (left === 0 ? word : w.shifted(Op.i32x4Shl, word, left));
  if (elements === "E5M2") return upperHalf(w, w.v(Op.and, shifted(24 - 8 * byte), w.splat(0xff000000)));
  const { bits, right, kept, scale } = smalls[elements];
  const top = shifted(32 - bits - 8 * byte);
  const x = w.v(
    Op.f32x4Mul,
    w.v(Op.and, w.shifted(Op.i32x4ShrS, top, right), w.splat(kept)),
    w.splat((127 + scale) << 23),
  );
  if (elements !== "E4M3") return x;
  const isNan = w.v(Op.i32x4Eq, w.v(Op.and, top, w.splat(0x7f000000)), w.splat(0x7f000000));
  return w.v(Op.or, x, w.v(Op.and, isNan, w.splat(0x7fc00000)));
}

/** Element `i` of words as f32. */
export function float(w: Vectors, word: number, i: number, elements: Elements): number {
  switch (elements) {
    case "TF32":
      return w.v(Op.and, word, w.splat(0xffffe000));
    case "F16":
    case "BF16":
      return half(w, word, i === 1, elements);
    case "E4M3":
    case "E5M2":
    case "E3M2":
    case "E2M3":
    case "E2M1":
      return small(w, word, i, elements);
    default:
      throw new Error(`${elements} is no float of at most 32 bits`);
  }
}
