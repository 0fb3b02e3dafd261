/** Values of knobs that nobody sets, as the list of knobs tells them, against what compilations and the readers' own tables say. */
import { compile } from "../../lib/compile.js";
import { ownDefaults } from "../../lib/knobs/defaults.js";
import { findKnob, type Knob, type KnobValue, knobs, shownDefault } from "../../lib/knobs/index.js";
import { phaseParameters } from "../../lib/phases/parameters.js";
import { unrollLimits } from "../../lib/phases/unroll-cost.js";
import { defaultKnobs } from "../../lib/regalloc/policies.js";
import { defaultParameters } from "../../lib/sched/policy.js";
import { corpusPtx } from "../corpus/cases.js";

/** In the form that the knob has. */
function defaultOf({ type, value, ours }: Knob): KnobValue | null {
  if (ours !== undefined) return ours;
  return type === "flag" && value !== null ? value !== 0 : value;
}

test("every knob that acts has a value, the others none of our own", () => {
  expect(knobs.filter((k) => k.readBy !== null && k.value === null && k.ours === undefined)).toEqual([]);
  expect([...ownDefaults.keys()].filter((name) => (findKnob(name)?.readBy ?? null) === null)).toEqual([]);
  expect(
    ["LoopUnroll", "RegAllocSpillTexDepScale", "CopyPropBudget", "SchedTexLatency", "RematRegTargetFactor"].map((n) =>
      shownDefault(findKnob(n)!),
    ),
  ).toEqual(["1", "1 (ours), 4 in ptxas", "no limit (ours)", "by its reader's rule (ours)", "-"]);
});

test.each([
  ["optimizer", phaseParameters],
  ["unroll", unrollLimits],
  ["regalloc", defaultKnobs],
  ["sched", defaultParameters],
])("as the table of the %s has them", (component, table) => {
  const options = table as unknown as Readonly<Record<string, unknown>>;
  for (const knob of knobs) {
    const [reader, option = ""] = knob.readBy?.split(": ") ?? [];
    if (reader !== component || !(option in options)) continue;
    const said = options[option];
    const number = typeof said === "boolean" && knob.type !== "flag" ? Number(said) : said;
    expect([knob.name, number]).toEqual([knob.name, defaultOf(knob)]);
  }
});

test("as compilations read them", () => {
  const read = new Set<string>();
  for (const target of ["sm_75", "sm_90"] as const)
    for (const name of ["sgemm", "reduction", "stencil", "nbody"]) {
      for (const k of compile(corpusPtx(name, target), { target }).knobs) {
        read.add(k.knob);
        expect([k.knob, k.value]).toEqual([k.knob, defaultOf(findKnob(k.knob)!)]);
      }
    }
  expect(read.size).toBeGreaterThan(100);
});
