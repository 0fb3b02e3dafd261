/** The plain policies: short ladders, and weighted sums of what candidates know. */
import type { Candidate } from "./candidate.js";
import type { Rung, SchedulePolicy } from "./policy.js";
import type { SchedState } from "./state.js";

/** Names of the rungs that come with the library. */
export type RungName =
  | "overBudget"
  | "relief"
  | "stall"
  | "path"
  | "slack"
  | "latency"
  | "longLatency"
  | "releases"
  | "fanout"
  | "reuse"
  | "banks";

/** Rungs that several policies share. The names are what explanations print. */
export const rungs: Readonly<Record<RungName, Rung>> = {
  overBudget: { why: "register budget", by: (c: Candidate) => -c.over },
  relief: { why: "fewer live registers", by: (c: Candidate) => -(c.deltaR + c.deltaUR + c.deltaP + c.deltaUP) },
  stall: { why: "stall", by: (c: Candidate) => -c.stall },
  path: { why: "critical path", by: (c: Candidate) => c.ahead },
  slack: { why: "critical path less stall", by: (c: Candidate) => c.ahead - c.stall },
  latency: { why: "long latency", by: (c: Candidate) => c.latency },
  longLatency: { why: "long latency first", by: (c: Candidate) => (c.longLatency ? 1 : 0) },
  releases: { why: "releases others", by: (c: Candidate) => c.releases },
  fanout: { why: "fan-out", by: (c: Candidate) => c.fanout },
  reuse: { why: "operand cache", by: (c: Candidate) => c.reuse },
  banks: { why: "bank conflicts", by: (c: Candidate) => -c.bankConflicts },
};

/** Leaves the order as it is. */
export const sourceOrder: SchedulePolicy = {
  name: "source-order",
  does: "the order given",
  direction: "forward",
  ladder: [{ why: "source order", by: (c) => -c.position }],
};

/** Never loses a cycle that another candidate would use, then the longest path. */
export const criticalPath: SchedulePolicy = {
  name: "critical-path",
  does: "no stall before a longer path, the longest path first",
  direction: "forward",
  ladder: [rungs.overBudget, rungs.stall, rungs.path, rungs.releases],
};

/** From the end of the block: what may come late comes late, so that long paths start early. */
export const criticalPathBackward: SchedulePolicy = {
  name: "critical-path-backward",
  does: "from the end of the block: the instruction with the longest path from the start comes last",
  direction: "backward",
  ladder: [rungs.stall, rungs.path, rungs.relief],
};

/** Weighs a cycle lost now against a cycle of path ahead. */
export const balanced: SchedulePolicy = {
  name: "balanced",
  does: "path ahead less the cycles lost for it",
  direction: "forward",
  ladder: [rungs.overBudget, rungs.slack, rungs.stall, rungs.releases],
};

/** Long-latency instructions as soon as they can issue. */
export const longLatencyFirst: SchedulePolicy = {
  name: "long-latency-first",
  does: "loads and what leads to them first",
  direction: "forward",
  ladder: [rungs.overBudget, rungs.path, rungs.stall],
};

/** Numbers of a candidate that a weighted sum may use. */
export type Feature =
  | "ahead"
  | "passed"
  | "stall"
  | "latency"
  | "interval"
  | "deltaR"
  | "deltaUR"
  | "deltaP"
  | "over"
  | "fanout"
  | "releases"
  | "reuse"
  | "bankConflicts"
  | "position"
  | "hot"
  | "cold"
  | "barrierTarget"
  | "setsScoreboard"
  | "longLatency"
  | "contention";

/** Numbers of a candidate that a weighted sum may use. */
export const features: Readonly<Record<Feature, (c: Candidate) => number>> = {
  ahead: (c: Candidate) => c.ahead,
  passed: (c: Candidate) => c.passed,
  stall: (c: Candidate) => c.stall,
  latency: (c: Candidate) => c.latency,
  interval: (c: Candidate) => c.interval,
  deltaR: (c: Candidate) => c.deltaR,
  deltaUR: (c: Candidate) => c.deltaUR,
  deltaP: (c: Candidate) => c.deltaP,
  over: (c: Candidate) => c.over,
  fanout: (c: Candidate) => c.fanout,
  releases: (c: Candidate) => c.releases,
  reuse: (c: Candidate) => c.reuse,
  bankConflicts: (c: Candidate) => c.bankConflicts,
  position: (c: Candidate) => c.position,
  hot: (c: Candidate) => (c.hot ? 1 : 0),
  cold: (c: Candidate) => (c.cold ? 1 : 0),
  barrierTarget: (c: Candidate) => (c.barrierTarget ? 1 : 0),
  setsScoreboard: (c: Candidate) => (c.setsScoreboard ? 1 : 0),
  longLatency: (c: Candidate) => (c.longLatency ? 1 : 0),
  contention: (c: Candidate) => c.contention,
};
/** What each feature weighs; those left out weigh nothing. */
export type Weights = Readonly<Partial<Record<Feature, number>>>;

