/** What shows that a knob acts: a small kernel (small.ts) of which some decision is another one with the knob than without. */
import type { PhaseName } from "../../lib/phases/index.js";

export interface Proof {
  readonly kernel: string;
  readonly value: string | number;
  /** The text after this phase differs; left out: the machine words do. */
  readonly after?: PhaseName;
  /** `-maxrregcount`, where registers have to be scarce. */
  readonly limit?: number;
  /** Other knobs that are set in both. */
  readonly both?: Readonly<Record<string, string | number>>;
}

const at = (after: PhaseName, kernel: string, value: string | number, both?: Proof["both"]): Proof => ({
  kernel,
  value,
  after,
  ...(both !== undefined && { both }),
});
const unroll = (kernel: string, value: string | number, both?: Proof["both"]): Proof =>
  at("OriLoopUnrolling", kernel, value, both);
const hoist = (kernel: string, value: string | number, both?: Proof["both"]): Proof =>
  at("OriHoistInvariantsEarly", kernel, value, both);
const rules = (kernel: string, value: string | number): Proof => at("GeneralOptimizeLate", kernel, value);
const flow = (kernel: string, value: string | number): Proof => at("LateMergeEquivalentConditionalFlow", kernel, value);
const uniform = (kernel: string, value: string | number): Proof => at("ConvertToUniformReg", kernel, value);
const order = (kernel: string, value: string | number): Proof => at("ScheduleInstructions", kernel, value);
const scarce = (kernel: string, value: string | number): Proof => ({ kernel, value, limit: 24 });

