/** What the page of a compilation is told of dependences, live intervals and decisions, held against what follows from the code itself. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile, type Func, phases as phaseTools, regalloc, rulePlaces, runPhases } from "../../lib/index.js";
import { snapshot } from "../../lib/ori/index.js";
import { File } from "../../lib/ori/types.js";
import { type PipelineFunction, type PipelineMoment, pipeline, pipelineData } from "../../lib/view/index.js";

const ptxOf = (name: string): string => readFileSync(join(__dirname, `../corpus/ptx/sm_90/${name}.ptx`), "latin1");

async function shownOf(name: string, options: Parameters<typeof pipelineData>[1] = {}, more = {}) {
  const c = compile(ptxOf(name), { target: "sm_90", ...more });
  const data = await pipelineData(c, options);
  return { c, f: data.functions[0]!, lowered: c.functions[0]! };
}

const momentOf = (f: PipelineFunction, phase: string): PipelineMoment => f.moments.find((m) => m.phase === phase)!;

describe.each(["sgemm", "scan", "switch_table"])("dependences of %s", (name) => {
  test("edges go forward, paths are the longest, the order keeps them, the critical path has no slack", async () => {
    const { f } = await shownOf(name);
    for (const m of f.moments)
      for (const b of m.blocks.filter((x) => x.insts.length > 0)) {
        const d = b.dependences!;
        const n = b.insts.length;
        expect([d.earliest.length, d.ahead.length, d.issue.length]).toEqual([n, n, n]);
        const into = new Map<number, (readonly [number, number])[]>();
        for (const [from, to, cycles] of d.edges) into.set(to, [...(into.get(to) ?? []), [from, cycles]]);
        const joins = [...into.keys()].filter((k) => k >= n).length;
        /** Earliest cycle by the definition, joins as "all of these". */
        const known = new Map<number, number>();
        const earliest = (k: number): number => {
          const memo = known.get(k);
          if (memo !== undefined) return memo;
          const own = k < n && !into.has(k) ? d.earliest[k]! : 0;
          const e = Math.max(own, ...(into.get(k) ?? []).map(([from, cycles]) => earliest(from) + cycles));
          known.set(k, e);
          return e;
        };
        for (let k = 0; k < n; k++) {
          // What comes from other blocks may make it later still.
          expect(d.earliest[k]).toBeGreaterThanOrEqual(earliest(k));
          expect(d.issue[k]).toBeGreaterThanOrEqual(d.earliest[k]!);
        }
        for (const [from, to, cycles] of d.edges) {
          if (from < n && to < n) {
            expect(from).toBeLessThan(to);
            expect(d.issue[to]! - d.issue[from]!).toBeGreaterThanOrEqual(cycles);
            expect(d.earliest[to]! - d.earliest[from]!).toBeGreaterThanOrEqual(cycles);
            expect(d.ahead[from]! - d.ahead[to]!).toBeGreaterThanOrEqual(cycles);
          }
          expect(Math.max(from, to)).toBeLessThan(n + joins);
        }
        const longest = Math.max(...d.earliest.map((e, k) => e + d.ahead[k]!));
        for (const k of d.critical) expect(d.earliest[k]! + d.ahead[k]!).toBe(longest);
        expect([...d.critical].sort((a, b) => a - b)).toEqual(d.critical);
        expect(longest).toBeLessThanOrEqual(Math.max(b.cycles, d.issue.at(-1)! + 1));
      }
  });

  test("live intervals: registers are never shared, as many live as the allocator's own curve says, and the code names them", async () => {
    const { f, lowered } = await shownOf(name);
    let before: Func | null = null;
    let after: Func | null = null;
    runPhases(snapshot(lowered.lowered), {
      ...lowered.phaseOptions!,
      observe: (e) => {
        if (e.phase !== "AllocateRegisters") return;
        if (e.kind === "before") before = e.snapshot();
        else after = e.snapshot();
      },
    });
    const files = { R: File.R, UR: File.UR, P: File.P, UP: File.UP, B: File.B };
    for (const { file, insts, intervals } of f.allocation!.files) {
      expect(insts).toEqual((before as unknown as Func).blocks.flatMap((b) => b.insts.map((i) => i.id)));
      const pressure = regalloc.livePressure(before as unknown as Func, files[file as "R"]);
      const at = Array.from({ length: 2 * insts.length }, () => new Set<number>());
      for (const i of intervals) {
        expect(i.points).toHaveLength(i.width);
        i.points.forEach((p, r) => {
          for (let k = 0; k < p.length; k += 2)
            for (let point = p[k]!; point <= p[k + 1]!; point++) {
              expect(at[point]!.has(i.register + r)).toBe(false);
              at[point]!.add(i.register + r);
            }
        });
        expect(i.why).not.toBe("");
      }
      expect(at.map((s) => s.size)).toEqual([...pressure]);
    }
    // The register that a value has is what the allocated code defines where the value begins.
    const names = new Map(
      (after as unknown as Func).blocks.flatMap((b) => b.insts.map((i) => [i.id, i.dsts.map((o) => [o.file, o.id])])),
    );
    const r = f.allocation!.files.find((x) => x.file === "R")!;
    for (const i of r.intervals) {
      // Writing points are odd; a range may also begin where a block does.
      const starts = i.points.map(
        (p) => p.find((from, k) => k % 2 === 0 && from % 2 === 1) ?? Number.POSITIVE_INFINITY,
      );
      const start = Math.min(...starts);
      if (start === Number.POSITIVE_INFINITY) continue;
      const inst = r.insts[start >> 1]!;
      const first = i.register + starts.indexOf(start);
      // Copies to itself are gone from the code.
      if (names.has(inst)) expect(names.get(inst)).toContainEqual([File.R, first]);
    }
  });
});

