/**
 * f16 and bf16 arithmetic, single and in pairs. The machine computes pairs; for a single number both operands are taken from
 * the low half and the high half of the result means nothing.
 */
import { abs, imm, neg, not, PT, RZ, select } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Context } from "./context.js";
import { at, type Lowering, operands } from "./family.js";
import { mayContract } from "./float.js";
import type { Modifiers } from "./modifiers.js";
import { Refusal } from "./refusal.js";
import type { PtxType } from "./types.js";

interface Half {
  readonly type: PtxType;
  /** `.BF16_V2` and modifiers of the machine instruction. */
  readonly suffix: string;
  readonly ftz: boolean;
  /** How to round was left open. */
  readonly open: boolean;
}

function take(m: Modifiers, fused: boolean): Half {
  const open = !m.flag("rn");
  const ftz = m.flag("ftz");
  const sat = m.flag("sat");
  const oob = fused && m.flag("oob");
  const relu = fused && m.flag("relu");
  const type = m.type();
  if (type.cls === "bf" && (ftz || sat)) throw new Refusal();
  if (type.cls !== "bf" && type.cls !== "f") throw new Refusal();
  const kind = type.cls === "bf" ? ".BF16_V2" : "";
  return {
    type,
    suffix: `${kind}${ftz ? ".FTZ" : ""}${sat ? ".SAT" : ""}${oob ? ".OOB" : ""}${relu ? ".RELU" : ""}`,
    ftz,
    open,
  };
}

/** A source: one number is in the low half. */
function source(o: Operand, type: PtxType): Operand {
  return type.lanes === 2 ? o : select(o, ".H0_H0");
}

function binary(form: string, subtract: boolean): Lowering {
  return (c, i, m) => {
    const ops = operands(i, 3);
    const { type, suffix, open } = take(m, false);
    const a = source(c.read(at(ops, 1), type), type);
    const b = source(c.read(at(ops, 2), type), type);
    const made = c.emit(`${form}${suffix}`, [c.inPlace(at(ops, 0), type)], [a, subtract ? neg(b) : b]);
    if (open) mayContract(c, made);
  };
}

export const halfAdd: Lowering = binary("HADD2", false);
export const halfSub: Lowering = binary("HADD2", true);
export const halfMul: Lowering = binary("HMUL2", false);

export const halfFma: Lowering = (c, i, m) => {
  const ops = operands(i, 4);
  const { type, suffix } = take(m, true);
  const [a, b, s] = [1, 2, 3].map((k) => source(c.read(at(ops, k), type), type)) as [Operand, Operand, Operand];
  c.emit(`HFMA2${suffix}`, [c.inPlace(at(ops, 0), type)], [a, b, s]);
};

/** neg and abs: additions of −0; of bf16 to a product of zeros that is −0. */
export const halfSign = (absolute: boolean): Lowering => {
  return (c, i, m) => {
    const ops = operands(i, 2);
    const { type, ftz } = take(m, false);
    const a = c.read(at(ops, 1), type);
    const d = c.inPlace(at(ops, 0), type);
    if (type.cls === "f") {
      const x = source(a, type);
      c.emit(`HADD2${ftz ? ".FTZ" : ""}`, [d], [absolute ? abs(x) : neg(x), source(neg(RZ()), type)]);
      return;
    }
    const x = source(c.materialize(a), type);
    const zeros = [select(neg(RZ()), ".H0_H0"), select(RZ(), ".H0_H0")];
    c.emit("HFMA2.BF16_V2", [d], [...zeros, absolute ? abs(x) : neg(x)]);
  };
};

