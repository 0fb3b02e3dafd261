/** Worker threads that run points: one that ends before its time is replaced, and its point is a row like any other. */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { type Pool, pool, Promise as WorkerPromise } from "workerpool";
import type { Place } from "./files.js";
import { failedRow, type Loaded, load, type Ran, runPoint } from "./point.js";
import type { Budget, Point } from "./types.js";

/** What a thread hands back; the cubin only where it is judged elsewhere. */
export interface Done extends Ran {
  readonly thread: number;
  /** When the point began and ended, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** Milliseconds since 1970. */
export const clock = (): number => performance.timeOrigin + performance.now();

/** Runs a point and notes when; loading what it needs, until `began` is called, does not count as work. `key` as in `pointId`. */
export async function timed(
  point: Point,
  place: Place,
  thread: number,
  key: string | null,
  began: () => unknown = () => {},
): Promise<Done> {
  const parts = await load(point, key);
  began();
  const from = clock();
  const { row, cubin } = ran(point, place, parts, key);
  return { row, cubin: key === null ? null : cubin, thread, from, to: clock() };
}

/** What is thrown inside of a point is its outcome; only a file that cannot be read ends the run. */
function ran(point: Point, place: Place, parts: Loaded, key: string | null): Ran {
  try {
    return runPoint(point, place, parts, key);
  } catch (e) {
    return { row: failedRow(point, place, key, `failed: ${messageOf(e)}`), cubin: null };
  }
}

const messageOf = (e: unknown): string => (e instanceof Error ? e.message.split("\n")[0]! : String(e));

/** Heap of a thread in MiB where the budget does not say, and of it what is young: by itself it may grow to 48 (Node, --max-semi-space-size). */
const HEAP = 4096;
const YOUNG = 16;

/** Threads need the built library. */
const workerFile: string = resolve(__dirname, "../../dist/experiment/worker.js");
export const threadsCan = (): boolean => existsSync(workerFile);

/** Threads that run points; one that ends before its time is replaced. */
export class Threads {
  private readonly threads: Pool;

  constructor(
    count: number,
    private readonly budget: Budget,
  ) {
    const resourceLimits = { maxOldGenerationSizeMb: budget.memory ?? HEAP, maxYoungGenerationSizeMb: YOUNG };
    this.threads = pool(workerFile, { workerType: "thread", maxWorkers: count, workerThreadOpts: { resourceLimits } });
  }

  /**
   * What came of points that one thread runs in turn; the row of a point that the thread did not survive says so. Null where the
   * signal ended it. Throws where a file of a point cannot be read.
   */
  async run(
    points: readonly Point[],
    place: Place,
    key: string | null,
    signal?: AbortSignal,
  ): Promise<readonly Done[] | null> {
    const done = await this.ask(points, place, key);
    if (signal?.aborted) return null;
    if (!(done instanceof Error)) return done;
    if (points.length === 1) return [gone(points[0]!, place, key, this.budget, done)];
    // One of several: each by itself tells which.
    const each: Done[] = [];
    for (const p of points) {
      const one = await this.run([p], place, key, signal);
      if (one === null) return null;
      each.push(...one);
    }
    return each;
  }

  /** What came of the points, or why the thread is gone. */
  private async ask(points: readonly Point[], place: Place, key: string | null): Promise<readonly Done[] | Error> {
    const { seconds } = this.budget;
    let timer: NodeJS.Timeout | undefined;
    // The thread tells when a point begins, before it can no longer be reached.
    const on = (): void => {
      clearTimeout(timer);
      if (seconds !== undefined) timer = setTimeout(() => asked.cancel(), 1000 * seconds);
    };
    const asked = this.threads.exec("runPoints", [points, place, key], { on });
    try {
      return (await asked) as readonly Done[];
    } catch (e) {
      if ((e as NodeJS.ErrnoException).syscall !== undefined) throw e;
      return e instanceof Error ? e : new Error(String(e));
    } finally {
      clearTimeout(timer);
    }
  }

  async end(): Promise<void> {
    await this.threads.terminate(true);
  }
}

/** Threads for many runs, which start once: by what points may take. They live until `end`. */
export class KeptThreads {
  private readonly pools = new Map<string, Threads>();

  constructor(
    /** How many threads are kept. */
    readonly count: number,
  ) {}

  /** The threads for points with this budget. */
  of(budget: Budget): Threads {
    const name = nameOf(budget);
    const known = this.pools.get(name) ?? new Threads(this.count, budget);
    this.pools.set(name, known);
    return known;
  }

  /** Ends the threads for a budget at once, with what they run; the next run starts others. */
  async drop(budget: Budget): Promise<void> {
    const known = this.pools.get(nameOf(budget));
    this.pools.delete(nameOf(budget));
    await known?.end();
  }

  /** Ends all threads. */
  async end(): Promise<void> {
    const all = [...this.pools.values()];
    this.pools.clear();
    await Promise.all(all.map((t) => t.end()));
  }
}

/** What threads are made by; other limits are the simulator's. */
const nameOf = ({ memory, seconds }: Budget): string => JSON.stringify([memory, seconds]);

/** Threads that batches share; default one per core. To be ended. */
export const keepThreads = (count: number = availableParallelism()): KeptThreads => new KeptThreads(count);

/** The row of a point whose thread is gone. */
function gone(point: Point, place: Place, key: string | null, budget: Budget, e: Error): Done {
  const why =
    e.name === "CancellationError" || e instanceof WorkerPromise.CancellationError
      ? `budget: no end after ${budget.seconds} seconds`
      : /memory/i.test(e.message)
        ? `budget: more than ${budget.memory ?? HEAP} MiB`
        : `the worker died: ${messageOf(e)}`;
  const now = clock();
  return { row: failedRow(point, place, key, why), cubin: null, thread: 0, from: now, to: now };
}
