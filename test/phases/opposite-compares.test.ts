import { turnCompares } from "../../lib/phases/opposite-compares.js";
import { after, normalize } from "./texts.js";

const turned = (text: string): string => after(text, turnCompares);
const head = 'func "k" entry sm_90 virtual ssa';

test.each([
  ["LT", "GEU"],
  ["EQ", "NEU"],
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
