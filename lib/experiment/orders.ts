/** Orders of a cubin's instructions as a space of settings, for studies. */
import { type Feature, schedulePolicies, type Weights } from "../sched/index.js";
import type { Setting } from "./sensitivity.js";
import type { Space } from "./study.js";
import type { Move } from "./types.js";

/** Features that a weighted order may use, with the greatest weight that makes sense of each. */
export const featureWeights: readonly (readonly [Feature, number])[] = [
  ["ahead", 1],
  ["stall", -4],
  ["latency", 0.5],
  ["releases", 4],
  ["fanout", 2],
  ["longLatency", 16],
  ["barrierTarget", -8],
  ["reuse", 2],
  ["bankConflicts", -2],
  ["position", -1],
];

/** Not a policy's name: the order by weights. */
const WEIGHTS = "by weights";

/**
 * Settings of an order: which instructions move up into earlier blocks, a named policy or weights of features, in which direction. For CMA-ES
 * (`numbers`), which knows no lists, the lists are whole numbers and weights always decide.
 */
export function orderSpace(
  options: {
    /** Lists are whole numbers and weights always decide, for CMA-ES. Default false. */
    readonly numbers?: boolean;
    /** Names of the policies to choose from. Default: all. */
    readonly policies?: readonly string[];
  } = {},
): Space {
  const { numbers = false, policies = schedulePolicies.map((p) => p.name) } = options;
  const weights = Object.fromEntries(featureWeights.map(([name, most]) => [name, { from: 0, to: 2 * Math.abs(most) }]));
  if (numbers) return { hoist: { from: 0, to: 2, whole: true }, backward: { from: 0, to: 1, whole: true }, ...weights };
  return {
    hoist: { choices: ["none", "loads", "all"] },
    policy: { choices: [WEIGHTS, ...policies] },
    direction: { choices: ["forward", "backward"] },
    ...weights,
  };
}

const hoists = ["none", "loads", "all"] as const;

/** The moves of a setting of `orderSpace`. */
export function movesOf(setting: Setting): readonly Move[] {
  const hoist = typeof setting.hoist === "number" ? hoists[setting.hoist] : setting.hoist;
  const up: readonly Move[] = hoist === "loads" || hoist === "all" ? [{ hoist }] : [];
  const { policy = WEIGHTS } = setting;
  if (policy !== WEIGHTS) return [...up, { policy: String(policy) }];
  const weights: Partial<Record<Feature, number>> = {};
  for (const [name, most] of featureWeights) weights[name] = Math.sign(most) * Number(setting[name] ?? 0);
  const backward = setting.backward === 1 || setting.direction === "backward";
  return [...up, { weights: weights as Weights, direction: backward ? "backward" : "forward" }];
}
