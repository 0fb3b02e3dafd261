/**
 * fns: position of the n-th one of a mask from a base upwards or downwards, −1 if there are not so many; for n = 0 the base itself if
 * its bit is set. Downwards is upwards in the mask turned round. Then the n-th one is found by halves: does the lower part hold as many?
 */
import { imm, neg, RZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Context } from "./context.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { U32 } from "./types.js";

const and = (c: Context, a: Operand, b: Operand): Operand => c.op("LOP3.LUT", [a, b, RZ(), imm(0xc0)]);
const select = (c: Context, a: Operand, b: Operand, p: Operand): Operand => c.op("SEL", [c.materialize(a), b, p]);

const fns: Lowering = (c, i, m) => {
  const ops = operands(i, 4);
  m.need(["b32"]);
  const [mask, base, offset] = [1, 2, 3].map((k) => c.materialize(c.read(at(ops, k), U32))) as [
    Operand,
    Operand,
    Operand,
  ];
  const [down, zero] = [c.predicate(), c.predicate()];
  c.emit("ISETP.LT.AND", [down], [offset, RZ()]);
  c.emit("ISETP.EQ.AND", [zero], [offset, RZ()]);
  const turned = select(c, c.op("BREV", [mask]), mask, down);
  const from = select(c, c.op("IADD3", [neg(base), imm(31), RZ()]), base, down);
  const count = select(c, c.op("IADD3", [neg(offset), RZ(), RZ()]), offset, down);
  // Upwards from the base; of n = 0 its bit alone, which is then the first one.
  const above = and(c, turned, c.op("SHF.L.U32", [c.op("MOV", [imm(0xffffffff)]), from, RZ()]));
  const single = and(c, mask, c.op("SHF.L.U32", [c.op("MOV", [imm(1)]), base, RZ()]));
  let rest = select(c, single, above, zero);
  let wanted = select(c, imm(1), count, zero);
  const few = c.predicate();
  c.emit("ISETP.LT.AND", [few], [c.op("POPC", [rest]), wanted]);
  let position: Operand = RZ();
  for (const width of [16, 8, 4, 2, 1]) {
    const ones = c.op("POPC", [and(c, rest, imm(2 ** width - 1))]);
    const higher = c.predicate();
    c.emit("ISETP.LT.U32.AND", [higher], [ones, wanted]);
    rest = select(c, c.op("SHF.R.U32.HI", [RZ(), imm(width), rest]), rest, higher);
    wanted = select(c, c.op("IADD3", [wanted, neg(ones), RZ()]), wanted, higher);
    position = select(c, c.op("IADD3", [position, imm(width), RZ()]), position, higher);
  }
  const back = select(c, c.op("IADD3", [neg(position), imm(31), RZ()]), position, down);
  c.emit("SEL", [c.out(at(ops, 0), U32)], [c.op("MOV", [imm(0xffffffff)]), back, few]);
};

export const findFamily: Family = { fns };
