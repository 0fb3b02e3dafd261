/** The addresses of four lanes, and accesses of less than a word at them. */
import type { Access } from "./access.js";
import type { V } from "./emission.js";
import { Type } from "./encoder.js";
import { Op } from "./opcodes.js";
import type { Segment } from "./segment.js";

/** Addresses of a group in a round. */
export interface Addresses {
  readonly all: V;
  readonly lanes: readonly number[];
  readonly apart: V;
}

export function spread(e: Segment, all: V): Addresses {
  const lanes = [0, 1, 2, 3].map((k) => {
    const d = e.local(Type.i32);
    e.out.get(all).lane(Op.i32x4Extract, k).set(d);
    return d;
  });
  const apart = e.local();
  e.out.get(all).get(lanes[0]!).op(Op.i32x4Splat).op(Op.i32x4Sub).set(apart);
  return { all, lanes, apart };
}

/** Leaves on the stack whether the four addresses are `stride` bytes apart. */
export function patternTest(e: Segment, a: Addresses, stride: number): void {
  e.out.get(a.apart);
  e.out
    .get(e.words(0, stride, 2 * stride, 3 * stride))
    .op(Op.i32x4Eq)
    .op(Op.i32x4AllTrue);
}

/** A byte or half of each lane, extended. */
export function loadNarrow(e: Segment, a: Addresses, access: Access, at: number, d: V): void {
  const half = access.bytes === 2;
  const op = access.signed ? (half ? Op.i32Load16S : Op.i32Load8S) : half ? Op.i32Load16U : Op.i32Load8U;
  e.out.get(a.lanes[0]!).memory(op, at).op(Op.i32x4Splat);
  for (let k = 1; k < 4; k++) e.out.get(a.lanes[k]!).memory(op, at).lane(Op.i32x4Replace, k);
  e.out.set(d);
}

export function storeNarrow(e: Segment, a: Addresses, bytes: number, at: number, x: V): void {
  const op = bytes === 2 ? Op.i32Store16 : Op.i32Store8;
  for (let k = 0; k < 4; k++) e.out.get(a.lanes[k]!).get(x).lane(Op.i32x4Extract, k).memory(op, at);
}
