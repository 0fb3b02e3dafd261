import {
  findKnob,
  knobCount,
  knobs,
  nearest,
  optionsOf,
  parseValue,
  readKnobs,
  suggestion,
} from "../../lib/knobs/index.js";
import { familyOf, namedRules } from "../../lib/phases/rule-groups.js";
import { defaultKnobs } from "../../lib/regalloc/policies.js";
import type { AllocatorKnobs } from "../../lib/regalloc/types.js";
import { rules } from "../../lib/rules/index.js";

test("names and numbers are unique", () => {
  const numbers = knobs.flatMap((k) => (k.number === null ? [] : [k.number]));
  expect(new Set(numbers).size).toBe(numbers.length);
  expect([knobs.length, numbers.length]).toEqual([376, 237]);
  expect(knobs.every((k) => k.says.length > 5 && /^\d\d$/.test(k.page))).toBe(true);
  expect(new Set(knobs.map((k) => k.name.toLowerCase())).size).toBe(knobs.length);
});

/** Byte offsets that the wiki quotes are 72 · number + 8 (wiki page 63). */
test("numbers agree with the offsets on wiki pages 33 and 37", () => {
  expect(46232).toBe(72 * (findKnob("RegAllocPerfDiffBackoffBegin")?.number ?? 0) + 8);
  expect(46304).toBe(72 * (findKnob("RegAllocPerfDiffBackoffEnd")?.number ?? 0) + 8);
  expect(13320).toBe(72 * (findKnob("DisablePhases")?.number ?? 0));
  expect(21464).toBe(72 * (findKnob("NamedPhases")?.number ?? 0) + 8);
});

test("lookup by name in any case, and by number", () => {
  expect(findKnob("regallocthresholdfordiscardconflicts")?.number).toBe(684);
  expect(findKnob(684)).toMatchObject({ name: "RegAllocThresholdForDiscardConflicts", value: 50 });
  expect(findKnob("684")).toBe(findKnob(684));
  expect(findKnob("nonsense")).toBeUndefined();
  // The others of ptxas have numbers alone, and nothing reads them.
  expect(findKnob(7)).toMatchObject({ number: 7, name: "7", readBy: null });
  expect([findKnob(knobCount), findKnob(-1), findKnob("")]).toEqual([undefined, undefined, undefined]);
  expect(readKnobs({ "7": 1 }).diagnostics[0]!.message).toBe("knob '7' has no effect: nothing reads it yet");
  expect(readKnobs({ "684": 60 })).toMatchObject({ value: { RegAllocThresholdForDiscardConflicts: 60 } });
});

test("settings are read by type", () => {
  expect(readKnobs({ regallocthresholdfordiscardconflicts: "0x3c", DisablePhases: "A+B" })).toMatchObject({
    ok: true,
    value: { RegAllocThresholdForDiscardConflicts: 60, DisablePhases: "A+B" },
  });
});

test("values become options of the components that read them", () => {
  const read = readKnobs({ RegAllocThresholdForDiscardConflicts: 60, RegAllocPerfDiffBackoff: "", NamedPhases: "NOP" });
  if (!read.ok) throw new Error(read.diagnostics[0]?.message);
  expect(optionsOf("regalloc", read.value)).toEqual({ regAllocThreshold: 60, bankAware: true });
  expect(optionsOf("phases", read.value)).toEqual({ namedPhases: "NOP" });
  // The allocator's own names of its knobs.
  const allocator: Partial<AllocatorKnobs> = optionsOf("regalloc", read.value);
  expect(Object.keys(allocator).every((k) => k in defaultKnobs)).toBe(true);
});

test("what is wrong with a setting is said, all at once", () => {
  const result = readKnobs({
    RegAllocTreshold: 1,
    RegAllocNumNonSpillTrials: "many",
    SchedReduceIncLimit: 100,
    SchedResBusyOp: "FFMA",
  });
  expect(result.ok).toBe(false);
  expect(result.diagnostics.map((d) => d.message)).toEqual([
    expect.stringMatching(/^unknown knob 'RegAllocTreshold'/),
    "knob 'RegAllocNumNonSpillTrials': 'many' is not a whole number",
    "knob 'SchedReduceIncLimit' has no effect: nothing reads it yet",
    "knob 'SchedResBusyOp': 'FFMA' is not MNEMONIC,cycles,MNEMONIC,cycles …",
  ]);
});

test.each([
  ["flag", "", true],
  ["flag", "2", null],
  ["int", "-0x10", -16],
  ["int", "1.5", null],
  ["budget", "7", 7],
  ["float", "0.045", 0.045],
  ["float", "", null],
  ["range", "100..200", [100, 200]],
  ["range", "..5", [-2147483648, 5]],
  ["range", "5", null],
  ["list", "1,-2,3", [1, -2, 3]],
  ["list", "1,,3", null],
] as const)("a %s from %j is %j", (type, text, value) => {
  expect(parseValue(type, text)).toEqual(value);
});

test("nearest names", () => {
  const names = ["GvnCse", "OriCommoning", "LateOriCommoning", "NOP"];
  expect(nearest("OriComoning", names)).toEqual(["OriCommoning", "LateOriCommoning"]);
  expect(nearest("GvnCs", names)).toEqual(["GvnCse"]);
  expect(nearest("commoning", names)).toEqual(["OriCommoning", "LateOriCommoning"]);
  expect(suggestion("zzzzzz", names)).toBe("");
  expect(suggestion("commoning", names)).toBe(" (did you mean OriCommoning or LateOriCommoning?)");
});

test("rules that a knob holds back are rules that there are", () => {
  const known = new Set(rules().map((r) => familyOf(r.name)));
  expect(namedRules.filter((name) => !known.has(name))).toEqual([]);
});
