import { parseFunc } from "../../lib/ori/parse.js";
import { estimateFrequencies } from "../../lib/phases/control-flow.js";
import { convertAllMovPhiToMov } from "../../lib/phases/convert-mov-phi.js";
import { after, normalize } from "./texts.js";

const head = 'func "k" entry sm_90 virtual initial';

test("SetControlFlowOpLastInBB: a block ends where control may leave it", () => {
  const before = `${head}
    b0
      MOV %R0, 0x1
      @%P1 EXIT
      MOV %R0, 0x2
      BRA b1
      NOP
    b1
      STG.E [RZ], %R0
      EXIT`;
  const expected = `${head}
    b0
      MOV %R0, 0x1
      @%P1 EXIT
    b2
      MOV %R0, 0x2
      BRA b1
    b3
      NOP
    b1
      STG.E [RZ], %R0
      EXIT`;
  expect(after(before, "SetControlFlowOpLastInBB")).toBe(normalize(expected));
});

test("OriRemoveNopCode: placeholders go, a block may become empty", () => {
  const before = `${head}
    b0
      NOP
      @%P0 BRA b2
    b1
      NOP
    b2
      EXIT`;
  const expected = `${head}
    b0
      @%P0 BRA b2
    b1
    b2
      EXIT`;
  expect(after(before, "OriRemoveNopCode")).toBe(normalize(expected));
});

test("OriRemoveNopCode: the NOP at which an acquire of a CTA waits stays", () => {
  const before = `${head}
    b0
      NOP
      LDG.E.STRONG.SM %R0, [RZ]
      NOP
      NOP
      STG.E [RZ], %R0
      EXIT`;
  const expected = `${head}
    b0
      LDG.E.STRONG.SM %R0, [RZ]
      NOP
      STG.E [RZ], %R0
      EXIT`;
  expect(after(before, "OriRemoveNopCode")).toBe(normalize(expected));
});

test("dead code: a chain that ends nowhere goes, from its end on", () => {
  const before = `${head}
    b0
      LDC %R0, c[0x0][0x210]
      IADD3 %R1, %R0, 0x1, RZ
      IMAD %R2, %R1, %R1, RZ
      ISETP.GE.AND %P3, PT, %R2, 0x7, PT
      STG.E [RZ], %R0
      EXIT`;
  const expected = `${head}
    b0
      LDC %R0, c[0x0][0x210]
      STG.E [RZ], %R0
      EXIT`;
  expect(after(before, "OriPerformLiveDeadFirst")).toBe(normalize(expected));
});

test("ConvertAllMovPhiToMov: a swap takes a temporary", () => {
  const before = `func "k" entry sm_90 virtual ssa
    b0
      MOV %R0, 0x1
      MOV %R1, 0x2
    b1
      MOV.PHI %R2, %R0, %R3
      MOV.PHI %R3, %R1, %R2
      STG.E [RZ], %R2
      BRA b1`;
  const expected = `func "k" entry sm_90 virtual expanded
    b0
      MOV %R0, 0x1
      MOV %R1, 0x2
      MOV %R2, %R0
      MOV %R3, %R1
    b1
      STG.E [RZ], %R2
      MOV %R4, %R2
      MOV %R2, %R3
      MOV %R3, %R4
      BRA b1`;
  expect(after(before, convertAllMovPhiToMov)).toBe(normalize(expected));
});

test("ConvertAllMovPhiToMov: a critical edge on which nothing is copied gets no block", () => {
  const before = `func "k" entry sm_90 virtual ssa
    b0
      MOV %R0, 0x1
    b1
      MOV.PHI %R1, %R0, %R1
      STG.E [RZ], %R1
      @%P2 BRA b1
    b2
      EXIT`;
  const expected = `func "k" entry sm_90 virtual expanded
    b0
      MOV %R0, 0x1
      MOV %R1, %R0
    b1
      STG.E [RZ], %R1
      @%P2 BRA b1
    b2
      EXIT`;
  expect(after(before, convertAllMovPhiToMov)).toBe(normalize(expected));
});

test("into the window and out again", () => {
  const before = `func "k" entry sm_90 virtual ssa
    b0
      LDC %R0, c[0x0][0x210]
      ISETP.GE.AND %P1, PT, %R0, 0x0, PT
      @%P1 BRA b2
    b1
      IADD3 %R0, RZ, RZ, -%R0
    b2
      STG.E [RZ], %R0
      EXIT`;
  const expected = `func "k" entry sm_90 virtual expanded
    b0
      LDC %R2, c[0x0][0x210]
      ISETP.GE.AND %P1, PT, %R2, 0x0, PT
      @%P1 BRA b3
    b1
      IADD3 %R4, RZ, RZ, -%R2
      MOV %R3, %R4
    b2
      STG.E [RZ], %R3
      EXIT
    b3
      MOV %R3, %R2
      BRA b2`;
  expect(after(before, "GenerateMovPhi", convertAllMovPhiToMov)).toBe(normalize(expected));
});

test("AnalyzeControlFlow: ten rounds per loop level", () => {
  const read = parseFunc(`${head}
    b0
      NOP
    b1
      NOP
    b2
      @%P0 BRA b2
    b3
      @%P0 BRA b1
    b4
      EXIT`);
  if (!read.ok) throw new Error(read.diagnostics[0]?.message);
  estimateFrequencies(read.value);
  expect(read.value.blocks.map((b) => b.freq)).toEqual([1, 10, 100, 10, 1]);
});
