/** Rounding to integral values, and from there to integer types. */
import { Rounding } from "./rounding.js";

/** Nearest integral value, ties to even; the sign of zero is kept. */
function nearest(x: number): number {
  if (Math.abs(x) >= 4503599627370496 || !Number.isFinite(x)) return x;
  const floor = Math.floor(x);
  const d = x - floor;
  const r = d < 0.5 ? floor : d > 0.5 ? floor + 1 : floor % 2 === 0 ? floor : floor + 1;
  return r === 0 && (x < 0 || Object.is(x, -0)) ? -0 : r;
}

export const integralModes: readonly ((x: number) => number)[] = [nearest, Math.floor, Math.ceil, Math.trunc];

/** Modes under the names of F2I and FRND. */
export const integralNames: Readonly<Record<string, Rounding>> = {
  FLOOR: Rounding.RM,
  CEIL: Rounding.RP,
  TRUNC: Rounding.RZ,
};

export interface IntegerType {
  readonly bits: 8 | 16 | 32 | 64;
  readonly signed: boolean;
}

export const integerTypes: Readonly<Record<string, IntegerType>> = {
  U8: { bits: 8, signed: false },
  S8: { bits: 8, signed: true },
  U16: { bits: 16, signed: false },
  S16: { bits: 16, signed: true },
  U32: { bits: 32, signed: false },
  S32: { bits: 32, signed: true },
  U64: { bits: 64, signed: false },
  S64: { bits: 64, signed: true },
};

/** An integral number clamped to a type of at most 32 bits; NaN gives `nan`. */
export function clampInteger(x: number, type: IntegerType, nan: number): number {
  if (Number.isNaN(x)) return nan;
  const low = type.signed ? -(2 ** (type.bits - 1)) : 0;
  const top = type.signed ? 2 ** (type.bits - 1) - 1 : 2 ** type.bits - 1;
  return Math.min(Math.max(x, low), top) | 0;
}

/** The same for 64 bits, as a bigint. */
export function clampLong(x: number, signed: boolean): bigint {
  if (Number.isNaN(x)) return 0x8000000000000000n;
  const low = signed ? -(2n ** 63n) : 0n;
  const top = signed ? 2n ** 63n - 1n : 2n ** 64n - 1n;
  if (x >= 2 ** 64) return top;
  if (x <= -(2 ** 64)) return low;
  const v = BigInt(x);
  return v < low ? low : v > top ? top : v;
}
