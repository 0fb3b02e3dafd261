/**
 * The PTX interpreter beside a second source:
 *
 *   node tools/run-ts.cjs tools/interpreter.ts corpus|programs [NAME,…]
 *   node tools/run-ts.cjs tools/interpreter.ts singles FACTS.tsv.gz sm_90a [--every N] [--from K] [--only REGEX] [-O LEVEL]
 *   node tools/run-ts.cjs tools/interpreter.ts fuzz COUNT [--from SEED] [--ptxas]
 *
 * `corpus` and `programs` run their launch files: what comes out was computed elsewhere. `singles` runs kernels of one instruction
 * (`ptx-to-sass`) on random and edge values, in the interpreter and, compiled, in the simulator. `fuzz` runs the random programs of test/fuzz against their evaluator, with `--ptxas` also ptxas's code in the simulator. Prints what is refused, wrong or
 * different, the seconds of what takes more than one, and counts.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { compile } from "../lib/compile.js";
import { Device } from "../lib/sim/index.js";
import { interpretLaunchFile, PtxDevice } from "../lib/sim/ptx/index.js";
import { isTargetName } from "../lib/target/index.js";
import { corpus, corpusPtx, corpusTargets } from "../test/corpus/cases.js";
import {
  evaluate,
  generate,
  inputCells,
  loopWritesItsCondition,
  ptxText,
  RESULT_WORDS,
  THREADS,
} from "../test/fuzz/program.js";
import { programs } from "../test/programs/programs.js";
import { numberOf, readArguments, usage } from "./arguments.js";
import { inScope, moduleOf, singleKernel } from "./single/kernel.js";
import { inputs, type Outcome, type Runs, room, runSingle } from "./single/run.js";

const { values, positionals } = readArguments({
  every: { type: "string", default: "1" },
  from: { type: "string", default: "0" },
  only: { type: "string" },
  ptxas: { type: "boolean", default: false },
  opt: { type: "string", short: "O", default: "0" },
});
const [what = "", first, second = ""] = positionals;

interface Case {
  readonly name: string;
  readonly ptx: string;
  readonly launch: unknown;
}

function launchFiles(all: readonly Case[], names: string | undefined): void {
  const wanted = names?.split(",");
  const cases = all.filter((c) => wanted?.includes(c.name.split(" ")[0]!) ?? true);
  let right = 0;
  for (const { name, ptx, launch } of cases) {
    const start = performance.now();
    const ran = interpretLaunchFile(ptx, launch, () => null);
    const seconds = (performance.now() - start) / 1000;
    const line = ran.status === 0 ? "right" : ran.lines.join(" | ").slice(0, 300);
    if (ran.status === 0) right++;
    if (ran.status !== 0 || seconds > 1) console.log(`${name}: ${line} (${seconds.toFixed(1)} s)`);
  }
  console.log(`${right} of ${cases.length} right`);
}

// ------------------------------------------------------------------------------------------------ single instructions

function lines(file: string): string[] {
  const only = new RegExp(values.only ?? "");
  const rows = gunzipSync(readFileSync(file)).toString("utf8").split("\n");
  const taken = rows
    .map((r) => r.split("\t"))
    .filter(([, made]) => made !== undefined && !made.startsWith("rejected: "));
  const all = [...new Set(taken.map((r) => r[0]!))].filter((l) => inScope(l) && only.test(l));
  return all.filter((_, i) => i % numberOf(values.every) === numberOf(values.from) % numberOf(values.every));
}

/** Differences that are known, with their reason; all others are findings. */
const explained: readonly (readonly [RegExp, string])[] = [
  [
    /^bfi\.b64|^bfe\.[us]64/,
    "ptxas's code does not mask position and length to 8 bits, as the manual says; ours follows it",
  ],
  [/^cvt\.r[pm]\.ftz.*\.b?f16(x2)?\.f32/, "ptxas drops .ftz where the result has 16 bits"],
  [/%clock|%globaltimer|%pm\d|%smid|%nsmid|%envreg|%warpid|%nwarpid|%gridid/, "what differs from run to run"],
  [/^cvta/, "addresses of windows are each machine's own"],
  [/shfl|vote|match|redux|elect|bar\.warp/, "a random mask without the lane that executes: not defined"],
];

/** A NaN of any format in the same place: the manual leaves its bits open. */
function bothNaN(x: number, y: number): boolean {
  const is = (v: number, mask: number, infinity: number): boolean => (v & mask) >>> 0 > infinity;
  const half = (v: number, w: number): boolean =>
    v === w || (is(v, 0x7fff, 0x7c00) && is(w, 0x7fff, 0x7c00)) || (is(v, 0x7fff, 0x7f80) && is(w, 0x7fff, 0x7f80));
  const word = is(x, 0x7fffffff, 0x7f800000) && is(y, 0x7fffffff, 0x7f800000);
  return word || (half(x & 0xffff, y & 0xffff) && half(x >>> 16, y >>> 16));
}

type Compared = {
  readonly kind: "equal" | "both fault" | "equal but for bits of NaN" | "different";
  readonly text: string;
};

