/** What ptxas 13.0.88 relies on to be in order, as its own code has it, and the nearest thing that it does not. */
import { brief } from "./text";

const end = "B------ R- W- - S05   EXIT";

test("a load from shared memory writes after stores to local memory have read (sm_75, spilled matrix products)", () => {
  const code = (load: string): string => `
    B------ R- W- - S01   STL.64 [R1+0x18], R4
    B------ R- W0 - S02   ${load}
    B0----- R- W- - S01   IADD3 R8, R4, R5, RZ
    ${end}`;
  expect(brief(code("LDS.64 R4, [R0+0x70]"), "sm_75")).toEqual([]);
  expect(brief(code("LDL.64 R4, [R0+0x70]"), "sm_75")).toEqual([
    "operand R4 at 0x10 since 0x0",
    "operand R5 at 0x10 since 0x0",
  ]);
  expect(brief(code("LDG.E.64.SYS R4, [R6]"), "sm_75")).not.toEqual([]);
});

test("reductions of a warp come back in order (sm_80)", () => {
  const code = (last: string): string => `
    B------ R- W- - S01   REDUX.OR UR7, R6
    B------ R- W0 - S02   ${last}
    B0----- R- W- - S04   IADD3 R4, R5, UR6, RZ
    B------ R- W- - S04   IADD3 R8, R5, UR7, RZ
    ${end}`;
  expect(brief(code("REDUX.SUM.S32 UR6, R5"), "sm_80")).toEqual([]);
  expect(brief(code("S2UR UR6, SR_CTAID.X"), "sm_80")).toEqual(["result UR7 at 0x30 since 0x0"]);
});

test("an atomic whose result nobody wants is not waited for (sm_90), a load that acquires is", () => {
  const code = (access: string): string => `
    B------ R- W- - S02   ${access}
    B------ R- W- - S04   CCTL.IVALL
    ${end}`;
  expect(brief(code("ATOM.E.AND.STRONG.GPU PT, RZ, desc[UR6][R8.64], R7"))).toEqual([]);
  expect(brief(code("ATOM.E.AND.STRONG.GPU PT, R2, desc[UR6][R8.64], R7"))).not.toEqual([]);
});

test("a double's product may follow the guarded value that it replaces by one cycle (sm_100)", () => {
  const code = `
    B------ R- W- - S01   IMAD.MOV.U32 R7, RZ, RZ, R3
    B------ R- W- Y S15   @!P0 DMUL R6, R16, R18
    ${"B------ R- W- Y S15   NOP\n".repeat(6)}
    ${end}`;
  expect(brief(code, "sm_100")).toEqual([]);
});

test("CS2UR holds nothing back from sm_120 on", () => {
  expect(brief(`B------ R- W- - S01   CS2UR UR14, SR_GLOBALTIMERLO\n${end}`, "sm_120")).toEqual([]);
});
