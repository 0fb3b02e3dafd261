/**
 * ScheduleInstructions, PostSchedule and AdvancedScoreboardsAndOpexes: the order of the instructions before and after
 * allocation, and the control words of the order that results.
 *
 * Latencies decide the order before allocation at -O1, too (of ptxas -O1's code loads come first as at -O3, although wiki pages 36 and 64 tell of source
 * order); PostSchedule runs from -O2 on.
 */
import type { Func } from "../ori/types.js";
import {
  postSchedule as afterAllocation,
  assignControl,
  backendA,
  control,
  type Policy,
  policyOptions,
  scheduleFunc,
} from "../sched/index.js";
import { readerOf } from "./parameters.js";
import type { PhaseContext } from "./types.js";

function run(func: Func, context: PhaseContext, policy: Policy | null): void {
  const after = context.phase === "PostSchedule";
  const onKnob = readerOf(context, "sched");
  if (onKnob !== undefined)
    for (const [option, otherwise] of Object.entries(policyOptions[after ? "post" : "pre"]))
      onKnob(option, undefined, otherwise);
  if (policy === null) return;
  const { schedule, onSchedule, allocation } = context.options;
  if (after) onKnob?.("postBudget", schedule?.postOptions?.passBudget, Number.POSITIVE_INFINITY);
  const report = scheduleFunc(func, policy, {
    ...(allocation?.maxRegisters !== undefined && { maxRegisters: allocation.maxRegisters }),
    ...(allocation?.ceilings !== undefined && { ceilings: allocation.ceilings }),
    ...schedule?.options,
    ...(after && schedule?.postOptions),
    ...(onKnob && { onKnob }),
  });
  onSchedule?.(report, context.phase);
}

export function scheduleInstructions(func: Func, context: PhaseContext): void {
  const { schedule } = context.options;
  run(func, context, schedule?.pre === undefined ? backendA : schedule.pre);
}

export function postSchedule(func: Func, context: PhaseContext): void {
  const { schedule } = context.options;
  run(func, context, schedule?.post === undefined ? afterAllocation : schedule.post);
}

export function scoreboards(func: Func, context: PhaseContext): void {
  const { control: policy, assign } = context.options;
  if (policy !== undefined) {
    control(func, policy);
    return;
  }
  const onKnob = readerOf(context, "control");
  onKnob?.("crossBlock", undefined, 1);
  onKnob?.("longLatency", undefined, 1);
  assignControl(func, assign);
}
