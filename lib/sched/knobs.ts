/**
 * What the scheduler's knobs set (lib/knobs/registry.ts names the options). Knobs whose role only the wiki guesses, and
 * budgets of searches that are not made here, have no reader.
 */
import { policyNamed } from "./backends.js";
import type { LatencyOverrides } from "./model.js";
import type { HeuristicParameters, Policy } from "./policy.js";
import type { ScheduleOptions } from "./schedule.js";

/** Values by option name, as `optionsOf("sched", …)` gives them. */
export type SchedKnobs = Readonly<Record<string, unknown>>;

/** How the two scheduling phases run. */
export interface ScheduleSettings {
  /** Before allocation and after it; null: the order stays. Left out: what the level says. */
  readonly pre?: Policy | null;
  readonly post?: Policy | null;
  readonly options?: ScheduleOptions;
}

const latencies = [
  "ldsLatency",
  "texLatency",
  "xuLatency",
  "readSbLatency",
  "readSbLdgstsLatency",
  "readSbDmmaLatency",
  "syncsLatency",
] as const satisfies readonly (keyof LatencyOverrides)[];

const parameters = [
  "registerTarget",
  "okSlack",
  "okSlackCold",
  "carefulSlack",
  "depth",
  "batchTarget",
  "batchStall",
] as const satisfies readonly (keyof HeuristicParameters)[];

const busy = /^busy(.+)$/;

function numbers(knobs: SchedKnobs, names: readonly string[]): Record<string, number> {
  const out: Record<string, number> = {};
  for (const name of names) if (typeof knobs[name] === "number") out[name] = knobs[name];
  return out;
}

/** Settings that knob values ask for. */
export function settingsOfKnobs(knobs: SchedKnobs): ScheduleSettings {
  const pipes: Record<string, number> = {};
  for (const [name, value] of Object.entries(knobs)) {
    const pipe = busy.exec(name)?.[1];
    if (pipe !== undefined && typeof value === "number") pipes[pipe] = value;
  }
  const options: ScheduleOptions = {
    latencies: { ...numbers(knobs, latencies), ...(Object.keys(pipes).length > 0 && { busy: pipes }) },
    parameters: numbers(knobs, parameters),
    ...(typeof knobs.memoryWindow === "number" && { memoryWindow: Math.max(1, knobs.memoryWindow) }),
    ...(knobs.noAlias === true && { noAlias: true }),
    ...(knobs.crossBlock !== undefined && { crossBlock: knobs.crossBlock !== 0 }),
  };
  const off = knobs.disabled === 1 || knobs.preserveOrder === true;
  const reverse = (option: unknown, name: string): Policy | null | undefined =>
    off ? null : option === 1 ? policyNamed(name) : undefined;
  const pre = reverse(knobs.forceReverse, "ilp-reverse");
  const post = reverse(knobs.postForceReverse, "critical-path-backward");
  return { options, ...(pre !== undefined && { pre }), ...(post !== undefined && { post }) };
}
