/** The 8-bit floats e4m3 and e5m2 (OCP 8-bit floating point specification): bits ↔ numbers. */

export interface Float8 {
  readonly fraction: number;
  readonly bias: number;
  readonly max: number;
  /** Has infinities; otherwise only the largest magnitude is no number. */
  readonly infinities: boolean;
}

export const E4M3: Float8 = { fraction: 3, bias: 7, max: 448, infinities: false };
export const E5M2: Float8 = { fraction: 2, bias: 15, max: 57344, infinities: true };

/** The value of 8 bits. */
export function float8Value(bits: number, f: Float8): number {
  const sign = bits & 0x80 ? -1 : 1;
  const magnitude = bits & 0x7f;
  const exponent = magnitude >>> f.fraction;
  const fraction = magnitude & ((1 << f.fraction) - 1);
  const top = 0x7f >>> f.fraction;
  if (f.infinities && exponent === top) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (!f.infinities && magnitude === 0x7f) return Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** (1 - f.bias - f.fraction);
  return sign * (fraction + (1 << f.fraction)) * 2 ** (exponent - f.bias - f.fraction);
}

/** A number rounded to nearest even; what is too large becomes the largest finite value, what is no number 0x7f. */
export function float8Bits(x: number, f: Float8): number {
  if (Number.isNaN(x)) return 0x7f;
  const sign = x < 0 || Object.is(x, -0) ? 0x80 : 0;
  const m = Math.min(Math.abs(x), f.max);
  if (m === 0) return sign;
  const least = 1 - f.bias;
  let exponent = Math.max(Math.floor(Math.log2(m)), least);
  if (exponent > least && 2 ** exponent > m) exponent--;
  if (2 ** (exponent + 1) <= m) exponent++;
  const scaled = m / 2 ** (exponent - f.fraction); // exact: a power of two
  let n = Math.floor(scaled);
  const rest = scaled - n;
  if (rest > 0.5 || (rest === 0.5 && (n & 1) === 1)) n++;
  // A carry out of the fraction increments the exponent field by itself.
  return sign | (n < 1 << f.fraction ? n : ((exponent + f.bias) << f.fraction) + n - (1 << f.fraction));
}
