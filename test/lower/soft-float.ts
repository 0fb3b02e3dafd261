/**
 * Floating-point arithmetic by exact rational numbers and one rounding: the reference of the float tests. Slow and plain on
 * purpose.
 */
export type Mode = "rn" | "rz" | "rm" | "rp";

export interface Format {
  readonly bits: number;
  readonly exponent: number;
  readonly mantissa: number;
  /** Results below the normal numbers (when rounded with an unbounded exponent) become zeros. */
  readonly flushes?: boolean;
}

export const f16: Format = { bits: 16, exponent: 5, mantissa: 10 };
export const bf16: Format = { bits: 16, exponent: 8, mantissa: 7 };
export const f32: Format = { bits: 32, exponent: 8, mantissa: 23 };
export const f64: Format = { bits: 64, exponent: 11, mantissa: 52 };

/** sign · num / den, or not finite. */
export interface Value {
  readonly kind: "finite" | "infinite" | "nan";
  readonly negative: boolean;
  readonly num: bigint;
  readonly den: bigint;
}

const one = 1n;
const pow2 = (n: number): bigint => one << BigInt(n);
const bias = (f: Format): number => 2 ** (f.exponent - 1) - 1;

export function signBit(f: Format): bigint {
  return pow2(f.bits - 1);
}

export function infinity(f: Format, negative: boolean): bigint {
  return ((pow2(f.exponent) - one) << BigInt(f.mantissa)) | (negative ? signBit(f) : 0n);
}

export function nan(f: Format): bigint {
  return infinity(f, false) | pow2(f.mantissa - 1);
}

export function isNan(f: Format, bits: bigint): boolean {
  return (bits & (signBit(f) - one)) > infinity(f, false);
}

export function isDenormal(f: Format, bits: bigint): boolean {
  const magnitude = bits & (signBit(f) - one);
  return magnitude !== 0n && magnitude < pow2(f.mantissa);
}

/** A denormal becomes a zero of its sign. */
export function flush(f: Format, bits: bigint): bigint {
  return isDenormal(f, bits) ? bits & signBit(f) : bits;
}

/** Bit patterns are equal, or both are some NaN. */
export function same(f: Format): (a: bigint, b: bigint) => boolean {
  return (a, b) => a === b || (isNan(f, a) && isNan(f, b));
}

export function decode(f: Format, bits: bigint): Value {
  const negative = (bits & signBit(f)) !== 0n;
  const field = Number((bits >> BigInt(f.mantissa)) & (pow2(f.exponent) - one));
  const fraction = bits & (pow2(f.mantissa) - one);
  if (field === 2 ** f.exponent - 1) return { kind: fraction === 0n ? "infinite" : "nan", negative, num: 0n, den: one };
  const significand = field === 0 ? fraction : fraction | pow2(f.mantissa);
  const e = Math.max(field, 1) - bias(f) - f.mantissa;
  return e >= 0
    ? { kind: "finite", negative, num: significand << BigInt(e), den: one }
    : { kind: "finite", negative, num: significand, den: pow2(-e) };
}

/** Number of binary digits. */
function length(n: bigint): number {
  return n === 0n ? 0 : n.toString(2).length;
}

const mirrored = (mode: Mode): Mode => (mode === "rm" ? "rp" : mode === "rp" ? "rm" : mode);

