import { equalTests, joinEqualTests } from "../../lib/phases/equal-tests.js";
import { after, normalize } from "./texts.js";

const head = `func "k" entry sm_90 virtual expanded`;
const joined = (code: string): string => after(`${head}\n${code}`, (func) => joinEqualTests(func));
const text = (code: string): string => normalize(`${head}\n${code}`);

/** Two arms of one predicate, one after the other. */
const twoArms = (first: string, second: string, again = "@%P1 BRA b4", end = "STG.E [RZ], %R2"): string => `
    b0
      S2R %R0, SR_TID.X
      MOV %R2, RZ
      ISETP.EQ.AND %P1, PT, %R0, RZ, PT
      BSSY %B3, b5
      @%P1 BRA b2
    b1
      ${first}
    b2
      BSYNC %B3
    b5
      BSSY %B4, b6
      ${again}
    b3
      ${second}
    b4
      BSYNC %B4
    b6
      ${end}
      EXIT`;

test("two arms that store become one, and so do their regions", () => {
  expect(joined(twoArms("STG.E [0x4], %R0", "STG.E [0x8], %R0"))).toBe(
    text(`
    b0
      S2R %R0, SR_TID.X
      MOV %R2, RZ
      ISETP.EQ.AND %P1, PT, %R0, RZ, PT
      BSSY %B3, b6
      @%P1 BRA b4
    b1
      STG.E [0x4], %R0
    b2
    b5
    b3
      STG.E [0x8], %R0
    b4
      BSYNC %B3
    b6
      STG.E [RZ], %R2
      EXIT`),
  );
});

test.each([
  ["the other polarity", twoArms("STG.E [0x4], %R0", "STG.E [0x8], %R0", "@!%P1 BRA b4")],
  ["arithmetic only", twoArms("IADD3 %R2, %R2, %R0, RZ", "IADD3 %R2, %R2, %R0, RZ")],
  ["loads from global memory only", twoArms("LDG.E %R2, [%R0]", "LDG.E %R2, [%R2]")],
  ["a value of the first that is needed after both", twoArms("LDS %R2, [RZ]", "STG.E [0x8], %R0")],
  [
    "the first arm makes the predicate anew",
    twoArms("ISETP.EQ.AND %P1, PT, %R0, 0x3, PT\nSTG.E [RZ], %R0", "STG.E [0x8], %R0"),
  ],
  ["a barrier that something else names", twoArms("STG.E [RZ], %R0", "STG.E [0x8], %R0", "@%P1 BRA b4", "BSYNC %B3")],
])("two arms stay: %s", (_, code) => {
  const before = after(`${head}\n${code}`);
  expect(joined(code)).toBe(before);
  expect(after(`${head}\n${code}`, (func) => expect(equalTests(func)).toHaveLength(0))).toBe(before);
});

/** As `twoArms`, with instructions before the first branch. */
const after0 = (inst: string, code: string): string => code.replace("BSSY %B3", `${inst}\n      BSSY %B3`);

test.each([
  ["a word of the second arm alone", "IMAD %R5, %R0, 0x5, RZ", "STG.E [0x8], %R5", 2],
  ["one that the first arm reads, too", "IMAD %R5, %R0, 0x5, RZ\nSTG.E [0xc], %R5", "STG.E [0x8], %R5", 1],
  ["one that costs as much as what it is made of", "LDG.E %R6, [%R0]\nIMAD %R5, %R6, 0x5, RZ", "STG.E [0x8], %R5", 1],
])("what moves between the arms: %s", (_, before, second, regions) => {
  const code = after0(before, twoArms("STG.E [0x4], %R0", second, "@%P1 BRA b4", "STG.E [%R0], %R2"));
  expect(joined(code).match(/BSSY/g)).toHaveLength(regions);
});

test("what the second arm computes itself moves nowhere", () => {
  const code = twoArms("STG.E [0x4], %R0", "IMAD %R5, %R0, 0x5, RZ\nSTG.E [0x8], %R5");
  expect(joined(code).match(/BSSY/g)).toHaveLength(1);
});

test("a predicate made of another: two arms stay", () => {
  const code = after0(
    "ISETP.LT.AND %P1, PT, %R0, 0x9, %P7",
    twoArms("STG.E [0x4], %R0", "STG.E [0x8], %R0").replace("%P1, PT, %R0, RZ, PT", "%P7, PT, %R0, RZ, PT"),
  );
  expect(joined(code).match(/BSSY/g)).toHaveLength(2);
});

test("a value of the first that the second writes again is no hindrance", () => {
  expect(joined(twoArms("LDS %R2, [RZ]", "IADD3 %R2, %R2, %R0, RZ")).match(/BSSY/g)).toHaveLength(1);
});

test("neither is straight code afterwards, however short", () => {
  const code = after(
    `${head}\n${twoArms("STG.E [0x4], %R0", "STG.E [0x8], %R0", "@%P1 BRA b4", "STG.E [%R0], %R2")}`,
    "LateMergeEquivalentConditionalFlow",
  );
  expect(code.match(/@%P1 BRA/g)).toHaveLength(1);
  expect(code).not.toMatch(/@!?%P1 STG/);
});
