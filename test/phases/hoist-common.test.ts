import { after, normalize } from "./texts.js";

const head = `func "k" entry sm_90 virtual ssa
    value %R0
    value %R1
    value %R2
    value %R3
    value %P4
    value %R5
    value %R6
    value %R7`;
const text = (code: string): string => normalize(`func "k" entry sm_90 virtual ssa\n${code}`);
const frame = (first: string, second: string, ahead = ""): string => `
    b0
      S2R %R0, SR_TID.X
      ISETP.LT.AND %P4, PT, %R0, 0x5, PT${ahead}
      @%P4 BRA b2
    b1${first}
      BRA b3
    b2${second}
    b3
      EXIT`;

test("what both arms compute, and what hangs on it, is computed ahead of the branch", () => {
  const first = `
      LDS %R1, [%R0]
      IADD3 %R2, %R1, 0x1, RZ
      STS [%R0], %R2`;
  const second = `
      IADD3 %R7, %R0, 0x7, RZ
      LDS %R3, [%R0]
      IADD3 %R5, %R3, 0x1, RZ
      STS [%R7], %R5`;
  const ahead = `
      LDS %R1, [%R0]
      IADD3 %R2, %R1, 0x1, RZ`;
  const rest = `
      IADD3 %R7, %R0, 0x7, RZ
      MOV %R3, %R1
      MOV %R5, %R2
      STS [%R7], %R5`;
  expect(after(`${head}\n${frame(first, second)}`, "SpeculativeHoistComInsts")).toBe(
    text(frame("\n      STS [%R0], %R2", rest, ahead)),
  );
});

test("loads after a store stay, and what one arm makes of its own values", () => {
  const first = `
      STS [%R0], RZ
      LDS %R1, [%R0]
      IADD3 %R2, %R1, 0x1, RZ
      STS [%R0], %R2`;
  const second = `
      LDS %R3, [%R0]
      IADD3 %R5, %R3, 0x1, RZ
      STS [%R0], %R5`;
  const code = frame(first, second);
  expect(after(`${head}\n${code}`, "SpeculativeHoistComInsts")).toBe(text(code));
});

test("where the branch will stay nothing moves", () => {
  const many = (from: number): string =>
    Array.from({ length: 9 }, (_, i) => `\n      STS [%R0+${from + 4 * i}], RZ`).join("");
  const code = frame(`\n      IADD3 %R1, %R0, 0x1, RZ${many(64)}`, `\n      IADD3 %R2, %R0, 0x1, RZ${many(256)}`);
  expect(after(`${head}\n${code}`, "SpeculativeHoistComInsts")).toBe(
    text(code.replace(/\+(\d+)\]/g, (_, n) => `+0x${Number(n).toString(16)}]`)),
  );
});

test("a half stays: the pair that is read has its other half in the arm", () => {
  const arm = (low: string, pair: string, to: string): string => `
      IADD3 ${pair}:0, %R0, 0x8, RZ
      IADD3 ${pair}:1, ${low}, 0x9, RZ
      LDG.E ${to}, desc[%UR8][${pair}.64]
      STS [%R0], ${to}`;
  const code = frame(arm("%R1", "%R9", "%R2"), arm("%R3", "%R10", "%R5"));
  const wide = `${head}\n    value %UR8 width 2\n    value %R9 width 2\n    value %R10 width 2`;
  const made = after(`${wide}\n${code}`, "SpeculativeHoistComInsts");
  expect(made.slice(made.indexOf("b0"))).toBe(text(code).slice(text(code).indexOf("b0")));
});
