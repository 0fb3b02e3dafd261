import { after } from "./texts.js";

const folded = (code: string): string =>
  after(`func "k" entry sm_90 virtual ssa\n${code}`, "GeneralOptimizeMid").split("\n").slice(1).join("\n");

/** A sum with a constant, and what reads it. */
const sum = (use: string, low = "0x1000", high = "RZ", more = ""): string => `
    b0
      LDC.64 %R2, c[0x0][0x210]
      ULDC.64 %UR8, c[0x0][0x208]
      IADD3 %R4:0, %P6, %R2:0, ${low}, RZ
      IADD3.X %R4:1, %R2:1, ${high}, RZ, %P6, !PT
      ${more}
      ${use}
      EXIT`;

test.each([
  ["a store", sum("STG.E desc[%UR8][%R4.64+0x8], RZ"), "STG.E desc[%UR8][%R2.64+0x1008], RZ"],
  ["an atomic", sum("ATOMG.E.ADD.STRONG.GPU PT, %R9, desc[%UR8][%R4.64], RZ"), "desc[%UR8][%R2.64+0x1000], RZ"],
  ["a negative constant", sum("STG.E desc[%UR8][%R4.64], RZ", "-0x10", "-0x1"), "STG.E desc[%UR8][%R2.64+-0x10], RZ"],
  [
    "a sum of a sum",
    sum(
      "STG.E desc[%UR8][%R5.64], RZ",
      "0x1000",
      "RZ",
      "IADD3 %R5:0, %P7, %R4:0, 0x40, RZ\n      IADD3.X %R5:1, %R4:1, RZ, RZ, %P7, !PT",
    ),
    "STG.E desc[%UR8][%R2.64+0x1040], RZ",
  ],
])("the constant goes into the offset: %s", (_, code, expected) => {
  const text = folded(code);
  expect(text).toContain(expected);
  expect(text).not.toContain("IADD3");
});

test("also where the sum has another reader, which keeps it", () => {
  const text = folded(sum("STG.E.64 desc[%UR8][%R4.64], %R4"));
  expect(text).toContain("STG.E.64 desc[%UR8][%R2.64+0x1000], %R4");
  expect(text.match(/IADD3/g)).toHaveLength(2);
});

test.each([
  ["a constant of more than 24 bits", sum("STG.E desc[%UR8][%R4.64], RZ", "0x1000000")],
  ["an offset that passes 24 bits", sum("STG.E desc[%UR8][%R4.64+0x7fff00], RZ")],
  ["a high word that is not the sign", sum("STG.E desc[%UR8][%R4.64], RZ", "0x10", "0x1")],
  ["two registers", sum("STG.E desc[%UR8][%R4.64], RZ", "%R2:1")],
  [
    "another carry",
    sum("STG.E desc[%UR8][%R4.64], RZ")
      .replace("RZ, %P6, !PT", "RZ, %P7, !PT")
      .replace("b0", "b0\n ISETP.EQ.AND %P7, PT, RZ, RZ, PT"),
  ],
  ["the opposite of the carry", sum("STG.E desc[%UR8][%R4.64], RZ").replace("RZ, %P6, !PT", "RZ, !%P6, !PT")],
  ["a guarded half", sum("STG.E desc[%UR8][%R4.64], RZ").replace("IADD3.X", "@%P6 IADD3.X")],
])("stays: %s", (_, code) => {
  expect(folded(code)).toContain("[%R4.64");
});

test("a pointer that goes round a loop stays the address", () => {
  const text = folded(`
    b0
      LDC.64 %R2, c[0x0][0x210]
      ULDC.64 %UR8, c[0x0][0x208]
    b1
      MOV.PHI %R3:0, %R2:0, %R4:0
      MOV.PHI %R3:1, %R2:1, %R4:1
      IADD3 %R4:0, %P6, %R3:0, 0x4, RZ
      IADD3.X %R4:1, %R3:1, RZ, RZ, %P6, !PT
      STG.E desc[%UR8][%R4.64], RZ
      ISETP.EQ.AND %P7, PT, %R4:0, RZ, PT
      @%P7 BRA b1
    b2
      EXIT`);
  expect(text).toContain("STG.E desc[%UR8][%R4.64], RZ");
});
