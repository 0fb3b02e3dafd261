/** Expected words: ptxas 13.0.88 -O3 on the starter corpus (tools/control-fidelity.ts). */
import { assignControl } from "../../../lib/sched/index.js";
import { check, func, kept, yields } from "./words.js";

describe("yield", () => {
  test("stalls of three and more let other warps in, unless the instruction has a scoreboard or transfers control", () => {
    check(
      `b0
        4 Y | FFMA R8, R24, R24, R8
        4 Y | FFMA R8, R25, R25, R8
        5 Y | FFMA R8, R15, R15, R8
       13 Y | ISETP.GE.AND P0, PT, R8, R3, PT
        5 - | @P0 EXIT
       b1
        5 - | EXIT`,
      yields,
    );
  });
  test("after ten cycles without a chance the next stall of two is one", () => {
    // the slow path of the division, sm_90
    check(
      `b0
        2 - | SHF.R.U32.HI R7, RZ, 0x17, R0
        2 - | LOP3.LUT R14, R10, 0xff, RZ, 0xc0, !PT
        2 - | LOP3.LUT R12, R6, 0xff, RZ, 0xc0, !PT
        2 - | LOP3.LUT R11, R5, 0xff, RZ, 0xc0, !PT
        2 - | LOP3.LUT R13, R4, 0xff, RZ, 0xc0, !PT
        2 Y | LOP3.LUT R15, R3, 0xff, RZ, 0xc0, !PT
        2 - | LOP3.LUT R16, R2, 0xff, RZ, 0xc0, !PT
        1 - | LOP3.LUT R17, R8, 0xff, RZ, 0xc0, !PT
        5 - | EXIT`,
      yields,
    );
  });
  test("a rule of one's own", () => {
    const never = () => 1 as const;
    check(
      `b0
        4 - | FFMA R8, R24, R24, R8
        1 - | FFMA R8, R25, R25, R8
        5 - | EXIT`,
      yields,
      { policy: { yield: never } },
    );
  });
});

describe("reuse", () => {
  test("not kept across a call", () => {
    const code = (between: string): string => `b0
        ${between === "" ? "c" : "-"} | IMAD R18, R13, R7, R0${between}
        - | IMAD R12, R3, R12, R0
        - | EXIT
       b1
        - | RET.REL.NODEC R20 b0`;
    check(code(""), kept);
    check(code("\n        - | CALL.REL.NOINC b1"), kept);
  });
  test("kept for the next reader of the slot, across instructions that use other registers banks or units", () => {
    // sgemm and switch_table, sm_90
    check(
      `b0
        c | IMAD R18, R13, UR7, R0
        - | MOV R21, RZ
        - | IMAD R12, R3, R12, R0
        a | LEA R19, R0, R17, 0x2
        a | LEA R16, R0, R5, 0x2
        - | LEA R20, R0, UR5, 0x2
        - | EXIT`,
      kept,
    );
  });
  test("not when it is overwritten in between, nor for a slot of another place", () => {
    check(
      `b0
        - | LOP3.LUT R5, R2, R3, RZ, 0xc0, !PT
        - | MOV R2, R9
        - | LOP3.LUT R6, R2, R8, RZ, 0xc0, !PT
        - | LOP3.LUT R7, R8, R6, RZ, 0xc0, !PT
        - | EXIT`,
      kept,
    );
  });
  test("never where the warp may be left: the bits mean something else there, whatever the rules say", () => {
    check(
      `b0
        - | LEA R19, R0, R17, 0x2
        - | LEA R16, R0, R5, 0x2
        - | EXIT`,
      kept,
      { policy: { yield: () => 0, reuse: () => true } },
    );
  });
  test("the operand says so too, for text and encoder", () => {
    const f = func(`b0
      LEA R19, R0, R17, 0x2
      LEA R16, R0, R5, 0x2
      EXIT`);
    assignControl(f);
    assignControl(f);
    expect(f.blocks[0]!.insts.map((i) => i.srcs.map((o) => o.mods & 8))[0]).toEqual([8, 0, 0]);
  });
});
