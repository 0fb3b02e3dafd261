/** Integer arithmetic: add, sub, mul, mad, sad, neg, abs, min, max and the carry chains, 16 to 64 bits. */
import { imm, neg, not, PT, RZ } from "../ori/operand.js";
import { Kind, type Operand } from "../ori/types.js";
import type { Context } from "./context.js";
import { extend32, narrowed } from "./extend.js";
import { at, type Lowering, operands } from "./family.js";
import type { Modifiers } from "./modifiers.js";
import { skip } from "./place.js";
import { Refusal } from "./refusal.js";
import { isInteger, isSigned, type PtxType, U32, U64 } from "./types.js";
import * as wide from "./wide.js";

/** −o of a 32-bit operand; constants are folded. */
export function negated(o: Operand): Operand {
  return o.kind === Kind.Imm ? imm(-o.value) : neg(o);
}

export function integerType(m: Modifiers): PtxType {
  const t = m.type();
  if (!isInteger(t) || t.bits < 16 || t.bits > 64) throw new Refusal();
  return t;
}

/** add and sub. */
function sum(subtract: boolean): Lowering {
  return (c, i, m) => {
    const ops = operands(i, 3);
    const type = integerType(m);
    const a = c.read(at(ops, 1), type);
    const b = c.read(at(ops, 2), type);
    if (m.flag("cc")) {
      addWithCarry(c, c.out(at(ops, 0), type), a, b, subtract, false, true);
    } else if (type.bits === 64) {
      const d = c.words(c.out(at(ops, 0), type));
      (subtract ? wide.sub64 : wide.add64)(c, d, c.words(a), c.words(b));
    } else if (m.flag("sat")) {
      if (type.name !== "s32") throw new Refusal();
      saturated(c, c.out(at(ops, 0), type), a, b, subtract);
    } else c.emit("IADD3", [c.inPlace(at(ops, 0), type)], [a, subtract ? negated(b) : b, RZ()]);
  };
}

/** s32 sum clamped to its range: where it overflows, the sign of a tells the bound. */
function saturated(c: Context, d: Operand, a: Operand, b: Operand, subtract: boolean): void {
  const left = c.materialize(a);
  const right = c.materialize(b);
  const s = c.op("IADD3", [left, subtract ? neg(right) : right, RZ()]);
  // Overflow: a and b (−b) have one sign and the sum has the other.
  const bits = c.op("LOP3.LUT", [left, right, s, imm(subtract ? 0x18 : 0x42)]);
  const p = c.predicate();
  c.emit("ISETP.LT.AND", [p], [bits, RZ()]);
  const bound = c.op("LOP3.LUT", [c.op("SHF.R.S32.HI", [RZ(), imm(31), left]), imm(0x7fffffff), RZ(), imm(0x3c)]);
  c.emit("SEL", [d], [bound, s, p]);
}

// ------------------------------------------------------------------------------------------------ carry chains

/**
 * The predicate that is PTX's CC.CF: the machine's carry. After a subtraction it says "no borrow", also to an addition
 * that takes it up (measured: test/oracle/lower.test.ts; compiled 128-bit divisions count on it).
 */
function carryFlag(c: Context): Operand {
  c.carry ??= c.predicate();
  return c.carry;
}

function addWithCarry(
  c: Context,
  d: Operand,
  a: Operand,
  b: Operand,
  subtract: boolean,
  use: boolean,
  set: boolean,
): void {
  const flag = carryFlag(c);
  const n = Math.max(1, d.width);
  let carry: Operand | null = use ? flag : null;
  for (let w = 0; w < n; w++) {
    const last = w === n - 1;
    const out = last ? (set ? flag : skip()) : c.predicate();
    const y = c.word(b, w);
    const x = c.word(a, w);
    const to = c.words(d)[w] as Operand;
    if (carry === null)
      c.emit(
        "IADD3",
        [to, out],
        [x, subtract ? c.materialize(y) : y, RZ()].map((o, k) => (k === 1 && subtract ? neg(o) : o)),
      );
    else c.emit("IADD3.X", [to, out], [x, subtract ? not(c.materialize(y)) : y, RZ(), carry]);
    carry = out;
  }
}

