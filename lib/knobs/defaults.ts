/**
 * Values of our own for knobs that act and that nobody sets, where the wiki names none or another one; null: what the reader's own rule says (a latency
 * of the tables, a limit that the kernel gives). `test/knobs/defaults.test.ts` holds each against what compilations read.
 */
import type { KnobValue } from "./registry.js";

const all = (value: KnobValue | null, names: string): readonly (readonly [string, KnobValue | null])[] =>
  names.split(" ").map((name) => [name, value]);

const NO_LIMIT: number = Number.POSITIVE_INFINITY;

export const ownDefaults: ReadonlyMap<string, KnobValue | null> = new Map([
  ...all("", "DisablePhases DUMPIR NamedPhases RegAllocEstimatedLoopIterations"),
  ...all([], "RegTargetList"),
  ...all(true, "PostSchedAdvLatencyHiding PostSchedIssueDelay RegAllocCoalescing RegAllocMmaCoalescing"),
  ...all(true, "RegAllocPerfDiffBackoff SpeculativeHoistCommonInsts"),
  ...all(false, "PreserveSchedOrder PreserveSchedOrderSame RegAllocNoRetargetPrefs SchedMemNoAlias"),
  ...all(false, "SchedPrefFurthestDep CopyPropForceGlobal CopyPropNoWriteNonRR CmpToMovPredCrossBlockDisable"),
  ...all(false, "DisableErrbarAfterMembar DisableForceLDCTOLDCUConv DisableLongIntArithAddressFolding DisableSopSr"),
  ...all(false, "DisableSmemSizePerCTACheck DisableStrideOnAddr DisableUreg DisablePartialUnrollOverflowCheck"),
  ...all(false, "DisableMoveCommoning DisableNestedHoist DisableReadVectorization DisableWriteVectorization"),
  ...all(false, "DisableCmpToPred DisablePredication DisableDeadStoreElimination DisableDependentConstExpr"),
  ...all(false, "DisableMergeEquivalentConditionalFlow DisablePadding FPFoldDisable FPRefactoringDisable"),
  ...all(-1, "SchedMaxRLiveOKslackColdBlocks"),
  ...all(0, "PostSchedForceReverseOrder RegAllocSortRegs RegTgtLowerLimitMMASlack SchedDisableAll"),
  ...all(0, "SchedForceReverseOrder SchedLDGBatchDelayBias LoopUnrollNumExtraInstBase"),
  ...all(0, "HoistCBOLoadIDOMTravseLimit MovWeightForSinkingHoisting"),
  ...all(1, "RegAllocAvoidBankConflictMac RegAllocAvoidBankConflictMacPenalty RegAllocOptLevel"),
  ...all(1, "RegAllocPerfDiffBackoffBegin RegAllocPerfDiffBackoffEnd RegAllocSpillLatencyScale"),
  ...all(1, "RegAllocSpillLatencyScale2 RegAllocSpillMemResScale RegAllocSpillTexDepScale RegTgtSelHigherWarpCntHeur"),
  ...all(1, "RegTgtSelHigherWarpCntHeurValue SbXBlock SbXBlockLLSB SchedCrossBlock"),
  ...all(1, "UnrollFlexableFullLimit LoopUnrollFoldableAddrWeight"),
  ...all(2, "RegAllocNumNonSpillTrials"),
  ...all(3, "SchedCountLoadsPerTex SchedMaxRLiveOKslack"),
  ...all(4, "SchedReadAvailTarget"),
  ...all(16, "SchedTexBatchTargetSelectSchedulerTarget"),
  ...all(64, "SchedMaxMemDep"),
  ...all(100, "HoistCBORRegPressureLimitApplyRate"),
  ...all(NO_LIMIT, "MergeEquivalentConditionalFlowBudget NumOptPhasesBudget OptBudget PostSchedBudget"),
  ...all(NO_LIMIT, "RegAllocAvoidBankConflictMacWindowSize RegAllocCoalesceBudget RegAllocSpillOptBudget"),
  ...all(NO_LIMIT, "SchedDynBatchBudget SchedReduceRegBudget SchedRefineMemDepBudget UnrollFullInstLimit"),
  ...all(NO_LIMIT, "DistributeAndReassociateMulBudget BackCopyPropBudget CopyPropBudget CopyPropGlobalBudget"),
  ...all(null, "RegAllocUserSmemBytesPerCTA SchedEstimatedLoopIterations SchedMaxRLiveCarefulSlack SchedMaxRTarget"),
  ...all(null, "SchedLDSLatency SchedTexLatency SchedXU64Latency SchedReadLatency SchedSyncsLatency"),
  ...all(null, "SchedSyncsPhasechkLatency SchedModelIdentityMove SchedReadSBBaseLatency SchedReadSBBaseUseLSULat"),
  ...all(null, "SchedReadSbDmmaLatency SchedReadSbLdgstsLatency SchedTex2TexIssueRate SchedResBusyOp"),
  ...all(null, "SchedResBusyMachineOpcode SchedResBusyADU SchedResBusyALU SchedResBusyCBU SchedResBusyDMMA"),
  ...all(null, "SchedResBusyFMA SchedResBusyFMAWide SchedResBusyFP16 SchedResBusyFP64 SchedResBusyGMMA"),
  ...all(null, "SchedResBusyHMMA16816 SchedResBusyHMMA1688 SchedResBusyIMMA SchedResBusyLSU SchedResBusyLSUL1"),
  ...all(null, "SchedResBusyMXQMMA SchedResBusyOMMA SchedResBusyQMMA SchedResBusyUDP SchedResBusyXU64"),
]);
