/**
 * node tools/run-ts.cjs tools/study-figures.ts [SM] [--kernels a,b] [--seed N]: on cubins of ptxas -O3, the best order by beam search, and how
 * many candidates TPE and CMA-ES (Optuna) take to reach it, with at most half as many. Needs the built library, ptxas and a Python
 * with Optuna (PTXLAB_PYTHON).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  execute,
  keepThreads,
  movesOf,
  orderSpace,
  type Row,
  type Setting,
  search,
  study,
} from "../lib/experiment/index.js";
import { type CorpusTarget, corpus, corpusPtx } from "../test/corpus/cases.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kernels: { type: "string", default: "sgemm,stencil,scan,reduction,nbody,bitonic" },
    seed: { type: "string", default: "1" },
  },
});
const target = `sm_${positionals[0] ?? 90}` as CorpusTarget;
const seed = Number(values.seed);
const pool = keepThreads();
const ptxas = resolve(__dirname, "../.oracle/bin/ptxas");
const folder = mkdtempSync(join(tmpdir(), "ptxlab-study-"));
const cycles = (r: Row | null): number | null =>
  r !== null && r.outcome === "ok" && r.results === "as expected" && r.hazards === 0 ? r.cycles : null;
/** Which candidate was the first that came to so many cycles; null for none. */
const reached = (list: readonly (number | null)[], most: number): number | null => {
  const at = list.findIndex((c) => c !== null && c <= most);
  return at < 0 ? null : at + 1;
};

async function compare(name: string): Promise<readonly string[]> {
  const [ptx, cubin, launch] = [`${name}.ptx`, `${name}.cubin`, `${name}.json`];
  writeFileSync(join(folder, ptx), corpusPtx(name, target));
  writeFileSync(join(folder, launch), JSON.stringify(corpus.find((k) => k.name === name)!.launch));
  spawnSync(ptxas, [`-arch=${target}`, "-O3", join(folder, ptx), "-o", join(folder, cubin)]);
  const input = { cubin, launch };
  const beam = await search(input, { folder, seed, steps: 4, pool });
  const best = beam.best.cycles!;
  const tried = beam.rows.map(cycles);
  const half = Math.floor(tried.length / 2);
  const judge = async (settings: readonly Setting[]) => {
    const points = settings.map((s) => ({
      input,
      target: "",
      level: 0,
      maxRegisters: 0,
      knobs: {},
      moves: movesOf(s),
    }));
    return (await execute(points, { folder, pool })).map((r) => (cycles(r) === null ? null : [cycles(r)!]));
  };
  const told: string[] = [];
  for (const sampler of ["tpe", "cmaes"] as const) {
    const space = orderSpace({ numbers: sampler === "cmaes" });
    const found = (await study(space, judge, { sampler, seed, trials: half })).trials.map(
      (t) => t.figures?.[0] ?? null,
    );
    const least = Math.min(...found.filter((c) => c !== null));
    const at = reached(found, best);
    told.push(`${least} (${(least / best).toFixed(3)}) ${at === null ? "not reached" : `at ${at}`}`);
  }
  return [name, `${beam.start.cycles} -> ${best} at ${reached(tried, best)} of ${tried.length}`, String(half), ...told];
}

async function main(): Promise<void> {
  console.log(["kernel", "beam search", "half", "TPE", "CMA-ES"].join(" | "));
  for (const name of values.kernels.split(",")) console.log((await compare(name)).join(" | "));
}

main().finally(async () => {
  await pool.end();
  rmSync(folder, { recursive: true, force: true });
});
