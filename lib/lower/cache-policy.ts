/**
 * Cache policies: values of 64 bits that stand in the descriptor of a memory access; and what tells the cache about lines.
 *
 * From sm_90 on a policy's upper twelve bits are `1 0 0 1 k k s f f f f` with the first priority k, whether the second one is evict_first (s)
 * and the fraction f/16, rounded down (ptxas 13.0.88, -O0: f is the integral part of 15.99 times the fraction).
 */

import { imm, RZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Operand as PtxOperand } from "../ptx/ast.js";
import { memoryAddress } from "./address.js";
import type { Context } from "./context.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { skip } from "./place.js";
import { Refusal } from "./refusal.js";
import { B64, F32 } from "./types.js";

/** The policy as descriptor of an access: a pair of uniform registers. */
export function policyDescriptor(c: Context, o: PtxOperand): Operand {
  const value = c.materialize(c.read(o, B64), 2);
  const d = c.builder.ur(2);
  c.emit("R2UR", [c.word(d, 0)], [c.word(value, 0)]);
  c.emit("R2UR", [c.word(d, 1)], [c.word(value, 1)]);
  return d;
}

const first: Readonly<Record<string, number>> = {
  "L2::evict_unchanged": 0x100,
  "L2::evict_first": 0x120,
  "L2::evict_last": 0x140,
  "L2::evict_normal": 0x160,
};
/** 15.99 */
const STEPS = 0x417fd70a;
const ALL = 0xf;

const createpolicy: Lowering = (c, i, m) => {
  // A policy that was made before, as it stands.
  if (m.oneOf(["cvt"]) !== null) {
    m.need(["L2"]);
    m.need(["b64"]);
    const ops = operands(i, 2);
    c.settle(c.out(at(ops, 0), B64), c.materialize(c.read(at(ops, 1), B64), 2));
    return;
  }
  m.need(["fractional"]);
  const words = Object.keys(first);
  const kind = first[m.need(words)] as number;
  const second = m.oneOf(["L2::evict_first", "L2::evict_unchanged"]) === "L2::evict_first" ? 0x10 : 0;
  m.need(["b64"]);
  const ops = operands(i, 1, 2);
  const fraction = ops.length === 1 ? null : c.materialize(c.read(at(ops, 1), F32));
  const steps =
    fraction === null
      ? imm(ALL)
      : c.op("LOP3.LUT", [
          c.op("F2I.U32.TRUNC.NTZ", [c.op("FMUL", [fraction, imm(STEPS)])]),
          imm(ALL),
          RZ(),
          imm(0xc0),
        ]);
  const upper = c.op("LOP3.LUT", [c.materialize(steps), imm(kind | second), RZ(), imm(0xfc)]);
  const d = c.out(at(ops, 0), B64);
  c.move(c.word(d, 0), RZ());
  c.emit("SHF.L.U32", [c.word(d, 1)], [upper, imm(20), RZ()]);
};

/** A line of the second-level cache is not needed any more, or loses its priority. */
function line(operation: string, priority: string): Lowering {
  return (c, i, m) => {
    m.oneOf(["global"]);
    m.need([priority]);
    const ops = operands(i, 2);
    const [o, size] = [at(ops, 0), at(ops, 1)];
    if (o.kind !== "address" || o.rest.length > 0 || size.kind !== "int" || size.lo !== 128) throw new Refusal();
    const where = memoryAddress(c, o, "global");
    c.emit(`CCTL.E.${operation}`, [], [where.base, skip(), imm(where.offset)]);
  };
}

export const policyFamily: Family = {
  createpolicy,
  discard: line("RML2", "L2"),
  applypriority: line("DML2", "L2::evict_normal"),
};
