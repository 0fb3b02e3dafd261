/** Completion and hover in cells of PTX and SASS. */
import { completeCell, inspectCell } from "../../lib/index";

/** The cursor is at `|`. */
const at = (cell: string): [string, number] => [cell.replace("|", ""), cell.indexOf("|")];
const complete = (cell: string): readonly string[] => completeCell(...at(cell)).candidates;
const inspect = (cell: string): string | null => inspectCell(...at(cell));

test("what a cell can be, for what it can be compiled", () => {
  expect(complete("%%p|")).toEqual(["%%ptx"]);
  expect(complete("%%ptx k -arch sm_10|")).toEqual(["sm_100", "sm_100a", "sm_100f", "sm_103", "sm_103a", "sm_103f"]);
  expect(complete("%%ptx k -max|")).toEqual(["-maxrregcount"]);
});

test("PTX: instructions, their modifiers and types, special and own registers, directives", () => {
  expect(complete("%%ptx k\n  cop|")).toEqual(["copysign"]);
  expect(complete("%%ptx k\n  add.r|")).toEqual(["add.rm", "add.rn", "add.rp", "add.rz"]);
  expect(complete("%%ptx k\n  add.rn.f6|")).toEqual(["add.rn.f64"]);
  expect(complete("%%ptx k\nmov.u32 %mine, %tid.x;\n  add %mi|")).toEqual(["%mine"]);
  expect(complete("%%ptx k\n  mov.u32 %r1, %clock|")).toEqual(["%clock64", "%clock_hi"]);
  expect(complete("%%ptx k\n.ver|")).toEqual([".version"]);
  expect(completeCell(...at("%%ptx k\n  cop|"))).toMatchObject({ start: 10, end: 13 });
});

test("SASS: mnemonics; CUDA: nothing", () => {
  expect(complete("%%sass k\n  IADD|")).toContain("IADD3");
  expect(complete("%%cuda k\n  ad|")).toEqual([]);
});

test("what a word is", () => {
  expect(inspect("%%sass k\n  IADD|3.X R0, R1")).toMatch(/^IADD3\n\nd = a \+ b \+ c; .*\n\nOperands: d co:P=PT/);
  expect(inspect("%%ptx k\n  mov.u32 %r1, %cluster|id.x;")).toBe(
    "%clusterid: special register, .v4.u32 (.x .y .z .w), from sm_90 and PTX 7.8 on",
  );
  expect(inspect("%%ptx k\n  copy|sign.f32 a, b;")).toMatch(/^copysign\n {2}\.f32 \| \.f64: d, a, a/);
  expect(inspect("%%ptx k\n  no|thing")).toBeNull();
});
