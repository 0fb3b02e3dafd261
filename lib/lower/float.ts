/** f32 and f64 arithmetic that the machine does in one or a few instructions. */
import { abs, imm, neg, not, PT, RZ } from "../ori/operand.js";
import { type Inst, Kind, type Operand } from "../ori/types.js";
import type { Context } from "./context.js";
import { at, type Lowering, operands } from "./family.js";
import type { Modifiers } from "./modifiers.js";
import { Refusal } from "./refusal.js";
import { F32, F64, type PtxType } from "./types.js";

/** The rounding modifiers of an arithmetic instruction as the machine writes them. */
export interface FloatModifiers {
  readonly type: PtxType;
  readonly suffix: string;
  /** How to round was left open. */
  readonly open: boolean;
}

const roundings = { rn: "", rz: ".RZ", rm: ".RM", rp: ".RP" } as const;

/** Rounding, .ftz and .sat, then the type; f64 has neither .ftz nor .sat. */
export function floatModifiers(m: Modifiers): FloatModifiers {
  const given = m.oneOf(["rn", "rz", "rm", "rp"]);
  const rounding = roundings[given ?? "rn"];
  const ftz = m.flag("ftz");
  const sat = m.flag("sat");
  const type = m.type();
  if (type.name === "f64" && (ftz || sat)) throw new Refusal();
  if (type.name !== "f32" && type.name !== "f64") throw new Refusal();
  return { type, suffix: `${ftz ? ".FTZ" : ""}${rounding}${sat ? ".SAT" : ""}`, open: given === null };
}

/** −o of a floating-point operand; constants are folded. */
export function negatedFloat(o: Operand): Operand {
  if (o.kind !== Kind.Imm) return neg(o);
  return o.width === 2 ? { ...o, high: (o.high ^ 0x80000000) >>> 0 } : imm(o.value ^ 0x80000000);
}

/** Sources of a commutative pair with a constant, if any, second. */
function ordered(a: Operand, b: Operand): [Operand, Operand] {
  return a.kind === Kind.Imm ? [b, a] : [a, b];
}

function registersFirst(c: Context, type: PtxType, a: Operand, b: Operand): [Operand, Operand] {
  const [x, y] = ordered(a, b);
  return [c.materialize(x, type.bits / 32), y];
}

export const floatAdd = (subtract: boolean): Lowering => {
  return (c, i, m) => {
    const ops = operands(i, 3);
    const { type, suffix, open } = floatModifiers(m);
    const a = c.read(at(ops, 1), type);
    const b = c.read(at(ops, 2), type);
    const [x, y] = registersFirst(c, type, a, subtract ? negatedFloat(b) : b);
    const sum = c.emit(`${type.bits === 32 ? "FADD" : "DADD"}${suffix}`, [c.inPlace(at(ops, 0), type)], [x, y]);
    if (open) mayContract(c, sum);
  };
};

/** The rounding of a product or sum was left open. */
export function mayContract(c: Context, inst: Inst): void {
  if (c.module.contracts) inst.said = "contract";
}

export const floatMul: Lowering = (c, i, m) => {
  const ops = operands(i, 3);
  const { type, suffix, open } = floatModifiers(m);
  const [x, y] = registersFirst(c, type, c.read(at(ops, 1), type), c.read(at(ops, 2), type));
  const made = c.emit(`${type.bits === 32 ? "FMUL" : "DMUL"}${suffix}`, [c.inPlace(at(ops, 0), type)], [x, y]);
  if (open) mayContract(c, made);
  else if (made.form.op === "FMUL" && y.kind === Kind.Imm) made.said = "rounded";
};

export const floatFma: Lowering = (c, i, m) => {
  const ops = operands(i, 4);
  const { type, suffix } = floatModifiers(m);
  const [x, y] = registersFirst(c, type, c.read(at(ops, 1), type), c.read(at(ops, 2), type));
  const s = c.read(at(ops, 3), type);
  c.emit(`${type.bits === 32 ? "FFMA" : "DFMA"}${suffix}`, [c.inPlace(at(ops, 0), type)], [x, y, s]);
};

