/** Where points run: here, or on worker threads. The order of the rows is that of the points in either. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pool } from "workerpool";
import { runPoint } from "./point.js";
import type { Point, Row } from "./types.js";

export interface ExecuteOptions {
  /** Folder that paths start at. */
  readonly folder: string;
  /** Worker threads; 0 runs everything in this thread. Default: one per core. */
  readonly threads?: number;
  /** Called for every row as it comes. */
  readonly onRow?: (row: Row, index: number) => void;
  /** Ends the run: rows that are not there yet are left out. */
  readonly signal?: AbortSignal;
}

/** Threads need the built library. */
const workerFile: string = resolve(__dirname, "../../dist/experiment/worker.js");

/** Runs points and returns their rows in order; null for those that an abort left out. */
export async function execute(points: readonly Point[], options: ExecuteOptions): Promise<(Row | null)[]> {
  const rows: (Row | null)[] = points.map(() => null);
  const put = (i: number, row: Row): void => {
    rows[i] = row;
    options.onRow?.(row, i);
  };
  if (options.threads === 0 || !existsSync(workerFile)) {
    for (let i = 0; i < points.length && !options.signal?.aborted; i++) {
      put(i, runPoint(points[i]!, options.folder));
      // Lets an abort in.
      await new Promise((r) => setImmediate(r));
    }
    return rows;
  }
  const workers = pool(workerFile, {
    workerType: "thread",
    ...(options.threads !== undefined && { maxWorkers: options.threads }),
  });
  const stop = (): void => void workers.terminate(true);
  options.signal?.addEventListener("abort", stop);
  try {
    await Promise.all(
      points.map(async (p, i) => {
        try {
          put(i, (await workers.exec("runPoint", [p, options.folder])) as Row);
        } catch (e) {
          if (!options.signal?.aborted) throw e;
        }
      }),
    );
  } finally {
    options.signal?.removeEventListener("abort", stop);
    await workers.terminate(true);
  }
  return rows;
}
