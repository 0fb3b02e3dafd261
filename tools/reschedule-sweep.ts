/**
 * Cubins of ptxas through `reschedule`:  node tools/run-ts.cjs tools/reschedule-sweep.ts [SM …] [--cccl] [--policy NAME] [-O 3]
 *
 * The corpus (with --cccl: device-wide sort, scan and reduce of CCCL too) as ptxas makes it for each SM (default: all) gets a
 * new order and new control words. Of each output: the hazard checker is silent, nvdisasm and cuobjdump read it, and the
 * simulator gets the results that the original has. With the order kept, the bytes stay the same.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCubin } from "../lib/elf/index.js";
import { reschedule } from "../lib/reschedule.js";
import { unwrap } from "../lib/result.js";
import { policyNamed, postSchedule } from "../lib/sched/index.js";
import { runLaunchFile } from "../lib/sim/index.js";
import { verifyCubin } from "../lib/verify.js";
import { corpus, type LaunchFile } from "../test/corpus/cases.js";
import { available, tool } from "../test/oracle/tools.js";
import { readArguments, smsOf } from "./arguments.js";
import { ccclCubins, corpusCubins, type Made } from "./sass/cubins.js";

const { values: args, positionals } = readArguments({
  cccl: { type: "boolean" },
  policy: { type: "string" },
  levels: { type: "string", short: "O", default: "3" },
});
const policy = policyNamed(args.policy ?? postSchedule.name);
if (!available || policy === undefined) throw new Error(available ? `no policy ${args.policy}` : "needs .oracle");

class Tally {
  private readonly counts = new Map<string, number>();
  private readonly said: string[] = [];
  private log = 0;
  private schedules = 0;

  add(what: string, wrong = ""): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
    if (wrong !== "") this.said.push(`    ${what}: ${wrong.split("\n").slice(0, 2).join(" / ")}`);
  }

  cycles(before: number, after: number): void {
    if (before <= 0) return;
    this.log += Math.log(after / before);
    this.schedules++;
  }

  print(name: string): void {
    const mean = Math.exp(this.log / Math.max(1, this.schedules)).toFixed(4);
    console.log(`${name}: ${[...this.counts].map(([k, n]) => `${k} ${n}`).join(", ")}; estimated cycles ${mean}`);
    for (const line of this.said.slice(0, 8)) console.log(line);
  }
}

const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));

function simulated(bytes: Uint8Array, launch: LaunchFile): string {
  const ran = runLaunchFile(bytes, { ...launch, maxInstructions: 5_000_000 }, { readFile: () => null });
  return `${ran.status} ${ran.lines.join("\n")}`;
}

function judge(made: Made, launch: LaunchFile | undefined, tally: Tally): void {
  tally.add("cubins");
  const kept = reschedule(made.bytes, { order: "keep" });
  const same = kept.ok && Buffer.from(kept.value.bytes).equals(Buffer.from(made.bytes));
  if (!same) tally.add("CHANGED WITH THE ORDER KEPT", made.name);
  const done = reschedule(made.bytes, { order: "new", policy: policy! });
  if (!done.ok) {
    tally.add("REFUSED", `${made.name}: ${done.diagnostics[0]!.message}`);
    return;
  }
  // From sm_100 on: the capsules follow, or a message says why they went.
  const lost = done.diagnostics.find((d) => d.message.startsWith("Capsule Mercury"));
  if (lost !== undefined) tally.add("without capsules", `${made.name}: ${lost.message}`);
  const { bytes, functions } = done.value;
  for (const f of functions) if (f.schedule !== null) tally.cycles(f.schedule.before, f.schedule.after);
  const findings = verifyCubin(unwrap(readCubin(bytes))) ?? [];
  tally.add(findings.length === 0 ? "clean" : "HAZARDS", findings.length === 0 ? "" : made.name);
  const path = join(dir, "new.cubin");
  writeFileSync(path, bytes);
  for (const [name, options] of [
    ["nvdisasm", ["-c"]],
    ["cuobjdump", ["-sass", "-elf"]],
  ] as const) {
    const ran = tool(name, [...options, path]);
    const fine = ran.status === 0 && ran.stderr === "";
    tally.add(fine ? name : `${name} REFUSES`, fine ? "" : `${made.name}: ${ran.stderr}`);
  }
  if (launch === undefined) return;
  const before = simulated(made.bytes, launch);
  if (!before.startsWith("0 ")) tally.add("ORIGINAL DOES NOT RUN", `${made.name}: ${before}`);
  const after = simulated(bytes, launch);
  tally.add(after === before ? "same results" : "OTHER RESULTS", after === before ? "" : `${made.name}: ${after}`);
}

try {
  for (const sm of smsOf(positionals)) {
    const levels = [...args.levels].filter((c) => c !== ",").map(Number);
    const tally = new Tally();
    for (const c of corpusCubins(sm, levels, dir))
      judge(c, corpus.find((k) => c.name.startsWith(`${k.name} `))?.launch, tally);
    tally.print(`sm_${sm}`);
    if (args.cccl !== true) continue;
    const large = new Tally();
    for (const c of ccclCubins(sm, levels, dir)) judge(c, undefined, large);
    large.print(`CCCL sm_${sm}`);
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
