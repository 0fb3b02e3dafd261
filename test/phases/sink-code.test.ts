/** SinkCodeIntoBlock: what only other blocks read is made where all paths to them have met, never in a loop it was not in. */
import { after, normalize } from "./texts.js";

const head = `func "k" entry sm_90 virtual ssa
    value %R0
    value %R1 width 2
    value %R2
    value %R3
    value %P4
    value %R5
    value %R6
    value %UR7 width 2
    value %P8`;
const body = (text: string): string => {
  const lines = text.split("\n");
  return lines.slice(lines.findIndex((l) => l.startsWith("b0"))).join("\n");
};
const run = (code: string): string => body(after(`${head}\n${code}`, "SinkCodeIntoBlock"));

test("what the end of a kernel reads is made there and not kept through a loop, with what it is made of", () => {
  const before = `b0
      LDC %R0, c[0x0][0x210]
      LDC %R2, c[0x0][0x214]
      IADD3 %R3, %R0, %R2, RZ
      LDC.64 %R1, c[0x0][0x218]
      S2R %R5, SR_TID.X
b1
      ISETP.NE.AND %P4, PT, %R5, RZ, PT
      @%P4 BRA b1
b2
      MOV %R6, 0x5
      STG.E desc[%UR7][%R1.64], %R3
      EXIT`;
  const expected = `b0
      S2R %R5, SR_TID.X
b1
      ISETP.NE.AND %P4, PT, %R5, RZ, PT
      @%P4 BRA b1
b2
      MOV %R6, 0x5
      LDC %R0, c[0x0][0x210]
      LDC %R2, c[0x0][0x214]
      IADD3 %R3, %R0, %R2, RZ
      LDC.64 %R1, c[0x0][0x218]
      STG.E desc[%UR7][%R1.64], %R3
      EXIT`;
  expect(run(before)).toBe(normalize(expected));
});

test("what would need as many registers stays, and what no loop keeps waiting", () => {
  const before = `b0
      S2R %R5, SR_TID.X
      IADD3 %R6, %R5, 0x1, RZ
b1
      ISETP.NE.AND %P4, PT, RZ, RZ, PT
      @%P4 BRA b1
b2
      LDC.64 %R1, c[0x0][0x218]
      ISETP.NE.AND %P8, PT, %R6, RZ, PT
      @%P8 BRA b4
b3
      EXIT
b4
      STG.E desc[%UR7][%R1.64], %R6
      EXIT`;
  expect(run(before)).toBe(normalize(before));
});

test("nothing moves into a loop; what a phi reads goes to the end of the path it comes from", () => {
  const before = `b0
      LDC %R0, c[0x0][0x210]
      MOV %R2, 0x7
      S2R %R5, SR_TID.X
b1
      ISETP.NE.AND %P4, PT, %R5, RZ, PT
      @%P4 BRA b1
b2
      BAR.SYNC 0x0
b3
      MOV.PHI %R3, %R2, %R6
      IADD3 %R6, %R3, %R0, RZ
      ISETP.NE.AND %P8, PT, %R6, RZ, PT
      @%P8 BRA b3
b4
      EXIT`;
  const expected = `b0
      S2R %R5, SR_TID.X
b1
      ISETP.NE.AND %P4, PT, %R5, RZ, PT
      @%P4 BRA b1
b2
      BAR.SYNC 0x0
      LDC %R0, c[0x0][0x210]
      MOV %R2, 0x7
b3
      MOV.PHI %R3, %R2, %R6
      IADD3 %R6, %R3, %R0, RZ
      ISETP.NE.AND %P8, PT, %R6, RZ, PT
      @%P8 BRA b3
b4
      EXIT`;
  expect(run(before)).toBe(normalize(expected));
});

test("the parts of a register stay together", () => {
  const before = `b0
      S2R %R5, SR_TID.X
      MOV %R1:0, 0x1
      MOV %R1:1, 0x2
b1
      ISETP.NE.AND %P4, PT, %R5, RZ, PT
      @%P4 BRA b1
b2
      STG.E desc[%UR7][%R1.64], %R5
      EXIT`;
  expect(run(before)).toBe(normalize(before));
});
