/**
 * A queue of points for workers on many machines: BullMQ over a Redis or Valkey server. Portions of points are jobs, files lie beside them by
 * their SHA-256, rows come back in a list for each sweep. All of it may be lost with the server: who runs the sweep
 * lays it anew.
 */
import type { Queue, WaitingError, Worker } from "bullmq";
import type { Redis } from "ioredis";
import type { Machine, Needs } from "../needs.js";
import { needsKey } from "../needs.js";
import { version } from "../point.js";
import type { ClockSettings, Point } from "../types.js";

/** A queue and what is told of its workers. */
export interface QueueOptions {
  /**
   * `redis://[user:password@]host[:port][/database]`, `rediss://` with TLS. A password may come from the environment variable
   * PTXLAB_QUEUE_PASSWORD instead.
   */
  readonly url: string;
  /** Called when the number of workers that can be seen changes. */
  readonly onWorkers?: (workers: readonly WorkerInfo[]) => void;
  /** Called, once for each, for needs of waiting points that no worker has. */
  readonly onNobody?: (needs: Needs) => void;
}

/** What a worker says of itself. */
export interface WorkerInfo extends Machine {
  /** Name of the machine. */
  readonly host: string;
  /** Number of the process. */
  readonly pid: number;
}

/** A portion of points that one thread runs in turn. Plain data: a worker runs nothing else. */
export interface Job {
  readonly sweep: string;
  readonly points: readonly Point[];
  /** SHA-256 of each file by the name that the points use. */
  readonly files: Readonly<Record<string, string>>;
  /** The worker's GPU judges; null: the timing model on its threads. */
  readonly judge: QueueJudge | null;
}

/** How the GPU of a worker is asked. */
export interface QueueJudge {
  readonly clock: ClockSettings;
  /** Part of the ids of rows, as in `pointId`. */
  readonly key: string;
}

/** What came of it; `milliseconds` within points, by which the next portions are cut. */
export interface Answer {
  readonly job: string;
  readonly rows: readonly string[];
  readonly milliseconds: number;
}

/** Keys on the server. Only one version of ptxlab works on a queue: rows of another are other experiments. */
export const PREFIX: string = "ptxlab";
/** Points with needs have a queue of their own: only workers that have what they need take from it. */
export const queueName = (needs?: Needs): string => {
  const key = needsKey(needs);
  return key === "" ? `points-${version}` : `points-${version}-${key}`;
};
/** The needs there are queues for, as JSON. */
export const needsKeyOnServer: string = `${PREFIX}:needs:${version}`;
export const fileKey = (hash: string): string => `${PREFIX}:file:${hash}`;
export const rowsKey = (sweep: string): string => `${PREFIX}:rows:${sweep}`;
export const leaseKey = (sweep: string): string => `${PREFIX}:lease:${sweep}`;
export const workerKey = (id: string): string => `${PREFIX}:worker:${version}:${id}`;

/** Seconds that files stay on the server after they were last needed. */
export const FILE_SECONDS: number = 7 * 24 * 3600;
/** Milliseconds after which a worker that does not answer has lost its job, and how often that is looked at. */
export const LOST = 10_000;
export const LOOK = 3_000;
/** How often a portion is tried that fails (its files are not on the server yet), and milliseconds between two tries: a minute in all. */
export const TRIES = 120;
export const TRY_AGAIN = 500;
/** How often a portion may be lost; a single point that is lost as often is held to have killed its workers. */
export const LOSSES = 4;

interface Packages {
  readonly Queue: typeof Queue;
  readonly Worker: typeof Worker;
  readonly WaitingError: typeof WaitingError;
  readonly Redis: typeof Redis;
}

/** Loaded when a queue is asked for: nothing else needs them. */
export async function packages(): Promise<Packages> {
  try {
    const [{ Queue, Worker, WaitingError }, { Redis }] = await Promise.all([import("bullmq"), import("ioredis")]);
    return { Queue, Worker, WaitingError, Redis };
  } catch (e) {
    throw new Error(
      `queues need two packages more: npm install bullmq ioredis (${(e as Error).message.split("\n")[0]})`,
    );
  }
}

/** An address without what is secret in it. */
function shown(url: string): string {
  return url.replace(/\/\/[^@/]*@/, "//");
}

/** Milliseconds that a server may take to answer at first. */
const FIRST = 5_000;

/** A connection that outlives restarts of the server. Throws when there is no answer at first. */
export async function connect(url: string): Promise<Redis> {
  if (!/^rediss?:\/\//.test(url)) throw new Error(`a queue is redis://HOST[:PORT] or rediss://…, not '${shown(url)}'`);
  const { Redis } = await packages();
  const password = process.env.PTXLAB_QUEUE_PASSWORD;
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    lazyConnect: true,
    retryStrategy: (times) => Math.min(100 * times, 1000),
    ...(password !== undefined && { password }),
  });
  let why = "no answer";
  // Without a listener every failed attempt is printed.
  redis.on("error", (e: Error) => {
    why = e.message || why;
  });
  const late = new Promise<never>((_, no) => setTimeout(() => no(new Error(why)), FIRST).unref());
  try {
    await Promise.race([redis.connect().then(() => redis.ping()), late]);
  } catch (e) {
    redis.disconnect();
    throw new Error(`no queue at ${shown(url)}: ${why === "no answer" ? (e as Error).message : why}`);
  }
  return redis;
}
