/** The FMA of f64 as products and sums with their errors: for segments (float.ts) and matrix products (doubles.ts). */
import { Op } from "./opcodes.js";

/** What code is made with. */
export interface Maker {
  v(op: number, ...args: readonly number[]): number;
  /** Two words twice. */
  pairs(low: number, high: number): number;
  /** What is kept of a vector where it stays the same. */
  once<T>(key: string, make: () => T): T;
}

/** Upper words of the least and the greatest factor of a product that is to be exact, and what its lower word must not have: factors of at most 26 bits. */
export const SHORT_LEAST: number = (1023 - 480) << 20;
export const SHORT_MOST: number = (1023 + 480) << 20;
export const SHORT_BITS = 0x07ffffff;

/** A pair of f64. */
function f64s(e: Maker, x: number): number {
  const bits = new Int32Array(Float64Array.of(x).buffer);
  return e.pairs(bits[0]!, bits[1]!);
}

/** High and low parts of 26 bits; infinite or NaN where the number is too large. */
function split(e: Maker, a: number): readonly [number, number] {
  return e.once(`split ${a}`, () => {
    const half = e.v(Op.i64x2Add, a, e.pairs(1 << 26, 0));
    const high = e.v(Op.and, half, e.pairs(-1 << 27, -1));
    return [high, e.v(Op.f64x2Sub, a, high)] as const;
  });
}

const isZero = (e: Maker, a: number): number => e.once(`zero ${a}`, () => e.v(Op.f64x2Eq, a, e.pairs(0, 0)));

/**
 * The result for two lanes, and where it may be wrong. With p = RN(a·b), a·b = p − low exactly unless something overflowed, which makes `low` a NaN, or
 * |p| is tiny; p + c = s − error exactly. So the sum lies between s − rest·(1 + ε) and s − rest·(1 − ε), and is what both round to where that is the
 * same. It is s where the product is exact.
 */
export function quickFma64(e: Maker, a: number, b: number, c: number): readonly [number, number] {
  const p = e.v(Op.f64x2Mul, a, b);
  const [ah, al] = split(e, a);
  const [bh, bl] = split(e, b);
  // Dekker: p − ah·bh − al·bh − ah·bl − al·bl
  let low = e.v(Op.f64x2Sub, p, e.v(Op.f64x2Mul, ah, bh));
  low = e.v(Op.f64x2Sub, low, e.v(Op.f64x2Mul, al, bh));
  low = e.v(Op.f64x2Sub, low, e.v(Op.f64x2Mul, ah, bl));
  low = e.v(Op.f64x2Sub, low, e.v(Op.f64x2Mul, al, bl));
  // Knuth
  const s = e.v(Op.f64x2Add, p, c);
  const t = e.v(Op.f64x2Sub, s, p);
  const error = e.v(Op.f64x2Add, e.v(Op.f64x2Sub, e.v(Op.f64x2Sub, s, t), p), e.v(Op.f64x2Sub, t, c));
  // Rounded once, to 2^-53 of itself. Taken away, not added, so that −0 stays.
  const inexact = e.v(Op.f64x2Ne, low, e.pairs(0, 0));
  const rest = e.v(Op.and, e.v(Op.f64x2Add, error, low), inexact);
  const result = e.v(Op.f64x2Sub, s, e.v(Op.f64x2Mul, rest, f64s(e, 1 + 2 ** -50)));
  const other = e.v(Op.f64x2Sub, s, e.v(Op.f64x2Mul, rest, f64s(e, 1 - 2 ** -50)));
  const tiny = e.v(Op.f64x2Le, e.v(Op.f64x2Abs, p), f64s(e, 2 ** -800));
  const small = e.v(Op.andnot, tiny, e.v(Op.or, isZero(e, a), isZero(e, b)));
  return [result, e.v(Op.or, e.v(Op.f64x2Ne, result, other), small)];
}
