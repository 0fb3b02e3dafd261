/** What registers hold as sums, and what is known of the bits of what is none; expected values are by hand. */
import { type Atom, analysis } from "../../lib/analysis/index.js";
import { parseFunc } from "../../lib/ori/parse.js";
import { unwrap } from "../../lib/result.js";

/** %R1 and %R2 are loaded; the sum of %R9: coefficients by rising atom, the constant last. */
function sumOf(code: string, head = "", target = "sm_90"): { sum: number[]; atoms: readonly Atom[] } {
  const func = unwrap(
    parseFunc(
      `func "k" entry ${target} virtual ssa\n${head}b0\nLDG.E %R1, [RZ]\nLDG.E %R2, [RZ+0x4]\n${code}\nSTS [%R9], %R1\nEXIT`,
    ),
  );
  const at = func.blocks[0]!.insts.findIndex((i) => i.form.op === "STS");
  const { sum, atoms } = analysis(func, "addresses").at(at);
  if (sum === null) throw new Error("no sum");
  return {
    sum: [...sum.terms.filter((_, k) => k % 2 === 1), sum.constant],
    atoms: sum.terms.filter((_, k) => k % 2 === 0).map((n) => atoms[n]!),
  };
}

const one = [1, 0];

test.each([
  ["a literal", "MOV %R9, 0x10", [16]],
  ["zero", "CS2R %R8, SRZ\nMOV %R9, %R8:1", [0]],
  ["a copy", "MOV %R9, %R1", one],
  ["a copy of some bytes", "MOV %R9, %R1, 0x3", one],
  ["three terms, one negated", "IADD3 %R9, %R1, -%R2, 0x10", [1, -1, 16]],
  ["the same term twice", "IADD3 %R9, %R1, %R1, -0x4", [2, -4]],
  ["terms that cancel", "IADD3 %R3, %R1, %R2, RZ\nIADD3 %R9, %R3, -%R1, 0x1", [1, 1]],
  ["a sum with a carry in it", "ISETP.LT.AND %P3, PT, %R1, 0x5, PT\nIADD3.X %R9, %R1, 0x4, RZ, %P3, !PT", one],
  ["an inverted term", "IADD3 %R9, ~%R1, 0x4, RZ", one],
  ["a product with a literal", "IMAD %R9, %R1, 0xc, %R2", [12, 1, 0]],
  ["a product whose first factor is the literal", "MOV %R3, 0xc\nIMAD %R9, %R3, %R1, 0x8", [12, 8]],
  ["a product of two words", "IMAD %R9, %R1, %R2, RZ", one],
  ["the upper word of a product", "IMAD.HI.U32 %R9, %R1, 0xc, RZ", one],
  ["LEA", "LEA %R9, %R1, %R2, 0x3", [8, 1, 0]],
  ["the upper half of LEA", "LEA.HI %R9, %R1, %R2, RZ, 0x3", one],
  ["a shift", "SHF.L.U32 %R9, %R1, 0x4, RZ", [16, 0]],
  ["a shift by 31", "SHF.L.U32 %R9, %R1, 0x1f, RZ", [-0x80000000, 0]],
  ["a shift by 32", "SHF.L.U32 %R9, %R1, 0x20, RZ", one],
  ["a shift by a register", "SHF.L.U32 %R9, %R1, %R2, RZ", one],
  ["a shift of two words", "SHF.L.U64.HI %R9, %R1, 0x4, %R2", one],
  ["a shift to the right", "SHF.R.U32.HI %R9, RZ, 0x4, %R1", one],
  ["bits beside one another", "SHF.L.U32 %R3, %R1, 0x4, RZ\nLOP3.LUT %R9, %R3, 0x5, RZ, 0xfc, !PT", [16, 5]],
  ["bits taken away beside others", "SHF.L.U32 %R3, %R1, 0x4, RZ\nLOP3.LUT %R9, %R3, 0x5, RZ, 0x3c, !PT", [16, 5]],
  ["bits that meet", "SHF.L.U32 %R3, %R1, 0x2, RZ\nLOP3.LUT %R9, %R3, 0x5, RZ, 0xfc, !PT", one],
  ["a mask of what has no such bits", "SHF.L.U32 %R3, %R1, 0x4, RZ\nLOP3.LUT %R9, %R3, 0xf, RZ, 0xc0, !PT", [0]],
  ["a mask that keeps all", "SHF.L.U32 %R3, %R1, 0x4, RZ\nLOP3.LUT %R9, %R3, 0xfffffff0, RZ, 0xc0, !PT", [16, 0]],
  ["a table in a register", "SHF.L.U32 %R3, %R1, 0x4, RZ\nLOP3.LUT %R9, %R3, ~%R2, RZ, 0xfc, !PT", one],
  ["a constant of a bank", "LDC %R9, c[0x0][0x210]", one],
  [
    "more than six terms",
    "LDG.E.128 %R4, [RZ]\nLDG.E.128 %R5, [RZ]\nIADD3 %R6, %R4:0, %R4:1, %R4:2\nIADD3 %R7, %R6, %R4:3, %R5:0\nIADD3 %R9, %R7, %R5:1, %R5:2",
    one,
  ],
] as const)("%s", (_, code, expected) => {
  expect(sumOf(code).sum).toEqual(expected);
});

