/** Comparisons and selections: setp, set, selp, slct, testp, min and max of predicates' kind. */
import { abs, imm, isZeroReg, not, PT, RZ } from "../ori/operand.js";
import { Kind, type Operand } from "../ori/types.js";
import type { Operand as PtxOperand } from "../ptx/ast.js";
import type { Context } from "./context.js";
import { floatOfInteger } from "./convert.js";
import { extend32, narrowed } from "./extend.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { compareHalves, setHalves } from "./half.js";
import type { Modifiers } from "./modifiers.js";
import { Refusal } from "./refusal.js";
import { F32, isInteger, isSigned, PRED, type PtxType, registersOf, totalBits, typeNamed } from "./types.js";
import * as wide from "./wide.js";

const comparisons = ["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"] as const;
const unordered = ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"] as const;
type Comparison = (typeof comparisons)[number] | (typeof unordered)[number];
const floatComparisons: readonly Comparison[] = [...comparisons, ...unordered];

/** Unsigned spellings of integer comparisons. */
const unsignedNames: Readonly<Record<string, string>> = { lo: "LT", ls: "LE", hi: "GT", hs: "GE" };

export interface Condition {
  readonly cmp: Comparison;
  readonly ftz: boolean;
  /** How the result is combined with a further predicate. */
  readonly bool: "and" | "or" | "xor";
}

function takeCondition(m: Modifiers): Condition {
  const cmp = m.need(floatComparisons);
  const bool = m.oneOf(["and", "or", "xor"]) ?? "and";
  return { cmp, ftz: m.flag("ftz"), bool };
}

/** Sets p (and q to the combination with the opposite) to `(a cmp b) bool with`. */
export function compare(
  c: Context,
  cond: Condition,
  type: PtxType,
  p: readonly Operand[],
  a: Operand,
  b: Operand,
  combine: Operand,
): void {
  const bool = cond.bool.toUpperCase();
  if (isInteger(type)) {
    compareIntegers(c, cond, type, p, a, b, combine);
    return;
  }
  if (unsignedNames[cond.cmp] !== undefined) throw new Refusal();
  const cmp = cond.cmp.toUpperCase();
  const ftz = cond.ftz ? ".FTZ" : "";
  if (type.name === "f32") c.emit(`FSETP.${cmp}${ftz}.${bool}`, p, [c.materialize(a), b, combine]);
  else if (type.name === "f64" && !cond.ftz) c.emit(`DSETP.${cmp}.${bool}`, p, [c.materialize(a, 2), b, combine]);
  else if (type.bits === 16) {
    if (type.cls === "bf" && cond.ftz) throw new Refusal();
    compareHalves(c, type, cmp, `${ftz}.${bool}`, p, a, b, combine);
  } else throw new Refusal();
}

function compareIntegers(
  c: Context,
  cond: Condition,
  type: PtxType,
  p: readonly Operand[],
  a: Operand,
  b: Operand,
  combine: Operand,
): void {
  const unsignedName = unsignedNames[cond.cmp];
  const cmp = unsignedName ?? cond.cmp.toUpperCase();
  if (!(comparisons as readonly string[]).includes(cond.cmp) || cond.ftz) throw new Refusal();
  if (unsignedName !== undefined && type.cls === "s") throw new Refusal();
  const order = cmp !== "EQ" && cmp !== "NE";
  if (type.cls === "b" && order) throw new Refusal();
  const u = isSigned(type) ? "" : ".U32";
  const bool = cond.bool.toUpperCase();
  if (type.bits < 64) {
    const extended: [Operand, Operand] = [c.materialize(extend32(c, a, type)), extend32(c, b, type)];
    const [x, y] = type.name === "s16" && b.kind !== Kind.Imm ? copiesOf(c, extended, combine) : extended;
    c.emit(`ISETP.${cmp}${u}.${bool}`, p, [x, y, combine]);
    return;
  }
  const lower = c.predicate();
  c.emit(`ISETP.${cmp}.U32.AND`, [lower], [c.materialize(c.word(a, 0)), c.word(b, 0)]);
  c.emit(`ISETP.${cmp}${u}.${bool}.EX`, p, [c.materialize(c.word(a, 1)), c.word(b, 1), combine, lower]);
}

/** ptxas 13.0.88 copies the first half that it extends by sign for a comparison that is joined with a predicate, on sm_75 the second always. */
function copiesOf(c: Context, [x, y]: [Operand, Operand], combine: Operand): [Operand, Operand] {
  return [
    isZeroReg(combine) ? x : c.copied(x, "kept"),
    c.target.has("barriersEmptied") ? c.copied(c.materialize(y), "kept") : y,
  ];
}

