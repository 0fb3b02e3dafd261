/** What instructions are to optimizations, by what they are. */
import { isLanewise, isPlainLoad, isWholeMove } from "../../lib/analysis/index.js";
import { parseFunc } from "../../lib/ori/parse.js";
import type { Inst } from "../../lib/ori/types.js";
import { unwrap } from "../../lib/result.js";

const inst = (text: string): Inst =>
  unwrap(parseFunc(`func "k" entry sm_90 virtual expanded\nb0\n${text}\nb1\nEXIT`)).blocks[0]!.insts[0]!;

test("a MOV of all bytes is a copy, one of some bytes and other moves are not", () => {
  expect(
    [
      "MOV %R0, %R1",
      "MOV %R0, RZ",
      "@%P2 MOV %R0, %R1",
      "MOV %R0, %R1, 0x3",
      "UMOV %UR0, %UR1",
      "PRMT %R0, %R1, 0x3210, RZ",
    ].map((t) => isWholeMove(inst(t))),
  ).toEqual([true, true, true, false, false, false]);
});

test("results that depend on the operands of the lane alone", () => {
  for (const t of ["IADD3 %R0, %R1, %R2, RZ", "MUFU.EX2 %R0, %R1", "SEL %R0, %R1, %R2, %P3"])
    expect([t, isLanewise(inst(t))]).toEqual([t, true]);
  for (const t of [
    "LDG.E %R0, [%R1]",
    "STS [%R0], %R1",
    "S2R %R0, SR_TID.X",
    "SHFL.IDX PT, %R1, %R0, RZ, 0x1f",
    "VOTE.ANY %R2, PT, PT",
    "BAR.SYNC.DEFER_BLOCKING 0x0",
    "BRA b1",
    "NOP",
  ])
    expect([t, isLanewise(inst(t))]).toEqual([t, false]);
});

test("loads that other threads have no part in", () => {
  expect(
    [
      "LDG.E %R0, [%R1]",
      "LDS %R0, [%R1]",
      "LDG.E.CONSTANT %R0, [%R1]",
      "LDG.E.STRONG.GPU %R0, [%R1]",
      "LDG.E.MMIO.SYS %R0, [%R1]",
      "LDS %R0, [%R1] {volatile}",
      "STG.E [%R1], %R0",
      "ATOMS.ADD %R0, [%R1], %R2",
    ].map((t) => isPlainLoad(inst(t))),
  ).toEqual([true, true, true, false, false, false, false, false]);
});