/** A policy with one rung: the weighted sum of features. What a search over numbers varies. */
export function weighted(
  name: string,
  weights: Weights,
  options: {
    /** Whether blocks are filled from their start or their end. Default forward. */
    readonly direction?: "forward" | "backward";
    /** One line for lists. Default: the sum. */
    readonly does?: string;
  } = {},
): SchedulePolicy {
  const names = (Object.keys(weights) as Feature[]).filter((f) => (weights[f] ?? 0) !== 0);
  const get = names.map((f) => features[f]);
  const factor = names.map((f) => weights[f] ?? 0);
  const by = (c: Candidate): number => {
    let sum = 0;
    for (let k = 0; k < get.length; k++) sum += (factor[k] as number) * (get[k] as (c: Candidate) => number)(c);
    return sum;
  };
  const says = names.map((f) => `${weights[f]} ${f}`).join(", ");
  return {
    name,
    does: options.does ?? `weighted sum: ${says}`,
    direction: options.direction ?? "forward",
    ladder: [{ why: "weighted sum", by }],
  };
}

/** Loads and tensor instructions in groups: wiki page 36, phase 3. */
class Batch {
  /** What the current batch consists of: an execution pipe, −1 for none. */
  pipe = -1;
  size = 0;
  readonly target: number;

  constructor(state: SchedState) {
    const { batchStall, batchTarget: most, batchBias } = state.context.parameters;
    let members = 0;
    for (let i = 0; i < state.total; i++) if (batchable(state, i)) members++;
    this.target = Math.max(1, batchTarget(Math.min(most, 16), members, batchStall) + batchBias);
  }
}

function batchable(state: SchedState, node: number): boolean {
  const o = state.occupancy[node];
  return o !== undefined && (o.write || o.latency > 19);
}

/**
 * Size of a batch (wiki page 36): at most `maxStall`; when there are more members than that, evenly in as many batches
 * as needed, or in two halves when two are enough. `depth` is the least size worth a batch.
 */
export function batchTarget(maxStall: number, members: number, depth: number): number {
  if (members <= maxStall) return Math.max(depth, members);
  const even = members >= 2 * maxStall ? Math.ceil(members / Math.ceil(members / maxStall)) : Math.ceil(members / 2);
  return Math.max(depth, even);
}

export const dynBatch: SchedulePolicy<Batch> = {
  name: "dyn-batch",
  does: "loads and tensor instructions in batches, then the longest path",
  direction: "forward",
  ladder: [
    rungs.overBudget,
    { why: "batch", by: (c, m) => (m.pipe >= 0 && c.pipe === m.pipe && batchable(c.state, c.node) ? 1 : 0) },
    rungs.stall,
    rungs.path,
  ],
  start: (state) => new Batch(state),
  after: (state, winner, m) => {
    if (!batchable(state, winner)) return;
    const pipe = state.occupancy[winner]?.pipe ?? -1;
    m.size = pipe === m.pipe ? m.size + 1 : 1;
    m.pipe = m.size >= m.target ? -1 : pipe;
  },
};

/** The first place of the starting order whose instruction still waits. */
class Front {
  place = 0;
  private readonly placed: Uint8Array;

  constructor(state: SchedState) {
    this.placed = new Uint8Array(state.total);
  }

  take(place: number): void {
    this.placed[place] = 1;
    while (this.placed[this.place] === 1) this.place++;
  }
}

/**
 * The same policy, for which what stands at most `width` instructions after the first that waits comes before everything else: a few
 * strands of a long block side by side, in place of the beginnings of all.
 */
export function windowed(policy: SchedulePolicy, width: number): SchedulePolicy<Front> {
  const inside: Rung<Front> = { why: "window", by: (c, front) => (c.position <= front.place + width ? 1 : 0) };
  return {
    ...policy,
    name: `${policy.name}-window-${width}`,
    does: `${policy.does}; of the next ${width} instructions`,
    ladder: [inside, ...(policy.ladder as readonly Rung<Front>[])],
    start: (state) => new Front(state),
    after: (state, winner, front) => front.take(state.placeOf(winner)),
  };
}
