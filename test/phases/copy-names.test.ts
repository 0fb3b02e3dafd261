import { readCopies } from "../../lib/phases/copy-names.js";
import { after, normalize } from "./texts.js";

const named = (text: string): string => after(text, readCopies);
const head = 'func "k" entry sm_90 virtual expanded';

test("reads of the original after the copy read the copy, also in a block that only this way leads to", () => {
  const before = `${head}
    b0
      LDC %R0, c[0x0][0x210]
      MOV %R1, %R0
      IADD3 %R2, %R0, 0x1, RZ
      @%P9 BRA b2
    b1
      IADD3 %R2, %R0, %R2, RZ
    b2
      IADD3 %R1, %R1, %R2, RZ
      STG.E [RZ], %R1
      EXIT`;
  const expected = `${head}
    b0
      LDC %R0, c[0x0][0x210]
      MOV %R1, %R0
      IADD3 %R2, %R1, 0x1, RZ
      @%P9 BRA b2
    b1
      IADD3 %R2, %R1, %R2, RZ
    b2
      IADD3 %R1, %R1, %R2, RZ
      STG.E [RZ], %R1
      EXIT`;
  expect(named(before)).toBe(normalize(expected));
});

test.each([
  [
    "the copy changes before the original is read",
    `MOV %R1, %R0
      IADD3 %R1, %R1, 0x1, RZ
      IADD3 %R2, %R0, %R1, RZ
      STG.E [RZ], %R2
      EXIT`,
  ],
  [
    "the copy changes under a guard, the original is read later",
    `MOV %R1, %R0
      IADD3 %R2, %R0, 0x1, RZ
      @%P9 MOV %R1, RZ
      IADD3 %R2, %R0, %R2, RZ
      STG.E [RZ], %R1
      STG.E [RZ], %R2
      EXIT`,
  ],
  [
    "the original changes under a guard and is read later",
    `MOV %R1, %R0
      IADD3 %R2, %R0, 0x1, RZ
      @%P9 MOV %R0, RZ
      IADD3 %R2, %R0, %R2, RZ
      STG.E [RZ], %R1
      STG.E [RZ], %R2
      EXIT`,
  ],
])("nothing changes where %s", (_, body) => {
  const text = `${head}
    b0
      LDC %R0, c[0x0][0x210]
      ${body}`;
  expect(named(text)).toBe(normalize(text));
});

test("nothing changes where a join with another path reads the original", () => {
  const text = `${head}
    b0
      LDC %R0, c[0x0][0x210]
      MOV %R1, RZ
      @%P9 BRA b2
    b1
      MOV %R1, %R0
      IADD3 %R2, %R0, 0x1, RZ
      STG.E [RZ], %R2
    b2
      IADD3 %R2, %R0, %R1, RZ
      STG.E [RZ], %R2
      EXIT`;
  expect(named(text)).toBe(normalize(text));
});

test("the halves of a pair, copied one by one", () => {
  const pair = (low: string, high: string): string => `${head}
    b0
      LDC.64 %R0, c[0x0][0x210]
      MOV %R1:0, %R0:0
      MOV %R1:1, %R0:1
      IADD3 %R2, ${low}, ${high}, RZ
      STG.E.64 [RZ], %R1
      STG.E [RZ], %R2
      EXIT`;
  expect(named(pair("%R0:0", "%R0:1"))).toBe(normalize(pair("%R1:0", "%R1:1")));
});
