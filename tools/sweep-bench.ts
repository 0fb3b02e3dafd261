/**
 * One sweep of 200 re-schedules: do its threads keep all cores busy, and is the table the same however many there are?
 *
 *     node tools/run-ts.cjs tools/sweep-bench.ts [SM]      needs the built library (npm run build) and .oracle
 *
 * Every kernel of the corpus as ptxas -O3 makes it (default sm_90), in the order of ten policies, under the timing model. Once
 * on all cores and once in one thread. Exit status 1 where the two differ or a point fails.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { type SweepSpec, sweep, utilisation, type Work } from "../lib/experiment/index.js";
import { schedulePolicies } from "../lib/sched/index.js";
import { corpus } from "../test/corpus/cases.js";
import { readArguments, smsOf } from "./arguments.js";
import { corpusCubins } from "./sass/cubins.js";

const POLICIES = 10;

const { positionals } = readArguments({});
const folder = mkdtempSync(join(tmpdir(), "ptxlab-"));

function specOf(sm: number): SweepSpec {
  const inputs = corpusCubins(sm, [3], folder).map((made, i) => {
    const launch = `${corpus[i]!.name}.json`;
    writeFileSync(join(folder, launch), JSON.stringify(corpus[i]!.launch));
    return { cubin: relative(folder, made.path), launch };
  });
  return { name: "re-schedules", inputs, policies: schedulePolicies.slice(0, POLICIES).map((p) => p.name) };
}

async function main(): Promise<number> {
  const tables: Buffer[] = [];
  let failed = 0;
  for (const sm of positionals.length > 0 ? smsOf(positionals) : [90]) {
    const spec = specOf(sm);
    for (const threads of [undefined, 0]) {
      const out = join(folder, `sm_${sm}-${threads ?? "all"}`);
      const works: Work[] = [];
      const { rows } = await sweep(spec, {
        folder,
        out,
        ...(threads === 0 && { threads }),
        onWork: (w) => works.push(w),
      });
      failed += rows.filter((r) => r.outcome !== "ok" || r.results !== "as expected" || r.hazards !== 0).length;
      tables.push(readFileSync(`${out}.parquet`));
      const work = works.at(-1)!;
      const shares = work.busy.map((ms) => `${((100 * ms) / work.wall).toFixed(1)} %`).join(", ");
      console.log(
        `sm_${sm}: ${rows.length} points on ${work.busy.length} thread(s): each busy ${shares} of the time, ` +
          `together ${(100 * utilisation(work)).toFixed(1)} %`,
      );
    }
    const same = tables.at(-1)!.equals(tables.at(-2)!);
    console.log(`sm_${sm}: the tables are ${same ? "the same, byte for byte" : "DIFFERENT"}; ${failed} points failed`);
    if (!same) failed++;
  }
  return failed === 0 ? 0 : 1;
}

main()
  .then((status) => {
    process.exitCode = status;
  })
  .finally(() => rmSync(folder, { recursive: true, force: true }));
