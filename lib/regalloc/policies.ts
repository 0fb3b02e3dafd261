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

/** What occupies registers longest first. */
export function longestFirst(v: ValueFacts): number {
  return v.points;
}

/** Wide values first, then what occupies registers longest. */
export function widestFirst(v: ValueFacts): number {
  return v.width * 0x40000000 + v.points;
}

/** Wide values first (on the corpus never more registers than program order, up to six fewer); a retry the other way. */
export function defaultPriority(v: ValueFacts, attempt: number): number {
  return attempt === 0 ? wideFirst(v) : programOrder(v);
}

/**
 * ptxas's order from -O1 on: wide values, first factors of 64-bit products, then the others as they were made by lowering, not as they were
 * scheduled. Factors come early because the pair that they are multiplied into says which bank they take (knobs 613 to 615 place
 * operands of multiplications before others).
 */
export function asMade(v: ValueFacts): number {
  return (v.factor && v.width === 1 ? 1.5 : v.width) * 0x40000000 - (v.width === 1 ? v.id : v.first);
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

/** What a bank weighs among registers that are equal otherwise, and what it weighs to stand where the result will. */
const BANK = 2;
const IN_PLACE = 1;

/**
 * Two sources of an instruction rather in two banks, the first register of a pair counting for it: seen of ptxas -O1 and above on all SMs
 * (`FADD R5, R0, R5`, `STG [R2.64], R5`, `IMAD.WIDE R2, R5, 0x40, R2`). Ties only, so that it costs no register more than a gap.
 */
export const operandBanks: ConstraintPolicy = (ctx, v, out) => {
  if (v.file !== File.R || v.width !== 1) return;
  let [even, odd] = [0, 0];
  for (const p of ctx.partners(v.id)) {
    const r = ctx.assigned(p);
    if (r < 0) continue;
    if ((r & 1) === 0) odd++;
    else even++;
  }
  if (even !== odd)
    out.push({ kind: even > odd ? "ratherEven" : "ratherOdd", target: -1, slot: 0, weight: BANK, soft: false });
};

/** Rather the register of a result that reads the value, where that one is placed already. */
export const inPlace: ConstraintPolicy = (ctx, v, out) => {
  if (v.width !== 1) return;
  for (const r of ctx.results(v.id))
    if (ctx.assigned(r) >= 0) out.push({ kind: "prefer", target: r, slot: 0, weight: IN_PLACE, soft: false });
};

/** Applies several constraint policies in order. */
export function allOf(...policies: ConstraintPolicy[]): ConstraintPolicy {
  return (ctx: ConstraintContext, v: ValueFacts, out: Constraint[]) => {
    for (const p of policies) p(ctx, v, out);
  };
}

/**
 * The fatpoint: the cheapest register by (primary, secondary), the first among equals, counted from `first` on; a register that costs
 * nothing ends the search. On the first attempt registers above the congestion threshold are passed over.
 */
export function selectFatpoint(scan: Scan): Choice {
  const { occupied, primary, secondary, ceiling, first, step, threshold, attempt } = scan;
  const last = ceiling - scan.value.width + 1;
  let best = -1;
  let bestPrimary = 0;
  let bestSecondary = 0;
  const from = last < first ? 0 : Math.ceil(first / step) * step;
  const places = Math.floor(last / step) + 1;
  for (let k = 0; k < places; k++) {
    const slot = (from + k * step) % (places * step);
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
export function policiesOf(knobs: AllocatorKnobs, numbering: "lowest" | "banks" = "banks"): Policies {
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
    constraints: allOf(
      ...(coalescing ? [copyAffinity] : []),
      ...(banks === 0 ? [] : [bankPolicy]),
      ...(numbering === "lowest" ? [] : banks === 0 ? [inPlace] : [operandBanks, inPlace]),
    ),
    ...(numbering === "banks" && order !== 1 && { priority: asMade }),
  };
}

/** What decides when nobody replaces it. */
export const defaultPolicies: Policies = {
  priority: defaultPriority,
  spillCost: defaultSpillCost,
  constraints: allOf(copyAffinity, bankPreference),
  select: selectFatpoint,
};
