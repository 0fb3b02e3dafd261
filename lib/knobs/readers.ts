/** Who reads a knob: `component: option` by the knob's name. A knob that is not here is refused. */

/** Parameters of phases have the names of their knobs (lib/phases/parameters.ts, unroll-cost.ts). */
const optimizer =
  "LoopInversion LoopInversionBudget HoistBudget HoistLoopInvBudget HoistConservativeScale " +
  "DisableNestedHoist NestedHoistInnerThreshold NestedHoistOuterThreshold HoistLate HoistCBOLoad " +
  "HoistCBOLoadIDOMTravseLimit HoistCBORRegPressureLimitApplyRate MovWeightForSinkingHoisting " +
  "SpeculativeHoistCommonInsts CopyPropForceGlobal CopyPropNoWriteNonRR CmpToMovPredCrossBlockDisable BackCopyPropBudget " +
  "EnableGvnCse EnableGvnCseMode ForceLateCommoning DisableMoveCommoning CopyPropBudget " +
  "CopyPropGlobalBudget CopyPropAddr CopyPropConstantBank DisableDeadStoreElimination DisablePredication " +
  "DisableMergeEquivalentConditionalFlow MergeEquivalentConditionalFlowBudget DisableUreg DisableForceLDCTOLDCUConv DisableSopSr " +
  "DisableReadVectorization DisableWriteVectorization FPFoldDisable FPRefactoringDisable DisableCmpToPred DisableLongIntArithAddressFolding " +
  "DisableDependentConstExpr DisableStrideOnAddr DistributeAndReassociateMulBudget";
const unroll =
  "LoopUnroll UnrollBudget UnrollInstLimit UnrollUnknownCount UnrollUnknownInstLimit " +
  "UnrollMultiBlockLoops UnrollVariableBounds LoopUnrollFactor UnrollFullInstLimit UnrollSmallLoopLimit " +
  "LoopUnrollNonInnermost LoopUnrollUnknownMultiBlock LoopUnrollExtraFoldableLdcWeight LoopUnrollNumInstTex UnrollPregThreshold " +
  "LoopUnrollFoldableAddrWeight LoopUnrollNumExtraInstBase UnrollFlexableFullLimit " +
  "DisablePartialUnrollOverflowCheck";
const own = (component: string, names: string): readonly (readonly [string, string])[] =>
  names.split(" ").map((name) => [name, `${component}: ${name}`]);

