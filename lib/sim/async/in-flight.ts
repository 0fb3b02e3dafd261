/**
 * Asynchronous operations of a launch between their issue and their end: copies (LDGSTS, UBLKCP, UTMALDG …), stores and reductions that an
 * mbarrier counts, arrivals that wait for copies, products of warp groups. A GPU may end them at any time until someone waits; here a seed
 * chooses (PTX ISA 9.7.9.25, "Asynchronous operations": no order among them).
 *
 * - A wait (DEPBAR, WARPGROUP.DEPBAR) ends what it waits for; when nothing else can go on, the operation that is due next ends.
 * - Else one ends when so many warp-instructions have been issued as the seed gave it. Seed 0: as late as anything allows.
 * - Its source is read and its destination written then. A plain access meanwhile to what it will write, or a write to what it
 *   will read, is a fault that names both; so is a block that ends while bulk copies still use its shared memory.
 * - What it reads in shared memory must have been handed to the asynchronous proxy by a fence since it was written.
 */
import { type Arrival, actOn, arriveEarly } from "../mbarrier.js";
import type { Program } from "../program.js";
import { Random } from "../random.js";
import { type Cta, Step, type Warp } from "../state.js";
import { placeOf, placeText } from "../where.js";
import { accessOf } from "./access-kind.js";
import { type Grouping, Groups } from "./groups.js";
import { Marks } from "./marks.js";
import type { Memory, Transfer } from "./transfer.js";

/** Warp-instructions after which an operation ends at the latest. */
const LATEST = 1 << 14;
/** Exponents of the delays that seeds other than 0 choose among: up to so many warp-instructions. */
const DELAYS: readonly number[] = [0, 4, 7, 10, 12, 14];
const NONE: readonly Operation[] = [];

/** An arrival, or what completes transactions, at an mbarrier; `early`: as before sm_90. */
export interface Signal {
  readonly address: number;
  readonly lane: number;
  readonly what: Arrival | "early";
}

export interface Operation {
  readonly warp: Warp;
  readonly pc: number;
  readonly lane: number;
  readonly transfers: readonly Transfer[];
  readonly signals: readonly Signal[];
  readonly grouping: Grouping;
  /** Through the asynchronous proxy: all but LDGSTS. */
  readonly proxy: boolean;
  /** Operations that end before it. */
  readonly after: readonly Operation[];
  /** What it does in the end beside its transfers; what it returns is the step of a fault, or Next. */
  readonly act: ((w: Warp) => Step) | null;
  /** Shared memory of its block that `act` reads. */
  readonly sources: readonly Source[];
}

/** Runs of shared memory: offsets, the least and the greatest of them, and bytes at each. */
export interface Source {
  readonly at: Int32Array;
  readonly low: number;
  readonly high: number;
  readonly size: number;
}

/** Runs of so many bytes at each of the offsets. */
export function sourceOf(at: Int32Array, size: number): Source {
  return { at, low: at.reduce((x, y) => Math.min(x, y), Infinity), high: at.reduce((x, y) => Math.max(x, y), 0), size };
}

interface Pending extends Operation {
  after: readonly Operation[];
  due: number;
  over: boolean;
}

export class InFlight {
  /** In the order of their issue. */
  private readonly pending: Pending[] = [];
  private readonly marks = new Map<Cta, Marks>();
  /** Marks of blocks that have ended: none of them is set. */
  private readonly spare: Marks[] = [];
  private readonly groups = new Map<Warp, Groups>();
  /** Operations in flight that read sources of their own. */
  private reading = 0;
  private readonly random: Random;
  /** Least number of issued instructions at which one is due. */
  next: number = Number.POSITIVE_INFINITY;

  constructor(
    private readonly program: Program,
    private readonly seed: number,
  ) {
    this.random = new Random(seed);
  }

  private delay(): number {
    if (this.seed === 0) return LATEST;
    const most = 1 << DELAYS[this.random.word() % DELAYS.length]!;
    return this.random.word() % most;
  }

  /** The warp of a block that runs first: whoever waits for another's operations may come before it. */
  firstWarp(warps: number): number {
    return this.seed === 0 ? 0 : this.random.word() % warps;
  }

  private marksOf(cta: Cta): Marks {
    let marks = this.marks.get(cta);
    if (marks === undefined) {
      marks = this.spare.pop() ?? new Marks(cta.shared.size);
      this.marks.set(cta, marks);
    }
    return marks;
  }

  /** An operation begins. */
  start(operation: Operation): Step {
    if (!this.mayStart(operation)) return Step.Fault;
    const { warp, pc, lane, transfers, signals, grouping, proxy, after, act, sources } = operation;
    const due = warp.machine.issued + this.delay();
    // A copy by names is several times as fast as one of all there is.
    const op: Pending = { warp, pc, lane, transfers, signals, grouping, proxy, after, act, sources, due, over: false };
    this.pending.push(op);
    if (op.grouping !== "none") this.groupsOf(op.warp).add(op);
    this.count(op, 1);
    this.next = Math.min(this.next, op.due);
    return Step.Next;
  }

