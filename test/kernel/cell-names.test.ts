/** Completion of knobs, phases and policies in cells of TypeScript. */
import { completeNames, inspectNames } from "../../lib/index.js";

/** The cursor is at `|`; null where the compiler is asked. */
const complete = (cell: string): readonly string[] | null =>
  completeNames(cell.replace("|", ""), cell.indexOf("|"))?.candidates ?? null;

test("keys of knobs are those that act, quoted or not", () => {
  expect(complete("compile(ptx, { target: 'sm_90', knobs: { LoopUnr|")).toContain("LoopUnroll");
  expect(complete("compile(ptx, { knobs: { 'LoopUnr|")).toContain("LoopUnroll");
  expect(complete("compile(ptx, { knobs: { LoopUnroll: 0, HoistLa|")).toEqual(["HoistLate"]);
  expect(complete('compile(ptx, { "knobs": { "A": [1, 2], HoistLa|')).toEqual(["HoistLate"]);
  expect(complete("const o = {\n  // knobs\n  knobs: {\n    HoistLa|\n  },\n};")).toEqual(["HoistLate"]);
});

test("values of a knob are no names, but where it names phases", () => {
  expect(complete("compile(ptx, { knobs: { HoistLate: Hoist|")).toBeNull();
  expect(complete("compile(ptx, { knobs: { DisablePhases: 'GvnC|")).toEqual(["GvnCse"]);
});

test("phases in lists of names, each after the one before", () => {
  expect(complete('runPhases(f, { disablePhases: "GvnC|')).toEqual(["GvnCse"]);
  expect(complete('runPhases(f, { disablePhases: "OriBranchOpt+GvnC|')).toEqual(["GvnCse"]);
  expect(completeNames('runPhases(f, { disablePhases: "A+GvnC', 37)).toMatchObject({ start: 33, end: 37 });
});

test("policies by name", () => {
  expect(complete('policyNamed("critical|')).toContain("critical-path");
  expect(complete('sweep({ policies: ["keep", "critical|')).toContain("critical-path");
});

test("of all knobs where one is looked up", () => {
  expect(complete('knobs.findKnob("AllowReass|')).toEqual(["AllowReassociateCSE"]);
});

test("names are explained where they mean something", () => {
  const explain = (cell: string): string | null => inspectNames(cell.replace("|", ""), cell.indexOf("|"));
  expect(explain("compile(ptx, { knobs: { Loop|Unroll: 0 } })")).toBe(
    "LoopUnroll (flag, 1 when not set): loops are unrolled at all\nread by unroll: LoopUnroll",
  );
  expect(explain('knobs.findKnob("AllowReass|ociateCSE")')).toMatch(/\nnothing reads it$/);
  expect(explain('runPhases(f, { disablePhases: "GvnC|se" })')).toMatch(/^GvnCse: ./);
  expect(explain('policyNamed("source-or|der")')).toBeNull();
  expect(explain("const Loop|Unroll = 1")).toBeNull();
});

test("elsewhere the compiler is asked", () => {
  for (const cell of [
    "comp|",
    'const a = "Gvn|',
    "f({ knobs: { A: 1 } }, HoistLa|",
    "const knobs = 1; Hoi|",
    "f({ other: { HoistLa|",
    "// knobs: { Hoist|",
  ])
    expect([cell, complete(cell)]).toEqual([cell, null]);
});
