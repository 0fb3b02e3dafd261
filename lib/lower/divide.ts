/** div, rem, rcp, sqrt and rsqrt: exactly rounded ones by routines (math/), approximations by the machine's own. */
import { imm } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import { approximateDivision, reciprocal, reciprocalRoot, squareRoot } from "./approximate.js";
import type { Context } from "./context.js";
import { extend32 } from "./extend.js";
import { at, type Lowering, operands } from "./family.js";
import { inlineRoutine } from "./inline.js";
import { negated } from "./integer.js";
import { divisionF32, type Rounding, squareRootF32 } from "./math/float32.js";
import { divisionF64, reciprocalRootF64, squareRootF64 } from "./math/float64.js";
import { integerDivision } from "./math/integer-division.js";
import type { Modifiers } from "./modifiers.js";
import { Refusal } from "./refusal.js";
import {
  roundedQuotient,
  roundedQuotient64,
  roundedReciprocal,
  roundedReciprocal64,
  roundedRoot,
  roundedRoot64,
} from "./rounded.js";
import { F32, F64, isSigned, type PtxType, registersOf } from "./types.js";
import * as wide from "./wide.js";

// ------------------------------------------------------------------------------------------------ integers

export const integerDivide = (remainder: boolean): Lowering => {
  return (c, i, m) => {
    const ops = operands(i, 3);
    const type = m.type();
    if (type.bits < 16 || type.bits > 64 || type.cls === "b") throw new Refusal();
    const read = (k: number): Operand => {
      const o = c.read(at(ops, k), type);
      return type.bits === 64 ? c.materialize(o, 2) : c.materialize(extend32(c, o, type));
    };
    const [a, b] = [read(1), read(2)];
    const d = c.out(at(ops, 0), type);
    const value = isSigned(type) ? signedDivide(c, a, b, remainder) : unsignedDivide(c, a, b, remainder);
    allOnesWhenZero(c, d, value, b);
  };
};

/** Division by zero has no meaning in PTX; like the code of ptxas it gives all ones. */
function allOnesWhenZero(c: Context, d: Operand, value: Operand, b: Operand): void {
  const any = b.width === 1 ? b : c.op("LOP3.LUT", [c.word(b, 0), c.word(b, 1), imm(0), imm(0xfc)]);
  const divides = c.predicate();
  c.emit("ISETP.NE.U32.AND", [divides], [any, imm(0)]);
  for (let w = 0; w < d.width; w++) c.emit("SEL", [c.word(d, w)], [c.word(value, w), imm(0xffffffff), divides]);
}

function unsignedDivide(c: Context, a: Operand, b: Operand, remainder: boolean): Operand {
  const text = a.width === 2 ? integerDivision.udivrem64 : integerDivision.udivrem32;
  return inlineRoutine(c, text, [a, b])[remainder ? 1 : 0] as Operand;
}

/** The magnitudes divided; the quotient is negative when the signs differ, the remainder has the sign of a. */
function signedDivide(c: Context, a: Operand, b: Operand, remainder: boolean): Operand {
  const top = a.width - 1;
  const value = unsignedDivide(c, magnitude(c, a), magnitude(c, b), remainder);
  const sign = remainder ? c.word(a, top) : c.op("LOP3.LUT", [c.word(a, top), c.word(b, top), imm(0), imm(0x3c)]);
  const negative = c.predicate();
  c.emit("ISETP.LT.AND", [negative], [sign, imm(0)]);
  return negatedWhen(c, value, negative);
}

function magnitude(c: Context, a: Operand): Operand {
  if (a.width === 1) return c.op("IABS", [a]);
  const negative = c.predicate();
  c.emit("ISETP.LT.AND", [negative], [c.word(a, 1), imm(0)]);
  return negatedWhen(c, a, negative);
}

function negatedWhen(c: Context, a: Operand, p: Operand): Operand {
  const d = c.temp(a.width);
  if (a.width === 1) {
    c.emit("SEL", [d], [c.op("IADD3", [imm(0), negated(a), imm(0)]), a, p]);
    return d;
  }
  const minus = c.words(c.temp(2));
  wide.neg64(c, minus, c.words(a));
  wide.select64(c, c.words(d), minus, c.words(a), p);
  return d;
}