/** Bits of the rational num/den ≥ 0 with a sign, rounded once. */
export function encode(f: Format, negative: boolean, num: bigint, den: bigint, mode: Mode): bigint {
  const sign = negative ? signBit(f) : 0n;
  if (num === 0n) return sign;
  let e = length(num) - length(den);
  if ((e >= 0 ? den << BigInt(e) : den) > (e >= 0 ? num : num << BigInt(-e))) e--;
  if (f.flushes) {
    const normal = encode(
      { bits: f.mantissa + 13, exponent: 12, mantissa: f.mantissa },
      false,
      num,
      den,
      negative ? mirrored(mode) : mode,
    );
    if (normal < BigInt(1 - bias(f) + 2047) << BigInt(f.mantissa)) return sign;
  }
  const least = 1 - bias(f);
  const quantum = Math.max(e, least) - f.mantissa;
  const n = quantum >= 0 ? num : num << BigInt(-quantum);
  const d = quantum >= 0 ? den << BigInt(quantum) : den;
  let k = n / d;
  const rest = n % d;
  const up =
    mode === "rn"
      ? 2n * rest > d || (2n * rest === d && (k & one) === one)
      : rest !== 0n && ((mode === "rp" && !negative) || (mode === "rm" && negative));
  if (up) k++;
  // k carries the hidden bit into the exponent field, also when rounding up made it one digit longer.
  const field = BigInt(Math.max(e, least) + bias(f) - 1);
  const magnitude = (field << BigInt(f.mantissa)) + k;
  if (magnitude < infinity(f, false)) return sign | magnitude;
  const towardZero = mode === "rz" || (mode === "rp" && negative) || (mode === "rm" && !negative);
  return sign | (towardZero ? infinity(f, false) - one : infinity(f, false));
}

const signed = (v: Value): bigint => (v.negative ? -v.num : v.num);

/** a · b + c with one rounding. */
export function fma(f: Format, a: bigint, b: bigint, c: bigint, mode: Mode): bigint {
  const [x, y, z] = [decode(f, a), decode(f, b), decode(f, c)];
  if (x.kind === "nan" || y.kind === "nan" || z.kind === "nan") return nan(f);
  const negative = x.negative !== y.negative;
  const isZero = (v: Value): boolean => v.kind === "finite" && v.num === 0n;
  if (x.kind === "infinite" || y.kind === "infinite") {
    if (isZero(x) || isZero(y) || (z.kind === "infinite" && z.negative !== negative)) return nan(f);
    return infinity(f, negative);
  }
  if (z.kind === "infinite") return infinity(f, z.negative);
  const product = { num: x.num * y.num, den: x.den * y.den };
  const num = (negative ? -product.num : product.num) * z.den + signed(z) * product.den;
  const den = product.den * z.den;
  if (num === 0n) {
    const bothNegative = product.num === 0n && z.num === 0n && negative && z.negative;
    const bothPositive = product.num === 0n && z.num === 0n && !negative && !z.negative;
    return bothNegative || (mode === "rm" && !bothPositive) ? signBit(f) : 0n;
  }
  return encode(f, num < 0n, num < 0n ? -num : num, den, mode);
}

export function add(f: Format, a: bigint, b: bigint, mode: Mode): bigint {
  const unit = BigInt(bias(f)) << BigInt(f.mantissa);
  return fma(f, a, unit, b, mode);
}

export function mul(f: Format, a: bigint, b: bigint, mode: Mode): bigint {
  const product = (a ^ b) & signBit(f);
  // A zero addend of the product's sign changes nothing.
  return fma(f, a, b, product, mode);
}

export function div(f: Format, a: bigint, b: bigint, mode: Mode): bigint {
  const [x, y] = [decode(f, a), decode(f, b)];
  const negative = x.negative !== y.negative;
  if (x.kind === "nan" || y.kind === "nan") return nan(f);
  if (x.kind === "infinite") return y.kind === "infinite" ? nan(f) : infinity(f, negative);
  if (y.kind === "infinite") return negative ? signBit(f) : 0n;
  if (y.num === 0n) return x.num === 0n ? nan(f) : infinity(f, negative);
  return encode(f, negative, x.num * y.den, x.den * y.num, mode);
}

function integerRoot(n: bigint): bigint {
  if (n < 2n) return n;
  let r = pow2(Math.ceil(length(n) / 2));
  for (;;) {
    const next = (r + n / r) >> one;
    if (next >= r) return r;
    r = next;
  }
}

export function sqrt(f: Format, a: bigint, mode: Mode): bigint {
  const x = decode(f, a);
  if (x.kind === "nan" || (x.negative && x.num !== 0n) || (x.kind === "infinite" && x.negative)) return nan(f);
  if (x.kind === "infinite" || x.num === 0n) return a;
  // √(num/den) to many more digits than any format has; a last digit 1 stands for an inexact tail.
  const scale = 2 * (f.mantissa + 2 ** f.exponent);
  const square = (x.num << BigInt(2 * scale)) / x.den;
  const root = integerRoot(square);
  const exact = root * root * x.den === x.num << BigInt(2 * scale);
  return encode(f, false, 2n * root + (exact ? 0n : one), pow2(scale + 1), mode);
}

