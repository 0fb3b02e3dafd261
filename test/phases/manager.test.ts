import { form } from "../../lib/isa/form.js";
import { Builder } from "../../lib/ori/builder.js";
import { newFunc, newInst } from "../../lib/ori/func.js";
import * as o from "../../lib/ori/operand.js";
import type { Func } from "../../lib/ori/types.js";
import { verify } from "../../lib/ori/verify.js";
import { bodies } from "../../lib/phases/bodies.js";
import { runPhase, runPhases } from "../../lib/phases/manager.js";
import { parsePhaseList, phaseIndex, phaseNames } from "../../lib/phases/names.js";
import { dumpIr, phaseStatistics } from "../../lib/phases/report.js";
import { order, type PhaseName, phases } from "../../lib/phases/table.js";
import type { PhaseEvent, PhaseOptions } from "../../lib/phases/types.js";
import { target } from "../../lib/target/index.js";
import { makePhysical } from "../ori/physical.js";

describe("the table", () => {
  test("159 phases with unique names, each with a body or a reason", () => {
    expect(phases).toHaveLength(159);
    expect(new Set(phaseNames).size).toBe(159);
    for (const p of phases) {
      const body = bodies[p.name];
      expect(typeof body === "function" || body.none.length > 0).toBe(true);
      expect(p.does).not.toBe("");
    }
    expect(phases.map((p) => p.index)).toEqual(phases.map((_, i) => i));
  });

  /** Positions that the wiki quotes as true indices (wiki page 17). */
  test("anchors", () => {
    const anchors: Partial<Record<PhaseName, number>> = {
      ConvertUnsupportedOps: 5,
      UpdateAfterConvertUnsupportedOps: 8,
      MidExpansion: 51,
      GvnCse: 56,
      OriReassociateAndCommon: 58,
      LateExpansion: 63,
      LateOriCommoning: 74,
      LateExpansionUnsupportedOps: 90,
      LateExpansionUnsupportedOpsMid: 93,
      OriBackCopyPropagate: 97,
      LateExpansionUnsupportedOps2: 109,
      SetAfterLegalization: 111,
      AdvancedPhasePreSched: 113,
      ScheduleInstructions: 114,
      AdvancedPhaseAllocReg: 121,
      AllocateRegisters: 122,
      PostSchedule: 133,
      NOP: 158,
    };
    for (const [name, index] of Object.entries(anchors)) expect([name, phaseIndex(name)]).toEqual([name, index]);
  });

  test("the wiki's numbers 0 … 158 belong to one phase each, and its double listings are the Mercury phases", () => {
    const owners = new Map<number, string[]>();
    for (const p of phases) for (const n of p.wiki) owners.set(n, [...(owners.get(n) ?? []), p.name]);
    expect([...owners.values()].every((names) => names.length === 1)).toBe(true);
    expect(phases.filter((p) => p.wiki.length === 0)).toHaveLength(16);
    expect(phases.filter((p) => p.wiki.length === 2)).toHaveLength(16);
    expect([...owners.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 159 }, (_, i) => i));
  });

  test("families", () => {
    const count = (pattern: RegExp): number => phaseNames.filter((n) => pattern.test(n)).length;
    expect(count(/^AdvancedPhase/)).toBe(15);
    expect(count(/^GeneralOptimize/)).toBe(6);
    expect(count(/^OriPerformLiveDead/)).toBe(4);
    expect(count(/^OriHoistInvariants/)).toBe(4);
  });

  test.each(order)("%s stands ahead of %s: %s", (first, then) => {
    expect(phaseIndex(first)).toBeLessThan(phaseIndex(then));
  });
});

describe("phase lists", () => {
  const read = (text: string): [string, string | null][] =>
    parsePhaseList(text, "NamedPhases", []).map((r) => [phases[r.index]?.name ?? "", r.parameter]);

  test("+ between entries, the first comma ahead of the parameter, case does not matter", () => {
    expect(read("OriCopyProp,2+gvncse+NOP,a,b")).toEqual([
      ["OriCopyProp", "2"],
      ["GvnCse", null],
      ["NOP", "a,b"],
    ]);
    expect(read("")).toEqual([]);
  });

  test("an unknown name is an error that suggests", () => {
    const result = runPhases(sample(), { disablePhases: "OriCopyPropp+NOP" });
    expect(result.ok).toBe(false);
    expect(result.diagnostics.map((d) => d.message)).toEqual([
      "DisablePhases: unknown phase 'OriCopyPropp' (did you mean OriCopyProp?)",
    ]);
  });

  test("what cannot be left out is refused", () => {
    const result = runPhases(sample(), { disablePhases: "AllocateRegisters" });
    expect(result.diagnostics.map((d) => d.message)).toEqual([
      "DisablePhases: phase 'AllocateRegisters' cannot be left out",
    ]);
  });
});

