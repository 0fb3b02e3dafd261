/** `ptxlab sweep`: runs a sweep that a file describes, with progress; an interrupted one goes on where it was. */
import { dirname, resolve } from "node:path";
import { SingleBar } from "cli-progress";
import {
  movesText,
  needsText,
  objectiveOf,
  type Row,
  readSweep,
  type SweepDone,
  type SweepOptions,
  sweepToTable,
  utilisation,
  type Work,
  type WorkerInfo,
} from "../experiment/index.js";
import { counted } from "../inspect.js";
import { readCommandLine } from "./command-line.js";
import { printAll } from "./cubins.js";
import type { Host } from "./host.js";
import { jsonOf, UNUSABLE, UsageError } from "./usage.js";

/** Exit status: 0 all points ran and computed what they should, 1 not all, 2 the description is unusable, 130 interrupted. */
export async function sweepCommand(args: readonly string[], host: Host): Promise<number> {
  const { file: path, values } = readCommandLine("sweep", args);
  const folder = dirname(resolve(path));
  const spec = readSweep(jsonOf(path, host), folder);
  if (typeof spec === "string") throw new UsageError(`${path}: ${spec}`);
  const asked = values.objective === undefined ? spec : { ...spec, objective: values.objective };
  // On a queue the workers judge.
  const objective = objectiveOf(values.queue === undefined ? asked : {});
  const opened = await objective.open();
  if (!opened.ok) {
    printAll(opened.diagnostics, path, host);
    return UNUSABLE;
  }
  const out = values.out ?? path.replace(/\.json$/, "");
  const shard = values.shard === undefined ? undefined : shardOf(values.shard);
  const bar = new SingleBar({ format: `${spec.name} {bar} {value}/{total} points, {rate}/s, {eta_formatted} to go` });
  const began = Date.now();
  let fresh = 0;
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once("SIGINT", interrupt);
  if (process.stderr.isTTY) bar.start(1, 0, { rate: "-" });
  const work: Work[] = [];
  try {
    const options: SweepOptions & { readonly out: string } = {
      folder,
      out,
      ...(values.queue === undefined && { objective }),
      signal: stop.signal,
      ...(shard && { shard }),
      ...(values.threads !== undefined && { threads: values.threads }),
      ...(values.queue !== undefined && {
        queue: {
          url: values.queue,
          onWorkers: (w) => host.err(workersText(w)),
          onNobody: (needs) => host.err(`points wait: no worker has ${needsText(needs)}\n`),
        },
      }),
      onStart: (total, done) => {
        bar.setTotal(total);
        bar.update(done);
      },
      onRow: () => {
        fresh++;
        bar.increment({ rate: ((1000 * fresh) / Math.max(1, Date.now() - began)).toFixed(1) });
      },
      onWork: (w) => work.push(w),
    };
    const result = await ranOn(() => sweepToTable(asked, options), values.queue);
    bar.stop();
    const good = values.json ? printJson(result, host) : printRows(result, host);
    if (!values.json) host.out(`${endText(result, out, shard)}\n`);
    if (values.report) for (const w of work) host.err(workText(w, result.points - result.resumed));
    if (!result.complete) return 130;
    return good ? 0 : 1;
  } finally {
    bar.stop();
    process.removeListener("SIGINT", interrupt);
    await objective.close();
  }
}

/** What is wrong with a queue is a mistake of the command line. */
async function ranOn<T>(run: () => Promise<T>, queue: string | undefined): Promise<T> {
  try {
    return await run();
  } catch (e) {
    if (queue === undefined) throw e;
    throw new UsageError((e as Error).message);
  }
}

const isGood = (r: Row): boolean => r.outcome === "ok" && r.results !== "different" && !r.hazards;

/** Row by row: there may be many. Whether all are good. */
function printRows({ rows }: SweepDone, host: Host): boolean {
  let good = true;
  for (const row of rows()) {
    host.out(`${rowText(row)}\n`);
    good &&= isGood(row);
  }
  return good;
}

function printJson({ rows, resumed, complete }: SweepDone, host: Host): boolean {
  let good = true;
  let before = "";
  host.out('{\n "rows": [');
  for (const row of rows()) {
    host.out(`${before}\n  ${JSON.stringify(row)}`);
    before = ",";
    good &&= isGood(row);
  }
  host.out(`\n ],\n "resumed": ${resumed},\n "complete": ${complete}\n}\n`);
  return good;
}

function workersText(workers: readonly WorkerInfo[]): string {
  const threads = workers.reduce((n, w) => n + w.cores, 0);
  return `${counted(workers.length, "worker")} with ${counted(threads, "thread")}\n`;
}

type Shard = { readonly index: number; readonly of: number };

function shardOf(text: string): Shard {
  const [, index, of] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  if (index === undefined || shard.index < 1 || shard.index > shard.of)
    throw new UsageError(`--shard takes I/N with I from 1 to N, not '${text}'`);
  return shard;
}

function rowText(r: Row): string {
  const how =
    r.level === null
      ? movesText(JSON.parse(r.moves), true)
      : `-O${r.level}${r.maxRegisters ? ` -maxrregcount ${r.maxRegisters}` : ""}${r.knobs === "{}" ? "" : ` ${r.knobs}`}${r.knobsNotRead ? ` (nobody read ${r.knobsNotRead})` : ""}`;
  const figures = r.objective === null ? `${r.cycles ?? "-"} cycles` : measuredText(r);
  const hazards = r.hazards ? `, ${counted(r.hazards, "hazard")}` : "";
  const numbers = `${r.registers === null ? "- registers" : counted(r.registers, "register")}, ${figures}${hazards}`;
  return `${r.id}  ${r.input}  ${r.target}  ${how}: ${r.outcome === "ok" ? `${numbers}, results ${r.results}` : r.outcome}`;
}

const measuredText = (r: Row): string =>
  r.median === null
    ? "no time"
    : `${r.median} us${r.ratio === null ? "" : `, ${r.ratio} of the base`} (spread ${r.spread})`;

/** How busy the threads were, for `--report`. */
function workText(work: Work, points: number): string {
  const share = Math.round(1000 * utilisation(work)) / 10;
  const seconds = (ms: number): string => (ms / 1000).toFixed(2);
  const each = work.busy.map(
    (ms, k) =>
      `${seconds(work.starting[k]!)} s to start, ${seconds(ms)} in points, ${seconds(work.ending[k]!)} at the end`,
  );
  return (
    `${counted(points, "point")} on ${counted(work.busy.length, "thread")} in ${seconds(work.wall)} s; busy ${share} % of the time\n` +
    each.map((e) => `  ${e}\n`).join("")
  );
}

function endText({ points, resumed, complete }: SweepDone, out: string, shard: Shard | undefined): string {
  const before = resumed > 0 ? `, ${resumed} of them from before` : "";
  if (complete && shard !== undefined)
    return `${counted(points, "point")} of shard ${shard.index} of ${shard.of}${before}; merge makes the table`;
  return complete
    ? `${counted(points, "point")}${before}; table: ${out}.parquet`
    : `interrupted after ${counted(points, "point")}; run it again to go on`;
}