/** `p`, `p|q`, `_|q` … as destinations. */
function predicateTargets(c: Context, o: PtxOperand): Operand[] {
  if (o.kind !== "pair") return [c.out(o, PRED)];
  return [c.out(o.first, PRED), c.out(o.second, PRED)];
}

const setp: Lowering = (c, i, m) => {
  const ops = operands(i, 3, 4);
  const cond = takeCondition(m);
  const type = m.type();
  const [a, b] = [c.read(at(ops, 1), type), c.read(at(ops, 2), type)];
  const combine = ops.length === 4 ? c.read(at(ops, 3), PRED) : PT();
  compare(c, cond, type, predicateTargets(c, at(ops, 0)), a, b, combine);
};

/** What true is in each type. */
const trueBits: Readonly<Record<string, number>> = {
  u16: 0xffff,
  s16: 0xffff,
  u32: 0xffffffff,
  s32: 0xffffffff,
  f32: 0x3f800000,
  f16: 0x3c00,
  bf16: 0x3f80,
};

/** As setp, into a register: all ones or 1.0. Halves are compared as such, pairs into pairs. */
const set: Lowering = (c, i, m) => {
  const ops = operands(i, 3, 4);
  const cond = takeCondition(m);
  const result = m.type();
  const type = m.type();
  const [a, b] = [c.read(at(ops, 1), type), c.read(at(ops, 2), type)];
  const combine = ops.length === 4 ? c.read(at(ops, 3), PRED) : PT();
  const isPair = type.lanes === 2;
  if (isPair || (type.bits === 16 && !isInteger(type) && (isInteger(result) || result === type))) {
    const one = !isInteger(result);
    if (one ? result !== type : isPair && result.bits !== 32) throw new Refusal();
    if (unsignedNames[cond.cmp] !== undefined || (type.cls === "bf" && cond.ftz)) throw new Refusal();
    const suffix = `${cond.ftz ? ".FTZ" : ""}.${cond.bool.toUpperCase()}`;
    const y = setHalves(c, type, cond.cmp.toUpperCase(), suffix, one, c.materialize(a), b, combine);
    const wide = !isPair && result.bits === 32;
    c.settle(c.out(at(ops, 0), result), wide ? c.op("PRMT", [y, imm(0x9910), RZ()]) : y);
    return;
  }
  const bits = trueBits[result.name];
  if (bits === undefined) throw new Refusal();
  const d = c.out(at(ops, 0), result);
  if (type.bits === 16 && !isInteger(type) && result.cls === "bf") {
    const suffix = `${cond.ftz ? ".FTZ" : ""}.${cond.bool.toUpperCase()}`;
    const mask = setHalves(c, type, cond.cmp.toUpperCase(), suffix, false, c.materialize(a), b, combine);
    c.settle(d, floatOfMask(c, mask, type, result));
    return;
  }
  if (type === F32 && result === F32 && ops.length === 3 && unsignedNames[cond.cmp] === undefined) {
    c.emit(`FSET.BF.${cond.cmp.toUpperCase()}${cond.ftz ? ".FTZ" : ""}.AND`, [d], [c.materialize(a), b, combine]);
    return;
  }
  const p = c.predicate();
  compare(c, cond, type, [p], a, b, combine);
  const made = c.builder.block.insts.at(-1);
  if (made !== undefined && !isInteger(type)) made.said = "straight";
  const masked =
    isInteger(result) || (result === F32 && type.bits === 64 && !(isInteger(type) && c.target.has("wholePairs")));
  if (masked && (type.bits !== 16 || result.bits !== 32)) {
    c.emit("SEL", [d], [RZ(), imm(bits), not(p)]);
    return;
  }
  const mask = c.op("SEL", [RZ(), imm(0xffffffff), not(p)]);
  if (masked) c.emit("PRMT", [d], [mask, imm(0x9910), RZ()]).said = "kept";
  else c.settle(d, floatOfMask(c, mask, type, result));
};

/** 1.0 for −1, 0 for 0, by way of an integer as wide as what was compared: so ptxas 13.0.88 makes it. */
function floatOfMask(c: Context, mask: Operand, compared: PtxType, to: PtxType): Operand {
  const half = compared.bits === 16;
  const one = c.op("IABS", [half ? c.op("PRMT", [mask, imm(0x9910), RZ()]) : mask]);
  return floatOfInteger(c, half ? narrowed(c, one) : one, typeNamed(half ? "s16" : "s32") as PtxType, to, "");
}

