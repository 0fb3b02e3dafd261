/**
 * An SM, instruction by instruction: four sub-cores that issue at most one instruction per cycle each, in program order
 * per warp, as the control words say [M = MICRO'25, see parameters.ts]. A warp may issue when its stall count has passed,
 * the scoreboards it waits for are at zero, its instruction has been fetched, and the pipe or the memory queue takes
 * it. Of those that may, the one that issued last goes on; else the youngest (greedy, then youngest [M]).
 *
 * Time jumps from issue to issue: everything that ends an instruction's waiting is known when it is issued, but for waits at barriers: a
 * warp stands still until the others have come, or the phase of an mbarrier has ended (phases.ts). Products of warp groups queue up at the tensor
 * core of their sub-core; WARPGROUP.DEPBAR waits for groups of them. What tensor cores take after a product is not bounded here.
 */

import type { Accesses, WarpTrace } from "../sim/trace.js";
import { StallAccount } from "./account.js";
import { Special, type TimedCode } from "./code.js";
import { FrontL1, SubCoreFront } from "./front.js";
import { MemorySystem } from "./memory.js";
import type { DeviceParameters } from "./parameters.js";
import { Phases } from "./phases.js";
import { CtaState, SCOREBOARDS, SubCore, WarpState } from "./warps.js";

/** A scoreboard's count is raised in the cycle after the issue [M]; a queued instruction without lanes ends soon. */
const COUNT_DELAY = 2;

/** An issue in the timeline. */
export interface Issue {
  /** Number of the block in the order in which blocks start on the SM. */
  readonly block: number;
  /** Number of the warp in its block. */
  readonly warp: number;
  /** Sub-core that issued it. */
  readonly subCore: number;
  /** Index of the instruction in the program. */
  readonly pc: number;
  /** Cycle in which it issued. */
  readonly cycle: number;
  /** Cycle at which its result is there, when that is known; the cycle after the issue otherwise. */
  readonly done: number;
}

export interface CoreResult {
  /** Cycle after the last instruction of each block, in the order in which they were given. */
  readonly blockEnds: readonly number[];
  readonly cycles: number;
  readonly issued: number;
  /** As in StallAccount. */
  readonly reasons: StallAccount["reasons"];
  readonly issues: Float64Array;
  readonly memory: MemorySystem["totals"];
  readonly timeline: readonly Issue[];
}

export class StreamingMultiprocessor {
  private readonly cores: SubCore[];
  private readonly memory: MemorySystem;
  private readonly phases: Phases;
  private readonly account: StallAccount;
  private readonly issues: Float64Array;
  private readonly timeline: Issue[] = [];
  private issued = 0;
  private age = 0;
  private readonly ends: number[] = [];
  private pending: CtaState[] = [];
  private readonly numbers: readonly number[];

  constructor(
    private readonly code: TimedCode,
    private readonly p: DeviceParameters,
    private readonly traces: readonly WarpTrace[],
    private readonly accesses: Accesses,
    /** Blocks that fit on the SM at a time, and the shared memory they take. */
    private readonly resident: number,
    sharedBytes: number,
    private readonly timelineLimit: number,
  ) {
    const l1 = new FrontL1(p);
    this.cores = Array.from(
      { length: p.subCores },
      (_, i) => new SubCore(i, code.pipes.length, new SubCoreFront(p, l1, accesses)),
    );
    this.memory = new MemorySystem(p, accesses, sharedBytes);
    this.phases = new Phases(traces, accesses, code.arrives);
    this.account = new StallAccount(code, this.memory);
    this.issues = new Float64Array(code.count);
    this.numbers = [...new Set(traces.map((t) => t.block))];
  }

