/**
 * cvt: between integers of all widths, floats of all widths, and across. Machine modifiers as ptxas chooses them
 * (facts/ptx-to-sass); a saturating conversion to f32 is a saturating addition after the conversion.
 */
import { abs, imm, neg, not, RZ, select } from "../ori/operand.js";
import { Kind, type Operand } from "../ori/types.js";
import { assign } from "./assign.js";
import type { Context } from "./context.js";
import { convertPacked, isPacked } from "./convert-packed.js";
import { extend32, narrowed, upperWord } from "./extend.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { extremum64 } from "./float.js";
import { Refusal } from "./refusal.js";
import { isInteger, isSigned, type PtxType, registersOf, S32, U32 } from "./types.js";

const floatRoundings = { rn: "", rz: ".RZ", rm: ".RM", rp: ".RP" } as const;
const integerRoundings = { rni: "", rzi: ".TRUNC", rmi: ".FLOOR", rpi: ".CEIL" } as const;

interface Conversion {
  readonly to: PtxType;
  readonly from: PtxType;
  /** Rounding of a float result, "" for to-nearest. */
  readonly rounding: string;
  /** Rounding to an integral value, null when none is asked for. */
  readonly integral: string | null;
  readonly ftz: boolean;
  readonly sat: boolean;
}

const cvt: Lowering = (c, i, m) => {
  if (isPacked(i)) {
    convertPacked(c, i, m);
    return;
  }
  const ops = operands(i, 2);
  const integral = m.oneOf(["rni", "rzi", "rmi", "rpi"]);
  const rounding = m.oneOf(["rn", "rz", "rm", "rp"]);
  const k: Omit<Conversion, "to" | "from"> = {
    rounding: floatRoundings[rounding ?? "rn"],
    integral: integral === null ? null : integerRoundings[integral],
    ftz: m.flag("ftz"),
    sat: m.flag("sat"),
  };
  const to = m.type();
  const from = m.type();
  if (rounding !== null && (to === from || (isInteger(to) && isInteger(from)))) throw new Refusal();
  if (to.cls === "p" || from.cls === "p" || to.lanes !== 1 || from.lanes !== 1) throw new Refusal();
  const source = c.read(at(ops, 1), from);
  const value = convert(c, { ...k, to, from }, source);
  const narrow = to.name === "s8" && c.typeOf(at(ops, 0))?.bits === 16;
  assign(c, at(ops, 0), narrow ? narrowed(c, value) : value, to);
};

function convert(c: Context, k: Conversion, source: Operand): Operand {
  if (isInteger(k.to)) {
    if (!isInteger(k.from)) return floatToInteger(c, k, c.materialize(source, registersOf(k.from)));
    if (k.ftz || k.integral !== null) throw new Refusal();
    return k.sat ? saturate(c, source, k.from, k.to) : integerToInteger(c, source, k.from, k.to);
  }
  if (source.kind === Kind.Imm && isInteger(k.from) && k.from.bits < 32) {
    // A literal is a word by itself.
    const shift = 32 - k.from.bits;
    const word = isSigned(k.from) ? (source.value << shift) >> shift : (source.value << shift) >>> shift;
    return convert(c, { ...k, from: isSigned(k.from) ? S32 : U32 }, imm(word));
  }
  const x = c.materialize(source, registersOf(k.from));
  if (source.kind === Kind.Imm && k.from.name === "f64" && k.rounding !== ".RZ" && staysNormal(source.high))
    return floatToFloat(c, { ...k, ftz: k.ftz && k.to.name !== "f32" }, x);
  if (isInteger(k.from)) {
    if (k.ftz || k.integral !== null) throw new Refusal();
    return saturateFloat(c, k, floatOfInteger(c, x, k.from, k.to, k.rounding));
  }
  return floatToFloat(c, k, x);
}

// ------------------------------------------------------------------------------------------------ integers

function integerToInteger(c: Context, source: Operand, from: PtxType, to: PtxType): Operand {
  if (to.bits === 64) {
    if (from.bits === 64) return source;
    const low = extend32(c, source, from);
    return c.pair(low, upperWord(c, low, isSigned(from)));
  }
  const low = c.word(source, 0);
  if (to.bits === 32) return from.bits >= 32 ? low : extend32(c, low, from);
  // A narrow result in a wide register is extended by its own type.
  const narrow = from.bits < to.bits ? extend32(c, low, from) : low;
  return extend32(c, c.materialize(narrow), to);
}

/** Does every value of `from` fit at the upper (lower) end of `to`? */
function fitsAbove(from: PtxType, to: PtxType): boolean {
  return from.bits - (isSigned(from) ? 1 : 0) <= to.bits - (isSigned(to) ? 1 : 0);
}

