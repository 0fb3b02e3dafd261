/**
 * Scheduling: the dependence graph, the list scheduler and its policies, and the control words of an order.
 */

export type { InstTiming } from "../isa/latency.js";
export {
  backendA,
  backendB,
  backendC,
  best,
  better,
  lowPressure,
  policyNamed,
  postSchedule,
  schedulePolicies,
  within,
} from "./backends.js";
export { alignmentLoss, type MayUse, registerLimits, toEndOfUnit, warpsAtOnce } from "./budget.js";
export type { Scratch } from "./build.js";
export { buildDag, DagBuilder, type DagOptions } from "./build.js";
export { Candidate } from "./candidate.js";
export * from "./control/index.js";
export type { Prepared } from "./control/prepare.js";
export { type Dag, EdgeKind, edgeKinds } from "./dag.js";
export { type Timeline, timeline } from "./estimate.js";
export { type HoistOptions, hoist, isSpeculable } from "./hoist.js";
export { assignOfKnobs, policyOptions, type SchedKnobs, type ScheduleSettings, settingsOfKnobs } from "./knobs.js";
export { type BlockCycles, type FuncLatency, funcLatency, type LatencyOptions } from "./latency.js";
export { type Choice, listSchedule, type ObserveChoice } from "./list.js";
export { type LatencyModel, type LatencyOverrides, latencyModel, type Occupancy } from "./model.js";
export { executionPipes, type ResourceName, resources } from "./pipes.js";
export type { RungName } from "./policies.js";
export { type Feature, features, rungs, type Weights, weighted } from "./policies.js";
export {
  type BlockFacts,
  defaultParameters,
  type HeuristicParameters,
  isStrategy,
  type OrderEstimate,
  type Policy,
  type Rung,
  type SchedulePolicy,
  type ScheduleStrategy,
  type StrategyPass,
  type Thrift,
} from "./policy.js";
export type { PressureTracker } from "./pressure.js";
export {
  Bit,
  type BitName,
  type ByteOptions,
  bitOrder,
  bytePolicy,
  PriorityMemory,
  priorityByte,
  type TieName,
  tieOrder,
} from "./priority.js";
export type { MemoryOptions } from "./priority-memory.js";
export type { BlockGraph, BlockReport, ScheduleOptions, ScheduleReport } from "./report.js";
export { carryOut, type SchedulePlan, SchedulePlanner, scheduleFunc } from "./schedule.js";
export type { BlockContext, BlockKnown, SchedState } from "./state.js";
export { type TwoWayWeights, twoWay } from "./two-way.js";
export type { BlockValues } from "./values.js";