export const smallProofs: Readonly<Record<string, Proof>> = {
  NumOptPhasesBudget: at("OriLoopUnrolling", "many", 0),
  OptBudget: at("OriLoopUnrolling", "many", 0),
  LoopInversion: at("OriLoopSimplification", "top", 0),
  LoopInversionBudget: at("OriLoopSimplification", "top", 0),
  LoopUnroll: unroll("many", 0),
  LoopUnrollFactor: unroll("many", 3),
  UnrollBudget: unroll("many", 8),
  UnrollInstLimit: unroll("many", 0),
  UnrollFullInstLimit: unroll("few", 0),
  UnrollSmallLoopLimit: unroll("many", 40),
  UnrollPregThreshold: unroll("many", 0),
  UnrollVariableBounds: unroll("unknown", 0),
  UnrollUnknownCount: unroll("unknown", 2),
  UnrollUnknownInstLimit: unroll("unknown", 0),
  LoopUnrollExtraFoldableLdcWeight: unroll("parameters", 40),
  LoopUnrollNumInstTex: unroll("texture", 7),
  HoistBudget: hoist("invariant", 1),
  HoistLoopInvBudget: hoist("nest", 1),
  HoistConservativeScale: hoist("nest", 1, { HoistBudget: 2 }),
  DisableNestedHoist: hoist("nest", 1),
  NestedHoistInnerThreshold: hoist("nest", 1),
  NestedHoistOuterThreshold: hoist("nest", 1),
  HoistCBOLoad: hoist("invariant", 0),
  HoistLate: at("OriHoistInvariantsLate", "nest", 3, { HoistBudget: 1, HoistConservativeScale: 1 }),
  EnableGvnCse: at("GvnCse", "twice", 0),
  EnableGvnCseMode: at("GvnCse", "twice", 1),
  ForceLateCommoning: at("LateOriCommoning", "twice", 1, { DisablePhases: "GvnCse+OriCommoning" }),
  DisableMoveCommoning: at("GvnCse", "literals", 1, { DisablePhases: "GeneralOptimize" }),
  CopyPropBudget: at("GeneralOptimize", "copies", 0),
  CopyPropGlobalBudget: at("GeneralOptimize", "copies", 0),
  CopyPropAddr: at("GeneralOptimize", "copies", 0),
  CopyPropConstantBank: at("GeneralOptimize", "copies", 0),
  DisableDeadStoreElimination: at("GvnCse", "overwritten", 1),
  DisablePredication: flow("arm", 1),
  DisableMergeEquivalentConditionalFlow: flow("arm", 1),
  MergeEquivalentConditionalFlowBudget: flow("arm", 0),
  DisableUreg: uniform("uniform", 1),
  DisableForceLDCTOLDCUConv: uniform("parameters", 1),
  DisableSopSr: uniform("uniform", 1),
  DisableReadVectorization: uniform("uniform", 1),
  DisableWriteVectorization: at("Vectorization", "neighbours", 1),
  FPFoldDisable: rules("floats", 1),
  FPRefactoringDisable: rules("floats", 1),
  DisableCmpToPred: rules("compares", 1),
  DisableLongIntArithAddressFolding: rules("addresses", 1),
  DisableDependentConstExpr: rules("constants", 1),
  DisableStrideOnAddr: rules("addresses", 1),
  DistributeAndReassociateMulBudget: rules("products", 0),
  DisableErrbarAfterMembar: at("OriCheckInitialProgram", "fence", 1),
  SbXBlock: { kernel: "later", value: 0 },
  SbXBlockLLSB: { kernel: "later", value: 0 },
  RegAllocAvoidBankConflictMac: { kernel: "banks", value: 0 },
  RegAllocAvoidBankConflictMacPenalty: { kernel: "banks", value: 0 },
  RegAllocAvoidBankConflictMacWindowSize: { kernel: "banks", value: 0 },
  RegAllocOptLevel: { kernel: "banks", value: 0 },
  RegAllocNoRetargetPrefs: { kernel: "called", value: 1 },
  RegAllocCoalescing: { kernel: "called", value: 0 },
  RegAllocCoalesceBudget: { kernel: "called", value: 0 },
  RegAllocMmaCoalescing: scarce("matrices", 0),
  RegAllocNumNonSpillTrials: scarce("crowd", 0),
  RegAllocSortRegs: { kernel: "many", value: 1 },
  RegAllocSpillLatencyScale: scarce("crowd", 0),
  RegAllocSpillLatencyScale2: scarce("crowdedNest", "0.01"),
  RegAllocSpillMemResScale: scarce("crowd", 10),
  RegAllocSpillTexDepScale: scarce("texels", 10),
  RegAllocSpillOptBudget: scarce("pairs", 0),
  RegTargetList: { kernel: "crowd", value: "24" },
  RegTgtSelHigherWarpCntHeur: order("crowd", 0),
  RegTgtSelHigherWarpCntHeurValue: order("many", 0),
  RegTgtLowerLimitMMASlack: order("matrices", 40),
  SchedLDGBatchDelayBias: order("loads", 1),
  SchedPrefFurthestDep: order("mixed", 1),
  PreserveSchedOrderSame: order("unknown", 1),
  SchedModelIdentityMove: order("many", 1),
  SchedRefineMemDepBudget: order("crowd", 0),
  SchedResBusyFMAWide: order("mixed", 40),
  SchedResBusyLSUL1: order("mixed", 40),
  PostSchedAdvLatencyHiding: at("PostSchedule", "stencil", 0),
  PostSchedBudget: at("PostSchedule", "unknown", 0),
  PostSchedForceReverseOrder: at("PostSchedule", "many", 1),
  PostSchedIssueDelay: at("PostSchedule", "unknown", 0),
  PreserveSchedOrder: order("many", 1),
  SchedCountLoadsPerTex: order("loads", 40),
  SchedCrossBlock: { kernel: "top", value: 0 },
  SchedDisableAll: { kernel: "top", value: 1 },
  SchedDynBatchBudget: { kernel: "top", value: 0 },
  SchedForceReverseOrder: { kernel: "top", value: 1 },
  SchedLDSLatency: { kernel: "later", value: 1 },
  SchedMaxMemDep: { kernel: "crowdedNest", value: 1 },
  SchedMaxRLiveCarefulSlack: { kernel: "top", value: 40 },
  SchedMaxRLiveOKslack: { kernel: "top", value: 40 },
  SchedMaxRTarget: { kernel: "top", value: 1 },
  SchedMemNoAlias: { kernel: "mixed", value: 1 },
  SchedReadAvailTarget: { kernel: "parameters", value: 0 },
  SchedReadLatency: { kernel: "many", value: 0 },
  SchedReadSBBaseLatency: { kernel: "top", value: 0 },
  SchedReadSBBaseUseLSULat: { kernel: "many", value: 1 },
  SchedResBusyADU: { kernel: "texture", value: 40 },
  SchedResBusyALU: { kernel: "many", value: 40 },
};
