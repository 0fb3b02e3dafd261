/**
 * Floating point of every format by exact integers: a number is sign · m · 2^e, results are exact and rounded once. Nothing here
 * uses the host's own arithmetic on floats.
 */

/** How bits hold a number. `infinite` false: the top exponent holds numbers, too (fp8 e4m3: only all ones are NaN; fp6 and fp4: no NaN). */
export interface Format {
  readonly bits: number;
  readonly mantissa: number;
  readonly bias: number;
  readonly infinite: boolean;
  /** What an operation gives for NaN (PTX ISA: canonical; f64 as the hardware has it). Null: the format has none. */
  readonly nan: bigint | null;
}

const format = (bits: number, mantissa: number, infinite: boolean, nan: bigint | null): Format => ({
  bits,
  mantissa,
  bias: 2 ** (bits - mantissa - 2) - 1,
  infinite,
  nan,
});
export const F64: Format = format(64, 52, true, 0xfff8000000000000n);
export const F32: Format = format(32, 23, true, 0x7fffffffn);
export const F16: Format = format(16, 10, true, 0x7fffn);
export const BF16: Format = format(16, 7, true, 0x7fffn);
export const E5M2: Format = format(8, 2, true, 0x7fn);
export const E4M3: Format = format(8, 3, false, 0x7fn);
export const E3M2: Format = format(6, 2, false, null);
export const E2M3: Format = format(6, 3, false, null);
export const E2M1: Format = format(4, 1, false, null);

/** (−1)^negative · m · 2^e; `sticky`: a little more in magnitude than that, below one unit of m. */
export interface Finite {
  readonly kind: "finite";
  readonly negative: boolean;
  readonly m: bigint;
  readonly e: number;
  readonly sticky?: boolean;
}
export type Float = Finite | { readonly kind: "inf"; readonly negative: boolean } | { readonly kind: "nan" };
/** Nearest even, toward zero, down, up, nearest with ties away from zero. */
export type Mode = "rn" | "rz" | "rm" | "rp" | "rna";

export const NAN: Float = { kind: "nan" };
const inf = (negative: boolean): Float => ({ kind: "inf", negative });
export const zero = (negative: boolean): Finite => ({ kind: "finite", negative, m: 0n, e: 0 });
export const integer = (v: bigint): Finite => ({ kind: "finite", negative: v < 0n, m: v < 0n ? -v : v, e: 0 });

const wide = new DataView(new ArrayBuffer(8));
/** Bits of m, which is above 0. */
export function length(m: bigint): number {
  if (m >= 1n << 1000n)
    return m.toString(16).length * 4 - 4 + (32 - Math.clz32(Number.parseInt(m.toString(16)[0]!, 16)));
  wide.setFloat64(0, Number(m));
  const n = ((wide.getUint32(0) >>> 20) & 0x7ff) - 1022;
  // Rounding to a double may have reached the next power of two.
  return m >> BigInt(n - 1) === 0n ? n - 1 : n;
}

export function decode(bits: bigint, f: Format): Float {
  const negative = !!((bits >> BigInt(f.bits - 1)) & 1n);
  const m = bits & ((1n << BigInt(f.mantissa)) - 1n);
  const top = (1 << (f.bits - 1 - f.mantissa)) - 1;
  const e = Number((bits >> BigInt(f.mantissa)) & BigInt(top));
  if (f.infinite && e === top) return m === 0n ? inf(negative) : NAN;
  if (!f.infinite && f.nan !== null && (bits & f.nan) === f.nan) return NAN;
  const least = 1 - f.bias - f.mantissa;
  if (e === 0) return { kind: "finite", negative, m, e: least };
  return { kind: "finite", negative, m: m | (1n << BigInt(f.mantissa)), e: e - 1 + least };
}

export interface Rounding {
  readonly mode?: Mode;
  /** Subnormal results become zero. */
  readonly ftz?: boolean;
  /** Into 0 … 1, NaN to 0. */
  readonly sat?: boolean;
  /** Negative numbers become 0. */
  readonly relu?: boolean;
  /** What is too large becomes the largest finite number. */
  readonly satfinite?: boolean;
}

function largest(f: Format): bigint {
  const ones = (1n << BigInt(f.bits - 1)) - 1n;
  if (f.infinite) return ones - (1n << BigInt(f.mantissa));
  return f.nan === null ? ones : ones - 1n;
}

function up(mode: Mode, negative: boolean, odd: boolean, half: -1 | 0 | 1, exact: boolean): boolean {
  switch (mode) {
    case "rn":
      return half > 0 || (half === 0 && odd);
    case "rna":
      return half >= 0;
    case "rz":
      return false;
    default:
      return !exact && negative === (mode === "rm");
  }
}

/** The number rounded to an integer multiple of 2^q: that multiple's magnitude. */
export function quantize(v: Finite, q: number, mode: Mode): bigint {
  const shift = q - v.e;
  if (shift <= 0) return v.m << BigInt(-shift);
  const s = BigInt(shift);
  const kept = v.m >> s;
  const rest = v.m - (kept << s);
  const middle = 1n << (s - 1n);
  const half = rest > middle || (rest === middle && v.sticky) ? 1 : rest === middle ? 0 : -1;
  return up(mode, v.negative, (kept & 1n) === 1n, half, rest === 0n && !v.sticky) ? kept + 1n : kept;
}

