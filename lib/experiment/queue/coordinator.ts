/**
 * The side of a queue that has the points: lays out a few portions at a time, takes rows in, and looks after what was lost. It can be killed at any
 * moment: what is in the journal is known to the next one, what is in flight comes back into the same list, and a row that
 * comes twice is taken once.
 */
import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { type ExecuteOptions, signalOf } from "../executor.js";
import { besides, contentOf, filesOfLaunch, pathIn } from "../files.js";
import { lacks, type Needs, needsKey } from "../needs.js";
import { failedRow } from "../point.js";
import type { Point, Row } from "../types.js";
import {
  type Answer,
  connect,
  FILE_SECONDS,
  fileKey,
  type Job,
  LOSSES,
  leaseKey,
  needsKeyOnServer,
  PREFIX,
  packages,
  type QueueJudge,
  type QueueOptions,
  queueName,
  rowsKey,
  TRIES,
  TRY_AGAIN,
  type WorkerInfo,
  workerKey,
} from "./connection.js";

/** Portions laid out at a time; milliseconds of work that one should be, and its most points. */
const WINDOW = 128;
const PORTION_MS = 1000;
const PORTION = 32;
/** Milliseconds between two looks at the list of rows, and after which a portion without an answer is looked after. */
const LOOK_ROWS = 20;
const LOOK_AFTER = 3_000;
/** Milliseconds that a lease outlives its holder. */
const LEASE = 10_000;

type Options = ExecuteOptions & { readonly queue: QueueOptions; readonly judge: QueueJudge | null };

/**
 * Runs points on the workers of a queue; `sweep` tells this sweep from others on it, `ids` are those of the points, each once. Rows go to `take` as they come. Throws when there is no server at first,
 * and while another process runs the same points.
 */
export async function executeOnQueue(
  sweep: string,
  points: readonly Point[],
  ids: readonly string[],
  options: Options,
  take: (row: Row, index: number) => void,
): Promise<void> {
  if (points.length === 0) return;
  const { Queue } = await packages();
  const redis = await connect(options.queue.url);
  const queues = new Map<string, NeedyQueue>();
  for (const { needs } of points) {
    if (queues.has(needsKey(needs))) continue;
    const queue = new Queue(queueName(needs), { connection: redis, prefix: PREFIX });
    queue.on("error", () => {});
    queues.set(needsKey(needs), { needs: needs ?? {}, queue });
  }
  try {
    await new Coordinator(redis, queues, sweep, points, ids, options, take).run();
  } finally {
    for (const { queue } of queues.values()) await queue.close();
    redis.disconnect();
  }
}

/** The queue of points that need the same. */
interface NeedyQueue {
  readonly needs: Needs;
  readonly queue: Queue;
}

/** A portion that is laid out. */
interface Portion {
  readonly id: string;
  readonly indices: readonly number[];
  /** When it was last seen in order, in milliseconds since 1970. */
  seen: number;
}

const pause = (milliseconds: number): Promise<void> => new Promise((r) => setTimeout(r, milliseconds));

class Coordinator {
  private readonly holder = randomUUID();
  /** Points without a row, by id. */
  private readonly open: Map<string, number>;
  private readonly laid = new Map<string, Portion>();
  private readonly files = new Map<string, Readonly<Record<string, string>>>();
  /** SHA-256 → path of what must be on the server. */
  private readonly paths = new Map<string, string>();
  /** Points whose portion was lost too often. */
  private readonly single: number[] = [];
  private next = 0;
  /** Milliseconds per point, of the last portions. */
  private pace = PORTION_MS;
  private looked = 0;
  private workers = "";
  /** Needs that were told to be nobody's. */
  private readonly told = new Set<string>();
  private readonly signal: AbortSignal | undefined;

  constructor(
    private readonly redis: Redis,
    /** By needs. */
    private readonly queues: ReadonlyMap<string, NeedyQueue>,
    private readonly sweep: string,
    private readonly points: readonly Point[],
    private readonly ids: readonly string[],
    private readonly options: Options,
    private readonly take: (row: Row, index: number) => void,
  ) {
    this.open = new Map(ids.map((id, i) => [id, i]));
    this.signal = signalOf(options);
  }

