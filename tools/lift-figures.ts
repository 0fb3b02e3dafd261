/**
 * Figures of lib/lift:  node tools/run-ts.cjs tools/lift-figures.ts [SM …] [--cccl]
 *
 * For every kernel of the corpus, compiled by us and by ptxas -O0 … -O3 for each SM (default: all), and with --cccl for
 * device-wide sort, scan and reduce of CCCL (not run): are the words of `lift → encode` the same, and with NOPs in every
 * block put back into the cubin, does it still compute what it should? For registers made virtual, allocated again and
 * given new control words the same. What is refused is counted and named.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { readCubin } from "../lib/elf/index.js";
import { encodeLifted, type Lifted, liftFunction, replaceCode } from "../lib/lift/index.js";
import { snapshot } from "../lib/ori/index.js";
import { allocate, checkAllocation } from "../lib/regalloc/index.js";
import { assignControl } from "../lib/sched/index.js";
import { runLaunchFile } from "../lib/sim/index.js";
import type { TargetName } from "../lib/target/index.js";
import { corpus, corpusPtx, type LaunchFile } from "../test/corpus/cases.js";
import { insertNops } from "../test/lift/nops.js";
import { available } from "../test/oracle/tools.js";
import { readArguments, smsOf } from "./arguments.js";
import { ccclCubins, corpusCubins, type Made, sourceOf } from "./sass/cubins.js";

class Tally {
  private readonly counts = new Map<string, number>();
  private readonly reasons = new Map<string, number>();

  add(what: string, n = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + n);
  }

  refuse(what: string, reason: string): void {
    this.add(`${what} refused`);
    const plain = `${what}: ${reason.replace(/0x[0-9a-f]+/g, "0x…").replace(/^.*?\+0x…: /, "")}`.slice(0, 150);
    this.reasons.set(plain, (this.reasons.get(plain) ?? 0) + 1);
  }

  print(name: string): void {
    console.log(`${name}: ${[...this.counts].map(([k, n]) => `${k} ${n}`).join(", ")}`);
    for (const [reason, n] of this.reasons) console.log(`    ${n} × ${reason}`);
  }
}

function functionsOf(bytes: Uint8Array, tally: Tally, registers: "physical" | "virtual"): Lifted[] {
  const read = readCubin(bytes);
  if (!read.ok) throw new Error(read.diagnostics[0]!.message);
  return read.value.functions.flatMap((f) => {
    const l = liftFunction(read.value, f, { registers });
    if (l.ok) return [l.value];
    tally.refuse(registers === "physical" ? "lift" : "virtual", l.diagnostics[0]!.message);
    return [];
  });
}

function judge(bytes: Uint8Array, given: LaunchFile | null, tally: Tally): void {
  // What the simulator does not run as it came says nothing about what was made of it.
  const runs = given !== null && simulated(bytes, given);
  if (given !== null && !runs) tally.add("not judged: the simulator does not run the original");
  const launch = runs ? given : null;
  const lifted = functionsOf(bytes, tally, "physical");
  for (const l of lifted) {
    tally.add("functions");
    tally.add("instructions", l.source.words.length / 4);
    const { words } = encodeLifted(l);
    const same = words.length === l.source.words.length && words.every((w, i) => w === l.source.words[i]);
    tally.add(same ? "identical" : "DIFFERENT");
  }
  lifted.forEach(insertNops);
  run("moved", replaceCode(bytes, lifted), launch, tally);
  const virtual = functionsOf(bytes, tally, "virtual");
  if (virtual.length === 0 || virtual.length < lifted.length) return;
  for (const { func } of virtual) {
    const before = snapshot(func);
    const done = allocate(func);
    if (!done.ok) {
      tally.refuse("allocation", done.diagnostics[0]!.message);
      return;
    }
    if (checkAllocation(before, func).length > 0) tally.add("ALLOCATION WRONG");
    if (done.value.spills.length > 0) {
      tally.refuse("allocation", "spills");
      return;
    }
    assignControl(func);
  }
  run("allocated again", replaceCode(bytes, virtual), launch, tally);
}

function run(what: string, made: ReturnType<typeof replaceCode>, launch: LaunchFile | null, tally: Tally): void {
  if (!made.ok) tally.refuse(what, made.diagnostics[0]!.message);
  else if (launch === null) tally.add(`${what} written`);
  else tally.add(simulated(made.value, launch) ? `${what} right` : `${what} WRONG`);
}

function simulated(bytes: Uint8Array, launch: LaunchFile): boolean {
  return runLaunchFile(bytes, { ...launch, maxInstructions: 5_000_000 }, { readFile: () => null }).status === 0;
}

const levels = [0, 1, 2, 3];

/** Launch file of a corpus cubin by the first word of its name. */
function launchOf(made: Made): LaunchFile | null {
  return corpus.find((c) => c.name === made.name.split(" ")[0])?.launch ?? null;
}

function judgeAll(name: string, cubins: readonly Made[]): void {
  const tally = new Tally();
  for (const made of cubins) judge(made.bytes, launchOf(made), tally);
  tally.print(name);
}

function ours(sm: number): void {
  const tally = new Tally();
  for (const c of corpus) {
    const { cubin } = compile(corpusPtx(c.name, sourceOf(sm)), { target: `sm_${sm}` as TargetName, opt: 0 });
    if (cubin === null) tally.refuse("compile", c.name);
    else judge(cubin, c.launch, tally);
  }
  tally.print(`ours sm_${sm}`);
}

const { values: options, positionals } = readArguments({ cccl: { type: "boolean", default: false } });
const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));
try {
  for (const sm of smsOf(positionals)) {
    ours(sm);
    if (!available) continue;
    judgeAll(`ptxas sm_${sm}`, corpusCubins(sm, levels, dir));
    if (options.cccl) judgeAll(`CCCL sm_${sm}`, ccclCubins(sm, levels, dir));
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