/** addc and subc. */
function carried(subtract: boolean): Lowering {
  return (c, i, m) => {
    const ops = operands(i, 3);
    const set = m.flag("cc");
    const type = integerType(m);
    if (type.bits < 32) throw new Refusal();
    const a = c.read(at(ops, 1), type);
    const b = c.read(at(ops, 2), type);
    addWithCarry(c, c.out(at(ops, 0), type), a, b, subtract, true, set);
  };
}

// ------------------------------------------------------------------------------------------------ products

/** A fresh product: `lo`, `hi` of the type's width, or `wide` of twice the width. */
function product(c: Context, which: "lo" | "hi" | "wide", type: PtxType, a: Operand, b: Operand): Operand {
  const u = isSigned(type) ? "" : ".U32";
  if (type.bits === 64) {
    if (which === "wide") throw new Refusal();
    if (which === "lo") return wide.mulLow64(c, c.words(a), c.words(b));
    const high = (isSigned(type) ? wide.mulHighSigned64 : wide.mulHigh64)(c, c.words(a), c.words(b));
    return c.pair(high[0], high[1]);
  }
  if (type.bits === 32) {
    const x = c.materialize(a);
    if (which === "lo") return c.op("IMAD", [x, b, RZ()]);
    if (which === "hi") return c.op(`IMAD.HI${u}`, [x, b, RZ()]);
    return c.op(`IMAD.WIDE${u}`, [x, b, RZ(2)], 2);
  }
  if (which === "lo") return c.op("IMAD", [c.materialize(a), b, RZ()]);
  const full = c.op("IMAD", [c.materialize(extend32(c, a, type)), extend32(c, b, type), RZ()]);
  if (which === "wide") return full;
  return c.op(isSigned(type) ? "SHF.R.S32.HI" : "SHF.R.U32.HI", [RZ(), imm(16), full]);
}

const mul: Lowering = (c, i, m) => {
  const ops = operands(i, 3);
  const which = m.need(["lo", "hi", "wide"]);
  const type = integerType(m);
  const a = c.read(at(ops, 1), type);
  const b = c.read(at(ops, 2), type);
  const p = product(c, which, type, a, b);
  c.settle(c.inPlace(at(ops, 0), resultType(which, type)), p);
};

function resultType(which: string, type: PtxType): PtxType {
  if (which !== "wide") return type;
  return type.bits === 16 ? U32 : U64;
}

const mad: Lowering = (c, i, m) => {
  const ops = operands(i, 4);
  const which = m.need(["lo", "hi", "wide"]);
  const set = m.flag("cc");
  const sat = m.flag("sat");
  const type = integerType(m);
  if (sat && (which !== "hi" || type.name !== "s32")) throw new Refusal();
  const result = resultType(which, type);
  const a = c.read(at(ops, 1), type);
  const b = c.read(at(ops, 2), type);
  const s = c.read(at(ops, 3), result);
  const d = c.out(at(ops, 0), result);
  if (sat) saturated(c, d, product(c, which, type, a, b), s, false);
  else if (set) {
    addWithCarry(c, d, product(c, which, type, a, b), s, false, false, true);
  } else if (which === "lo" && type.bits <= 32) c.emit("IMAD", [d], [c.materialize(a), b, s]);
  else if (which === "wide" && type.bits === 16)
    c.emit("IMAD", [d], [c.materialize(extend32(c, a, type)), extend32(c, b, type), s]);
  else if (which === "hi" && type.bits === 32) {
    // The addend is the upper word of a pair (ptxas 13.0.88, all levels).
    const u = isSigned(type) ? "" : ".U32";
    c.emit(`IMAD.HI${u}`, [d], [c.materialize(a), b, c.pair(RZ(), s)]);
  } else if (which === "wide" && type.bits === 32) {
    const u = isSigned(type) ? "" : ".U32";
    // ptxas 13.0.88 has two sums after the product, also in addresses, but where a pair is added in one instruction.
    if (c.func.target.has("wholePairs")) c.emit(`IMAD.WIDE${u}`, [d], [c.materialize(a), b, c.materialize(s, 2)]);
    else wide.add64(c, c.words(d), c.words(product(c, which, type, a, b)), c.words(s), "own");
  } else addProduct(c, d, product(c, which, type, a, b), s);
};

