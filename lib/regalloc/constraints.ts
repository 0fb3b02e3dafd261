/**
 * Soft costs of the fatpoint scan (wiki page 33 §Step 4, with the meanings that its prose gives).
 *
 * For each value two cost arrays over the physical registers are zeroed and then filled by walking its constraint list:
 * `primary` decides, `secondary` breaks ties and carries mere preferences. What must not be chosen is not a cost but a
 * bit of the hard-conflict set, so no number of small costs can ever outvote correctness and no weight can forbid.
 */
import type { Constraint, ConstraintKind } from "./types.js";

/** Costs of the physical registers for one value. */
export interface Costs {
  /** What decides first, by register. */
  readonly primary: Int32Array;
  /** What decides among equal primary costs, by register. */
  readonly secondary: Int32Array;
  /** Entries in use. */
  readonly slots: number;
}

/** Adds `weight` where the kind says; `slot` is the register meant (a value's assignment, a bound, a parity). */
export type Fill = (costs: Costs, slot: number, weight: number) => void;

function add(array: Int32Array, slots: number, slot: number, weight: number): void {
  if (slot >= 0 && slot < slots) array[slot] = (array[slot] as number) + weight;
}

function addRange(array: Int32Array, from: number, to: number, weight: number, step = 1): void {
  for (let s = Math.max(0, from); s < to; s += step) array[s] = (array[s] as number) + weight;
}

function allBut(array: Int32Array, slots: number, slot: number, weight: number): void {
  addRange(array, 0, Math.min(slot, slots), weight);
  addRange(array, slot + 1, slots, weight);
}

/** The wiki's type number of each kind, what it means, and its effect. */
export const constraintKinds: Readonly<
  Record<
    ConstraintKind,
    {
      /** Number of the kind as the wiki gives it. */
      readonly type: number;
      /** What it asks for. */
      readonly meaning: string;
      /** Writes its costs. */
      readonly fill: Fill;
    }
  >
> = {
  point: { type: 0, meaning: "avoid the register of the target", fill: (c, s, w) => add(c.primary, c.slots, s, w) },
  excludeOne: { type: 1, meaning: "avoid one given register", fill: (c, s, w) => add(c.primary, c.slots, s, w) },
  fixed: { type: 2, meaning: "only one given register", fill: (c, s, w) => allBut(c.primary, c.slots, s, w) },
  below: {
    type: 3,
    meaning: "avoid registers below a bound",
    fill: (c, s, w) => addRange(c.primary, 0, Math.min(s, c.slots), w),
  },
  even: { type: 5, meaning: "avoid odd registers", fill: (c, _s, w) => addRange(c.primary, 1, c.slots, w, 2) },
  odd: { type: 6, meaning: "avoid even registers", fill: (c, _s, w) => addRange(c.primary, 0, c.slots, w, 2) },
  alignedPair: {
    type: 7,
    meaning: "avoid the pair that begins at the register",
    fill: (c, s, w) => {
      add(c.primary, c.slots, s, w);
      add(c.primary, c.slots, s + 1, w);
    },
  },
  phi: {
    type: 8,
    meaning: "avoid registers of the target's parity",
    fill: (c, s, w) => addRange(c.primary, s & 1, c.slots, w, 2),
  },
  evenParity: { type: 11, meaning: "prefer the even bank", fill: (c, _s, w) => addRange(c.primary, 1, c.slots, w, 2) },
  oddParity: { type: 12, meaning: "prefer the odd bank", fill: (c, _s, w) => addRange(c.primary, 0, c.slots, w, 2) },
  partnerEven: {
    type: 13,
    meaning: "follow the target when it is even",
    fill: (c, s, w) => {
      if ((s & 1) === 0) allBut(c.primary, c.slots, s + 1, w);
    },
  },
  partnerOdd: {
    type: 14,
    meaning: "precede the target when it is odd",
    fill: (c, s, w) => {
      if ((s & 1) === 1) allBut(c.primary, c.slots, s - 1, w);
    },
  },
  ratherEven: {
    type: 11,
    meaning: "rather the even bank (ties only)",
    fill: (c, _s, w) => addRange(c.secondary, 1, c.slots, w, 2),
  },
  ratherOdd: {
    type: 12,
    meaning: "rather the odd bank (ties only)",
    fill: (c, _s, w) => addRange(c.secondary, 0, c.slots, w, 2),
  },
  ratherNot: {
    type: 0,
    meaning: "rather another register than that one (ties only)",
    fill: (c, s, w) => add(c.secondary, c.slots, s, w),
  },
  prefer: {
    type: 15,
    meaning: "rather that register than any other (ties only)",
    fill: (c, s, w) => allBut(c.secondary, c.slots, s, w),
  },
};

export interface Relaxation {
  readonly attempt: number;
  readonly relaxHead: number;
  readonly relaxTail: number;
  readonly bankAware: boolean;
}

/** The first attempt keeps all. */
export const unrelaxed: Relaxation = { attempt: 0, relaxHead: 0, relaxTail: 0, bankAware: false };

/** Whether a retry drops the n-th (from 1) of `total` soft constraints (wiki page 33 §Step 5). */
export function isRelaxed(n: number, total: number, r: Relaxation): boolean {
  if (r.attempt === 0) return false;
  if (n <= r.attempt * r.relaxHead) return true;
  return r.bankAware && n > total - r.attempt * r.relaxTail;
}

/** Walks a constraint list into zeroed cost arrays. `assigned` gives the register of a value, −1 if it has none yet. */
export function accumulate(
  costs: Costs,
  list: readonly Constraint[],
  assigned: (value: number) => number,
  relaxation: Relaxation,
): void {
  let total = 0;
  for (const c of list) if (c.soft) total++;
  let n = 0;
  for (const c of list) {
    if (c.soft && isRelaxed(++n, total, relaxation)) continue;
    const slot = c.target < 0 ? c.slot : assigned(c.target);
    if (slot < 0) continue;
    constraintKinds[c.kind].fill(costs, c.target < 0 ? slot : slot + c.slot, c.weight);
  }
}
