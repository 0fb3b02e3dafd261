/** Bits: logic, shifts, bit fields, counting, byte permutation. */
import { imm, neg, not, PT, RZ } from "../ori/operand.js";
import { Kind, type Operand } from "../ori/types.js";
import type { Context } from "./context.js";
import { extend32 } from "./extend.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { minMax32 } from "./integer.js";
import type { Modifiers } from "./modifiers.js";
import { Refusal } from "./refusal.js";
import { isInteger, isSigned, type PtxType, U32 } from "./types.js";
import * as wide from "./wide.js";

function bitType(m: Modifiers): PtxType {
  const t = m.type();
  if (t.cls === "p") return t;
  if (!isInteger(t) || t.bits < 16 || t.bits > 64) throw new Refusal();
  return t;
}

/** d = lut(a, b, c) word by word; truth tables as of LOP3 (a 0xf0, b 0xcc, c 0xaa). */
function lop3(c: Context, d: Operand, a: Operand, b: Operand, s: Operand, lut: number): void {
  for (let w = 0; w < d.width; w++) {
    c.emit("LOP3.LUT", [c.word(d, w)], [c.materialize(c.word(a, w)), c.word(b, w), c.word(s, w), imm(lut)]);
  }
}

/** p = lut(a, b) on predicates. */
export function predicateLogic(c: Context, p: Operand, a: Operand, b: Operand, lut: number): void {
  c.emit("PLOP3.LUT", [p, PT()], [a, b, PT(), imm(lut), imm(0)]);
}

/** and, or, xor. */
function logic(lut: number): Lowering {
  return (c, i, m) => {
    const ops = operands(i, 3);
    const type = bitType(m);
    const a = c.read(at(ops, 1), type);
    const b = c.read(at(ops, 2), type);
    if (type.cls === "p") predicateLogic(c, c.inPlace(at(ops, 0), type), a, b, lut);
    else lop3(c, c.out(at(ops, 0), type), a, b, RZ(), lut);
  };
}

const inversion: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const type = bitType(m);
  const a = c.read(at(ops, 1), type);
  if (type.cls === "p") predicateLogic(c, c.inPlace(at(ops, 0), type), not(a), PT(), 0xc0);
  else lop3(c, c.out(at(ops, 0), type), RZ(), a, RZ(), 0x33);
};

/** d = (a == 0) ? 1 : 0, as the negation of a mask (ptxas at every level). */
const cnot: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const type = bitType(m);
  if (type.cls === "p") throw new Refusal();
  const a = c.read(at(ops, 1), type);
  const d = c.out(at(ops, 0), type);
  const p = c.predicate();
  const x =
    type.bits === 64
      ? c.op("LOP3.LUT", [c.materialize(c.word(a, 0)), c.word(a, 1), RZ(), imm(0xfc)])
      : extend32(c, a, type);
  c.emit("ISETP.EQ.U32.AND", [p], [c.materialize(x), RZ()]);
  const mask = c.op("SEL", [RZ(), imm(0xffffffff), not(p)]);
  c.emit("IADD3", [c.word(d, 0)], [RZ(), neg(mask), RZ()]);
  if (d.width === 2) c.move(c.word(d, 1), RZ());
};

const lop3Instruction: Lowering = (c, i, m) => {
  const ops = operands(i, 5);
  const type = m.need(["b32"]);
  const lut = at(ops, 4);
  if (type !== "b32" || lut.kind !== "int") throw new Refusal();
  const [a, b, s] = [1, 2, 3].map((k) => c.read(at(ops, k), U32)) as [Operand, Operand, Operand];
  c.emit("LOP3.LUT", [c.inPlace(at(ops, 0), U32)], [c.materialize(a), b, c.materialize(s), imm(lut.lo & 0xff)]);
};

// ------------------------------------------------------------------------------------------------ shifts

const shl: Lowering = (c, i, m) => {
  const ops = operands(i, 3);
  const type = bitType(m);
  const a = c.read(at(ops, 1), type);
  const n = c.read(at(ops, 2), U32);
  if (type.bits === 64) {
    const words = wide.shl64(c, [c.materialize(c.word(a, 0)), c.word(a, 1)], n);
    moveWords(c, c.out(at(ops, 0), type), words);
  } else c.emit("SHF.L.U32", [c.inPlace(at(ops, 0), type)], [c.materialize(a), n, RZ()]);
};

const shr: Lowering = (c, i, m) => {
  const ops = operands(i, 3);
  const type = bitType(m);
  const signed = isSigned(type);
  const a = c.read(at(ops, 1), type);
  const n = c.read(at(ops, 2), U32);
  if (type.bits === 64) {
    const x = c.words(c.materialize(a, 2));
    moveWords(c, c.out(at(ops, 0), type), wide.shr64(c, x, n, signed));
    return;
  }
  const x = c.materialize(extend32(c, a, type));
  c.emit(signed ? "SHF.R.S32.HI" : "SHF.R.U32.HI", [c.inPlace(at(ops, 0), type)], [RZ(), n, x]);
};