// ------------------------------------------------------------------------------------------------ floats

interface Quality {
  readonly rounding: Rounding | null;
  readonly approx: boolean;
  readonly full: boolean;
  readonly ftz: boolean;
  readonly type: PtxType;
}

function quality(m: Modifiers): Quality {
  const approx = m.flag("approx");
  const full = m.flag("full");
  const rounding = m.oneOf(["rn", "rz", "rm", "rp"] as const);
  const ftz = m.flag("ftz");
  const type = m.type();
  if (type !== F32 && type !== F64) throw new Refusal();
  if (Number(approx) + Number(full) + Number(rounding !== null) !== 1) throw new Refusal();
  return { rounding, approx, full, ftz, type };
}

function one(type: PtxType): Operand {
  return type === F32 ? imm(0x3f800000) : { ...imm(0), width: 2, high: 0x3ff00000 };
}

function divided(c: Context, q: Quality, a: Operand, b: Operand): Operand {
  const args = [c.materialize(a, registersOf(q.type)), c.materialize(b, registersOf(q.type))];
  if (q.rounding === null) throw new Refusal();
  if (q.type === F32 && q.rounding === "rn") return roundedQuotient(c, args[0] as Operand, args[1] as Operand, q.ftz);
  if (q.type === F32) return inlineRoutine(c, divisionF32(q.rounding, q.ftz), args)[0] as Operand;
  if (q.ftz) throw new Refusal();
  if (q.rounding === "rn") return roundedQuotient64(c, args[0] as Operand, args[1] as Operand);
  return inlineRoutine(c, divisionF64(q.rounding), args)[0] as Operand;
}

export const floatDivide: Lowering = (c, i, m) => {
  const ops = operands(i, 3);
  const q = quality(m);
  const [a, b] = [c.read(at(ops, 1), q.type), c.read(at(ops, 2), q.type)];
  const d = c.out(at(ops, 0), q.type);
  if (q.rounding !== null) c.move(d, divided(c, q, a, b));
  else if (q.type === F32) approximateDivision(c, d, c.materialize(a), c.materialize(b), q.ftz, q.full);
  else throw new Refusal();
};

export const rcp: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const q = quality(m);
  const a = c.materialize(c.read(at(ops, 1), q.type), registersOf(q.type));
  const d = c.out(at(ops, 0), q.type);
  if (q.full || (q.approx && q.type === F64 && !q.ftz)) throw new Refusal();
  if (q.type === F32 && q.rounding === "rn") c.move(d, roundedReciprocal(c, a, q.ftz));
  else if (q.rounding === "rn" && !q.ftz) c.move(d, roundedReciprocal64(c, a));
  else if (q.rounding !== null) c.move(d, divided(c, q, one(q.type), a));
  else reciprocal(c, d, a, q.ftz);
};

export const sqrt: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const q = quality(m);
  const a = c.materialize(c.read(at(ops, 1), q.type), registersOf(q.type));
  const d = c.out(at(ops, 0), q.type);
  if (q.full || (q.type === F64 && (q.approx || q.ftz))) throw new Refusal();
  if (q.rounding === null) squareRoot(c, d, a, q.ftz);
  else if (q.type === F32 && q.rounding === "rn") c.move(d, roundedRoot(c, a, q.ftz));
  else if (q.rounding === "rn") c.move(d, roundedRoot64(c, a));
  else {
    const text = q.type === F32 ? squareRootF32(q.rounding, q.ftz) : squareRootF64(q.rounding);
    c.move(d, inlineRoutine(c, text, [a])[0] as Operand);
  }
};

export const rsqrt: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const q = quality(m);
  if (!q.approx) throw new Refusal();
  const a = c.materialize(c.read(at(ops, 1), q.type), registersOf(q.type));
  const d = c.out(at(ops, 0), q.type);
  if (q.type === F64 && !q.ftz) c.move(d, inlineRoutine(c, reciprocalRootF64, [a])[0] as Operand);
  else reciprocalRoot(c, d, a, q.ftz);
};
