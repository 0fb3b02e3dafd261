import { turnCompares } from "../../lib/phases/opposite-compares.js";
import { after, normalize } from "./texts.js";

const turned = (text: string): string => after(text, turnCompares);
const head = 'func "k" entry sm_90 virtual ssa';

test.each([
  ["LT", "GEU"],
  ["LE", "GTU"],
  ["EQ", "NEU"],
  ["LTU", "GE"],
])("%s becomes %s; operands and guards that read the predicate read it inverted", (cmp, opposite) => {
  const text = (c: string, p: string, not: string): string => `${head}
    b0
      FSETP.${c}.AND %P0, PT, %R1, %R2, PT
      FSEL %R3, %R1, %R2, ${p}
      @${p} STG.E [RZ], %R3
      @${not} BRA b1
    b1
      EXIT`;
  expect(turned(text(cmp, "%P0", "!%P0"))).toBe(normalize(text(opposite, "!%P0", "%P0")));
});

test.each([
  ["DSETP.LEU.AND", "%R2, %R4", "DSETP.GT.AND"],
  ["HSETP2.BF16_V2.NUM.AND", "%R1.H0_H0, %R2.H0_H0", "HSETP2.BF16_V2.NAN.AND"],
])("%s, too", (compare, operands, opposite) => {
  const text = (c: string, p: string): string => `${head}
    b0
      ${c} %P0, PT, ${operands}, PT
      SEL %R3, RZ, 0x1, ${p}
      STG.E [RZ], %R3
      EXIT`;
  expect(turned(text(compare, "%P0"))).toBe(normalize(text(opposite, "!%P0")));
});

test.each([
  ["it is of a set", "FSETP.LT.AND %P0, PT, %R1, %R2, PT {straight}", "FSEL %R3, %R1, %R2, %P0"],
  ["the comparison is greater", "FSETP.GT.AND %P0, PT, %R1, %R2, PT", "FSEL %R3, %R1, %R2, %P0"],
  ["another predicate is joined", "FSETP.LT.AND %P0, PT, %R1, %R2, %P4", "FSEL %R3, %R1, %R2, %P0"],
  ["the opposite is asked for, too", "FSETP.LT.AND %P0, %P5, %R1, %R2, PT", "SEL %R3, %R1, %R2, %P5"],
])("nothing changes where %s", (_, compare, reader) => {
  const text = `${head}
    b0
      ${compare}
      ${reader}
      @%P0 STG.E [RZ], %R3
      EXIT`;
  expect(turned(text)).toBe(normalize(text));
});

test("a test whether logic gives 0 becomes one whether it gives anything", () => {
  const text = (test: string, not: string): string => `${head}
    b0
      LDC %R1, c[0x0][0x210]
      LOP3.LUT %R2, %R1, 0x8, RZ, 0xc0, !PT
      ${test}
      SEL %R3, %R1, RZ, ${not}%P0
      STG.E [RZ], %R3
      EXIT`;
  const logic = "LOP3.LUT %P0, RZ, %R1, 0x8, RZ, 0xc0, !PT";
  expect(turned(text("ISETP.EQ.AND %P0, PT, %R2, RZ, PT", ""))).toBe(normalize(text(logic, "!")));
  expect(turned(text("ISETP.EQ.U32.AND %P0, PT, %R2, 0x0, PT", ""))).toBe(normalize(text(logic, "!")));
  for (const other of ["%R2, RZ, %P7", "%R2, RZ, !PT", "%R2, 0x8, PT", "-%R2, RZ, PT", "%R1, RZ, PT"]) {
    const stays = text(`ISETP.EQ.AND %P0, PT, ${other}`, "");
    expect(turned(stays)).toBe(normalize(stays));
  }
});