/** d = p ? a : b, word by word; of floats by FSEL, as in ptxas's code. */
function select(c: Context, type: PtxType, d: Operand, a: Operand, b: Operand, p: Operand): void {
  const op = type.cls === "f" && type.bits >= 32 ? "FSEL" : "SEL";
  for (let w = 0; w < d.width; w++) c.emit(op, [c.word(d, w)], [c.materialize(c.word(a, w)), c.word(b, w), p]);
}

const selp: Lowering = (c, i, m) => {
  const ops = operands(i, 4);
  const type = m.type();
  if (type.cls === "p" || totalBits(type) > 64 || totalBits(type) < 16) throw new Refusal();
  const [a, b] = [c.read(at(ops, 1), type), c.read(at(ops, 2), type)];
  const p = c.read(at(ops, 3), PRED);
  select(c, type, c.out(at(ops, 0), type), a, b, p);
};

/** d = (s >= 0) ? a : b */
const slct: Lowering = (c, i, m) => {
  const ops = operands(i, 4);
  const ftz = m.flag("ftz");
  const type = m.type();
  const by = m.type();
  if (by.name !== "s32" && by.name !== "f32") throw new Refusal();
  if (type.cls === "p" || totalBits(type) > 64) throw new Refusal();
  const [a, b] = [c.read(at(ops, 1), type), c.read(at(ops, 2), type)];
  const s = c.read(at(ops, 3), by);
  const p = c.predicate();
  compare(c, { cmp: "ge", ftz: ftz && by === F32, bool: "and" }, by, [p], s, RZ(), PT());
  select(c, type, c.out(at(ops, 0), type), a, b, p);
};

/** Classes of floating-point numbers, told from the bits of the upper word without its sign. */
const testp: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const kind = m.need(["finite", "infinite", "number", "notanumber", "normal", "subnormal"]);
  const type = m.type();
  if (type.name !== "f32" && type.name !== "f64") throw new Refusal();
  const a = c.materialize(c.read(at(ops, 1), type), registersOf(type));
  const p = c.out(at(ops, 0), PRED);
  if (type.bits === 64) {
    testDouble(c, kind, p, a);
    return;
  }
  if (kind === "number" || kind === "notanumber") {
    c.emit(`FSETP.${kind === "number" ? "NUM" : "NAN"}.AND`, [p], [a, a]);
    return;
  }
  const infinity = imm(0x7f800000);
  if (kind === "infinite" || kind === "finite") {
    c.emit(`FSETP.${kind === "finite" ? "LT" : "EQ"}.AND`, [p], [abs(a), infinity]);
    return;
  }
  const smallest = imm(0x00800000);
  const first = c.predicate();
  if (kind === "normal") {
    // Zeros count as normal numbers (PTX §9.7.3.1).
    c.emit("FSETP.GE.AND", [first], [abs(a), smallest]);
    const zero = c.predicate();
    c.emit("FSETP.EQ.OR", [zero], [a, RZ(), first]);
    c.emit("FSETP.LT.AND", [p], [abs(a), infinity, zero]);
  } else {
    c.emit("FSETP.LT.AND", [first], [abs(a), smallest]);
    c.emit("FSETP.GT.AND", [p], [abs(a), RZ(), first]);
  }
};

/** Of f64 ptxas compares the magnitude's bits as an integer. */
function testDouble(c: Context, kind: string, p: Operand, a: Operand): void {
  const [low, high] = c.words(a);
  const magnitude: wide.Words = [low, c.op("LOP3.LUT", [high, imm(0x7fffffff), RZ(), imm(0xc0)])];
  const infinity: wide.Words = [RZ(), imm(0x7ff00000)];
  const smallest: wide.Words = [RZ(), imm(0x00100000)];
  const tests: Readonly<Record<string, string>> = { number: "LE", notanumber: "GT", finite: "LT", infinite: "EQ" };
  const test = tests[kind];
  if (test !== undefined) {
    wide.compare64(c, test, false, magnitude, infinity, p);
    return;
  }
  if (kind === "subnormal") {
    const small = wide.compare64(c, "LT", false, magnitude, smallest);
    wide.compare64(c, "GT", false, magnitude, [RZ(), RZ()], p, small);
    return;
  }
  const finite = wide.compare64(c, "LT", false, magnitude, infinity);
  const normal = wide.compare64(c, "GE", false, magnitude, smallest, c.predicate(), finite);
  // Zeros count as normal numbers (PTX §9.7.3.1).
  const zero = c.predicate();
  c.emit("ISETP.EQ.U32.AND", [zero], [low, RZ()]);
  c.emit("ISETP.EQ.U32.OR.EX", [p], [magnitude[1], RZ(), normal, zero]);
}

export const compareFamily: Family = { setp, set, selp, slct, testp };
