/** Where points run: here, or on worker threads. The order of the rows is that of the points in either. */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { type Pool, pool, Promise as WorkerPromise } from "workerpool";
import { Judge } from "./judged.js";
import { model, type Objective } from "./objective.js";
import { failedRow, type Loaded, load, type Ran, runPoint } from "./point.js";
import type { Budget, Point, Row } from "./types.js";

export interface ExecuteOptions {
  /** Folder that paths start at. */
  readonly folder: string;
  /** Worker threads; 0 runs everything in this thread. Default: one per core. */
  readonly threads?: number;
  /** Called at the end with what the threads did. Times are no part of rows: those are the same each time. */
  readonly onWork?: (work: Work) => void;
  /** Called for every row as it comes. */
  readonly onRow?: (row: Row, index: number) => void;
  /** Who judges; default the timing model, on the threads. Any other is asked here, and throws when it cannot be opened. */
  readonly objective?: Objective;
  /** Ends the run: rows that are not there yet are left out. Default: in a notebook, the interrupt of the running cell. */
  readonly signal?: AbortSignal;
}

/** Where the notebook kernel leaves the signal of the running cell. */
const interruptSymbol: unique symbol = Symbol.for("ptxlab.interrupt") as never;

/** What ends a run; to be asked at its start, since the running cell changes. */
export function signalOf(options: ExecuteOptions): AbortSignal | undefined {
  return options.signal ?? (globalThis as { [interruptSymbol]?: AbortSignal })[interruptSymbol];
}

/** How busy the threads were, in milliseconds. */
export interface Work {
  /** From the first point given out to the last row; starting the threads included. */
  readonly wall: number;
  /** Time within points, per thread that had any. */
  readonly busy: readonly number[];
  /** Until the first point of each of them began: the thread loads the library. */
  readonly starting: readonly number[];
  /** From the last point of each of them to the end: nothing was left to do. */
  readonly ending: readonly number[];
}

/** Share of the threads' time that went into points. */
export function utilisation(work: Work): number {
  return work.wall === 0 ? 1 : work.busy.reduce((a, b) => a + b, 0) / (work.wall * Math.max(1, work.busy.length));
}

/** What a thread hands back; the cubin only where it is judged elsewhere. */
export interface Done extends Ran {
  readonly thread: number;
  /** When the point began and ended, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

const clock = (): number => performance.timeOrigin + performance.now();

/** Runs a point and notes when; loading what it needs does not count as work. `key` as in `pointId`. */
export async function timed(point: Point, folder: string, thread: number, key: string | null): Promise<Done> {
  const parts = await load(point, key);
  const from = clock();
  const { row, cubin } = ran(point, folder, parts, key);
  return { row, cubin: key === null ? null : cubin, thread, from, to: clock() };
}

/** What is thrown inside of a point is its outcome; only a file that cannot be read ends the run. */
function ran(point: Point, folder: string, parts: Loaded, key: string | null): Ran {
  try {
    return runPoint(point, folder, parts, key);
  } catch (e) {
    return { row: failedRow(point, folder, key, `failed: ${messageOf(e)}`), cubin: null };
  }
}

const messageOf = (e: unknown): string => (e instanceof Error ? e.message.split("\n")[0]! : String(e));

/** Opens an objective; its key for ids, null for the timing model. Throws with what is told where it cannot judge. */
export async function keyOf(objective: Objective = model): Promise<string | null> {
  if (objective === model) return null;
  const opened = await objective.open();
  if (opened.ok) return opened.value;
  throw new Error(opened.diagnostics.map((d) => d.message).join("\n"));
}

/** What the threads did so far. */
class Times {
  private readonly began = clock();
  private readonly threads = new Map<number, { busy: number; first: number; last: number }>();

  add({ thread, from, to }: Done): void {
    const t = this.threads.get(thread) ?? { busy: 0, first: from, last: to };
    t.busy += to - from;
    t.last = to;
    this.threads.set(thread, t);
  }

  work(): Work {
    const now = clock();
    const all = [...this.threads.values()];
    return {
      wall: now - this.began,
      busy: all.map((t) => t.busy),
      starting: all.map((t) => t.first - this.began),
      ending: all.map((t) => now - t.last),
    };
  }
}

/**
 * Ranges of points that a thread is given at a time: between two of them it waits for this thread, which has no core of its own. Small enough that
 * all threads end together and that an abort loses little.
 */
function portions(points: number, threads: number, timed: boolean): readonly (readonly [from: number, to: number])[] {
  const size = timed ? 1 : Math.min(8, Math.max(1, Math.floor(points / (12 * threads))));
  return Array.from(
    { length: Math.ceil(points / size) },
    (_, k) => [k * size, Math.min(points, (k + 1) * size)] as const,
  );
}

/** Heap of a thread in MiB where the budget does not say. */
const HEAP = 4096;
/** Seconds that a thread may take to load the library. */
const LOADING = 20;

/** Threads that run points; one that ends before its time is replaced. */
class Workers {
  private readonly threads: Pool;

