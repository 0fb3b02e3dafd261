/**
 * Conversions that pack several narrow numbers into a word: F2FP, F2IP, I2IP. What of a comes stands above what of b; c, where there
 * is one, stands above both.
 */
import { E4M3, E5M2, type Float8, float8Bits, float8Value } from "../number/float8.js";
import { BF16, bf16Value, F16, f16Value, type Short, shortBits } from "../number/half.js";
import { clampInteger, type IntegerType, integralModes } from "../number/integral.js";
import { Rounding } from "../number/rounding.js";
import type { Makers, Site } from "../site.js";
import type { LaneFunction } from "../stamp.js";
import type { Exec } from "../state.js";

const shorts: Readonly<Record<string, Short>> = { F16, BF16 };
const tiny: Readonly<Record<string, Float8>> = { E4M3, E5M2 };

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
  const mode = s.has("RZ") ? Rounding.RZ : Rounding.RN;
  const types = s.inst.form.mods.filter((m) => /^(B?F16|[BT]?F32|E\dM\d)$/.test(m));
  for (const t of types) s.has(t);
  const [to = "F16", from = "F32"] = types;
  if (s.has("UNPACK_B")) return unpacked(s, to, from, clamp);
  if (s.has("UNPACK_B_MERGE_C")) return merged(s, to, from, clamp);
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

/** Two 8-bit floats of b to halves, from the lower or the upper half. */
function unpacked(s: Site, to: string, from: string, clamp: Clamp): Exec {
  const format = shorts[to] ?? s.unsupported(`to ${to}`);
  const source = tiny[from] ?? s.unsupported(`from ${from}`);
  const { part } = s.operand("b");
  if (part !== "" && part !== ".H1") s.unsupported("part of b");
  const shift = part === ".H1" ? 16 : 0;
  const half = (bits: number): number => toShort(float8Value(bits & 0xff, source), format, Rounding.RN, clamp);
  return s.lanes((b) => (half(b >>> (shift + 8)) << 16) | half(b >>> shift), [s.raw("b")], { d: "i" });
}

/** Two halves of b to 8-bit floats. */
function merged(s: Site, to: string, from: string, clamp: Clamp): Exec {
  const format = bytesFormat(s, to, clamp);
  if (shorts[from] === undefined) s.unsupported(`from ${from}`);
  const value = from === "F16" ? f16Value : bf16Value;
  const byte = (bits: number): number => float8Bits(lowered(value(bits & 0xffff), clamp), format);
  const f: LaneFunction = (b, c) => (c << 16) | (byte(b >>> 16) << 8) | byte(b);
  return s.lanes(f, [s.int("b"), s.int("c")], { d: "i" });
}

/** One f32 of a and one of b to 8-bit floats. */
function packedBytes(s: Site, to: string, from: string, clamp: Clamp, mode: Rounding): Exec {
  const format = bytesFormat(s, to, clamp);
  if (from !== "F32" || mode !== Rounding.RN) s.unsupported(`from ${from}`);
  const byte = (x: number): number => float8Bits(lowered(x, clamp), format);
  const f: LaneFunction = (a, b, c) => (c << 16) | (byte(a) << 8) | byte(b);
  return s.lanes(f, [s.f32("a"), s.f32("b"), s.int("c")], { d: "i" });
}

/** PTX has only saturating conversions to 8-bit floats. */
function bytesFormat(s: Site, to: string, clamp: Clamp): Float8 {
  if (!clamp.satfinite) s.unsupported("without .SATFINITE");
  return tiny[to] ?? s.unsupported(`to ${to}`);
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
