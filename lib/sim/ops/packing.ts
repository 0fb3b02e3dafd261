/**
 * Conversions that pack several narrow numbers into a word: F2FP, F2IP, I2IP. What of a comes stands above what of b; c, where there
 * is one, stands above both.
 */
import { E4M3, E5M2, type Float8, float8Bits, float8Value } from "../number/float8.js";
import { BF16, bf16Value, F16, f16Value, type Short, shortBits } from "../number/half.js";
import { clampInteger, type IntegerType, integralModes } from "../number/integral.js";
import { Rounding } from "../number/rounding.js";
import { E2M1, E2M3, E3M2, powerBits, powerValue, tinyBits, tinyValue } from "../number/tiny.js";
import type { Makers, Site } from "../site.js";
import type { LaneFunction } from "../stamp.js";
import type { Exec } from "../state.js";

const shorts: Readonly<Record<string, Short>> = { F16, BF16 };

/** A narrow float: the bits that one takes, and its two ways. */
interface Narrow {
  readonly bits: number;
  readonly value: (code: number) => number;
  readonly code: (x: number) => number;
}

const float8 = (f: Float8): Narrow => ({ bits: 8, value: (b) => float8Value(b, f), code: (x) => float8Bits(x, f) });
const narrows: Readonly<Record<string, Narrow>> = {
  E4M3: float8(E4M3),
  E5M2: float8(E5M2),
  E2M3: { bits: 8, value: (b) => tinyValue(b & 0x3f, E2M3), code: (x) => tinyBits(x, E2M3) },
  E3M2: { bits: 8, value: (b) => tinyValue(b & 0x3f, E3M2), code: (x) => tinyBits(x, E3M2) },
  E2M1: { bits: 4, value: (b) => tinyValue(b & 0xf, E2M1), code: (x) => tinyBits(x, E2M1) },
};

interface Clamp {
  readonly relu: boolean;
  readonly satfinite: boolean;
}

/** .RELU: what is below zero becomes +0; no number stays none. */
const lowered = (x: number, c: Clamp): number => (c.relu && !(x > 0) && !Number.isNaN(x) ? 0 : x);

/** To a half; with .SATFINITE what is too large becomes the largest finite number. */
function toShort(x: number, format: Short, mode: Rounding, c: Clamp): number {
  const bits = shortBits(lowered(x, c), 0, format, mode);
  const infinity = format === F16 ? 0x7c00 : 0x7f80;
  return c.satfinite && (bits & 0x7fff) === infinity ? bits - 1 : bits;
}

/** tf32: an f32 with ten bits of fraction. */
function toTf32(x: number, mode: Rounding, c: Clamp): number {
  const y = lowered(x, c);
  if (Number.isNaN(y)) return 0x7fffffff;
  single[0] = y;
  const bits = word[0]!;
  const magnitude = bits & 0x7fffffff;
  const largest = 0x7f7fe000;
  if (magnitude === 0x7f800000) return c.satfinite ? (bits & 0x80000000) | largest : bits;
  const half = mode === Rounding.RN ? 0xfff + ((magnitude >>> 13) & 1) : 0;
  const rounded = (magnitude + half) & ~0x1fff;
  return (bits & 0x80000000) | (c.satfinite && rounded >= 0x7f800000 ? largest : rounded);
}
const single: Float32Array = new Float32Array(1);
const word: Int32Array = new Int32Array(single.buffer);

function f2fp(s: Site): Exec {
  const clamp: Clamp = { relu: s.has("RELU"), satfinite: s.has("SATFINITE") };
  const mode = s.has("RZ") ? Rounding.RZ : s.has("RP") ? Rounding.RP : Rounding.RN;
  const types = s.inst.form.mods.filter((m) => /^(B?F16|[BT]?F32|E\dM\d|E8)$/.test(m));
  for (const t of types) s.has(t);
  const [to = "F16", from = "F32"] = types;
  if (s.has("UNPACK_B")) return unpacked(s, to, from, clamp);
  if (s.has("UNPACK_B_MERGE_C")) return merged(s, to, from, clamp, mode);
  if (s.has("PACK_AB_MERGE_C")) return packedBytes(s, to, from, clamp, mode);
  if (s.has("MERGE_C")) return besideC(s, to, from, clamp, mode);
  if (s.has("PACK_B")) {
    if (to !== "TF32" || from !== "F32") s.unsupported(`to ${to}`);
    return s.lanes((b) => toTf32(b, mode, clamp), [s.f32("b")], { d: "i" });
  }
  s.has("PACK_AB");
  const format = shorts[to] ?? s.unsupported(`to ${to}`);
  if (from !== "F32") s.unsupported(`from ${from}`);
  const half = (x: number): number => toShort(x, format, mode, clamp);
  return s.lanes((a, b) => (half(a) << 16) | half(b), [s.f32("a"), s.f32("b")], { d: "i" });
}

/** One f32 of b to a half, below the lower half of c. */
function besideC(s: Site, to: string, from: string, clamp: Clamp, mode: Rounding): Exec {
  const format = shorts[to] ?? s.unsupported(`to ${to}`);
  if (from !== "F32") s.unsupported(`from ${from}`);
  const f: LaneFunction = (b, c) => (c << 16) | toShort(b, format, mode, clamp);
  return s.lanes(f, [s.f32("b"), s.int("c")], { d: "i" });
}

