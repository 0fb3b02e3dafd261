/** A compilation tells every knob that it read: reader, value, set or default; and what was set and never asked for. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile, lower, parse, runPhases, unwrap } from "../../lib/index.js";
import { findKnob, knobs, watched } from "../../lib/knobs/index.js";
import { KnobLog } from "../../lib/knobs/reads.js";
import { phaseParameters } from "../../lib/phases/parameters.js";
import { unrollLimits } from "../../lib/phases/unroll-cost.js";
import { defaultKnobs } from "../../lib/regalloc/index.js";
import { defaultParameters } from "../../lib/sched/index.js";

const corpus = (name: string): string => readFileSync(join(__dirname, `../corpus/ptx/sm_90/${name}.ptx`), "latin1");
const of = (name: string, options: object = {}) => compile(corpus(name), { target: "sm_90", ...options });
const reading = (c: ReturnType<typeof compile>, knob: string) => c.knobs.find((k) => k.knob === knob);

test("knobs that were set come first, with who read them", () => {
  const c = of("sgemm", { knobs: { SchedLDSLatency: "0x20", regallocsortregs: 1, SchedTexLatency: 5 } });
  expect(c.knobs.slice(0, 3)).toEqual([
    {
      knob: "SchedLDSLatency",
      number: 757,
      value: 32,
      set: true,
      component: "sched",
      option: "ldsLatency",
      readers: ["ScheduleInstructions", "PostSchedule"],
    },
    {
      knob: "RegAllocSortRegs",
      number: 657,
      value: 1,
      set: true,
      component: "regalloc",
      option: "order",
      readers: ["AllocateRegisters"],
    },
    // The kernel has no texture fetch.
    expect.objectContaining({ knob: "SchedTexLatency", value: 5, set: true, readers: [] }),
  ]);
  expect(c.knobs.slice(3).every((k) => !k.set && k.readers.length > 0)).toBe(true);
});

test("knobs at their defaults: value and readers, of every component", () => {
  const c = of("sgemm");
  const read = (knob: string) => [reading(c, knob)?.value, reading(c, knob)?.readers];
  expect(read("LoopInversionBudget")).toEqual([16, ["OriLoopSimplification"]]);
  expect(read("LoopUnroll")).toEqual([true, ["OriLoopUnrolling"]]);
  expect(read("HoistConservativeScale")).toEqual([10, ["OriHoistInvariantsEarly", "OriHoistInvariantsLate"]]);
  expect(read("RegAllocThresholdForDiscardConflicts")).toEqual([50, ["AllocateRegisters"]]);
  expect(read("SchedLDSLatency")).toEqual([null, ["ScheduleInstructions", "PostSchedule"]]);
  expect(read("SbXBlock")).toEqual([1, ["AdvancedScoreboardsAndOpexes"]]);
  expect(read("DisablePadding")).toEqual([false, ["encode"]]);
  expect(new Set(c.knobs.map((k) => k.component))).toEqual(
    new Set(["report", "lower", "phases", "optimizer", "unroll", "sched", "regalloc", "control", "encode", "link"]),
  );
});

test("a knob that no decision of the kernel asks for is not among them", () => {
  expect(reading(of("saxpy"), "SchedLDSLatency")).toBeUndefined();
  expect(reading(of("saxpy"), "LoopUnroll")?.readers ?? []).not.toContain("AllocateRegisters");
  expect(reading(of("sgemm", { opt: 0 }), "LoopUnroll")).toBeUndefined();
});

test("a phase that is left out reads nothing; options of the caller count as set, and a policy of the caller asks for no knob", () => {
  const without = of("sgemm", { phases: { disablePhases: "OriLoopUnrolling" } });
  expect(reading(without, "LoopUnroll")).toBeUndefined();
  const c = of("sgemm", { phases: { parameters: { LoopInversionBudget: 4 }, schedule: { pre: null } } });
  expect(reading(c, "LoopInversionBudget")).toMatchObject({ value: 4, set: true });
  expect(reading(c, "SchedForceReverseOrder")).toBeUndefined();
  expect(reading(c, "PreserveSchedOrder")?.readers).toEqual(["PostSchedule"]);
});

test("options in another form than the knob's are told as the knob has them", () => {
  const knobs = {
    SchedModelIdentityMove: 1,
    SchedResBusyOp: "FFMA,3,LDG,8",
    SchedEstimatedLoopIterations: "8",
    RegTargetList: "32,64",
  };
  expect(
    Object.fromEntries(
      of("sgemm", { knobs })
        .knobs.slice(0, 4)
        .map((k) => [k.knob, k.value]),
    ),
  ).toEqual({
    ...knobs,
    RegTargetList: [32, 64],
  });
});

test("listening changes no code, and nobody is told who does not ask", () => {
  const program = unwrap(lower(unwrap(parse(corpus("sgemm"))), { target: "sm_90" }));
  const seen: string[] = [];
  unwrap(
    runPhases(program.funcs[0]!, {
      onKnob: (component, option, _, __, phase) => seen.push(`${phase} ${component} ${option}`),
    }),
  );
  expect(seen).toContain("OriLoopUnrolling unroll LoopUnroll");
  const lean = of("sgemm", { lean: true });
  expect(lean.knobs).toEqual([]);
  expect(Buffer.from(of("sgemm").cubin ?? [])).toEqual(Buffer.from(lean.cubin ?? [1]));
});

test("a view tells each field once, at its first read, and has what the options have", () => {
  const told: unknown[] = [];
  const view = watched({ a: 1, b: 2 }, { a: 0, b: 2 }, (...read) => told.push(read));
  expect([view.a, view.a, view.b]).toEqual([1, 1, 2]);
  expect(told).toEqual([
    ["a", 1, 0],
    ["b", 2, 2],
  ]);
  const plain = { a: 1 };
  expect(watched(plain, { a: 0 }, undefined)).toBe(plain);
});

test("every field of the tables of options that a knob sets is one of the registry", () => {
  const names = (component: string) =>
    knobs.flatMap((k) =>
      k.readBy?.startsWith(`${component}: `) === true ? [k.readBy.slice(component.length + 2)] : [],
    );
  expect(names("optimizer").sort()).toEqual(Object.keys(phaseParameters).sort());
  expect(names("unroll").sort()).toEqual(Object.keys(unrollLimits).sort());
  expect(names("regalloc").sort()).toEqual(Object.keys(defaultKnobs).sort());
  expect(names("sched")).toEqual(
    expect.arrayContaining(Object.keys(defaultParameters).filter((n) => n !== "lookahead")),
  );
});

test("the log: one line per knob however many read it", () => {
  const log = new KnobLog({ LoopUnroll: false });
  log.note("A", "unroll", "UnrollBudget", 350, 350);
  log.note("B", "unroll", "UnrollBudget", 350, 350);
  expect(log.readings().map((r) => [r.knob, r.value, r.set, r.readers])).toEqual([
    ["LoopUnroll", false, true, []],
    ["UnrollBudget", 350, false, ["A", "B"]],
  ]);
  expect(findKnob("UnrollBudget")?.readBy).toBe("unroll: UnrollBudget");
});

test("a compilation's display tells the knobs that were set, and the list shows itself", () => {
  const { inspect } = require("node:util") as typeof import("node:util");
  const c = of("saxpy", { knobs: { SchedTexLatency: 5, RegAllocSortRegs: 1 } });
  expect(inspect(c)).toContain("knob SchedTexLatency = 5, read by nobody: no decision asked for it");
  expect(inspect(c)).toContain("knob RegAllocSortRegs = 1, read by AllocateRegisters");
  expect(inspect(c.knobs)).toMatch(/^LoopInversion = true \(default\), read by OriLoopSimplification$/m);
  expect(inspect(of("saxpy"))).not.toContain("knob");
});
