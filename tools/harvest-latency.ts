/**
 * Finds the latency tables of lib/isa/latency by reading what the real ptxas does (needs oracle:setup, but for write and summary):
 *
 *     node tools/run-ts.cjs tools/harvest-latency.ts observe [--sm 90] [--source chain,units] [--modules 40] [--seed 1] [--folder DIR]
 *     node tools/run-ts.cjs tools/harvest-latency.ts renew [--sm 90] [--ports "R mma;R mma2"] [--seeds 1,2]
 *     node tools/run-ts.cjs tools/harvest-latency.ts write                  cells of all SMs from their evidence
 *     node tools/run-ts.cjs tools/harvest-latency.ts summary [--json]       what the cells rest on, and which opcodes have no rows
 *     node tools/run-ts.cjs tools/harvest-latency.ts classes [--sm 90]      opcodes that do not behave like their class
 *     node tools/run-ts.cjs tools/harvest-latency.ts check [--sm 90] [--cells 300] [--seed 7] [--modules 12]
 *
 * `observe` looks at kernels of a source (chain: chain kernels; directed: such for the cells that no stall has shown yet, so many tries
 * each as there are modules; corpus: test corpus and CUDA's templates; units: tools/hazard; random: random programs; folder:
 * cubins that are there already; all but the last when none is named), adds what it saw to the evidence and makes the cells
 * again; a run that the evidence holds already is left out; `--ports` sends directed kernels to the cells of these ports alone.
 * What was seen per opcode stays in .cache/latency, for `classes`.
 * `renew` drops what was seen of ports whose instructions read or write other registers than when they were looked at
 * (evidence/forms.csv), and of ports that are named, looks at the kernels of its runs (or of those with the seeds) again
 * and adds these cells anew. Without ports and with nothing stale it notes what the instructions of these kernels read and write.
 * `check` derives cells again from kernels of other seeds (chain and directed) and compares; of each cell that they contradict it
 * prints what the table rests on and where the new kernels say otherwise, as machine code and PTX, and the explanation of
 * evidence/explained.csv; one without makes the exit status 1.
 */
import type { Sm } from "../lib/target/table.js";
import { numberOf, readArguments, smsOf } from "./arguments.js";
import { Cells } from "./latency/cells.js";
import { check } from "./latency/check.js";
import { addSight, type Run, readRuns, readSights, writeRuns } from "./latency/evidence.js";
import { accessOf, readForms, staleForms, writeForms } from "./latency/forms.js";
import { Observations, type Place } from "./latency/observations.js";
import { renew } from "./latency/renew.js";
import { isSource, keep, kept, observeSource, type Source, sources } from "./latency/sources.js";
import { printSummary } from "./latency/summary.js";
import { writeTables } from "./latency/write.js";

const [command, ...rest] = process.argv.slice(2);
const text = { type: "string" } as const;
const { values: options } = readArguments(
  {
    sm: text,
    source: text,
    modules: text,
    cells: text,
    seed: text,
    seeds: text,
    ports: text,
    folder: text,
    json: { type: "boolean", default: false },
  },
  rest,
);
/** `--ports "R mma;R mma2"` */
const ports = (options.ports ?? "").split(";").filter((p) => p !== "");
/** `--seeds 1,2` */
const seeds = (options.seeds ?? "").split(",").flatMap((s) => (s === "" ? [] : [numberOf(s)]));
const number = (name: "modules" | "cells" | "seed", otherwise: number): number =>
  numberOf(options[name] ?? String(otherwise));
const targets = smsOf(options.sm === undefined ? [] : [options.sm]) as readonly Sm[];
const progress =
  (text: string) =>
  (done: number, of: number): void => {
    if (process.stderr.isTTY || done === of) process.stderr.write(`\r${text} ${done}/${of}${done === of ? "\n" : ""}`);
  };

