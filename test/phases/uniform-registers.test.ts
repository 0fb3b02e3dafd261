/**
 * ConvertToUniformReg: what moves to the uniform datapath and what stays. Expectations are what ptxas 13.0.88 -O3 does with
 * the same PTX (`test/oracle/uniform-registers.test.ts` asks it).
 */
import { toUniformRegisters } from "../../lib/phases/uniform-registers.js";
import { after, normalize } from "./texts.js";

const values = `value %R0
    value %R1
    value %R2
    value %R3
    value %P4
    value %R5
    value %R6 width 2
    value %UR7 width 2
    value %P8`;
const run = (code: string, target = "sm_90"): string => {
  const lines = after(`func "k" entry ${target} virtual expanded\n${values}\n${code}`, toUniformRegisters).split("\n");
  return lines.slice(lines.findIndex((l) => l.startsWith("b0"))).join("\n");
};
const stays = (code: string, target?: string): void => expect(run(code, target)).toBe(normalize(code));

test("an instruction's one slot goes to what stands first", () => {
  const before = `b0
      LDC %R0, c[0x0][RZ]
      S2R %R1, SR_CTAID.X
      S2R %R2, SR_TID.X
      IMAD %R3, %R1, %R0, %R2
      STG.E desc[%UR7][%R6.64], %R3
      EXIT`;
  const expected = `b0
      LDC %R0, c[0x0][RZ]
      S2UR %UR9, SR_CTAID.X
      S2R %R2, SR_TID.X
      IMAD %R3, %R0, %UR9, %R2
      STG.E desc[%UR7][%R6.64], %R3
      EXIT`;
  expect(run(before)).toBe(normalize(expected));
});

test("… however often the other is read elsewhere", () => {
  const before = `b0
      LDC %R0, c[0x0][RZ]
      S2R %R1, SR_CTAID.X
      S2R %R2, SR_TID.X
      IMAD %R3, %R1, %R0, %R2
      IADD3 %R5, %R3, %R0, RZ
      STG.E desc[%UR7][%R6.64], %R5
      EXIT`;
  const expected = `b0
      LDC %R0, c[0x0][RZ]
      S2UR %UR9, SR_CTAID.X
      S2R %R2, SR_TID.X
      IMAD %R3, %R0, %UR9, %R2
      IADD3 %R5, %R3, %R0, RZ
      STG.E desc[%UR7][%R6.64], %R5
      EXIT`;
  expect(run(before)).toBe(normalize(expected));
});

test("chains move as a whole, loads by the instruction of the SM", () => {
  const before = `b0
      LDC %R0, c[0x0][0x380]
      S2R %R1, SR_CTAID.X
      S2R %R2, SR_TID.X
      IMAD %R3, %R1, %R0, %R0
      LOP3.LUT %R5, %R3, 0xff, RZ, 0xc0, !PT
      IADD3 %R2, PT, PT, %R2, %R5, RZ
      STG.E desc[%UR7][%R6.64], %R2
      EXIT`;
  const expected = `b0
      LDCU %UR9, c[0x0][0x380]
      S2UR %UR10, SR_CTAID.X
      S2R %R2, SR_TID.X
      UIMAD %UR11, %UR10, %UR9, %UR9
      ULOP3.LUT %UR12, %UR11, 0xff, URZ, 0xc0, !UPT
      IADD3 %R2, PT, PT, %R2, %UR12, RZ
      STG.E desc[%UR7][%R6.64], %R2
      EXIT`;
  expect(run(before, "sm_100")).toBe(normalize(expected));
});