function sample(): Func {
  const b = new Builder(newFunc("k", target("sm_90")));
  const [x, unused] = [b.r(), b.r()];
  b.emit("MOV", [x], [o.imm(1)]);
  b.emit("MOV", [unused], [o.imm(2)]);
  b.emit("NOP");
  b.emit("STG.E", [], { base: o.RZ(2), data: o.clone(x) });
  b.exit();
  return b.finish();
}

const nothing = (): void => {};
/** The manager by itself: allocation and control are other components', so here is the simplest allocation there is. */
const alone: PhaseOptions = {
  level: 0,
  bodies: {
    AllocateRegisters: (f) => {
      makePhysical(f);
      f.milestone = "allocated";
    },
    ProcessO0WaitsAndSBs: nothing,
  },
};

function ran(options: PhaseOptions): string[] {
  const result = runPhases(sample(), options);
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("; "));
  return result.value.records.filter((r) => r.ran).map((r) => r.phase);
}

describe("running", () => {
  test("every phase is accounted for, in true order, with a reason where it did not run", () => {
    const result = runPhases(sample(), alone);
    if (!result.ok) throw new Error("failed");
    const { records } = result.value;
    expect(records.map((r) => r.phase)).toEqual(phaseNames);
    for (const r of records) expect(r.ran).toBe(r.why === "");
    expect(records[phaseIndex("GenerateMovPhi")]?.why).toBe("runs from -O1");
  });

  test("level 3 is level 2; levels choose between the two ways to control words", () => {
    const at = (level: number): string[] => ran({ ...alone, level });
    expect(at(3)).toEqual(at(2));
    expect(at(2)).toContain("PostSchedule");
    expect(at(1)).not.toContain("PostSchedule");
    expect(at(0).at(-1)).toBe("PostFixUp");
    for (const level of [1, 2]) expect(at(level).at(-2)).toBe("AdvancedScoreboardsAndOpexes");
    expect(at(0).at(-2)).toBe("ProcessO0WaitsAndSBs");
  });

  test("DisablePhases leaves out what it names", () => {
    expect(ran(alone)).toContain("OriRemoveNopCode");
    expect(ran({ ...alone, disablePhases: "OriRemoveNopCode" })).not.toContain("OriRemoveNopCode");
  });

  test("NamedPhases runs what it names in that order, besides what cannot be left out", () => {
    expect(ran({ ...alone, namedPhases: "OriSimpleLiveDead+EarlyOriSimpleLiveDead" })).toEqual([
      "OriCheckInitialProgram",
      "AnalyzeControlFlow",
      "SetControlFlowOpLastInBB",
      "OriSimpleLiveDead",
      "EarlyOriSimpleLiveDead",
      "ConvertAllMovPhiToMov",
      "ExpandJmxComputation",
      "FixupGmmaSequence",
      "AllocateRegisters",
      "ProcessO0WaitsAndSBs",
      "PostFixUp",
    ]);
  });

  test("a named phase gets its parameter", () => {
    const seen: (string | null)[] = [];
    const spy = (_: Func, c: { parameter: string | null }): void => void seen.push(c.parameter);
    runPhases(sample(), { bodies: { ...alone.bodies, OriCopyProp: spy }, namedPhases: "OriCopyProp,fast" });
    expect(seen).toEqual(["fast"]);
  });

  test("a function at a hook runs, and can edit", () => {
    const func = sample();
    const result = runPhases(func, {
      ...alone,
      hooks: {
        AdvancedPhaseAfterConvUnSup: (f) => {
          f.blocks[0]?.insts.splice(0, 0, newInst(f, form("NOP"), [], []));
          f.generation++;
        },
      },
      disablePhases: "OriRemoveNopCode",
    });
    expect(result.ok).toBe(true);
    expect(func.blocks[0]?.insts[0]?.form.op).toBe("NOP");
  });

  test("a phase that reports an error ends the run", () => {
    const seen: string[] = [];
    const result = runPhases(sample(), {
      bodies: {
        ...alone.bodies,
        OriCopyProp: nothing,
        AllocateRegisters: (_f, c) =>
          c.report({ severity: "error", message: "too many registers", span: null, kind: "input" }),
        PostFixUp: () => void seen.push("PostFixUp"),
      },
    });
    expect(result).toMatchObject({ ok: false, diagnostics: [{ message: "too many registers" }] });
    expect(seen).toEqual([]);
  });
});