function moveWords(c: Context, d: Operand, words: wide.Words): void {
  c.move(c.word(d, 0), words[0]);
  c.move(c.word(d, 1), words[1]);
}

/** Funnel shift of b:a. */
const shf: Lowering = (c, i, m) => {
  const ops = operands(i, 4);
  const direction = m.need(["l", "r"]);
  const wrap = m.need(["clamp", "wrap"]) === "wrap" ? ".W" : "";
  m.need(["b32"]);
  const [a, b, n] = [1, 2, 3].map((k) => c.read(at(ops, k), U32)) as [Operand, Operand, Operand];
  const form = direction === "l" ? `SHF.L${wrap}.U32.HI` : `SHF.R${wrap}.U32`;
  c.emit(form, [c.inPlace(at(ops, 0), U32)], [c.materialize(a), n, c.materialize(b)]);
};

// ------------------------------------------------------------------------------------------------ bit fields

/**
 * Position or length of a bit field. PTX ISA 9.7.1.18 and .19: the low 8 bits of the operand. That is what ptxas 13.0.88 does for fields of 32 bits; of
 * 64-bit instructions it takes all 32 bits of a register as an unsigned number (measured in the simulator on its code for all targets and
 * levels, test/oracle/bit-fields.test.ts), and so is it here, for programs depend on what ptxas does. Constants above 255 are errors.
 */
function fieldNumber(c: Context, o: Operand, bits: number): Operand {
  if (o.kind === Kind.Imm) return imm(o.value & 0xff);
  if (bits === 64) return o;
  return c.op("LOP3.LUT", [o, imm(0xff), RZ(), imm(0xc0)]);
}

const bfe: Lowering = (c, i, m) => {
  const ops = operands(i, 4);
  const type = bitType(m);
  if (type.bits < 32 || type.cls === "b") throw new Refusal();
  const signed = isSigned(type);
  const a = c.read(at(ops, 1), type);
  const position = fieldNumber(c, c.read(at(ops, 2), U32), type.bits);
  const length = fieldNumber(c, c.read(at(ops, 3), U32), type.bits);
  const d = c.out(at(ops, 0), type);
  if (type.bits === 32) {
    const shifted = c.op(signed ? "SHF.R.S32.HI" : "SHF.R.U32.HI", [RZ(), position, c.materialize(a)]);
    c.emit(signed ? "SGXT" : "SGXT.U32", [d], [shifted, length]);
    return;
  }
  // The field goes to the top of the register and comes down again, bringing its sign.
  const shifted = wide.shr64(c, c.words(c.materialize(a, 2)), position, signed);
  const kept = c.temp();
  minMax32(c, kept, length, imm(64), false, false);
  const rest = c.op("IADD3", [neg(kept), imm(64), RZ()]);
  moveWords(c, d, wide.shr64(c, wide.shl64(c, shifted, rest), rest, signed));
};

/** Insert the low bits of a into b. */
const bfi: Lowering = (c, i, m) => {
  const ops = operands(i, 5);
  const type = bitType(m);
  if (type.cls !== "b" || type.bits < 32) throw new Refusal();
  const a = c.read(at(ops, 1), type);
  const b = c.read(at(ops, 2), type);
  const position = fieldNumber(c, c.read(at(ops, 3), U32), type.bits);
  const length = fieldNumber(c, c.read(at(ops, 4), U32), type.bits);
  const d = c.out(at(ops, 0), type);
  if (type.bits === 32) {
    const mask = c.op("BMSK", [c.materialize(position), length]);
    const field = c.op("SHF.L.U32", [c.materialize(a), position, RZ()]);
    c.emit("LOP3.LUT", [d], [field, mask, c.materialize(b), imm(0xe2)]);
    return;
  }
  const all: wide.Words = [c.op("MOV", [imm(0xffffffff)]), c.op("MOV", [imm(0xffffffff)])];
  const zeros = wide.shl64(c, all, length);
  const ones = zeros.map((w) => c.op("LOP3.LUT", [RZ(), w, RZ(), imm(0x33)])) as [Operand, Operand];
  const mask = wide.shl64(c, ones, position);
  const field = wide.shl64(c, c.words(c.materialize(a, 2)), position);
  for (const w of [0, 1] as const) {
    c.emit("LOP3.LUT", [c.word(d, w)], [field[w], mask[w], c.materialize(c.word(b, w)), imm(0xe2)]);
  }
};

/** `length` ones from bit `position` on. */
const bmsk: Lowering = (c, i, m) => {
  const ops = operands(i, 3);
  const wrap = m.need(["clamp", "wrap"]) === "wrap" ? ".W" : "";
  m.need(["b32"]);
  const [a, b] = [c.read(at(ops, 1), U32), c.read(at(ops, 2), U32)];
  c.emit(`BMSK${wrap}`, [c.inPlace(at(ops, 0), U32)], [c.materialize(a), b]);
};

