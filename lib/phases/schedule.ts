/**
 * ScheduleInstructions, PostSchedule and AdvancedScoreboardsAndOpexes: the order of the instructions before and after
 * allocation, and the control words of the order that results.
 *
 * Latencies decide the order before allocation at -O1, too (of ptxas -O1's code loads come first as at -O3, although wiki pages 36 and 64 tell of source
 * order); PostSchedule runs from -O2 on.
 */
import { touch } from "../ori/editor.js";
import { snapshot } from "../ori/func.js";
import type { Func, Inst } from "../ori/types.js";
import {
  postSchedule as afterAllocation,
  alignmentLoss,
  assignControl,
  backendA,
  control,
  type Policy,
  policyOptions,
  type ScheduleOptions,
  type ScheduleReport,
  scheduleFunc,
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

/**
 * Groups of four registers may leave some between them unused, and so the limit leaves room (sched/budget.ts). Where an order meets
 * the limit, the one without such room is allocated, too; it stands where it is shorter and its registers are in the same unit, since those of a
 * unit cost nothing. Null: there is no such room, or no such order.
 */
function fillUnit(func: Func, policy: Policy, options: ScheduleOptions, context: PhaseContext): ScheduleReport | null {
  const room = alignmentLoss(func);
  if (context.phase !== "ScheduleInstructions" || context.level < 2 || !func.virtual || room === 0) return null;
  const { observe, onGraph, ...quiet } = options;
  // Tried on a twin: what phases are told to have changed does not depend on the tries, nor on who looks on.
  const twin = snapshot(func);
  const given = ordersOf(twin);
  let report = scheduleFunc(twin, policy, quiet);
  let left = room;
  if (report.blocks.some((b) => (b.after.maxLive[0] as number) >= report.limit - NEAR)) {
    const plain = ordersOf(twin);
    let end: number | null = null;
    for (let unused = 0; unused < left; ) {
      setOrders(twin, given);
      const tried = scheduleFunc(twin, policy, { ...quiet, unused });
      if (tried.after > WORTH * report.after) break;
      end ??= endOfUnit(func, plain, context);
      const over = registersOf(twin, context) - end;
      if (over <= 0) {
        report = tried;
        left = unused;
      } else unused += over;
    }
    if (left === room) setOrders(twin, plain);
  }
  if (observe !== undefined || onGraph !== undefined) return scheduleFunc(func, policy, { ...options, unused: left });
  if (report.moved > 0) setOrders(func, ordersOf(twin));
  return report;
}

/** The registers of the last unit that the function takes with these orders. */
function endOfUnit(func: Func, orders: readonly (readonly Inst[])[], context: PhaseContext): number {
  const twin = snapshot(func);
  setOrders(twin, orders);
  const unit = registerUnit(func.target);
  return Math.ceil(registersOf(twin, context) / unit) * unit;
}

/** Registers that the function takes as it stands, "as ptxas counts"; no number where values are spilled. */
function registersOf(func: Func, context: PhaseContext): number {
  const made = allocationOf(snapshot(func), context, true);
  return made.ok && made.value.rounds === 0 ? made.value.registers : Number.POSITIVE_INFINITY;
}

function ordersOf({ blocks }: Func): Inst[][] {
  return blocks.map(({ insts }) => [...insts]);
}

/** Puts the instructions into the orders of a twin's. */
function setOrders(func: Func, orders: readonly (readonly Inst[])[]): void {
  const byId = new Map(func.blocks.flatMap(({ insts }) => insts.map((i): [number, Inst] => [i.id, i])));
  func.blocks.forEach((block, b) => {
    block.insts = (orders[b] as readonly Inst[]).map(({ id }) => byId.get(id) as Inst);
  });
  touch(func);
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