function addProduct(c: Context, d: Operand, p: Operand, s: Operand): void {
  if (d.width === 2) wide.add64(c, c.words(d), c.words(p), c.words(s));
  else c.emit("IADD3", [d], [p, s, RZ()]);
}

/** madc: the product plus the addend plus the carry. */
const madc: Lowering = (c, i, m) => {
  const ops = operands(i, 4);
  const which = m.need(["lo", "hi"]);
  const set = m.flag("cc");
  const type = integerType(m);
  if (type.bits < 32) throw new Refusal();
  const a = c.read(at(ops, 1), type);
  const b = c.read(at(ops, 2), type);
  const s = c.read(at(ops, 3), type);
  const d = c.out(at(ops, 0), type);
  addWithCarry(c, d, product(c, which, type, a, b), s, false, true, set);
};

/** The low 24 bits, extended. */
function field24(c: Context, o: Operand, signed: boolean): Operand {
  return signed ? c.op("SGXT", [o, imm(24)]) : c.op("PRMT", [o, imm(0x7210), RZ()]);
}

/** mul24 and mad24: of the low 24 bits; hi means bits 47:16 of the product. */
function product24(withAddend: boolean): Lowering {
  return (c, i, m) => {
    const ops = operands(i, withAddend ? 4 : 3);
    const which = m.need(["lo", "hi"]);
    const sat = withAddend && m.flag("sat");
    const type = m.type();
    if (type.name !== "u32" && type.name !== "s32") throw new Refusal();
    const signed = isSigned(type);
    if (sat && (which !== "hi" || !signed)) throw new Refusal();
    const narrow = (k: number): Operand => field24(c, c.materialize(c.read(at(ops, k), type)), signed);
    const [a, b] = [narrow(1), narrow(2)];
    const addend = withAddend ? c.read(at(ops, 3), type) : RZ();
    const d = c.out(at(ops, 0), type);
    if (which === "lo") {
      c.emit("IMAD", [d], [a, b, addend]);
      return;
    }
    const full = c.words(c.op(signed ? "IMAD.WIDE" : "IMAD.WIDE.U32", [a, b, RZ(2)], 2));
    const high = c.op("SHF.R.U64", [full[0], imm(16), full[1]]);
    if (sat) saturated(c, d, high, addend, false);
    else c.emit("IADD3", [d], [high, addend, RZ()]);
  };
}

// ------------------------------------------------------------------------------------------------ sign, order

const negate: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const type = integerType(m);
  const a = c.read(at(ops, 1), type);
  const d = c.out(at(ops, 0), type);
  if (type.bits === 64) wide.neg64(c, c.words(d), c.words(c.materialize(a, 2)));
  else if (type.bits < 32 && a.kind !== Kind.Imm) c.settle(d, narrowed(c, c.op("IADD3", [RZ(), neg(a), RZ()])));
  else c.emit("IADD3", [d], [RZ(), negated(a), RZ()]);
};

const absolute: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const type = integerType(m);
  if (!isSigned(type)) throw new Refusal();
  const a = c.read(at(ops, 1), type);
  const d = c.out(at(ops, 0), type);
  if (type.bits < 64) {
    const x = c.materialize(extend32(c, a, type));
    if (type.bits < 32) c.settle(d, narrowed(c, c.op("IABS", [x])));
    else c.emit("IABS", [d], [x]);
    return;
  }
  const x = c.words(c.materialize(a, 2));
  const minus = c.words(c.temp(2));
  wide.neg64(c, minus, x);
  const p = c.predicate();
  c.emit("ISETP.LT.AND", [p], [x[1], RZ()]);
  wide.select64(c, c.words(d), minus, x, p);
};