export const halfExtremum = (max: boolean): Lowering => {
  return (c, i, m) => {
    const ops = operands(i, 3);
    const nan = m.flag("NaN");
    const xorsign = m.flag("xorsign");
    const absolute = m.flag("abs");
    const { type, suffix } = take(m, false);
    if (xorsign !== absolute) throw new Refusal();
    const bars = (o: Operand): Operand => (absolute ? abs(o) : o);
    const a = bars(source(c.read(at(ops, 1), type), type));
    const b = bars(source(c.read(at(ops, 2), type), type));
    const form = `HMNMX2${suffix}${nan ? ".NAN" : ""}${xorsign ? ".XORSIGN" : ""}`;
    c.emit(form, [c.inPlace(at(ops, 0), type)], [a, b, max ? not(PT()) : PT()]);
  };
};

const inverse: Readonly<Record<string, string>> = {
  EQ: "NEU",
  NE: "EQU",
  LT: "GEU",
  LE: "GTU",
  GT: "LEU",
  GE: "LTU",
  EQU: "NE",
  NEU: "EQ",
  LTU: "GE",
  LEU: "GT",
  GTU: "LE",
  GEU: "LT",
  NUM: "NAN",
  NAN: "NUM",
};

/**
 * Compares one half: the machine's second predicate belongs to the high half, so the opposite needs an instruction of its
 * own. Of pairs, p is for the low halves and q for the high ones.
 */
export function compareHalves(
  c: Context,
  type: PtxType,
  cmp: string,
  suffix: string,
  targets: readonly Operand[],
  a: Operand,
  b: Operand,
  combine: Operand,
): void {
  const form = (condition: string): string => `HSETP2${type.cls === "bf" ? ".BF16_V2" : ""}.${condition}${suffix}`;
  const [x, y] = [source(a, type), source(b, type)];
  if (type.lanes === 2) {
    if (targets.length !== 2) throw new Refusal();
    c.emit(form(cmp), targets, [x, y, combine]);
    return;
  }
  const opposite = inverse[cmp];
  if (opposite === undefined) throw new Refusal();
  targets.forEach((p, k) => {
    c.emit(form(k === 0 ? cmp : opposite), [p], [x, y, combine]);
  });
}

/** Compares halves into a register of the operands' form: ones, or (`one`) numbers 1. */
export function setHalves(
  c: Context,
  type: PtxType,
  cmp: string,
  suffix: string,
  one: boolean,
  a: Operand,
  b: Operand,
  combine: Operand,
): Operand {
  const form = `HSET2${type.cls === "bf" ? ".BF16_V2" : ""}${one ? ".BF" : ""}.${cmp}${suffix}`;
  return c.op(form, [source(a, type), source(b, type), combine]);
}

/** Four products of bytes, or two of halves and bytes, added to c. */
export const dot = (four: boolean): Lowering => {
  return (c, i, m) => {
    const ops = operands(i, 4);
    const half = four ? "" : `.${m.need(["lo", "hi"]).toUpperCase()}`;
    const [a, b] = [m.type(), m.type()];
    if (a.bits !== 32 || b.bits !== 32 || a.cls === "f" || b.cls === "f" || a.cls === "b" || b.cls === "b")
      throw new Refusal();
    const sign = (t: PtxType): string => (t.cls === "s" ? "S" : "U");
    const values = [1, 2, 3].map((k) => c.materialize(c.read(at(ops, k), a)));
    const form = `IDP.${four ? "4A" : "2A"}${half}.${sign(a)}${four ? 8 : 16}.${sign(b)}8`;
    c.emit(form, [c.inPlace(at(ops, 0), a)], values);
  };
};

/** Two f32 as f16 in one register. */
export function roundToHalves(c: Context, d: Operand, low: Operand, high: Operand): void {
  if (c.target.has("memoryDescriptor"))
    c.emit(c.target.has("f2fpTypes") ? "F2FP.F16.F32.PACK_AB" : "F2FP.PACK_AB", [d], [high, low]);
  else {
    const [x, y] = [c.op("F2F.F16.F32", [low]), c.op("F2F.F16.F32", [high])];
    c.emit("PRMT", [d], [x, imm(0x5410), y]);
  }
}
