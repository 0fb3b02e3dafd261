/**
 * The priority function of wiki page 37: eight bits per candidate, compared bit by bit in an order of their own, then
 * tie-breakers (digest E §2E). What the page leaves open or contradicts is decided as digest E D19–D22 propose:
 *
 * - The comparisons of the page fit scheduling from the end of the block; here they are written once in terms of
 *   "candidate issues without stall" and "path ahead", which the core mirrors by direction.
 * - Pressure: when some candidate would exceed the budget, those that free most registers come first.
 * - The order in which bits are compared is data (`bitOrder`), 4, 6, 1, 2, 5 by default; bits 3 and 0 take part only in
 *   the byte itself.
 * - Bit 1, critical: as soon as `depth` barrier targets wait, or on the longest path of all candidates.
 */
import { Candidate } from "./candidate.js";
import type { Rung, SchedulePolicy } from "./policy.js";
import type { SchedState } from "./state.js";

/** Bits of the byte. */
export const Bit = {
  Yield: 0x80,
  YieldFlag: 0x40,
  Hot: 0x20,
  Pressure: 0x10,
  SameBlock: 0x08,
  StallFree: 0x04,
  Critical: 0x02,
  BarrierTarget: 0x01,
} as const;
export type BitName = keyof typeof Bit;

const bitWhy: Readonly<Record<BitName, string>> = {
  Yield: "yield",
  YieldFlag: "yield flag",
  Hot: "hot memory",
  Pressure: "register pressure",
  SameBlock: "same block",
  StallFree: "no stall",
  Critical: "critical path",
  BarrierTarget: "barrier target",
};

/** Bits in the order in which the page compares them. */
export const bitOrder: readonly BitName[] = ["Pressure", "YieldFlag", "Critical", "StallFree", "Hot"];

export interface ByteOptions {
  readonly name: string;
  readonly does: string;
  readonly direction: "forward" | "backward";
  /** Tightens the budget by an eighth and three registers, and compares register deltas before the byte. */
  readonly reduceReg: boolean;
  readonly bits?: readonly BitName[];
  /** Cold winners after which hot and cold are no longer told apart (the page's counter at +532; its value is not known). */
  readonly hotColdBudget?: number;
}

/** What the pre-scan over the candidates finds, and what lasts from choice to choice. */
export class PriorityMemory {
  /** Registers above which pressure counts, in allocation units; a sixteenth tighter for barrier targets. */
  readonly budget: number;
  readonly careful: number;
  readonly depth: number;
  hotColdLeft: number;
  overflow = false;
  barrierCount = 0;
  minBarrierLatency = 99999;
  longestPath = 0;
  sharedCount = 0;
  private readonly view: Candidate;
  /** Bytes found for the current choice, and for which choice (by its number, from 1) each was found. */
  private readonly bytes: Uint8Array;
  private readonly found: Int32Array;

  constructor(
    state: SchedState,
    readonly options: ByteOptions,
  ) {
    this.view = new Candidate(state);
    this.bytes = new Uint8Array(state.total);
    this.found = new Int32Array(state.total);
    const { budget, frequency, parameters: p } = state.context;
    const slack = frequency < 1 && p.okSlackCold >= 0 ? p.okSlackCold : p.okSlack;
    let base = budget - slack;
    if (options.reduceReg) base -= Math.floor(budget / 8) + 3;
    this.budget = inUnits(base);
    this.careful = inUnits(base - (p.carefulSlack ?? Math.floor(base / 16)));
    this.depth = p.depth;
    this.hotColdLeft = options.hotColdBudget ?? 32;
  }

  /** Aggregates over all candidates. */
  scan(state: SchedState): void {
    const { view } = this;
    this.overflow = false;
    this.barrierCount = 0;
    this.minBarrierLatency = 99999;
    this.longestPath = 0;
    this.sharedCount = 0;
    const live = state.pressure.live[0] as number;
    for (let k = 0; k < state.readyCount; k++) {
      view.node = state.ready[k] as number;
      if (view.ahead > this.longestPath) this.longestPath = view.ahead;
      if (view.inst.form.memory?.space === "shared") this.sharedCount++;
      if (view.barrierTarget) {
        this.barrierCount++;
        this.minBarrierLatency = Math.min(this.minBarrierLatency, view.stall);
      }
      if (live + view.deltaR > this.budget) this.overflow = true;
    }
  }

