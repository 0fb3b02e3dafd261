/**
 * `npm run -s build && node tools/run-ts.cjs tools/compile-time.ts`: compile time at -O3, corpus, over ptxas's own `Compile time` in the same run:
 * the geometric mean of the ratios (best of 30 over best of 6) and the three worst kernels. Measured is the built library, which is what users run:
 * the loader of this script turns each export into a getter. It takes some 20 rounds until the engine has compiled what is hot.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { compile as Compile } from "../lib/compile.js";
import { corpus, corpusPtx, corpusTargets } from "../test/corpus/cases.js";

const { compile } = require("../dist/compile.js") as { compile: typeof Compile };
const ptxas = join(__dirname, "../.oracle/bin/ptxas");

const ROUNDS = 30;

/** Milliseconds. */
function ours(text: string, target: (typeof corpusTargets)[number]): number {
  const start = process.hrtime.bigint();
  compile(text, { target });
  return Number(process.hrtime.bigint() - start) / 1e6;
}

function theirs(file: string, target: string): number {
  const { stdout, stderr } = spawnSync(ptxas, ["-v", `-arch=${target}`, file, "-o", "/dev/null"], { encoding: "utf8" });
  const time = /Compile time = ([\d.]+) ms/.exec(stdout + stderr)?.[1];
  if (time === undefined) throw new Error(`ptxas says no time of ${file}`);
  return Number(time);
}

for (const target of corpusTargets) {
  const best = corpus.map(() => Number.POSITIVE_INFINITY);
  for (let run = 0; run < ROUNDS; run++)
    corpus.forEach(({ name }, i) => {
      best[i] = Math.min(best[i]!, ours(corpusPtx(name, target), target));
    });
  const ratios = corpus.map(({ name }, i) => {
    const file = join(__dirname, `../test/corpus/ptx/${target}/${name}.ptx`);
    return [name, best[i]! / Math.min(...Array.from({ length: 6 }, () => theirs(file, target)))] as const;
  });
  const mean = Math.exp(ratios.reduce((sum, [, r]) => sum + Math.log(r), 0) / ratios.length);
  const worst = [...ratios].sort((a, b) => b[1] - a[1]).slice(0, 3);
  console.log(`${target}: ${mean.toFixed(2)}; ${worst.map(([name, r]) => `${name} ${r.toFixed(1)}`).join(", ")}`);
}
