/** Expected words: ptxas 13.0.88 -O3 on the starter corpus (tools/control-fidelity.ts), scoreboards and waits. */
import { boards, check } from "./words.js";

test("results that the same instruction waits for share a scoreboard, others get the next", () => {
  // sgemm, sm_90
  check(
    `b0
      W0 R- - | LDC R12, c[0x0][0x218]
      W1 R- - | S2R R3, SR_CTAID.Y
      W- R- - | ULDC.64 UR8, c[0x0][0x208]
      W1 R- - | S2R R13, SR_TID.Y
      W2 R- - | S2R R5, SR_CTAID.X
      W2 R- - | S2R R0, SR_TID.X
      W- R- 0 | ISETP.GE.AND P0, PT, R12, 0x1, PT
      W- R- 1 | LEA R3, R3, R13, 0x4
      W- R- 2 | LEA R2, R5, R0, 0x4
      W- R- - | STG.E desc[UR8][R2.64], R12
      W- R- - | EXIT`,
    boards,
  );
});

test("shared memory answers in order: only the last of a group needs a scoreboard", () => {
  // sgemm, sm_90
  check(
    `b0
      W- R- - | LDS R28, [R20]
      W0 R- - | LDS.128 R8, [R17]
      W1 R- - | LDS R23, [R20+0x40]
      W- R- 0 | FFMA R8, R28, R8, R21
      W- R- 1 | FFMA R8, R23, R9, R8
      W- R- - | STS [R20], R8
      W- R- - | EXIT`,
    boards,
  );
});

test("so do matrices, atomics on shared memory and transposed matrices", () => {
  // ptxas 13.0.88 -O3, sm_90: ldmatrix, ld.shared, shfl; atom.shared; movmatrix
  check(
    `b0
      W- R- - | SHFL.BFLY PT, R4, R4, 0x1, 0x1f
      W0 R- - | LDSM.16.M88 R5, [R0]
      W- R- - | LDS R6, [R0+0x7d0]
      W0 R- 0 | LDSM.16.M88 R5, [R5]
      W- R- 0 | IADD3 R7, R6, R4, R5
      W- R- - | MOVM.16.MT88 R4, R4
      W0 R- - | LDS R0, [R0+0x10]
      W- R- 0 | IADD3 R7, R4, R0, R7
      W- R- - | ATOMS.ADD R4, [R0], R9
      W0 R- - | LDS R5, [R0+0x10]
      W- R- 0 | IADD3 R7, R4, R5, R7
      W- R- - | STG.E desc[UR8][R2.64], R7
      W- R- - | EXIT`,
    boards,
  );
});

test("loads from memory count from scoreboard 2 up; addresses that are overwritten while they are read, from 0 up", () => {
  // dgemm, sm_90
  check(
    `b0
      W2 R- - | LDG.E.64 R20, desc[UR6][R22.64]
      W3 R- - | LDG.E.64 R14, desc[UR6][R6.64+0x8]
      W3 R0 - | LDG.E.64 R12, desc[UR6][R24.64]
      W- R- 0 | IMAD.WIDE R24, R5, 0x8, R24
      W- R- 2 | DFMA R18, R20, R10, R18
      W- R- 3 | DFMA R14, R12, R14, R18
      W- R- - | STG.E.64 desc[UR6][R24.64], R14
      W- R- - | EXIT`,
    boards,
  );
});

test("operands of a unit come before its result, in the order of the scoreboards too", () => {
  // switch_table, sm_90
  check(
    `b0
      W1 R0 - | F2I.FTZ.U32.TRUNC.NTZ R7, R6
      W- R- 0 | IMAD.MOV.U32 R6, RZ, RZ, RZ
      W- R- 1 | IMAD.MOV R8, RZ, RZ, -R7
      W- R- - | STG.E desc[UR4][R8.64], R6
      W- R- - | EXIT`,
    boards,
  );
});

test("a store's operands are safe once something later of its queue was waited for", () => {
  // sgemm, sm_90: R29 is overwritten, but after the wait for LDS
  check(
    `b0
      W- R- - | STS [R16], R29
      W0 R- - | LDS R28, [R20]
      W- R- 0 | FFMA R8, R28, R8, R21
      W- R- - | HFMA2.MMA R29, -RZ, RZ, 0, 0
      W- R- - | STG.E desc[UR4][R8.64], R29
      W- R- - | EXIT`,
    boards,
  );
});

test("every scoreboard is waited for before a call and a return", () => {
  check(
    `b0
      W0 R- - | S2R R3, SR_CTAID.Y
      W5 R1 - | LDG.E R4, desc[UR6][R6.64]
      W- R- 015 | CALL.REL.NOINC b1
      W- R- - | EXIT
     b1
      W0 R- - | S2R R5, SR_CTAID.Y
      W- R- 0 | RET.REL.NODEC R2 b0`,
    boards,
  );
});

test("a loop waits for what its last turn left behind", () => {
  // histogram, sm_90: R9 and R2 are read late by the store, but should be read when the branch issues fifteen cycles later
  check(
    `b0
      W- R- - | MOV R2, RZ
     b1
      W- R- - | LEA R9, R11, R6, 0x2
      W- R0 - | STS [R9], R2
      W- R- - | ISETP.GE.U32.AND P1, PT, R4, 0x100, PT
      W- R- 0 | @!P1 BRA b1
     b2
      W- R- - | EXIT`,
    boards,
  );
});

test("a barrier after a call does not stand for the operands of a store before it: the routine may overwrite them", () => {
  // 64-bit remainder in a random kernel, sm_90
  check(
    `b0
      W- R0 - | STG.E desc[UR6][R20.64], R3
      W- R0 - | STG.E desc[UR6][R16.64+0x14], R27
      W- R- 0 | CALL.REL.NOINC b1
      W- R- - | BAR.SYNC.DEFER_BLOCKING 0x0
      W- R- - | IMAD R20, R7, R8, R7
      W- R- - | EXIT
    b1
      W- R- - | VIADD R20, R26, 0x1ffffffe
      W- R- - | RET.REL.NODEC R4 b0`,
    boards,
  );
});

test("groups of copies are counted from block to block: the next one begins while the last is under way", () => {
  // stencil and product with copies in stages, sm_80: the same scoreboard, set again without a wait
  check(
    `b0
      W0 R- - | LDGDEPBAR
    b1
      W- R- - | DEPBAR.LE SB0, 0x1
      W- R- - | BAR.SYNC.DEFER_BLOCKING 0x0
      W0 R- - | LDGDEPBAR
      W- R- - | @P0 BRA b1
    b2
      W- R- - | EXIT`,
    boards,
    { target: "sm_80" },
  );
});

test("a wait for products of a warp group waits for no scoreboard beside: what it hands over others wait for", () => {
  // a product under a condition, its sums loaded before; ptxas 13.0.88 -O3, sm_90a
  check(
    `b0
      W5 R0 - | LDG.E.128 R24, desc[UR4][R2.64]
      W- R- - | @!P0 BRA b2
    b1
      W- R- 5 | WARPGROUP.ARRIVE
      W- R- - | HGMMA.64x8x16.F32 R24, gdesc[UR8], R24, UPT, gsb0
    b2
      W- R- - | WARPGROUP.DEPBAR.LE gsb0, 0x0
      W- R- 5 | STG.E.128 desc[UR4][R2.64], R24
      W- R- - | EXIT`,
    boards,
  );
});
