/** Two zeros in a pair of registers become one CS2R, copies of a zero among them. */
import { pairZeros } from "../../lib/phases/zero-pairs.js";
import { after, normalize } from "./texts.js";

const text = (body: string): string => `func "k" entry sm_90 virtual expanded
b0
LDG.E.128 %R1, desc[%UR30][%R0.64]
${body}
STG.E.128 desc[%UR30][%R0.64], %R2
EXIT`;

test.each([
  ["zeros", "MOV %R2:0, RZ\nMOV %R2:3, RZ\nMOV %R2:2, RZ\nMOV %R2:1, RZ", "CS2R %R2:0-1, SRZ\nCS2R %R2:2-3, SRZ"],
  [
    "copies of a zero",
    "MOV %R2:0, RZ\nMOV %R2:1, %R2:0\nMOV %R2:2, %R2:0\nMOV %R2:3, %R2:0",
    "CS2R %R2:0-1, SRZ\nCS2R %R2:2-3, SRZ",
  ],
  ["a copy of what was written since", "MOV %R2:0, RZ\nMOV %R2:0, %R1:0\nMOV %R2:1, %R2:0\nMOV %R2:2, %R1:1", null],
  [
    "a copy from another block's zero",
    "MOV %R2:0, RZ\nBRA b1\nb1\nMOV %R2:1, %R2:0\nMOV %R2:2, %R2:0\nMOV %R2:3, %R1:0",
    null,
  ],
  [
    "a zero that indexes a bank before the other",
    "MOV %R2:1, RZ\nLDC %R2:2, c[0x3][%R2:0+0x4]\nMOV %R2:0, RZ\nMOV %R2:3, %R1:0",
    null,
  ],
  ["a zero under a guard", "MOV %R2:0, RZ\n@%P3 MOV %R2:1, RZ\nMOV %R2:2, %R1:1\nMOV %R2:3, %R1:0", null],
  ["a one beside it", "MOV %R2:0, RZ\nMOV %R2:1, 0x1\nMOV %R2:2, %R1:1\nMOV %R2:3, %R1:0", null],
  ["zeros of two pairs", "MOV %R2:1, RZ\nMOV %R2:2, RZ\nMOV %R2:0, %R1:1\nMOV %R2:3, %R1:0", null],
])("%s", (_, before, expected) => {
  expect(after(text(before), pairZeros)).toBe(normalize(text(expected ?? before)));
});
