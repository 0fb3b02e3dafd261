/** Conversions between number types: all roundings, saturation, NaN. */
import { Kind, Mod } from "../../isa/operand.js";
import { flush, toF32 } from "../number/f32.js";
import { add64 } from "../number/f64.js";
import { BF16, bf16Value, F16, f16Value, shortBits } from "../number/half.js";
import {
  clampInteger,
  clampLong,
  type IntegerType,
  integerTypes,
  integralModes,
  integralNames,
} from "../number/integral.js";
import { Rounding, sumError } from "../number/rounding.js";
import type { Makers, Site } from "../site.js";
import { high, type LaneFunction, type Source } from "../stamp.js";
import type { Exec } from "../state.js";

type FloatType = "F16" | "BF16" | "F32" | "F64";
const floatTypes: Readonly<Record<string, FloatType>> = { F16: "F16", BF16: "BF16", F32: "F32", F64: "F64" };

/** The float types among the modifiers, in printed order. */
function floatMods(s: Site): FloatType[] {
  const found: FloatType[] = [];
  for (const mod of s.inst.form.mods) {
    const type = floatTypes[mod];
    if (type !== undefined) {
      s.has(mod);
      found.push(type);
    }
  }
  return found;
}

/** A float source of any type: how it is read, and how the words become a number. */
function floatSource(
  s: Site,
  name: string,
  type: FloatType,
  ftz: boolean,
): { source: Source; value: (x: number) => number } {
  if (type === "F64") return { source: s.f64(name), value: (x) => x };
  if (type === "F32") return { source: s.f32(name, ftz), value: (x) => x };
  const o = s.operand(name);
  const shift = o.part === ".H1" || o.part === ".H1_H1" ? 16 : 0;
  const convert = type === "F16" ? f16Value : bf16Value;
  const abs = (o.mods & Mod.Abs) !== 0;
  const neg = (o.mods & Mod.Neg) !== 0;
  return {
    source: s.raw(name),
    value: (x) => {
      let v = convert((x >>> shift) & 0xffff);
      if (ftz) v = flush(v);
      if (abs) v = Math.abs(v);
      return neg ? -v : v;
    },
  };
}

/** The lane function that stores a number `s + e` in a float type, and the result type of it. */
function floatResult(type: FloatType, mode: Rounding): { d: "i" | "f" | "d"; round: (x: number, e: number) => number } {
  switch (type) {
    case "F64":
      return { d: "d", round: (x, e) => (e === 0 ? x : add64(x, e, mode)) };
    case "F32":
      return { d: "f", round: (x, e) => toF32(x, e, mode) };
    case "F16":
      return { d: "i", round: (x, e) => shortBits(x, e, F16, mode) };
    default:
      return { d: "i", round: (x, e) => shortBits(x, e, BF16, mode) };
  }
}

function f2f(s: Site): Exec {
  const ftz = s.has("FTZ");
  const [to = "F32", from = "F32"] = floatMods(s);
  const integral = s.choose<Rounding>(integralNames, Rounding.RN);
  const { source, value } = floatSource(s, "b", from, ftz);
  const { d, round } = floatResult(to, s.rounding());
  if (integral !== Rounding.RN) s.unsupported("integral rounding");
  return s.lanes((x) => round(value(x), 0), [source], { d, ftz: ftz && to === "F32" });
}

function frnd(s: Site): Exec {
  const ftz = s.has("FTZ");
  const [type = "F32"] = floatMods(s);
  const integral = integralModes[s.choose<Rounding>(integralNames, Rounding.RN)]!;
  const { source, value } = floatSource(s, "b", type, ftz);
  const { d, round } = floatResult(type, Rounding.RN);
  return s.lanes((x) => round(integral(value(x)), 0), [source], { d });
}

function f2i(s: Site): Exec {
  const ftz = s.has("FTZ");
  const [from = "F32"] = floatMods(s);
  const type = s.choose<IntegerType>(integerTypes, integerTypes.S32!);
  const integral = integralModes[s.choose<Rounding>(integralNames, Rounding.RN)]!;
  // Without .NTZ ("NaN to zero") a NaN gives the value with only the type's top bit set.
  const top = (2 ** (Math.min(32, type.bits) - 1)) | 0;
  const nan = s.has("NTZ") ? 0 : type.signed ? -top | 0 : top;
  const { source, value } = floatSource(s, "b", from, ftz);
  if (type.bits === 64) {
    const toLong: LaneFunction = (x) => {
      const v = integral(value(x));
      const r = nan === 0 && Number.isNaN(v) ? 0n : BigInt.asUintN(64, clampLong(v, type.signed));
      high.word = Number(r >> 32n) | 0;
      return Number(r & 0xffffffffn) | 0;
    };
    return s.lanes(toLong, [source], { d: "w" });
  }
  return s.lanes((x) => clampInteger(integral(value(x)), type, nan), [source], { d: "i" });
}

/** A narrow integer inside a word. */
function narrow(s: Site, name: string, type: IntegerType): (x: number) => number {
  const { part } = s.operand(name);
  const byte = part === ".B1" ? 8 : part === ".B2" ? 16 : part === ".B3" ? 24 : part === ".H1" ? 16 : 0;
  const { bits, signed } = type;
  if (bits >= 32) return signed ? (x) => x : (x) => x >>> 0;
  const up = 32 - bits;
  return signed ? (x) => ((x >>> byte) << up) >> up : (x) => ((x >>> byte) << up) >>> up;
}

const TWO32 = 4294967296;

function i2f(s: Site): Exec {
  const [to = "F32"] = floatMods(s);
  const type = s.choose<IntegerType>(integerTypes, integerTypes.S32!);
  const { d, round } = floatResult(to, s.rounding());
  if (type.bits === 64) {
    const fromLong: LaneFunction = (lo, hi) => {
      const a = (type.signed ? hi : hi >>> 0) * TWO32;
      const b = lo >>> 0;
      const sum = a + b;
      return round(sum, sumError(a, b, sum));
    };
    // As of doubles, an immediate is the upper word (ptxas has 0x2 for 2³³).
    const o = s.operand("b");
    if (o.kind === Kind.Imm) return s.lanes((hi) => fromLong(0, hi), [s.raw("b")], { d });
    return s.lanes(fromLong, [s.long("b")], { d });
  }
  const o = s.operand("b");
  if (o.kind === Kind.Reg && (o.mods & ~Mod.Reuse) !== 0) s.unsupported("sign of an integer operand");
  const value = narrow(s, "b", type);
  return s.lanes((x) => round(value(x), 0), [s.raw("b")], { d });
}

/** I2I: a signed word clamped to a narrow type. */
function i2i(s: Site): Exec {
  const [low, high] = s.choose({ U8: [0, 0xff], S8: [-0x80, 0x7f], U16: [0, 0xffff], S16: [-0x8000, 0x7fff] }, [0, 0]);
  if (low === high || !s.has("S32") || !s.has("SAT")) s.unsupported("types of I2I");
  return s.lanes((x) => Math.min(Math.max(x, low!), high!), [s.int("b")], { d: "i" });
}

export const conversion: Makers = {
  F2F: f2f,
  FRND: frnd,
  F2I: f2i,
  I2F: i2f,
  I2FP: i2f,
  I2I: i2i,
};
