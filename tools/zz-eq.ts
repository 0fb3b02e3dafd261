/**
 * The simulator's two engines beside each other: kernels run in closures and translated to WebAssembly must leave the same bytes in all buffers, the same
 * counts and the same fault.
 *
 *   node tools/run-ts.cjs tools/sim-equal.ts fuzz [--seed FIRST] [--count N] [--maker MAKER] [--with TOOL]
 *   node tools/run-ts.cjs tools/sim-equal.ts singles FACTS.tsv.gz sm_90a [--every N] [--from K] [--maker MAKER] [-O LEVEL]
 *
 * `fuzz`: random kernels (test/fuzz) on four SMs, every fifth with too small a buffer, so that it faults. `singles`: kernels of one PTX instruction, a
 * line of `ptx-to-sass` each. MAKER is `ours` (our compiler; fuzz: at every level), `ptxas` (the real one, at -O3; fuzz: and -O0) or, of fuzz, `both` in turn.
 * TOOL is `profile`, `registers` or `races`, or `all` in turn: what they tell must be the same, too.
 * Prints what differs and how many were compared, by outcome; the status is 1 where anything differs.
 *
 * Long runs in parts: `--state FILE` goes on after the last kernel of the run before and adds to its counts, `--seconds S` ends a part in time.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { compile } from "../lib/compile.js";
import type { Device, EngineChoice, LaunchOptions, Module } from "../lib/sim/index.js";
import { isTargetName, type TargetName } from "../lib/target/index.js";
import { generate, inputCells, ptxText, RESULT_WORDS, THREADS } from "../test/fuzz/program.js";
import { numberOf, readArguments, usage } from "./arguments.js";
import { moduleOf, type Single, singleKernel } from "./single/kernel.js";
import { inputs, loaded, room, runSingle } from "./single/run.js";

const { values, positionals } = readArguments({
  seed: { type: "string", default: "0" },
  count: { type: "string", default: "200" },
  every: { type: "string", default: "1" },
  from: { type: "string", default: "0" },
  maker: { type: "string", default: "ours" },
  opt: { type: "string", short: "O", default: "2" },
  with: { type: "string" },
  state: { type: "string" },
  seconds: { type: "string", default: "1e9" },
});

/** Kernels of a module: making, loading and translating one by one costs more. */
const TOGETHER = 16;

/** What a run has done, and the next one goes on from. */
interface State {
  /** Kernels of the list that are done. */
  done: number;
  counts: Record<string, number>;
  differences: string[];
}

const state: State =
  values.state !== undefined && existsSync(values.state)
    ? (JSON.parse(readFileSync(values.state, "utf8")) as State)
    : { done: 0, counts: {}, differences: [] };

function note(what: string): void {
  state.counts[what] = (state.counts[what] ?? 0) + 1;
}

type Maker = "ours" | "ptxas";

function isMaker(text: string): text is Maker {
  return text === "ours" || text === "ptxas";
}

const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));
process.on("exit", () => {
  rmSync(dir, { recursive: true, force: true });
});

/** The cubin of a text; null: refused. */
function cubinOf(text: string, target: TargetName, maker: Maker, opt: number): Uint8Array | null {
  if (maker === "ours") return compile(text, { target, opt }).cubin;
  const [source, out] = [join(dir, "k.ptx"), join(dir, "k.cubin")];
  writeFileSync(source, text);
  const ran = spawnSync(join(__dirname, "../.oracle/bin/ptxas"), [`-arch=${target}`, `-O${opt}`, source, "-o", out]);
  return ran.status === 0 ? new Uint8Array(readFileSync(out)) : null;
}

/** What an engine leaves behind. */
interface Outcome {
  /** Null: it ran to its end. */
  readonly fault: string | null;
  readonly told: string;
  readonly bytes: readonly Uint8Array[];
}

/** A kernel of a module, and how it is run. */
interface Case {
  readonly what: string;
  readonly run: (where: Where, engine: EngineChoice) => Outcome;
}
interface Where {
  readonly device: Device;
  readonly module: Module;
}

function differenceOf(a: Outcome, b: Outcome): string | null {
  if (a.told !== b.told) return `${a.told} in closures, ${b.told} translated`;
  for (const [k, x] of a.bytes.entries()) {
    const y = b.bytes[k]!;
    if (Buffer.compare(x, y) === 0) continue;
    const at = x.findIndex((byte, i) => byte !== y[i]);
    return `byte ${at} of buffer ${k}: ${x[at]} in closures, ${y[at]} translated`;
  }
  return null;
}

function kindOf({ fault }: Outcome): string {
  if (fault === null) return "equal";
  if (/^(not-supported|illegal-instruction)/.test(fault)) { console.log("NS " + fault); return "not supported by the simulator"; }
  return "equal, with a fault";
}

/** Runs the kernels of a module in both engines; the text says why it does not load. */
function compareAll(cubin: Uint8Array, cases: readonly Case[]): string | null {
  const where = loaded(cubin);
  if (typeof where === "string") return where;
  const before = cases.map((c) => c.run(where, "closures"));
  cases.forEach((c, i) => {
    const difference = differenceOf(before[i]!, c.run(where, "wasm"));
    if (difference === null) {
      note(kindOf(before[i]!));
      return;
    }
    note("DIFFERENT");
    state.differences.push(`${c.what}: ${difference}`);
    console.log(`${c.what}: ${difference}`);
  });
  return null;
}

