/** Loads of neighbouring words of a constant bank: which become one. */
import { pairLoads } from "../../lib/phases/pair-loads.js";
import { after, normalize } from "./texts.js";

const text = (code: string): string => normalize(`func "k" entry sm_90 virtual expanded\n${code}`);
const run = (code: string): string => after(text(code), pairLoads);
const two = (first: string, second: string, rest = ""): string => `b0
${first}
${second}
STG.E [RZ], %R0
STG.E [RZ+0x4], %R1
${rest}
EXIT`;

test("two words of eight aligned bytes, in either order", () => {
  const pair = `b0
LDC.64 %R2, c[0x0][0x218]
STG.E [RZ], %R2:0
STG.E [0x4], %R2:1
EXIT`;
  expect(run(two("LDC %R0, c[0x0][0x218]", "LDC %R1, c[0x0][0x21c]"))).toBe(text(pair));
  expect(run(two("LDC %R1, c[0x0][0x21c]", "LDC %R0, c[0x0][0x218]"))).toBe(text(pair));
  expect(run(two("LDC %R0, c[0x3][0x8]", "LDC %R1, c[0x3][0xc]"))).toBe(text(pair.replace("0x0][0x218", "0x3][0x8")));
});

test.each([
  ["other bytes than eight aligned ones", two("LDC %R0, c[0x0][0x21c]", "LDC %R1, c[0x0][0x220]")],
  ["cells before the parameters", two("LDC %R0, c[0x0][0x0]", "LDC %R1, c[0x0][0x4]")],
  ["different banks", two("LDC %R0, c[0x0][0x218]", "LDC %R1, c[0x3][0x21c]")],
  [
    "a register that is written again",
    two("LDC %R0, c[0x0][0x218]", "LDC %R1, c[0x0][0x21c]", "MOV %R0, 1\nSTG.E [RZ], %R0"),
  ],
  ["a register that indexes a bank", two("LDC %R0, c[0x0][0x218]", "LDC %R1, c[0x0][0x21c]", "LDC %R5, c[0x3][%R0]")],
  ["a load under a guard", two("LDC %R0, c[0x0][0x218]", "@%P4 LDC %R1, c[0x0][0x21c]")],
  ["an index of its own", two("LDC %R0, c[0x3][%R5]", "LDC %R1, c[0x3][%R5+0x4]")],
  ["bytes", two("LDC.U8 %R0, c[0x0][0x218]", "LDC.U8 %R1, c[0x0][0x21c]")],
  ["half of a register of two words", two("LDC %R0:0, c[0x0][0x218]", "LDC %R1, c[0x0][0x21c]", "STG.E.64 [RZ], %R0")],
  [
    "another block",
    `b0\nLDC %R0, c[0x0][0x218]\n@%P4 BRA b2\nb1\nLDC %R1, c[0x0][0x21c]\nSTG.E [RZ], %R1\nb2\nSTG.E [RZ], %R0\nEXIT`,
  ],
])("%s: they stay", (_, code) => {
  expect(run(code)).toBe(after(text(code), () => {}));
});