function fitsBelow(from: PtxType, to: PtxType): boolean {
  return !isSigned(from) || (isSigned(to) && from.bits <= to.bits);
}

function saturate(c: Context, source: Operand, from: PtxType, to: PtxType): Operand {
  if (from.cls === "b" || to.cls === "b") throw new Refusal();
  if (from.bits === 64 && to.bits === 64)
    return isSigned(from) === isSigned(to) ? source : saturateWords(c, source, to);
  const signed = isSigned(from);
  const x = from.bits === 64 ? saturateLow(c, source, from, to) : c.materialize(extend32(c, source, from));
  const word: PtxType = { ...from, bits: 32 };
  const narrow = from.bits >= 32 && signed && to.bits <= 16 && (from.bits === 32 || isSigned(to));
  const done = from.bits === 64 && signed && to.name === "s32";
  const y = done ? x : narrow ? c.op(`I2I.${to.name.toUpperCase()}.S32.SAT`, [x]) : clamped(c, x, from, to);
  return integerToInteger(c, y, signed && !isSigned(to) ? U32 : word, to);
}

/** A word between the least and the largest number of a type, where `from` has others. */
function clamped(c: Context, x: Operand, from: PtxType, to: PtxType): Operand {
  const valueBits = to.bits - (isSigned(to) ? 1 : 0);
  const least = isSigned(to) ? -(2 ** valueBits) : 0;
  const below = from.bits < 64 && !fitsBelow(from, to) ? c.predicate() : null;
  if (below !== null) c.emit("ISETP.LT.AND", [below], [x, imm(least)]);
  // ptxas asks a signed byte or half for both ends of a narrow unsigned type.
  const both = isSigned(from) && from.bits < 32 && !isSigned(to) && to.bits < 32;
  const above = valueBits < 32 && (both || !fitsAbove(from, to)) ? c.predicate() : null;
  const unsigned = isSigned(from) && from.bits < 64 ? "" : ".U32";
  if (above !== null && valueBits === 31) c.emit(`ISETP.GE${unsigned}.AND`, [above], [x, imm(2 ** 31)]);
  else if (above !== null) c.emit(`ISETP.GT${unsigned}.AND`, [above], [x, imm(2 ** valueBits - 1)]);
  let y = x;
  if (below !== null) y = c.op("SEL", [y, imm(least), not(below)]);
  if (above !== null) y = c.op("SEL", [y, imm(2 ** valueBits - 1), not(above)]);
  return y;
}

/** All ones where the upper word compares so with zero. */
function maskWhere(c: Context, comparison: string, high: Operand): Operand {
  const p = c.predicate();
  c.emit(`ISETP.${comparison}.AND`, [p], [high, RZ()]);
  return c.op("SEL", [RZ(), imm(0xffffffff), not(p)]);
}

/** The word of 32 bits, signed where source and result are, that is nearest to 64 bits; what is narrower is cut from it. */
function saturateLow(c: Context, source: Operand, from: PtxType, to: PtxType): Operand {
  const [low, high] = c.words(c.materialize(source, 2));
  if (!isSigned(from)) return c.op("LOP3.LUT", [maskWhere(c, "NE.U32", high), low, RZ(), imm(0xfc)]);
  if (!isSigned(to)) {
    const above = maskWhere(c, "NE.U32", high);
    return c.op("LOP3.LUT", [maskWhere(c, "GE", high), above, low, imm(0xe0)]);
  }
  const sign = c.op("SHF.R.S32.HI", [RZ(), imm(31), low]);
  const positive = c.predicate();
  c.emit("ISETP.GE.AND", [positive], [high, RZ()]);
  const end = c.op("SEL", [c.op("MOV", [imm(0x7fffffff)]), imm(0x80000000), positive]);
  const fits = c.predicate();
  c.emit("ISETP.EQ.AND", [fits], [c.op("LOP3.LUT", [sign, high, RZ(), imm(0x3c)]), RZ()]).said = "straight";
  return c.op("SEL", [low, end, fits]);
}

/** 64 bits as those of the other signedness. */
function saturateWords(c: Context, source: Operand, to: PtxType): Operand {
  const [low, high] = c.words(c.materialize(source, 2));
  const wrong = c.predicate();
  const mask = maskWhere(c, isSigned(to) ? "LT" : "GE", high);
  if (isSigned(to)) c.emit("ISETP.GE.U32.AND", [wrong], [high, imm(0x80000000)]);
  else c.emit("ISETP.LT.AND", [wrong], [high, RZ()]);
  const top = c.op("SEL", [high, imm(isSigned(to) ? 0x7fffffff : 0), not(wrong)]);
  return c.pair(c.op("LOP3.LUT", [mask, low, RZ(), imm(isSigned(to) ? 0xfc : 0xc0)]), top);
}

