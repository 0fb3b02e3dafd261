/**
 * PTX instruction by PTX instruction: our code against ptxas's, and the simulator against a GPU. REGEXP chooses by the tested PTX.
 *
 *     node tools/run-ts.cjs test/gpu/instructions.ts agree [REGEXP]               our code and ptxas's in the simulator; needs no GPU
 *     node tools/run-ts.cjs test/gpu/instructions.ts folds [REGEXP]               our code and what ptxas folds of literal operands
 *     node tools/run-ts.cjs test/gpu/instructions.ts build DIR [REGEXP]           cubins, inputs and manifest.json for
 *     python3 test/gpu/instructions.py DIR RESULTS.tar.gz                         … a machine with a GPU (sm_90)
 *     node tools/run-ts.cjs test/gpu/instructions.ts compare DIR results.json     what came back, against ptxas's and the simulator
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agree, compareOutputs, exceptions, mnemonicOf } from "./instruction-agree.js";
import { FOLDED_ROWS, foldAll } from "./instruction-folds.js";
import { BLOCK, inputBytes, ROWS } from "./instruction-inputs.js";
import { type GpuKernel, gpuKernels, SCRATCH } from "./instruction-kernels.js";
import { hashOf, make, Simulation, TARGET, type Variant, variants } from "./instruction-modules.js";

/** PTX with a literal operand. */
const LITERAL = /\b0[xfd][0-9A-F]{4}/;
/** Kernels of a module. */
const PART = 150;
/** Threads of the comparison without a GPU: the rows of the inputs are mixed, so that a quarter has all edge values. */
const AGREE_ROWS = 256;

interface ManifestModule {
  readonly name: string;
  readonly files: Partial<Record<Variant, string>>;
  readonly kernels: readonly {
    readonly name: string;
    readonly variants: readonly Variant[];
    readonly stride: number;
    readonly scratch: boolean;
    readonly constants: readonly string[];
  }[];
}

function build(dir: string, only: RegExp): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "inputs.bin"), inputBytes());
  const kernels = gpuKernels().filter((k) => only.test(k.tested));
  const modules: ManifestModule[] = [];
  const refused: string[] = [];
  for (let from = 0; from < kernels.length; from += PART) {
    const part = kernels.slice(from, from + PART);
    const name = `m${from / PART}`;
    const made = new Map<GpuKernel, Variant[]>();
    const files: Partial<Record<Variant, string>> = {};
    for (const v of [...variants].reverse()) {
      // What ptxas refuses is no PTX; what we refuse at one level we refuse at all.
      const wanted =
        v === "ptxas-O3"
          ? part
          : [...made.keys()].filter(
              (k) => v.startsWith("ptxas") || v === "ours-O2" || made.get(k)!.includes("ours-O2"),
            );
      const m = make(wanted, v);
      for (const [k, message] of m.refused) refused.push(`${v}\t${k.tested}\t${message}`);
      if (m.cubin === null) continue;
      files[v] = `${name}.${v}.cubin`;
      writeFileSync(join(dir, files[v]!), m.cubin);
      for (const k of m.kernels) made.set(k, [...(made.get(k) ?? []), v]);
    }
    modules.push({
      name,
      files,
      kernels: [...made].map(([k, v]) => ({
        name: k.name,
        variants: v,
        stride: k.stride,
        scratch: k.scratch,
        constants: k.constants.map(String),
      })),
    });
    writeFileSync(
      join(dir, "manifest.json"),
      JSON.stringify({ target: TARGET, rows: ROWS, block: BLOCK, scratch: SCRATCH, modules }),
    );
    writeFileSync(join(dir, "refused.txt"), refused.join("\n"));
    console.log(
      `${from + part.length} of ${kernels.length}, ${made.size} of this module, ${process.uptime().toFixed(0)} s`,
    );
  }
}

/** Hash of the output by kernel and variant; of a fault, its message. */
type Outcomes = Record<string, Partial<Record<Variant, string>>>;

/** What the simulator makes of all cubins of a folder. */
function simulateAll(dir: string): Outcomes {
  const { modules } = JSON.parse(readFileSync(join(dir, "manifest.json"), "utf8")) as { modules: ManifestModule[] };
  const out: Outcomes = {};
  const inputs = inputBytes();
  const byName = new Map(gpuKernels().map((k) => [k.name, k]));
  for (const m of modules)
    for (const v of variants) {
      if (m.files[v] === undefined) continue;
      const simulation = new Simulation(Uint8Array.from(readFileSync(join(dir, m.files[v]))), inputs);
      for (const { name, variants: has } of m.kernels) {
        if (!has.includes(v)) continue;
        const result = simulation.run(byName.get(name)!);
        out[name] = { ...out[name], [v]: typeof result === "string" ? result : hashOf(result) };
      }
    }
  return out;
}