  /** Operations of a warp that groups of this kind hold, in order. */
  of(w: Warp, grouping: Grouping): readonly Operation[] {
    return this.pending.filter((op) => op.warp === w && op.grouping === grouping);
  }

  /** The last of them. */
  lastOf(w: Warp, grouping: Grouping): readonly Operation[] {
    for (let i = this.pending.length - 1; i >= 0; i--) {
      const op = this.pending[i]!;
      if (op.warp === w && op.grouping === grouping) return [op];
    }
    return NONE;
  }

  groupsOf(w: Warp): Groups {
    let groups = this.groups.get(w);
    if (groups === undefined) {
      groups = new Groups();
      this.groups.set(w, groups);
    }
    return groups;
  }

  /** A counted wait of a warp: ends all groups on the scoreboard but the last n of each kind. */
  wait(w: Warp, scoreboard: number, n: number): Step {
    const over = this.groups.get(w)?.over(scoreboard, n) ?? NONE;
    for (const op of over) if (!this.end(op)) return Step.Fault;
    return Step.Next;
  }

  private count(op: Operation, by: number): void {
    for (const t of op.transfers) {
      if (t.source !== null && t.data === null)
        t.eachRun("from", (at, size) => this.marksOf(t.source!).count("reads", at, size, by));
      if (t.target !== null) t.eachRun("to", (at, size) => this.marksOf(t.target!).count("writes", at, size, by));
    }
    if (op.sources.length > 0) this.reading += by;
  }

  /** Is what it reads there, and what it writes free? */
  private mayStart(op: Operation): boolean {
    for (const t of op.transfers) {
      const { source, target } = t;
      for (let i = 0; i < t.size.length; i++) {
        const size = t.size[i]!;
        if (source !== null && t.from[i]! >= 0 && !this.maySource(op, source, t.from[i]!, size)) return false;
        if (target === null || t.combine !== null) continue;
        if (!this.free(op.warp, op.lane, target, t.to[i]!, size, true)) return false;
      }
    }
    const marks = this.marks.get(op.warp.cta);
    if (marks === undefined || marks.isFree) return true;
    for (const source of op.sources)
      for (const at of source.at) if (!this.maySource(op, op.warp.cta, at, source.size)) return false;
    return true;
  }

  private maySource(op: Operation, cta: Cta, at: number, size: number): boolean {
    if (!this.free(op.warp, op.lane, cta, at, size, false)) return false;
    const unfenced = op.proxy ? this.marksOf(cta).firstUnfenced(at, size) : -1;
    if (unfenced < 0) return true;
    op.warp.fault(
      "asynchronous",
      1 << op.lane,
      `the asynchronous proxy reads shared address 0x${unfenced.toString(16)}, which was written without a fence.proxy.async since`,
      BigInt(unfenced),
    );
    return false;
  }

  /** May a lane touch the bytes? False: a fault is noted. */
  private free(w: Warp, lane: number, cta: Cta, at: number, size: number, write: boolean): boolean {
    if (write && this.reading > 0 && this.pending.some((op) => mayRead(op, cta, at, size)))
      if (!this.isApart(w, lane, cta, at, size, "from")) return false;
    const marks = this.marks.get(cta);
    if (marks === undefined) return true;
    if (marks.has("writes", at, size) && !this.isApart(w, lane, cta, at, size, "to")) return false;
    return !write || !marks.has("reads", at, size) || this.isApart(w, lane, cta, at, size, "from");
  }

  private isApart(w: Warp, lane: number, cta: Cta, at: number, size: number, side: "from" | "to"): boolean {
    const op = this.pending.find((p) => uses(p, cta, at, size, side));
    if (op === undefined) return true;
    const { cta: owner } = op.warp;
    const block = owner === w.cta ? "" : ` of block [${owner.index.join(", ")}]`;
    const place = placeOf(this.program, op.pc);
    const what = `${place.instruction} at ${placeText(place)} by warp ${op.warp.index}${block}`;
    const does = side === "to" ? "will write" : "still reads";
    w.fault(
      "asynchronous",
      1 << lane,
      `shared address 0x${at.toString(16)}: ${what}, in flight, ${does} there`,
      BigInt(at),
    );
    return false;
  }

  /** A plain access of the running instruction to shared memory; false: a fault is noted. */
  touch(w: Warp, cta: Cta, at: number, size: number, lane: number): boolean {
    const kind = accessOf(this.program, w.pc);
    if (kind === null) return true;
    if (!this.free(w, lane, cta, at, size, kind.write)) return false;
    if (kind.write) this.marksOf(cta).wrote(at, size);
    return true;
  }