/** The smaller (or larger) of two 32-bit values. */
export function minMax32(c: Context, d: Operand, a: Operand, b: Operand, signed: boolean, max: boolean): void {
  const op = c.target.has("vimnmx") ? "VIMNMX" : "IMNMX";
  const signedType = c.target.has("vimnmxTypes") ? ".S32" : "";
  c.emit(`${op}${signed ? signedType : ".U32"}`, [d], [c.materialize(a), b, max ? not(PT()) : PT()]);
}

function extremum(max: boolean): Lowering {
  return (c, i, m) => {
    const ops = operands(i, 3);
    const type = integerType(m);
    if (type.cls === "b") throw new Refusal();
    const first = c.read(at(ops, 1), type);
    const second = c.read(at(ops, 2), type);
    const [a, b] = first.kind === Kind.Imm ? [second, first] : [first, second];
    const d = c.out(at(ops, 0), type);
    if (type.bits === 16 && c.target.has("vimnmx")) {
      const both = (o: Operand): Operand => (o.kind === Kind.Imm ? imm((o.value & 0xffff) * 0x10001) : o);
      c.emit(
        `VIMNMX.${isSigned(type) ? "S" : "U"}16x2`,
        [d],
        [c.materialize(both(a)), both(b), max ? not(PT()) : PT()],
      );
      return;
    }
    if (type.bits < 64) {
      minMax32(c, d, extend32(c, a, type), extend32(c, b, type), isSigned(type), max);
      return;
    }
    const [x, y] = [c.words(a), c.words(b)];
    const p = wide.compare64(c, max ? "GT" : "LT", isSigned(type), [c.materialize(x[0]), c.materialize(x[1])], y);
    wide.select64(c, c.words(d), x, y, p);
  };
}

/** c + |a − b|, as the difference of the larger and the smaller. */
const sad: Lowering = (c, i, m) => {
  const ops = operands(i, 4);
  const type = integerType(m);
  if (type.cls === "b") throw new Refusal();
  const a = c.read(at(ops, 1), type);
  const b = c.read(at(ops, 2), type);
  const s = c.read(at(ops, 3), type);
  const d = c.out(at(ops, 0), type);
  if (type.bits < 64) {
    const [low, high] = [c.temp(), c.temp()];
    const [x, y] = [c.materialize(extend32(c, a, type)), c.materialize(extend32(c, b, type))];
    minMax32(c, low, x, y, isSigned(type), false);
    minMax32(c, high, x, y, isSigned(type), true);
    c.emit("IADD3", [d], [high, neg(low), c.materialize(s)]);
    return;
  }
  const [x, y] = [c.words(c.materialize(a, 2)), c.words(c.materialize(b, 2))];
  const p = wide.compare64(c, "GE", isSigned(type), x, y);
  const [forward, backward, distance] = [c.words(c.temp(2)), c.words(c.temp(2)), c.words(c.temp(2))];
  wide.sub64(c, forward, x, y);
  wide.sub64(c, backward, y, x);
  wide.select64(c, distance, forward, backward, p);
  wide.add64(c, c.words(d), distance, c.words(s));
};

export const integer: Readonly<
  Record<
    | "add"
    | "sub"
    | "addc"
    | "subc"
    | "mul"
    | "mad"
    | "madc"
    | "mul24"
    | "mad24"
    | "neg"
    | "abs"
    | "min"
    | "max"
    | "sad",
    Lowering
  >
> = {
  add: sum(false),
  sub: sum(true),
  addc: carried(false),
  subc: carried(true),
  mul,
  mad,
  madc,
  mul24: product24(false),
  mad24: product24(true),
  neg: negate,
  abs: absolute,
  min: extremum(false),
  max: extremum(true),
  sad,
};
