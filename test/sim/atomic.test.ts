import { prologue, runText } from "./assemble.js";

/** What ptxas makes of `atom.shared.add.u64`: tries until the words are exchanged; the answer is as wide as they are. */
test("ATOMS.CAST.SPIN.64 answers in both words", () => {
  const { run, out } = runText(
    `${prologue}
     IMAD R10, R0, 0x8, RZ
     MOV R12, 0xffffffff
     MOV R13, 0x7
     STS.64 [R10], R12
     again:
     LDS.64 R8, [R10]
     IADD3 R14, P0, R8, 0x1, RZ
     IADD3.X R15, R9, 0x100, RZ, P0, !PT
     ATOMS.CAST.SPIN.64 R14, [R10], R8, R14
     ISETP.EQ.U32.AND P0, PT, R14, 0x1, PT
     ISETP.EQ.U32.AND.EX P0, PT, R15, RZ, PT, P0
     @!P0 BRA again
     LDS.64 R8, [R10]
     IADD3 R8, R8, R9, RZ
     STG.E.SYS [R2], R8
     EXIT`,
    { words: 32 },
  );
  expect(run.fault).toBeNull();
  expect([...out]).toEqual(Array(32).fill(0x108));
});

/** Lane 0 has an address in global memory, lane 1 in shared, lane 2 in local memory. */
const spaces = `
  S2R R0, SR_TID.X
  MOV R6, 0x4
  IMAD.WIDE.U32 R2, R0, R6, c[0x0][0x210]
  ISETP.EQ.AND P1, PT, R0, 0x1, PT
  ISETP.EQ.AND P2, PT, R0, 0x2, PT
  MOV R4, R2
  MOV R5, R3
  @P1 MOV R4, 0x40
  @P1 MOV R5, 0x7fff
  @P2 MOV R4, 0x40
  @P2 MOV R5, 0x7ffe
  MOV R7, RZ`;
const one = (bit: number): string => `@P0 IADD3 R7, R7, ${bit}, RZ`;

test("QSPC tells the space of a generic address", () => {
  const ask = (space: string, bit: number): string => `QSPC.E.${space} P0, RZ, [R4]\n${one(bit)}`;
  const { run, out } = runText(
    `${spaces}\n${ask("G", 1)}\n${ask("S", 2)}\n${ask("D", 4)}\n${ask("L", 8)}\nSTG.E desc[UR4][R2.64], R7\nEXIT`,
    { sm: "sm_90", block: [3, 1, 1], words: 3 },
  );
  expect(run.fault).toBeNull();
  expect([...out]).toEqual([1, 6, 8]);
});

test("ATOM with a predicate works in global memory alone", () => {
  const { run, out } = runText(
    `${spaces}
     MOV R8, 0x5
     MOV R9, RZ
     MOV R11, 0x3
     @P1 STS [0x40], R11
     ATOM.E.ADD.F32.FTZ.RN.STRONG.GPU P0, R10, desc[UR4][R4.64], R8
     ${one(16)}
     @P1 LDS R11, [0x40]
     @P1 IADD3 R7, R7, R11, RZ
     STG.E desc[UR4][R2.64], R7
     EXIT`,
    { sm: "sm_90", block: [3, 1, 1], words: 3 },
  );
  expect(run.fault).toBeNull();
  expect([...out]).toEqual([16, 3, 0]);
});
