/**
 * Finds the latency tables of lib/target/latency by reading what the real ptxas does (needs oracle:setup):
 *
 *     node tools/run-ts.cjs tools/harvest-latency.ts observe [--sm 90] [--modules 40] [--seed 1] [--folder DIR]
 *     node tools/run-ts.cjs tools/harvest-latency.ts classes [--sm 90]      opcodes that do not behave like their class
 *     node tools/run-ts.cjs tools/harvest-latency.ts write                  cells and evidence of all SMs
 *     node tools/run-ts.cjs tools/harvest-latency.ts check [--sm 90] [--cells 300] [--seed 7] [--modules 12]
 *
 * `observe` compiles chain kernels, the test corpus and CUDA's templates and keeps what it saw in .cache/latency; `--folder`
 * adds cubins that are there already, `--more` chains of one more seed. `check` derives cells again from chain kernels of another seed and compares.
 */
import { type Sm, sms } from "../lib/target/table.js";
import { Cells } from "./latency/cells.js";
import { check } from "./latency/check.js";
import { Observations } from "./latency/observe.js";
import { fromChains, fromCorpus, fromFolder, keep, kept, sourceNames } from "./latency/sources.js";
import { writeTables } from "./latency/write.js";

const [command, ...args] = process.argv.slice(2);
const option = (name: string): string | null => {
  const i = args.indexOf(`--${name}`);
  return i < 0 ? null : (args[i + 1] ?? null);
};
const number = (name: string, otherwise: number): number => Number(option(name) ?? otherwise);
const targets: readonly Sm[] = option("sm") === null ? sms : [number("sm", 90) as Sm];
const progress =
  (text: string) =>
  (done: number, of: number): void => {
    if (process.stderr.isTTY || done === of) process.stderr.write(`\r${text} ${done}/${of}${done === of ? "\n" : ""}`);
  };

for (const sm of command === "write" ? [] : targets) {
  if (command === "observe") {
    const folder = option("folder");
    if (folder !== null) keep(sm, "folder", fromFolder(sm, folder));
    else if (args.includes("--more")) {
      const obs = new Observations();
      const before = kept(sm, "chain");
      if (before) obs.merge(before);
      const more = {
        modules: number("modules", 4),
        seed: number("seed", 501) + sm,
        progress: progress(`sm_${sm} chains`),
      };
      obs.merge(fromChains(sm, more).kept());
      keep(sm, "chain", obs);
    } else {
      const modules = number("modules", 40);
      keep(
        sm,
        "chain",
        fromChains(sm, { modules, seed: number("seed", 1) + sm, progress: progress(`sm_${sm} chains`) }),
      );
      keep(sm, "corpus", fromCorpus(sm, progress(`sm_${sm} corpus`)));
    }
  } else if (command === "classes") {
    const cells = new Cells(sm);
    for (const s of sourceNames) cells.add(kept(sm, s)?.pairs ?? [], s);
    console.log([`sm_${sm}`, ...cells.strangers(6), ...[...cells.unknown].sort()].join("\n"));
  } else if (command === "check") {
    check(sm, {
      cells: number("cells", 300),
      seed: number("seed", 7),
      modules: number("modules", 12),
      progress: progress(`sm_${sm} chains`),
    });
  } else throw new Error("what: observe, classes, write or check");
}
if (command === "write") writeTables();
