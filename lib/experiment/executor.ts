/** Where points run: here, or on worker threads. The order of the rows is that of the points in either. */
import { availableParallelism } from "node:os";
import { Judge } from "./judged.js";
import { lacks, machineHere, needsKey } from "./needs.js";
import { model, type Objective } from "./objective.js";
import { clock, type Done, type KeptThreads, Threads, threadsCan, timed } from "./threads.js";
import type { Point, Row } from "./types.js";

/** How points are run. */
export interface ExecuteOptions {
  /** Folder that paths start at. */
  readonly folder: string;
  /** Worker threads; 0 runs everything in this thread. Default: one per core. */
  readonly threads?: number;
  /** Threads that outlive the run (`keepThreads`): batches that follow each other share them. `threads` is then not asked. */
  readonly pool?: KeptThreads;
  /** Called at the end with what the threads did. Times are no part of rows: those are the same each time. */
  readonly onWork?: (work: Work) => void;
  /** Called for every row as it comes. */
  readonly onRow?: (row: Row, index: number) => void;
  /** Who judges; default the timing model, on the threads. Any other is asked here, and throws when it cannot be opened. */
  readonly objective?: Objective;
  /** Ends the run: rows that are not there yet are left out. Default: in a notebook, the interrupt of the running cell. */
  readonly signal?: AbortSignal;
  /** In a notebook sweeps and searches that take longer than a second show rate and time left. Default true. */
  readonly progress?: boolean;
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

/** Runs points and returns their rows in order; null for those that an abort left out. */
export async function execute(points: readonly Point[], options: ExecuteOptions): Promise<(Row | null)[]> {
  const rows: (Row | null)[] = points.map(() => null);
  await executeEach(points, options, (row, i) => {
    rows[i] = row;
  });
  return rows;
}

/** Runs points and hands out their rows as they come, those that an abort leaves out excepted; holds none of them. */
export async function executeEach(
  points: readonly Point[],
  options: ExecuteOptions,
  take: (row: Row, index: number) => void,
): Promise<void> {
  const signal = signalOf(options);
  if (signal?.aborted) return;
  const { objective = model, folder } = options;
  refuseWhatIsLacking(points);
  const key = await keyOf(objective);
  const judge = key === null ? null : new Judge(objective, key, folder);
  const put = (row: Row, i: number): void => {
    take(row, i);
    options.onRow?.(row, i);
  };
  const times = new Times();
  let judging: Promise<void> = Promise.resolve();
  /** A row is there once it is judged: in this thread one after the other. */
  const settle = (i: number, done: Done): Promise<void> => {
    times.add(done);
    if (judge === null) put(done.row, i);
    else
      judging = judging.then(async () => {
        if (!signal?.aborted) put(await judge.row(points[i]!, done), i);
      });
    return judging;
  };
  try {
    if (options.threads === 0 || !threadsCan()) {
      for (let i = 0; i < points.length && !signal?.aborted; i++) {
        await settle(i, await timed(points[i]!, folder, 0, key));
        // Lets an abort in.
        await new Promise((r) => setImmediate(r));
      }
    } else await onThreads(points, { ...options, ...(signal && { signal }) }, key, settle);
  } finally {
    options.onWork?.(times.work());
  }
}

/** Throws where this machine lacks what a point needs. */
function refuseWhatIsLacking(points: readonly Point[]): void {
  const all = new Map(points.map((p) => [needsKey(p.needs), p.needs ?? {}]));
  if (all.size <= 1 && all.has("")) return;
  const here = machineHere(
    undefined,
    [...all.values()].some((n) => n.gpu !== undefined),
  );
  for (const needs of all.values()) {
    const lack = lacks(needs, here);
    if (lack !== "") throw new Error(`points need ${lack}, which this machine does not have`);
  }
}

async function onThreads(
  points: readonly Point[],
  { threads: wanted, folder, signal, pool }: ExecuteOptions,
  key: string | null,
  settle: (i: number, done: Done) => Promise<void>,
): Promise<void> {
  // The pool's own default leaves a core to this thread, which only waits.
  const most = pool?.count ?? wanted ?? availableParallelism();
  const cores = points.reduce((n, p) => Math.max(n, p.needs?.cores ?? 1), 1);
  const count = Math.max(1, Math.floor(most / cores));
  const budget = points[0]?.budget ?? {};
  const threads = pool?.of(budget) ?? new Threads(count, budget);
  const stop = (): void => void (pool?.drop(budget) ?? threads.end());
  signal?.addEventListener("abort", stop);
  try {
    const parts = portions(points.length, count, budget.seconds !== undefined);
    let next = 0;
    // Two portions in flight for each thread: one that runs and one that waits for it; where points need more cores, none waits.
    const feed = async (): Promise<void> => {
      for (let part = parts[next++]; part !== undefined && !signal?.aborted; part = parts[next++]) {
        const [from, to] = part;
        const done = await threads.run(points.slice(from, to), folder, key, signal);
        if (done !== null) await Promise.all(done.map((d, k) => settle(from + k, d)));
      }
    };
    await Promise.all(Array.from({ length: cores > 1 ? count : 2 * count }, feed));
  } finally {
    signal?.removeEventListener("abort", stop);
    if (pool === undefined) await threads.end();
  }
}
