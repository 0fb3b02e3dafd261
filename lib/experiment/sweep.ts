/** Sweeps: all points of a description, resumable, with a table at the end. */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type ExecuteOptions, executeEach, keyOf } from "./executor.js";
import { sha } from "./files.js";
import { writeManifest } from "./manifest.js";
import { model } from "./objective.js";
import { nameOf, pointId } from "./point.js";
import { cellProgress } from "./progress.js";
import type { QueueJudge, QueueOptions } from "./queue/connection.js";
import { shownSweep } from "./shown.js";
import { objectiveOf, pointsOf, queueKey } from "./spec.js";
import { Journal, mendJournal, writeTable } from "./table.js";
import type { ClockSettings, Point, Row, SweepSpec } from "./types.js";

/** Where a sweep leaves its rows, and which points are its own. */
export interface SweepOptions extends ExecuteOptions {
  /** Where results go: `OUT.jsonl` while it runs, `OUT.parquet` and `OUT.manifest.json` at the end. None: rows are only returned. */
  readonly out?: string;
  /** Only every `of`-th point, from the `index`-th (from 1) on: rows go to the journal of the shard, no table is made (`mergeShards`). */
  readonly shard?: {
    /** Number of the shard, from 1. */
    readonly index: number;
    /** How many shards there are. */
    readonly of: number;
  };
  /** Called before the first point: how many there are, and how many are known already. */
  readonly onStart?: (total: number, known: number) => void;
  /** Workers on other machines run the points (`ptxlab worker`); the timing model judges, or, where the sweep says so, the clock of a worker's GPU. Default: threads here. */
  readonly queue?: QueueOptions;
}

/** Rows of a sweep in memory. */
export interface SweepResult {
  /** In the order of the points; points that an abort left out are missing. */
  readonly rows: readonly Row[];
  /** Points whose row an earlier run had left in the journal. */
  readonly resumed: number;
  /** All points have a row: nothing interrupted it. */
  readonly complete: boolean;
}

/** What a sweep left in its files. */
export interface SweepDone {
  /** How many points have a row. */
  readonly points: number;
  /** Points whose row an earlier run had left in the journal. */
  readonly resumed: number;
  /** All points have a row: nothing interrupted it. */
  readonly complete: boolean;
  /** The rows in the order of the points, read from the journal one by one. */
  readonly rows: () => Iterable<Row>;
}

/**
 * Runs a sweep. Points whose row is in the journal already are not run again, and those that are the same experiment run once.
 * `options.objective` judges, else what the sweep names; throws when that cannot judge here (no GPU).
 */
export async function sweep(spec: SweepSpec, options: SweepOptions): Promise<SweepResult> {
  const { rows, resumed, complete } = await run(spec, options, options.out === undefined ? memory() : null);
  return shownSweep({ rows: [...rows()], resumed, complete });
}

/** The same for sweeps of any size: rows go to the files, in memory are only their ids. */
export function sweepToTable(
  spec: SweepSpec,
  options: SweepOptions & {
    /** Path without extension: `OUT.jsonl`, `OUT.parquet`, `OUT.manifest.json`. */
    readonly out: string;
  },
): Promise<SweepDone> {
  return run(spec, options, null);
}

/** Where rows are kept. */
interface Store {
  readonly has: (id: string) => boolean;
  readonly add: (row: Row) => void;
  readonly rows: (ids: Iterable<string>) => Iterable<Row>;
}

function memory(): Store {
  const known = new Map<string, Row>();
  return { has: (id) => known.has(id), add: (row) => known.set(row.id, row), rows: (ids) => inOrder(ids, known) };
}

function* inOrder(ids: Iterable<string>, rows: ReadonlyMap<string, Row>): Generator<Row> {
  for (const id of ids) yield rows.get(id) as Row;
}

function onDisk(path: string): Store {
  mendJournal(path);
  const journal = new Journal([path]);
  return { has: (id) => journal.has(id), add: (row) => journal.add(path, row), rows: (ids) => journal.rows(ids) };
}

async function run(spec: SweepSpec, options: SweepOptions, store: Store | null): Promise<SweepDone> {
  const kept = store ?? onDisk(journalOf(options.out as string, options.shard));
  if (options.queue !== undefined) {
    // Judged by the workers, as the sweep says: no GPU has to be here.
    if (options.objective !== undefined && options.objective !== model)
      throw new Error("points of a queue are judged as the sweep says, not by an objective of this process");
    return judgedBy(spec, options, kept, options.objective === model ? null : queueKey(spec));
  }
  if (options.objective !== undefined) return judgedBy(spec, options, kept, await keyOf(options.objective));
  const objective = objectiveOf(spec);
  try {
    return await judgedBy(spec, { ...options, objective }, kept, await keyOf(objective));
  } finally {
    await objective.close();
  }
}

