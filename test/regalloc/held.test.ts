/** Registers that memory instructions still read, and those who write next. */
import { snapshot } from "../../lib/ori/index.js";
import { parseFunc } from "../../lib/ori/parse.js";
import type { Func } from "../../lib/ori/types.js";
import { allocate, checkAllocation } from "../../lib/regalloc/index.js";
import { unwrap } from "../../lib/result.js";

/** A block that loads from shared memory and goes on computing, `freq` times; a later one has `more` values at once. */
function loads(freq: number, more: number): Func {
  const each = (of: (k: number) => string): string => Array.from({ length: more }, (_, k) => of(20 + k)).join("\n");
  return unwrap(
    parseFunc(`func "k" entry sm_90 virtual scheduled
b0 freq 1 <- -> b1
  S2R %R0, SR_TID.X
  MOV %R1, RZ
b1 freq ${freq} <- b0 b1 -> b1 b2
  LEA %R2, %R0, %R1, 0x2
  LDS %R3, [%R2]
  SHF.R.U32.HI %R4, RZ, 0x1f, %R0
  IADD3 %R5, %R4, %R1, RZ
  STS [%R5], %R3
  IADD3 %R1, %R1, 0x1, RZ
  IADD3 %R6, %R1, %R0, RZ
  ISETP.LT.AND %P10, PT, %R6, 0x40, PT
  @%P10 BRA b1
b2 freq 1 <- b1 ->
  ${each((k) => `LDG.E %R${k}, [RZ+${4 * k}]`)}
  ${each((k) => `STG.E [RZ], %R${k}`)}
  EXIT`),
  );
}

/** Allocates; says which instructions after the LDS write what it reads, and those after the STS, and the registers used. */
function written(func: Func): [string[], number] {
  const before = snapshot(func);
  const { registers } = unwrap(allocate(func, { numbering: "banks" }));
  expect(checkAllocation(before, func)).toEqual([]);
  const { insts } = func.blocks[1]!;
  const found: string[] = [];
  insts.forEach((inst, i) => {
    if (inst.form.memory === null) return;
    for (const s of inst.srcs)
      for (const later of insts.slice(i + 1))
        if (later.dsts.some((d) => d.file === s.file && d.kind === s.kind && d.id === s.id && d.id < 255))
          found.push(`${inst.form.op} ${later.form.op}`);
  });
  return [found, registers];
}

test("in a loop what memory instructions read is not written right after them, where that takes no more registers", () => {
  const [free, many] = written(loads(64, 12));
  expect(free).toEqual([]);
  const [once, same] = written(loads(1, 12));
  expect(once).not.toEqual([]);
  expect(many).toBe(same);
});
