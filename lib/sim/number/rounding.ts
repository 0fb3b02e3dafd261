/**
 * Exact rounding, the ground the arithmetic stands on.
 *
 * An exact result is held as `s + e`: `s` the nearest double, `e` what is missing (also a double, exact, by two-sum or
 * two-product). Rounding `s` alone to a shorter format would round twice; rounding `s` *to odd* first keeps the one bit
 * of information that the second rounding needs (Boldo, Melquiond: "Emulation of FMA and correctly rounded sums").
 * Where the error terms themselves could overflow or underflow, the value goes through a bigint instead.
 */

/** Rounding modes under the names of SASS. */
export const Rounding = { RN: 0, RM: 1, RP: 2, RZ: 3 } as const;
export type Rounding = (typeof Rounding)[keyof typeof Rounding];

const f64: Float64Array = new Float64Array(1);
const i32: Int32Array = new Int32Array(f64.buffer);
const u64: BigUint64Array = new BigUint64Array(f64.buffer);

/** The error of `a + b` when `s = a + b` is finite (Knuth). */
export function sumError(a: number, b: number, s: number): number {
  const t = s - a;
  return a - (s - t) + (b - t);
}

const SPLIT = 134217729;

/** The error of `a * b` when `p = a * b`; exact while nothing overflows or underflows (Dekker, Veltkamp). */
export function productError(a: number, b: number, p: number): number {
  const ta = SPLIT * a;
  const ah = ta - (ta - a);
  const al = a - ah;
  const tb = SPLIT * b;
  const bh = tb - (tb - b);
  const bl = b - bh;
  return al * bl - (p - ah * bh - al * bh - ah * bl);
}

/** The neighbour of a finite double in the direction of `up`. */
export function nextDouble(x: number, up: boolean): number {
  if (x === 0) return up ? Number.MIN_VALUE : -Number.MIN_VALUE;
  f64[0] = x;
  u64[0] = u64[0]! + (up === x > 0 ? 1n : -1n);
  return f64[0];
}

/** `s + e` rounded to odd: of the two doubles around an inexact value the one with an odd significand. */
export function roundOdd(s: number, e: number): number {
  if (e === 0 || !Number.isFinite(s)) return s;
  f64[0] = s;
  return (i32[0]! & 1) !== 0 ? s : nextDouble(s, e > 0);
}

/** An exact dyadic number `±m · 2^exponent`. */
export interface Dyadic {
  readonly negative: boolean;
  readonly m: bigint;
  readonly exponent: number;
}

/** A finite double as a dyadic number. */
export function dyadic(x: number): Dyadic {
  f64[0] = x;
  const bits = u64[0]!;
  const field = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  return {
    negative: bits >> 63n !== 0n,
    m: field === 0 ? fraction : fraction | 0x10000000000000n,
    exponent: (field === 0 ? 1 : field) - 1075,
  };
}

function bitLength(m: bigint): number {
  return m === 0n ? 0 : m.toString(2).length;
}

/** `(m · 2^exponent)` rounded to `precision` bits with the smallest exponent `least` of the last place. */
export function roundDyadic(
  negative: boolean,
  m: bigint,
  exponent: number,
  mode: Rounding,
  precision: number,
  least: number,
): Dyadic {
  const drop = Math.max(bitLength(m) - precision, least - exponent);
  if (drop <= 0) return { negative, m, exponent };
  const n = BigInt(drop);
  let kept = m >> n;
  const rest = m - (kept << n);
  const half = 1n << (n - 1n);
  const up =
    mode === Rounding.RN
      ? rest > half || (rest === half && (kept & 1n) === 1n)
      : rest !== 0n && ((mode === Rounding.RM && negative) || (mode === Rounding.RP && !negative));
  if (up) kept += 1n;
  return { negative, m: kept, exponent: exponent + drop };
}

/** An exact dyadic number as the double it rounds to. */
export function dyadicToDouble(negative: boolean, m: bigint, exponent: number, mode: Rounding): number {
  const r = roundDyadic(negative, m, exponent, mode, 53, -1074);
  let value: number;
  if (bitLength(r.m) + r.exponent > 1024) {
    const inward = mode === Rounding.RZ || (mode === Rounding.RM && !negative) || (mode === Rounding.RP && negative);
    value = inward ? Number.MAX_VALUE : Number.POSITIVE_INFINITY;
  } else {
    // Both steps are exact: the significand has at most 53 bits and fits the format at this exponent.
    value = r.exponent < -1000 ? Number(r.m) * 2 ** (r.exponent + 200) * 2 ** -200 : scale(Number(r.m), r.exponent);
  }
  return negative ? -value : value;
}

function scale(x: number, exponent: number): number {
  if (exponent <= 900) return x * 2 ** exponent;
  return x * 2 ** 900 * 2 ** (exponent - 900);
}
