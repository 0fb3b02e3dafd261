import { runText } from "./assemble.js";

const bits = (x: number): number => new Int32Array(Float32Array.of(x).buffer)[0]!;

/** Runs one instruction on sm_90 with R8 … of the input words of a lane, and gives R16. */
function run(code: string, input: readonly (readonly number[])[]): number[] {
  const lanes = Array.from({ length: 32 }, (_, l) => input[l % input.length]!);
  const { run: ran, out } = runText(
    `S2R R0, SR_TID.X
     MOV R6, 0x10
     IMAD.WIDE.U32 R4, R0, R6, c[0x0][0x218]
     MOV R6, 0x4
     IMAD.WIDE.U32 R2, R0, R6, c[0x0][0x210]
     LDG.E.128 R8, desc[UR4][R4.64]
     ${code}
     STG.E desc[UR4][R2.64], R16
     EXIT`,
    { sm: "sm_90", words: 32, input: lanes.flatMap((v) => [0, 1, 2, 3].map((i) => (v[i] ?? 0) | 0)) },
  );
  expect(ran.fault).toBeNull();
  return [...out.subarray(0, input.length)].map((x) => x >>> 0);
}

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const floats = [0, -0, 1, -1.5, 448, 464, 1e6, -1e6, inf, nan, 0.0009765625, 0.001953125, 57344, 70000];

// Values of the OCP 8-bit floating point specification: e4m3 448 = 0x7e, least 2^-9; e5m2 57344 = 0x7b, least 2^-16.
test("F2FP to 8-bit floats rounds to nearest even and saturates", () => {
  const rows = floats.map((x) => [bits(x), bits(-x), 0xabcd]);
  const byte = (x: number): number => x & 0xff;
  const e4m3 = run("F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R16, R8, R9, R10", rows);
  expect(e4m3.map((x) => x >>> 16)).toEqual(floats.map(() => 0xabcd));
  expect(e4m3.map((x) => byte(x >>> 8))).toEqual([
    0, 0x80, 0x38, 0xbc, 0x7e, 0x7e, 0x7e, 0xfe, 0x7e, 0x7f, 0, 1, 0x7e, 0x7e,
  ]);
  expect(e4m3.map((x) => byte(x))).toEqual([
    0x80, 0, 0xb8, 0x3c, 0xfe, 0xfe, 0xfe, 0x7e, 0xfe, 0x7f, 0x80, 0x81, 0xfe, 0xfe,
  ]);
  const e5m2 = run("F2FP.SATFINITE.E5M2.F32.PACK_AB_MERGE_C R16, R8, R9, R10", rows);
  expect(e5m2.map((x) => byte(x >>> 8))).toEqual([
    0, 0x80, 0x3c, 0xbe, 0x5f, 0x5f, 0x7b, 0xfb, 0x7b, 0x7f, 0x14, 0x18, 0x7b, 0x7b,
  ]);
});

test("F2FP from 8-bit floats", () => {
  const words = [0x0038, 0x7e7f, 0x8001, 0xb8fe].map((x) => [x]);
  const hex = (l: number[]): string[] => l.map((x) => x.toString(16).padStart(8, "0"));
  // 1, NaN and 448, 2⁻⁹ and −0, −448 and −1.
  expect(hex(run("F2FP.F16.E4M3.UNPACK_B R16, R8", words))).toEqual(["00003c00", "5f007fff", "80001800", "bc00df00"]);
  expect(hex(run("F2FP.F16.E5M2.UNPACK_B R16, R8", [[0x7c3c], [0xfd01]]))).toEqual(["7c003c00", "7fff0100"]);
  expect(hex(run("F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C R16, R8, R9", [[0x7c00bc00, 5]]))).toEqual(["00057eb8"]);
});

test("F2FP to tf32 and with .SATFINITE", () => {
  const rows = [0x3f801000, 0x3f803000, 0x3f801001, 0x7f7fffff, 0x7f800000, 0x7fc00001].map((x) => [x, x]);
  expect(run("F2FP.TF32.F32.PACK_B R16, R8", rows)).toEqual([
    0x3f800000, 0x3f804000, 0x3f802000, 0x7f800000, 0x7f800000, 0x7fffffff,
  ]);
  expect(run("F2FP.TF32.F32.PACK_B.RZ R16, R8", rows).slice(0, 4)).toEqual([
    0x3f800000, 0x3f802000, 0x3f800000, 0x7f7fe000,
  ]);
  expect(
    run("F2FP.RELU.BF16.F32.MERGE_C.RZ R16, R8, R9", [
      [0x3f8fffff, 0x12345678],
      [bits(-2), 7],
    ]),
  ).toEqual([0x56783f8f, 0x70000]);
  const large = [[bits(1e6), bits(-inf)]];
  expect(run("F2FP.SATFINITE.F16.F32.PACK_AB R16, R8, R9", large)).toEqual([0x7bfffbff]);
  expect(run("F2FP.F16.F32.PACK_AB R16, R8, R9", large)).toEqual([0x7c00fc00]);
});