/** Compares the cases from `from` to before `to`; in halves where they do not make one module. */
function compareModule(
  make: (from: number, to: number) => Uint8Array | null,
  caseOf: (i: number) => Case,
  from: number,
  to: number,
): void {
  if (from === to) return;
  const cubin = make(from, to);
  if (cubin !== null)
    compareAll(
      cubin,
      Array.from({ length: to - from }, (_, k) => caseOf(from + k)),
    );
  else if (to - from === 1) note("refused by the compiler");
  else {
    const middle = (from + to) >> 1;
    compareModule(make, caseOf, from, middle);
    compareModule(make, caseOf, middle, to);
  }
}

/** All modules of the list from where the state says, until the time has run out. */
function compareList(
  count: number,
  make: (from: number, to: number) => Uint8Array | null,
  caseOf: (i: number) => Case,
): void {
  const end = performance.now() + 1000 * numberOf(values.seconds);
  while (state.done < count && performance.now() < end) {
    const to = Math.min(count, state.done + TOGETHER);
    compareModule(make, caseOf, state.done, to);
    state.done = to;
    if (values.state !== undefined) writeFileSync(values.state, JSON.stringify(state));
  }
  console.log(`${state.done} of ${count} done`);
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, v: unknown) => (typeof v === "bigint" ? v.toString() : v));

const targets = ["sm_75", "sm_90", "sm_100", "sm_120"] as const;

/** How the kernels of a module are made, by its number. */
function fuzzMaker(module: number): { readonly target: TargetName; readonly maker: Maker; readonly opt: number } {
  const target = targets[module % targets.length]!;
  const turn = Math.floor(module / targets.length);
  const { maker } = values;
  const by = maker === "both" ? (turn & 1 ? "ours" : "ptxas") : isMaker(maker) ? maker : usage(`no maker ${maker}`);
  const nth = maker === "both" ? turn >> 1 : turn;
  return { target, maker: by, opt: by === "ours" ? nth % 4 : nth & 1 ? 0 : 3 };
}

const onTop = ["profile", "registers", "races"] as const;

/** The tools that a kernel is run with. */
function toolsFor(seed: number): LaunchOptions {
  const tool = values.with;
  if (tool === undefined) return {};
  const found = tool === "all" ? onTop[seed % onTop.length] : onTop.find((t) => t === tool);
  return found === undefined ? usage(`no tool ${tool}`) : { [found]: true };
}

function fuzzCase(seed: number): Case {
  return {
    what: `seed ${seed}`,
    run: ({ device, module }, engine) => {
      const cells = inputCells(seed);
      const given = seed % 5 === 4 ? cells.slice(0, cells.length >> (1 + (seed % 4))) : cells;
      const out = new Uint32Array(THREADS * RESULT_WORDS);
      const options: LaunchOptions = {
        kernel: `k${seed}`,
        block: THREADS,
        grid: 1,
        params: [given, out],
        maxInstructions: 1_000_000,
        engine,
        ...toolsFor(seed),
      };
      const ran = device.launch(module, options);
      const bytes = [given, out].map((a) => new Uint8Array(a.buffer, a.byteOffset, a.byteLength));
      if (!ran.ok) return { fault: "refused", told: text(ran.diagnostics), bytes };
      return { fault: ran.value.fault?.kind ?? null, told: text(ran.value), bytes };
    },
  };
}

function fuzz(): void {
  const first = numberOf(values.seed);
  const make = (from: number, to: number): Uint8Array | null => {
    const { target, maker, opt } = fuzzMaker(Math.floor(from / TOGETHER));
    const texts = Array.from({ length: to - from }, (_, k) => {
      const seed = first + from + k;
      return ptxText(generate(seed), target).replace(".entry k(", `.entry k${seed}(`);
    });
    return cubinOf(texts.map((t, k) => (k === 0 ? t : t.slice(t.indexOf(".visible")))).join(""), target, maker, opt);
  };
  compareList(numberOf(values.count), make, (i) => fuzzCase(first + i));
}

/** Lines of the file that ptxas takes, each once. */
function linesOf(file: string): string[] {
  const seen = new Set<string>();
  for (const row of gunzipSync(readFileSync(file)).toString("utf8").split("\n")) {
    const [line, made] = row.split("\t");
    if (line !== undefined && made !== undefined && !made.startsWith("rejected: ")) seen.add(line);
  }
  const every = numberOf(values.every);
  return [...seen].filter((_, i) => i % every === numberOf(values.from) % every);
}

function singles(file: string, target: TargetName): void {
  const { maker } = values;
  if (!isMaker(maker)) usage(`no maker ${maker}`);
  const opt = maker === "ptxas" ? 3 : numberOf(values.opt);
  const kernels: Single[] = linesOf(file).map((line, i) => singleKernel(line, `k${i}_`));
  const data = inputs(1);
  const at = new WeakMap<Device, number>();
  const addressOn = (device: Device): number => {
    const known = at.get(device) ?? room(device);
    at.set(device, known);
    return known;
  };
  compareList(
    kernels.length,
    (from, to) => cubinOf(moduleOf(target, kernels.slice(from, to)), target, maker, opt),
    (i) => ({
      what: kernels[i]!.line,
      run: (where, engine) => {
        const done = runSingle(where, kernels[i]!, data, addressOn(where.device), engine);
        return { fault: done.fault, told: `${done.fault}`, bytes: [done.memory] };
      },
    }),
  );
}

const [what, file, target = ""] = positionals;
if (what === "fuzz") fuzz();
else if (what === "singles" && file !== undefined && isTargetName(target)) singles(file, target);
else usage("usage: sim-equal.ts fuzz | singles FACTS.tsv.gz sm_NN [options]");
for (const [k, v] of Object.entries(state.counts).sort()) console.log(`${v} ${k}`);
if (state.differences.length > 0) process.exitCode = 1;
