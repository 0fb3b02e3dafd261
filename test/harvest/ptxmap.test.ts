import { readFileSync } from "node:fs";
import { chosenSass, columnsText, PtxMap, ptxMapText, testedPtx } from "../../tools/harvest/ptxmap";

test("set-up code is left out of both sides", () => {
  expect(testedPtx("add.s32 %r20, %r1, 7;")).toBe("add.s32");
  expect(testedPtx("mov.u32 %x20, s; ld.global.b32 %r1,[%y2]; atom.shared.max.u64 %l20,[%x20],%l1;")).toBe(
    "atom.shared.max.u64",
  );
  expect(testedPtx("ld.global.u8 %h1,[%y2]; st.global.b16 [%y3],%h1;")).toBe("ld.global.u8");
  expect(testedPtx("L1: bra L1;")).toBeNull();
  expect(chosenSass("@!P0 IMAD.MOV R1, RZ, RZ, R2 ; IADD3 R1, R1, 0x7, RZ", false)).toBe("IMAD.MOV IADD3");
  expect(chosenSass("LDG.E R0, [R2.64] ; ATOMS.MAX RZ, [R1], R0 ; ATOMS.MAX RZ, [R1], R3 ; STG.E [R2], R0", true)).toBe(
    "ATOMS.MAX",
  );
});

const both = [
  ["not.b64 %l20, %l1;", "refused: no"],
  ["not.b32 %r20, %r1;", "LOP3.LUT R0, RZ, R0, RZ, 0x33"],
  ["not.b32 %r20, 7;", "MOV R0, 0x8"],
] as const;
const more = [
  ["cnot.b32 %r20, %r1;", "ISETP.NE P0, R0, RZ, PT ; SEL R0, R0, R1, P0 ; MOV R1, R0 ; MOV R2, R1 ; MOV.64 R2, R2"],
] as const;
const text = ptxMapText([
  [{ level: "O0", sm: "75" }, both],
  [{ level: "O3", sm: "75" }, both],
  [{ level: "O3", sm: "80" }, [...both, ...more]],
]);

test("rows join targets and instructions that are alike; refusals are left out", () => {
  expect(text.split("\n").filter((l) => !l.startsWith("# ") || l.startsWith("#   "))).toEqual([
    "#   O0 75",
    "#   O3 75,80",
    "cnot.b32",
    "  O3 80: ISETP.NE SEL MOV*2 MOV.64",
    "not.b32",
    "  O0 all O3 all: LOP3.LUT",
    "",
  ]);
});

test("the text is read back", () => {
  const map = new PtxMap(text);
  expect([...map.instructions]).toEqual(["cnot.b32", "not.b32"]);
  expect(map.choiceOf("not.b32", "O0", "75")).toBe("LOP3.LUT");
  expect(map.choiceOf("cnot.b32", "O3", "80")).toBe("ISETP.NE SEL MOV MOV MOV.64");
  expect(map.choiceOf("cnot.b32", "O3", "75")).toBeNull();
  expect(map.choiceOf("not.b32", "O0", "80")).toBeNull();
});

test("neighbours among the targets make a range", () => {
  const all = "75 80 86 90a 100a".split(" ").map((sm) => ({ level: "O3" as const, sm }));
  const pick = (...at: number[]): string =>
    columnsText(
      at.map((i) => all[i]!),
      all,
    );
  expect([pick(0, 1, 2, 4), pick(1, 2), pick(0, 1, 2, 3, 4)]).toEqual(["O3 75-86,100a", "O3 80,86", "O3 all"]);
});

test("the committed map", () => {
  const map = new PtxMap(readFileSync("tools/harvest/data/ptx-sass.txt", "utf8"));
  expect(map.choiceOf("add.s64", "O3", "80")).toBe("IADD3 IADD3.X");
  // Every target that was compiled takes it, at every level.
  expect(map.columns.filter((c) => map.choiceOf("add.s32", c.level, c.sm) === null)).toEqual([]);
});
