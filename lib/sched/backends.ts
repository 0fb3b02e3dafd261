/**
 * ptxas has three schedulers side by side (wiki page 37). All three are sets of policies on the one core here:
 *
 * - A: register reduction where the block needs it, latency hiding from the end of the block, then batches.
 * - B: forward, then backward, with weights of its own for pressure and parallelism.
 * - C: priority, latency, program order; an order is taken only when it is better.
 *
 * `post-schedule` is what runs after allocation, `best` tries several policies and keeps the shortest block.
 */

import { LEAST } from "./budget.js";
import { fill, SHORT } from "./fill.js";
import { asksLate, firstTouch } from "./first-touch.js";
import {
  balanced,
  criticalPath,
  criticalPathBackward,
  dynBatch,
  longLatencyFirst,
  rungs,
  sourceOrder,
  windowed,
} from "./policies.js";
import {
  type BlockFacts,
  exceeds,
  type OrderEstimate,
  type Policy,
  type SchedulePolicy,
  type ScheduleStrategy,
} from "./policy.js";
import { bytePolicy } from "./priority.js";
import { twoWay } from "./two-way.js";

/** Mode 1 of page 36. */
export const reduceReg: SchedulePolicy = bytePolicy({
  name: "reduce-reg",
  does: "page 37's priority with a tight register budget: what frees registers first",
  direction: "backward",
  reduceReg: true,
});

/** Mode 0 of page 36: latency hiding. */
export const ilp: SchedulePolicy = bytePolicy({
  name: "ilp",
  does: "page 37's priority: pressure, critical path, no stall, hot memory",
  direction: "forward",
  reduceReg: false,
});

/** The same from the end of the block, as page 36 runs it. */
export const ilpReverse: SchedulePolicy = bytePolicy({
  name: "ilp-reverse",
  does: "page 37's priority from the end of the block",
  direction: "backward",
  reduceReg: false,
});

/** Shorter until its results are there, then shorter in issue; no more registers than allowed, or than there were. */
export function better(after: OrderEstimate, facts: BlockFacts): boolean {
  const { now } = facts;
  if (exceeds(after, facts)) return false;
  return after.drain < now.drain || (after.drain === now.drain && after.cycles < now.cycles);
}

/** What a short block that runs once must gain to leave ptxas's order: more than this share and these cycles. */
const WORTH = { share: 0.99, cycles: 8 } as const;

const isShort = ({ frequency, instructions }: BlockFacts): boolean => frequency <= 1 && instructions <= SHORT;

/** `better`, by more than a little where ptxas's order stands. */
function worthIt(after: OrderEstimate, facts: BlockFacts): boolean {
  if (!better(after, facts)) return false;
  return facts.policy !== fill.name || gains(after, facts);
}

/** `better`, in short blocks by more than a little: what comes before allocation is ptxas's order there. */
function worthMoving(after: OrderEstimate, facts: BlockFacts): boolean {
  return better(after, facts) && (!isShort(facts) || gains(after, facts));
}

function gains({ drain }: OrderEstimate, { now }: BlockFacts): boolean {
  return drain === now.drain || drain < WORTH.share * now.drain - WORTH.cycles;
}

/** Not longer than the order given by more than a little, and no register more than it, but for those that cost nothing. */
function asGood(after: OrderEstimate, { now, limits }: BlockFacts): boolean {
  if (exceeds(after, { now, limits }) || WORTH.share * after.drain - WORTH.cycles > now.drain) return false;
  return (after.maxLive[0] ?? 0) <= Math.max(LEAST, now.maxLive[0] ?? 0);
}

/** Cycles that a load holds its pipe: a sector asked for one load earlier comes so much earlier, which the estimate does not know. */
const LOAD = 4;

/** Not longer by more than what is gained where a single load changes places with another, and no more registers than allowed. */
function asShortButALoad(after: OrderEstimate, facts: BlockFacts): boolean {
  const { now } = facts;
  return after.drain <= now.drain + LOAD && after.cycles <= now.cycles + LOAD && !exceeds(after, facts);
}

/** Registers above the limits, all files together. */
function excess({ maxLive }: OrderEstimate, limits: readonly number[]): number {
  let over = 0;
  for (let f = 0; f < limits.length; f++) over += Math.max(0, (maxLive[f] ?? 0) - (limits[f] as number));
  return over;
}

const crowded = ({ now, limits }: BlockFacts): boolean => excess(now, limits) > 0;
const fewer = (after: OrderEstimate, { now, limits }: BlockFacts): boolean =>
  excess(after, limits) < excess(now, limits);

/** On physical registers: the same keys, with operand cache and banks to break ties (wiki page 73). */
const treePost: SchedulePolicy = {
  name: "post-schedule-tree",
  does: "stall, path ahead, operand cache, banks",
  direction: "forward",
  ladder: [rungs.stall, rungs.path, rungs.reuse, rungs.banks],
};

/** The same policy, kept within the register limits choice by choice. */
export function within<M>(policy: SchedulePolicy<M>): SchedulePolicy<M> {
  return {
    ...policy,
    name: `${policy.name}-within`,
    does: `${policy.does}; within the register budget`,
    withinLimits: true,
  };
}

