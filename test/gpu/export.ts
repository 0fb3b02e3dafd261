/**
 * node tools/run-ts.cjs test/gpu/export.ts DIR [--fuzz N] [--from SEED] [--variants NAME,…]: the corpus for sm_90, or N random
 * kernels, by every maker of variants.ts, with launch files, for run.py on a machine with a GPU.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { corpus, corpusPtx, type LaunchFile } from "../corpus/cases.js";
import { evaluate, generate, inputCells, ptxText, RESULT_WORDS, THREADS } from "../fuzz/program.js";
import { variants } from "./variants.js";

const target = "sm_90";

function randomKernel(seed: number): { name: string; launch: LaunchFile; ptx: string } {
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
  options: { fuzz: { type: "string" }, from: { type: "string", default: "0" }, variants: { type: "string" } },
});
const [dir] = positionals;
const names = values.variants?.split(",") ?? Object.keys(variants);
if (dir === undefined || names.some((n) => variants[n] === undefined)) {
  console.error(`usage: export.ts DIR [--fuzz N] [--from SEED] [--variants ${Object.keys(variants).join(",")}]`);
  process.exit(2);
}
mkdirSync(dir, { recursive: true });

const inputs =
  values.fuzz === undefined
    ? corpus.map((c) => ({ name: c.name, launch: c.launch, ptx: corpusPtx(c.name, target) }))
    : Array.from({ length: Number(values.fuzz) }, (_, i) => randomKernel(Number(values.from) + i));
const cases = inputs.map(({ name, launch, ptx }) => {
  writeFileSync(join(dir, `${name}.json`), JSON.stringify(launch));
  const cubins: Record<string, string> = {};
  for (const variant of names) {
    // One maker's refusal leaves the others.
    try {
      const file = `${name}.${variant}.cubin`;
      writeFileSync(join(dir, file), variants[variant]!(ptx, target));
      cubins[variant] = file;
    } catch (error) {
      console.error(`${name}, ${variant}: ${(error as Error).message}`);
    }
  }
  return { name, launch: `${name}.json`, cubins };
});
writeFileSync(join(dir, "cases.json"), JSON.stringify({ target, cases }, null, 1));
const count = cases.reduce((n, c) => n + Object.keys(c.cubins).length, 0);
console.log(`${count} cubins of ${cases.length} kernels for ${target} in ${dir}`);
