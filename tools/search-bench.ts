/**
 * Search for better orders of ptxas's own code: every kernel of the corpus, compiled by the real ptxas at -O3, beam search
 * under the timing model. Prints cycles before and after; every order kept is free of hazards and computes the expected
 * results. Threads need the built library; without it, and with `--threads 0`, everything runs in one.
 *
 *     node tools/run-ts.cjs tools/search-bench.ts [SM] [--steps N] [--seed N] [--threads N] [--only KERNEL]
 *
 * Default: 90, 4 steps, seed 1.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { search } from "../lib/experiment/index.js";
import { type CorpusTarget, corpus, corpusPtx } from "../test/corpus/cases.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    steps: { type: "string", default: "4" },
    seed: { type: "string", default: "1" },
    threads: { type: "string" },
    only: { type: "string" },
  },
});
const target = `sm_${positionals[0] ?? 90}` as CorpusTarget;
const ptxas = resolve(__dirname, "../.oracle/bin/ptxas");

async function main(): Promise<void> {
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
        seed: Number(values.seed),
        steps: Number(values.steps),
        ...(values.threads !== undefined && { threads: Number(values.threads) }),
      });
      const ratio = r.best.cycles! / r.start.cycles!;
      logs += Math.log(ratio);
      cycles += r.start.cycles!;
      after += r.best.cycles!;
      const bad = r.rows.filter((x) => x.outcome !== "ok" || x.results !== "as expected" || x.hazards !== 0).length;
      console.log(
        `${target} ${c.name.padEnd(18)} ${r.start.cycles} -> ${r.best.cycles}  ${ratio.toFixed(3)}  ${r.rows.length} tried, ${bad} refused, ${((performance.now() - began) / 1000).toFixed(1)} s  ${r.best.moves}`,
      );
    }
    const mean = Math.exp(logs / chosen.length).toFixed(3);
    console.log(`${target}: geometric mean over ${chosen.length} kernels ${mean}; sum of cycles ${cycles} -> ${after}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

main();
