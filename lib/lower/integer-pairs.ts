/** Pairs of 16-bit integers: add, min, max; and min and max of 32 bits with .relu. sm_110 has no instructions for pairs (as ptxas there). */
import { imm, not, PT, RZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Context } from "./context.js";
import { at, type Lowering, operands } from "./family.js";
import { minMax32 } from "./integer.js";
import type { Modifiers } from "./modifiers.js";
import { Refusal } from "./refusal.js";
import { isSigned, type PtxType, S32 } from "./types.js";

function pairType(m: Modifiers): PtxType {
  const type = m.type();
  if (type.name !== "u16x2" && type.name !== "s16x2") throw new Refusal();
  return type;
}

export const pairAdd: Lowering = (c, i, m) => {
  const ops = operands(i, 3);
  const type = pairType(m);
  const [a, b] = [c.materialize(c.read(at(ops, 1), type)), c.read(at(ops, 2), type)];
  const d = c.out(at(ops, 0), type);
  if (c.target.has("vimnmx")) {
    c.emit("VIADD.16x2", [d], [a, b]);
    return;
  }
  // The upper sum without what the lower one carries.
  const upper = [a, b].map((o) => c.op("LOP3.LUT", [c.materialize(o), imm(0xffff0000), RZ(), imm(0xc0)]));
  const high = c.op("IADD3", [...upper, RZ()]);
  c.emit("PRMT", [d], [c.op("IADD3", [a, b, RZ()]), imm(0x7610), high]);
};

export const pairExtremum = (max: boolean): Lowering => {
  return (c, i, m) => {
    const ops = operands(i, 3);
    const relu = m.flag("relu");
    const type = pairType(m);
    const [a, b] = [c.materialize(c.read(at(ops, 1), type)), c.materialize(c.read(at(ops, 2), type))];
    const d = c.out(at(ops, 0), type);
    if (c.target.has("vimnmx")) {
      c.emit(`VIMNMX.${isSigned(type) ? "S" : "U"}16x2${relu ? ".RELU" : ""}`, [d], [a, b, max ? not(PT()) : PT()]);
      return;
    }
    const signed = isSigned(type);
    const half = (selector: number): Operand => {
      const [x, y] = [a, b].map((o) => c.op("PRMT", [o, imm(selector), RZ()])) as [Operand, Operand];
      return extremum(c, x, y, signed, max, relu);
    };
    const low = half(signed ? 0x9910 : 0x7710);
    c.emit("PRMT", [d], [low, imm(0x5410), half(signed ? 0xbb32 : 0x7732)]);
  };
};

function extremum(c: Context, x: Operand, y: Operand, signed: boolean, max: boolean, relu: boolean): Operand {
  const d = c.temp();
  minMax32(c, d, x, y, signed, max);
  if (!relu) return d;
  const positive = c.temp();
  minMax32(c, positive, d, RZ(), true, true);
  return positive;
}

/** min.relu.s32, max.relu.s32 */
export const reluExtremum = (max: boolean): Lowering => {
  return (c, i, m) => {
    const ops = operands(i, 3);
    m.need(["relu"]);
    if (m.type() !== S32) throw new Refusal();
    const [a, b] = [c.materialize(c.read(at(ops, 1), S32)), c.materialize(c.read(at(ops, 2), S32))];
    const d = c.out(at(ops, 0), S32);
    if (c.target.has("vimnmx")) {
      const type = c.target.has("vimnmxTypes") ? ".S32" : "";
      c.emit(`VIMNMX${type}.RELU`, [d], [a, b, max ? not(PT()) : PT()]);
    } else c.settle(d, extremum(c, a, b, true, max, true));
  };
};
