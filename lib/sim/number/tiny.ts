/**
 * Floats of 6 and 4 bits and powers of two (OCP microscaling formats): e2m3, e3m2, e2m1 have neither infinities nor NaN; ue8m0 is an
 * exponent alone, 0xff no number.
 */
export interface Tiny {
  /** Bits of one number. */
  readonly bits: number;
  readonly fraction: number;
  readonly bias: number;
}

export const E2M3: Tiny = { bits: 6, fraction: 3, bias: 1 };
export const E3M2: Tiny = { bits: 6, fraction: 2, bias: 3 };
export const E2M1: Tiny = { bits: 4, fraction: 1, bias: 1 };

export function tinyValue(code: number, f: Tiny): number {
  const sign = (code >>> (f.bits - 1)) & 1 ? -1 : 1;
  const magnitude = code & ((1 << (f.bits - 1)) - 1);
  const exponent = magnitude >>> f.fraction;
  const fraction = magnitude & ((1 << f.fraction) - 1);
  if (exponent === 0) return sign * fraction * 2 ** (1 - f.bias - f.fraction);
  return sign * (fraction + (1 << f.fraction)) * 2 ** (exponent - f.bias - f.fraction);
}

/** To nearest even; what is too large, or no number, becomes the largest value (PTX ISA, cvt with .satfinite). */
export function tinyBits(x: number, f: Tiny): number {
  const top = (1 << (f.bits - 1)) - 1;
  if (Number.isNaN(x)) return top;
  const sign = x < 0 || Object.is(x, -0) ? 1 << (f.bits - 1) : 0;
  const m = Math.abs(x);
  // Codes are in the order of their values, so rounding is a walk to the nearest one; even codes have even fractions.
  let code = 0;
  while (code < top && m > (tinyValue(code, f) + tinyValue(code + 1, f)) / 2) code++;
  if (code < top && m === (tinyValue(code, f) + tinyValue(code + 1, f)) / 2 && (code & 1) === 1) code++;
  return sign | code;
}

export function powerValue(code: number): number {
  return code === 0xff ? Number.NaN : 2 ** (code - 127);
}

/** The exponent of |x|, up where `up`; beyond the largest 0xfe with `saturate`, else no number. */
export function powerBits(x: number, up: boolean, saturate: boolean): number {
  if (Number.isNaN(x)) return 0xff;
  const m = Math.abs(x);
  let code = 0;
  while (code < 0xff && 2 ** (code + 1 - 127) <= m) code++;
  if (up && m > 2 ** (code - 127)) code++;
  return code < 0xff ? code : saturate ? 0xfe : 0xff;
}
