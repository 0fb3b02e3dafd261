/** binary16 and bfloat16: bits ↔ numbers, rounding to them, and the arithmetic of the packed half instructions. */
import { Rounding, roundOdd, sumError } from "./rounding.js";

const f32: Float32Array = new Float32Array(1);
const i32: Int32Array = new Int32Array(f32.buffer);

/** A short float format: significand bits with the hidden one, exponent of the smallest normal, largest finite value. */
export interface Short {
  readonly precision: number;
  readonly least: number;
  readonly max: number;
  readonly bias: number;
  readonly nan: number;
}

export const F16: Short = { precision: 11, least: -14, max: 65504, bias: 15, nan: 0x7fff };
export const BF16: Short = { precision: 8, least: -126, max: 3.3895313892515355e38, bias: 127, nan: 0x7fff };

/** The value of 16 bits, from the format's definition: what the table below and those of matrix elements are made with. */
export function shortValue(bits: number, format: Short): number {
  const fractionBits = format.precision - 1;
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits & 0x7fff) >>> fractionBits;
  const fraction = bits & ((1 << fractionBits) - 1);
  const top = (1 << (15 - fractionBits)) - 1;
  if (exponent === top) return fraction !== 0 ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  if (exponent === 0) return sign * fraction * 2 ** (format.least - fractionBits);
  return sign * (fraction + (1 << fractionBits)) * 2 ** (exponent - format.bias - fractionBits);
}

/** Exponent of a finite non-zero number: 2^result ≤ |x| < 2^(result + 1). */
function exponentOf(x: number): number {
  const m = Math.abs(x);
  const e = Math.floor(Math.log2(m));
  return 2 ** e > m ? e - 1 : 2 ** (e + 1) <= m ? e + 1 : e;
}

/** The exact value `s + e` rounded to the format, as 16 bits. */
export function shortBits(s: number, e: number, format: Short, mode: Rounding): number {
  if (Number.isNaN(s)) return format.nan;
  const negative = s < 0 || Object.is(s, -0);
  const sign = negative ? 0x8000 : 0;
  const x = Math.abs(roundOdd(s, e));
  if (x === 0) return sign;
  const fractionBits = format.precision - 1;
  const infinity = 0x7fff & ~((1 << fractionBits) - 1);
  if (x === Number.POSITIVE_INFINITY) return sign | infinity;
  const exponent = Math.max(exponentOf(x), format.least);
  const ulp = 2 ** (exponent - fractionBits);
  const scaled = x / ulp; // exact: a power of two
  let n = Math.floor(scaled);
  const rest = scaled - n;
  const up =
    mode === Rounding.RN
      ? rest > 0.5 || (rest === 0.5 && (n & 1) === 1)
      : rest > 0 && ((mode === Rounding.RM && negative) || (mode === Rounding.RP && !negative));
  if (up) n++;
  if (n * ulp > format.max) {
    const inward = mode === Rounding.RZ || (mode === Rounding.RM && !negative) || (mode === Rounding.RP && negative);
    return sign | (inward ? infinity - 1 : infinity);
  }
  // A carry out of the significand increments the exponent field by itself.
  const field = exponent === format.least && n < 1 << fractionBits ? 0 : exponent + format.bias;
  return sign | (field === 0 ? n : (field << fractionBits) + n - (1 << fractionBits));
}

/** Every binary16 value is exact in f32. */
const f16Values: Float32Array = Float32Array.from({ length: 0x10000 }, (_, bits) => shortValue(bits, F16));

/** The value of the 16 bits given (none above them). */
export function f16Value(bits: number): number {
  return f16Values[bits]!;
}

export function bf16Value(bits: number): number {
  i32[0] = bits << 16;
  return f32[0]!;
}

/** `a·b + c` of short floats: the product is exact in a double, the sum is `s + e`. */
export function shortFma(a: number, b: number, c: number, format: Short, mode: Rounding): number {
  const p = a * b;
  const s = p + c;
  return shortBits(s, Number.isFinite(s) ? sumError(p, c, s) : 0, format, mode);
}
