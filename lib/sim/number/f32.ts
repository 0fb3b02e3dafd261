/** IEEE binary32 arithmetic on JavaScript numbers that hold f32 values: every rounding mode, fused multiply-add exact. */
import { Rounding, roundOdd, sumError } from "./rounding.js";

const f32: Float32Array = new Float32Array(1);
const i32: Int32Array = new Int32Array(f32.buffer);

export const MAX_F32 = 3.4028234663852886e38;

/** The bits of an f32; any NaN becomes the machine's canonical one. */
export function bitsOfF32(x: number): number {
  if (Number.isNaN(x)) return 0x7fffffff;
  f32[0] = x;
  return i32[0]!;
}

export function f32OfBits(bits: number): number {
  i32[0] = bits;
  return f32[0]!;
}

/** The neighbour of a finite f32. */
export function nextF32(x: number, up: boolean): number {
  if (x === 0) return up ? 1.401298464324817e-45 : -1.401298464324817e-45;
  f32[0] = x;
  i32[0] = i32[0]! + (up === x > 0 ? 1 : -1);
  return f32[0]!;
}

/** Subnormals to zero of the same sign. */
export function flush(x: number): number {
  return x < 1.1754943508222875e-38 && x > -1.1754943508222875e-38 ? (x < 0 || Object.is(x, -0) ? -0 : 0) : x;
}

/** The exact value `s + e` (see rounding.ts) rounded to f32. */
export function toF32(s: number, e: number, mode: Rounding): number {
  if (mode === Rounding.RN) return Math.fround(e === 0 ? s : roundOdd(s, e));
  if (!Number.isFinite(s)) return s;
  const r = Math.fround(s);
  if (r === Number.POSITIVE_INFINITY) return mode === Rounding.RP ? r : MAX_F32;
  if (r === Number.NEGATIVE_INFINITY) return mode === Rounding.RM ? r : -MAX_F32;
  const d = s - r;
  const off = d !== 0 ? d : e;
  if (off === 0) return r;
  if (off < 0) {
    // The exact value lies below r.
    if (mode === Rounding.RM || (mode === Rounding.RZ && s > 0)) return nextF32(r, false);
  } else if (mode === Rounding.RP || (mode === Rounding.RZ && s < 0)) return nextF32(r, true);
  return r;
}

/** The sign of an exact zero sum: +0 unless both are −0, −0 towards −∞ unless both are +0 (IEEE 754 §6.3). */
function zeroSum(a: number, b: number, s: number, mode: Rounding): number {
  if (mode !== Rounding.RM) return s;
  return Object.is(a, 0) && Object.is(b, 0) ? 0 : -0;
}

export function add32(a: number, b: number, mode: Rounding): number {
  const s = a + b;
  // f64 has more than 2·24 + 2 bits, so rounding its sum again to nearest is harmless (Figueroa).
  if (mode === Rounding.RN) return Math.fround(s);
  if (s === 0) return zeroSum(a, b, s, mode);
  return Number.isFinite(s) ? toF32(s, sumError(a, b, s), mode) : s;
}

export function mul32(a: number, b: number, mode: Rounding): number {
  const p = a * b; // exact: 48 bits
  return mode === Rounding.RN ? Math.fround(p) : toF32(p, 0, mode);
}

/** `a·b + c` rounded once, to nearest even. */
export function fma32(a: number, b: number, c: number): number {
  const p = a * b;
  const s = p + c;
  const r = Math.fround(s);
  const d = s - r;
  // The second rounding errs only when s lies midway between two f32, or cannot be told from that.
  if (d === 0) return r;
  const other = r + d + d;
  if (Math.fround(other) !== other && r - r === 0) return r;
  return s - s === 0 ? Math.fround(roundOdd(s, sumError(p, c, s))) : r;
}

export function fma32Mode(a: number, b: number, c: number, mode: Rounding): number {
  if (mode === Rounding.RN) return fma32(a, b, c);
  const p = a * b;
  const s = p + c;
  if (s === 0) return zeroSum(p, c, s, mode);
  return Number.isFinite(s) ? toF32(s, sumError(p, c, s), mode) : s;
}

/** Minimum by IEEE 754-2008 minNum: a NaN loses, −0 is below +0. */
export function min32(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : Math.min(a, b);
}

export function max32(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : Math.max(a, b);
}