/** neg and abs: an addition of −0, which flushes where it is asked to. */
export const floatSign = (absolute: boolean): Lowering => {
  return (c, i, m) => {
    const ops = operands(i, 2);
    const ftz = m.flag("ftz");
    const type = m.type();
    if (type.bits === 64 && ftz) throw new Refusal();
    const a = c.materialize(c.read(at(ops, 1), type), type.bits / 32);
    const d = c.out(at(ops, 0), type);
    if (type.name === "f32") {
      c.emit(`FADD${ftz ? ".FTZ" : ""}`, [d], [absolute ? abs(a) : neg(a), neg(RZ())]);
    } else if (type.name === "f64") {
      c.emit("DADD", [d], [neg(RZ(2)), absolute ? abs(a) : neg(a)]);
    } else throw new Refusal();
  };
};

export const floatExtremum = (max: boolean): Lowering => {
  return (c, i, m) => {
    const ops = operands(i, 3);
    const ftz = m.flag("ftz");
    const nan = m.flag("NaN");
    const xorsign = m.flag("xorsign");
    const absolute = m.flag("abs");
    const type = m.type();
    const [a, b] = [c.read(at(ops, 1), type), c.read(at(ops, 2), type)];
    const d = c.out(at(ops, 0), type);
    if (type.name === "f32" && xorsign === absolute) {
      const suffix = `${ftz ? ".FTZ" : ""}${nan ? ".NAN" : ""}${xorsign ? ".XORSIGN" : ""}`;
      const [x, y] = registersFirst(c, type, a, b);
      const bars = (o: Operand): Operand => (!absolute ? o : o.kind === Kind.Imm ? imm(o.value & 0x7fffffff) : abs(o));
      c.emit(`FMNMX${suffix}`, [d], [bars(x), bars(y), max ? not(PT()) : PT()]);
    } else if (type.name === "f64" && !ftz && !nan && !xorsign && !absolute) {
      const [x, y] = a.kind === Kind.Imm ? [b, a] : [a, b];
      extremum64(c, d, c.materialize(x, 2), isShort(y) && y.high !== 0 ? y : c.materialize(y, 2), max);
    } else throw new Refusal();
  };
};

/**
 * d = a if a beats b or b is no number, else b; −0 is less than +0. DSETP says which and whether both are no numbers, of which b with its quiet
 * bit is the result. The copies of upper words are ptxas's.
 */
export function extremum64(c: Context, d: Operand, a: Operand, b: Operand, max: boolean): void {
  const [wins, neither] = [c.predicate(), c.predicate()];
  const x = c.copied(c.word(a, 1), "kept");
  const y = b.kind === Kind.Imm ? c.word(b, 1) : c.copied(c.word(b, 1), "kept");
  c.emit(`DSETP.${max ? "MAX" : "MIN"}.AND`, [wins, neither], [a, b]);
  const high = c.op("FSEL", [x, y, wins]);
  c.emit("SEL", [c.word(d, 0)], [c.word(a, 0), c.word(b, 0), wins]);
  const quiet = imm(0x80000);
  const bits = b.kind === Kind.Imm ? [c.op("MOV", [quiet]), y] : [y, quiet];
  c.emit("LOP3.LUT", [high], [...bits, RZ(), imm(0xfc)], c.when(neither)).said = "kept";
  c.move(c.word(d, 1), high, "kept");
}

/** A number of 64 bits that an instruction may name as it is: its lower word is zero. */
const isShort = (o: Operand): boolean => o.kind === Kind.Imm && o.value === 0;

/** The magnitude of b with the sign of a. */
export const copysign: Lowering = (c, i, m) => {
  const ops = operands(i, 3);
  const type = m.type();
  if (type !== F32 && type !== F64) throw new Refusal();
  const a = c.read(at(ops, 1), type);
  const b = c.read(at(ops, 2), type);
  const d = c.out(at(ops, 0), type);
  const top = d.width - 1;
  if (top === 1) c.move(c.word(d, 0), c.word(b, 0));
  const [sign, magnitude] = [c.materialize(c.word(a, top)), c.materialize(c.word(b, top))];
  c.emit("LOP3.LUT", [c.word(d, top)], [magnitude, imm(0x80000000), sign, imm(0xb8)]);
};
