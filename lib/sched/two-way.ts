/**
 * Backend B of wiki page 37 (page 42 §SM89/90 Codec Layer): a forward pass that queues instructions by category, then a
 * backward pass over what it left, both led by real-valued weights.
 *
 * Each pair of weights is w and 1 − w; the second one is spread over the registers between what a block must hold and what
 * it may hold ("divided by the register range"), so that it counts per register. The page says neither what the weights
 * are multiplied with nor how the category vectors decide; here:
 *
 * - forward: loads first, stores last (the page's queues), then `pressure` × registers
 *   freed, and (1 − `pressure`) / range × cycles lost;
 * - backward: no cycle lost that another would use, then `path` × path still ahead and (1 − `path`) / range × registers
 *   that become live, then the forward order.
 */
import type { Candidate } from "./candidate.js";
import { rungs } from "./policies.js";
import type { SchedulePolicy, ScheduleStrategy } from "./policy.js";
import type { SchedState } from "./state.js";

/** Weights of backend B, as the wiki read them. */
export interface TwoWayWeights {
  /** Weight of registers freed in the forward pass; cycles lost have 1 − this. Default 1.8. */
  readonly pressure?: number;
  /** Weight of the path ahead in the backward pass; registers that become live have 1 − this. Default 3.2. */
  readonly path?: number;
  /** Name of the strategy. */
  readonly name?: string;
}

/** The page's queues, as far as they stand inside of blocks: loads 2, arithmetic 1, stores 0. */
function category(c: Candidate): number {
  const access = c.inst.form.memory?.access;
  if (access === "load" || access === "atomic") return 2;
  return access === "store" ? 0 : 1;
}

/** Registers between what is live at the start of the block and what may be live; at least one. */
function rangeOf({ context }: SchedState): number {
  return Math.max(1, (context.limits[0] as number) - (context.values.liveAtStart[0] as number));
}

/** Both passes as one strategy. */
export function twoWay(weights: TwoWayWeights = {}): ScheduleStrategy {
  const { pressure = 1.8, path = 3.2, name = "backend-b" } = weights;
  const forward: SchedulePolicy<number> = {
    name: `${name}-forward`,
    does: `loads first, stores last; registers freed at ${pressure}`,
    direction: "forward",
    start: rangeOf,
    ladder: [
      rungs.overBudget,
      { why: "category", by: category },
      { why: "pressure and stall", by: (c, range) => -pressure * c.deltaR + ((1 - pressure) / range) * c.stall },
    ],
  };
  const backward: SchedulePolicy<number> = {
    name: `${name}-backward`,
    does: `path ahead at ${path}`,
    direction: "backward",
    start: rangeOf,
    ladder: [
      rungs.stall,
      { why: "path and pressure", by: (c, range) => path * c.ahead + ((1 - path) / range) * Math.max(0, c.deltaR) },
    ],
  };
  return {
    name,
    does: `forward with weights ${pressure}/${round(1 - pressure)}, then backward with ${path}/${round(1 - path)} (wiki page 37)`,
    passes: [{ policy: forward }, { policy: backward }],
  };
}

const round = (x: number): number => Math.round(1000 * x) / 1000;