// ------------------------------------------------------------------------------------------------ float to integer

/** `.F64`, `.F16`: the source of a conversion; f32 is not written. */
function sourceName(type: PtxType): string {
  if (type.name === "f32") return "";
  return `.${type.name.toUpperCase()}`;
}

function integerName(type: PtxType): string {
  return type.name === "s32" ? "" : `.${type.name.toUpperCase()}`;
}

/** The number with denormals flushed, as a product that stays one. */
function flushedProduct(c: Context, x: Operand): Operand {
  const d = c.temp();
  c.emit("FMUL.FTZ", [d], [x, imm(0x3f800000)]).said = "rounded";
  return d;
}

function floatToInteger(c: Context, k: Conversion, x: Operand): Operand {
  if (k.integral === null || k.to.cls === "b") throw new Refusal();
  const wide = k.to.bits === 64 || k.from.bits === 64;
  // Conversions to 64 bits do not flush by themselves. Only upwards, or downwards with a sign, does a denormal become anything but 0.
  const flushes = k.ftz && k.to.bits === 64;
  const flush = flushes && (k.integral === ".CEIL" || (k.integral === ".FLOOR" && isSigned(k.to)));
  if (k.ftz && k.from.name !== "f32") throw new Refusal();
  const source = flush ? flushedProduct(c, x) : x;
  const ftz = k.ftz && !flushes ? ".FTZ" : "";
  const form = `F2I${ftz}${integerName(k.to)}${sourceName(k.from)}${k.integral}${wide ? "" : ".NTZ"}`;
  const d = c.op(form, [source], k.to.bits === 64 ? 2 : 1);
  return k.to.bits === 8 ? extend32(c, d, k.to) : d;
}

// ------------------------------------------------------------------------------------------------ to float

/** An integer as a float; `rounding`: "" to nearest, else `.RZ` … */
export function floatOfInteger(c: Context, x: Operand, from: PtxType, to: PtxType, rounding: string): Operand {
  if (from.cls === "b") throw new Refusal();
  const width = registersOf(to);
  if (to.name === "f32" && from.bits === 32 && (rounding === "" || rounding === ".RZ") && c.target.has("i2fp")) {
    return c.op(`I2FP.F32.${from.name.toUpperCase()}${rounding}`, [x]);
  }
  const target = to.name === "f32" ? "" : `.${to.name.toUpperCase()}`;
  return c.op(`I2F${target}${integerName(from)}${rounding}`, [x], width);
}

function saturateFloat(c: Context, k: Conversion, x: Operand): Operand {
  if (!k.sat) return x;
  if (k.to.name === "f32") return c.op(`FADD${k.ftz ? ".FTZ" : ""}.SAT`, [x, RZ()]);
  if (k.to.name === "f16")
    return c.op("HADD2.SAT", [
      { ...x, part: ".H0_H0" },
      { ...neg(RZ()), part: ".H0_H0" },
    ]);
  if (k.to.name === "f64") return saturateDouble(c, x);
  throw new Refusal();
}

/** x where it lies between 0 and 1, else the nearer one; 0 for what is no number. */
function saturateDouble(c: Context, x: Operand): Operand {
  const [low, d] = [c.temp(2), c.temp(2)];
  extremum64(c, low, RZ(2), x, true);
  extremum64(c, d, low, { ...imm(0), width: 2, high: 0x3ff00000 }, false);
  return d;
}

/** A half plus −0: the number itself, no number as the machine has it. */
function sameHalf(c: Context, k: Conversion, x: Operand): Operand {
  const [a, zero] = [select(x, ".H0_H0"), select(neg(RZ()), ".H0_H0")];
  if (k.to.cls === "bf") return c.op("HFMA2.BF16_V2", [zero, select(RZ(), ".H0_H0"), a]);
  return c.op(`HADD2${k.sat ? ".SAT" : ""}`, [a, zero]);
}

