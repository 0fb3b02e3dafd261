/**
 * The priority function of wiki page 37: eight bits per candidate, compared bit by bit in an order of their own, then
 * tie-breakers. What the page leaves open or contradicts is decided as follows:
 *
 * - The comparisons of the page fit scheduling from the end of the block; here they are written once in terms of
 *   "candidate issues without stall" and "path ahead", which the core mirrors by direction.
 * - Pressure: when some candidate would exceed a limit, those that free most registers of that file come first.
 * - The order in which bits are compared is data (`bitOrder`), 4, 6, 1, 2, 5 by default; bits 3 and 0 take part only in
 *   the byte itself. Bit 3 is set always: blocks are scheduled one by one, what moves between them does so in hoist.ts.
 * - Bit 1, critical: the longest path of all candidates, and as soon as `depth` barrier targets wait these, too.
 * - The countdown: after a barrier target was chosen while registers were short, the other targets that are nearly as
 *   soon there are critical for as many choices as there are of them, so that what they hold is freed at once.
 *
 * What lasts from choice to choice stands in priority-memory.ts.
 */
import type { Candidate } from "./candidate.js";
import type { Rung, SchedulePolicy } from "./policy.js";
import { PriorityMemory } from "./priority-memory.js";

export { PriorityMemory } from "./priority-memory.js";

/** Bits of the byte. */
export const Bit = {
  /** YIELD and NANOSLEEP (bit 7). */
  Yield: 0x80,
  /** A barrier of a CTA or of a warp group that can issue without stall, or that is neither hot nor relieving (bit 6). */
  YieldFlag: 0x40,
  /** A load from global memory or a texture: hundreds of cycles, to be issued early (bit 5). */
  Hot: 0x20,
  /** It relieves a file whose limit some candidate would exceed (bit 4). */
  Pressure: 0x10,
  /** It is of this block: always (bit 3). */
  SameBlock: 0x08,
  /** It can issue without stall (bit 2). */
  StallFree: 0x04,
  /** It lies on the longest path, or enough barrier targets wait (bit 1). */
  Critical: 0x02,
  /** It reads a result that a scoreboard guards (bit 0). */
  BarrierTarget: 0x01,
} as const;
/** What a bit is called in options and bit orders. */
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

/** A policy of the priority byte. */
export interface ByteOptions {
  /** Name in lists and options. */
  readonly name: string;
  /** One line for lists. */
  readonly does: string;
  /** Whether blocks are filled from their start or their end. */
  readonly direction: "forward" | "backward";
  /** Tightens the budget by an eighth and three registers, and compares register deltas before the byte. */
  readonly reduceReg: boolean;
  /** The bits that count. Default: all. */
  readonly bits?: readonly BitName[];
  /** Cold winners after which hot and cold are no longer told apart (the page's counter at +532; its value is not known). */
  readonly hotColdBudget?: number;
  /** Tie-breakers after the bits, by name and in this order. Default: all, as the page has them. */
  readonly ties?: readonly TieName[];
}

const yields: ReadonlySet<string> = new Set(["YIELD", "NANOSLEEP"]);
const control: ReadonlySet<string> = new Set(["WARPGROUP", "WARPGROUPSET", "BAR"]);

/** The byte of a candidate. */
export function priorityByte(c: Candidate, m: PriorityMemory): number {
  const { op } = c.inst.form;
  const { cold, barrierTarget } = c;
  const hot = m.hotColdLeft > 0 && c.hot;
  const pressure = !cold && m.relieves(c);
  let byte = Bit.SameBlock;
  if (yields.has(op)) byte |= Bit.Yield;
  // Suppressed by memory and pressure, unless it has waited long enough to issue (the page's "behind schedule").
  if (control.has(op) && ((!hot && !pressure) || c.stall <= 0)) byte |= Bit.YieldFlag;
  if (hot) byte |= Bit.Hot;
  if (pressure) byte |= Bit.Pressure;
  if (c.stall <= 0) byte |= Bit.StallFree;
  if (m.isCritical(c, barrierTarget, cold)) byte |= Bit.Critical;
  if (barrierTarget) byte |= Bit.BarrierTarget;
  return byte;
}

/** What decides among equal bytes. */
export type TieName =
  | "barrierGroup"
  | "latencyCounter"
  | "yieldBoundary"
  | "contention"
  | "slotCycles"
  | "earliest"
  | "dependenceCycle"
  | "registerDelta";

/**
 * Tie-breakers in the page's order. Its "latest deadline" says the same as "dependence cycle" here: the deadline is the
 * length of the block's longest path less the path ahead.
 */
const tieBreakers: Readonly<Record<TieName, Rung<PriorityMemory>>> = {
  barrierGroup: { why: "barrier group", by: (c, m) => (m.group >= 0 && c.barrierGroup === m.group ? 1 : 0) },
  latencyCounter: { why: "latency counter", by: (c) => -Math.max(0, c.stall) },
  yieldBoundary: { why: "yield boundary", by: (c, m) => (m.sharedCount > 0 && yields.has(c.inst.form.op) ? 1 : 0) },
  contention: { why: "contention", by: (c) => -(c.contention + 2 * Math.max(0, c.deltaR) - Math.sign(c.deltaR)) },
  slotCycles: { why: "slot cycles", by: (c) => -c.interval },
  earliest: { why: "earliest cycle", by: (c) => -c.earliest },
  dependenceCycle: { why: "dependence cycle", by: (c) => c.ahead },
  registerDelta: { why: "register delta", by: (c) => -Math.abs(c.deltaR) },
};

/** The page's order. */
export const tieOrder: readonly TieName[] = Object.keys(tieBreakers) as TieName[];

/** Before the tie-breakers of the page, where knobs ask for it. */
const first: readonly Rung<PriorityMemory>[] = [
  { why: "furthest dependence", by: (c, m) => (m.furthest ? c.ahead : 0) },
  { why: "order kept", by: (c, m) => (m.keepSame ? -c.position : 0) },
];

/** Register deltas one file after the other (the page's 4-tuple). */
const deltas: readonly Rung<PriorityMemory>[] = [
  { why: "GPR delta", by: (c) => -c.deltaR },
  { why: "predicate delta", by: (c) => -c.deltaP },
  { why: "uniform delta", by: (c) => -c.deltaUR },
  { why: "uniform predicate delta", by: (c) => -c.deltaUP },
];

/** A policy of the priority function. */
export function bytePolicy(options: ByteOptions): SchedulePolicy<PriorityMemory> {
  const bits = (options.bits ?? bitOrder).map(
    (name): Rung<PriorityMemory> => ({
      why: bitWhy[name],
      by: (c, m) => ((m.byte(c) & Bit[name]) === 0 ? 0 : 1),
    }),
  );
  const most: Rung<PriorityMemory> = { why: "register pressure", by: (c, m) => m.relief(c) };
  const ties = (options.ties ?? tieOrder).map((name) => tieBreakers[name]);
  return {
    name: options.name,
    does: options.does,
    direction: options.direction,
    ladder: [...(options.reduceReg ? deltas : [most]), ...bits, ...(options.ties === undefined ? first : []), ...ties],
    start: (state) => new PriorityMemory(state, options, priorityByte),
    before: (state, m) => m.scan(state),
    after: (_state, winner, m) => m.won(winner),
  };
}
