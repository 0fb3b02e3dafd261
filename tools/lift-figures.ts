/**
 * Figures of lib/lift:  node tools/run-ts.cjs tools/lift-figures.ts [SM …] [--cccl]
 *
 * For every kernel of the corpus, compiled by ptxas -O0 … -O3 for each SM (default: all), and with --cccl for device-wide
 * sort, scan and reduce of CCCL (sm_75, 90, 100, 120; minutes): are the words of `lift → encode` the same, and with NOPs in every
 * block put back into the cubin, does it still compute what it should? For registers made virtual, allocated again and
 * given new control words the same. What is refused is counted and named.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { compile } from "../lib/compile.js";
import { readCubin } from "../lib/elf/index.js";
import { encodeLifted, type Lifted, liftFunction, replaceCode } from "../lib/lift/index.js";
import { snapshot } from "../lib/ori/index.js";
import { allocate, checkAllocation } from "../lib/regalloc/index.js";
import { assignControl } from "../lib/sched/index.js";
import { runLaunchFile } from "../lib/sim/index.js";
import { type TargetName, targetNames } from "../lib/target/index.js";
import { type CorpusTarget, corpus, corpusPtx, corpusTargets, type LaunchFile } from "../test/corpus/cases.js";
import { insertNops } from "../test/lift/nops.js";
import { available, tool } from "../test/oracle/tools.js";

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

/** The PTX of the corpus that an SM takes. */
function source(sm: number): CorpusTarget {
  return [...corpusTargets].reverse().find((t) => Number(t.slice(3)) <= sm) ?? corpusTargets[0];
}

function theirs(names: readonly TargetName[], dir: string): void {
  for (const name of names) {
    const tally = new Tally();
    for (const c of corpus)
      for (const level of [0, 1, 2, 3]) {
        writeFileSync(join(dir, "k.ptx"), corpusPtx(c.name, source(Number(name.slice(3)))));
        const made = tool("ptxas", [`-arch=${name}`, `-O${level}`, "-o", "k.cubin", "k.ptx"], { cwd: dir });
        if (made.status !== 0) throw new Error(made.stderr);
        judge(new Uint8Array(readFileSync(join(dir, "k.cubin"))), c.launch, tally);
      }
    tally.print(`ptxas ${name}`);
  }
}

function ours(names: readonly TargetName[]): void {
  for (const name of names) {
    const tally = new Tally();
    for (const c of corpus) {
      const { cubin } = compile(corpusPtx(c.name, source(Number(name.slice(3)))), { target: name });
      if (cubin === null) tally.refuse("compile", c.name);
      else judge(cubin, c.launch, tally);
    }
    tally.print(`ours ${name}`);
  }
}

const headers = resolve(__dirname, "../.oracle/lib");

function includeFolder(): string {
  const python = readdirSync(headers).find((f) => f.startsWith("python3"));
  return join(headers, python ?? "", "site-packages/nvidia/cu13/include/cccl");
}

const units: Readonly<Record<string, string>> = {
  sort: `#include <cub/device/device_radix_sort.cuh>
void f(void* t, size_t& n, const unsigned* in, unsigned* out) { cub::DeviceRadixSort::SortKeys(t, n, in, out, 1000); }`,
  scan: `#include <cub/device/device_scan.cuh>
void f(void* t, size_t& n, const int* in, int* out) { cub::DeviceScan::InclusiveSum(t, n, in, out, 1000); }`,
  reduce: `#include <cub/device/device_reduce.cuh>
void f(void* t, size_t& n, const float* in, float* out) { cub::DeviceReduce::Sum(t, n, in, out, 1000); }`,
};

function cccl(dir: string): void {
  for (const sm of [75, 90, 100, 120])
    for (const [name, text] of Object.entries(units)) {
      writeFileSync(join(dir, `${name}.cu`), text);
      const made = tool(
        "nvcc",
        ["-std=c++17", "-cubin", `-arch=sm_${sm}`, `-I${includeFolder()}`, `${name}.cu`, "-o", "k.cubin"],
        { cwd: dir },
      );
      if (made.status !== 0) throw new Error(made.stderr);
      const tally = new Tally();
      judge(new Uint8Array(readFileSync(join(dir, "k.cubin"))), null, tally);
      tally.print(`CCCL ${name} sm_${sm}`);
    }
}

const args = process.argv.slice(2);
const chosen = args.filter((a) => /^\d+$/.test(a)).map((a) => `sm_${a}`);
const names = targetNames.filter((n) => /^sm_\d+$/.test(n) && (chosen.length === 0 || chosen.includes(n)));
const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));
try {
  ours(names);
  if (available) theirs(names, dir);
  if (available && args.includes("--cccl") && existsSync(includeFolder())) cccl(dir);
} finally {
  rmSync(dir, { recursive: true, force: true });
}
