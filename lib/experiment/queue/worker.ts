/** The side of a queue that runs points: takes portions, runs them on threads, gives rows back. It runs the library on data, nothing else. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { Job as QueuedJob, Worker as QueueWorker } from "bullmq";
import type { Redis } from "ioredis";
import { sha } from "../files.js";
import { isGpu, lacks, machineHere, type Needs, needsKey } from "../needs.js";
import { type KeptThreads, keepThreads, threadsCan } from "../threads.js";
import {
  type Answer,
  connect,
  fileKey,
  type Job,
  LOOK,
  LOSSES,
  LOST,
  needsKeyOnServer,
  PREFIX,
  packages,
  queueName,
  rowsKey,
  type WorkerInfo,
  workerKey,
} from "./connection.js";
import { type ClockJudges, clockJudges, NoGpu } from "./judges.js";

/** How a worker takes points. */
export interface WorkerOptions {
  /** URL of the server: `redis://HOST:PORT`. */
  readonly url: string;
  /** Default: one per core. */
  readonly threads?: number;
  /** Ends it; portions in flight come to their end. */
  readonly signal?: AbortSignal;
  /** Called after each portion, with the number of its points. */
  readonly onPortion?: (points: number) => void;
  /** Called when points with these needs are taken no more, with why: the GPU that they need cannot be opened. */
  readonly onLeft?: (needs: Needs, why: string) => void;
}

/** Seconds for which the server remembers what a worker says of itself. */
const HEARD = 15;

/**
 * Serves a queue until the signal ends it. Throws when there is no server at first, and where the library is not built. Where a GPU cannot be
 * opened, its points go back for other workers, and this one says that it has no such GPU.
 */
export async function serveQueue(options: WorkerOptions): Promise<void> {
  if (!threadsCan()) throw new Error("worker threads need the built library: npm run build");
  const { Worker, WaitingError } = await packages();
  const threads = options.threads ?? availableParallelism();
  const redis = await connect(options.url);
  let info: WorkerInfo = { host: hostname(), pid: process.pid, ...machineHere(threads) };
  const side = new Side(redis, threads, clockJudges(info.gpus.length));
  const free = new Cores(threads);
  const workers = new Map<string, QueueWorker<Job>>();
  /** Takes no more points with these needs; those that they can be told by are no longer this machine's. */
  const leave = async (needs: Needs, why: string): Promise<void> => {
    if (lacks(needs, info) !== "") return;
    info = { ...info, gpus: info.gpus.filter((name) => !isGpu(needs.gpu ?? true, name)) };
    options.onLeft?.(needs, why);
    await workers.get(needsKey(needs))?.pause(true);
    await hello();
  };
  const run = async (needs: Needs, job: QueuedJob<Job>, token: string | undefined): Promise<void> => {
    try {
      options.onPortion?.(await side.run(job.id ?? "", job.data));
    } catch (e) {
      if (!(e instanceof NoGpu)) throw e;
      await leave(needs, e.message);
      // Not one of its attempts: nothing was tried.
      await job.moveToWait(token);
      throw new WaitingError();
    }
  };
  /** Takes portions of points with these needs, where this machine has them. */
  const take = (needs: Needs): void => {
    const key = needsKey(needs);
    if (workers.has(key) || lacks(needs, info) !== "") return;
    const cores = needs.cores ?? 1;
    const worker = new Worker<Job>(queueName(needs), (job, token) => free.with(cores, () => run(needs, job, token)), {
      // A connection of its own: it waits in it.
      connection: redis.duplicate(),
      prefix: PREFIX,
      concurrency: Math.floor(threads / cores),
      lockDuration: LOST,
      stalledInterval: LOOK,
      maxStalledCount: LOSSES,
    });
    worker.on("error", () => {});
    workers.set(key, worker);
  };
  const name = workerKey(`${info.host}:${info.pid}`);
  const hello = async (): Promise<void> => {
    try {
      await redis.set(name, JSON.stringify(info), "EX", HEARD);
      for (const text of await redis.smembers(needsKeyOnServer)) take(JSON.parse(text) as Needs);
    } catch {
      // The server is away; the next beat asks again.
    }
  };
  take({});
  void hello();
  const beat = setInterval(() => void hello(), (1000 * HEARD) / 6);
  await ended(options.signal);
  clearInterval(beat);
  for (const worker of workers.values()) await worker.close();
  await side.end();
  await redis.del(name).catch(() => {});
  redis.disconnect();
}

const ended = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((yes) => {
    if (signal?.aborted) yes();
    else signal?.addEventListener("abort", () => yes(), { once: true });
  });

/** Cores that portions of several queues share; who asks first is served first. */
class Cores {
  private readonly waiting: { readonly cores: number; readonly go: () => void }[] = [];

  constructor(private free: number) {}

  async with<T>(cores: number, body: () => Promise<T>): Promise<T> {
    await new Promise<void>((go) => {
      this.waiting.push({ cores, go });
      this.serve();
    });
    try {
      return await body();
    } finally {
      this.free += cores;
      this.serve();
    }
  }

  private serve(): void {
    for (let first = this.waiting[0]; first !== undefined && first.cores <= this.free; first = this.waiting[0]) {
      this.waiting.shift();
      this.free -= first.cores;
      first.go();
    }
  }
}

/** Threads, and the files that points needed so far. */
class Side {
  private readonly folder = mkdtempSync(join(tmpdir(), "ptxlab-worker-"));
  private readonly files = new Map<string, Promise<string>>();
  private readonly threads: KeptThreads;

  constructor(
    private readonly redis: Redis,
    threads: number,
    private readonly judges: ClockJudges,
  ) {
    this.threads = keepThreads(threads);
  }

  /** Runs a portion and hands its rows in; how many. */
  async run(job: string, { sweep, points, files, judge }: Job): Promise<number> {
    const names = Object.entries(files);
    const paths = await Promise.all(names.map(([, hash]) => this.file(hash)));
    const place = Object.fromEntries(names.map(([name], i) => [name, paths[i]!]));
    const done = (await this.threads.of(points[0]?.budget ?? {}).run(points, place, judge?.key ?? null)) ?? [];
    const rows = judge === null ? done.map((d) => d.row) : await this.judges.rows(judge, points, place, done);
    const milliseconds = done.reduce((sum, d) => sum + d.to - d.from, 0);
    const answer: Answer = { job, rows: rows.map((row) => JSON.stringify(row)), milliseconds };
    await this.redis.rpush(rowsKey(sweep), JSON.stringify(answer));
    return done.length;
  }

  /** The path of a file. Throws where the server does not have it (yet): the portion is tried again. */
  private file(hash: string): Promise<string> {
    const known = this.files.get(hash) ?? this.fetch(hash);
    this.files.set(hash, known);
    known.catch(() => this.files.delete(hash));
    return known;
  }

  private async fetch(hash: string): Promise<string> {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error("not a SHA-256");
    const bytes = await this.redis.getBuffer(fileKey(hash));
    if (bytes === null) throw new Error(`no file ${hash}`);
    if (sha(bytes) !== hash) throw new Error(`file ${hash} is damaged`);
    const path = join(this.folder, hash);
    writeFileSync(path, bytes);
    return path;
  }

  async end(): Promise<void> {
    await this.threads.end();
    await this.judges.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
