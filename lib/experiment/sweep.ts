/** Sweeps: all points of a description, resumable, with a table at the end. */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type ExecuteOptions, execute, keyOf } from "./executor.js";
import { pointId } from "./point.js";
import { objectiveOf, pointsOf } from "./spec.js";
import { appendJournal, mendJournal, readJournal, writeTable } from "./table.js";
import type { Row, SweepSpec } from "./types.js";

export interface SweepOptions extends ExecuteOptions {
  /** Where results go: `OUT.jsonl` while it runs, `OUT.parquet` at the end. None: rows are only returned. */
  readonly out?: string;
  /** Only every `of`-th point, from the `index`-th (from 1) on: rows go to the journal of the shard, no table is made (`mergeShards`). */
  readonly shard?: { readonly index: number; readonly of: number };
  /** Called before the first point: how many there are, and how many are known already. */
  readonly onStart?: (total: number, known: number) => void;
}

export interface SweepResult {
  /** In the order of the points; points that an abort left out are missing. */
  readonly rows: readonly Row[];
  /** Rows that an earlier run had left in the journal. */
  readonly resumed: number;
  readonly complete: boolean;
}

/**
 * Runs a sweep. Points whose row is in the journal already are not run again. `options.objective` judges, else what the sweep
 * names; throws when that cannot judge here (no GPU).
 */
export async function sweep(spec: SweepSpec, options: SweepOptions): Promise<SweepResult> {
  if (options.objective !== undefined) return judgedBy(spec, options, await keyOf(options.objective));
  const objective = objectiveOf(spec);
  try {
    return await judgedBy(spec, { ...options, objective }, await keyOf(objective));
  } finally {
    await objective.close();
  }
}

async function judgedBy(spec: SweepSpec, options: SweepOptions, key: string | null): Promise<SweepResult> {
  const { out, folder } = options;
  const { shard } = options;
  const points = pointsOf(spec, folder).filter((_, i) => shard === undefined || i % shard.of === shard.index - 1);
  const name = out === undefined ? undefined : journalOf(out, shard);
  if (name !== undefined) mendJournal(name);
  const journal = name === undefined ? new Map<string, Row>() : readJournal(name);
  const known = points.map((p) => journal.get(pointId(p, folder, key)) ?? null);
  const open = points.flatMap((_, i) => (known[i] === null ? [i] : []));
  options.onStart?.(points.length, points.length - open.length);
  const fresh = await execute(
    open.map((i) => points[i]!),
    {
      ...options,
      onRow: (row, i) => {
        if (name !== undefined) appendJournal(name, row);
        options.onRow?.(row, open[i]!);
      },
    },
  );
  fresh.forEach((row, i) => {
    known[open[i]!] = row;
  });
  const rows = known.filter((r) => r !== null);
  const complete = rows.length === points.length;
  if (complete && out !== undefined && shard === undefined) await writeTable(`${out}.parquet`, rows);
  return { rows, resumed: points.length - open.length, complete };
}

/** Journal of a sweep or of one shard of it: `OUT.jsonl`, `OUT.2of8.jsonl`. */
function journalOf(out: string, shard: SweepOptions["shard"]): string {
  return shard === undefined ? `${out}.jsonl` : `${out}.${shard.index}of${shard.of}.jsonl`;
}

/** What was put together. */
export interface Merged {
  readonly points: number;
  /** Points that no journal has a row of; with any, no table is written. */
  readonly missing: number;
  readonly journals: readonly string[];
}

/**
 * Puts the journals of shards together to the table that one run would have written, byte for byte. `journals`: their
 * files; default all of `OUT.jsonl` and `OUT.*of*.jsonl` that there are.
 */
export async function mergeShards(
  spec: SweepSpec,
  options: {
    readonly folder: string;
    readonly out: string;
    readonly journals?: readonly string[];
    readonly key?: string | null;
  },
): Promise<Merged> {
  const { folder, out, key = null, journals = journalsOf(out) } = options;
  const known = new Map<string, Row>();
  for (const path of journals) for (const [id, row] of readJournal(path)) known.set(id, row);
  const ids = pointsOf(spec, folder).map((p) => pointId(p, folder, key));
  const missing = ids.filter((id) => !known.has(id)).length;
  if (missing === 0) await writeTable(`${out}.parquet`, inOrder(ids, known));
  return { points: ids.length, missing, journals };
}

function* inOrder(ids: readonly string[], rows: ReadonlyMap<string, Row>): Generator<Row> {
  for (const id of ids) yield rows.get(id) as Row;
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