function floatToFloat(c: Context, k: Conversion, x: Operand): Operand {
  const { to, from, rounding, integral, ftz } = k;
  const flush = ftz ? ".FTZ" : "";
  if (to.name === from.name) {
    if (integral !== null) {
      if (ftz && to.name !== "f32") throw new Refusal();
      const target = to.name === "f32" ? "" : `.${to.name.toUpperCase()}`;
      return saturateFloat(c, k, c.op(`FRND${flush}${target}${integral}`, [x], registersOf(to)));
    }
    if (to.name === "f32") return c.op(`FADD${flush}${k.sat ? ".SAT" : ""}`, [x, neg(RZ())]);
    if (to.name === "f64" && !ftz) return saturateFloat(c, k, x);
    if (to.bits === 16 && !ftz && !(k.sat && to.cls === "bf")) return sameHalf(c, k, x);
    throw new Refusal();
  }
  if (integral !== null) throw new Refusal();
  if (from.name === "f32" && to.name === "f64") {
    const y = ftz ? flushedProduct(c, x) : x;
    return saturateFloat(c, k, c.op("F2F.F64.F32", [y], 2));
  }
  if (from.name === "f64" && to.name === "f32") {
    return ftz ? narrowFlushed(c, k, x) : saturateFloat(c, k, c.op(`F2F.F32.F64${rounding}`, [x]));
  }
  if (from.name === "f16" && to.name === "f32") {
    // Halves have no denormals that f32 would have to flush.
    return c.op(`HADD2.F32${k.sat ? ".SAT" : ""}`, [neg(RZ()), select(x, ".H0_H0")]);
  }
  if (from.name === "bf16" && to.name === "f32" && !ftz) {
    return saturateFloat(c, k, c.op("SHF.L.U32", [x, imm(16), RZ()]));
  }
  if (from.name === "bf16" && to.name === "f32") return saturateFloat(c, k, c.op(`F2F.FTZ.F32.BF16${rounding}`, [x]));
  if (k.sat && to.name !== "f16" && to.name !== "f64") throw new Refusal();
  if (ftz && from.name !== "f32") throw new Refusal();
  const names = `${to.name.toUpperCase()}.${from.name.toUpperCase()}`;
  // The smallest normal f32 is far below the smallest f16: flushing changes nothing there.
  const f2fFtz = ftz && to.name !== "f16" ? ".FTZ" : "";
  return saturateFloat(c, k, c.op(`F2F${f2fFtz}.${names}${rounding}`, [x], registersOf(to)));
}

/** 2⁻¹²⁶, the least normal f32, as f32 and as f64. */
const LEAST_NORMAL = 0x00800000;
const LEAST_NORMAL_64 = { ...imm(0), width: 2, high: 0x38100000 } as const;

/** Is the f64 with this upper word no less than 2⁻¹²⁶, or none? */
const staysNormal = (high: number): boolean => (high & 0x7fffffff) >= LEAST_NORMAL_64.high;

/** Whether x, which is f64, becomes less than a normal f32 when it is rounded with an unbounded exponent; limits as of ptxas 13.0.88. */
function becomesDenormal(c: Context, x: Operand, rounding: string): Operand {
  const small = c.predicate();
  if (rounding === "") {
    c.emit(
      "DSETP.LT.AND",
      [small],
      [abs(x), c.materialize({ ...LEAST_NORMAL_64, value: 0xf0000000, high: 0x380fffff }, 2)],
    );
    return small;
  }
  // Away from zero all that is above the number before 2⁻¹²⁶ with 24 digits becomes 2⁻¹²⁶, towards zero only what is not below it.
  const sign = c.predicate();
  c.emit("ISETP.NE.AND", [sign], [c.op("SHF.R.U32.HI", [RZ(), imm(31), c.word(x, 1)]), RZ()]);
  const [away, towards] = [
    [0xe0000001, 0x380fffff],
    [0, 0x38100000],
  ] as const;
  const [negative, positive] = rounding === ".RM" ? [away, towards] : [towards, away];
  const limit = [0, 1].map((w) => {
    const [a, b] = [negative[w]!, positive[w]!];
    if (a === 0) return c.op("FSEL", [RZ(), imm(b), sign]);
    return b === 0 ? c.op("FSEL", [RZ(), imm(a), not(sign)]) : c.op("FSEL", [c.op("MOV", [imm(a)]), imm(b), sign]);
  }) as [Operand, Operand];
  c.emit("DSETP.GT.AND", [small], [c.pair(...limit), abs(x)]);
  return small;
}

/**
 * f64 to f32 with denormal results flushed, and saturated where that is asked for. The machine flushes a result that is below the normal
 * numbers when rounded with an unbounded exponent; such a one times 2⁻¹²⁶ is zero.
 */
function narrowFlushed(c: Context, k: Conversion, x: Operand): Operand {
  const narrow = c.op(`F2F.F32.F64${k.rounding}`, [x]);
  const y = k.sat ? c.op("FADD.SAT", [narrow, RZ()]) : narrow;
  let small: Operand;
  if (k.rounding === ".RZ") {
    small = c.predicate();
    c.emit("FSETP.LT.AND", [small], [k.sat ? y : abs(y), imm(LEAST_NORMAL)]);
  } else small = becomesDenormal(c, x, k.rounding);
  return c.op("FSEL", [c.op("FMUL", [y, imm(LEAST_NORMAL)]), y, small]);
}

export const convertFamily: Family = { cvt };
