/**
 * ScheduleInstructions, PostSchedule and AdvancedScoreboardsAndOpexes: the order of the instructions before and after
 * allocation, and the control words of the order that results.
 *
 * Latencies decide the order before allocation at -O1, too (of ptxas -O1's code loads come first as at -O3, although wiki pages 36 and 64 tell of source
 * order); PostSchedule runs from -O2 on.
 */
import { snapshot } from "../ori/func.js";
import type { Func } from "../ori/types.js";
import {
  postSchedule as afterAllocation,
  alignmentLoss,
  assignControl,
  backendA,
  carryOut,
  control,
  type Policy,
  policyOptions,
  type ScheduleOptions,
  type SchedulePlan,
  SchedulePlanner,
  type ScheduleReport,
  scheduleFunc,
  warpsAtOnce,
} from "../sched/index.js";
import { registerUnit } from "../target/index.js";
import { allocationOf } from "./allocate.js";
import { readerOf } from "./parameters.js";
import type { PhaseContext } from "./types.js";

/** With what the functions of a phase are scheduled: registers that it may use, and what the caller says. */
export function scheduleOptions(context: PhaseContext): ScheduleOptions {
  const { schedule, allocation } = context.options;
  const onKnob = readerOf(context, "sched");
  return {
    ...(allocation?.maxRegisters !== undefined && { maxRegisters: allocation.maxRegisters }),
    ...(allocation?.ceilings !== undefined && { ceilings: allocation.ceilings }),
    ...schedule?.options,
    ...(context.phase === "PostSchedule" && schedule?.postOptions),
    ...(onKnob && { onKnob }),
  };
}

function run(func: Func, context: PhaseContext, policy: Policy | null): void {
  const after = context.phase === "PostSchedule";
  const onKnob = readerOf(context, "sched");
  if (onKnob !== undefined)
    for (const [option, otherwise] of Object.entries(policyOptions[after ? "post" : "pre"]))
      onKnob(option, undefined, otherwise);
  if (policy === null) return;
  const { schedule, onSchedule } = context.options;
  if (after) onKnob?.("postBudget", schedule?.postOptions?.passBudget, Number.POSITIVE_INFINITY);
  const options = scheduleOptions(context);
  const report = fillUnit(func, policy, options, context) ?? scheduleFunc(func, policy, options);
  onSchedule?.(report, context.phase);
}

/** Registers below the limit from which on an order counts as one that meets it. */
const NEAR = 2;

/** Registers of the unit are taken where the function's cycles become fewer than this share. */
const WORTH = 0.98;
/** The same where fewer warps run with more registers, beside what these warps cost: the estimate knows no caches, so that loads gain less than it says. */
const WORTH_WARPS = 0.9;

/**
 * Groups of four registers may leave some between them unused, and so the limit leaves room (sched/budget.ts). Where an order meets
 * the limit, the one without such room is allocated, too; it stands where it is shorter and its registers are in the same unit, since those of a
 * unit cost nothing. Null: there is no such room, or no such order.
 */
function fillUnit(func: Func, policy: Policy, options: ScheduleOptions, context: PhaseContext): ScheduleReport | null {
  const room = alignmentLoss(func);
  if (context.phase !== "ScheduleInstructions" || context.level < 2 || !func.virtual || room === 0) return null;
  const { observe, onGraph, ...quiet } = options;
  const planner = new SchedulePlanner(func, policy, quiet, true);
  let plan = planner.plan() as SchedulePlan;
  let left = room;
  let more = 0;
  const { limit } = plan.report;
  if (plan.report.blocks.some((b) => (b.after.maxLive[0] as number) >= limit - NEAR)) {
    let end: number | null = null;
    for (let unused = 0; unused < left; ) {
      const tried = planner.plan(unused, WORTH * plan.report.after);
      if (tried === null || tried.report.after > WORTH * plan.report.after) break;
      end ??= endOfUnit(registersOf(func, plan, context), func);
      const over = registersOf(func, tried, context, end) - end;
      if (over <= 0) {
        plan = tried;
        left = unused;
      } else unused += over;
    }
  }
  if (plan.report.blocks.some((b) => (b.after.maxLive[0] as number) >= limit + room)) {
    const wider = nextUnit(func, planner, plan, room, context);
    if (wider !== null) {
      more = registerUnit(func.target);
      [plan, left] = wider;
    }
  }
  if (observe !== undefined || onGraph !== undefined)
    return scheduleFunc(func, policy, { ...options, unused: left, more });
  carryOut(func, plan);
  return plan.report;
}

/**
 * Orders with one more unit of registers, for a function that fills its unit whatever the order, and what they leave unused: where the warps that then
 * run at once get more done in the same time. (ptxas 13.0.88 on sm_100 gives such a loop of six loads for each product 40 registers where 32 let all
 * warps run, and loads for two products at once.) Null: none.
 */
function nextUnit(
  func: Func,
  planner: SchedulePlanner,
  plan: SchedulePlan,
  room: number,
  context: PhaseContext,
): readonly [SchedulePlan, number] | null {
  const unit = registerUnit(func.target);
  const now = endOfUnit(registersOf(func, plan, context), func);
  const end = now + unit;
  const warps = warpsAtOnce(func, now);
  if (warps === 0) return null;
  const most = (WORTH_WARPS * plan.report.after * warpsAtOnce(func, end)) / warps;
  for (let unused = 0; unused <= room; ) {
    const tried = planner.plan(unused, most, unit);
    if (tried === null || tried.report.after > most) return null;
    const over = registersOf(func, tried, context, end) - end;
    if (over <= 0) return [tried, unused];
    unused += over;
  }
  return null;
}

/** The registers up to the end of the last unit of so many. */
function endOfUnit(registers: number, { target }: Func): number {
  const unit = registerUnit(target);
  return Math.ceil(registers / unit) * unit;
}

/** Registers that the function takes in the plan's orders, "as ptxas counts", or some that are `enough`; no number where values are spilled. */
function registersOf(func: Func, plan: SchedulePlan, context: PhaseContext, enough?: number): number {
  const twin = snapshot(func);
  carryOut(twin, plan);
  const made = allocationOf(twin, context, true, enough);
  return made.ok && made.value.rounds === 0 ? made.value.registers : Number.POSITIVE_INFINITY;
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
