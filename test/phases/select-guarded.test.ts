import { guardSelections } from "../../lib/phases/guarded-select.js";
import { selectGuarded } from "../../lib/phases/select-guarded.js";
import { after, normalize } from "./texts.js";

const head = 'func "k" entry sm_90 virtual initial';

const code = (mark: string, arm: string): string => `${head}
    b0
      MOV %R1, %R2
      BSSY %B3, b2
      @!%P0 BRA b3
    b1
      ${arm}
    b3
      BSYNC %B3
    b2${mark}
      STG.E [RZ], %R1
      EXIT`;

test("what a guarded instruction computes is computed by all lanes and selected", () => {
  const expected = `${head}
    b0
      MOV %R1, %R2
      IADD3 %R5, %R2, %R4, RZ
      SEL %R1, %R1, %R5, !%P0
    b3
    b2 skip
      STG.E [RZ], %R1
      EXIT`;
  expect(after(code(" skip", "IADD3 %R1, %R2, %R4, RZ"), selectGuarded)).toBe(normalize(expected));
});

test("a copy is selected as it is", () => {
  const expected = `${head}
    b0
      MOV %R1, %R2
      SEL %R1, %R1, %R4, !%P0
    b3
    b2 skip
      STG.E [RZ], %R1
      EXIT`;
  expect(after(code(" skip", "MOV %R1, %R4"), selectGuarded)).toBe(normalize(expected));
});

test.each([
  ["an arm that the text branches around", "", "IADD3 %R1, %R2, %R4, RZ"],
  ["a load", " skip", "LDS %R1, [%R4]"],
  ["a store", " skip", "STS [%R4], %R1"],
])("%s keeps its branch", (_, mark, arm) => {
  const text = code(mark, arm);
  expect(after(text, selectGuarded)).toBe(normalize(text));
});

test("a comparison whose first result is its guard keeps its branch: the second would be chosen by the new value", () => {
  const text = code(" skip", "ISETP.LT.AND %P0, %P7, %R1, %R4, PT").replace("STG.E [RZ]", "@%P7 STG.E [RZ]");
  expect(after(text, selectGuarded)).toBe(normalize(text));
});

test("a selection becomes guarded where the other side ends, however often it was read before", () => {
  const text = (last: string): string => `func "k" entry sm_90 virtual ssa
    b0
      LDC %R0, c[0x0][0x210]
      LDC %R1, c[0x0][0x214]
      ISETP.LT.AND %P2, PT, %R1, RZ, PT
      IMAD %R3, %R0, %R1, RZ
      SEL %R4, %R1, %R3, %P2
      STG.E [RZ], %R4
      STG.E [RZ], ${last}
      EXIT`;
  expect(after(text("%R0"), guardSelections)).toContain("@!%P2 IMAD");
  expect(after(text("%R1"), guardSelections)).not.toContain("@!%P2 IMAD");
});
