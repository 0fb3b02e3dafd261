/** What the statements of random kernels compute: the text of PTX and its meaning side by side, in plain TypeScript without any part of ptxlab. */

export const counts = { r: 8, d: 4, f: 4, g: 3, h: 3, p: 4 } as const;
export type File = keyof typeof counts;
export const files = Object.keys(counts) as File[];

/** Registers hold bit patterns: numbers for up to 32 bits, bigints for 64, 0 or 1 for predicates. */
export type Value = number | bigint;
export interface Op {
  readonly text: string;
  readonly result: File;
  readonly sources: readonly File[];
  readonly eval: (...v: Value[]) => Value;
}

const scratch = new DataView(new ArrayBuffer(8));
export function toF32(bits: Value): number {
  scratch.setUint32(0, Number(bits));
  return scratch.getFloat32(0);
}
export function fromF32(x: number): number {
  if (Number.isNaN(x)) return 0x7fffffff;
  scratch.setFloat32(0, x);
  return scratch.getUint32(0);
}
function toF64(bits: Value): number {
  scratch.setBigUint64(0, BigInt(bits));
  return scratch.getFloat64(0);
}
export function fromF64(x: number): bigint {
  if (Number.isNaN(x)) return 0xfff8000000000000n;
  scratch.setFloat64(0, x);
  return scratch.getBigUint64(0);
}
export const u32 = (v: Value): number => Number(v) >>> 0;
export const s32 = (v: Value): number => Number(v) | 0;
export const u64 = (v: Value): bigint => BigInt.asUintN(64, BigInt(v));
const s64 = (v: Value): bigint => BigInt.asIntN(64, BigInt(v));
const s16 = (v: Value): number => (Number(v) << 16) >> 16;
export const bit = (b: boolean): number => (b ? 1 : 0);

function op(text: string, result: File, sources: string, evaluate: (...v: never[]) => Value): Op {
  return { text, result, sources: [...sources] as File[], eval: evaluate as Op["eval"] };
}
type N = number;
type B = bigint;

/** min and max: the number wins over NaN, −0 is below +0. */
function extreme(a: number, b: number, max: boolean): number {
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : max ? Math.max(a, b) : Math.min(a, b);
}

/** NaN of f32 gives 0 here, NaN of f64 the top bit (PTX ISA, cvt). */
const clampToInt = (x: number, low: number, high: number, nan: number): number =>
  Number.isNaN(x) ? nan : Math.min(high, Math.max(low, Math.trunc(x)));

const r2 = (name: string, f: (a: N, b: N) => number): Op => op(`${name} D, A, B;`, "r", "rr", f);
const d2 = (name: string, f: (a: B, b: B) => bigint): Op =>
  op(`${name} D, A, B;`, "d", "dd", (a: B, b: B) => u64(f(a, b)));
const f2 = (name: string, f: (a: N, b: N) => number): Op =>
  op(`${name}.f32 D, A, B;`, "f", "ff", (a: N, b: N) => fromF32(Math.fround(f(toF32(a), toF32(b)))));
const g2 = (name: string, f: (a: N, b: N) => number): Op =>
  op(`${name}.f64 D, A, B;`, "g", "gg", (a: B, b: B) => fromF64(f(toF64(a), toF64(b))));
const h2 = (name: string, f: (a: N, b: N) => number): Op =>
  op(`${name} D, A, B;`, "h", "hh", (a: N, b: N) => f(a, b) & 0xffff);

