/**
 * cvt: between integers of all widths, floats of all widths, and across. Machine modifiers as ptxas chooses them
 * (facts/ptx-to-sass); a saturating conversion to f32 is a saturating addition after the conversion.
 */
import { abs, imm, neg, RZ, select } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import { assign } from "./assign.js";
import type { Context } from "./context.js";
import { convertPacked, isPacked } from "./convert-packed.js";
import { extend32, narrowed, upperWord } from "./extend.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { minMax32 } from "./integer.js";
import { Refusal } from "./refusal.js";
import { isInteger, isSigned, type PtxType, registersOf, U32 } from "./types.js";
import { compare64, select64, type Words } from "./wide.js";

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
  const x = c.materialize(source, registersOf(k.from));
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

/** Largest and smallest value of a type as [low, high] words. */
function bounds(type: PtxType): { max: [number, number]; min: [number, number] } {
  const valueBits = isSigned(type) ? type.bits - 1 : type.bits;
  const low = valueBits >= 32 ? 0xffffffff : 2 ** valueBits - 1;
  const high = valueBits <= 32 ? 0 : 2 ** (valueBits - 32) - 1;
  const min: [number, number] = isSigned(type) ? [~low >>> 0, ~high >>> 0] : [0, 0];
  return { max: [low, high], min };
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
  const signed = isSigned(from);
  const { max, min } = bounds(to);
  if (from.bits < 64) {
    let x = c.materialize(extend32(c, source, from));
    if (!fitsBelow(from, to)) x = clamped32(c, x, imm(min[0]), signed, true);
    if (!fitsAbove(from, to)) x = clamped32(c, x, imm(max[0]), signed, false);
    return integerToInteger(c, x, signed && !isSigned(to) ? U32 : { ...from, bits: 32 }, to);
  }
  let x = c.words(c.materialize(source, 2));
  if (!fitsBelow(from, to)) x = clamped64(c, x, [imm(min[0]), imm(min[1])], signed, true);
  if (!fitsAbove(from, to)) x = clamped64(c, x, [imm(max[0]), imm(max[1])], signed, false);
  return integerToInteger(c, c.pair(x[0], x[1]), from, to);
}

function clamped32(c: Context, x: Operand, bound: Operand, signed: boolean, max: boolean): Operand {
  const d = c.temp();
  minMax32(c, d, x, bound, signed, max);
  return d;
}

function clamped64(c: Context, x: [Operand, Operand], bound: Words, signed: boolean, max: boolean): [Operand, Operand] {
  const p = compare64(c, max ? "GT" : "LT", signed, x, bound);
  const d = c.words(c.temp(2));
  select64(c, d, x, bound, p);
  return d;
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

function floatToInteger(c: Context, k: Conversion, x: Operand): Operand {
  if (k.integral === null || k.to.cls === "b") throw new Refusal();
  const wide = k.to.bits === 64 || k.from.bits === 64;
  // Conversions to 64 bits do not flush by themselves. Only upwards, or downwards with a sign, does a denormal become anything but 0.
  const flushes = k.ftz && k.to.bits === 64;
  const flush = flushes && (k.integral === ".CEIL" || (k.integral === ".FLOOR" && isSigned(k.to)));
  if (k.ftz && k.from.name !== "f32") throw new Refusal();
  const source = flush ? c.op("FMUL.FTZ", [x, imm(0x3f800000)]) : x;
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
  const [positive, small] = [c.predicate(), c.predicate()];
  c.emit("DSETP.GT.AND", [positive], [x, RZ(2)]);
  const low = c.temp(2);
  select64(c, c.words(low), c.words(x), [RZ(), RZ()], positive);
  const one = c.pair(RZ(), imm(0x3ff00000));
  c.emit("DSETP.LT.AND", [small], [low, one]);
  const d = c.temp(2);
  select64(c, c.words(d), c.words(low), c.words(one), small);
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
    const y = ftz ? c.op("FMUL.FTZ", [x, imm(0x3f800000)]) : x;
    return saturateFloat(c, k, c.op("F2F.F64.F32", [y], 2));
  }
  if (from.name === "f64" && to.name === "f32") {
    const y = ftz ? narrowFlushed(c, x, rounding) : c.op(`F2F.F32.F64${rounding}`, [x]);
    return saturateFloat(c, k, y);
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

/**
 * f64 to f32 with denormal results flushed. The machine flushes a result that is below the normal numbers when rounded with an
 * unbounded exponent; so small numbers are rounded where that is no limit, 2²⁴ times as large, and brought down by a flushing
 * product that is exact.
 */
function narrowFlushed(c: Context, x: Operand, rounding: string): Operand {
  const small = c.predicate();
  const magnitude = { ...imm(0), width: 2, high: 0x39b00000 };
  c.emit("DSETP.LT.AND", [small], [abs(x), magnitude]);
  const up = c.op("SEL", [c.op("MOV", [imm(0x41700000)]), imm(0x3ff00000), small]);
  const scaled = c.op("DMUL", [x, c.pair(RZ(), up)], 2);
  const down = c.op("FSEL", [c.op("MOV", [imm(0x33800000)]), imm(0x3f800000), small]);
  return c.op("FMUL.FTZ", [c.op(`F2F.F32.F64${rounding}`, [scaled]), down]);
}

export const convertFamily: Family = { cvt };