export const readers: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...own("optimizer", optimizer), ...own("unroll", unroll)]),
  DisablePhases: "phases: disablePhases",
  NamedPhases: "phases: namedPhases",
  RegAllocAvoidBankConflictMac: "regalloc: bankPreference",
  RegAllocAvoidBankConflictMacPenalty: "regalloc: bankPenalty",
  RegAllocCoalescing: "regalloc: coalescing",
  RegAllocCoalesceBudget: "regalloc: coalesceBudget",
  RegAllocSortRegs: "regalloc: order",
  RegAllocSpillLatencyScale: "regalloc: reloadScale",
  RegAllocSpillMemResScale: "regalloc: storeScale",
  RegAllocEstimatedLoopIterations: "regalloc: trips",
  RegAllocUserSmemBytesPerCTA: "sched: sharedBytes",
  RegAllocThresholdForDiscardConflicts: "regalloc: regAllocThreshold",
  RegAllocNumNonSpillTrials: "regalloc: attempts",
  RegAllocPerfDiffBackoff: "regalloc: bankAware",
  RegAllocPerfDiffBackoffBegin: "regalloc: relaxHead",
  RegAllocPerfDiffBackoffEnd: "regalloc: relaxTail",
  PostSchedForceReverseOrder: "sched: postForceReverse",
  PreserveSchedOrder: "sched: preserveOrder",
  SchedCountLoadsPerTex: "sched: batchStall",
  SchedCrossBlock: "sched: crossBlock",
  SchedDisableAll: "sched: disabled",
  SchedForceReverseOrder: "sched: forceReverse",
  SchedLDSLatency: "sched: ldsLatency",
  SchedMaxMemDep: "sched: memoryWindow",
  SchedMaxRLiveCarefulSlack: "sched: carefulSlack",
  SchedMaxRLiveOKslack: "sched: okSlack",
  SchedMaxRLiveOKslackColdBlocks: "sched: okSlackCold",
  SchedMaxRTarget: "sched: registerTarget",
  SchedMemNoAlias: "sched: noAlias",
  SchedReadAvailTarget: "sched: depth",
  SchedReadSBBaseLatency: "sched: readSbLatency",
  SchedReadSbDmmaLatency: "sched: readSbDmmaLatency",
  SchedReadSbLdgstsLatency: "sched: readSbLdgstsLatency",
  PostSchedBudget: "sched: postBudget",
  SchedDynBatchBudget: "sched: batchBudget",
  SchedReduceRegBudget: "sched: reduceBudget",
  SchedReadLatency: "sched: readLatency",
  SchedReadSBBaseUseLSULat: "sched: readSbUseLatency",
  SchedSyncsPhasechkLatency: "sched: phasechkLatency",
  SchedTex2TexIssueRate: "sched: busyTEX",
  SchedResBusyDMMA: "sched: busyDMMA",
  SchedResBusyGMMA: "sched: busyGMMA",
  SchedResBusyHMMA16816: "sched: busyHMMA16816",
  SchedResBusyHMMA1688: "sched: busyHMMA1688",
  SchedResBusyIMMA: "sched: busyIMMA",
  SchedResBusyOp: "sched: opBusy",
  SchedResBusyMachineOpcode: "sched: formBusy",
  SchedResBusyADU: "sched: busyADU",
  SchedResBusyALU: "sched: busyALU",
  SchedResBusyCBU: "sched: busyCBU",
  SchedResBusyFMA: "sched: busyFMA",
  SchedResBusyFP16: "sched: busyFP16",
  SchedResBusyFP64: "sched: busyFP64",
  SchedResBusyLSU: "sched: busyLSU",
  SchedResBusyUDP: "sched: busyUDP",
  SchedResBusyXU64: "sched: busyXU",
  SchedSyncsLatency: "sched: syncsLatency",
  SchedTexBatchTargetSelectSchedulerTarget: "sched: batchTarget",
  SchedTexLatency: "sched: texLatency",
  SchedXU64Latency: "sched: xuLatency",
  NumOptPhasesBudget: "phases: phaseBudget",
  OptBudget: "phases: levelBudget",
  DisableErrbarAfterMembar: "lower: noErrorBarriers",
  DisablePadding: "encode: noPadding",
  DisableSmemSizePerCTACheck: "link: anySharedSize",
  DUMPIR: "report: dumps",
  SchedEstimatedLoopIterations: "sched: loopTrips",
  SbXBlock: "control: crossBlock",
  SbXBlockLLSB: "control: longLatency",
  RegAllocSpillLatencyScale2: "regalloc: nestedScale",
  RegAllocSpillTexDepScale: "regalloc: textureScale",
  RegAllocOptLevel: "regalloc: level",
  RegAllocAvoidBankConflictMacWindowSize: "regalloc: bankWindow",
  RegAllocMmaCoalescing: "regalloc: matrixCoalescing",
  RegAllocNoRetargetPrefs: "regalloc: noRetarget",
  RegAllocSpillOptBudget: "regalloc: spillBudget",
  RegTargetList: "regalloc: targets",
  RegTgtSelHigherWarpCntHeur: "sched: warpCount",
  RegTgtSelHigherWarpCntHeurValue: "sched: warpCountScale",
  RegTgtLowerLimitMMASlack: "sched: mmaSlack",
  SchedLDGBatchDelayBias: "sched: batchBias",
  SchedPrefFurthestDep: "sched: furthest",
  PreserveSchedOrderSame: "sched: keepSame",
  SchedModelIdentityMove: "sched: identityMove",
  SchedRefineMemDepBudget: "sched: refineBudget",
  PostSchedAdvLatencyHiding: "sched: latencyHiding",
  PostSchedIssueDelay: "sched: issueDelay",
  SchedResBusyFMAWide: "sched: busyFMAWide",
  SchedResBusyLSUL1: "sched: busyLSUL1",
  SchedResBusyQMMA: "sched: busyQMMA",
  SchedResBusyOMMA: "sched: busyOMMA",
  SchedResBusyMXQMMA: "sched: busyMXQMMA",
};