  /** Plays everything back; what is not issued within `most` cycles is left out, and its blocks end then. */
  run(most: number = Number.POSITIVE_INFINITY): CoreResult {
    this.pending = this.numbers.map((n) => new CtaState(n));
    for (let i = 0; i < this.resident && this.pending.length > 0; i++) this.start(this.pending.shift()!, 0);
    for (;;) {
      let best: SubCore | null = null;
      let bestTime = Number.POSITIVE_INFINITY;
      for (const core of this.cores) {
        if (core.next < 0) core.next = this.earliest(core);
        if (core.next < bestTime) {
          bestTime = core.next;
          best = core;
        }
      }
      if (best === null) {
        const stuck = this.phases.stuck();
        if (stuck === null) break;
        this.endPhase(stuck);
        continue;
      }
      if (bestTime > most) {
        for (let i = 0; i < this.numbers.length; i++) this.ends[i] ??= bestTime;
        break;
      }
      this.issue(best, bestTime);
    }
    return {
      blockEnds: this.ends,
      cycles: this.ends.reduce((a, b) => Math.max(a, b), 0),
      issued: this.issued,
      reasons: this.account.reasons,
      issues: this.issues,
      memory: this.memory.totals,
      timeline: this.timeline,
    };
  }

  private start(cta: CtaState, t: number): void {
    for (const trace of this.traces) {
      if (trace.block !== cta.number || trace.pcs.length === 0) continue;
      const warp = new WarpState(trace, cta, this.age++);
      warp.next = t;
      warp.issuedAt = t;
      cta.warps.push(warp);
      cta.live++;
      const core = this.cores[trace.index % this.cores.length]!;
      core.warps.push(warp);
      core.next = -1;
      warp.fetched = core.front.instruction(warp.pc, t);
    }
    if (cta.live === 0) this.ended(cta, t);
  }

  private ended(cta: CtaState, t: number): void {
    this.ends[this.numbers.indexOf(cta.number)] = t;
    const next = this.pending.shift();
    if (next !== undefined) this.start(next, t + this.p.blockLaunch);
  }

  // ------------------------------------------------------------------------------------------ readiness

  private scoreboards(w: WarpState): number {
    const mask = this.code.wait[w.pc]!;
    let t = w.depbar;
    if (mask !== 0) for (let k = 0; k < SCOREBOARDS; k++) if ((mask >> k) & 1 && w.zero[k]! > t) t = w.zero[k]!;
    return t;
  }

  private unitFree(core: SubCore, pc: number, t: number): number {
    const free = Math.max(t, core.pipeFree[this.code.pipe[pc]!]!);
    return this.code.queued[pc] === 1 ? Math.max(free, this.memory.room(core.index, free)) : free;
  }

  private ready(core: SubCore, w: WarpState): number {
    if (w.blocked) return Number.POSITIVE_INFINITY;
    if (w.own < 0) w.own = Math.max(w.next, w.released, w.fetched, w.constant, w.gmma, this.scoreboards(w));
    return this.unitFree(core, w.pc, w.own);
  }

  private earliest(core: SubCore): number {
    let t = Number.POSITIVE_INFINITY;
    for (const w of core.warps) {
      const r = this.ready(core, w);
      if (r < t) t = r;
    }
    return Math.max(t, core.free);
  }

  private choose(core: SubCore, t: number): WarpState {
    let best: WarpState | null = null;
    for (const w of core.warps) {
      if (this.ready(core, w) > t) continue;
      if (w === core.last) return w;
      if (best === null || w.age > best.age) best = w;
    }
    return best!;
  }

  // ------------------------------------------------------------------------------------------ issue