/** Looks at kernels of some sources together: a stall is explained when all that was seen is there. */
function observe(sm: Sm, wanted: readonly Source[]): void {
  const runs = readRuns();
  const sights = readSights();
  const forms = readForms();
  const stale = [...staleForms(forms.get(sm)!, sm).keys()];
  if (stale.length > 0)
    throw new Error(`sm_${sm}: renew comes first, these have other operands now: ${stale.join(" ")}`);
  const cells = new Cells(sm);
  const stalls = new Map<string, Place | null>();
  const done: Run[] = [];
  for (const source of wanted) {
    const seeded = source === "chain" || source === "directed" || source === "random";
    const run = { sm, source, seed: seeded ? number("seed", 1) : 0, modules: seeded ? number("modules", 40) : 0 };
    if (source !== "folder" && runs.some((r) => r.sm === sm && r.source === source && r.seed === run.seed)) {
      console.log(`sm_${sm} ${source}, seed ${run.seed}: the evidence holds it already`);
      continue;
    }
    const seen = observeSource(sm, source, {
      ...run,
      folder: options.folder ?? "",
      ports,
      progress: progress(`sm_${sm} ${source}`),
    });
    cells.add(seen.pairs, source);
    for (const [text, place] of seen.stalls) if (!stalls.has(text)) stalls.set(text, place);
    done.push({ ...run, instructions: seen.instructions, without: [] });
    for (const name of seen.ops.keys()) forms.get(sm)!.set(name, accessOf(name, sm));
    const all = new Observations();
    const before = kept(sm, source);
    if (before) all.merge(before);
    all.merge(seen.kept());
    keep(sm, source, all);
  }
  cells.explain(stalls, sights.get(sm)!);
  for (const [id, c] of cells.cells) addSight(sights.get(sm)!, id, c);
  console.log(
    `sm_${sm} ${done.map((r) => r.source).join(" ")}: ${done.reduce((n, r) => n + r.instructions, 0)} instructions, ` +
      `${cells.contexts} contexts of stalls, ${cells.unexplained.length} not explained; ` +
      `tables that change: ${writeTables(sights).join(" ")}`,
  );
  writeRuns([...runs, ...done]);
  writeForms(forms);
}

function classes(sm: Sm): void {
  const cells = new Cells(sm);
  for (const s of sources) cells.add(kept(sm, s)?.pairs ?? [], s);
  console.log([`sm_${sm}`, ...cells.strangers(6), ...[...cells.unknown].sort()].join("\n"));
}

switch (command) {
  case "observe": {
    const named = (options.source ?? (options.folder === undefined ? "" : "folder")).split(",").filter((x) => x !== "");
    const bad = named.find((x) => !isSource(x));
    if (bad !== undefined) throw new Error(`no source ${bad}: ${sources.join(", ")}`);
    for (const sm of targets)
      observe(sm, named.length > 0 ? named.filter(isSource) : sources.filter((x) => x !== "folder"));
    break;
  }
  case "renew":
    for (const sm of targets) {
      const r = renew(sm, { ports, seeds, progress: (source) => progress(`sm_${sm} ${source}`) });
      console.log(
        `sm_${sm}: ${r.stale.length} stale forms${r.stale.map((f) => ` ${f}`).join("")}; ports ${r.ports.join(", ")}; ` +
          `${r.dropped} cells dropped, ${r.again} of them seen again; tables that change: ${r.changed.join(" ")}`,
      );
    }
    break;
  case "write":
    console.log(`tables that change: ${writeTables().join(" ")}`);
    break;
  case "summary":
    process.exitCode = printSummary(options.json) ? 0 : 1;
    break;
  case "classes":
    for (const sm of targets) classes(sm);
    break;
  case "check":
    for (const sm of targets) {
      const open = check(sm, {
        cells: number("cells", 300),
        seed: number("seed", 7),
        modules: number("modules", 12),
        directed: true,
        progress: progress(`sm_${sm}`),
      });
      if (open > 0) process.exitCode = 1;
    }
    break;
  default:
    throw new Error("what: observe, renew, write, summary, classes or check");
}
