/**
 * node tools/run-ts.cjs test/gpu/export.ts DIR [--fuzz N] [--from SEED] [--variants NAME,…] [--target sm_90] [--simulate]
 *
 * The corpus, or random kernels of N seeds, by every maker of variants.ts, with launch files, for run.py on a machine with a GPU. With
 * --simulate each cubin also runs in the simulator. Exit status: 0 all made (and right), 1 not, 2 unusable arguments.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runLaunchFile } from "../../lib/sim/index.js";
import { type CorpusTarget, corpus, corpusPtx, corpusTargets, type LaunchFile } from "../corpus/cases.js";
import {
  evaluate,
  generate,
  inputCells,
  loopWritesItsCondition,
  ptxText,
  RESULT_WORDS,
  THREADS,
} from "../fuzz/program.js";
import { sourceOf, variants } from "./variants.js";

function randomKernel(seed: number, target: CorpusTarget): { name: string; launch: LaunchFile; ptx: string } {
  const kernel = generate(seed);
  const cells = inputCells(seed);
  const out = THREADS * RESULT_WORDS;
  const before = Array.from(cells);
  const expected = evaluate(kernel, cells);
  const launch: LaunchFile = {
    buffers: { cells: { type: "u32", values: before }, out: { type: "u32", length: out } },
    launches: [{ kernel: "k", grid: [1], block: [THREADS], params: [{ buffer: "cells" }, { buffer: "out" }] }],
    expect: { out: { values: Array.from(expected) }, cells: { values: Array.from(cells) } },
  };
  return { name: `seed${seed}`, launch, ptx: ptxText(kernel, target) };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fuzz: { type: "string" },
    from: { type: "string", default: "0" },
    variants: { type: "string" },
    target: { type: "string", default: "sm_90" },
    simulate: { type: "boolean", default: false },
  },
});
const [dir] = positionals;
const names = values.variants?.split(",") ?? Object.keys(variants);
const target = corpusTargets.find((t) => t === values.target);
if (dir === undefined || target === undefined || names.some((n) => variants[n] === undefined)) {
  const targets = corpusTargets.join("|");
  const all = Object.keys(variants).join(",");
  console.error(`usage: export.ts DIR [--fuzz N] [--from SEED] [--variants ${all}] [--target ${targets}] [--simulate]`);
  process.exit(2);
}
mkdirSync(dir, { recursive: true });

const inputs =
  values.fuzz === undefined
    ? corpus.map((c) => ({ name: c.name, launch: c.launch, ptx: corpusPtx(c.name, target) }))
    : Array.from({ length: Number(values.fuzz) }, (_, i) => Number(values.from) + i)
        .filter((seed) => !loopWritesItsCondition(generate(seed)))
        .map((seed) => randomKernel(seed, target));
let wrong = 0;
const cases = inputs.map(({ name, launch, ptx }) => {
  writeFileSync(join(dir, `${name}.json`), JSON.stringify(launch));
  const cubins: Record<string, string> = {};
  const source = sourceOf(ptx, target);
  for (const variant of names) {
    // One maker's refusal leaves the others.
    try {
      const file = `${name}.${variant}.cubin`;
      const cubin = variants[variant]!(source);
      writeFileSync(join(dir, file), cubin);
      cubins[variant] = file;
      if (!values.simulate) continue;
      const ran = runLaunchFile(cubin, launch, { readFile: () => null });
      if (ran.status === 0) continue;
      wrong++;
      console.error(`${name}, ${variant}, simulated: ${ran.lines.slice(0, 4).join("; ")}`);
    } catch (error) {
      wrong++;
      console.error(`${name}, ${variant}: ${(error as Error).message}`);
    }
  }
  return { name, launch: `${name}.json`, cubins };
});
writeFileSync(join(dir, "cases.json"), JSON.stringify({ target, cases }, null, 1));
const count = cases.reduce((n, c) => n + Object.keys(c.cubins).length, 0);
console.log(`${count} cubins of ${cases.length} kernels for ${target} in ${dir}`);
process.exitCode = wrong > 0 ? 1 : 0;