  /** The byte of a candidate, made once per choice. */
  byte(c: Candidate): number {
    const choice = c.state.placed + 1;
    if (this.found[c.node] !== choice) {
      this.found[c.node] = choice;
      this.bytes[c.node] = priorityByte(c, this);
    }
    return this.bytes[c.node] as number;
  }

  /** Cold winners use up the budget of hot and cold. */
  won(node: number): void {
    this.view.node = node;
    if (this.view.cold && this.hotColdLeft > 0) this.hotColdLeft--;
  }
}

/** Registers are given out in units of eight per thread. */
function inUnits(registers: number): number {
  return Math.ceil(Math.max(0, registers) / 8) * 8;
}

const yields = /^(YIELD|NANOSLEEP)$/;
const control = /^(WARPGROUP|WARPGROUPSET|BAR)$/;

/** The byte of a candidate. */
export function priorityByte(c: Candidate, m: PriorityMemory): number {
  const { op } = c.inst.form;
  const hot = m.hotColdLeft > 0 && c.hot;
  const pressure = m.overflow && !c.cold && c.deltaR < 0;
  const critical = m.barrierCount >= m.depth ? c.barrierTarget || c.ahead === m.longestPath : c.ahead === m.longestPath;
  let byte = Bit.SameBlock;
  if (yields.test(op)) byte |= Bit.Yield;
  if (control.test(op) && !hot && !pressure) byte |= Bit.YieldFlag;
  if (hot) byte |= Bit.Hot;
  if (pressure) byte |= Bit.Pressure;
  if (c.stall <= 0) byte |= Bit.StallFree;
  if (critical) byte |= Bit.Critical;
  if (c.barrierTarget) byte |= Bit.BarrierTarget;
  return byte;
}

/** Tie-breakers in the page's order; those that only exist inside ptxas's data structures are left out. */
const tieBreakers: readonly Rung<PriorityMemory>[] = [
  { why: "latency counter", by: (c) => -Math.max(0, c.stall) },
  { why: "yield boundary", by: (c, m) => (m.sharedCount > 0 && yields.test(c.inst.form.op) ? 1 : 0) },
  { why: "contention", by: (c) => -(contention(c) + 2 * Math.max(0, c.deltaR) - Math.sign(c.deltaR)) },
  { why: "earliest cycle", by: (c) => -c.earliest },
  { why: "dependence cycle", by: (c) => c.ahead },
  { why: "register delta", by: (c) => -Math.abs(c.deltaR) },
];

/** How much of the block went to the same resource already, in sixteenths: busy pipes wait. */
function contention(c: Candidate): number {
  const { used, placed } = c.state;
  return placed === 0 ? 0 : Math.floor((16 * (used[c.resource] as number)) / placed);
}

/** Register deltas one file after the other (the page's 4-tuple). */
const deltas: readonly Rung<PriorityMemory>[] = [
  { why: "GPR delta", by: (c) => -c.deltaR },
  { why: "predicate delta", by: (c) => -c.deltaP },
  { why: "uniform delta", by: (c) => -c.deltaUR },
];

/** A policy of the priority function. */
export function bytePolicy(options: ByteOptions): SchedulePolicy<PriorityMemory> {
  const bits = (options.bits ?? bitOrder).map(
    (name): Rung<PriorityMemory> => ({
      why: bitWhy[name],
      by: (c, m) => ((m.byte(c) & Bit[name]) === 0 ? 0 : 1),
    }),
  );
  const most: Rung<PriorityMemory> = { why: "register pressure", by: (c, m) => (m.overflow ? -c.deltaR : 0) };
  return {
    name: options.name,
    does: options.does,
    direction: options.direction,
    ladder: [...(options.reduceReg ? deltas : [most]), ...bits, ...tieBreakers],
    start: (state) => new PriorityMemory(state, options),
    before: (state, m) => m.scan(state),
    after: (_state, winner, m) => m.won(winner),
  };
}
