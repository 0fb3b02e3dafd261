import { guardSelections } from "../../lib/phases/guarded-select.js";
import { pairZeros } from "../../lib/phases/zero-pairs.js";
import { after, normalize } from "./texts.js";

const head = (milestone: string): string => `func "k" entry sm_90 virtual ${milestone}`;

test("a selection over an operation becomes the operation under a guard, if both sides end there", () => {
  const code = (last: string): string => `
    b0
      LDC %R0, c[0x0][0x210]
      LDC %R1, c[0x0][0x214]
      ISETP.LT.AND %P2, PT, %R0, RZ, PT
      IMAD %R3, %R0, %R0, RZ
      SEL %R4, %R1, %R3, %P2
      STG.E [RZ], %R4
      STG.E [RZ], ${last}
      EXIT`;
  const expected = code("%R0")
    .replace("      IMAD %R3, %R0, %R0, RZ\n", "")
    .replace("SEL %R4, %R1, %R3, %P2", "MOV %R4, %R1\n      @!%P2 IMAD %R4, %R0, %R0, RZ");
  const run = (t: string): string => after(`${head("ssa")}\n${t}`, guardSelections);
  expect(run(code("%R0"))).toBe(normalize(`${head("ssa")}\n${expected}`));
  expect(run(code("%R1"))).toBe(normalize(`${head("ssa")}\n${code("%R1")}`));
  expect(run(code("%R3"))).toBe(normalize(`${head("ssa")}\n${code("%R3")}`));
});

test("a selected load waits for the condition, unless something in between may write there or is ordered with it; of two the later one does", () => {
  const code = (between: string): string => `
    b0
      LDG.E %R0, [RZ]
      LDG.E %R1, [0x8]
      ${between}
      ISETP.LT.AND %P2, PT, %R0, RZ, PT
      SEL %R4, %R0, %R1, %P2
      STG.E [RZ], %R4
      EXIT`;
  const run = (t: string): string => after(`${head("ssa")}\n${t}`, guardSelections);
  const waits = (t: string): string =>
    t
      .replace("      LDG.E %R1, [0x8]\n", "")
      .replace("SEL %R4, %R0, %R1, %P2", "MOV %R4, %R0\n      @!%P2 LDG.E %R4, [0x8]");
  for (const harmless of ["STS [RZ], %R0", "LDG.E %R5, [0x4]"])
    expect(run(code(harmless))).toBe(normalize(`${head("ssa")}\n${waits(code(harmless))}`));
  for (const harm of ["STG.E [0x10], %R0", "BAR.SYNC.DEFER_BLOCKING 0x0", "LDG.E.STRONG.GPU %R5, [0x4]"])
    expect(run(code(harm))).toBe(normalize(`${head("ssa")}\n${code(harm)}`));
});

test("a literal added to zero or a literal is one of two literals", () => {
  const code = `
    b0
      LDC %R0, c[0x0][0x210]
      ISETP.LT.AND %P2, PT, %R0, RZ, PT
      SEL %R3, RZ, 0x1, %P2
      IADD3 %R4, %R3, -0x3, RZ
      STG.E [RZ], %R4
      EXIT`;
  const expected = code
    .replace("      SEL %R3, RZ, 0x1, %P2\n", "")
    .replace("IADD3 %R4, %R3, -0x3, RZ", "MOV %R4, 0xfffffffe\n      @%P2 IADD3 %R4, RZ, -0x3, RZ");
  expect(after(`${head("ssa")}\n${code}`, guardSelections)).toBe(normalize(`${head("ssa")}\n${expected}`));
});

test("a product with 1 or another literal is a product under a guard", () => {
  const code = `
    b0
      LDC %R0, c[0x0][0x210]
      FSETP.LT.AND %P1, PT, %R0, -126, PT
      MOV %R2, 0x3f000000
      FSEL %R3, %R2, 1, %P1
      FMUL %R4, %R0, %R3
      STG.E [RZ], %R4
      EXIT`;
  const expected = code.replace("FMUL %R4, %R0, %R3", "MOV %R4, %R0\n      @%P1 FMUL %R4, %R4, 0.5");
  expect(after(`${head("ssa")}\n${code}`, guardSelections)).toBe(normalize(`${head("ssa")}\n${expected}`));
});

test("a product waits for the last reader of its value; where that comes after its own first, it is selected", () => {
  const code = (between: string, last: string): string => `
    b0
      LDC %R0, c[0x0][0x210]
      FSETP.LT.AND %P1, PT, %R0, -126, PT
      MOV %R2, 0x3f000000
      FSEL %R3, %R2, 1, %P1
      FMUL %R4, %R0, %R3
      ${between}
      STG.E [RZ], %R4
      STG.E [RZ], ${last}
      EXIT`;
  const run = (t: string): string => after(`${head("ssa")}\n${t}`, guardSelections);
  const early = code("STG.E [RZ], %R0", "%R4").replace("      FMUL %R4, %R0, %R3\n", "");
  const guarded = "MOV %R4, %R0\n      @%P1 FMUL %R4, %R4, 0.5\n      STG.E [RZ], %R4\n      STG.E [RZ], %R4";
  expect(run(code("STG.E [RZ], %R0", "%R4"))).toBe(
    normalize(`${head("ssa")}\n${early.replace("STG.E [RZ], %R4\n      STG.E [RZ], %R4", guarded)}`),
  );
  const selected = code("", "%R0").replace("FMUL %R4, %R0, %R3", "FMUL %R5, %R0, 0.5\n      FSEL %R4, %R5, %R0, %P1");
  expect(run(code("", "%R0"))).toBe(normalize(`${head("ssa")}\n${selected}`));
});

test("two zeros of an aligned pair are one CS2R; not when the pair is read between", () => {
  const quad = `
    value %R0 width 4`;
  const code = (between: string): string => `
    b0
      MOV %R0:0, RZ
      MOV %R0:2, RZ
      ${between}
      MOV %R0:1, RZ
      MOV %R0:3, 0x7
      STG.E.128 [RZ], %R0
      EXIT`;
  const run = (t: string): string => after(`${head("expanded")}${quad}${t}`, pairZeros);
  const kept = normalize(`${head("expanded")}${code("STG.E [RZ], %R0:1")}`);
  expect(run(code("STG.E [RZ], %R0:1"))).toBe(kept);
  expect(run(code("STG.E [RZ], %R0:3"))).toBe(
    normalize(`${head("expanded")}${code("STG.E [RZ], %R0:3")}`)
      .replace("MOV %R0:0, RZ", "CS2R %R0:0-1, SRZ")
      .replace("MOV %R0:1, RZ\n", ""),
  );
});