async function judgedBy(spec: SweepSpec, options: SweepOptions, store: Store, key: string | null): Promise<SweepDone> {
  const { out, folder, shard, queue } = options;
  const onQueue = queue !== undefined && key !== null ? { clock: clockOf(spec), key } : null;
  const all = pointsOf(spec, folder).map((p) => (onQueue === null ? p : withGpu(p)));
  const mine = all.flatMap((_, i) => (shard === undefined || i % shard.of === shard.index - 1 ? [i] : []));
  const ids = all.map((p) => pointId(p, folder, key));
  const firsts = firstOf(ids);
  // The same experiment under two names is run where it comes first.
  const open = mine.filter((i) => firsts.get(ids[i]!) === i && !store.has(ids[i]!));
  const known = mine.filter((i) => store.has(ids[i]!)).length;
  options.onStart?.(mine.length, known);
  const take = (row: Row): void => store.add(row);
  const points = open.map((i) => all[i]!);
  const progress = cellProgress(options, `Sweep ${spec.name}`, "points", known + open.length, known);
  const onRow = (row: Row, i: number): void => {
    progress?.add();
    options.onRow?.(row, open[i]!);
  };
  try {
    await executeOpen(
      points,
      { ...options, onRow, judge: onQueue },
      take,
      sha(ids.join()).slice(0, 16),
      open.map((i) => ids[i]!),
    );
  } finally {
    progress?.end();
  }
  // A shard lacks the points that another one has of the same experiment.
  const there = mine.filter((i) => store.has(ids[i]!));
  const elsewhere = (i: number): boolean => shard !== undefined && firsts.get(ids[i]!)! % shard.of !== shard.index - 1;
  const complete = there.length === mine.length || mine.every((i) => store.has(ids[i]!) || elsewhere(i));
  const rows = (): Iterable<Row> => named(there, all, store.rows(there.map((i) => ids[i]!)));
  if (complete && out !== undefined && shard === undefined) {
    await writeTable(`${out}.parquet`, rows());
    writeManifest(out, spec, folder, there.length);
  }
  return { points: there.length, resumed: known, complete, rows };
}

/** Only a worker with a GPU can judge by its clock. */
const withGpu = (p: Point): Point => ({ ...p, needs: { gpu: true, ...p.needs } });

const clockOf = ({ objective }: SweepSpec): ClockSettings => (typeof objective === "object" ? objective.clock : {});

/** Runs points on threads here, or on the workers of a queue, where `name` tells the sweep from others. */
async function executeOpen(
  points: readonly Point[],
  options: SweepOptions & { readonly judge: QueueJudge | null },
  take: (row: Row) => void,
  name: string,
  ids: readonly string[],
): Promise<void> {
  const { queue } = options;
  if (queue === undefined) return executeEach(points, options, take);
  const { executeOnQueue } = await import("./queue/coordinator.js");
  return executeOnQueue(name, points, ids, { ...options, queue }, take);
}

/** The first point of each id. */
function firstOf(ids: readonly string[]): ReadonlyMap<string, number> {
  const firsts = new Map<string, number>();
  ids.forEach((id, i) => {
    if (!firsts.has(id)) firsts.set(id, i);
  });
  return firsts;
}

/** Rows under the names of their own points: the same experiment may have several. */
function* named(indices: readonly number[], points: readonly Point[], rows: Iterable<Row>): Generator<Row> {
  let at = 0;
  for (const row of rows) yield { ...row, input: nameOf(points[indices[at++]!]!) };
}

/** Journal of a sweep or of one shard of it: `OUT.jsonl`, `OUT.2of8.jsonl`. */
function journalOf(out: string, shard: SweepOptions["shard"]): string {
  return shard === undefined ? `${out}.jsonl` : `${out}.${shard.index}of${shard.of}.jsonl`;
}

/** What was put together. */
export interface Merged {
  /** Points of the sweep. */
  readonly points: number;
  /** Points that no journal has a row of; with any, no table is written. */
  readonly missing: number;
  /** Paths of the journals that were read. */
  readonly journals: readonly string[];
}

/**
 * Puts the journals of shards together to the table that one run would have written, byte for byte. `journals`: their
 * files; default all of `OUT.jsonl` and `OUT.*of*.jsonl` that there are.
 */
export async function mergeShards(
  spec: SweepSpec,
  options: {
    /** Folder that paths of the sweep start at. */
    readonly folder: string;
    /** Path without extension, as the shards had it. */
    readonly out: string;
    /** The journals; default: all shards beside `out`. */
    readonly journals?: readonly string[];
    /** Key of the objective; null for the model. */
    readonly key?: string | null;
  },
): Promise<Merged> {
  const { folder, out, key = null, journals = journalsOf(out) } = options;
  const journal = new Journal(journals);
  const points = pointsOf(spec, folder);
  const ids = points.map((p) => pointId(p, folder, key));
  const missing = ids.filter((id) => !journal.has(id)).length;
  const all = points.map((_, i) => i);
  if (missing === 0) {
    await writeTable(`${out}.parquet`, named(all, points, journal.rows(ids)));
    writeManifest(out, spec, folder, ids.length);
  }
  return { points: ids.length, missing, journals };
}

function journalsOf(out: string): string[] {
  const [folder, name] = [dirname(out), basename(out)];
  if (!existsSync(folder)) return [];
  const mine = (f: string): boolean =>
    f.startsWith(`${name}.`) && /^(\d+of\d+\.)?jsonl$/.test(f.slice(name.length + 1));
  return readdirSync(folder)
    .filter(mine)
    .sort()
    .map((f) => join(folder, f));
}
