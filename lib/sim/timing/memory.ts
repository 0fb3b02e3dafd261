/** The memory system as one SM sees it: queues of the sub-cores, L1, its share of L2 and of memory. */
import type { TimedCode } from "./code.js";
import type { DeviceParameters } from "./parameters.js";
import { type Accesses, LINE, SECTOR, Where } from "./trace.js";

const WAYS = 4;

/** A set-associative cache of line numbers, least recently used out first. */
class Cache {
  private readonly tags: Int32Array;
  private readonly used: Float64Array;
  private readonly sets: number;
  private clock = 0;

  constructor(lines: number) {
    this.sets = Math.max(1, Math.floor(lines / WAYS));
    this.tags = new Int32Array(this.sets * WAYS).fill(-1);
    this.used = new Float64Array(this.sets * WAYS);
  }

  /** True when the line is there; `fill` brings it in. */
  touch(line: number, fill: boolean): boolean {
    const first = (((line % this.sets) + this.sets) % this.sets) * WAYS;
    let oldest = first;
    for (let w = first; w < first + WAYS; w++) {
      if (this.tags[w] === line) {
        this.used[w] = ++this.clock;
        return true;
      }
      if (this.used[w]! < this.used[oldest]!) oldest = w;
    }
    if (fill) {
      this.tags[oldest] = line;
      this.used[oldest] = ++this.clock;
    }
    return false;
  }
}

/** When an instruction gives back its operands and brings its result. */
export interface Done {
  read: number;
  write: number;
}

/**
 * Latencies without contention [M, table 2]: cycles from issue until operands may be overwritten, and until the result
 * may be used, for 4 bytes; 8 and 16 bytes add `wider` of the data they move.
 */
const READ = { load: 11, store: 14, shared: 9, sharedStore: 12 };
const WRITE = { global: 32, shared: 24 };
const READ_WIDER: Readonly<Record<number, number>> = { 8: 2, 16: 6 };
const WRITE_WIDER: Readonly<Record<number, number>> = { 8: 2, 16: 6 };
const SHARED_WIDER: Readonly<Record<number, number>> = { 16: 2 };
/** Where in the pipe an instruction reaches the unit that the sub-cores share. */
const TO_SHARED = 8;
/** Space numbers that keep lines of local memory of different warps apart from global ones. */
const LOCAL_LINES = 0x40000000;
const LOCAL_STRIDE = 1 << 15;

export class MemorySystem {
  private readonly l1: Cache;
  private readonly l2: Cache;
  private readonly l2Lines: number;
  private readonly queues: number[][];
  private readonly addressFree: Float64Array;
  private sharedFree = 0;
  private l2Free = 0;
  private dramFree = 0;
  readonly done: Done = { read: 0, write: 0 };
  /** Totals of the run. */
  readonly totals = { l1Hits: 0, l2Hits: 0, misses: 0, conflicts: 0 };

  constructor(
    private readonly p: DeviceParameters,
    private readonly accesses: Accesses,
    sharedBytes: number,
  ) {
    this.l1 = new Cache(Math.max(64, Math.floor((p.l1Kib * 1024 - sharedBytes) / LINE)));
    this.l2Lines = Math.floor((p.l2Mib * 1024 * 1024) / LINE);
    this.l2 = new Cache(this.l2Lines);
    this.queues = Array.from({ length: p.subCores }, () => []);
    this.addressFree = new Float64Array(p.subCores);
  }

  /** The first cycle from `t` on at which the sub-core's queue takes another instruction. */
  room(subCore: number, t: number): number {
    const queue = this.queues[subCore]!;
    let i = 0;
    while (i < queue.length && queue[i]! <= t) i++;
    if (i > 0) queue.splice(0, i);
    return queue.length < this.p.memoryQueue ? t : Math.ceil(queue[queue.length - this.p.memoryQueue]!);
  }

  /** Sends an instruction issued at `t`; the result is in `done`. `access` −1: it touches nothing. */
  send(code: TimedCode, pc: number, subCore: number, warp: number, access: number, t: number): void {
    const { p, done } = this;
    const enter = Math.max(t + 1, this.addressFree[subCore]!);
    this.addressFree[subCore] = enter + p.addressInterval;
    const reach = Math.max(enter + TO_SHARED, this.sharedFree);
    // The place in the queue is free when the shared unit has taken the instruction [M].
    this.queues[subCore]!.push(reach - TO_SHARED);
    const load = code.load[pc] === 1;
    const bytes = code.bytes[pc]!;
    if (access < 0) {
      this.sharedFree = reach + p.sharedInterval;
      done.read = reach + 1;
      done.write = enter + Math.max(code.latency[pc]!, 1);
      return;
    }
    const a = this.accesses;
    const where = a.where.data[access]!;
    const work = a.work.data[access]!;
    if (where === Where.Shared) {
      this.totals.conflicts += work - 1;
      this.sharedFree = reach + Math.max(p.sharedInterval, work);
      const late = reach - enter - TO_SHARED + (work - 1);
      done.read = enter + (load ? READ.shared : READ.sharedStore + (READ_WIDER[bytes] ?? 0)) + late;
      done.write = enter + WRITE.shared + (SHARED_WIDER[bytes] ?? 0) + late;
      return;
    }
    const cycles = Math.max(p.sharedInterval, a.lineCount.data[access]!, Math.ceil((work * SECTOR) / p.l1Bytes));
    this.sharedFree = reach + cycles;
    const late = reach - enter - TO_SHARED + cycles - p.sharedInterval;
    done.read = enter + (load ? READ.load : READ.store + (READ_WIDER[bytes] ?? 0)) + late;
    done.write = enter + WRITE.global + (load ? (WRITE_WIDER[bytes] ?? 0) : 0) + late;
    const arrival = this.beyond(access, where, warp, reach + cycles, load, work);
    // L2's latency comes on top of that of a hit, part of which has passed.
    if (arrival > 0) done.write = Math.max(done.write, arrival + WRITE.global - TO_SHARED - p.sharedInterval);
  }

  /** Was the line there before the launch? What was allocated first has stayed, as much as L2 holds; local memory too. */
  private warm(line: number): boolean {
    return line < this.l2Lines || line >= LOCAL_LINES;
  }

  /** When the slowest line is there, 0 where all hit. Stores go through to L2 and allocate nothing in L1. */
  private beyond(access: number, where: number, warp: number, t: number, load: boolean, sectors: number): number {
    const { p, accesses: a, totals } = this;
    const first = a.firstLine.data[access]!;
    const count = a.lineCount.data[access]!;
    const bytesPerLine = Math.min(LINE, (sectors * SECTOR) / Math.max(1, count));
    let latest = 0;
    for (let i = first; i < first + count; i++) {
      const line = a.lines.data[i]! + (where === Where.Local ? LOCAL_LINES + warp * LOCAL_STRIDE : 0);
      if (this.l1.touch(line, load) && load) {
        totals.l1Hits++;
        continue;
      }
      if (where === Where.Local && !load) {
        this.l1.touch(line, true);
        continue;
      }
      const sent = Math.max(t, this.l2Free);
      this.l2Free = sent + bytesPerLine / p.l2Bytes;
      let back = sent + p.l2Latency;
      if (this.l2.touch(line, true) || (p.warm && this.warm(line))) totals.l2Hits++;
      else {
        totals.misses++;
        const out = Math.max(sent, this.dramFree);
        this.dramFree = out + bytesPerLine / p.dramBytes;
        back = Math.max(back, out + p.l2Latency + p.dramLatency);
      }
      if (back > latest) latest = back;
    }
    return latest;
  }
}