/** Our code against ptxas's on the GPU, and the simulator against the GPU. */
function compare(dir: string, file: string): void {
  const { card, date, kernels, faults } = JSON.parse(readFileSync(file, "utf8")) as {
    card: string;
    date: string;
    faults: readonly unknown[];
    kernels: Record<string, Partial<Record<Variant, readonly [head: string, all: string]>>>;
  };
  const simulated = simulateAll(dir);
  const counts = { ours: 0, oursEqual: 0, runs: 0, simulatorEqual: 0 };
  for (const k of gpuKernels()) {
    const real = kernels[k.name] ?? {};
    for (const v of variants) {
      if (real[v] === undefined) continue;
      counts.runs++;
      if (simulated[k.name]?.[v] === real[v][1]) counts.simulatorEqual++;
      else console.log(`simulator\t${v}\t${k.name}\t${k.tested}`);
      if (v.startsWith("ptxas") || real["ptxas-O3"] === undefined) continue;
      counts.ours++;
      if (real[v][1] === real["ptxas-O3"][1]) counts.oursEqual++;
      else console.log(`code\t${v}\t${k.name}\t${k.tested}`);
    }
  }
  console.log(
    `${card}, ${date}: our code gives what ptxas's gives in ${counts.oursEqual} of ${counts.ours} runs; the simulator what the GPU gives in ${counts.simulatorEqual} of ${counts.runs}; ${faults.length} faults`,
  );
}

/** Our code against ptxas's in the simulator. */
function agreeAll(only: RegExp): void {
  const kernels = gpuKernels().filter((k) => only.test(k.tested));
  const inputs = inputBytes();
  const total = {
    ptx: 0,
    ours: 0,
    equal: 0,
    nan: 0,
    others: 0,
    stopped: 0,
    exceptions: 0,
    mnemonics: new Set<string>(),
  };
  for (let from = 0; from < kernels.length; from += PART) {
    for (const a of agree(kernels.slice(from, from + PART), inputs, variants, AGREE_ROWS)) {
      total.ptx++;
      if (a.ours) {
        total.ours++;
        total.mnemonics.add(mnemonicOf(a.kernel));
      }
      if (a.stopped.length > 0) total.stopped++;
      else if (a.differences.length === 0) {
        if (a.ours) total.equal++;
        else total.others++;
        if (a.ours && a.nanBits) total.nan++;
      }
      const why = exceptions.find(([tested]) => tested.test(a.kernel.tested))?.[1];
      if (why !== undefined && a.differences.length > 0) total.exceptions++;
      for (const d of [...a.stopped, ...a.differences])
        console.log(`${a.kernel.name}\t${a.kernel.tested}\t${d}${why === undefined ? "" : `\t(${why})`}`);
    }
    console.error(`${Math.min(from + PART, kernels.length)} of ${kernels.length}, ${process.uptime().toFixed(0)} s`);
  }
  console.log(
    `${total.ptx} kernels are PTX to ptxas, we compile ${total.ours} (${total.mnemonics.size} instructions); the same results from ours at -O0, -O1, -O2 and ptxas's at -O0, -O3: ` +
      `${total.equal}, of them ${total.nan} but for the bits of NaNs; of the others ptxas's -O0 and -O3 agree on ${total.others}; ${total.exceptions} differ in literals that ptxas reads otherwise (instruction-agree.ts says why); ${total.stopped} have code that the simulator does not run`,
  );
}

/** Our code against the constants that ptxas folds literal operands to. */
function foldsAll(only: RegExp): void {
  const kernels = gpuKernels().filter((k) => only.test(k.tested) && !LITERAL.test(k.tested));
  const inputs = inputBytes();
  const total = { folded: 0, equal: 0, mnemonics: new Set<string>() };
  for (let from = 0; from < kernels.length; from += PART) {
    const part = kernels.slice(from, from + PART);
    const folds = new Map(
      foldAll(part, inputs)
        .filter((f) => f.folded)
        .map((f) => [f.kernel.name, f.output]),
    );
    const made = make(
      part.filter((k) => folds.has(k.name)),
      "ours-O0",
    );
    if (made.cubin === null) continue;
    const simulation = new Simulation(made.cubin, inputs);
    for (const k of made.kernels) {
      const wanted = folds.get(k.name)!;
      const output = simulation.run(k, BLOCK);
      const text = typeof output === "string" ? output : compareOutputs(k, output.slice(0, wanted.length), wanted).text;
      total.folded++;
      total.mnemonics.add(mnemonicOf(k));
      if (text === "") total.equal++;
      else console.log(`${k.name}\t${k.tested}\t${text}`);
    }
  }
  console.log(
    `${total.folded} kernels of ${total.mnemonics.size} instructions are folded for ${FOLDED_ROWS} rows of literals: our code gives the same in ${total.equal}, NaNs like any other`,
  );
}

const [mode, first, second] = process.argv.slice(2);
if (mode === "agree") agreeAll(new RegExp(first ?? ""));
else if (mode === "folds") foldsAll(new RegExp(first ?? ""));
else if (mode === "build" && first !== undefined) build(first, new RegExp(second ?? ""));
else if (mode === "compare" && first !== undefined && second !== undefined) compare(first, second);
else {
  console.error(
    "usage: instructions.ts agree [REGEXP] | folds [REGEXP] | build DIR [REGEXP] | compare DIR RESULTS.json",
  );
  process.exitCode = 2;
}