  private issue(core: SubCore, t: number): void {
    const { code } = this;
    const w = this.choose(core, t);
    const pc = w.pc;
    w.own = -1;
    this.account.waited(core, w, t);
    if (code.operand[pc]! >= 0 && this.missing(core, w, pc, t)) return;
    this.account.selected(pc);
    core.last = w;
    core.next = -1;
    core.pipeFree[code.pipe[pc]!] = t + this.interval(core, pc, t);
    const bubble = core.registerPorts(this.code, w, pc, t);
    core.free = t + 1 + bubble;
    core.held = core.free;
    w.jumped = code.special[pc] === Special.Jump;
    // Yield is active low; it keeps the warp from issuing in the next cycle.
    w.next = t + Math.max(1, code.stall[pc]!, code.stall[pc] === 1 && code.yield[pc] === 0 ? 2 : 0);
    w.issuedAt = t + 1;
    w.depbar = 0;
    const done = this.results(w, core, pc, t);
    if (this.timeline.length < this.timelineLimit)
      this.timeline.push({ block: w.trace.block, warp: w.trace.index, subCore: core.index, pc, cycle: t, done });
    this.issued++;
    this.issues[pc]!++;
    const special = code.special[pc]!;
    w.at++;
    if (special === Special.Barrier || special === Special.Arrive) this.barrier(w, pc, t, special === Special.Barrier);
    if (w.at === w.trace.pcs.length) this.finish(core, w, t + 1);
    else {
      if (w.pc !== pc + 1 && w.jumped) w.next = Math.max(w.next, t + this.p.takenJump);
      w.fetched = core.front.instruction(w.pc, t);
      if (special === Special.Depbar) w.depbar = this.depbar(w, pc);
      else if (special === Special.GroupWait) w.gmma = w.groups[w.groups.length - 1 - code.second[pc]!] ?? 0;
    }
  }

  /**
   * The tags of constant operands are looked up when the instruction would issue: what is not there holds up all warps of
   * the sub-core for some cycles, and its own until it comes [M].
   */
  private missing(core: SubCore, w: WarpState, pc: number, t: number): boolean {
    if (w.served === w.at) return false;
    const at = core.front.operand(this.code.operand[pc]!, w.trace.accesses.data[w.at]!, t);
    if (at <= t) return false;
    w.served = w.at;
    w.constant = at;
    w.issuedAt = t;
    core.free = Math.min(at, t + this.p.constantHold);
    core.next = -1;
    return true;
  }

  /** Scoreboards of an issued instruction; returns when its result is there. */
  private results(w: WarpState, core: SubCore, pc: number, t: number): number {
    const { code, memory } = this;
    const writeSb = code.writeSb[pc]!;
    const readSb = code.readSb[pc]!;
    let read = t + COUNT_DELAY;
    let write = t + Math.max(COUNT_DELAY, code.latency[pc]!);
    if (code.queued[pc] === 1) {
      const constant = code.constant[pc]! >= 0;
      memory.send(code, pc, core.index, w.age, constant ? -1 : w.trace.accesses.data[w.at]!, t);
      // Bandwidth is shared in fractions of a cycle.
      const late = constant ? core.front.load(code.constant[pc]!, w.trace.accesses.data[w.at]!, t) - t : 0;
      read = Math.ceil(memory.done.read) + late;
      write = Math.ceil(memory.done.write) + late;
    } else if (readSb < SCOREBOARDS) read = t + Math.min(code.latency[pc]!, 12);
    const special = code.special[pc]!;
    if (special >= Special.Product) write = this.asynchronous(w, core, pc, t, write);
    if (writeSb < SCOREBOARDS) this.raise(w, writeSb, Math.max(write, t + COUNT_DELAY), code.long[pc]!);
    if (readSb < SCOREBOARDS) this.raise(w, readSb, Math.max(read, t + COUNT_DELAY), 0);
    return write;
  }

  /** Cycles for which the pipe takes no other instruction: those of issue, and of a product of a warp what the tensor core needs [W]. */
  private interval(core: SubCore, pc: number, t: number): number {
    const { interval, work, special } = this.code;
    const { tensorMacs } = this.p;
    if (work[pc] === 0 || tensorMacs === 0 || special[pc] === Special.Product) return interval[pc]!;
    const busy = Math.ceil(work[pc]! / tensorMacs);
    core.tensorFree = Math.max(core.tensorFree, t) + busy;
    return Math.max(interval[pc]!, core.tensorFree - t);
  }