describe("observation", () => {
  function observed(options: PhaseOptions = alone): PhaseEvent[] {
    const events: PhaseEvent[] = [];
    runPhases(sample(), { ...options, observe: (e) => void events.push(e) });
    return events;
  }

  test("before and after each phase that ran", () => {
    const events = observed();
    expect(events.map((e) => e.kind)).toEqual(events.map((_, i) => (i % 2 === 0 ? "before" : "after")));
    expect(events.filter((e) => e.kind === "after").map((e) => e.phase)).toEqual(ran(alone));
  });

  test("metrics are those of the moment", () => {
    const counts = new Map<string, number>();
    const live: number[] = [];
    const func = sample();
    runPhases(func, {
      ...alone,
      observe: (e) => {
        if (e.kind === "after") counts.set(e.phase, e.metrics.instructions);
        if (e.kind === "after" && e.phase === "EarlyOriSimpleLiveDead") {
          live.push(e.metrics.maxLive.R, e.metrics.pressure.R.at.length, e.metrics.codeBytes, e.metrics.blocks);
          expect(e.changed).toBe(true);
        }
      },
    });
    expect(counts.get("AnalyzeControlFlow")).toBe(5);
    expect(counts.get("EarlyOriSimpleLiveDead")).toBe(4);
    expect(counts.get("OriRemoveNopCode")).toBe(3);
    expect(live).toEqual([1, 4, 64, 1]);
  });

  test("a snapshot stays as it was; metrics of a past event are refused", () => {
    const snaps: Func[] = [];
    const past: PhaseEvent[] = [];
    runPhases(sample(), {
      ...alone,
      observe: (e) => {
        if (e.kind === "before" && e.phase === "EarlyOriSimpleLiveDead") {
          snaps.push(e.snapshot());
          past.push(e);
        }
      },
    });
    expect(snaps[0]?.blocks[0]?.insts).toHaveLength(5);
    expect(verify(snaps[0] as Func)).toEqual([]);
    expect(() => past[0]?.metrics.instructions).toThrow(/changed since/);
  });
});

describe("parts of a run", () => {
  const messages = (options: PhaseOptions, func = sample()): string[] =>
    runPhases(func, options).diagnostics.map((d) => d.message);

  test("from, to, stopBefore; a function goes on where it stands", () => {
    const func = sample();
    const names = (options: PhaseOptions): string[] => {
      const result = runPhases(func, { ...alone, ...options });
      return result.ok ? result.value.records.map((r) => r.phase) : ["failed"];
    };
    expect(names({ to: "PromoteFP16" })).toEqual(phaseNames.slice(0, 3));
    expect(func.passed).toEqual({ phase: "PromoteFP16", level: 0 });
    expect(names({ stopBefore: "ConvertUnsupportedOps" })).toEqual(phaseNames.slice(3, 5));
    expect(names({ to: "SetControlFlowOpLastInBB" }).at(-1)).toBe("SetControlFlowOpLastInBB");
    expect(names({ from: "OriCopyProp", to: "OriCopyProp" })).toEqual(["OriCopyProp"]);
    expect(names({})).toEqual(phaseNames.slice(phaseIndex("OriCopyProp") + 1));
    expect(names({})).toEqual([]);
    expect(messages({ to: "OriCopyProp" }, func)).toEqual([
      "to: phase 'OriCopyProp' stands before 'NOP', which the function has passed",
    ]);
    expect(messages({ from: "AllocateRegisters" })).toEqual([
      "from: phase 'OriCheckInitialProgram' must run before 'AllocateRegisters', and the function has not passed it",
    ]);
    expect(messages({ from: "PostFixUp" }, func)).toEqual([]);
    const early = sample();
    runPhases(early, { ...alone, to: "GenerateMovPhi" });
    expect(messages({ from: "ScheduleInstructions" }, early)).toEqual([
      "from: phase 'ConvertAllMovPhiToMov' must run before 'ScheduleInstructions', and the function has not passed it",
    ]);
    expect(messages({ from: "OriCheckInitialProgram", stopBefore: "PromoteFP16" })).toEqual([]);
    expect(messages({ from: "OriCopyProp", stopBefore: "PromoteFP16" }, func)).toEqual([
      "stopBefore: phase 'PromoteFP16' stands before 'OriCopyProp', where the run begins",
    ]);
  });

  test("what a phase needs is said, not found out by a crash", () => {
    const func = sample();
    runPhases(func, { ...alone, to: "AllocateRegisters" });
    expect(messages({ from: "OriPerformLiveDeadFirst" }, func)).toEqual([
      "phase 'OriPerformLiveDeadFirst' works on virtual registers, and registers are allocated already",
    ]);
    expect(runPhase(sample(), "PostSchedule").diagnostics.map((d) => d.message)).toEqual([
      "phase 'PostSchedule' works on physical registers, and none are allocated yet",
    ]);
    for (const phase of [
      "GeneralOptimize",
      "GvnCse",
      "OriCommoning",
      "GeneralOptimizeLate",
      "SinkCodeIntoBlock",
    ] as const)
      expect(runPhase(sample(), phase).diagnostics.map((d) => d.message)).toEqual([
        `phase '${phase}' works between GenerateMovPhi and ConvertAllMovPhiToMov`,
      ]);
    expect(messages({ namedPhases: "ConvertAllMovPhiToMov+GenerateMovPhi" })).toEqual([
      "NamedPhases: phase 'ConvertAllMovPhiToMov' cannot stand ahead of 'GenerateMovPhi': the SSA window must close",
    ]);
    expect(messages({ stopBefore: "OriCopyPropp" as PhaseName })).toEqual([
      "stopBefore: unknown phase 'OriCopyPropp' (did you mean OriCopyProp?)",
    ]);
  });

  test("what a function of the caller throws is the caller's, with its place; phases left out have records", () => {
    const fails = (): void => {
      throw new TypeError("x is not a function");
    };
    const [told] = messages({ hooks: { AdvancedPhaseBeforeConvUnSup: fails } });
    expect(told).toMatch(
      /^the body given for phase 'AdvancedPhaseBeforeConvUnSup' failed: TypeError: x is not a function, at .*manager\.test\.ts:\d+:\d+/,
    );
    expect(messages({ observe: fails })[0]).toMatch(
      /^the observer, before phase 'OriCheckInitialProgram', failed: TypeError/,
    );
    // What a body of ours calls is told as the caller's, too; what a body of ours does wrong is not.
    expect(messages({ bodies: {}, namedPhases: "AllocateRegisters", allocation: { observe: fails } })).toEqual([
      expect.stringMatching(
        /^a function given for phase 'AllocateRegisters' failed: TypeError: x is not a function, at .*manager\.test\.ts:\d+:\d+/,
      ),
    ]);
    const result = runPhases(sample(), { ...alone, disablePhases: "OriRemoveNopCode" });
    const left = result.ok ? result.value.records.find((r) => r.phase === "OriRemoveNopCode") : undefined;
    expect(left).toMatchObject({ ran: false, why: "left out by DisablePhases" });
  });
});