/** Two narrow floats of b to halves, from the lower or the upper half. */
function unpacked(s: Site, to: string, from: string, clamp: Clamp): Exec {
  const format = shorts[to] ?? s.unsupported(`to ${to}`);
  const power: Narrow = { bits: 8, value: powerValue, code: () => 0 };
  const source = from === "E8" ? power : (narrows[from] ?? s.unsupported(`from ${from}`));
  const { part } = s.operand("b");
  if (part !== "" && part !== ".H1") s.unsupported("part of b");
  const shift = part === ".H1" ? 16 : 0;
  const { bits } = source;
  const mask = (1 << bits) - 1;
  const half = (code: number): number => toShort(source.value(code & mask), format, Rounding.RN, clamp);
  return s.lanes((b) => (half(b >>> (shift + bits)) << 16) | half(b >>> shift), [s.raw("b")], { d: "i" });
}

/** Two halves of b to narrow floats. */
function merged(s: Site, to: string, from: string, clamp: Clamp, mode: Rounding): Exec {
  const { code, bits } = narrowFormat(s, to, clamp, mode);
  if (shorts[from] === undefined) s.unsupported(`from ${from}`);
  const value = from === "F16" ? f16Value : bf16Value;
  const one = (x: number): number => code(lowered(value(x & 0xffff), clamp));
  const f: LaneFunction = (b, c) => (c << (2 * bits)) | (one(b >>> 16) << bits) | one(b);
  return s.lanes(f, [s.int("b"), s.int("c")], { d: "i" });
}

/** One f32 of a and one of b to narrow floats. */
function packedBytes(s: Site, to: string, from: string, clamp: Clamp, mode: Rounding): Exec {
  const { code, bits } = narrowFormat(s, to, clamp, mode);
  if (from !== "F32") s.unsupported(`from ${from}`);
  const one = (x: number): number => code(lowered(x, clamp));
  const f: LaneFunction = (a, b, c) => (c << (2 * bits)) | (one(a) << bits) | one(b);
  return s.lanes(f, [s.f32("a"), s.f32("b"), s.int("c")], { d: "i" });
}

/** PTX has only saturating conversions to narrow floats, rounded to nearest; powers of two are rounded up or to zero. */
function narrowFormat(s: Site, to: string, clamp: Clamp, mode: Rounding): Narrow {
  if (to === "E8") {
    if (mode === Rounding.RN || clamp.relu) s.unsupported("rounding to a power of two");
    return { bits: 8, value: powerValue, code: (x) => powerBits(x, mode === Rounding.RP, clamp.satfinite) };
  }
  if (!clamp.satfinite || mode !== Rounding.RN) s.unsupported("without .SATFINITE");
  return narrows[to] ?? s.unsupported(`to ${to}`);
}

/** Integers that can be packed, with the part of c that is left. */
const small: Readonly<Record<string, { readonly bits: number; readonly signed: boolean; readonly part: string }>> = {
  U16: { bits: 16, signed: false, part: "" },
  S16: { bits: 16, signed: true, part: "" },
  U8: { bits: 8, signed: false, part: "" },
  S8: { bits: 8, signed: true, part: "" },
  U4: { bits: 4, signed: false, part: ".24" },
  S4: { bits: 4, signed: true, part: ".24" },
  U2: { bits: 2, signed: false, part: ".28" },
  S2: { bits: 2, signed: true, part: ".28" },
};

/** I2IP: a and b saturated to a narrow type; bits of c from its lowest on stand above them. */
function i2ip(s: Site): Exec {
  const type = s.choose(small, small.U8!);
  if (!s.has("S32") || !s.has("SAT")) s.unsupported("types of I2IP");
  if (s.operand("c").part !== type.part) s.unsupported("part of c");
  const { bits } = type;
  const mask = bits === 16 ? 0xffff : (1 << bits) - 1;
  const least = type.signed ? -(1 << (bits - 1)) : 0;
  const most = type.signed ? (1 << (bits - 1)) - 1 : mask;
  const narrow = (x: number): number => Math.min(Math.max(x, least), most) & mask;
  const above = bits === 16 ? (): number => 0 : (c: number): number => c << (2 * bits);
  const f: LaneFunction = (a, b, c) => above(c) | (narrow(a) << bits) | narrow(b);
  return s.lanes(f, [s.int("a"), s.int("b"), s.raw("c")], { d: "i" });
}

/** F2IP: a and b (f32) as saturated bytes below the lower half of c. */
function f2ip(s: Site): Exec {
  const type: IntegerType = s.has("U8") ? { bits: 8, signed: false } : { bits: 8, signed: true };
  s.has("S8");
  if (!s.has("F32") || !s.has("NTZ")) s.unsupported("types of F2IP");
  if (s.operand("c").part !== "") s.unsupported("part of c");
  const integral = integralModes[s.has("TRUNC") ? Rounding.RZ : Rounding.RN]!;
  const byte = (x: number): number => clampInteger(integral(x), type, 0) & 0xff;
  const f: LaneFunction = (a, b, c) => (c << 16) | (byte(a) << 8) | byte(b);
  return s.lanes(f, [s.f32("a"), s.f32("b"), s.int("c")], { d: "i" });
}

export const packing: Makers = { F2FP: f2fp, I2IP: i2ip, F2IP: f2ip };
