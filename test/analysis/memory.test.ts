/** What instructions do to memory and how far they restrict the order of others; expected values are by hand, from what the instructions are. */
import { conflicts, memoryEffect, Order, orderOf, Place, readsClock } from "../../lib/analysis/index.js";
import { parseFunc } from "../../lib/ori/parse.js";
import type { Inst } from "../../lib/ori/types.js";
import { unwrap } from "../../lib/result.js";

function inst(text: string, target = "sm_90a"): Inst {
  const func = unwrap(parseFunc(`func "k" entry ${target} virtual expanded\nb0\n${text}\nb1\nEXIT`));
  return func.blocks[0]!.insts[0]!;
}

const { Global, Shared, Local, Group, Product } = Place;
const generic = Global | Shared | Local;

test.each([
  // What, order, reads, writes.
  ["IADD3 %R0, %R1, %R2, RZ", Order.Free, 0, 0],
  ["LDC %R0, c[0x0][0x210]", Order.Free, 0, 0],
  ["LDG.E %R0, [%R1]", Order.Access, Global, 0],
  ["LDG.E.CONSTANT %R0, [%R1]", Order.Free, 0, 0],
  ["STG.E [%R1], %R0", Order.Access, 0, Global],
  ["LD.E %R0, [%R1]", Order.Access, generic, 0],
  ["ST.E [%R1], %R0", Order.Access, 0, generic],
  ["LDS %R0, [%R1]", Order.Access, Shared, 0],
  ["STS [%R1], %R0", Order.Access, 0, Shared],
  ["LDL %R0, [%R1]", Order.Access, Local, 0],
  ["STL [%R1], %R0", Order.Access, 0, Local],
  ["ATOMS.ADD %R0, [%R1], %R2", Order.Access, Shared, Shared],
  ["LDGSTS.E [%R1], desc[%UR4][%R2.64]", Order.Access, Global | Group, Shared],
  ["LDGDEPBAR", Order.Access, 0, Group],
  ["WARPGROUP.ARRIVE", Order.Access, 0, Product],
  ["BSSY %B0, b1", Order.Free, 0, 0],
  ["BRA b1", Order.Full, 0, 0],
  ["MEMBAR.SC.GPU", Order.Full, 0, 0],
  ["BAR.SYNC.DEFER_BLOCKING 0x0", Order.Fence, 0, 0],
  ["BAR.SYNC.DEFER_BLOCKING %R1", Order.Full, 0, 0],
  ["S2R %R0, SR_TID.X", Order.Free, 0, 0],
  ["CS2R %R0, SR_CLOCKLO", Order.Fence, 0, 0],
  ["NOP", Order.Fence, 0, 0],
  ["STG.E [%R1], %R0 {volatile}", Order.Fence, 0, Global],
  ["STG.E.STRONG.SYS [%R1], %R0 {volatile}", Order.Access, 0, Global],
  ["SYNCS.EXCH.64 URZ, [%UR4], %UR8", Order.Fence, 0, 0],
] as const)("%s", (text, order, reads, writes) => {
  const i = inst(text);
  const effect = memoryEffect(i.form);
  expect({ order: orderOf(i), reads: effect.reads, writes: effect.writes }).toEqual({ order, reads, writes });
});

test("strong accesses acquire or release, atomics both", () => {
  const sides = (text: string): boolean[] => {
    const { acquires, releases } = memoryEffect(inst(text).form);
    return [acquires, releases];
  };
  expect(sides("LDG.E.STRONG.GPU %R0, [%R1]")).toEqual([true, false]);
  expect(sides("STG.E.STRONG.GPU [%R1], %R0")).toEqual([false, true]);
  expect(sides("ATOMG.E.ADD.STRONG.GPU PT, %R0, [%R1], %R2")).toEqual([true, true]);
  expect(sides("REDG.E.ADD.STRONG.GPU [%R1], %R2")).toEqual([false, true]);
  expect(sides("LDG.E %R0, [%R1]")).toEqual([false, false]);
});

test("clocks are told from other special registers", () => {
  expect(
    ["CS2R %R0, SR_CLOCKLO", "S2R %R0, SR_GLOBALTIMERLO", "S2R %R0, SR_LANEID"].map((t) => readsClock(inst(t))),
  ).toEqual([true, true, false]);
});

test("accesses whose addresses are not known conflict where one writes what the other touches", () => {
  const unknown = { sum: null, bytes: 0, base: -1, atoms: [] };
  const meet = (a: string, b: string): boolean =>
    conflicts(memoryEffect(inst(a).form), unknown, memoryEffect(inst(b).form), unknown);
  const [load, store, shared, generally, local] = [
    "LDG.E %R0, [%R1]",
    "STG.E [%R1], %R0",
    "STS [%R1], %R0",
    "LD.E %R0, [%R1]",
    "STL [%R1], %R0",
  ] as const;
  expect([meet(load, load), meet(load, store), meet(store, load), meet(store, store)]).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect([meet(store, shared), meet(shared, generally), meet(generally, local), meet(local, load)]).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(meet("LDGSTS.E [%R1], desc[%UR4][%R2.64]", "LDGDEPBAR")).toBe(true);
  expect(meet("LDGSTS.E [%R1], desc[%UR4][%R2.64]", "LDS %R0, [%R1]")).toBe(true);
});
