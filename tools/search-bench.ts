/**
 * Search for better orders of ptxas's own code: every kernel of the corpus, compiled by the real ptxas at -O3, beam search
 * under the timing model. Prints cycles before and after; every order kept is free of hazards and computes the expected
 * results. Threads need the built library; without it, and with `--threads 0`, everything runs in one.
 *
 *     node tools/run-ts.cjs tools/search-bench.ts [SM] [--steps N] [--seed N] [--threads N] [--only KERNEL]
 *         [--objective clock [--every] [--finalists N]]
 *
 * Default: 90, 4 steps, seed 1. With `--objective clock` a GPU of the SM judges what the model leaves (with `--every` all that is
 * tried): printed are its microseconds of ptxas's order, the ratio of the best order in its second measurement (1.000 where none
 * is faster beyond the noise) with its spread, and the model's ratio of the same order. Exit status 2: no usable GPU.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { objectiveOf, type SearchResult, search } from "../lib/experiment/index.js";
import { type CorpusTarget, corpus, corpusPtx } from "../test/corpus/cases.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    steps: { type: "string", default: "4" },
    seed: { type: "string", default: "1" },
    threads: { type: "string" },
    only: { type: "string" },
    objective: { type: "string", default: "model" },
    every: { type: "boolean", default: false },
    finalists: { type: "string" },
  },
});
const target = `sm_${positionals[0] ?? 90}` as CorpusTarget;
const ptxas = resolve(__dirname, "../.oracle/bin/ptxas");

/** Ratio of the best to the start, by who judged. */
const ratioOf = ({ best, start }: SearchResult): number =>
  best === start ? 1 : best.objective === null ? best.cycles! / start.cycles! : best.ratio!;

function figures(r: SearchResult): string {
  const { best, start } = r;
  const ratio = ratioOf(r).toFixed(3);
  if (best.objective === null) return `${start.cycles} -> ${best.cycles}  ${ratio}`;
  const cycles = (of: string): number | undefined =>
    r.rows.find((x) => x.cubinHash === of && x.cycles !== null)?.cycles ?? undefined;
  const [before, after] = [cycles(start.cubinHash), cycles(best.cubinHash)];
  const model = before === undefined || after === undefined ? "not asked" : (after / before).toFixed(3);
  return `${start.median} us  ${ratio} (spread ${best.spread})  model ${model}`;
}

async function main(): Promise<number> {
  if (values.objective !== "model" && values.objective !== "clock") throw new Error("--objective takes model or clock");
  const objective = objectiveOf({ objective: values.objective });
  const opened = await objective.open();
  if (!opened.ok) {
    console.error(opened.diagnostics[0]!.message);
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), "ptxlab-"));
  let logs = 0;
  try {
    const chosen = corpus.filter((c) => values.only === undefined || c.name === values.only);
    let [cycles, after] = [0, 0];
    for (const c of chosen) {
      const began = performance.now();
      const ptx = join(folder, `${c.name}.ptx`);
      writeFileSync(ptx, corpusPtx(c.name, target));
      writeFileSync(join(folder, `${c.name}.json`), JSON.stringify(c.launch));
      const ran = spawnSync(ptxas, [`-arch=${target}`, "-O3", ptx, "-o", join(folder, `${c.name}.cubin`)]);
      if (ran.status !== 0) throw new Error(String(ran.stderr));
      const input = { cubin: `${c.name}.cubin`, launch: `${c.name}.json` };
      const r = await search(input, {
        folder,
        objective,
        screen: !values.every,
        seed: Number(values.seed),
        steps: Number(values.steps),
        ...(values.threads !== undefined && { threads: Number(values.threads) }),
        ...(values.finalists !== undefined && { finalists: Number(values.finalists) }),
      });
      logs += Math.log(ratioOf(r));
      cycles += r.start.cycles ?? 0;
      after += r.best.cycles ?? 0;
      const bad = r.rows.filter((x) => x.outcome !== "ok" || x.results !== "as expected" || x.hazards !== 0).length;
      console.log(
        `${target} ${c.name.padEnd(18)} ${figures(r)}  ${r.rows.length} tried, ${bad} refused, ${((performance.now() - began) / 1000).toFixed(1)} s  ${r.best.moves}`,
      );
    }
    const mean = Math.exp(logs / chosen.length).toFixed(3);
    const sums = values.objective === "model" ? `; sum of cycles ${cycles} -> ${after}` : "";
    console.log(`${target}: geometric mean over ${chosen.length} kernels ${mean}${sums}`);
    return 0;
  } finally {
    rmSync(folder, { recursive: true });
    await objective.close();
  }
}

main().then((status) => {
  process.exitCode = status;
});
