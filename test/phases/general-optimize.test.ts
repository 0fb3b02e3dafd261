import { after, normalize } from "./texts.js";

const head = `func "k" entry sm_90 virtual ssa
    value %R0
    value %R1 width 2
    value %R2 width 2
    value %R3 width 2
    value %R4 width 2
    value %P5
    value %R6
    value %R7
    value %R8
    value %UR9 width 2
    value %R10
    value %R11
    value %R12
    value %R13
    value %R14`;

const body = (text: string): string => {
  const lines = text.split("\n");
  return lines.slice(lines.findIndex((l) => l.startsWith("b0"))).join("\n");
};
const run = (code: string): string => body(after(`${head}\n${code}`, "GeneralOptimize"));

test("a copy half by half is read as its original; a 64-bit sum of a product is the product with it", () => {
  const before = `b0
      LDC %R0, c[0x0][0x220]
      LDC.64 %R1, c[0x0][0x210]
      MOV %R2:0, %R1:0
      MOV %R2:1, %R1:1
      IMAD.WIDE %R3, %R0, 0x4, RZ
      IADD3 %R4:0, %P5, %R2:0, %R3:0, RZ
      IADD3.X %R4:1, %R2:1, %R3:1, RZ, %P5, !PT
      STG.E desc[%UR9][%R4.64], %R0
      EXIT`;
  const expected = `b0
      LDC %R0, c[0x0][0x220]
      LDC.64 %R1, c[0x0][0x210]
      IMAD.WIDE %R4, %R0, 0x4, %R1
      STG.E desc[%UR9][%R4.64], %R0
      EXIT`;
  expect(run(before)).toBe(normalize(expected));
});

test("a product with two sums is made once per sum", () => {
  const before = `b0
      LDC %R0, c[0x0][0x220]
      LDC.64 %R1, c[0x0][0x210]
      IMAD.WIDE %R3, %R0, 0x4, RZ
      IADD3 %R4:0, %P5, %R1:0, %R3:0, RZ
      IADD3.X %R4:1, %R1:1, %R3:1, RZ, %P5, !PT
      STG.E desc[%UR9][%R4.64], %R3:0
      EXIT`;
  const expected = `b0
      LDC %R0, c[0x0][0x220]
      LDC.64 %R1, c[0x0][0x210]
      SHF.L.U32 %R3:0, %R0, 0x2, RZ
      IMAD.WIDE %R4, %R0, 0x4, %R1
      STG.E desc[%UR9][%R4.64], %R3:0
      EXIT`;
  expect(run(before)).toBe(normalize(expected));
});

test("sums, products and logic of three; a partial result that is read again stays", () => {
  const before = `b0
      LDC %R0, c[0x0][0x220]
      S2R %R6, SR_TID.X
      IADD3 %R7, %R0, 0x3, RZ
      IADD3 %R8, %R7, %R6, RZ
      LOP3.LUT %R14, %R8, %R6, RZ, 0xc0, !PT
      LOP3.LUT %R10, %R14, %R0, RZ, 0xfc, !PT
      IMAD %R11, %R10, %R6, RZ
      IADD3 %R12, %R11, %R0, RZ
      IADD3 %R13, %R12, %R6, RZ
      STG.E [RZ], %R12
      STG.E [RZ], %R13
      EXIT`;
  const expected = `b0
      LDC %R0, c[0x0][0x220]
      S2R %R6, SR_TID.X
      IADD3 %R8, %R0, 0x3, %R6
      LOP3.LUT %R10, %R8, %R6, %R0, 0xea, !PT
      IMAD %R12, %R10, %R6, %R0
      IADD3 %R13, %R12, %R6, RZ
      STG.E [RZ], %R12
      STG.E [RZ], %R13
      EXIT`;

  expect(body(after(`${head}\n${before}`, "GeneralOptimize"))).toBe(normalize(expected));
});

test("a copy is not followed to a register with another definition", () => {
  const code = `b0
      S2R %R6, SR_TID.X
      ISETP.GE.AND %P5, PT, %R6, 0x4, PT
      LDC %R7, c[0x0][0x224]
      @%P5 MOV %R7, %R6
      MOV %R8, %R7
      STG.E [RZ], %R8
      EXIT`;
  expect(run(code)).toBe(normalize(code));
});

test("sm_75: words of a constant bank are operands; a wide product takes its factor from a register then", () => {
  const code = `b0
      LDC %R0, c[0x0][0x170]
      LDC.64 %R1, c[0x0][0x160]
      S2R %R6, SR_TID.X
      IADD3 %R7, %R0, %R6, RZ
      IMAD.WIDE %R3, %R7, 0x4, RZ
      IADD3 %R4:0, %P5, %R1:0, %R3:0, RZ
      IADD3.X %R4:1, %R1:1, %R3:1, RZ, %P5, !PT
      STG.E.SYS [%R4], %R7
      EXIT`;
  const expected = `b0
      MOV %R15, 0x4
      S2R %R6, SR_TID.X
      IADD3 %R7, %R6, c[0x0][0x170], RZ
      IMAD.WIDE %R4, %R7, %R15, c[0x0][0x160]
      STG.E.SYS [%R4], %R7
      EXIT`;
  expect(body(after(`${head.replace("sm_90", "sm_75")}\n${code}`, "GeneralOptimize"))).toBe(normalize(expected));
});

test("a difference has a carry, zero taken away or not; a sum with zero has none", () => {
  const code = (mod: string): string => `b0
      LDS %R6, [RZ]
      LDS %R7, [RZ+0x4]
      MOV %R8, 0x0
      IADD3 %R10, %P5, %R6, ${mod}%R8, RZ
      IADD3.X %R11, %R7, 0x5, RZ, %P5, !PT
      STS [RZ+0x8], %R10
      STS [RZ+0xc], %R11
      EXIT`;
  expect(body(after(`${head}\n${code("-")}`, "GeneralOptimize"))).toContain("IADD3.X");
  expect(body(after(`${head}\n${code("")}`, "GeneralOptimize"))).not.toContain("IADD3.X");
});
