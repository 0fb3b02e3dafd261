/**
 * The simulator's two engines beside each other: kernels run in closures and translated to WebAssembly must leave the same bytes in all buffers, the same
 * counts and the same fault.
 *
 *   node tools/run-ts.cjs tools/sim-equal.ts fuzz --seed FIRST --count N [--real]
 *   node tools/run-ts.cjs tools/sim-equal.ts singles FACTS.tsv.gz sm_90a [--every N] [--from K] [--real] [-O LEVEL]
 *
 * `fuzz`: random kernels (test/fuzz), every fifth with too small a buffer, so that it faults. `singles`: kernels of one PTX instruction, a line of
 * `ptx-to-sass` each. `--real`: compiled by the real ptxas -O3, by default by our compiler. Prints what differs and how many were compared; the
 * status is 1 where anything differs.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { compile } from "../lib/compile.js";
import { type EngineChoice, type LaunchOptions, simulate } from "../lib/sim/index.js";
import { isTargetName, type TargetName } from "../lib/target/index.js";
import { generate, inputCells, ptxText, RESULT_WORDS, THREADS } from "../test/fuzz/program.js";
import { numberOf, readArguments, usage } from "./arguments.js";
import { inScope, moduleOf, singleKernel } from "./single/kernel.js";
import { inputs, loaded, room, runSingle } from "./single/run.js";

const { values, positionals } = readArguments({
  seed: { type: "string", default: "0" },
  count: { type: "string", default: "200" },
  every: { type: "string", default: "1" },
  from: { type: "string", default: "0" },
  real: { type: "boolean", default: false },
  opt: { type: "string", short: "O", default: "2" },
});

let done = 0;
const counts = new Map<string, number>();
const note = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);

/** The cubin of a text; null: refused. */
function cubinOf(text: string, target: TargetName, opt: number): Uint8Array | null {
  if (!values.real) return compile(text, { target, opt }).cubin;
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));
  try {
    const [source, out] = [join(dir, "k.ptx"), join(dir, "k.cubin")];
    writeFileSync(source, text);
    const ran = spawnSync(join(__dirname, "../.oracle/bin/ptxas"), [`-arch=${target}`, "-O3", source, "-o", out]);
    return ran.status === 0 ? new Uint8Array(readFileSync(out)) : null;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function report(): void {
  for (const [k, v] of [...counts].sort()) console.log(`${v} ${k}`);
}

/** Compares what the engines tell. Long runs tell now and then how far they are. */
function compared(
  what: string,
  outcome: (engine: EngineChoice) => { readonly fault: string | null; readonly all: string },
): void {
  const [closures, wasm] = [outcome("closures"), outcome("wasm")];
  if (++done % 100 === 0) console.log(`after ${done}: ${[...counts].map(([k, v]) => `${v} ${k}`).join(", ")}`);
  if (closures.all === wasm.all) note(closures.fault === null ? "equal" : "equal, with a fault");
  else {
    note("DIFFERENT");
    let at = 0;
    while (closures.all[at] === wasm.all[at]) at++;
    const part = (s: string): string => s.slice(Math.max(0, at - 40), at + 60);
    console.log(`${what}: closures …${part(closures.all)}…, translated …${part(wasm.all)}…`);
  }
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, v: unknown) => (typeof v === "bigint" ? v.toString() : v));

function fuzz(): void {
  const targets = ["sm_75", "sm_90", "sm_100"] as const;
  const first = numberOf(values.seed);
  for (let seed = first; seed < first + numberOf(values.count); seed++) {
    const target = targets[seed % 3]!;
    const opt = Math.floor(seed / 3) % 4;
    const cubin = cubinOf(ptxText(generate(seed), target), target, opt);
    if (cubin === null) {
      note("refused by the compiler");
      continue;
    }
    compared(`seed ${seed}, ${target}, -O${opt}`, (engine) => {
      const cells = inputCells(seed);
      const given = seed % 5 === 4 ? cells.slice(0, cells.length >> (1 + (seed % 4))) : cells;
      const out = new Uint32Array(THREADS * RESULT_WORDS);
      const options: LaunchOptions = {
        kernel: "k",
        block: THREADS,
        grid: 1,
        params: [given, out],
        maxInstructions: 1_000_000,
        engine,
      };
      const ran = simulate(cubin, options);
      if (!ran.ok) return { fault: "refused", all: text(ran.diagnostics) };
      const bytes = [given, out].map((a) => Buffer.from(a.buffer, a.byteOffset, a.byteLength).toString("base64"));
      return { fault: ran.value.fault?.kind ?? null, all: text({ run: ran.value, bytes }) };
    });
  }
}

function singles(file: string, target: TargetName): void {
  const seen = new Set<string>();
  for (const row of gunzipSync(readFileSync(file)).toString("utf8").split("\n")) {
    const [line, made] = row.split("\t");
    if (line !== undefined && made !== undefined && !made.startsWith("rejected: ") && inScope(line)) seen.add(line);
  }
  const data = inputs(1);
  const every = numberOf(values.every);
  let n = 0;
  for (const line of seen) {
    if (n++ % every !== numberOf(values.from) % every) continue;
    const single = singleKernel(line, `k${n}_`);
    const cubin = cubinOf(moduleOf(target, [single]), target, numberOf(values.opt));
    if (cubin === null) {
      note("refused by the compiler");
      continue;
    }
    compared(line, (engine) => {
      const where = loaded(cubin);
      if (typeof where === "string") return { fault: "not loaded", all: where };
      const done = runSingle(where, single, data, room(where.device), engine);
      return { fault: done.fault, all: `${done.fault} ${Buffer.from(done.memory).toString("base64")}` };
    });
  }
}

const [what, file, target = ""] = positionals;
if (what === "fuzz") fuzz();
else if (what === "singles" && file !== undefined && isTargetName(target)) singles(file, target);
else usage("usage: sim-equal.ts fuzz | singles FACTS.tsv.gz sm_NN [options]");
report();
if (counts.has("DIFFERENT")) process.exitCode = 1;
