/** -O1 and -O2: instructions are scheduled and get the control words of their order; every kernel still
 * computes what it should, and the hazard checker finds nothing. */
import { compile } from "../../lib/compile.js";
import { readCubin } from "../../lib/elf/index.js";
import { unwrap } from "../../lib/result.js";
import type { ScheduleReport } from "../../lib/sched/index.js";
import { runLaunchFile } from "../../lib/sim/index.js";
import { verifyCubin } from "../../lib/verify.js";
import { corpus, corpusPtx, corpusTargets } from "./cases.js";

const host = { readFile: () => null };

for (const opt of [1, 2]) {
  describe.each(corpusTargets)(`%s -O${opt}`, (target) => {
    test.each(corpus.map((c) => [c.name, c] as const))("%s compiles, verifies and computes what it should", (name, c) => {
      const made = compile(corpusPtx(name, target), { target, opt, verify: true });
      expect(made.diagnostics).toEqual([]);
      expect(verifyCubin(unwrap(readCubin(made.cubin!)))).toEqual([]);
      const ran = runLaunchFile(made.cubin!, c.launch, host);
      expect(ran.lines.filter(() => ran.status !== 0)).toEqual([]);
      expect(ran.status).toBe(0);
    });
  });
}

const text = corpusPtx("stencil", "sm_90");
const bytes = (options: Partial<Parameters<typeof compile>[1]>, ptx = text): Buffer =>
  Buffer.from(compile(ptx, { target: "sm_90", opt: 0, ...options }).cubin!);

test("-O3 is -O2, and differs from -O1 and -O0 (the command line in the notes aside)", () => {
  const commandLine = "none";
  expect(bytes({ opt: 3, commandLine }).equals(bytes({ opt: 2, commandLine }))).toBe(true);
  expect(bytes({ opt: 1, commandLine }).equals(bytes({ opt: 0, commandLine }))).toBe(false);
  // A loop that -O1 does not unroll.
  const loop = corpusPtx("dgemm", "sm_90");
  expect(bytes({ opt: 2, commandLine }, loop).equals(bytes({ opt: 1, commandLine }, loop))).toBe(false);
});

test("which phases schedule, and what knobs change", () => {
  const ran = (opt: number, knobs: Record<string, string | number> = {}): string[] => {
    const reports: string[] = [];
    const onSchedule = (r: ScheduleReport, phase: string): void => {
      reports.push(`${phase}: ${r.policy}`);
    };
    compile(text, { target: "sm_90", opt, knobs, phases: { onSchedule } });
    return reports;
  };
  expect(ran(0)).toEqual([]);
  expect(ran(1)).toEqual(["ScheduleInstructions: backend-a"]);
  expect(ran(2)).toEqual(["ScheduleInstructions: backend-a", "PostSchedule: post-schedule"]);
  expect(ran(2, { SchedDisableAll: 1 })).toEqual([]);
  expect(ran(2, { PostSchedForceReverseOrder: 1 })).toEqual([
    "ScheduleInstructions: backend-a",
    "PostSchedule: critical-path-backward",
  ]);
});

test("knobs of latencies and budgets change the code", () => {
  const plain = bytes({ opt: 2 });
  expect(bytes({ opt: 2, knobs: { SchedMaxRTarget: 8 } }).equals(plain)).toBe(false);
  expect(bytes({ opt: 2, knobs: { SchedMaxMemDep: 64 } }).equals(plain)).toBe(true);
});
