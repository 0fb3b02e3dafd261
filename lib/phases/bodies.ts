/**
 * What each phase does: a function, or the reason why there is none. Complete by type: a new row in table.ts without an
 * entry here does not compile.
 */

import { ShownAlignments } from "../analysis/index.js";
import { watched } from "../knobs/reads.js";
import type { Func } from "../ori/types.js";
import { assertValid } from "../ori/verify.js";
import { control, controlO0, defaultParameters } from "../sched/index.js";
import { allocateRegisters } from "./allocate.js";
import { balancePipes } from "./balance-pipes.js";
import { bareCollectives } from "./bare-collectives.js";
import { foldBranches } from "./branches.js";
import { clearBarriers } from "./clear-barriers.js";
import { joinCopies } from "./coalesce.js";
import { commonAgain } from "./common-again.js";
import { commonLoads } from "./common-loads.js";
import { commonSubexpressions } from "./commoning.js";
import { settleBranches, simplifyConditionalFlow } from "./conditional-flow.js";
import { estimateFrequencies, setControlFlowOpLastInBB } from "./control-flow.js";
import { convertAllMovPhiToMov } from "./convert-mov-phi.js";
import { readCopies } from "./copy-names.js";
import { removeDeadCode } from "./dead-code.js";
import { readOriginalsOnEdges } from "./exit-copies.js";
import { keepFallThrough } from "./fall-through.js";
import { foldOffsets } from "./fold-offsets.js";
import { generalOptimize } from "./general-optimize.js";
import { generateMovPhi } from "./generate-mov-phi.js";
import { fixupGmmaSequence } from "./gmma-sequence.js";
import { guardCopies } from "./guard-copies.js";
import { guardSelections } from "./guarded-select.js";
import { hoistCommon } from "./hoist-common.js";
import { hoistInvariants } from "./hoist-invariants.js";
import { expandJumpTables } from "./jump-tables.js";
import { settleIndices } from "./known-indices.js";
import { stepsLast } from "./late-steps.js";
import { settleLiterals } from "./literals.js";
import { narrowLoads } from "./narrow-loads.js";
import { removeNops } from "./nop.js";
import { oneLane } from "./one-lane.js";
import { oneTurn } from "./one-turn.js";
import { turnCompares } from "./opposite-compares.js";
import { outlineGathered } from "./outline-gathered.js";
import { parametersOf, readerOf } from "./parameters.js";
import { rematerialize } from "./rematerialize.js";
import { rotateLoops } from "./rotate-loops.js";
import { scaleAddresses } from "./scaled-addresses.js";
import { postSchedule, scheduleInstructions, scheduleOptions, scoreboards } from "./schedule.js";
import { selectGuarded } from "./select-guarded.js";
import { sinkCode } from "./sink-code.js";
import { splitWide } from "./split-wide.js";
import { makeSwitches } from "./switches.js";
import type { PhaseName } from "./table.js";
import type { PhaseBody, PhaseContext } from "./types.js";
import { toUniformRegisters } from "./uniform-registers.js";
import { dropUnreadResults } from "./unread-results.js";
import { unrollLoops } from "./unroll.js";
import { unrollLimits } from "./unroll-cost.js";
import { wholeCopies } from "./whole-copies.js";
import { joinHalves } from "./whole-pairs.js";
import { widenAccesses } from "./wide-accesses.js";
import { pairZeros } from "./zero-pairs.js";

export interface NoBody {
  /** Why the phase does nothing. */
  readonly none: string;
}

const later: NoBody = { none: "not built yet (optimization)" };
const graphics: NoBody = { none: "graphics only" };
const hook: NoBody = { none: "hook: nothing is attached" };
const report: NoBody = { none: "report: observers do it" };
const update: NoBody = { none: "nothing to refresh: analyses are cached by generation" };

/** Structure and operand rules; definedness is the input's affair and checked along the way when asked. */
function check(func: Func): void {
  assertValid(func, func.milestone, { skipDefinedness: true });
}

function deadCode(func: Func): void {
  removeDeadCode(func);
}

/** Values first, so that addresses of equal loads are the same registers. */
function common(func: Func, across: boolean, { rewrites, ...context }: PhaseContext): void {
  const p = parametersOf(context);
  commonSubexpressions(func, across, !p.DisableMoveCommoning, rewrites);
  if (!rewrites.open) return;
  commonLoads(func, across, !p.DisableDeadStoreElimination);
}

