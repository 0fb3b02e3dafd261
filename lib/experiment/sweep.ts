/** Sweeps: all points of a description, resumable, with a table at the end. */
import { type ExecuteOptions, execute, keyOf } from "./executor.js";
import { pointId } from "./point.js";
import { objectiveOf, pointsOf } from "./spec.js";
import { appendJournal, mendJournal, readJournal, writeTable } from "./table.js";
import type { Row, SweepSpec } from "./types.js";

export interface SweepOptions extends ExecuteOptions {
  /** Where results go: `OUT.jsonl` while it runs, `OUT.parquet` at the end. None: rows are only returned. */
  readonly out?: string;
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
  const points = pointsOf(spec, folder);
  if (out !== undefined) mendJournal(`${out}.jsonl`);
  const journal = out === undefined ? new Map<string, Row>() : readJournal(`${out}.jsonl`);
  const known = points.map((p) => journal.get(pointId(p, folder, key)) ?? null);
  const open = points.flatMap((_, i) => (known[i] === null ? [i] : []));
  options.onStart?.(points.length, points.length - open.length);
  const fresh = await execute(
    open.map((i) => points[i]!),
    {
      ...options,
      onRow: (row, i) => {
        if (out !== undefined) appendJournal(`${out}.jsonl`, row);
        options.onRow?.(row, open[i]!);
      },
    },
  );
  fresh.forEach((row, i) => {
    known[open[i]!] = row;
  });
  const rows = known.filter((r) => r !== null);
  const complete = rows.length === points.length;
  if (complete && out !== undefined) await writeTable(`${out}.parquet`, rows);
  return { rows, resumed: points.length - open.length, complete };
}
