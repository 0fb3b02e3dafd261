/** What the priority function (priority.ts) finds by its pre-scan over the candidates, and what lasts from choice to choice. */
import { Candidate } from "./candidate.js";
import type { SchedState } from "./state.js";

/** What of a policy's options matters here. */
export interface MemoryOptions {
  /** Registers are to be few, whatever the cycles. */
  readonly reduceReg: boolean;
  /** Cold winners after which hot and cold are no longer told apart. Default: as in `ByteOptions`. */
  readonly hotColdBudget?: number;
}

/** Files whose limits count: R, UR, P, UP, as in `PressureTracker.live`. */
const LIMITED = 4;
const R = 0;
/** Barrier targets whose scoreboard is this much later than the soonest one's do not count as near (wiki page 37). */
const NEAR = 9;

/** What the byte of the priority depends on beside the candidate. */
export class PriorityMemory {
  /** Registers above which pressure counts, per file; those of file R in allocation units. */
  readonly limits: Int32Array = new Int32Array(LIMITED);
  /** A sixteenth below the limit of file R: what would go above is not critical any more. */
  readonly careful: number;
  /** What comes before all tie-breakers. */
  readonly furthest: boolean;
  /** What no bit decides stays in program order. */
  readonly keepSame: boolean;
  /** Barrier targets that make all of them critical. */
  readonly depth: number;
  /** Cold winners left until hot and cold are no longer told apart. */
  hotColdLeft: number;
  /** Bit per file: some candidate would exceed the limit. */
  overflow = 0;
  /** Candidates that read a result that a scoreboard guards. */
  barrierCount = 0;
  /** Barrier targets that can issue at most `NEAR` cycles after the soonest of them. */
  nearCount = 0;
  /** Cycles until the soonest of them can issue. */
  minBarrierLatency = 0;
  /** Longest path ahead of any candidate, in cycles. */
  longestPath = 0;
  /** Candidates that access shared memory. */
  sharedCount = 0;
  /** Choices for which barrier targets stay critical; 0: no countdown. */
  countdown = 0;
  /** Barrier group of the last winner that had one, −1 before. */
  group = -1;
  private readonly view: Candidate;
  /** Bytes found for the current choice, and for which choice (by its number, from 1) each was found. */
  private readonly bytes: Uint8Array;
  private readonly found: Int32Array;

  constructor(
    state: SchedState,
    options: MemoryOptions,
    private readonly made: (c: Candidate, m: PriorityMemory) => number,
  ) {
    this.view = new Candidate(state);
    this.bytes = new Uint8Array(state.total);
    this.found = new Int32Array(state.total);
    const { limits, frequency, parameters: p } = state.context;
    const budget = limits[R] as number;
    const slack = frequency < 1 && p.okSlackCold >= 0 ? p.okSlackCold : p.okSlack;
    let base = budget - slack;
    if (options.reduceReg) base -= Math.floor(budget / 8) + 3;
    for (let f = 1; f < LIMITED; f++) this.limits[f] = limits[f] as number;
    this.limits[R] = inUnits(base);
    this.careful = inUnits(base - (p.carefulSlack ?? Math.floor(base / 16)));
    this.depth = p.depth;
    this.furthest = p.furthest;
    this.keepSame = p.keepSame;
    this.hotColdLeft = options.hotColdBudget ?? 32;
  }

  /** Aggregates over all candidates. */
  scan(state: SchedState): void {
    const { view } = this;
    this.overflow = 0;
    this.barrierCount = 0;
    this.nearCount = 0;
    this.minBarrierLatency = Number.MAX_SAFE_INTEGER;
    this.longestPath = 0;
    this.sharedCount = 0;
    for (let k = 0; k < state.readyCount; k++) {
      view.node = state.ready[k] as number;
      if (view.ahead > this.longestPath) this.longestPath = view.ahead;
      if (view.inst.form.memory?.space === "shared") this.sharedCount++;
      if (!view.barrierTarget) continue;
      this.barrierCount++;
      if (view.stall < this.minBarrierLatency) this.minBarrierLatency = view.stall;
    }
    for (let k = 0; k < state.readyCount; k++) {
      view.node = state.ready[k] as number;
      if (view.barrierTarget) {
        // One that waits long will not be chosen now: what it needs is no reason to free anything.
        if (!this.isNear(view)) continue;
        this.nearCount++;
      }
      this.overflow |= this.exceeded(view);
    }
  }

  private isNear(c: Candidate): boolean {
    return c.stall <= this.minBarrierLatency + NEAR;
  }

  /** Bit per file whose limit the candidate would exceed. */
  private exceeded(c: Candidate): number {
    const { live } = c.state.pressure;
    let files = 0;
    for (let f = 0; f < LIMITED; f++) {
      const delta = c.state.pressure.of(f, c.node);
      if (delta > 0 && (live[f] as number) + delta > (this.limits[f] as number)) files |= 1 << f;
    }
    return files;
  }

  /** Registers of the files that are short which the candidate frees. */
  relief(c: Candidate): number {
    if (this.overflow === 0) return 0;
    let freed = 0;
    for (let f = 0; f < LIMITED; f++) if (((this.overflow >> f) & 1) === 1) freed -= c.state.pressure.of(f, c.node);
    return freed;
  }

  /** Frees registers of a file that is short. */
  relieves(c: Candidate): boolean {
    return this.overflow !== 0 && this.relief(c) > 0;
  }

  /** Whether the critical bit is set: the longest path, or barrier targets when enough of them wait. */
  isCritical(c: Candidate, barrierTarget: boolean, cold: boolean): boolean {
    if (this.countdown > 0) return barrierTarget ? this.isNear(c) : this.relieves(c);
    if (barrierTarget && this.barrierCount >= this.depth && !cold) return true;
    if (c.ahead !== this.longestPath) return false;
    // A long path is no reason to make values when registers are nearly used up.
    return c.deltaR <= 0 || (c.state.pressure.live[R] as number) + c.deltaR <= this.careful;
  }

  /** The byte of a candidate, made once per choice. */
  byte(c: Candidate): number {
    const choice = c.state.placed + 1;
    if (this.found[c.node] !== choice) {
      this.found[c.node] = choice;
      this.bytes[c.node] = this.made(c, this);
    }
    return this.bytes[c.node] as number;
  }

  /** The page's state update. */
  won(node: number): void {
    const { view } = this;
    view.node = node;
    if (view.cold && this.hotColdLeft > 0) this.hotColdLeft--;
    if (!view.barrierTarget) {
      this.countdown = 0;
      return;
    }
    this.group = view.barrierGroup;
    if (this.countdown > 0) this.countdown--;
    else if (this.overflow !== 0) this.countdown = Math.min(this.depth, this.nearCount - 1);
  }
}

/** Registers are given out in units of eight per thread. */
function inUnits(registers: number): number {
  return Math.ceil(Math.max(0, registers) / 8) * 8;
}
