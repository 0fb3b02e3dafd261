/** IEEE binary64 arithmetic with every rounding mode and an exact fused multiply-add. */
import { dyadic, dyadicToDouble, nextDouble, productError, Rounding, roundOdd, sumError } from "./rounding.js";

const f64: Float64Array = new Float64Array(1);
const i32: Int32Array = new Int32Array(f64.buffer);

export function doubleOf(lo: number, hi: number): number {
  i32[0] = lo;
  i32[1] = hi;
  return f64[0]!;
}

export function lowOf(x: number): number {
  f64[0] = x;
  return i32[0]!;
}

export function highOf(x: number): number {
  f64[0] = x;
  return i32[1]!;
}

function directed(s: number, e: number, mode: Rounding): number {
  if (e === 0) return s;
  if (e < 0) return mode === Rounding.RM || (mode === Rounding.RZ && s > 0) ? nextDouble(s, false) : s;
  return mode === Rounding.RP || (mode === Rounding.RZ && s < 0) ? nextDouble(s, true) : s;
}

/** Magnitudes between which every error term of a product or sum is itself a normal double. */
function moderate(x: number): boolean {
  const m = Math.abs(x);
  return m > 1e-140 && m < 1e140;
}

export function add64(a: number, b: number, mode: Rounding): number {
  if (mode === Rounding.RN) return a + b;
  return moderate(a) && moderate(b) && a !== -b ? directed(a + b, sumError(a, b, a + b), mode) : fma64(a, 1, b, mode);
}

export function mul64(a: number, b: number, mode: Rounding): number {
  const p = a * b;
  if (mode === Rounding.RN || p === 0 || !Number.isFinite(p)) {
    if (mode === Rounding.RN || a === 0 || b === 0 || !Number.isFinite(a) || !Number.isFinite(b)) return p;
  } else if (moderate(a) && moderate(b)) return directed(p, productError(a, b, p), mode);
  const x = dyadic(a);
  const y = dyadic(b);
  return dyadicToDouble(x.negative !== y.negative, x.m * y.m, x.exponent + y.exponent, mode);
}

/** `a·b + c` rounded once. */
export function fma64(a: number, b: number, c: number, mode: Rounding): number {
  const p = a * b;
  if (!Number.isFinite(a) || !Number.isFinite(b) || !Number.isFinite(c)) {
    return Number.isFinite(a) && Number.isFinite(b) ? c : Number.isNaN(p) ? p : p + c;
  }
  if (mode === Rounding.RN) {
    if (a === 0 || b === 0) return p + c;
    if (moderate(a) && moderate(b) && (c === 0 || moderate(c))) {
      if (c === 0) return p;
      const ul = productError(a, b, p);
      const th = c + ul;
      const tl = sumError(c, ul, th);
      const vh = p + th;
      const vl = sumError(p, th, vh);
      const z = tl + vl;
      return vh + roundOdd(z, sumError(tl, vl, z));
    }
  }
  return exactFma(a, b, c, mode);
}

function exactFma(a: number, b: number, c: number, mode: Rounding): number {
  const x = dyadic(a);
  const y = dyadic(b);
  const z = dyadic(c);
  const exponent = Math.min(x.exponent + y.exponent, z.exponent);
  const product = (x.m * y.m) << BigInt(x.exponent + y.exponent - exponent);
  const addend = z.m << BigInt(z.exponent - exponent);
  const minus = x.negative !== y.negative;
  const sum = (minus ? -product : product) + (z.negative ? -addend : addend);
  if (sum === 0n) {
    if (product === 0n && addend === 0n && minus === z.negative) return minus ? -0 : 0;
    return mode === Rounding.RM ? -0 : 0;
  }
  return dyadicToDouble(sum < 0n, sum < 0n ? -sum : sum, exponent, mode);
}
