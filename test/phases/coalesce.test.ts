import { joinCopies } from "../../lib/phases/coalesce.js";
import { after, normalize } from "./texts.js";

const joined = (text: string): string => after(text, (func) => joinCopies(func));

test("values that never meet share a register; a part of a pair is made in place", () => {
  const before = `func "k" entry sm_90 virtual expanded
    value %R0
    value %R1
    value %R2 width 2
    b0
      LDC %R0, c[0x0][0x210]
      IADD3 %R1, %R0, 0x1, RZ
      MOV %R2:0, %R0
      MOV %R2:1, %R1
      STG.E.64 [RZ], %R2
      EXIT`;
  const expected = `func "k" entry sm_90 virtual expanded
    b0
      LDC %R2:0, c[0x0][0x210]
      IADD3 %R2:1, %R2:0, 0x1, RZ
      STG.E.64 [RZ], %R2
      EXIT`;
  expect(joined(before)).toBe(normalize(expected));
});

test("a copy whose original is needed with its old contents stays", () => {
  const text = `func "k" entry sm_90 virtual expanded
    b0
      LDC %R0, c[0x0][0x210]
      MOV %R1, %R0
    b1
      IADD3 %R1, %R1, 0x1, RZ
      ISETP.LT.AND %P2, PT, %R1, %R0, PT
      @%P2 BRA b1
    b2
      STG.E [RZ], %R1
      EXIT`;
  expect(joined(text)).toBe(normalize(text));
});

test("a pair takes no part of a wider value that begins at an odd register", () => {
  const text = `func "k" entry sm_90 virtual expanded
    value %R0 width 2
    value %R1 width 4
    b0
      LDC.64 %R0, c[0x0][0x210]
      MOV %R1:1, %R0:0
      MOV %R1:2, %R0:1
      MOV %R1:0, RZ
      MOV %R1:3, RZ
      STG.E.128 [RZ], %R1
      EXIT`;
  expect(joined(text)).toBe(normalize(text.replace(/ *value.*\n/g, "")));
});

test("a guarded copy is no copy", () => {
  const text = `func "k" entry sm_90 virtual expanded
    b0
      LDC %R0, c[0x0][0x210]
      LDC %R1, c[0x0][0x214]
      ISETP.LT.AND %P2, PT, %R0, 0x5, PT
      @%P2 MOV %R1, %R0
      STG.E [RZ], %R1
      EXIT`;
  expect(joined(text)).toBe(normalize(text));
});

test("a copy of a predicate is joined as any other, a negation is not", () => {
  const code = joined(`func "k" entry sm_90 virtual expanded
    b0
      S2R %R0, SR_TID.X
      PLOP3.LUT %P1, PT, PT, PT, PT, 0x80, 0x0
      PLOP3.LUT %P2, PT, %P1, PT, PT, 0x80, 0x0
      ISETP.EQ.AND %P3, PT, %R0, RZ, PT
      PLOP3.LUT %P4, PT, !%P3, PT, PT, 0x80, 0x0
      @%P2 STG.E [RZ], %R0
      @%P4 STG.E [RZ], %R0
      EXIT`);
  expect(code.match(/PLOP3/g)).toHaveLength(2);
  expect(code).toContain("@%P2 STG.E");
  expect(code).toContain("PLOP3.LUT %P4, PT, !%P3");
});