function compared(a: Outcome, b: Outcome): Compared {
  if (a.fault !== null && b.fault !== null) return { kind: "both fault", text: "" };
  if (a.fault !== null || b.fault !== null)
    return { kind: "different", text: `${a.fault ?? "no fault"}, interpreter: ${b.fault ?? "no fault"}` };
  const [x, y] = [new Uint32Array(a.memory.buffer), new Uint32Array(b.memory.buffer)];
  const at = [...x.keys()].filter((i) => x[i] !== y[i]);
  if (at.length === 0) return { kind: "equal", text: "" };
  // The lower word of a double counts where the upper one makes it a NaN in both.
  const double = (i: number): boolean => [x, y].every((v) => (v[i | 1]! & 0x7fffffff) >>> 0 >= 0x7ff00000);
  const kind = at.every((i) => bothNaN(x[i]!, y[i]!) || double(i)) ? "equal but for bits of NaN" : "different";
  const hex = (v: number): string => `0x${v.toString(16)}`;
  const first = at.slice(0, 3).map((i) => `+${hex(4 * i - 4096)} ${hex(x[i]!)}, interpreter ${hex(y[i]!)}`);
  return { kind, text: `${at.length} words: ${first.join("; ")}` };
}

/** Buffers are allocated first, so that they lie at the same address for both. */
function singles(file: string, target: string): void {
  if (!isTargetName(target)) usage(`no target ${target}`);
  const counts = new Map<string, number>();
  const note = (kind: string): void => void counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const data = inputs(1);
  for (const [i, line] of lines(file).entries()) {
    const single = singleKernel(line, `k${i}_`);
    const text = moduleOf(target, [single]);
    const mine = new PtxDevice();
    const atMine = room(mine);
    const loaded = mine.load(text);
    if (!loaded.ok) {
      note("refused by the interpreter");
      console.log(`${line}\n  interpreter: ${loaded.diagnostics[0]?.message}`);
      continue;
    }
    const made = compile(text, { target, opt: numberOf(values.opt) });
    if (made.cubin === null) {
      note("not compiled");
      continue;
    }
    const device = new Device();
    const at = room(device);
    const module = device.load(made.cubin);
    if (!module.ok) {
      note("cubin not loaded");
      continue;
    }
    const a = runSingle({ device, module: module.value }, single, data, at);
    const b = runSingle({ device: mine, module: loaded.value }, single, data, atMine);
    const d = compared(a, b);
    const reason = d.kind === "different" ? explained.find(([pattern]) => pattern.test(line))?.[1] : undefined;
    note(reason === undefined ? d.kind : `explained: ${reason}`);
    if (d.kind === "different" && reason === undefined) console.log(`${line}\n  ${d.text}`);
  }
  for (const [kind, n] of [...counts].sort()) console.log(`${n} ${kind}`);
}

// ------------------------------------------------------------------------------------------------ random programs

/** Result words and cells after a run, or why there are none. */
function fuzzed(where: Runs, seed: number): Uint32Array | string {
  const [cells, out] = [inputCells(seed), new Uint32Array(THREADS * RESULT_WORDS)];
  const run = where.device.launch(where.module, {
    kernel: "k",
    block: THREADS,
    params: [cells, out],
    maxInstructions: 5_000_000,
  });
  if (!run.ok) return run.diagnostics[0]?.message ?? "not launched";
  return run.value.fault === null ? Uint32Array.of(...out, ...cells) : run.value.fault.message;
}

function fuzz(count: number, start: number): void {
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));
  const counts = new Map<string, number>();
  const note = (kind: string): void => void counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const judge = (who: string, seed: number, got: Uint32Array | string, wanted: Uint32Array): void => {
    const at = typeof got === "string" ? 0 : got.findIndex((v, i) => v !== wanted[i]);
    note(`${who}: ${at < 0 ? "as evaluated" : "different"}`);
    if (at >= 0)
      console.log(
        `seed ${seed}: ${who}: ${typeof got === "string" ? got : `word ${at}: ${got[at]}, not ${wanted[at]}`}`,
      );
  };
  for (let seed = start; seed < start + count; seed++) {
    const program = generate(seed);
    const target = corpusTargets[seed % corpusTargets.length]!;
    const text = ptxText(program, target);
    const cells = inputCells(seed);
    const wanted = Uint32Array.of(...evaluate(program, cells), ...cells);
    const device = new PtxDevice();
    const module = device.load(text);
    const mine = module.ok ? fuzzed({ device, module: module.value }, seed) : module.diagnostics[0]!.message;
    judge("interpreter", seed, mine, wanted);
    if (!values.ptxas || loopWritesItsCondition(program)) continue;
    for (const level of [0, 3]) {
      const [source, cubin] = [join(dir, "k.ptx"), join(dir, "k.cubin")];
      writeFileSync(source, text);
      spawnSync(join(__dirname, "../.oracle/bin/ptxas"), [`-arch=${target}`, `-O${level}`, source, "-o", cubin]);
      const other = new Device();
      const loaded = other.load(new Uint8Array(readFileSync(cubin)));
      const got = loaded.ok ? fuzzed({ device: other, module: loaded.value }, seed) : loaded.diagnostics[0]!.message;
      judge(`ptxas -O${level}`, seed, got, wanted);
    }
  }
  rmSync(dir, { recursive: true });
  for (const [kind, n] of [...counts].sort()) console.log(`${n} ${kind}`);
}

if (what === "programs") launchFiles(programs, first);
else if (what === "corpus")
  launchFiles(
    corpusTargets.flatMap((t) =>
      corpus.map((c) => ({ name: `${c.name} ${t}`, ptx: corpusPtx(c.name, t), launch: c.launch })),
    ),
    first,
  );
else if (what === "singles" && first !== undefined) singles(first, second);
else if (what === "fuzz" && first !== undefined) fuzz(numberOf(first), numberOf(values.from));
else usage("usage: interpreter.ts corpus|programs [NAMES] | fuzz COUNT | singles FACTS.tsv.gz sm_NN [options]");
