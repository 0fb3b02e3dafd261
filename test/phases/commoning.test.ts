import { after, normalize } from "./texts.js";

const head = `func "k" entry sm_90 virtual ssa
    value %R0
    value %R1
    value %R2
    value %R3
    value %P4
    value %P5`;
const text = (code: string): string => normalize(`func "k" entry sm_90 virtual ssa\n${code}`);

test("what is computed again where it is known is copied; loads of another place and guarded code are not", () => {
  const before = `
    b0
      S2R %R0, SR_TID.X
      IADD3 %R1, %R0, 0x1, RZ
      ISETP.LT.AND %P4, PT, %R1, RZ, PT
      @%P4 BRA b2
    b1
      IADD3 %R2, %R0, 0x1, RZ
      LDS %R3, [%R2]
      LDS %R6, [%R2+0x4]
      STS [%R3], %R6
    b2
      EXIT`;
  expect(after(`${head}\n${before}`, "OriCommoning")).toBe(text(before));
  expect(after(`${head}\n${before}`, "GvnCse")).toBe(text(before.replace("IADD3 %R2, %R0, 0x1, RZ", "MOV %R2, %R1")));
});

test("neither arm of a branch knows what the other computed", () => {
  const code = `
    b0
      S2R %R0, SR_TID.X
      ISETP.LT.AND %P4, PT, %R0, RZ, PT
      @%P4 BRA b2
    b1
      IADD3 %R1, %R0, 0x1, RZ
      STS [%R0], %R1
      BRA b3
    b2
      IADD3 %R2, %R0, 0x1, RZ
      STS [%R0], %R2
    b3
      IADD3 %R3, %R0, 0x1, RZ
      STS [%R0], %R3
      EXIT`;
  expect(after(`${head}\n${code}`, "GvnCse")).toBe(text(code));
});

test("a clock is read each time, a thread's index once; equal literals are equal in any register", () => {
  const before = `
    b0
      S2R %R0, SR_TID.X
      S2R %R1, SR_TID.X
      S2R %R2, SR_CLOCKLO
      S2R %R3, SR_CLOCKLO
      MOV %R6, 0x400
      MOV %R7, 0x400
      LEA %R8, %R0, %R6, 0x2
      LEA %R9, %R0, %R7, 0x2
      STS [%R8], %R2
      STS [%R9+0x4], %R3
      STS [%R1], %R3
      EXIT`;
  const expected = before
    .replace("S2R %R1, SR_TID.X", "MOV %R1, %R0")
    .replace("LEA %R9, %R0, %R7, 0x2", "MOV %R9, %R8");
  expect(after(`${head}\n${before}`, "OriCommoning")).toBe(text(expected));
});

test("a register of a pair is shared where the other one is not computed yet", () => {
  const pairs = `func "k" entry sm_90 virtual ssa
    value %R0
    value %R1
    value %R2 width 2
    value %P3`;
  const before = `
    b0
      S2R %R0, SR_TID.X
      IADD3 %R2:1, %R0, 0x1, RZ
      IADD3 %R1, %R0, 0x1, RZ
      STS [%R0], %R1
      ISETP.LT.AND %P3, PT, %R0, RZ, PT
      @%P3 BRA b2
    b1
      IADD3 %R2:0, %R0, 0x2, RZ
      STS.64 [%R0+0x8], %R2
    b2
      EXIT`;
  const body = before.replace("IADD3 %R1, %R0, 0x1, RZ", "MOV %R1, %R2:1");
  expect(after(`${pairs}\n${before}`, "GvnCse")).toBe(text(body));
});

test("a load that repeats one of a block before a branch is a copy", () => {
  const code = after(
    `${head}
    b0
      S2R %R0, SR_TID.X
      LDS %R1, [%R0]
      ISETP.EQ.AND %P4, PT, %R1, RZ, PT
      @%P4 BRA b2
    b1
      LDS %R3, [%R0]
      STG.E [RZ], %R3
    b2
      EXIT`,
    "GvnCse",
  );
  expect(code.match(/LDS/g)).toHaveLength(1);
  expect(code).toContain("MOV %R3, %R1");
});