  async run(): Promise<void> {
    await this.lease();
    try {
      await this.dropLeftovers();
      for (const p of this.points) this.filesOf(p);
      await this.bringFiles();
      await this.tellNeeds();
      while (this.open.size > 0 && !this.signal?.aborted) {
        await this.layOut();
        if (!(await this.takeRows())) await pause(LOOK_ROWS);
        if (Date.now() - this.looked > LOOK_AFTER) await this.lookAfter();
      }
      await this.dropLeftovers();
    } finally {
      if ((await this.redis.get(leaseKey(this.sweep))) === this.holder) await this.redis.del(leaseKey(this.sweep));
    }
  }

  /** Two that take rows out of one list would each miss some. */
  private async lease(): Promise<void> {
    const key = leaseKey(this.sweep);
    const until = Date.now() + LEASE + 2_000;
    while ((await this.redis.set(key, this.holder, "PX", LEASE, "NX")) === null) {
      if (Date.now() > until) throw new Error("another process runs this sweep on the queue");
      await pause(200);
    }
  }

  /** Takes away what waits in the queue for this sweep. */
  private async dropLeftovers(): Promise<void> {
    for (const { queue } of this.queues.values()) {
      const jobs = await queue.getJobs(["waiting", "delayed", "failed"]);
      for (const job of jobs) if (job?.name === this.sweep) await job.remove().catch(() => {});
    }
  }

  /** SHA-256 of the files of a point by their names; notes where they are. */
  private filesOf({ input }: Point): Readonly<Record<string, string>> {
    const name = JSON.stringify(input);
    const known = this.files.get(name);
    if (known !== undefined) return known;
    const files: Record<string, string> = {};
    const { folder } = this.options;
    const note = (file: string): Uint8Array => {
      const { bytes, hash } = contentOf(folder, file);
      files[file] = hash;
      this.paths.set(hash, pathIn(folder, file));
      return bytes;
    };
    note(input.ptx ?? input.cubin ?? "");
    if (input.launch !== undefined)
      for (const file of filesOfLaunch(note(input.launch))) {
        try {
          note(besides(input.launch, file));
        } catch {
          // The launch file names one that there is none of: its rows will say so.
        }
      }
    this.files.set(name, files);
    return files;
  }

  /** Puts files on the server that are not there. */
  private async bringFiles(): Promise<void> {
    for (const [hash, path] of this.paths)
      if ((await this.redis.expire(fileKey(hash), FILE_SECONDS)) === 0)
        await this.redis.set(fileKey(hash), readFileSync(path), "EX", FILE_SECONDS);
  }

  /** Says which queues there are: workers that have what they need take from them, too. */
  private async tellNeeds(): Promise<void> {
    const needy = [...this.queues.values()].map(({ needs }) => needs).filter((n) => needsKey(n) !== "");
    if (needy.length > 0) await this.redis.sadd(needsKeyOnServer, ...needy.map((n) => JSON.stringify(n)));
  }

  /** The queue of a portion: its points need the same. */
  private queueOf({ indices }: Portion): Queue {
    return (this.queues.get(needsKey(this.points[indices[0]!]!.needs)) as NeedyQueue).queue;
  }

  private async layOut(): Promise<void> {
    const portions: Portion[] = [];
    while (this.laid.size < WINDOW) {
      const indices = this.portion();
      if (indices.length === 0) break;
      const id = createHash("sha256")
        .update(indices.map((i) => this.ids[i]).join())
        .digest("hex")
        .slice(0, 24);
      const portion = { id, indices, seen: Date.now() };
      this.laid.set(id, portion);
      portions.push(portion);
    }
    await this.add(portions);
  }

  /** The next points, as many as make a portion; points with a limit of time are alone. */
  private portion(): readonly number[] {
    const lost = this.single.shift();
    if (lost !== undefined) return [lost];
    const timed = this.points[this.next]?.budget?.seconds !== undefined;
    const size = timed ? 1 : Math.min(PORTION, Math.max(1, Math.round(PORTION_MS / this.pace)));
    const memory = this.points[this.next]?.budget?.memory;
    const needs = needsKey(this.points[this.next]?.needs);
    const indices: number[] = [];
    for (; indices.length < size && this.next < this.points.length; this.next++) {
      const point = this.points[this.next]!;
      if (point.budget?.memory !== memory || needsKey(point.needs) !== needs) break;
      if (this.open.has(this.ids[this.next]!)) indices.push(this.next);
    }
    return indices;
  }

