import { gateRows, gatesText, mnemonicOf, readGates } from "../../tools/harvest/gates";
import { allKernels, kernelText } from "../../tools/harvest/kernels";
import { expand } from "../../tools/harvest/kernels/template";
import { agree, applyEdits, difference, FLOAT_MARK, relative, tokens } from "../../tools/harvest/text";

test("texts become tokens", () => {
  expect(tokens("@!P0 IADD3.X R1, P2, -R3.reuse, c[0x0][R4+-0x10], 1.5e-3")).toEqual(
    "@ ! P0 IADD3 .X R1 , P2 , - R3 .reuse , c [ 0x0 ] [ R4 + -0x10 ] , 1.5e-3".split(" "),
  );
  expect(tokens("IMAD.MOV.U32 R1")).toEqual(["IMAD", ".U32", "R1"]);
  expect(relative(tokens("BRA 0x20"), 0x40)).toEqual(["BRA", "-0x30"]);
});

test("differences are edits that give the other text", () => {
  const pairs = [
    ["FOO R1, R2", "FOO.X R1, -R2"],
    ["LDG R1, [R2+0x10]", "LDG R1, [0x10]"],
    ["A B C D E", "E D C B A"],
    ["A", "A"],
  ];
  for (const [a, b] of pairs) expect(applyEdits(tokens(a!), difference(tokens(a!), tokens(b!)))).toEqual(tokens(b!));
});

test("edits of two fields combine; a deletion swallows what lies in it", () => {
  const base = tokens("FOO R1 + R2 , R3");
  expect(
    applyEdits(base, [
      { from: 2, to: 4, text: [] },
      { from: 3, to: 4, text: ["R9"] },
      { from: 5, to: 6, text: ["R7"] },
    ]),
  ).toEqual(tokens("FOO R1 , R7"));
  expect(
    applyEdits(base, [
      { from: 1, to: 3, text: ["X"] },
      { from: 2, to: 4, text: ["Y"] },
    ]),
  ).toBeNull();
});

test("floats agree by value", () => {
  expect(agree([`${FLOAT_MARK}0.1`], ["0.10000000149011611938"])).toBe(true);
  expect(agree([`${FLOAT_MARK}NaN`], ["+QNAN"])).toBe(true);
  expect(agree([`${FLOAT_MARK}1`], ["2"])).toBe(false);
});

test("kernel templates", () => {
  expect(expand("a<b|c<d|e>>")).toEqual(["ab", "acd", "ace"]);
  const kernels = allKernels();
  expect(new Set(kernels.map((k) => k.name)).size).toBe(kernels.length);
  expect(kernels.every((k) => !k.tested.includes("\n") && !/[<>]|\$[ds]\d/.test(k.tested))).toBe(true);
  const k = kernels.find((x) => x.tested.startsWith("shf.l.wrap.b32"))!;
  expect(kernelText(k, true).split("\n").slice(3, 5)).toEqual([".loc 1 2 0", k.tested]);
});

test("gates are written and read back", () => {
  const verdicts = new Map([
    ["90", new Map([["a.f16", "needs sm_100 on 'sm_90'"]])],
    ["100", new Map<string, string>()],
  ]);
  const rows = gateRows(verdicts, ["a.f16", "a.f32"]);
  expect(rows).toEqual([{ targets: ["100"], messages: ["needs sm_100 on '#'"], mnemonics: ["a.f16"] }]);
  expect(readGates(gatesText(rows))).toEqual(rows);
  expect(mnemonicOf("{ .reg .b8 t; cvt.x t,%f1; cvt.u32.u8 %r1,t; }")).toBe("cvt.x cvt.u32.u8");
});