test("spilled values say where they went and for whom", async () => {
  const { f, c } = await shownOf("nbody", {}, { maxRegisters: 24 });
  const spills = c.functions[0]!.allocation!.spills;
  expect(spills.length).toBeGreaterThan(0);
  const letter = (file: File): string => Object.entries(File).find(([, n]) => n === file)![0];
  const expected = spills.map((s) => `%${letter(s.file)}${s.value}`);
  expect(f.allocation!.spills.map((s) => s.value).sort()).toEqual(expected.sort());
  for (const s of f.allocation!.spills) {
    expect(s.home).toMatch(/^\[R1(\+0x[0-9a-f]+)?\]$|^%U?R\d+$/);
    expect(s.why).toMatch(/spill cost [\d.]+$/);
  }
  expect(f.allocation!.files.some((x) => x.intervals.some((i) => i.kind === "spill code"))).toBe(true);
});

describe("decisions", () => {
  test("rewrites: as many rules as the phases count, each at an instruction", async () => {
    const { f, lowered } = await shownOf("sgemm");
    const hits = new Map<string, number>();
    runPhases(snapshot(lowered.lowered), {
      ...lowered.phaseOptions!,
      onRewrites: (h, phase) => h.forEach((n, rule) => void hits.set(`${phase} rule ${rule}`, n)),
    });
    const told = new Map<string, number>();
    for (const m of f.moments)
      for (const d of m.decisions.filter((x) => x.by === "rewrite" && x.what.startsWith("rule "))) {
        told.set(`${m.phase} ${d.what}`, (told.get(`${m.phase} ${d.what}`) ?? 0) + 1);
        expect(d.inst).toBeGreaterThanOrEqual(0);
      }
    expect(told).toEqual(hits);
    expect(hits.size).toBeGreaterThan(2);
  });

  test.each(["sgemm", "scan", "switch_table", "bitonic"])(
    "%s: every phase that changed it says why, at an instruction",
    async (name) => {
      const { c, f } = await shownOf(name);
      const before = f.moments.map((m) => new Set(m.blocks.flatMap((b) => b.insts.map((i) => i.id))));
      f.moments.slice(1).forEach((m, k) => {
        const ids = new Set([...before[k]!, ...before[k + 1]!]);
        const placed = m.decisions.filter((d) => ids.has(d.inst));
        expect([m.phase, placed.length > 0]).toEqual([m.phase, true]);
      });
      // Whoever listens changes nothing.
      expect(f.moments.at(-1)!.blocks.flatMap((b) => b.insts.map((i) => i.id))).toEqual(
        c.functions[0]!.func!.blocks.flatMap((b) => b.insts.map((i) => i.id)),
      );
    },
  );

  test("decisions of copies, phis, branches and dead code stand where they were made", async () => {
    const { f } = await shownOf("scan");
    const [phis, copies] = ["GenerateMovPhi", "ConvertAllMovPhiToMov"].map((p) => momentOf(f, p));
    const made = phis!.blocks.flatMap((b) => b.insts.filter((i) => i.text.startsWith("MOV.PHI")).map((i) => i.id));
    expect(
      phis!.decisions
        .filter((d) => d.what === "phi placed")
        .map((d) => d.inst)
        .sort((a, b) => a - b),
    ).toEqual(made.sort((a, b) => a - b));
    const left = new Set(copies!.blocks.flatMap((b) => b.insts.map((i) => i.id)));
    for (const d of copies!.decisions.filter((x) => x.what === "copy joined")) expect(left.has(d.inst)).toBe(false);
    const gone = momentOf(f, "GeneralOptimize").decisions.filter((d) => d.what === "removed");
    expect(gone.length).toBeGreaterThan(0);
    for (const d of gone) expect(d.why).toBe("nothing that has an effect reads its result");
    const branch = momentOf((await shownOf("dgemm")).f, "OriBranchOpt").decisions;
    expect(branch.some((d) => d.what === "branch becomes the end" && d.others.length === 1)).toBe(true);
  });

  test("scheduler: in the order in which its blocks stand, rungs of its ladder or none needed", async () => {
    const { f } = await shownOf("sgemm");
    const m = momentOf(f, "ScheduleInstructions");
    for (const b of m.blocks) {
      const ids = b.insts.map((i) => i.id);
      const chosen = m.decisions.filter((d) => d.by === "scheduler" && d.what.includes(` of b${b.id},`));
      if (chosen.length === 0) continue;
      const order = chosen.map((d) => d.inst);
      expect(chosen[0]!.what.includes("from the end") ? order.reverse() : order).toEqual(ids);
    }
    const reasons = m.decisions.map((d) => d.why.split(",")[0]);
    expect(reasons).toContain("only candidate");
    expect(reasons).toContain("critical path");
  });

  test("allocator and control pass: each value, each instruction that has a stall", async () => {
    const { f } = await shownOf("sgemm");
    const registers = momentOf(f, "AllocateRegisters").decisions.filter((d) => d.by === "allocator");
    const values = f.allocation!.files.flatMap((x) => x.intervals.map((i) => i.value));
    expect(registers.map((d) => d.what.split(" ")[0]).sort()).toEqual([...values].sort());
    const control = momentOf(f, "AdvancedScoreboardsAndOpexes").decisions.filter((d) => d.by === "control");
    for (const s of f.sass!) {
      const [, stall] = /S(\d\d)$/.exec(s.control.trim())!;
      const told = control.filter((d) => d.inst === s.id && d.what.startsWith("stall of "));
      if (told.length > 0) expect(told.map((d) => Number(d.what.split(" ")[2]))).toContain(Number(stall));
      const set = /W(\d)/.exec(s.control);
      if (set !== null)
        expect(control.some((d) => d.inst === s.id && d.what === `sets scoreboard ${set[1]}`)).toBe(true);
    }
  });

  test("with why: what rules say of themselves, nearest first; without it none", async () => {
    const { f } = await shownOf("sgemm", { why: ["shift-right-and-sum", "product-and-sum"] });
    let checked = 0;
    const { lowered } = await shownOf("sgemm");
    runPhases(snapshot(lowered.lowered), {
      ...lowered.phaseOptions!,
      observe: (e) => {
        if (e.kind !== "after" || e.phase !== "GeneralOptimize") return;
        for (const rule of ["shift-right-and-sum", "product-and-sum"]) {
          const places = rulePlaces(e.func, rule);
          if (!places.ok) throw new Error("refused");
          const told = momentOf(f, "GeneralOptimize").decisions.filter(
            (d) => d.by === "refusal" && d.what === `rule ${rule}`,
          );
          const refused = places.value.filter((p) => p.refused !== null);
          expect(told.map((d) => [d.inst, d.why])).toEqual(refused.map((p) => [p.inst.id, p.refused]));
          checked += told.length;
        }
      },
    });
    expect(checked).toBeGreaterThan(5);
    await expect(shownOf("sgemm", { why: ["nix"] })).rejects.toThrow("there is no rule 'nix' that is a text");
    const { f: plain } = await shownOf("sgemm");
    expect(plain.moments.flatMap((m) => m.decisions).filter((d) => d.by === "refusal")).toEqual([]);
  });

  test("observing changes no code: the last moment is the code of the compilation", async () => {
    const { f, c } = await shownOf("scan", { why: true });
    const insts = c.functions[0]!.func!.blocks.flatMap((b) => b.insts.map((i) => i.id));
    expect(f.moments.at(-1)!.blocks.flatMap((b) => b.insts.map((i) => i.id))).toEqual(insts);
    expect(phaseTools.phases.length).toBe(f.phases.length);
  });
});

test("times: milliseconds of the phases that ran, only when asked for", async () => {
  const { c, f } = await shownOf("scan", { times: true });
  for (const p of f.phases) expect(p.milliseconds === null).toBe(!p.ran);
  expect((await pipeline(c)).data.functions[0]!.phases.every((p) => p.milliseconds === null)).toBe(true);
});