  /** Adding a job that is there already changes nothing. */
  private async add(portions: readonly Portion[]): Promise<void> {
    if (portions.length === 0) return;
    for (const queue of new Set(portions.map((p) => this.queueOf(p))))
      await this.addTo(
        queue,
        portions.filter((p) => this.queueOf(p) === queue),
      );
  }

  private async addTo(queue: Queue, portions: readonly Portion[]): Promise<void> {
    await queue.addBulk(
      portions.map(({ id, indices }) => {
        const points = indices.map((i) => this.points[i]!);
        const data: Job = {
          sweep: this.sweep,
          points,
          judge: this.options.judge,
          files: Object.assign({}, ...points.map((p) => this.filesOf(p))),
        };
        const opts = {
          jobId: `${this.sweep}-${id}`,
          attempts: TRIES,
          backoff: { type: "fixed", delay: TRY_AGAIN },
          removeOnComplete: true,
        };
        return { name: this.sweep, data, opts };
      }),
    );
  }

  /** Takes rows in; whether there were any. */
  private async takeRows(): Promise<boolean> {
    const key = rowsKey(this.sweep);
    const texts = await this.redis.lrange(key, 0, WINDOW - 1);
    if (texts.length === 0) return false;
    for (const text of texts) {
      const { job, rows, milliseconds } = JSON.parse(text) as Answer;
      for (const row of rows) this.settle(JSON.parse(row) as Row);
      this.laid.delete(job.slice(this.sweep.length + 1));
      if (rows.length > 0) this.pace = 0.8 * this.pace + (0.2 * milliseconds) / rows.length;
    }
    await this.redis.ltrim(key, texts.length, -1);
    return true;
  }

  private settle(row: Row): void {
    const index = this.open.get(row.id);
    if (index === undefined) return;
    this.open.delete(row.id);
    this.take(row, index);
    this.options.onRow?.(row, index);
  }

  /** Renews the lease; lays out again what the server lost, by itself what workers were lost with. */
  private async lookAfter(): Promise<void> {
    this.looked = Date.now();
    await this.redis.set(leaseKey(this.sweep), this.holder, "PX", LEASE);
    await this.tellWorkers();
    await this.bringFiles();
    await this.tellNeeds();
    // Rows first: a job that is gone may have its answer in the list.
    while (await this.takeRows());
    const late = [...this.laid.values()].filter((p) => Date.now() - p.seen > LOOK_AFTER);
    const states = await Promise.all(late.map((p) => this.queueOf(p).getJobState(`${this.sweep}-${p.id}`)));
    while (await this.takeRows());
    const missing: Portion[] = [];
    for (const [k, portion] of late.entries()) {
      if (!this.laid.has(portion.id)) continue;
      portion.seen = Date.now();
      if (states[k] === "unknown" || states[k] === "completed") missing.push(portion);
      else if (states[k] === "failed") await this.failed(portion);
    }
    await this.add(missing);
  }

  /** A portion that was lost with its workers too often: each point by itself, and at last the row of the one that does it. */
  private async failed(portion: Portion): Promise<void> {
    const job = await this.queueOf(portion).getJob(`${this.sweep}-${portion.id}`);
    const why = job?.failedReason ?? "";
    await job?.remove().catch(() => {});
    this.laid.delete(portion.id);
    if (portion.indices.length > 1) {
      this.single.push(...portion.indices.filter((i) => this.open.has(this.ids[i]!)));
      return;
    }
    for (const i of portion.indices) {
      const outcome = /stalled/.test(why) ? `the worker died: ${LOSSES + 1} in turn` : `failed: ${why}`;
      this.settle(failedRow(this.points[i]!, this.options.folder, this.options.judge?.key ?? null, outcome));
    }
  }

  private async tellWorkers(): Promise<void> {
    const { onWorkers, onNobody } = this.options.queue;
    if (onWorkers === undefined && onNobody === undefined) return;
    const keys = await this.redis.keys(workerKey("*"));
    const texts = keys.length === 0 ? [] : await this.redis.mget(keys);
    const said = texts.flatMap((t) => (t === null ? [] : [t])).sort();
    const workers = said.map((t) => JSON.parse(t) as WorkerInfo);
    for (const [key, { needs }] of this.queues) {
      if (workers.length === 0 || this.told.has(key) || workers.some((w) => lacks(needs, w) === "")) continue;
      this.told.add(key);
      onNobody?.(needs);
    }
    if (said.join() === this.workers) return;
    this.workers = said.join();
    onWorkers?.(workers);
  }
}