// PTX §9.7.9.22, cvt.pack: a above b, c above both.
test("I2IP and F2IP saturate and pack", () => {
  const rows = [[300, -5, 0x12345678]];
  expect(run("I2IP.U16.S32.SAT R16, R8, R9, RZ", rows)).toEqual([0x012c0000]);
  expect(run("I2IP.S8.S32.SAT R16, R8, R9, R10", rows)).toEqual([0x56787ffb]);
  expect(run("I2IP.U4.S32.SAT R16, R8, R9, R10.24", rows)).toEqual([0x345678f0]);
  expect(run("I2IP.S2.S32.SAT R16, R8, R9, R10.28", rows)).toEqual([0x23456786]);
  const numbers = [
    [bits(2.5), bits(-1)],
    [bits(300), bits(3.5)],
    [bits(nan), bits(254.5)],
  ];
  expect(run("F2IP.U8.F32.NTZ R16, R8, R9, RZ", numbers)).toEqual([0x0200, 0xff04, 0x00fe]);
  expect(run("F2IP.U8.F32.TRUNC.NTZ R16, R8, R9, RZ", numbers)).toEqual([0x0200, 0xff03, 0x00fe]);
});

test("VABSDIFF4 without .ACC gives four bytes", () => {
  expect(run("VABSDIFF4.U8 R16, R8, R9, R10", [[0x00ff1080, 0xff000820, 7]])).toEqual([0xffff0860]);
  expect(run("VABSDIFF4 R16, R8, R9, R10", [[0x7f80ff00, 0x807f0100, 7]])).toEqual([0xffff0200]);
});

// ptxas folds 2³³ to an immediate 0x2.
test("a 64-bit integer that is an immediate is the upper word", () => {
  expect(run("I2F.S64 R16, 0x2", [[0]])).toEqual([bits(2 ** 33)]);
});

test("PLOP3 takes the signs of registers", () => {
  const rows = [
    [-1, 5],
    [1, -5],
    [-1, -5],
    [1, 5],
  ];
  expect(
    run("PLOP3.LUT P0, PT, R8.SIGN, R9.SIGN, RZ.SIGN, 0x40, 0x0\nSEL R16, R8, 0x7, P0", rows).map((x) => x | 0),
  ).toEqual([7, 7, -1, 7]);
});

// PTX §9.7.3.11: with .xorsign.abs the sign of the result is the product of the inputs' signs.
test("FMNMX and HMNMX2 with .XORSIGN use the signs before the bars", () => {
  const rows = [
    [bits(2), bits(-3)],
    [bits(-2), bits(-3)],
    [bits(-4), bits(3)],
  ];
  expect(run("FMNMX.XORSIGN R16, |R8|, |R9|, PT", rows)).toEqual([bits(-2), bits(2), bits(-3)].map((x) => x >>> 0));
  expect(run("FMNMX.XORSIGN R16, |R8|, -0.0, !PT", rows)).toEqual([bits(-2), bits(2), bits(4)].map((x) => x >>> 0));
  expect(run("HMNMX2.XORSIGN R16, |R8|, |R9|, !PT", [[0x3c00c000, 0xbc00bc00]])).toEqual([0xbc004000]);
});

// Nested min and max of PTX (ptxas makes one instruction of two, sm_90): a NaN counts with .NaN alone.
test("VHMNMX takes the least or greatest of three in both halves", () => {
  const rows = [
    [0x3c004000, 0xbc004200, 0x40003800],
    [0x7e003c00, 0x3c007e00, 0x38007e00],
  ];
  expect(run("VHMNMX R16, R8, R9, R10, PT", rows)).toEqual([0xbc003800, 0x38003c00]);
  expect(run("VHMNMX R16, R8, R9, R10, !PT", rows)).toEqual([0x40004200, 0x3c003c00]);
  expect(run("VHMNMX.NAN R16, R8, -R9, |R10|, !PT", rows)).toEqual([0x40004000, 0x7fff7fff]);
  expect(run("VHMNMX.BF16_V2 R16, R8, R9, R10, PT", [[0x3f80bf80, 0x40003f80, 0x7fc0c000]])).toEqual([0x3f80c000]);
});

test("MUFU flushes a reciprocal below the normal numbers and takes either half", () => {
  expect(run("MUFU.RCP R16, R8", [[0x7f7fffff], [0xff7fffff], [bits(4)]])).toEqual([0, 0x80000000, bits(0.25)]);
  expect(run("MUFU.EX2.F16 R16, R8.H1", [[0x3c000000]])).toEqual([0x4000]);
});

test("R2UR takes the value of the lowest lane and tells each lane whether its own differs, with .OR beside what it told before", () => {
  const told = "MOV R16, RZ\n@P1 MOV R16, 0x1\nISETP.NE.U32.AND P0, PT, R16, R9, PT\n@P0 IADD3 R16, R16, 0x10, RZ";
  const rows = [
    [7, 0, 3],
    [7, 0, 3],
    [8, 1, 3],
    [7, 0, 4],
  ];
  expect(run(`R2UR P1, UR8, R8\n${told}`, rows)).toEqual([0, 0, 1, 0]);
  const either = rows.map(([a, , c]) => [a, a === 7 && c === 3 ? 0 : 1, c]) as number[][];
  expect(run(`R2UR P1, UR8, R8\nR2UR.OR P1, UR9, R10\n${told}`, either)).toEqual([0, 0, 1, 1]);
});
