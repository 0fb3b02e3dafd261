/** What throws the cache away waits for the access that acquires: as ptxas 13.0.88 -O3 has it, sm_75 and sm_90. */
import { assignControl } from "../../../lib/sched/index.js";
import { boards, check, func, yields } from "./words.js";

describe("acquires", () => {
  test("ld.acquire: CCTL.IVALL waits for the load, not for a relaxed one ahead of it", () => {
    check(
      `b0
        W2 R- - | LDG.E.STRONG.GPU R7, desc[UR4][R2.64]
        W3 R- - | LD.E.STRONG.GPU R0, desc[UR4][R2.64]
        W- R- 3 | CCTL.IVALL
        W- R- 2 | STG.E desc[UR4][R2.64+0x40], R7
        W2 R- - | LDG.E R5, desc[UR4][R8.64+0x4]
        W- R- 2 | IADD3 R9, R0, R5, RZ
        W- R- - | STG.E desc[UR4][R2.64+0x8], R9
        W- R- - | EXIT`,
      boards,
    );
  });
  test("the load has a scoreboard even when nobody reads its result", () => {
    check(
      `b0
        W2 R- - | LDG.E.STRONG.GPU R0, desc[UR4][R2.64]
        W- R- 2 | CCTL.IVALL
        W2 R- - | LDG.E R5, desc[UR4][R8.64+0x4]
        W- R- 2 | STG.E desc[UR4][R2.64+0x8], R5
        W- R- - | EXIT`,
      boards,
    );
  });
  test("an atomic under a guard: it may be the one ahead that counts", () => {
    check(
      `b0
        W2 R- - | LDG.E.STRONG.GPU R0, desc[UR4][R2.64]
        W2 R- - | @P0 ATOMG.E.ADD.STRONG.GPU PT, R9, desc[UR4][R2.64], R9
        W- R- 2 | CCTL.IVALL
        W- R- - | STG.E desc[UR4][R2.64+0x8], R0
        W- R- - | STG.E desc[UR4][R2.64+0xc], R9
        W- R- - | EXIT`,
      boards,
    );
  });
  test("fence.acq_rel waits for everything, membar for nothing: MEMBAR.SC ends accesses itself", () => {
    const code = (fence: string, waits: string): string => `b0
        W2 R- - | LDG.E.STRONG.GPU R0, desc[UR4][R2.64]
        W- R- - | MEMBAR.${fence}.GPU
        W- R- - | ERRBAR
        W- R- - | CGAERRBAR
        W- R- ${waits} | CCTL.IVALL
        W2 R- - | LDG.E R5, desc[UR4][R8.64+0x4]
        W- R- 2 | IADD3 R7, R0, R5, RZ
        W- R- - | STG.E desc[UR4][R2.64+0x8], R7
        W- R- - | EXIT`;
    check(code("ALL", "012345"), boards);
    check(code("SC", "-"), boards);
  });
  test("a fence under a guard may not be executed: it ends nothing", () => {
    const code = (guard: string, waits: string): string => `b0
        W${waits} R- - | LDG.E.STRONG.GPU R0, desc[UR4][R2.64]
        W- R${waits} - | ${guard}MEMBAR.SC.GPU
        W- R- ${waits} | CCTL.IVALL
        W2 R- - | LDG.E R5, desc[UR4][R8.64+0x4]
        W- R- 2 | STG.E desc[UR4][R2.64+0x8], R5
        W- R- - | EXIT`;
    check(code("", "-"), boards);
    check(code("@P0 ", "2"), boards);
  });
  test("at the scope of a CTA a NOP waits, but not one that only takes time", () => {
    check(
      `b0
        W2 R- - | LDG.E.STRONG.SM R0, desc[UR4][R2.64]
        W- R- - | MOV R6, 0x1
        W- R- 2 | NOP
        W2 R- - | LDG.E R5, desc[UR4][R8.64+0x4]
        W- R- - | NOP
        W- R- 2 | IADD3 R7, R0, R5, RZ
        W- R- - | STG.E desc[UR4][R2.64+0x8], R7
        W- R- - | EXIT`,
      boards,
    );
  });
  test("from another block", () => {
    check(
      `b0
        W5 R0 - | LDG.E.STRONG.GPU R0, desc[UR4][R2.64]
        W- R- - | @P0 BRA b1
       b1
        W- R- 012345 | CCTL.IVALL
        W- R- - | STG.E desc[UR4][R2.64+0x8], R0
        W- R- - | EXIT`,
      boards,
    );
  });
});

test("after ERRBAR the pipelines run empty", () => {
  check(
    `b0
      6 - | MEMBAR.SC.GPU
      0 Y | ERRBAR
      6 - | CGAERRBAR
      5 - | EXIT`,
    yields,
  );
  const f = func("b0\nMEMBAR.SC.GPU\nERRBAR\nEXIT", "sm_75");
  assignControl(f);
  expect(f.blocks[0]!.insts.map((i) => i.control!.stall)).toEqual([5, 0, 5]);
});

test("a release of a CTA's scope waits for its fence where that tells its end; loads do not", () => {
  const code = (fence: string, waits: string): string => `b0
    W- R${fence} - | MEMBAR.ALL.CTA
    W2 R- - | LDG.E R5, desc[UR4][R8.64]
    W- R- ${waits} | STG.E.STRONG.SM desc[UR4][R2.64+0x8], R7
    W- R- 2 | IADD3 R6, R5, R5, RZ
    W- R- - | STG.E desc[UR4][R2.64+0x10], R6
    W- R- - | EXIT`;
  check(code("0", "0"), boards);
  check(code("-", "-").replace(/IADD3 (R6), /, "IADD3 $1, PT, PT, "), boards, { target: "sm_120" });
});