  constructor(
    count: number,
    private readonly budget: Budget,
  ) {
    const resourceLimits = { maxOldGenerationSizeMb: budget.memory ?? HEAP };
    this.threads = pool(workerFile, { workerType: "thread", maxWorkers: count, workerThreadOpts: { resourceLimits } });
  }

  /** What came of the points, or why the thread is gone. Throws where a file of a point cannot be read. */
  async run(points: readonly Point[], folder: string, key: string | null): Promise<readonly Done[] | Error> {
    const { seconds } = this.budget;
    const asked = this.threads.exec("runPoints", [points, folder, key]);
    try {
      return (await (seconds === undefined ? asked : asked.timeout(1000 * (seconds + LOADING)))) as readonly Done[];
    } catch (e) {
      if ((e as NodeJS.ErrnoException).syscall !== undefined) throw e;
      return e instanceof Error ? e : new Error(String(e));
    }
  }

  async end(): Promise<void> {
    await this.threads.terminate(true);
  }
}

/** The row of a point whose thread is gone. */
function gone(point: Point, folder: string, key: string | null, budget: Budget, e: Error): Done {
  const why =
    e.name === "TimeoutError" || e instanceof WorkerPromise.TimeoutError
      ? `budget: no end after ${budget.seconds} seconds`
      : /memory/i.test(e.message)
        ? `budget: more than ${budget.memory ?? HEAP} MiB`
        : `the worker died: ${messageOf(e)}`;
  const now = clock();
  return { row: failedRow(point, folder, key, why), cubin: null, thread: 0, from: now, to: now };
}

/** Threads need the built library. */
const workerFile: string = resolve(__dirname, "../../dist/experiment/worker.js");

/** Runs points and returns their rows in order; null for those that an abort left out. */
export async function execute(points: readonly Point[], options: ExecuteOptions): Promise<(Row | null)[]> {
  const rows: (Row | null)[] = points.map(() => null);
  const signal = signalOf(options);
  if (signal?.aborted) return rows;
  const put = (i: number, row: Row): void => {
    rows[i] = row;
    options.onRow?.(row, i);
  };
  const { objective = model, folder } = options;
  const key = await keyOf(objective);
  const judge = key === null ? null : new Judge(objective, key, folder);
  let judging: Promise<void> = Promise.resolve();
  /** A row is there once it is judged: in this thread one after the other. */
  const settle = (i: number, done: Done): Promise<void> => {
    times.add(done);
    if (judge === null) put(i, done.row);
    else
      judging = judging.then(async () => {
        if (!signal?.aborted) put(i, await judge.row(points[i]!, done));
      });
    return judging;
  };
  const times = new Times();
  const tell = (): void => options.onWork?.(times.work());
  if (options.threads === 0 || !existsSync(workerFile)) {
    for (let i = 0; i < points.length && !signal?.aborted; i++) {
      await settle(i, await timed(points[i]!, folder, 0, key));
      // Lets an abort in.
      await new Promise((r) => setImmediate(r));
    }
    tell();
    return rows;
  }
  // The pool's own default leaves a core to this thread, which only waits.
  const threads = options.threads ?? availableParallelism();
  const budget = points[0]?.budget ?? {};
  const workers = new Workers(threads, budget);
  const stop = (): void => void workers.end();
  signal?.addEventListener("abort", stop);
  const run = async (from: number, to: number): Promise<void> => {
    const part = points.slice(from, to);
    const done = await workers.run(part, folder, key);
    if (signal?.aborted) return;
    if (done instanceof Error) {
      // One of several: each by itself tells which.
      if (part.length > 1) for (let i = from; i < to && !signal?.aborted; i++) await run(i, i + 1);
      else await settle(from, gone(part[0]!, folder, key, budget, done));
    } else await Promise.all(done.map((d, k) => settle(from + k, d)));
  };
  try {
    const parts = portions(points.length, threads, budget.seconds !== undefined);
    await Promise.all(parts.map(([from, to]) => run(from, to)));
  } finally {
    signal?.removeEventListener("abort", stop);
    tell();
    await workers.end();
  }
  return rows;
}