test("a counter of a loop that all lanes leave together moves; its comparison is turned round", () => {
  const before = `b0
      LDC %R0, c[0x0][0x210]
      MOV %R1, 0x0
      S2R %R2, SR_TID.X
b1
      IMAD %R2, %R2, %R1, %R2
      IADD3 %R1, %R1, 0x1, RZ
      ISETP.LT.AND %P4, PT, %R1, %R0, PT
      @%P4 BRA b1
b2
      STG.E desc[%UR7][%R6.64], %R2
      EXIT`;
  const expected = `b0
      LDC %R0, c[0x0][0x210]
      UMOV %UR9, 0x0
      S2R %R2, SR_TID.X
b1
      IMAD %R2, %R2, %UR9, %R2
      UIADD3 %UR9, %UR9, 0x1, URZ
      ISETP.GT.AND %P4, PT, %R0, %UR9, PT
      @%P4 BRA b1
b2
      STG.E desc[%UR7][%R6.64], %R2
      EXIT`;
  expect(run(before)).toBe(normalize(expected));
});

test("a counter of a loop that lanes leave one by one stays", () => {
  stays(`b0
      MOV %R1, 0x0
      S2R %R2, SR_TID.X
b1
      IMAD %R3, %R2, %R1, %R2
      IADD3 %R1, %R1, 0x1, RZ
      ISETP.LT.AND %P4, PT, %R1, %R2, PT
      @%P4 BRA b1
b2
      STG.E desc[%UR7][%R6.64], %R3
      EXIT`);
});

test("… and on SMs that branch by a uniform predicate the comparison moves too", () => {
  const before = `b0
      LDC %R0, c[0x0][0x380]
      MOV %R1, 0x0
      S2R %R2, SR_TID.X
b1
      IMAD %R2, %R2, %R1, %R2
      IADD3 %R1, PT, PT, %R1, 0x1, RZ
      ISETP.LT.AND %P4, PT, %R1, %R0, PT
      @!%P4 BRA b3
b2
      BRA b1
b3
      STG.E desc[%UR7][%R6.64], %R2
      EXIT`;
  const expected = `b0
      LDCU %UR9, c[0x0][0x380]
      UMOV %UR10, 0x0
      S2R %R2, SR_TID.X
b1
      IMAD %R2, %R2, %UR10, %R2
      UIADD3 %UR10, UPT, UPT, %UR10, 0x1, URZ
      UISETP.LT.AND %UP11, UPT, %UR10, %UR9, UPT
      BRA.U !%UP11, b3
b2
      BRA b1
b3
      STG.E desc[%UR7][%R6.64], %R2
      EXIT`;
  expect(run(before, "sm_100")).toBe(normalize(expected));
});

test("comparison and selection of uniform values move together", () => {
  const before = `b0
      LDC %R0, c[0x0][0x218]
      S2R %R1, SR_CTAID.X
      S2R %R2, SR_TID.X
      ISETP.GT.AND %P4, PT, %R0, %R1, PT
      SEL %R3, %R0, 0x7, !%P4
      IADD3 %R5, %R2, %R3, RZ
      STG.E desc[%UR7][%R6.64], %R5
      EXIT`;
  const expected = `b0
      ULDC %UR9, c[0x0][0x218]
      S2UR %UR10, SR_CTAID.X
      S2R %R2, SR_TID.X
      UISETP.GT.AND %UP12, UPT, %UR9, %UR10, UPT
      USEL %UR11, %UR9, 0x7, !%UP12
      IADD3 %R5, %R2, %UR11, RZ
      STG.E desc[%UR7][%R6.64], %R5
      EXIT`;
  expect(run(before)).toBe(normalize(expected));
});

test("neighbouring words are loaded together; where one must stay both do", () => {
  const before = `b0
      LDC %R0, c[0x0][0x218]
      S2R %R2, SR_TID.X
      LDC %R1, c[0x0][0x21c]
      IMAD %R3, %R2, %R0, %R2
      IADD3 %R5, %R3, %R1, RZ
      STG.E desc[%UR7][%R6.64], %R5
      EXIT`;
  const moved = `b0
      ULDC.64 %UR10, c[0x0][0x218]
      S2R %R2, SR_TID.X
      IMAD %R3, %R2, %UR10:0, %R2
      IADD3 %R5, %R3, %UR10:1, RZ
      STG.E desc[%UR7][%R6.64], %R5
      EXIT`;
  expect(run(before)).toBe(normalize(moved));
  const stored = before.replace("%R6.64], %R5", "%R6.64], %R1");
  const kept = `b0
      LDC.64 %R9, c[0x0][0x218]
      S2R %R2, SR_TID.X
      IMAD %R3, %R2, %R9:0, %R2
      IADD3 %R5, %R3, %R9:1, RZ
      STG.E desc[%UR7][%R6.64], %R9:1
      EXIT`;
  expect(run(stored)).toBe(normalize(kept));
});