  fence(w: Warp): void {
    for (const cta of w.cta.cluster.ctas) this.marks.get(cta)?.fence();
  }

  // ------------------------------------------------------------------------------------------ ends

  /** Ends what is due. */
  poll(issued: number): void {
    while (this.next <= issued) {
      const due = this.pending.find((op) => op.due <= issued);
      if (due === undefined) this.lookAgain();
      else if (!this.end(due)) return;
    }
  }

  /** Nothing can go on: ends the operation that is due next. False: none is in flight. */
  endNext(): boolean {
    if (this.pending.length === 0) return false;
    let first = this.pending[0]!;
    for (const op of this.pending) if (op.due < first.due) first = op;
    this.end(first);
    return true;
  }

  private lookAgain(): void {
    this.next = Number.POSITIVE_INFINITY;
    for (const op of this.pending) this.next = Math.min(this.next, op.due);
  }

  /** Ends an operation, and before it those that it follows. False: a fault is noted. */
  end(operation: Operation): boolean {
    const op = operation as Pending;
    if (op.over) return true;
    for (const before of op.after) if (!this.end(before)) return false;
    // Else a long chain of operations that are over would stay in memory.
    op.after = NONE;
    op.over = true;
    this.pending.splice(this.pending.indexOf(op), 1);
    this.lookAgain();
    this.count(op, -1);
    // Faults from here on are told of the instruction that began it.
    const { pc } = op.warp;
    op.warp.pc = op.pc;
    const fine = this.perform(op);
    op.warp.pc = pc;
    return fine;
  }

  private perform(op: Operation): boolean {
    const { global } = op.warp.machine;
    for (const t of op.transfers) t.read(global);
    for (const t of op.transfers) {
      t.write(global);
      if (!op.proxy && t.target !== null) {
        const marks = this.marksOf(t.target);
        t.eachRun("to", (at, size) => marks.wrote(at, size));
      }
    }
    if (op.act !== null && op.act(op.warp) === Step.Fault) return false;
    return op.signals.every((s) => signal(op.warp, s));
  }

  /** A block has ended while others of its cluster go on: nothing may use its shared memory any more. */
  leaves(cta: Cta): void {
    const op = this.pending.find((p) => p.proxy && p.transfers.some((t) => t.source === cta || t.target === cta));
    if (op !== undefined) this.tooLate(op);
  }

  private tooLate(op: Pending): false {
    op.warp.pc = op.pc;
    op.warp.fault("asynchronous", 1 << op.lane, "the block ends while the operation at its shared memory is in flight");
    return false;
  }

  /** Blocks have ended. False: a fault is noted. */
  endOf(ctas: readonly Cta[]): boolean {
    for (const op of this.pending.filter((p) => ctas.includes(p.warp.cta))) {
      const used = [...op.transfers.flatMap((t) => [t.source, t.target])].some((m: Memory) => m !== null);
      if (op.proxy && used) return this.tooLate(op);
      if (!this.end(op)) return false;
    }
    for (const cta of ctas) {
      for (const w of cta.warps) this.groups.delete(w);
      const marks = this.marks.get(cta);
      if (marks === undefined) continue;
      marks.clear();
      this.spare.push(marks);
      this.marks.delete(cta);
    }
    return true;
  }
}

/** May it read some of the bytes as sources of its own? */
function mayRead(op: Pending, cta: Cta, at: number, size: number): boolean {
  return op.warp.cta === cta && op.sources.some((s) => s.low < at + size && s.high + s.size > at);
}

/** Does the operation read (`from`) or write some of the bytes? */
function uses(op: Operation, cta: Cta, at: number, size: number, side: "from" | "to"): boolean {
  for (const t of op.transfers) {
    if ((side === "to" ? t.target : t.source) !== cta || (side === "from" && t.data !== null)) continue;
    const offsets = t[side];
    for (let i = 0; i < offsets.length; i++)
      if (offsets[i]! >= 0 && offsets[i]! < at + size && offsets[i]! + t.size[i]! > at) return true;
  }
  if (side === "to" || op.warp.cta !== cta) return false;
  return op.sources.some((s) => s.at.some((x) => x < at + size && x + s.size > at));
}

function signal(w: Warp, { address, lane, what }: Signal): boolean {
  return what === "early" ? arriveEarly(w, address, lane) : actOn(w, address, what, lane);
}

/** Begins an operation of the running instruction. */
export function begin(op: Operation): Step {
  return op.warp.machine.inFlight?.start(op) ?? atOnce(op);
}

/** Runs an operation of which nothing is seen while it is in flight. */
function atOnce(op: Operation): Step {
  const { global } = op.warp.machine;
  for (const t of op.transfers) {
    t.read(global);
    t.write(global);
  }
  if (op.act !== null && op.act(op.warp) === Step.Fault) return Step.Fault;
  return op.signals.every((s) => signal(op.warp, s)) ? Step.Next : Step.Fault;
}
