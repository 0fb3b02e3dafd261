/** By how many bytes addresses of shared memory are aligned, by what makes them; expected values are by hand. */
import { Alignments, analysis, Definitions } from "../../lib/analysis/index.js";
import { parseFunc } from "../../lib/ori/parse.js";
import { unwrap } from "../../lib/result.js";

/** The alignment of what the store's address is made of, its literal left out. */
function aligned(code: string, address = "%R9"): number {
  const func = unwrap(
    parseFunc(
      `func "k" entry sm_90 virtual ssa\nb0\nS2R %R0, SR_TID.X\nLDG.E %R1, [RZ]\n${code}\nSTS [${address}], %R0\nEXIT`,
    ),
  );
  const { affine } = analysis(func, "addresses");
  const definitions = new Definitions(func);
  const at = definitions.flat.insts.findIndex((i) => i.form.op === "STS");
  const { sum } = analysis(func, "addresses").at(at);
  return sum === null ? 0 : new Alignments(func, definitions, affine).ofTerms(sum);
}

test.each([
  ["nothing is known of a loaded word", "MOV %R9, %R1", 1],
  ["a product with a literal", "IMAD %R9, %R1, 0xc, RZ", 4],
  [
    "a product of two words, added up",
    "SHF.L.U32 %R2, %R1, 0x1, RZ\nSHF.L.U32 %R3, %R0, 0x2, RZ\nIMAD %R9, %R2, %R3, RZ",
    8,
  ],
  ["of terms the least", "SHF.L.U32 %R2, %R1, 0x1, RZ\nSHF.L.U32 %R3, %R0, 0x3, RZ\nIADD3 %R9, %R2, %R3, RZ", 2],
  ["a shift", "SHF.L.U32 %R9, %R1, 0x3, RZ", 8],
  ["at most 16", "SHF.L.U32 %R9, %R1, 0x6, RZ", 16],
  ["a shift by as many bits as a register holds", "MOV %R2, %R1\nSHF.L.U32 %R9, %R1, %R2, RZ", 1],
  ["LEA", "SHF.L.U32 %R2, %R0, 0x2, RZ\nLEA %R9, %R1, %R2, 0x3", 4],
  ["a shift to the right brings other bits down", "SHF.L.U32 %R2, %R1, 0x4, RZ\nSHF.R.U32.HI %R9, RZ, 0x2, %R2", 4],
  ["the upper word of a wide shift", "LDG.E.64 %R2, [RZ]\nSHF.L.U64.HI %R9, %R2:0, 0x3, %R2:1", 1],
  ["the lower word of a wide shift to the right", "LDG.E.64 %R2, [RZ]\nSHF.R.U64 %R9, %R2:0, 0x3, %R2:1", 1],
  ["a mask", "LOP3.LUT %R9, %R1, 0xfffffff8, RZ, 0xc0, !PT", 8],
  [
    "bits put in",
    "LOP3.LUT %R2, %R1, 0xfffffff0, RZ, 0xc0, !PT\nLOP3.LUT %R3, %R0, 0x4, RZ, 0xc0, !PT\nLOP3.LUT %R9, %R2, %R3, RZ, 0xfc, !PT",
    4,
  ],
  [
    "exclusive or of two aligned words",
    "IMAD %R2, %R1, 0x8, RZ\nIMAD %R3, %R0, 0x4, RZ\nLOP3.LUT %R9, %R2, %R3, RZ, 0x3c, !PT",
    4,
  ],
  ["an inverted word is not", "IMAD %R2, %R1, 0x8, RZ\nLOP3.LUT %R9, RZ, %R2, RZ, 0x33, !PT", 1],
  [
    "a selection",
    "ISETP.LT.AND %P4, PT, %R0, 0x5, PT\nIMAD %R2, %R1, 0x8, RZ\nIMAD %R3, %R0, 0x10, RZ\nSEL %R9, %R2, %R3, %P4",
    8,
  ],
  ["the upper half of a product", "IMAD %R2, %R1, 0x8, RZ\nIMAD.HI.U32 %R9, %R2, 0x10, RZ", 1],
  ["a symbol of which nothing is said", "MOV %R9, 32@lo(table)", 1],
] as const)("%s", (_, code, bytes) => {
  expect(aligned(code)).toBe(bytes);
});

test("what a loop brings back is as aligned as what enters it and what it adds", () => {
  const loop = (start: number, step: number): string => `MOV %R2, ${start}
b1
MOV.PHI %R3, %R2, %R4
STS [%R3], %R0
IADD3 %R4, %R3, ${step}, RZ
ISETP.LT.AND %P5, PT, %R4, %R1, PT
@%P5 BRA b1
b2`;
  const bytes = (start: number, step: number): number => aligned(loop(start, step));
  expect([bytes(16, 16), bytes(16, 8), bytes(4, 8), bytes(0, 12), bytes(0, 1)]).toEqual([16, 8, 4, 4, 1]);
});