/** Words that nobody reads first: a load that is joined reads all. */
function vectorize(func: Func, { rewrites, ...context }: PhaseContext): void {
  const p = parametersOf(context);
  const shown = new ShownAlignments(func);
  if (!p.DisableReadVectorization) narrowLoads(func, rewrites);
  widenAccesses(func, { loads: !p.DisableReadVectorization, stores: !p.DisableWriteVectorization }, shown, rewrites);
}

/** Phis become copies, and those that can be joined go: a value that passed through the window costs nothing for it. */
function closeWindow(func: Func, { plain = false, ...context }: PhaseContext): void {
  const open = func.milestone === "ssa" && !plain;
  if (open && turnCompares(func) > 0) removeDeadCode(func);
  if (open && settleLiterals(func) + guardSelections(func) > 0) removeDeadCode(func);
  if (open && readOriginalsOnEdges(func) > 0) removeDeadCode(func);
  if (open) stepsLast(func);
  convertAllMovPhiToMov(func);
  if (open && readCopies(func) > 0) removeDeadCode(func);
  if (open) joinCopies(func, parametersOf(context).BackCopyPropBudget);
}

/** Words that nothing wants together come apart; what is cheap to make again does not live across crowded blocks. */
function splitRanges(func: Func, context: PhaseContext): void {
  splitWide(func);
  if (context.level < 2) return;
  const options = scheduleOptions(context);
  const parameters = watched({ ...defaultParameters, ...options.parameters }, defaultParameters, options.onKnob);
  rematerialize(func, parameters, options, context.rewrites);
}

/** What stays a branch is settled first: after `@P EXIT` lanes are together. */
function uniformRegisters(func: Func, context: PhaseContext): void {
  const p = parametersOf(context);
  settleBranches(func, p);
  toUniformRegisters(func, p);
}

