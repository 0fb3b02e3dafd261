/** The memory system as one SM sees it: queues of the sub-cores, L1, its share of L2 and of memory. */

import { type Accesses, LINE, SECTOR, type WarpTrace, Where } from "../sim/trace.js";
import type { TimedCode } from "./code.js";
import type { DeviceParameters } from "./parameters.js";

const WAYS = 4;

/** Sectors of a line. */
const SECTORS = LINE / SECTOR;
const ALL = (1 << SECTORS) - 1;
const bits = (mask: number): number => (mask & 1) + ((mask >> 1) & 1) + ((mask >> 2) & 1) + ((mask >> 3) & 1);

const setsOf = (lines: number): number => Math.max(1, Math.floor(lines / WAYS));
const setOf = (line: number, sets: number): number => ((line % sets) + sets) % sets;
const l1Lines = (p: DeviceParameters, sharedBytes: number): number =>
  Math.max(64, Math.floor((p.l1Kib * 1024 - sharedBytes) / LINE));
const l2Lines = (p: DeviceParameters): number => Math.floor((p.l2Mib * 1024 * 1024) / LINE);
/** Lines of local memory of different warps are kept apart from one another and from global ones. */
const lineOf = (a: Accesses, i: number, where: number, warp: number): number =>
  where === Where.Local ? a.lines.data[i]! + LOCAL_LINES + warp * LOCAL_STRIDE : a.lines.data[i]!;

/** A set-associative cache of lines of which some sectors are there, least recently used out first. */
class Cache {
  private readonly tags: Int32Array;
  private readonly held: Uint8Array;
  private readonly used: Float64Array;
  private readonly sets: number;
  private clock = 0;

  constructor(lines: number) {
    this.sets = setsOf(lines);
    this.tags = new Int32Array(this.sets * WAYS).fill(-1);
    this.held = new Uint8Array(this.sets * WAYS);
    this.used = new Float64Array(this.sets * WAYS);
  }

  /** Which of the sectors of a line are there; `fill` brings all of them in. */
  touch(line: number, sectors: number, fill: boolean): number {
    const first = setOf(line, this.sets) * WAYS;
    let oldest = first;
    for (let w = first; w < first + WAYS; w++) {
      if (this.tags[w] === line) {
        this.used[w] = ++this.clock;
        const held = this.held[w]!;
        if (fill) this.held[w] = held | sectors;
        return held & sectors;
      }
      if (this.used[w]! < this.used[oldest]!) oldest = w;
    }
    if (fill) {
      this.tags[oldest] = line;
      this.held[oldest] = sectors;
      this.used[oldest] = ++this.clock;
    }
    return 0;
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
  readonly totals = {
    /** Sectors served by L1. */
    l1Hits: 0,
    /** Sectors served by L2. */
    l2Hits: 0,
    /** Sectors served by memory. */
    misses: 0,
    /** Cycles lost to bank conflicts of shared memory. */
    conflicts: 0,
  };

  constructor(
    private readonly p: DeviceParameters,
    private readonly accesses: Accesses,
    sharedBytes: number,
  ) {
    this.l1 = new Cache(l1Lines(p, sharedBytes));
    this.l2Lines = l2Lines(p);
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
    // A line at a time, 32 lanes of four bytes or less of it.
    const cycles = Math.max(p.sharedInterval, (a.lineCount.data[access]! * LINE) / p.l1Bytes);
    this.sharedFree = reach + cycles;
    const late = reach - enter - TO_SHARED + cycles - p.sharedInterval;
    done.read = enter + (load ? READ.load : READ.store + (READ_WIDER[bytes] ?? 0)) + late;
    done.write = enter + WRITE.global + (load ? (WRITE_WIDER[bytes] ?? 0) : 0) + late;
    const arrival = this.beyond(access, where, warp, reach + cycles, load);
    // L2's latency comes on top of that of a hit, part of which has passed.
    if (arrival > 0) done.write = Math.max(done.write, arrival + WRITE.global - TO_SHARED - p.sharedInterval);
  }

  /** Was the line there before the launch? What was allocated first has stayed, as much as L2 holds; local memory too. */
  private warm(line: number): boolean {
    return line < this.l2Lines || line >= LOCAL_LINES;
  }

  /**
   * When the slowest sector is there, 0 where all hit. L1 fetches sectors, memory gives L2 whole lines. Stores go through
   * to L2 and allocate nothing in L1; those to local memory stay in L1.
   */
  private beyond(access: number, where: number, warp: number, t: number, load: boolean): number {
    const { accesses: a, totals } = this;
    const first = a.firstLine.data[access]!;
    const count = a.lineCount.data[access]!;
    let latest = 0;
    for (let i = first; i < first + count; i++) {
      const local = where === Where.Local;
      const line = lineOf(a, i, where, warp);
      const sectors = a.sectors.data[i]!;
      const lack = sectors & ~this.l1.touch(line, sectors, load || local);
      if (load && lack === 0) {
        totals.l1Hits++;
        continue;
      }
      if (local && !load) continue;
      latest = Math.max(latest, this.fromL2(line, load ? lack : sectors, t));
    }
    return latest;
  }

  /** When sectors of a line are there that are asked for at `t`. */
  private fromL2(line: number, sectors: number, t: number): number {
    const { p, totals } = this;
    const sent = Math.max(t, this.l2Free);
    this.l2Free = sent + (bits(sectors) * SECTOR) / p.l2Bytes;
    const back = sent + p.l2Latency;
    if (this.l2.touch(line, ALL, true) !== 0 || (p.warm && this.warm(line))) {
      totals.l2Hits++;
      return back;
    }
    totals.misses++;
    const out = Math.max(sent, this.dramFree);
    this.dramFree = out + LINE / p.dramBytes;
    return Math.max(back, out + p.l2Latency + p.dramLatency);
  }

  /** A bulk copy past L1: when its last line is there. */
  bulk(access: number, t: number): number {
    const { accesses: a } = this;
    const first = a.firstLine.data[access]!;
    let latest = t;
    for (let i = first; i < first + a.lineCount.data[access]!; i++)
      latest = Math.max(latest, this.fromL2(a.lines.data[i]!, a.sectors.data[i]!, t));
    return Math.ceil(latest);
  }
}

/** Do the caches hold all that a block touches which is alone on its SM, and L2 what it reads when it is warm? */
export function evictsNothing(
  traces: readonly WarpTrace[],
  a: Accesses,
  p: DeviceParameters,
  sharedBytes: number,
): boolean {
  const lines = new Set<number>();
  traces.forEach((w, warp) => {
    for (let k = 0; k < w.accesses.length; k++) {
      const access = w.accesses.data[k]!;
      if (access < 0) continue;
      const where = a.where.data[access]!;
      if (where !== Where.Global && where !== Where.Local && where !== Where.Bulk) continue;
      const first = a.firstLine.data[access]!;
      for (let i = first; i < first + a.lineCount.data[access]!; i++) lines.add(lineOf(a, i, where, warp));
    }
  });
  for (const line of lines) if (line < LOCAL_LINES && line >= l2Lines(p)) return false;
  return [l1Lines(p, sharedBytes), l2Lines(p)].every((n) => {
    const used = new Map<number, number>();
    for (const line of lines) {
      const set = setOf(line, setsOf(n));
      const count = (used.get(set) ?? 0) + 1;
      if (count > WAYS) return false;
      used.set(set, count);
    }
    return true;
  });
}
