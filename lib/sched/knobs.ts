/**
 * What the scheduler's knobs set (lib/knobs/registry.ts names the options). Knobs whose role only the wiki guesses, and
 * budgets of searches that are not made here, have no reader.
 */
import type { Inst } from "../ori/types.js";
import { policyNamed, postStrategy } from "./backends.js";
import type { AssignOptions } from "./control/assign.js";
import { branchLikePtxas } from "./control/scoreboards.js";
import type { BranchRule } from "./control/types.js";
import type { LatencyOverrides } from "./model.js";
import type { HeuristicParameters, Policy } from "./policy.js";
import type { ScheduleOptions } from "./report.js";

/** Values by option name, as `optionsOf("sched", …)` gives them. */
export type SchedKnobs = Readonly<Record<string, unknown>>;

/** How the two scheduling phases run. */
export interface ScheduleSettings {
  /** Before allocation and after it; null: the order stays. Left out: what the level says. */
  readonly pre?: Policy | null;
  /** After allocation; null: the order stays. Left out: what the level says. */
  readonly post?: Policy | null;
  /** Options of both. */
  readonly options?: ScheduleOptions;
  /** What holds after allocation only, beside `options`. */
  readonly postOptions?: ScheduleOptions;
}

const latencies = [
  "ldsLatency",
  "texLatency",
  "xuLatency",
  "readSbLatency",
  "readSbLdgstsLatency",
  "readSbDmmaLatency",
  "syncsLatency",
  "readLatency",
  "phasechkLatency",
] as const satisfies readonly (keyof LatencyOverrides)[];

const parameters = [
  "registerTarget",
  "okSlack",
  "okSlackCold",
  "carefulSlack",
  "depth",
  "batchTarget",
  "batchStall",
  "batchBudget",
  "reduceBudget",
  "batchBias",
  "warpCount",
  "warpCountScale",
  "mmaSlack",
] as const satisfies readonly (keyof HeuristicParameters)[];

const busy = /^busy(.+)$/;

const given = <K extends string, V>(key: K, value: V | undefined): { [k in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { [k in K]?: V };

function numbers(knobs: SchedKnobs, names: readonly string[]): Record<string, number> {
  const out: Record<string, number> = {};
  for (const name of names) if (typeof knobs[name] === "number") out[name] = knobs[name];
  return out;
}

/** `FFMA,3,LDG,8`: what stands beside each name (wiki page 63, the type OPCODE_STR_LIST). */
function pairs(text: unknown): Record<string, number> | undefined {
  if (typeof text !== "string") return undefined;
  const words = text.split(",").map((w) => w.trim());
  const out: Record<string, number> = {};
  for (let k = 0; k + 1 < words.length; k += 2) out[words[k] as string] = Number(words[k + 1]);
  return out;
}

/** Choices of the control pass that knob values ask for: what is in flight at the end of a block is waited for there. */
export function assignOfKnobs({ crossBlock, longLatency }: SchedKnobs): AssignOptions {
  if (crossBlock === 0) return { policy: { branch: () => true } };
  if (longLatency !== 0) return {};
  const branch: BranchRule = (p, q) => branchLikePtxas(p, q) || likeLoad(p.flat.insts[q.inst] as Inst);
  return { policy: { branch } };
}

const likeLoad = ({ form }: Inst): boolean => form.memory?.access === "load" && form.memory.space !== "const";

/** What decides about the policy of each of the two phases, with the values when nobody sets them. */
export const policyOptions: Readonly<Record<"pre" | "post", Readonly<Record<string, unknown>>>> = {
  pre: { disabled: 0, preserveOrder: false, forceReverse: 0 },
  post: { disabled: 0, preserveOrder: false, postForceReverse: 0, latencyHiding: true, issueDelay: true },
};

/** The strategy after allocation, where a knob takes something from it; undefined: the level's. */
function postOf({ latencyHiding, issueDelay }: SchedKnobs): Policy | undefined {
  if (latencyHiding !== false && issueDelay !== false) return undefined;
  return postStrategy({ latencyHiding: latencyHiding !== false, issueDelay: issueDelay !== false });
}

/** Settings that knob values ask for. */
export function settingsOfKnobs(knobs: SchedKnobs): ScheduleSettings {
  const pipes: Record<string, number> = {};
  for (const [name, value] of Object.entries(knobs)) {
    const pipe = busy.exec(name)?.[1];
    if (pipe !== undefined && typeof value === "number") pipes[pipe] = value;
  }
  const options: ScheduleOptions = {
    latencies: {
      ...numbers(knobs, latencies),
      ...(knobs.readSbUseLatency === true && { readSbUseLatency: true }),
      ...(Object.keys(pipes).length > 0 && { busy: pipes }),
      ...(knobs.identityMove === 1 && { identityMove: true }),
      ...given("opBusy", pairs(knobs.opBusy)),
      ...given("formBusy", pairs(knobs.formBusy)),
    },
    parameters: {
      ...numbers(knobs, parameters),
      ...(knobs.furthest === true && { furthest: true }),
      ...(knobs.keepSame === true && { keepSame: true }),
    },
    ...(typeof knobs.sharedBytes === "number" && { sharedBytes: knobs.sharedBytes }),
    ...(typeof knobs.memoryWindow === "number" && { memoryWindow: Math.max(1, knobs.memoryWindow) }),
    ...(typeof knobs.loopTrips === "string" && { loopTrips: Number(knobs.loopTrips) }),
    ...(knobs.noAlias === true && { noAlias: true }),
    ...(typeof knobs.refineBudget === "number" && { refineBudget: knobs.refineBudget }),
    ...(knobs.crossBlock !== undefined && { crossBlock: knobs.crossBlock !== 0 }),
  };
  const off = knobs.disabled === 1 || knobs.preserveOrder === true;
  const reverse = (option: unknown, name: string): Policy | null | undefined =>
    off ? null : option === 1 ? policyNamed(name) : undefined;
  const pre = reverse(knobs.forceReverse, "ilp-reverse");
  const post = reverse(knobs.postForceReverse, "critical-path-backward") ?? (off ? null : postOf(knobs));
  const postOptions = typeof knobs.postBudget === "number" ? { passBudget: knobs.postBudget } : undefined;
  return {
    options,
    ...given("postOptions", postOptions),
    ...(pre !== undefined && { pre }),
    ...(post !== undefined && { post }),
  };
}
