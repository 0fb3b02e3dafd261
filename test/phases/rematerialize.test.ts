/** OriDoRemat: what is cheap to make again does not live across blocks that need more registers than there should be. */
import { rematerialize } from "../../lib/phases/rematerialize.js";
import { defaultParameters } from "../../lib/sched/index.js";
import { after, normalize } from "./texts.js";

const head = `func "k" entry sm_90 virtual initial
    value %R0
    value %R1 width 2
    value %R2
    value %R3
    value %R4
    value %R5 width 2
    value %P6
    value %UR7 width 2`;
/** With `registers` for a block; the stack pointer and those that ptxas counts beside are among them. */
const run = (code: string, registers: number): string => {
  const text = after(`${head}\n${code}`, (func) =>
    rematerialize(func, { ...defaultParameters, registerTarget: registers }),
  ).split("\n");
  return text.slice(text.findIndex((l) => l.startsWith("b0"))).join("\n");
};

/** A loop that needs all registers, after words that are read again after it. */
const crowded = `b0
      LDC.64 %R1, c[0x0][0x218]
      S2R %R0, SR_TID.X
      LDG.E %R2, desc[%UR7][%R1.64]
b1
      LDC.64 %R5, c[0x0][0x220]
      LDG.E %R3, desc[%UR7][%R5.64]
      IADD3 %R4, %R3, %R0, RZ
      IADD3 %R2, %R4, %R2, RZ
      ISETP.NE.AND %P6, PT, %R2, RZ, PT
      @%P6 BRA b1`;

const kept = `${crowded}
b2
      STG.E desc[%UR7][%R1.64], %R2
      STG.E desc[%UR7][%R1.64+0x4], %R0
      EXIT`;

test("a word of a constant bank is read again after a loop that has no register for it", () => {
  const expected = `${crowded}
b2
      LDC.64 %R8, c[0x0][0x218]
      STG.E desc[%UR7][%R8.64], %R2
      STG.E desc[%UR7][%R8.64+0x4], %R0
      EXIT`;
  expect(run(kept, 5)).toBe(normalize(expected));
});

test("where there are registers enough everything stays", () => {
  expect(run(kept, 16)).toBe(normalize(kept));
});

test("what a loop without crowded block reads is made before that loop; a sum whose operands live there anyway is made anew, too", () => {
  const before = `b0
      S2R %R0, SR_CLOCKLO
      IADD3 %R2, %R0, 0x20, RZ
      LDC %R3, c[0x0][0x210]
      ISETP.NE.AND %P6, PT, %R3, RZ, PT
      @%P6 BRA b2
b1
      LDC.64 %R1, c[0x0][0x218]
      LDC.64 %R5, c[0x0][0x220]
      LDG.E %R4, desc[%UR7][%R1.64]
      STG.E desc[%UR7][%R5.64], %R4
b2
      NOP
b3
      ISETP.LT.AND %P6, PT, %R2, %R0, PT
      @%P6 BRA b3
b4
      EXIT`;
  const text = run(before, 5);
  expect(text.split("\n").filter((l) => l.includes("IADD3"))).toEqual(["IADD3 %R8, %R0, 0x20, RZ"]);
  expect(text.indexOf("IADD3")).toBeGreaterThan(text.indexOf("b2"));
  expect(text.indexOf("IADD3")).toBeLessThan(text.indexOf("b3"));
});

/** A loop whose order needs few registers, but whose loads could all be in flight. */
const loads = (base: string): string => `b0
      LDC.64 %R1, c[0x0][0x218]
      LDC.64 %R5, c[0x0][0x220]
      S2R %R2, SR_LANEID
b1
      LDG.E %R3, desc[%UR7][${base}.64]
      IADD3 %R2, %R3, %R2, RZ
      LDG.E %R4, desc[%UR7][${base}.64+0x100]
      IADD3 %R2, %R4, %R2, RZ
      LDG.E %R0, desc[%UR7][${base}.64+0x200]
      IADD3 %R2, %R0, %R2, RZ
      ISETP.NE.AND %P6, PT, %R2, RZ, PT
      @%P6 BRA b1
b2
      STG.E desc[%UR7][%R1.64], %R2
      EXIT`;

test("words make room for loads in flight where the order given needs fewer registers than there are", () => {
  const text = run(loads("%R5"), 7);
  expect(text.indexOf("c[0x0][0x218]")).toBeGreaterThan(text.indexOf("b2"));
  expect(run(loads("%R5"), 10)).toBe(normalize(loads("%R5")));
});

test("a word of a constant bank is read again however much rarer the crowded block is; a literal is not made", () => {
  const text = (definition: string): string => `b0
      S2R %R3, SR_TID.X
      ${definition}
b1
      ISETP.NE.AND %P6, PT, %R3, 0x1, PT
      @%P6 BRA b5
b2
      ISETP.NE.AND %P6, PT, %R3, 0x2, PT
      @%P6 BRA b5
b3
      ISETP.NE.AND %P6, PT, %R3, 0x3, PT
      @%P6 BRA b5
b4
      LDC.64 %R1, c[0x0][0x218]
      LDG.E %R2, desc[%UR7][%R1.64]
      IADD3 %R3, %R2, %R3, RZ
b5
      IADD3 %R3, %R3, %R0, RZ
      ISETP.NE.AND %P6, PT, %R3, 0x5, PT
      @%P6 BRA b1
b6
      EXIT`;
  const word = run(text("LDC %R0, c[0x0][0x214]"), 3);
  expect(word.indexOf("c[0x0][0x214]")).toBeGreaterThan(word.indexOf("b5"));
  expect(run(text("MOV %R0, 0x14"), 3)).toBe(normalize(text("MOV %R0, 0x14")));
});