test("the words of a wide constant are apart, equal ones are the same atom", () => {
  const of = (a: string, b: string): number[] =>
    sumOf(`LDC.64 %R3, c[0x0][0x210]\nLDC %R4, c[0x0][0x214]\nLDC %R5, c[0x3][0x214]\nIADD3 %R9, ${a}, -${b}, RZ`).sum;
  expect(of("%R3:1", "%R4")).toEqual([0]);
  expect(of("%R3:0", "%R4")).toEqual([1, -1, 0]);
  expect(of("%R4", "%R5")).toEqual([1, -1, 0]);
});

describe("bits and greatest values of atoms", () => {
  const known = (code: string, head?: string): [number, number] => {
    const [atom] = sumOf(code, head).atoms;
    return [atom!.may >>> 0, atom!.most];
  };

  test.each([
    ["LOP3.LUT %R9, %R1, 0xf0, RZ, 0xc0, !PT", 0xf0, 0xf0],
    ["SHF.R.U32.HI %R9, RZ, 0x1c, %R1", 0xf, 0xf],
    ["LOP3.LUT %R3, %R1, 0xf0, RZ, 0xc0, !PT\nSHF.R.U32.HI %R9, RZ, 0x5, %R3", 0x7, 0x7],
    ["SHF.R.S32.HI %R9, RZ, 0x1c, %R1", 0xffffffff, 0xffffffff],
    ["SGXT.U32 %R9, %R1, 0x6", 0x3f, 0x3f],
    ["SGXT %R9, %R1, 0x6", 0xffffffff, 0xffffffff],
    ["S2R %R9, SR_LANEID", 31, 31],
    ["S2R %R9, SR_TID.X", 1023, 1023],
    ["S2R %R9, SR_TID.Z", 63, 63],
    ["S2R %R9, SR_CTAID.X", 0xffffffff, 0xffffffff],
  ] as const)("%s", (code, may, most) => {
    expect(known(code)).toEqual([may, most]);
  });

  test("threads of the block that is asked for", () => {
    expect(known("S2R %R9, SR_TID.X", "limits reqntid 96,2,1\n")).toEqual([127, 95]);
    expect(known("S2R %R9, SR_TID.Y", "limits reqntid 96,2,1\n")).toEqual([1, 1]);
    expect(known("S2R %R9, SR_TID.Y", "limits maxntid 96,2,1\n")).toEqual([255, 191]);
    expect(known("S2R %R9, SR_TID.Z", "limits maxntid 96,2,1\n")).toEqual([63, 63]);
  });
});