export const ops: readonly Op[] = [
  r2("add.u32", (a, b) => (a + b) >>> 0),
  r2("sub.s32", (a, b) => (a - b) >>> 0),
  r2("mul.lo.u32", (a, b) => Math.imul(a, b) >>> 0),
  r2("mul.hi.u32", (a, b) => Number((BigInt(a) * BigInt(b)) >> 32n)),
  r2("mul.hi.s32", (a, b) => u32(Number(BigInt.asIntN(32, (BigInt(s32(a)) * BigInt(s32(b))) >> 32n)))),
  r2("and.b32", (a, b) => (a & b) >>> 0),
  r2("or.b32", (a, b) => (a | b) >>> 0),
  r2("xor.b32", (a, b) => (a ^ b) >>> 0),
  r2("min.u32", (a, b) => Math.min(a, b)),
  r2("max.s32", (a, b) => u32(Math.max(s32(a), s32(b)))),
  r2("shl.b32", (a, b) => (b > 31 ? 0 : (a << b) >>> 0)),
  r2("shr.u32", (a, b) => (b > 31 ? 0 : a >>> b)),
  r2("shr.s32", (a, b) => u32(s32(a) >> Math.min(b, 31))),
  op("or.b32 B, B, 1; div.u32 D, A, B;", "r", "rr", (a: N, b: N) => Math.floor(a / u32(b | 1))),
  op("or.b32 B, B, 1; rem.s32 D, A, B;", "r", "rr", (a: N, b: N) => u32(s32(a) % s32(b | 1))),
  op("mad.lo.u32 D, A, B, C;", "r", "rrr", (a: N, b: N, c: N) => (Math.imul(a, b) + c) >>> 0),
  op("lop3.b32 D, A, B, C, 0x96;", "r", "rrr", (a: N, b: N, c: N) => (a ^ b ^ c) >>> 0),
  op(
    "shf.l.wrap.b32 D, A, B, C;",
    "r",
    "rrr",
    (a: N, b: N, c: N) => (c & 31 ? (b << c) | (a >>> (32 - (c & 31))) : b) >>> 0,
  ),
  op(
    "add.cc.u32 D, A, B; addc.u32 D, C, D;",
    "r",
    "rrr",
    (a: N, b: N, c: N) => (((a + b) >>> 0) + c + bit(a + b > 0xffffffff)) >>> 0,
  ),
  op("popc.b32 D, A;", "r", "r", (a: N) => [...a.toString(2)].filter((x) => x === "1").length),
  op("clz.b32 D, A;", "r", "r", (a: N) => Math.clz32(a)),
  op("brev.b32 D, A;", "r", "r", (a: N) => parseInt([...a.toString(2).padStart(32, "0")].reverse().join(""), 2)),
  op("not.b32 D, A;", "r", "r", (a: N) => ~a >>> 0),
  op("neg.s32 D, A;", "r", "r", (a: N) => -a >>> 0),
  op("abs.s32 D, A;", "r", "r", (a: N) => u32(Math.abs(s32(a)))),
  op("bfe.s32 D, A, 5, 11;", "r", "r", (a: N) => u32((a << 16) >> 21)),
  op("bfi.b32 D, A, B, 7, 9;", "r", "rr", (a: N, b: N) => ((b & ~(511 << 7)) | ((a & 511) << 7)) >>> 0),
  op(
    "prmt.b32 D, A, B, 0x5140;",
    "r",
    "rr",
    (a: N, b: N) => ((a & 255) | ((b & 255) << 8) | ((a & 0xff00) << 8) | ((b & 0xff00) << 16)) >>> 0,
  ),
  op("selp.b32 D, A, B, C;", "r", "rrp", (a: N, b: N, p: N) => (p ? a : b)),
  d2("add.u64", (a, b) => a + b),
  d2("sub.u64", (a, b) => a - b),
  d2("mul.lo.u64", (a, b) => a * b),
  d2("mul.hi.u64", (a, b) => (a * b) >> 64n),
  d2("xor.b64", (a, b) => a ^ b),
  d2("and.b64", (a, b) => a & b),
  d2("min.s64", (a, b) => (s64(a) < s64(b) ? a : b)),
  d2("max.s64", (a, b) => (s64(a) > s64(b) ? a : b)),
  op("shl.b64 D, A, B;", "d", "dr", (a: B, b: N) => u64(b > 63 ? 0n : a << BigInt(b))),
  op("shr.s64 D, A, B;", "d", "dr", (a: B, b: N) => u64(s64(a) >> BigInt(Math.min(b, 63)))),
  op("or.b64 B, B, 1; div.s64 D, A, B;", "d", "dd", (a: B, b: B) => u64(s64(a) / s64(b | 1n))),
  op("or.b64 B, B, 1; rem.u64 D, A, B;", "d", "dd", (a: B, b: B) => a % (b | 1n)),
  op("mul.wide.s32 D, A, B;", "d", "rr", (a: N, b: N) => u64(BigInt(s32(a)) * BigInt(s32(b)))),
  op("mad.wide.u32 D, A, B, C;", "d", "rrd", (a: N, b: N, c: B) => u64(BigInt(a) * BigInt(b) + c)),
  op("mov.b64 D, {A, B};", "d", "rr", (a: N, b: N) => BigInt(a) | (BigInt(b) << 32n)),
  op("selp.b64 D, A, B, C;", "d", "ddp", (a: B, b: B, p: N) => (p ? a : b)),
  op("cvt.u32.u64 D, A;", "r", "d", (a: B) => Number(a & 0xffffffffn)),
  op("cvt.s64.s32 D, A;", "d", "r", (a: N) => u64(BigInt(s32(a)))),
  op("popc.b64 D, A;", "r", "d", (a: B) => [...a.toString(2)].filter((x) => x === "1").length),
  f2("add.rn", (a, b) => a + b),
  f2("sub.rn", (a, b) => a - b),
  f2("mul.rn", (a, b) => a * b),
  f2("div.rn", (a, b) => a / b),
  f2("min", (a, b) => extreme(a, b, false)),
  f2("max", (a, b) => extreme(a, b, true)),
  op("sqrt.rn.f32 D, A;", "f", "f", (a: N) => fromF32(Math.fround(Math.sqrt(toF32(a))))),
  g2("add.rn", (a, b) => a + b),
  g2("mul.rn", (a, b) => a * b),
  g2("div.rn", (a, b) => a / b),
  g2("max", (a, b) => extreme(a, b, true)),
  op("cvt.f64.f32 D, A;", "g", "f", (a: N) => fromF64(toF32(a))),
  op("cvt.rn.f32.f64 D, A;", "f", "g", (a: B) => fromF32(Math.fround(toF64(a)))),
  op("cvt.rn.f32.s32 D, A;", "f", "r", (a: N) => fromF32(Math.fround(s32(a)))),
  op("cvt.rn.f64.u32 D, A;", "g", "r", (a: N) => fromF64(a)),
  op("cvt.rzi.s32.f32 D, A;", "r", "f", (a: N) => u32(clampToInt(toF32(a), -(2 ** 31), 2 ** 31 - 1, 0))),
  op("cvt.rzi.u32.f64 D, A;", "r", "g", (a: B) => clampToInt(toF64(a), 0, 2 ** 32 - 1, 2 ** 31)),
  h2("add.u16", (a, b) => a + b),
  h2("mul.lo.s16", (a, b) => Math.imul(a, b)),
  h2("xor.b16", (a, b) => a ^ b),
  h2("min.s16", (a, b) => Math.min(s16(a), s16(b))),
  h2("max.u16", (a, b) => Math.max(a, b)),
  op("shr.s16 D, A, B;", "h", "hr", (a: N, b: N) => (s16(a) >> Math.min(b, 15)) & 0xffff),
  op("mul.wide.s16 D, A, B;", "r", "hh", (a: N, b: N) => u32(Math.imul(s16(a), s16(b)))),
  op("cvt.u32.u16 D, A;", "r", "h", (a: N) => a),
  op("cvt.s32.s16 D, A;", "r", "h", (a: N) => u32(s16(a))),
  op("cvt.u16.u32 D, A;", "h", "r", (a: N) => a & 0xffff),
  op("cvt.sat.u8.s32 D, A;", "r", "r", (a: N) => Math.min(255, Math.max(0, s32(a)))),
  op("setp.lt.u32 D, A, B;", "p", "rr", (a: N, b: N) => bit(a < b)),
  op("setp.ge.s32 D, A, B;", "p", "rr", (a: N, b: N) => bit(s32(a) >= s32(b))),
  op("setp.eq.or.u32 D, A, B, C;", "p", "rrp", (a: N, b: N, p: N) => bit(a === b) | p),
  op("setp.gt.s64 D, A, B;", "p", "dd", (a: B, b: B) => bit(s64(a) > s64(b))),
  op("setp.le.and.u64 D, A, B, !C;", "p", "ddp", (a: B, b: B, p: N) => bit(a <= b) & (1 - p)),
  op("setp.lt.f32 D, A, B;", "p", "ff", (a: N, b: N) => bit(toF32(a) < toF32(b))),
  op("setp.neu.f64 D, A, B;", "p", "gg", (a: B, b: B) => bit(!(toF64(a) === toF64(b)))),
  op("setp.gt.s16 D, A, B;", "p", "hh", (a: N, b: N) => bit(s16(a) > s16(b))),
  op("xor.pred D, A, B;", "p", "pp", (a: N, b: N) => a ^ b),
  op("and.pred D, A, B;", "p", "pp", (a: N, b: N) => a & b),
  op("not.pred D, A;", "p", "p", (a: N) => 1 - a),
];
