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
  scheduleFunc,
} from "../sched/index.js";
import type { PhaseContext } from "./types.js";

function run(func: Func, context: PhaseContext, policy: Policy | null): void {
  if (policy === null) return;
  const { schedule, onSchedule, allocation } = context.options;
  const report = scheduleFunc(func, policy, {
    ...(allocation?.maxRegisters !== undefined && { maxRegisters: allocation.maxRegisters }),
    ...(allocation?.ceilings !== undefined && { ceilings: allocation.ceilings }),
    ...schedule?.options,
    ...(context.phase === "PostSchedule" && schedule?.postOptions),
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
  if (policy !== undefined) control(func, policy);
  else assignControl(func, assign);
}