export const bodies: Readonly<Record<PhaseName, PhaseBody | NoBody>> = {
  OriCheckInitialProgram: check,
  ApplyNvOptRecipes: { none: "no recipes: per-phase parameters are given in NamedPhases" },
  PromoteFP16: { none: "nothing to do: every supported SM has f16 arithmetic" },
  AnalyzeControlFlow: (func) => estimateFrequencies(func),
  AdvancedPhaseBeforeConvUnSup: hook,
  ConvertUnsupportedOps: { none: "nothing to do: lowering only makes what the SM has" },
  SetControlFlowOpLastInBB: setControlFlowOpLastInBB,
  AdvancedPhaseAfterConvUnSup: hook,
  UpdateAfterConvertUnsupportedOps: update,
  OriCreateMacroInsts: { none: "nothing to do: lowering makes no macro operations" },
  ReportInitialRepresentation: report,
  EarlyOriSimpleLiveDead: deadCode,
  ReplaceUniformsWithImm: (func, { rewrites }) => void settleIndices(func, rewrites),
  OriSanitize: { none: "the verifier does it, after every phase when asked" },
  GeneralOptimizeEarly: (func, { rewrites }) => {
    oneTurn(func, rewrites);
    bareCollectives(func, rewrites);
    oneLane(func, rewrites);
    selectGuarded(func);
  },
  MergeEquivalentConditionalFlow: later,
  DoSwitchOptFirst: (func) => void makeSwitches(func),
  OriBranchOpt: (func) => {
    keepFallThrough(func);
    foldBranches(func);
  },
  OriPerformLiveDeadFirst: deadCode,
  OptimizeBindlessHeaderLoads: graphics,
  OriLoopSimplification: (func, context) => {
    const { LoopInversion, LoopInversionBudget } = parametersOf(context);
    if (LoopInversion) rotateLoops(func, LoopInversionBudget);
  },
  OriSplitLiveRanges: later,
  OriCopyProp: later,
  PerformPGO: { none: "no profile" },
  OriStrengthReduce: later,
  OriLoopUnrolling: (func, context) => {
    const limits = { ...unrollLimits, ...context.options.unroll };
    unrollLoops(func, watched(limits, unrollLimits, readerOf(context, "unroll")), context.rewrites);
  },
  GenerateMovPhi: generateMovPhi,
  OriPipelining: later,
  StageAndFence: { none: "nothing to do: lowering places fences" },
  OriRemoveRedundantBarriers: later,
  AnalyzeUniformsForSpeculation: later,
  SinkRemat: later,
  OptimizeNaNOrZero: later,
  GeneralOptimize: (func, context) => {
    wholeCopies(func, context.rewrites);
    generalOptimize(func, context);
  },
  DoSwitchOptSecond: later,
  OriLinearReplacement: later,
  CompactLocalMemory: later,
  ConvertMemoryToRegisterOrUniform: later,
  OriPerformLiveDeadSecond: deadCode,
  ExtractShaderConstsFirst: graphics,
  OriHoistInvariantsEarly: (func, context) =>
    void hoistInvariants(func, parametersOf(context), false, context.rewrites),
  Vectorization: vectorize,
  EmitPSI: graphics,
  GeneralOptimizeMid: (func, { rewrites }) => {
    if (foldOffsets(func, rewrites) + scaleAddresses(func, rewrites) > 0) removeDeadCode(func);
  },
  OptimizeNestedCondBranches: later,
  ConvertVTGReadWrite: graphics,
  DoVirtualCTAExpansion: graphics,
  MarkAdditionalColdBlocks: later,
  ExpandMbarrier: { none: "nothing to do: lowering makes machine instructions" },
  ForwardProgress: { none: "not built yet: independent threads of a warp make progress by themselves" },
  OptimizeUniformAtomic: (func, { rewrites }) => void dropUnreadResults(func, rewrites),
  MidExpansion: { none: "nothing to do: lowering only makes what the SM has" },
  AdvancedPhaseAfterMidExpansion: hook,
  GeneralOptimizeMid2: later,
  AdvancedPhaseEarlyEnforceArgs: hook,
  EnforceArgumentRestrictions: { none: "nothing to do: lowering binds arguments to registers" },
  GvnCse: (func, context) => {
    const p = parametersOf(context);
    if (p.EnableGvnCse && p.EnableGvnCseMode > 0) common(func, p.EnableGvnCseMode > 1, context);
  },
  OriCommoning: (func, context) => common(func, false, context),
  OriReassociateAndCommon: (func, context) =>
    void commonAgain(func, context.level > 1, parametersOf(context), context.rewrites),
  ExtractShaderConstsFinal: graphics,
  OriReplaceEquivMultiDefMov: later,
  OriPropagateVaryingFirst: later,
  OriDoRematEarly: later,
  LateExpansion: { none: "nothing to do: lowering only makes what the SM has" },
  SpeculativeHoistComInsts: (func, context) => {
    if (parametersOf(context).SpeculativeHoistCommonInsts) hoistCommon(func);
  },
  RemoveASTToDefaultValues: { none: "nothing to do: the IR has no address space annotations" },
  GeneralOptimizeLate: generalOptimize,
  OriLoopFusion: later,
  DoVTGMultiViewExpansion: graphics,
  OriSimpleLiveDead: deadCode,
  OriPerformLiveDeadThird: deadCode,
  OriRemoveRedundantMultiDefMov: later,
  OriDoPredication: {
    none: "done after the SSA window, where guarded writes are natural: LateMergeEquivalentConditionalFlow",
  },
  LateVectorization: vectorize,
  LateOriCommoning: (func, context) => {
    const p = parametersOf(context);
    if (p.ForceLateCommoning) common(func, false, context);
  },
  GeneralOptimizeLate2: later,
  OriHoistInvariantsLate: (func, context) => {
    const p = parametersOf(context);
    if (p.HoistLate !== 3) hoistInvariants(func, p, p.HoistLate === 1, context.rewrites);
  },
  SinkCodeIntoBlock: (func, { rewrites }) => void sinkCode(func, rewrites),
  DoKillMovement: later,
  DoTexMovement: { none: "done by the schedulers within a block: ptxas 13.0.88 was seen to move none before a loop" },
  OriDoRemat: { none: "done when uniform values have left the registers: OriSplitHighPressureLiveRanges" },
  OriPropagateVaryingSecond: later,
  OptimizeSyncInstructions: later,
  AdvancedPhaseLateExpandSyncInstructions: hook,
  LateExpandSyncInstructions: { none: "nothing to do: lowering makes machine instructions" },
  ConvertAllMovPhiToMov: closeWindow,
  ConvertToUniformReg: uniformRegisters,
  LateArchOptimizeFirst: (func) => void joinHalves(func),
  UpdateAfterOptimize: update,
  AdvancedPhaseLateConvUnSup: hook,
  LateExpansionUnsupportedOps: { none: "nothing to do: lowering only makes what the SM has" },
  OriHoistInvariantsLate2: later,
  LateMergeEquivalentConditionalFlow: (func, context) => simplifyConditionalFlow(func, parametersOf(context)),
  LateExpansionUnsupportedOpsMid: { none: "nothing to do: lowering only makes what the SM has" },
  ExpandJmxComputation: expandJumpTables,
  LateArchOptimizeSecond: (func, { level }) => {
    if (level === 0 || !func.virtual) return;
    pairZeros(func);
    balancePipes(func);
  },
  AdvancedPhaseBackPropVReg: hook,
  OriBackCopyPropagate: later,
  OriPerformLiveDeadFourth: deadCode,
  OriPropagateGmma: {
    none: "nothing to do: which registers products in flight own is an analysis (lib/analysis/products.ts), made when it is asked for",
  },
  InsertPseudoUseDefForConvUR: { none: "nothing to do: slots say which readers take uniform registers" },
  FixupGmmaSequence: fixupGmmaSequence,
  OriSplitHighPressureLiveRanges: splitRanges,
  LateEnforceArgumentRestrictions: { none: "nothing to do: the allocator keeps bound values where they are" },
  OriHoistInvariantsLate3: later,
  AdvancedPhaseSetRegAttr: hook,
  OriSetRegisterAttr: { none: "nothing to do: attributes are computed when they are asked for" },
  OriCalcDependantTex: {
    none: "nothing to do: schedulers and control words see from operands which fetches depend on which",
  },
  AdvancedPhaseAfterSetRegAttr: hook,
  LateExpansionUnsupportedOps2: { none: "nothing to do: lowering only makes what the SM has" },
  FinalInspectionPass: check,
  SetAfterLegalization: { none: "nothing to do: milestones say it" },
  ReportBeforeScheduling: report,
  AdvancedPhasePreSched: hook,
  ScheduleInstructions: scheduleInstructions,
  UpdateAfterScheduleInstructions: update,
  BackPropagateVEC2D: graphics,
  OriDoSyncronization: { none: "nothing to do: lowering places barriers and fences" },
  UpdateAfterOriDoSyncronization: update,
  ApplyPostSyncronizationWars: { none: "nothing to do: control words cover all hazards" },
  ReportBeforeRegisterAllocation: report,
  AdvancedPhaseAllocReg: hook,
  AllocateRegisters: allocateRegisters,
  ReportAfterRegisterAllocation: report,
  UpdateAfterOriAllocateRegisters: update,
  Get64bRegComponents: { none: "nothing to do: registers are 32 bits wide, pairs are allocated as such" },
  AdvancedPhasePostExpansion: hook,
  PostExpansion: { none: "nothing to do: nothing waits for physical registers" },
  ApplyPostRegAllocWars: (func, { level }) => {
    if (level > 0) clearBarriers(func);
  },
  AdvancedPhasePostSched: hook,
  OriRemoveNopCode: (func, { level }) => {
    removeNops(func);
    if (level > 0) foldBranches(func, false);
  },
  OptimizeHotColdInLoop: later,
  OptimizeHotColdFlow: later,
  PostSchedule: postSchedule,
  AdvancedPhasePostFixUp: hook,
  PlaceBlocksInSourceOrder: { none: "nothing to do: the layout is in source order until optimizations move blocks" },
  PostFixForMercTargets: { none: "nothing to do: no Mercury" },
  FixUpTexDepBarAndSync: (func) => {
    guardCopies(func);
  },
  AdvancedScoreboardsAndOpexes: scoreboards,
  ProcessO0WaitsAndSBs: (func, { options }) => control(func, options.control ?? controlO0),
  PostFixUp: outlineGathered,
  MercConverter: { none: "no Mercury: lib/sass encodes Ori instructions directly" },
  MercEncodeAndDecode: { none: "no Mercury: tests decode what was encoded" },
  MercExpandInstructions: { none: "no Mercury" },
  MercGenerateWARs1: { none: "no Mercury: control words cover all hazards" },
  MercGenerateOpex: { none: "no Mercury" },
  MercGenerateWARs2: { none: "no Mercury: control words cover all hazards" },
  MercGenerateSassUCode: { none: "the stage after the phases: lib/sass encodes" },
  ComputeVCallRegUse: { none: "not built yet (indirect calls)" },
  CalcRegisterMap: { none: "nothing to do: the allocation is returned with its map" },
  UpdateAfterPostRegAlloc: update,
  ReportFinalMemoryUsage: report,
  AdvancedPhaseOriPhaseEncoding: hook,
  FormatCodeList: { none: "the stage after the phases: lib/sass encodes, lib/elf writes" },
  UpdateAfterFormatCodeList: update,
  DumpNVuCodeText: report,
  DumpNVuCodeHex: report,
  DebuggerBreak: { none: "nothing to do" },
  NOP: { none: "nothing to do" },
};
