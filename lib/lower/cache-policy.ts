/**
 * Cache policies: values of 64 bits that stand in the descriptor of a memory access; and what tells the cache about lines.
 *
 * From sm_90 on a policy's upper twelve bits are `1 0 0 1 k k s f f f f` with the first priority k, whether the second one is evict_first (s)
 * and the fraction f/16, rounded down (ptxas 13.0.88, -O0: f is the integral part of 15.99 times the fraction).
 */

import { imm, RZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Operand as PtxOperand } from "../ptx/ast.js";
import { memoryAddress, moved } from "./address.js";
import type { Context } from "./context.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { inlineRoutine } from "./inline.js";
import { skip } from "./place.js";
import { Refusal } from "./refusal.js";
import { B64, F32, U32 } from "./types.js";

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
  if (m.oneOf(["range"]) !== null) {
    range(c, i, m);
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

/**
 * The policy of a range: the first priority for `primary` bytes from `start`, the second one for the rest of `total` bytes. Blocks of 2^(12+s) bytes,
 * s in four bits above 20, are counted from `start` on in seven bits above 12; how many have the first priority stands in seven bits above 5
 * (ptxas 13.0.88, -O0, sm_80 to sm_120).
 */
const RANGE = `
.func (.reg .u32 q) policyrange (.reg .u64 start, .reg .u32 primary, .reg .u32 total, .reg .u32 kind)
{
  .reg .f32 f;
  .reg .u32 s, t;
  .reg .u64 e, b;
  .reg .pred p;
  cvt.rn.f32.u32 f, total;
  lg2.approx.ftz.f32 f, f;
  cvt.rpi.ftz.u32.f32 s, f;
  sub.u32 s, s, 7;
  max.s32 s, s, 12;
  shl.b32 t, 1, s;
  sub.u32 t, t, 1;
  add.u32 t, t, primary;
  cvt.u64.u32 e, t;
  add.u64 e, e, start;
  shr.u64 e, e, s;
  shr.u64 b, start, s;
  sub.u64 e, e, b;
  min.u64 e, e, 0x7f;
  sub.u32 s, s, 12;
  and.b32 s, s, 15;
  shl.b32 s, s, 20;
  cvt.u32.u64 t, b;
  and.b32 t, t, 0x7f;
  shl.b32 t, t, 12;
  or.b32 q, kind, s;
  or.b32 q, q, t;
  cvt.u32.u64 t, e;
  shl.b32 t, t, 5;
  or.b32 q, q, t;
  setp.eq.u32 p, total, 0;
  selp.b32 q, 0x18000000, q, p;
}`;
/** The same priorities in a policy of a range. */
const OF_RANGE = 0x80;

function range(c: Context, i: Parameters<Lowering>[1], m: Parameters<Lowering>[2]): void {
  m.oneOf(["global"]);
  const kind = first[m.need(Object.keys(first))] as number;
  const second = m.oneOf(["L2::evict_first", "L2::evict_unchanged"]) === "L2::evict_first" ? 0x10 : 0;
  m.need(["b64"]);
  const ops = operands(i, 4);
  const o = at(ops, 1);
  if (o.kind !== "address" || o.rest.length > 0) throw new Refusal();
  const { base } = moved(c, memoryAddress(c, o, "global"));
  const sizes = [at(ops, 2), at(ops, 3)].map((size) => c.materialize(c.read(size, U32)));
  const upper = c.materialize(imm(((kind | second) + OF_RANGE) << 20));
  const [value] = inlineRoutine(c, RANGE, [base, ...sizes, upper]);
  const d = c.out(at(ops, 0), B64);
  c.move(c.word(d, 0), RZ());
  c.move(c.word(d, 1), value as Operand);
}

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