  /** What an instruction does after its issue; returns when its result is there. */
  private asynchronous(w: WarpState, core: SubCore, pc: number, t: number, write: number): number {
    const { code, p } = this;
    const access = w.trace.accesses.data[w.at]!;
    const id = access < 0 ? -1 : this.accesses.phase.data[access]!;
    switch (code.special[pc]) {
      case Special.Product: {
        const begin = Math.max(t, core.tensorFree);
        core.tensorFree = begin + (p.tensorMacs === 0 ? code.interval[pc]! : Math.ceil(code.work[pc]! / p.tensorMacs));
        w.open = begin + code.latency[pc]!;
        if (code.closes[pc] === 1) {
          if (w.groups.length > 15) w.groups.shift();
          w.groups.push(w.open);
        }
        return w.open;
      }
      case Special.Copy:
        w.copies = Math.max(w.copies, write);
        return write;
      case Special.CopyGroup:
        return Math.max(write, w.copies);
      case Special.PhaseArrive:
      case Special.CopyArrive:
        this.arrive(id, code.special[pc] === Special.CopyArrive ? Math.max(write, w.copies) : write);
        return write;
      case Special.ProductArrive:
        this.arrive(id, Math.max(write, w.open));
        return write;
      case Special.Bulk: {
        const done = access < 0 ? write : this.memory.bulk(access, t + p.bulkLatency);
        this.arrive(id, done);
        return done;
      }
      case Special.PhaseWait: {
        if (id < 0) return write;
        const end = this.phases.wait(id, w);
        if (end >= 0) return Math.max(write, end);
        w.blocked = true;
        w.phaseSb = code.writeSb[pc]!;
        return write;
      }
      default:
        return write;
    }
  }

  private arrive(id: number, time: number): void {
    if (id < 0) return;
    const ended = this.phases.arrive(id, time);
    if (ended !== null) this.endPhase(ended);
  }

  /** Warps that wait for a phase go on: the result of their wait is there when the last operation is done. */
  private endPhase(phase: { readonly time: number; readonly waiting: WarpState[] }): void {
    for (const w of phase.waiting) {
      w.blocked = false;
      w.own = -1;
      if (w.phaseSb < SCOREBOARDS) this.raise(w, w.phaseSb, phase.time, 1);
      else w.released = Math.max(w.released, phase.time);
      this.cores[w.trace.index % this.cores.length]!.next = -1;
    }
    phase.waiting.length = 0;
  }

  private raise(w: WarpState, sb: number, until: number, long: number): void {
    if (until >= w.zero[sb]!) {
      w.zero[sb] = until;
      w.isLong[sb] = long;
    }
    const list = w.under[sb]!;
    if (list.length > 63) list.shift();
    list.push(until);
  }

  /** DEPBAR.LE SBn, k: until at most k operations are in flight. */
  private depbar(w: WarpState, pc: number): number {
    const sb = this.code.first[pc]!;
    if (sb < 0 || sb >= SCOREBOARDS) return 0;
    const times = w.under[sb]!.slice().sort((a, b) => b - a);
    return times[Math.max(0, this.code.second[pc]!)] ?? 0;
  }

  private barrier(w: WarpState, pc: number, t: number, waits: boolean): void {
    const { cta } = w;
    const id = this.code.first[pc]! & 15;
    const threads = this.code.second[pc]!;
    if (waits) {
      w.blocked = true;
      cta.waiting[id]!.push(w);
    } else cta.arrivedOnly[id]!++;
    this.release(cta, id, threads, t);
  }

  private release(cta: CtaState, id: number, threads: number, t: number): void {
    const waiting = cta.waiting[id]!;
    const expected = threads > 0 ? Math.ceil(threads / 32) : cta.live;
    if (waiting.length + cta.arrivedOnly[id]! < expected) return;
    for (const w of waiting) {
      w.blocked = false;
      w.own = -1;
      w.released = t + this.p.barrierLatency;
      this.cores[w.trace.index % this.cores.length]!.next = -1;
    }
    waiting.length = 0;
    cta.arrivedOnly[id] = 0;
  }

  private finish(core: SubCore, w: WarpState, t: number): void {
    core.warps.splice(core.warps.indexOf(w), 1);
    if (core.last === w) core.last = null;
    const { cta } = w;
    cta.live--;
    // Whoever has ended is not waited for.
    for (let id = 0; id < 16; id++) if (cta.waiting[id]!.length > 0) this.release(cta, id, 0, t);
    if (cta.live === 0) this.ended(cta, t);
  }
}
