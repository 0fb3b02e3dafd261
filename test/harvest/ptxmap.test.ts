import { chosenSass, ptxMapText, testedPtx } from "../../tools/harvest/ptxmap";

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

test("rows join targets and instructions that are alike; refusals are left out", () => {
  const both = ["not.b32 %r20, %r1;\tLOP3.LUT R0, RZ, R0, RZ, 0x33", "not.b64 %l20, %l1;\trefused: no"];
  const text = ptxMapText(
    new Map([
      ["75", both],
      [
        "80",
        [...both, "not.b32 %r20, 7;\tMOV R0, 0x8", "cnot.b32 %r20, %r1;\tISETP.NE P0, R0, RZ, PT ; SEL R0, R0, R1, P0"],
      ],
    ]),
    "O3",
  );
  expect(text.split("\n").filter((l) => !l.startsWith("#"))).toEqual([
    "cnot.b32",
    "  80: ISETP.NE SEL",
    "not.b32",
    "  75: LOP3.LUT",
    "  80: LOP3.LUT | MOV",
    "",
  ]);
});