test("what is made where lanes are apart, or under a guard, stays", () => {
  stays(`b0
      S2R %R2, SR_TID.X
      ISETP.LT.AND %P4, PT, %R2, 0x5, PT
      @%P4 LDC %R0, c[0x0][0x210]
      @%P4 IADD3 %R2, %R2, %R0, RZ
      @%P4 BRA b2
b1
      LDC %R1, c[0x0][0x214]
      IADD3 %R2, %R2, %R1, RZ
b2
      STG.E desc[%UR7][%R6.64], %R2
      EXIT`);
});

test("what is stored, addressed with, or only a literal stays", () => {
  stays(`b0
      S2R %R2, SR_TID.X
      LDC %R0, c[0x0][0x210]
      LDC.64 %R6, c[0x0][0x218]
      MOV %R1, 0x400
      IMAD %R3, %R2, %R1, RZ
      IADD3 %R5, %R3, 0x1, RZ
      STG.E desc[%UR7][%R6.64], %R0
      STG.E desc[%UR7][%R6.64+0x4], %R5
      EXIT`);
});

test("where arithmetic reads constant banks their words stay in the slot", () => {
  stays(
    `b0
      S2R %R1, SR_CTAID.X
      S2R %R2, SR_TID.X
      IMAD %R3, %R1, c[0x0][0x0], %R2
      STG.E (desc[URZ])[%R6.64], %R3
      EXIT`,
    "sm_80",
  );
});

test("what is copied to a uniform register is computed there", () => {
  const before = `b0
      S2R %R0, SR_CTAID.X
      IADD3 %R1, PT, PT, %R0, 0x400, RZ
      R2UR %UR7:0, %R1
      R2UR %UR7:1, %R0
      STG.E desc[%UR7][%R6.64], RZ
      EXIT`;
  expect(run(before)).not.toContain("R2UR");
});

test("a copy that also gives a predicate stays", () => {
  const before = `b0
      S2R %R0, SR_CTAID.X
      R2UR %P4, %UR7:0, %R0
      @%P4 STG.E desc[%UR7][%R6.64], RZ
      EXIT`;
  expect(run(before)).toContain("R2UR");
});

test("a uniform part of an address in shared memory goes into the accesses where all readers take it", () => {
  const before = `b0
      S2R %R0, SR_TID.X
      S2R %R1, SR_CTAID.X
      IADD3 %R2, %R0, %R1, RZ
      STS [%R2+0x8], %R0
      LDS %R3, [%R2]
      STS [%R1+0x10], %R3
      EXIT`;
  const expected = `b0
      S2R %R0, SR_TID.X
      S2UR %UR9, SR_CTAID.X
      STS [%R0+%UR9+0x8], %R0
      LDS %R3, [%R0+%UR9]
      STS [%UR9+0x10], %R3
      EXIT`;
  expect(run(before)).toBe(normalize(expected));
});

test("… and stays a sum where one does not", () => {
  const before = `b0
      S2R %R0, SR_TID.X
      S2R %R1, SR_CTAID.X
      IADD3 %R2, %R0, %R1, RZ
      ATOMS.ADD %R3, [%R2], %R0
      ATOMS.CAS %R5, [%R2+0x8], %R0, %R3
      EXIT`;
  const expected = before.replace("S2R %R1", "S2UR %UR9").replace("%R0, %R1, RZ", "%R0, %UR9, RZ");
  expect(run(before)).toBe(normalize(expected));
});
