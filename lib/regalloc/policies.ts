/** The default decisions of the allocator. Each is an ordinary function; a notebook passes its own instead. */
import { File } from "../ori/types.js";
import type {
  AllocatorKnobs,
  Choice,
  Constraint,
  ConstraintContext,
  ConstraintPolicy,
  Policies,
  Scan,
  ValueFacts,
} from "./types.js";

/** What the knobs are when nobody sets them. */
export const defaultKnobs: AllocatorKnobs = {
  regAllocThreshold: 50,
  attempts: 2,
  relaxHead: 1,
  relaxTail: 1,
  bankAware: true,
  coalescing: true,
  coalesceBudget: Number.POSITIVE_INFINITY,
  bankPreference: 1,
  bankPenalty: 1,
  order: 0,
  reloadScale: 1,
  storeScale: 1,
  trips: "",
  nestedScale: 1,
  textureScale: 1,
  level: 1,
  bankWindow: Number.POSITIVE_INFINITY,
  matrixCoalescing: true,
  noRetarget: false,
  spillBudget: Number.POSITIVE_INFINITY,
  targets: [],
};

/** Weight of one operand in the spill cost (wiki page 34: 15.0). */
export const OPERAND_WEIGHT = 15;

/** In order of definition: on code of single registers without holes this needs no more than are live at once. */
export function programOrder(v: ValueFacts): number {
  return -v.first;
}

/** Wide values first, then in order of definition: what is aligned goes where nothing stands in its way yet. */
export function wideFirst(v: ValueFacts): number {
  return v.width * 0x40000000 - v.first;
}

/** Wide values first (on the corpus never more registers than program order, up to six fewer); a retry the other way. */
export function defaultPriority(v: ValueFacts, attempt: number): number {
  return attempt === 0 ? wideFirst(v) : programOrder(v);
}

/** What a spill costs in executed accesses, per program point at which it frees a register. */
export function defaultSpillCost(v: ValueFacts): number {
  return (OPERAND_WEIGHT * (v.uses + v.defs)) / (v.points + 1);
}

/** Values that are copied into one another like the same register: the copy then costs nothing. */
export const copyAffinity: ConstraintPolicy = (ctx, v, out) => {
  for (const c of ctx.copies(v.id)) {
    out.push({ kind: "prefer", target: c.other, slot: c.offset, weight: c.weight, soft: false });
  }
};

/**
 * Three sources in one bank cost a cycle (banks are even and odd registers; wiki page 33 has groups of four instead). When two other sources of an
 * instruction already share a parity, prefer the other one.
 */
export const bankPreference: ConstraintPolicy = (ctx, v, out) => {
  if (v.file !== File.R || v.width !== 1) return;
  for (const [a, b] of ctx.triples(v.id)) {
    const ra = ctx.assigned(a);
    const rb = ctx.assigned(b);
    if (ra < 0 || rb < 0 || ra === rb || ((ra ^ rb) & 1) !== 0) continue;
    out.push({ kind: (ra & 1) === 0 ? "oddParity" : "evenParity", target: -1, slot: 0, weight: 1, soft: true });
  }
};

/** Applies several constraint policies in order. */
export function allOf(...policies: ConstraintPolicy[]): ConstraintPolicy {
  return (ctx: ConstraintContext, v: ValueFacts, out: Constraint[]) => {
    for (const p of policies) p(ctx, v, out);
  };
}

/**
 * The fatpoint: the cheapest register by (primary, secondary), the lowest number among equals; a register that costs
 * nothing ends the search. On the first attempt registers above the congestion threshold are passed over.
 */
export function selectFatpoint(scan: Scan): Choice {
  const { occupied, primary, secondary, ceiling, step, threshold, attempt } = scan;
  const last = ceiling - scan.value.width + 1;
  let best = -1;
  let bestPrimary = 0;
  let bestSecondary = 0;
  for (let slot = 0; slot <= last; slot += step) {
    if (occupied[slot] !== 0) continue;
    const p = primary[slot] as number;
    const s = secondary[slot] as number;
    if (attempt === 0 && p > threshold) continue;
    if (p === 0 && s === 0) return { slot, why: "zero-cost" };
    if (best >= 0 && (p > bestPrimary || (p === bestPrimary && s >= bestSecondary))) continue;
    best = slot;
    bestPrimary = p;
    bestSecondary = s;
  }
  return { slot: best, why: best < 0 ? "none" : "cheapest" };
}

/** The lowest free register, costs ignored. */
export function selectFirstFree(scan: Scan): Choice {
  const last = scan.ceiling - scan.value.width + 1;
  for (let slot = 0; slot <= last; slot += scan.step) {
    if (scan.occupied[slot] === 0) return { slot, why: "zero-cost" };
  }
  return { slot: -1, why: "none" };
}

/** The default decisions with the numbers that knobs set. */
export function policiesOf(knobs: AllocatorKnobs): Policies {
  const { coalescing, bankPreference: banks, bankPenalty, order, reloadScale, storeScale } = knobs;
  const weighed: ConstraintPolicy = (ctx, v, out) => {
    const from = out.length;
    bankPreference(ctx, v, out);
    for (let k = from; k < out.length; k++) out[k] = { ...(out[k] as Constraint), weight: bankPenalty };
  };
  const bankPolicy = bankPenalty === 1 ? bankPreference : weighed;
  return {
    ...defaultPolicies,
    ...(order === 1 && { priority: programOrder }),
    ...(knobs.level === 0 && { select: selectFirstFree }),
    ...((reloadScale !== 1 || storeScale !== 1) && {
      spillCost: (v: ValueFacts) => (OPERAND_WEIGHT * (reloadScale * v.uses + storeScale * v.defs)) / (v.points + 1),
    }),
    constraints: allOf(...(coalescing ? [copyAffinity] : []), ...(banks === 0 ? [] : [bankPolicy])),
  };
}

/** What decides when nobody replaces it. */
export const defaultPolicies: Policies = {
  priority: defaultPriority,
  spillCost: defaultSpillCost,
  constraints: allOf(copyAffinity, bankPreference),
  select: selectFatpoint,
};
