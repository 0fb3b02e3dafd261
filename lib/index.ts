/** The public API of ptxlab. Every stage of the road is here; `compile` walks the whole of it. */

export { assembleCubin, assemblyText } from "./assemble.js";
export type { AssembledFunction, AssembledModule } from "./assemble-read.js";
export {
  type Compilation,
  type CompiledFunction,
  type CompileOptions,
  compile,
  type Dump,
  type FailedCompilation,
  type FinishedCompilation,
  type FinishedEntry,
  type FinishedFunction,
  type FinishedRoutine,
  type Stage,
  summary,
  type UnfinishedFunction,
} from "./compile.js";
export * from "./diagnostics.js";
export {
  type ListedFunction,
  type ListedInstruction,
  type ListingOptions,
  listingText,
} from "./disassemble.js";
export * as elf from "./elf/index.js";
export { type Inlined, type LineFile, type LinkOptions, link, type Position, type SourceLines } from "./elf/index.js";
export { InternalError } from "./errors.js";
export * as experiment from "./experiment/index.js";
export type { CodeToVerify, FindingSite } from "./hazard/index.js";
export * as knobs from "./knobs/index.js";
export * as lift from "./lift/index.js";
export { encodeLifted, type Lifted, replaceCode } from "./lift/index.js";
export { type LowerOptions, lower } from "./lower/index.js";
export * as ori from "./ori/index.js";
export type { Block, Func, Inst, Program } from "./ori/types.js";
export type { PhaseEvent, PhaseOptions } from "./phases/index.js";
export * as phases from "./phases/index.js";
export * as analysis from "./present/analyses.js";
export {
  type AllocationWatch,
  type Assembled,
  allocate,
  allRulePlaces,
  assemble,
  type BlockLatency,
  buildDag,
  type CellHead,
  type CellLanguage,
  type CellOptions,
  type CellResult,
  type CodeOf,
  type Completions,
  type CubinNotes,
  type CudaCompilation,
  cellHead,
  completeCell,
  completeNames,
  Device,
  disassemble,
  estimate,
  type FunctionLatency,
  figuresOf,
  inspectCell,
  inspectNames,
  isForeignCell,
  liftCubin,
  liftFunction,
  occupancyView,
  presentCubin,
  readCubin,
  reschedule,
  rulePlaces,
  ruleTexts,
  runCell,
  runPhase,
  runPhases,
  scheduleFunc,
  simulate,
  sourcePage,
  staticLatency,
  verifyCubin,
  watchAllocation,
} from "./present/index.js";
export * as ptx from "./ptx/index.js";
export { check, type Module, parse, print } from "./ptx/index.js";
export * as regalloc from "./regalloc/index.js";
export { checkAllocation } from "./regalloc/index.js";
export type { Rescheduled, RescheduledFunction, RescheduleOptions } from "./reschedule.js";
export { fail, ok, type Result, unwrap } from "./result.js";
export type { RulePlace } from "./rules/index.js";
export * as sass from "./sass/index.js";
export { type Code, type EncodeOptions, encodeFunc } from "./sass/index.js";
export * as sched from "./sched/index.js";
export {
  Candidate,
  type Choice,
  type ControlPolicy,
  control,
  controlO0,
  type Dag,
  edgeKinds,
  executionPipes,
  type FuncLatency,
  features,
  isStrategy,
  type LatencyModel,
  latencyModel,
  type OrderEstimate,
  type Policy,
  policyNamed,
  priorityByte,
  type Rung,
  resources,
  rungs,
  type ScheduleOptions,
  type SchedulePolicy,
  type ScheduleReport,
  type ScheduleSettings,
  type ScheduleStrategy,
  schedulePolicies,
  type Weights,
  weighted,
} from "./sched/index.js";
export * as sim from "./sim/index.js";
export { type Run, runLaunchFile } from "./sim/index.js";
export {
  type ConstantBank,
  type Feature,
  type KernelResources,
  type LaunchCell,
  type Limits,
  type Occupancy,
  type OccupancyLimit,
  occupancy,
  registerCap,
  type Target,
  type TargetName,
  target,
  targetNames,
} from "./target/index.js";
export type { Estimate } from "./timing/index.js";
export * as timing from "./timing/index.js";
export { type Finding, findingKinds, findingText, verifyHazards } from "./verify.js";
