/**
 * alloca, stacksave, stackrestore: room below the function's frame, which is found from a register of its own. The stack pointer stays
 * where it is (ptxas moves it and keeps a frame pointer instead), so a function that also calls others by the ABI is refused.
 */
import { imm, lo, neg, RZ } from "../ori/operand.js";
import { Kind } from "../ori/types.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import type { Modifiers } from "./modifiers.js";
import { extendAddress } from "./move.js";
import { Refusal } from "./refusal.js";
import { type PtxType, U32, U64 } from "./types.js";

/** Bytes: alignment of what is allocated where none is given, and the least (ptxas 13.0.88). */
const LEAST = 8;

function sizeType(m: Modifiers): PtxType {
  const type = m.type();
  if (type !== U32 && type !== U64) throw new Refusal();
  return type;
}

const alloca: Lowering = (c, i, m) => {
  const ops = operands(i, 2, 3);
  const type = sizeType(m);
  const given = ops.length === 3 ? at(ops, 2) : null;
  if (given !== null && (given.kind !== "int" || given.hi !== 0)) throw new Refusal();
  const align = Math.max(LEAST, given?.lo ?? 0);
  if ((align & (align - 1)) !== 0) throw new Refusal();
  const size = c.read(at(ops, 1), type);
  const bytes = size.kind === Kind.Imm ? imm(-size.value) : neg(lo(size));
  const lowest = c.op("IADD3", [c.top, bytes, RZ()]);
  c.emit("LOP3.LUT", [c.top], [lowest, imm(-align), RZ(), imm(0xc0)]);
  c.settle(c.inPlace(at(ops, 0), type), extendAddress(c, c.top, type));
};

const stacksave: Lowering = (c, i, m) => {
  const ops = operands(i, 1);
  const type = sizeType(m);
  c.settle(c.inPlace(at(ops, 0), type), extendAddress(c, c.top, type));
};

const stackrestore: Lowering = (c, i, m) => {
  const ops = operands(i, 1);
  const type = sizeType(m);
  c.move(c.top, lo(c.materialize(c.read(at(ops, 0), type), type.bits / 32)));
};

export const stackFamily: Family = { alloca, stacksave, stackrestore };