/** To another format. */
export function convert(from: Format, to: Format, a: bigint, mode: Mode): bigint {
  const x = decode(from, a);
  if (x.kind === "nan") return nan(to);
  if (x.kind === "infinite") return infinity(to, x.negative);
  return encode(to, x.negative, x.num, x.den, mode);
}

export function fromInteger(to: Format, v: bigint, mode: Mode): bigint {
  return encode(to, v < 0n, v < 0n ? -v : v, one, mode);
}

export type IntegralMode = "rni" | "rzi" | "rmi" | "rpi";

/** The integer a rounds to; null for what is not finite. */
export function toInteger(from: Format, a: bigint, mode: IntegralMode): bigint | null {
  const x = decode(from, a);
  if (x.kind !== "finite") return null;
  let k = x.num / x.den;
  const rest = x.num % x.den;
  if (mode === "rni" && (2n * rest > x.den || (2n * rest === x.den && (k & one) === one))) k++;
  if (rest !== 0n && ((mode === "rpi" && !x.negative) || (mode === "rmi" && x.negative))) k++;
  return x.negative ? -k : k;
}

/** −1, 0, 1, or null when one of them is a NaN. */
export function order(f: Format, a: bigint, b: bigint): number | null {
  if (isNan(f, a) || isNan(f, b)) return null;
  const key = (bits: bigint): bigint => {
    const magnitude = bits & (signBit(f) - one);
    return bits & signBit(f) ? -magnitude : magnitude;
  };
  const [x, y] = [key(a), key(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Interesting bit patterns: zeros, denormals, powers of two and their neighbours, the ends of the range, infinities, a NaN. */
export function corners(f: Format): bigint[] {
  const unit = BigInt(bias(f)) << BigInt(f.mantissa);
  const positive = [
    0n,
    one,
    2n,
    pow2(f.mantissa - 1),
    pow2(f.mantissa) - one,
    pow2(f.mantissa),
    pow2(f.mantissa) + one,
    2n * pow2(f.mantissa),
    unit - pow2(f.mantissa),
    unit - one,
    unit,
    unit + one,
    unit + pow2(f.mantissa - 1),
    unit + pow2(f.mantissa) - one,
    unit + pow2(f.mantissa),
    unit + 3n * pow2(f.mantissa - 1),
    infinity(f, false) - pow2(f.mantissa),
    infinity(f, false) - one,
    infinity(f, false),
    // A NaN whose payload is in its lowest bit: of a double, the upper word is that of an infinity.
    infinity(f, false) + one,
  ];
  return [...positive, ...positive.map((v) => v | signBit(f)), nan(f)];
}

/** Rows of corner values against each other, random bits, and random values of nearby exponents. */
export function floatRows(f: Format, sources: number, random: number, next: (bits: number) => bigint): bigint[][] {
  const list = corners(f);
  const rows: bigint[][] = [];
  const any = (): bigint => list[Number(next(16)) % list.length] as bigint;
  if (sources === 1) rows.push(...list.map((a) => [a]));
  else for (const a of list) for (const b of list) rows.push([a, b, ...Array.from({ length: sources - 2 }, any)]);
  const near = (center: bigint): bigint => {
    const sign = next(1) << BigInt(f.bits - 1);
    const field = center + (next(4) % 9n) - 4n;
    const top = pow2(f.exponent) - 2n;
    const clamped = field < 0n ? 0n : field > top ? top : field;
    return sign | (clamped << BigInt(f.mantissa)) | next(f.mantissa);
  };
  for (let n = 0; n < random; n++) {
    const center = next(f.exponent);
    rows.push(
      Array.from({ length: sources }, () =>
        n % 3 === 0 ? next(f.bits) : near(n % 3 === 1 ? center : BigInt(bias(f))),
      ),
    );
  }
  return rows;
}
