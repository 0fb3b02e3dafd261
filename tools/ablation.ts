/**
 * `node tools/run-ts.cjs tools/ablation.ts [--sm N] [--kernels A,B] [--seconds N] [--json FILE]`: each optimizing phase left out in turn, and
 * phases that do one work in two places together, on twenty kernels: change of issued warp-instructions and of estimated cycles (launches in the simulator, whole grid), and of
 * registers, geometric means in percent. Code that stays the same is not run again. What is above 0 is what the phase is
 * worth; a phase without which the code is better by all three is marked.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { compile } from "../lib/compile.js";
import { phases } from "../lib/phases/index.js";
import { runLaunchFile } from "../lib/sim/index.js";
import type { TargetName } from "../lib/target/index.js";
import { estimateLaunch } from "../lib/timing/index.js";
import { type CorpusCase, type CorpusTarget, corpus, corpusPtx } from "../test/corpus/cases.js";

const { values: asked } = parseArgs({
  options: {
    sm: { type: "string", default: "90" },
    kernels: { type: "string" },
    seconds: { type: "string", default: "3600" },
    json: { type: "string" },
  },
});
const target = `sm_${asked.sm}` as TargetName;
const end = Date.now() + 1000 * Number(asked.seconds);
const names = asked.kernels?.split(",");
const kernels = corpus.filter((c) => names?.includes(c.name) ?? true).slice(0, names === undefined ? 20 : undefined);

interface Figures {
  readonly words: string;
  /** Phases that changed something. */
  readonly changed: ReadonlySet<string>;
  readonly issued: number;
  readonly cycles: number;
  readonly registers: number;
}

/** Null: the code does not compile or does not compute what is expected. */
function figures(c: CorpusCase, leftOut: string | null, same: Figures | null): Figures | null {
  const made = compile(corpusPtx(c.name, target as CorpusTarget), {
    target,
    ...(leftOut !== null && { phases: { disablePhases: leftOut } }),
  });
  if (!made.ok) return null;
  const words = made.functions.map((f) => f.code?.words.join() ?? "").join(";");
  if (same !== null && words === same.words) return same;
  let [issued, cycles] = [0, 0];
  const ran = runLaunchFile(made.cubin, c.launch, {
    readFile: () => null,
    launch: (device, module, options) => {
      const e = estimateLaunch(device, module, options);
      if (!e.ok) return e;
      issued += e.value.gridWarpInstructions ?? e.value.issued;
      cycles += e.value.cycles;
      return { ok: true, value: e.value.run, diagnostics: e.diagnostics };
    },
  });
  if (ran.status !== 0) return null;
  const changed = new Set(made.functions.flatMap((f) => f.phases.filter((p) => p.edits > 0).map((p) => p.phase)));
  return { words, changed, issued, cycles, registers: Math.max(...made.functions.map((f) => f.code?.registers ?? 0)) };
}

interface Sums {
  kernels: number;
  changed: number;
  issued: number;
  cycles: number;
  registers: number;
  failed: string[];
}
/** Each phase by itself, and those that do one work in two places together. */
const sets: readonly string[] = [
  ...phases.filter((p) => !p.must && p.category === "optimization").map((p) => p.name),
  "GeneralOptimize+GeneralOptimizeLate",
  "GvnCse+OriCommoning",
  "ConvertToUniformReg+LateMergeEquivalentConditionalFlow",
  "ScheduleInstructions",
  "PostSchedule",
  "ScheduleInstructions+PostSchedule",
];
const sums = new Map<string, Sums>();
let done = 0;
for (const c of kernels) {
  if (Date.now() > end) break;
  const whole = figures(c, null, null);
  if (whole === null) {
    console.log(`${c.name}: not as expected`);
    continue;
  }
  done++;
  for (const name of sets) {
    const s = sums.get(name) ?? { kernels: 0, changed: 0, issued: 0, cycles: 0, registers: 0, failed: [] };
    const without: Figures | null = name.split("+").some((n: string) => whole.changed.has(n))
      ? figures(c, name, whole)
      : whole;
    if (without === null) s.failed.push(c.name);
    else {
      s.kernels++;
      if (without !== whole) s.changed++;
      for (const k of ["issued", "cycles", "registers"] as const) s[k] += Math.log(without[k] / whole[k]);
    }
    sums.set(name, s);
  }
}
const rows = [...sums].flatMap(([phase, s]) => {
  if (s.changed === 0 && s.failed.length === 0) return [];
  const percent = (sum: number): number => Math.round(1000 * (Math.exp(sum / Math.max(1, s.kernels)) - 1)) / 10;
  const row = {
    phase,
    kernels: s.changed,
    issued: percent(s.issued),
    cycles: percent(s.cycles),
    registers: percent(s.registers),
  };
  return [{ ...row, failed: s.failed }];
});
console.log(`${done} kernels on ${target}; without the phase, change in percent (kernels: whose code changes)\n`);
console.log("| phase | kernels | issued | cycles | registers | |\n|---|---|---|---|---|---|");
for (const r of rows) {
  const harms = r.issued <= 0 && r.cycles < 0 && r.registers <= 0;
  const note = r.failed.length > 0 ? `fails: ${r.failed.join(", ")}` : harms ? "better without" : "";
  console.log(`| ${r.phase} | ${r.kernels} | ${r.issued} | ${r.cycles} | ${r.registers} | ${note} |`);
}
if (asked.json !== undefined) writeFileSync(asked.json, `${JSON.stringify(rows, null, 1)}\n`);
