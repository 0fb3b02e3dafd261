/** Exact sums and directed rounding, by integers. */

const f = Math.fround;

export function even(x: number): number {
  if (!Number.isFinite(x)) return x;
  const floor = Math.floor(x);
  const d = x - floor;
  return d < 0.5 || (d === 0.5 && floor % 2 === 0) ? floor : floor + 1;
}

export function toInt(x: number, nan: number): number {
  return Number.isNaN(x) ? nan : Math.min(Math.max(x, -2147483648), 2147483647);
}

export function toUint(x: number): number {
  return Number.isNaN(x) ? 0 : Math.min(Math.max(x, 0), 4294967295);
}

export function toLong(x: number, signed: boolean): bigint {
  if (Number.isNaN(x)) return 1n << 63n;
  const [low, high] = signed ? [-(1n << 63n), (1n << 63n) - 1n] : [0n, (1n << 64n) - 1n];
  if (!Number.isFinite(x)) return x > 0 ? high : low;
  const v = BigInt(x);
  return v < low ? low : v > high ? high : v;
}

/** To nearest even, by looking at both neighbours of the doubly rounded value. */
export function longToF32(v: bigint): number {
  const guess = f(Number(v));
  let best = guess;
  for (const r of [step32(guess, false), step32(guess, true)]) {
    const [near, far] = [abs(BigInt(r) - v), abs(BigInt(best) - v)];
    if (near < far || (near === far && (new Int32Array(Float32Array.of(r).buffer)[0]! & 1) === 0)) best = r;
  }
  return best;
}

export const abs = (x: bigint): bigint => (x < 0n ? -x : x);

export function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const e = (bits >> 10) & 31;
  const m = bits & 1023;
  if (e === 31) return m ? NaN : sign * Infinity;
  return e === 0 ? sign * m * 2 ** -24 : sign * (m + 1024) * 2 ** (e - 25);
}

/** a·b + c in units of 2^-48, which every half and every product of halves is a multiple of; the sign of a zero apart. */
export function exactSum(a: number, b: number, c: number): bigint | number {
  if (!Number.isFinite(a * b) || !Number.isFinite(c) || a * b + c === 0) return a * b + c;
  return BigInt(a * b * 2 ** 48) + BigInt(c * 2 ** 48);
}

/** The half nearest to an exact value, ties to even: the best of all 63,488 finite ones, found by bisection. */
export function roundHalf(v: bigint | number): number {
  if (typeof v === "number") {
    if (Number.isNaN(v)) return 0x7fff;
    return v === 0 ? (Object.is(v, -0) ? 0x8000 : 0) : v > 0 ? 0x7c00 : 0xfc00;
  }
  const m = abs(v);
  const sign = v < 0n ? 0x8000 : 0;
  const value = (bits: number): bigint => (bits === 0x7c00 ? 65536n << 48n : BigInt(half(bits) * 2 ** 48));
  let low = 0;
  let high = 0x7c00;
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (value(mid) <= m) low = mid;
    else high = mid;
  }
  const [below, above] = [m - value(low), value(high) - m];
  return sign | (below < above || (below === above && (low & 1) === 0) ? low : high);
}

export type Direction = "z" | "u" | "d";

/** An exact rational number ±m·2^e of a finite double. */
export function exact(x: number): { m: bigint; e: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const field = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const m = field === 0 ? fraction : fraction | 0x10000000000000n;
  return { m: bits >> 63n ? -m : m, e: Math.max(field, 1) - 1075 };
}

/** Sign of r − (a·b + c), exactly. */
export function compareExact(r: number, a: number, b: number, c: number): number {
  const [x, y, z, w] = [exact(a), exact(b), exact(c), exact(r)];
  const e = Math.min(x.e + y.e, z.e, w.e);
  const at = (m: bigint, k: number): bigint => m << BigInt(k - e);
  const d = at(w.m, w.e) - at(x.m * y.m, x.e + y.e) - at(z.m, z.e);
  return d > 0n ? 1 : d < 0n ? -1 : 0;
}

/** The f32 or f64 nearest to a·b + c in a direction: starts at the rounded value and steps. */
export function directedResult(
  start: number,
  step: (x: number, up: boolean) => number,
  a: number,
  b: number,
  c: number,
  dir: Direction,
): number {
  let r = start;
  const sign = compareExact(0, a, b, c);
  const up = dir === "u" || (dir === "z" && sign > 0);
  for (let i = 0; i < 4; i++) {
    const s = compareExact(r, a, b, c);
    if (up ? s < 0 : s > 0) r = step(r, up);
    else if (
      up ? compareExact(step(r, false), a, b, c) >= 0 && s !== 0 : compareExact(step(r, true), a, b, c) <= 0 && s !== 0
    )
      r = step(r, !up);
    else break;
  }
  return r;
}

export function step32(x: number, up: boolean): number {
  const bits = new Int32Array(1);
  const value = new Float32Array(bits.buffer);
  value[0] = x;
  if (x === 0) bits[0] = up ? 1 : 0x80000001 | 0;
  else bits[0] = bits[0]! + (up === x > 0 ? 1 : -1);
  return value[0]!;
}

export function step64(x: number, up: boolean): number {
  const bits = new BigInt64Array(1);
  const value = new Float64Array(bits.buffer);
  value[0] = x;
  if (x === 0) return up ? 5e-324 : -5e-324;
  bits[0] = bits[0]! + (up === x > 0 ? 1n : -1n);
  return value[0]!;
}

export const directed32 = (a: number, b: number, c: number, dir: Direction): number =>
  directedResult(f(a * b + c), step32, a, b, c, dir);
export const directed64 = (a: number, b: number, c: number, dir: Direction): number =>
  directedResult(a * b + c, step64, a, b, c, dir);

/** Is r the f32 next to the (irrational or repeating) value v in the direction? v is known to double precision. */
export function bracket(r: number, v: number, dir: "u" | "d"): boolean {
  return dir === "u" ? r >= v && step32(r, false) < v : r <= v && step32(r, true) > v;
}