const szext: Lowering = (c, i, m) => {
  const ops = operands(i, 3);
  const wrap = m.need(["clamp", "wrap"]) === "wrap" ? ".W" : "";
  const type = m.need(["u32", "s32"]);
  const [a, b] = [c.read(at(ops, 1), U32), c.read(at(ops, 2), U32)];
  c.emit(`SGXT${wrap}${type === "u32" ? ".U32" : ""}`, [c.inPlace(at(ops, 0), U32)], [c.materialize(a), b]);
};

// ------------------------------------------------------------------------------------------------ counting

const popc: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const type = bitType(m);
  const a = c.read(at(ops, 1), type);
  const d = c.out(at(ops, 0), U32);
  if (type.bits === 32) c.emit("POPC", [d], [c.materialize(a)]);
  else if (type.bits === 64) {
    const [x, y] = [0, 1].map((w) => c.op("POPC", [c.materialize(c.word(a, w))])) as [Operand, Operand];
    c.emit("IADD3", [d], [x, y, RZ()]);
  } else throw new Refusal();
};

/** FLO gives −1 for zero, so 31 − FLO is 32 as it should. */
const clz: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const type = bitType(m);
  if (type.bits < 32) throw new Refusal();
  const a = c.materialize(c.read(at(ops, 1), type), type.bits / 32);
  const d = c.out(at(ops, 0), U32);
  if (type.bits === 32) {
    c.emit("IADD3", [d], [neg(c.op("FLO.U32", [a])), imm(31), RZ()]);
    return;
  }
  const [low, high] = c.words(a);
  const p = c.predicate();
  c.emit("ISETP.EQ.U32.AND", [p], [high, RZ()]);
  const position = c.op("FLO.U32", [c.op("SEL", [low, high, p])]);
  const most = c.op("SEL", [c.op("MOV", [imm(63)]), imm(31), p]);
  c.emit("IADD3", [d], [most, neg(position), RZ()]);
};

/** Position of the most significant bit that is not the sign, −1 when there is none; .shiftamt counts from the top. */
const bfind: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const fromTop = m.flag("shiftamt");
  const type = bitType(m);
  if (type.bits < 32 || type.cls === "b") throw new Refusal();
  const a = c.materialize(c.read(at(ops, 1), type), type.bits / 32);
  const d = c.out(at(ops, 0), U32);
  if (type.bits === 32) {
    c.emit(`FLO${isSigned(type) ? "" : ".U32"}${fromTop ? ".SH" : ""}`, [d], [a]);
    return;
  }
  let [low, high] = c.words(a);
  if (isSigned(type)) {
    const sign = c.op("SHF.R.S32.HI", [RZ(), imm(31), high]);
    low = c.op("LOP3.LUT", [low, sign, RZ(), imm(0x3c)]);
    high = c.op("LOP3.LUT", [high, sign, RZ(), imm(0x3c)]);
  }
  const p = c.predicate();
  c.emit("ISETP.EQ.U32.AND", [p], [high, RZ()]);
  const lower = c.op("FLO.U32", [low]);
  const upper = c.op("IADD3", [c.op("FLO.U32", [high]), imm(32), RZ()]);
  if (!fromTop) {
    c.emit("SEL", [d], [lower, upper, p]);
    return;
  }
  const position = c.op("SEL", [lower, upper, p]);
  const none = c.predicate();
  c.emit("ISETP.LT.AND", [none], [position, RZ()]);
  const amount = c.op("IADD3", [neg(position), imm(63), RZ()]);
  c.emit("SEL", [d], [position, amount, none]);
};

const brev: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const type = bitType(m);
  if (type.bits < 32) throw new Refusal();
  const a = c.materialize(c.read(at(ops, 1), type), type.bits / 32);
  const d = c.out(at(ops, 0), type);
  for (let w = 0; w < d.width; w++) c.emit("BREV", [c.word(d, w)], [c.word(a, d.width - 1 - w)]);
};

const prmt: Lowering = (c, i, m) => {
  const ops = operands(i, 4);
  m.need(["b32"]);
  const mode = m.oneOf(["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]);
  const [a, b, s] = [1, 2, 3].map((k) => c.read(at(ops, k), U32)) as [Operand, Operand, Operand];
  const form = mode === null ? "PRMT" : `PRMT.${mode.toUpperCase()}`;
  c.emit(form, [c.inPlace(at(ops, 0), U32)], [c.materialize(a), s, c.materialize(b)]);
};

export const bitsFamily: Family = {
  and: logic(0xc0),
  or: logic(0xfc),
  xor: logic(0x3c),
  not: inversion,
  cnot,
  lop3: lop3Instruction,
  shl,
  shr,
  shf,
  bfe,
  bfi,
  bmsk,
  szext,
  popc,
  clz,
  bfind,
  brev,
  prmt,
};