describe("verification", () => {
  const pops = (f: Func): void => void f.blocks[0]?.insts.pop();

  test("a body of the caller that breaks the function is told as the caller's, with what is wrong", () => {
    const result = runPhases(sample(), {
      verify: true,
      bodies: { ...alone.bodies, OriCopyProp: pops },
      namedPhases: "OriCopyProp",
    });
    expect(result.diagnostics.map((d) => d.message)).toEqual([
      expect.stringMatching(
        /^the body given for phase 'OriCopyProp' broke the IR: .*control runs past block 0.*\(function k\)$/,
      ),
    ]);
  });

  test("reports what lowering got wrong before any phase runs", () => {
    const func = sample();
    func.blocks[0]?.insts.pop();
    expect(() => runPhases(func, { ...alone, verify: true })).toThrow(/wrong before the first phase/);
  });

  test("registers that the PTX never defines are not ours to complain about", () => {
    const b = new Builder(newFunc("k", target("sm_90")));
    b.emit("STG.E", [], { base: o.RZ(2), data: b.r() });
    b.exit();
    expect(runPhases(b.finish(), { ...alone, verify: true }).ok).toBe(true);
  });
});

describe("reports", () => {
  test("statistics: one line per phase that ran", () => {
    const result = runPhases(sample(), alone);
    if (!result.ok) throw new Error("failed");
    const lines = phaseStatistics(result.value.records).split("\n");
    expect(lines[0]).toBe("  #  phase                     edits  instructions  values");
    expect(lines).toContain(" 11  EarlyOriSimpleLiveDead        1             4       2");
    expect(lines).toContain("130  OriRemoveNopCode              1             3       2");
    expect(phaseStatistics(result.value.records, { all: true }).split("\n")).toHaveLength(161);
    expect(phaseStatistics(result.value.records, { all: true })).toContain("runs from -O1");
  });

  test("dumps: the IR after the phases asked for", () => {
    const texts: [string, number][] = [];
    const observe = dumpIr(["oriremovenopcode", "NOP"], (phase, text) => texts.push([phase, text.split("\n").length]));
    runPhases(sample(), { ...alone, observe });
    expect(texts.map(([phase]) => phase)).toEqual(["OriRemoveNopCode"]);
  });
});