/** The bits of the rounded number. */
export function encode(v: Float, f: Format, r: Rounding = {}): bigint {
  const mode = r.mode ?? "rn";
  if (v.kind === "nan") return r.sat ? 0n : (f.nan ?? largest(f));
  if (r.relu && v.negative) return 0n;
  if (r.sat) {
    if (v.negative) return 0n;
    if (v.kind === "inf") return encode(integer(1n), f);
  }
  const sign = v.negative ? 1n << BigInt(f.bits - 1) : 0n;
  const infinity = largest(f) + 1n;
  if (v.kind === "inf") return sign | (r.satfinite || !f.infinite ? largest(f) : infinity);
  if (v.m === 0n && !v.sticky) return sign;
  const least = 1 - f.bias - f.mantissa;
  const q = v.m === 0n ? least : Math.max(least, v.e + length(v.m) - 1 - f.mantissa);
  let m = quantize(v, q, mode);
  let e = q - least;
  if (m >> BigInt(f.mantissa + 1) !== 0n) {
    m >>= 1n;
    e++;
  }
  // The hidden one adds itself to the exponent.
  const bits = e === 0 ? m : (BigInt(e) << BigInt(f.mantissa)) + m;
  if (r.ftz && bits >> BigInt(f.mantissa) === 0n) return sign;
  if (bits > largest(f)) {
    const away = mode === "rn" || mode === "rna" || (v.negative ? mode === "rm" : mode === "rp");
    if (r.sat) return encode(integer(1n), f);
    return sign | (r.satfinite || !away || !f.infinite ? largest(f) : infinity);
  }
  if (r.sat && compare(v, integer(1n)) > 0) return encode(integer(1n), f);
  return sign | bits;
}

/** Subnormals of the format are zeros of their sign. */
export function flushed(v: Float, f: Format): Float {
  if (v.kind !== "finite" || v.m === 0n) return v;
  return v.m >> BigInt(f.mantissa) === 0n && v.e === 1 - f.bias - f.mantissa ? zero(v.negative) : v;
}

export function neg(v: Float): Float {
  return v.kind === "nan" ? v : { ...v, negative: !v.negative };
}

export function abs(v: Float): Float {
  return v.kind === "nan" ? v : { ...v, negative: false };
}

const signed = (v: Finite, e: number): bigint => {
  const m = v.m << BigInt(v.e - e);
  return v.negative ? -m : m;
};

/** Exact; `down`: rounding is toward −∞, where a difference of equals is −0. */
export function add(a: Float, b: Float, down: boolean): Float {
  if (a.kind === "nan" || b.kind === "nan") return NAN;
  if (a.kind === "inf") return b.kind === "inf" && a.negative !== b.negative ? NAN : a;
  if (b.kind === "inf") return b;
  const e = Math.min(a.e, b.e);
  const sum = signed(a, e) + signed(b, e);
  if (sum !== 0n) return { kind: "finite", negative: sum < 0n, m: sum < 0n ? -sum : sum, e };
  return zero(a.m === 0n && b.m === 0n && a.negative === b.negative ? a.negative : down);
}

export function mul(a: Float, b: Float): Float {
  if (a.kind === "nan" || b.kind === "nan") return NAN;
  const negative = a.negative !== b.negative;
  if (a.kind === "inf" || b.kind === "inf")
    return (a.kind === "finite" && a.m === 0n) || (b.kind === "finite" && b.m === 0n) ? NAN : inf(negative);
  return { kind: "finite", negative, m: a.m * b.m, e: a.e + b.e };
}

/** Bits of a quotient or root beyond every format's own. */
const EXTRA = 140;

export function div(a: Float, b: Float): Float {
  if (a.kind === "nan" || b.kind === "nan") return NAN;
  const negative = a.negative !== b.negative;
  if (a.kind === "inf") return b.kind === "inf" ? NAN : inf(negative);
  if (b.kind === "inf") return zero(negative);
  if (b.m === 0n) return a.m === 0n ? NAN : inf(negative);
  if (a.m === 0n) return zero(negative);
  const m = (a.m << BigInt(EXTRA)) / b.m;
  return { kind: "finite", negative, m, e: a.e - b.e - EXTRA, sticky: m * b.m !== a.m << BigInt(EXTRA) };
}

export function sqrt(a: Float): Float {
  if (a.kind === "nan" || (a.kind === "finite" && a.m === 0n)) return a;
  if (a.negative) return NAN;
  if (a.kind === "inf") return a;
  const shift = EXTRA + ((a.e - EXTRA) & 1);
  const v = a.m << BigInt(shift);
  let x = 1n << BigInt((length(v) + 1) >> 1);
  for (;;) {
    const next = (x + v / x) >> 1n;
    if (next >= x) break;
    x = next;
  }
  return { kind: "finite", negative: false, m: x, e: (a.e - shift) / 2, sticky: x * x !== v };
}

/** −1, 0, 1; neither is NaN. */
export function compare(a: Float, b: Float): number {
  if (a.kind === "nan" || b.kind === "nan") throw new RangeError("NaN has no order");
  if (a.kind === "inf" || b.kind === "inf") {
    const x = a.kind === "inf" ? (a.negative ? -1 : 1) : 0;
    return x - (b.kind === "inf" ? (b.negative ? -1 : 1) : 0);
  }
  const e = Math.min(a.e, b.e);
  const d = signed(a, e) - signed(b, e);
  return d < 0n ? -1 : d > 0n ? 1 : a.m === b.m && a.sticky ? (a.negative ? -1 : 1) : 0;
}

/** The nearest double: for functions that are only approximated. */
export function toNumber(v: Float): number {
  wide.setBigUint64(0, encode(v, F64));
  return v.kind === "nan" ? Number.NaN : wide.getFloat64(0);
}

export function fromNumber(x: number): Float {
  wide.setFloat64(0, x);
  return Number.isNaN(x) ? NAN : decode(wide.getBigUint64(0), F64);
}