/** The policy within the limits, or the longest path where it goes backward. */
function keptWithin(by: SchedulePolicy | null): SchedulePolicy {
  if (by?.withinLimits === true) return by;
  return within(by === null || by.direction === "backward" ? (criticalPath as SchedulePolicy) : by);
}

/** Instructions side by side in long blocks: where one width leaves cycles another finds them. */
const windows = [16, 24, 40] as const;
const tooMany = ({ exceeded }: BlockFacts): boolean => exceeded;

/** What registers of vectors that are read for the last time make room for. */
const sideBySide: readonly SchedulePolicy[] = [
  within(dynBatch),
  within(criticalPath),
  ...windows.map((w) => within(windowed(criticalPath, w))),
] as readonly SchedulePolicy[];

/** What -O2 and -O3 do before allocation: backend A of the wiki. */
export const backendA: ScheduleStrategy = {
  name: "backend-a",
  does: "ReduceReg where the budget is exceeded, ILP, DynBatch (wiki page 36); within the budget, register by register, where that stops them; then no more registers than the cycles need",
  passes: [
    { policy: reduceReg, when: crowded, accept: fewer },
    { policy: fill as SchedulePolicy, when: isShort, accept: asGood },
    { policy: ilp, accept: worthIt, shortens: true },
    { policy: dynBatch, accept: worthIt, shortens: true },
    // Only where the budget stood in the way of one of those: an order within it.
    ...[ilp, dynBatch, criticalPath, balanced, treePost].map((policy) => ({
      policy: within(policy),
      when: tooMany,
      accept: better,
      shortens: true,
    })),
    ...sideBySide.map((policy) => ({
      policy,
      byRegister: true,
      afresh: true,
      when: tooMany,
      accept: better,
      shortens: true,
    })),
  ],
  thrift: { least: reduceReg, within: keptWithin },
};

/** What -O1 does: the order given, unless it needs more registers than there are. */
export const lowPressure: ScheduleStrategy = {
  name: "low-pressure",
  does: "the order given; ReduceReg where the budget is exceeded",
  passes: [{ policy: reduceReg, when: crowded, accept: fewer }],
};

/** Keys of backend C's tree: priority, latency, program order. */
const treeC: SchedulePolicy = {
  name: "backend-c-tree",
  does: "priority (path ahead without stall), latency, program order",
  direction: "forward",
  ladder: [rungs.overBudget, { why: "priority", by: (c) => c.ahead - 2 * c.stall }, rungs.latency],
};

/** Backend B with the weights that the wiki read. */
export const backendB: ScheduleStrategy = twoWay();

/** Backend C of the wiki: an order is evaluated, then taken or left. */
export const backendC: ScheduleStrategy = {
  name: "backend-c",
  does: "evaluate, then commit: taken only where the block gets shorter (wiki page 37)",
  passes: [{ policy: treeC, accept: better, shortens: true }],
};

/** `postSchedule` without the pass that weighs paths against stalls, or without stalls on its ladders. */
export function postStrategy(keep: {
  readonly latencyHiding: boolean;
  readonly issueDelay: boolean;
}): ScheduleStrategy {
  const policies = keep.latencyHiding ? [treePost, balanced] : [treePost];
  const ladder = (p: SchedulePolicy): SchedulePolicy => ({ ...p, ladder: p.ladder.filter((r) => r !== rungs.stall) });
  return {
    ...postSchedule,
    name: "post-schedule-as-set",
    passes: policies.map((p) => ({ policy: keep.issueDelay ? p : ladder(p), accept: better, shortens: true })),
  };
}

/** What -O2 and -O3 do after allocation. */
export const postSchedule: ScheduleStrategy = {
  name: "post-schedule",
  does: "backend C after allocation: taken only where the block gets shorter (wiki page 73)",
  passes: [
    ...[treePost, balanced].map((policy) => ({ policy, accept: worthMoving, shortens: true })),
    {
      policy: firstTouch as SchedulePolicy,
      when: (facts) => !isShort(facts) && asksLate(facts.code),
      accept: asShortButALoad,
    },
  ],
};

/** The shortest of several policies' orders, block by block. */
export const best: ScheduleStrategy = {
  name: "best",
  does: "tries several policies on each block and keeps the shortest",
  passes: [treePost, criticalPath, balanced, longLatencyFirst, criticalPathBackward, ilp, ilpReverse].map((policy) => ({
    policy,
    accept: better,
    shortens: true,
  })),
};

/** Everything with a name: for `--policy`, sweeps and lists. */
export const schedulePolicies: readonly Policy[] = [
  sourceOrder,
  criticalPath,
  criticalPathBackward,
  balanced,
  longLatencyFirst,
  reduceReg,
  ilp,
  ilpReverse,
  dynBatch,
  fill as SchedulePolicy,
  firstTouch as SchedulePolicy,
  lowPressure,
  backendA,
  backendB,
  backendC,
  postSchedule,
  best,
];

/** The policy or strategy of that name, undefined when there is none. */
export function policyNamed(name: string): Policy | undefined {
  return schedulePolicies.find((p) => p.name === name);
}
