/**
 * The phases in true order: the row's position is its number. The order is rebuilt from the wiki's pages 9 and 17
 * and from what others say of single phases; open are only the order among 13–15, 91 and 92, and where in 98–102 OriSplitHighPressureLiveRanges
 * stands. Phases are named, never numbered: the wiki's numbers (two where it lists a phase twice, none where it omits
 * it) are not positions (wiki page 17).
 *
 * A row: name, numbers on the wiki, its page with the most detail, category, the lowest optimization level that runs
 * the phase, and what it is for. There are three levels in effect: 0, 1, 2 and above (measured on ptxas 13.0.88). Measured are
 * OriLoopUnrolling and OriHoistInvariantsEarly 2, Vectorization 1, OriDoPredication 1, ProcessO0WaitsAndSBs only 0, removal of dead code
 * 0; PostSchedule's gate is read as "above 1" (wiki page 64); the other levels are judgement. What runs, or why nothing does, is said in bodies.ts.
 */
import type { Milestone } from "../ori/types.js";

const rows = [
  ["OriCheckInitialProgram", [0], "17", "validation", 0, "checks the function as it comes from lowering"],
  ["ApplyNvOptRecipes", [1], "17", "optimization", 0, "per-phase recipes of tuning parameters (wiki option 391)"],
  ["PromoteFP16", [2], "17", "lowering", 0, "f16 arithmetic in f32 where the SM lacks it"],
  ["AnalyzeControlFlow", [3], "17", "analysis", 0, "builds edges, orders blocks, estimates block frequencies"],
  ["AdvancedPhaseBeforeConvUnSup", [4], "17", "hook", 0, "hook ahead of the first legalization"],
  ["ConvertUnsupportedOps", [5], "31", "lowering", 0, "legalization: rewrites operations that the SM lacks"],
  ["SetControlFlowOpLastInBB", [6], "17", "cleanup", 0, "every transfer of control ends its block"],
  ["AdvancedPhaseAfterConvUnSup", [7], "17", "hook", 0, "hook after the first legalization"],
  ["UpdateAfterConvertUnsupportedOps", [132], "17", "update", 0, "refreshes analyses after the first legalization"],
  ["OriCreateMacroInsts", [8], "17", "lowering", 0, "expands macro operations into instruction sequences"],
  ["ReportInitialRepresentation", [9], "17", "report", 0, "dump of the initial IR"],
  ["EarlyOriSimpleLiveDead", [10], "26", "optimization", 0, "first, cheap removal of dead code"],
  ["ReplaceUniformsWithImm", [11], "30", "optimization", 1, "reads of uniform values that are known become immediates"],
  ["OriSanitize", [12], "17", "validation", 0, "checks the function once the setup is done"],
  ["GeneralOptimizeEarly", [13], "19", "optimization", 1, "bundle: copies, folding, simplification, dead code"],
  ["MergeEquivalentConditionalFlow", [133], "17", "optimization", 1, "joins conditional paths that do the same"],
  ["DoSwitchOptFirst", [14], "20", "optimization", 1, "switches become jump tables or decision trees, first time"],
  ["OriBranchOpt", [15], "20", "optimization", 1, "folds branches, drops unreachable blocks"],
  ["OriPerformLiveDeadFirst", [16], "26", "analysis", 0, "liveness and dead code, 1st of 4"],
  ["OptimizeBindlessHeaderLoads", [17], "17", "optimization", 0, "header loads of bindless textures"],
  ["OriLoopSimplification", [18], "21", "optimization", 1, "loops get one entry, one back edge, a preheader"],
  ["OriSplitLiveRanges", [19], "26", "optimization", 0, "splits live ranges at loop boundaries"],
  ["OriCopyProp", [], "23", "optimization", 1, "copy propagation on its own"],
  ["PerformPGO", [20], "17", "optimization", 0, "block frequencies from a profile"],
  ["OriStrengthReduce", [21], "22", "optimization", 1, "multiplications and divisions become shifts and adds"],
  ["OriLoopUnrolling", [22], "21", "optimization", 2, "loop unrolling"],
  ["GenerateMovPhi", [23], "17", "lowering", 1, "opens the SSA window: joins become MOV.PHI"],
  ["OriPipelining", [24], "21", "optimization", 2, "software pipelining"],
  ["StageAndFence", [25], "27", "lowering", 0, "staging of memory instructions and their fences"],
  ["OriRemoveRedundantBarriers", [26], "27", "optimization", 2, "drops barriers that change nothing"],
  ["AnalyzeUniformsForSpeculation", [27], "30", "analysis", 0, "finds uniform values that may be computed early"],
  ["SinkRemat", [28], "25", "optimization", 2, "moves cheap computations down to their uses"],
  ["OptimizeNaNOrZero", [], "17", "optimization", 0, "folds operations on NaN and zero"],
  ["GeneralOptimize", [29], "19", "optimization", 1, "bundle, middle-early"],
  ["DoSwitchOptSecond", [30], "20", "optimization", 1, "switches, second time"],
  ["OriLinearReplacement", [31], "17", "optimization", 0, "short branches become straight code"],
  ["CompactLocalMemory", [32], "17", "optimization", 0, "packs local memory"],
  ["ConvertMemoryToRegisterOrUniform", [], "19", "optimization", 0, "local memory slots become registers"],
  ["OriPerformLiveDeadSecond", [33], "26", "analysis", 0, "liveness and dead code, 2nd of 4"],
  ["ExtractShaderConstsFirst", [34], "17", "optimization", 0, "shader constants, first time"],
  ["OriHoistInvariantsEarly", [35], "21", "optimization", 2, "loop-invariant code moves out, first time"],
  ["Vectorization", [], "17", "optimization", 1, "adjacent memory accesses become wide ones"],
  ["EmitPSI", [36], "17", "lowering", 0, "pixel shader inputs"],
  ["GeneralOptimizeMid", [37], "19", "optimization", 1, "bundle, middle"],
  ["OptimizeNestedCondBranches", [38], "20", "optimization", 1, "flattens nested conditional branches"],
  ["ConvertVTGReadWrite", [39], "17", "lowering", 0, "vertex, tessellation and geometry shader accesses"],
  ["DoVirtualCTAExpansion", [40], "17", "lowering", 0, "virtual CTA operations"],
  ["MarkAdditionalColdBlocks", [41], "28", "analysis", 0, "marks blocks that rarely run"],
  ["ExpandMbarrier", [42], "27", "lowering", 0, "expands mbarrier operations"],
  ["ForwardProgress", [43], "17", "lowering", 0, "guarantees that spinning threads let others run"],
  ["OptimizeUniformAtomic", [44], "17", "optimization", 1, "atomics whose result nobody reads become reductions"],
  ["MidExpansion", [45], "31", "lowering", 0, "legalization of operations that depend on the SM"],
  ["AdvancedPhaseAfterMidExpansion", [134], "17", "hook", 0, "hook after the middle legalization"],
  ["GeneralOptimizeMid2", [46], "19", "optimization", 1, "bundle, middle, second time"],
  ["AdvancedPhaseEarlyEnforceArgs", [47], "17", "hook", 0, "hook ahead of the argument rules"],
  ["EnforceArgumentRestrictions", [48], "17", "lowering", 0, "places arguments of calls as the ABI demands"],
  ["GvnCse", [49], "23", "optimization", 2, "global value numbering"],
  ["OriCommoning", [], "23", "optimization", 1, "common subexpressions"],
  ["OriReassociateAndCommon", [50], "23", "optimization", 1, "reorders sums so that more is common"],
  ["ExtractShaderConstsFinal", [51], "17", "optimization", 0, "shader constants, last time"],
  ["OriReplaceEquivMultiDefMov", [52], "17", "optimization", 0, "merges equal moves to one register"],
  ["OriPropagateVaryingFirst", [53], "17", "optimization", 0, "divergence of values, first time"],
  ["OriDoRematEarly", [54], "25", "optimization", 2, "recomputes instead of keeping, before predication"],
  ["LateExpansion", [55], "31", "lowering", 0, "late legalization"],
  ["SpeculativeHoistComInsts", [56], "17", "optimization", 2, "hoists what both sides of a branch compute"],
  ["RemoveASTToDefaultValues", [57], "17", "cleanup", 0, "drops address space annotations"],
  ["GeneralOptimizeLate", [58], "19", "optimization", 1, "bundle, late"],
  ["OriLoopFusion", [59], "21", "optimization", 2, "fuses neighbouring loops"],
  ["DoVTGMultiViewExpansion", [60], "17", "lowering", 0, "multi-view expansion of graphics shaders"],
  ["OriSimpleLiveDead", [], "26", "optimization", 0, "cheap removal of dead code"],
  ["OriPerformLiveDeadThird", [61], "26", "analysis", 0, "liveness and dead code, 3rd of 4"],
  ["OriRemoveRedundantMultiDefMov", [62], "17", "optimization", 0, "drops moves that repeat what a register holds"],
  ["OriDoPredication", [63], "24", "optimization", 1, "if-conversion: short branches become predicated code"],
  ["LateVectorization", [], "17", "optimization", 1, "adjacent memory accesses, second time"],
  ["LateOriCommoning", [64], "23", "optimization", 0, "common subexpressions, after predication"],
  ["GeneralOptimizeLate2", [65], "19", "optimization", 1, "bundle, late, second time"],
  ["OriHoistInvariantsLate", [66], "21", "optimization", 2, "loop-invariant code, after predication"],
  ["SinkCodeIntoBlock", [], "17", "optimization", 1, "moves computations into the block that uses them"],
  ["DoKillMovement", [67], "17", "optimization", 0, "shortens live ranges at their ends"],
  ["DoTexMovement", [68], "17", "optimization", 0, "moves texture fetches away from their uses"],
  ["OriDoRemat", [69], "25", "optimization", 2, "recomputes instead of keeping, after predication"],
  ["OriPropagateVaryingSecond", [70], "17", "optimization", 0, "divergence of values, second time"],
  ["OptimizeSyncInstructions", [71], "27", "optimization", 2, "simplifies synchronization"],
  ["AdvancedPhaseLateExpandSyncInstructions", [135], "17", "hook", 0, "hook ahead of the expansion of synchronization"],
  ["LateExpandSyncInstructions", [72], "27", "lowering", 0, "expands synchronization into machine instructions"],
  ["ConvertAllMovPhiToMov", [73], "17", "lowering", 0, "closes the SSA window: MOV.PHI become copies on edges"],
  ["ConvertToUniformReg", [74], "30", "optimization", 1, "uniform values move to the uniform register file"],
  ["LateArchOptimizeFirst", [75], "17", "optimization", 1, "what only one SM profits from, first time"],
  ["UpdateAfterOptimize", [76], "17", "update", 0, "refreshes what the optimizations may have outdated"],
  ["AdvancedPhaseLateConvUnSup", [77], "17", "hook", 0, "hook ahead of the last legalization"],
  ["LateExpansionUnsupportedOps", [78], "31", "lowering", 0, "legalization after all optimizations"],
  ["OriHoistInvariantsLate2", [79], "21", "optimization", 2, "loop-invariant code, after that legalization"],
  ["LateMergeEquivalentConditionalFlow", [136], "17", "optimization", 1, "joins equal conditional paths, second time"],
  ["LateExpansionUnsupportedOpsMid", [137], "31", "lowering", 0, "legalization between the two"],
  ["ExpandJmxComputation", [80], "17", "lowering", 0, "address arithmetic of jump tables"],
  ["LateArchOptimizeSecond", [81], "17", "optimization", 0, "what only one SM profits from, second time"],
  ["AdvancedPhaseBackPropVReg", [82], "17", "hook", 0, "hook ahead of backward copy propagation"],
  ["OriBackCopyPropagate", [83], "23", "optimization", 1, "values are computed where their copies want them"],
  ["OriPerformLiveDeadFourth", [84], "26", "analysis", 0, "liveness and dead code, 4th of 4"],
  ["OriPropagateGmma", [85], "29", "optimization", 0, "accumulators of warp-group matrix operations"],
  ["InsertPseudoUseDefForConvUR", [86], "30", "lowering", 0, "marks registers for uniform conversion"],
  [
    "FixupGmmaSequence",
    [87],
    "29",
    "lowering",
    0,
    "products of warp groups: what is handed over to them, and waits where they are touched in flight",
  ],
  [
    "OriSplitHighPressureLiveRanges",
    [138],
    "32-34",
    "allocation",
    1,
    "wide registers of which nothing wants the words together come apart",
  ],
  ["LateEnforceArgumentRestrictions", [], "35", "lowering", 0, "argument rules again, after all rewriting"],
  ["OriHoistInvariantsLate3", [88], "21", "optimization", 2, "loop-invariant code, last time"],
  ["AdvancedPhaseSetRegAttr", [89], "17", "hook", 0, "hook ahead of the register attributes"],
  ["OriSetRegisterAttr", [90], "36-38", "analysis", 0, "attributes of registers for scheduler and allocator"],
  ["OriCalcDependantTex", [91], "17", "analysis", 0, "which texture fetches depend on one another"],
  ["AdvancedPhaseAfterSetRegAttr", [92], "17", "hook", 0, "hook after the register attributes"],
  ["LateExpansionUnsupportedOps2", [93], "31", "lowering", 0, "legalization, last time"],
  ["FinalInspectionPass", [94], "17", "validation", 0, "checks the function before scheduling and allocation"],
  ["SetAfterLegalization", [95], "17", "cleanup", 0, "from here on only legal instructions"],
  ["ReportBeforeScheduling", [96], "17", "report", 0, "dump ahead of scheduling"],
  ["AdvancedPhasePreSched", [97], "36-38", "hook", 0, "hook that starts the scheduler"],
  ["ScheduleInstructions", [], "36-38", "scheduling", 1, "list scheduling on virtual registers"],
  ["UpdateAfterScheduleInstructions", [], "17", "update", 0, "refreshes what the scheduler may have outdated"],
  ["BackPropagateVEC2D", [98], "17", "optimization", 0, "places of two-component vectors"],
  ["OriDoSyncronization", [99], "27", "scheduling", 0, "synchronization as the memory model demands"],
  ["UpdateAfterOriDoSyncronization", [], "17", "update", 0, "refreshes what synchronization may have outdated"],
  ["ApplyPostSyncronizationWars", [100], "27", "scheduling", 0, "write-after-read hazards of synchronization"],
  ["ReportBeforeRegisterAllocation", [], "65", "report", 0, "dump ahead of register allocation"],
  ["AdvancedPhaseAllocReg", [101], "32-34", "hook", 0, "hook that starts the allocator"],
  ["AllocateRegisters", [], "32-34", "allocation", 0, "virtual registers become physical ones"],
  ["ReportAfterRegisterAllocation", [102], "17", "report", 0, "dump after register allocation"],
  ["UpdateAfterOriAllocateRegisters", [], "17", "update", 0, "refreshes what the allocator may have outdated"],
  ["Get64bRegComponents", [103], "32-34", "allocation", 0, "64-bit registers become pairs where the SM needs it"],
  ["AdvancedPhasePostExpansion", [104], "17", "hook", 0, "hook that starts the expansion after allocation"],
  ["PostExpansion", [], "17", "lowering", 0, "expands what had to wait for physical registers"],
  ["ApplyPostRegAllocWars", [105], "17", "allocation", 0, "works around hazards that allocation exposes"],
  ["AdvancedPhasePostSched", [106], "17", "hook", 0, "hook after the scheduling phases"],
  ["OriRemoveNopCode", [107], "17", "cleanup", 0, "drops NOPs that served as placeholders"],
  ["OptimizeHotColdInLoop", [108], "28", "optimization", 1, "cold parts of loops move out of the way"],
  ["OptimizeHotColdFlow", [109], "28", "optimization", 1, "cold parts of the function move to its end"],
  ["PostSchedule", [110], "73", "scheduling", 2, "list scheduling on physical registers"],
  ["AdvancedPhasePostFixUp", [111], "17", "hook", 0, "hook that starts the final fix-ups"],
  ["PlaceBlocksInSourceOrder", [112], "17", "cleanup", 0, "lays blocks out in source order"],
  ["PostFixForMercTargets", [113], "44", "encoding", 0, "fix-ups that Mercury encoding needs"],
  ["FixUpTexDepBarAndSync", [114], "39", "scheduling", 0, "fix-ups of texture and synchronization barriers"],
  ["AdvancedScoreboardsAndOpexes", [115], "39", "scheduling", 1, "control words of optimized code"],
  ["ProcessO0WaitsAndSBs", [116, 139], "39", "scheduling", 0, "control words of -O0: wait for everything, always"],
  ["PostFixUp", [140], "17", "cleanup", 0, "final fix-ups of the SM: subroutines for gathered code before sm_90"],
  ["MercConverter", [141], "44", "encoding", 0, "Ori instructions become Mercury records"],
  ["MercEncodeAndDecode", [117, 142], "44", "encoding", 0, "encodes and decodes again, as a check"],
  ["MercExpandInstructions", [118, 143], "44", "encoding", 0, "expands Mercury instructions"],
  ["MercGenerateWARs1", [119, 144], "44", "encoding", 0, "write-after-read hazards, before expansion"],
  ["MercGenerateOpex", [120, 145], "44", "encoding", 0, "operation extensions of Mercury"],
  ["MercGenerateWARs2", [121, 146], "44", "encoding", 0, "write-after-read hazards, after expansion"],
  ["MercGenerateSassUCode", [122, 147], "44", "encoding", 0, "machine words"],
  ["ComputeVCallRegUse", [123, 148], "17", "allocation", 0, "registers used by indirect calls"],
  ["CalcRegisterMap", [124, 149], "32-34", "allocation", 0, "which physical register holds what"],
  ["UpdateAfterPostRegAlloc", [125, 150], "17", "update", 0, "refreshes what the last phases may have outdated"],
  ["ReportFinalMemoryUsage", [126, 151], "17", "report", 0, "memory the compiler used"],
  ["AdvancedPhaseOriPhaseEncoding", [127, 152], "17", "hook", 0, "hook: only encoding is left"],
  ["FormatCodeList", [153], "44", "encoding", 0, "lists the code for the object file"],
  ["UpdateAfterFormatCodeList", [128, 154], "17", "update", 0, "refreshes what the listing may have outdated"],
  ["DumpNVuCodeText", [129, 155], "17", "report", 0, "dump of the code as text"],
  ["DumpNVuCodeHex", [130, 156], "17", "report", 0, "dump of the code as numbers"],
  ["DebuggerBreak", [131, 157], "17", "cleanup", 0, "a place for a breakpoint"],
  ["NOP", [158], "17", "cleanup", 0, "the end"],
] as const;

/** What a phase is called in the table: `OriCopyProp` … */
export type PhaseName = (typeof rows)[number][0];

/** What a phase is about. */
export type Category =
  | "validation"
  | "analysis"
  | "lowering"
  | "optimization"
  | "cleanup"
  | "update"
  | "report"
  | "hook"
  | "allocation"
  | "scheduling"
  | "encoding";

/** A phase as the table has it. */
export interface PhaseRow {
  /** What options, records and events call it. */
  readonly name: PhaseName;
  /** True position. */
  readonly index: number;
  /** Numbers used on the wiki's pages; none where it omits the phase. */
  readonly wiki: readonly number[];
  /** Wiki page with the most detail. */
  readonly page: string;
  /** What it is about. */
  readonly category: Category;
  /** Lowest level that runs it. */
  readonly from: 0 | 1 | 2;
  /** Highest level that runs it, 2 for all. */
  readonly upTo: 0 | 2;
  /** What it does, in a few words. */
  readonly does: string;
  /** Milestone of the function once the phase has been passed, null when it is none. */
  readonly reaches: Milestone | null;
  /** Registers that the body works on; "ssa": virtual ones inside the SSA window; "any": it does not mind. */
  readonly needs: "virtual" | "ssa" | "physical" | "any";
  /** Cannot be left out: without it no correct code comes out. */
  readonly must: boolean;
}

const reaches: Readonly<Partial<Record<PhaseName, Milestone>>> = {
  OriCreateMacroInsts: "expanded",
  GenerateMovPhi: "ssa",
  LateExpansionUnsupportedOpsMid: "unsupported-ops-gone",
  OriSetRegisterAttr: "attributes-set",
  ScheduleInstructions: "scheduled",
  AllocateRegisters: "allocated",
  PostExpansion: "post-expanded",
  AdvancedScoreboardsAndOpexes: "controlled",
  ProcessO0WaitsAndSBs: "controlled",
};

const upTo: Readonly<Partial<Record<PhaseName, 0>>> = { ProcessO0WaitsAndSBs: 0 };

const must: readonly PhaseName[] = [
  "OriCheckInitialProgram",
  "AnalyzeControlFlow",
  "SetControlFlowOpLastInBB",
  "ConvertAllMovPhiToMov",
  "ExpandJmxComputation",
  "FixupGmmaSequence",
  "AllocateRegisters",
  "AdvancedScoreboardsAndOpexes",
  "ProcessO0WaitsAndSBs",
  "PostFixUp",
];

/** Bodies that rely on one definition per register. */
const inWindow: readonly PhaseName[] = [
  "GeneralOptimize",
  "OriHoistInvariantsEarly",
  "Vectorization",
  "GvnCse",
  "OriCommoning",
  "OriReassociateAndCommon",
  "SpeculativeHoistComInsts",
  "GeneralOptimizeLate",
  "LateVectorization",
  "OriHoistInvariantsLate",
  "SinkCodeIntoBlock",
];
const ofAnyRegisters: readonly PhaseName[] = ["AnalyzeControlFlow", "SetControlFlowOpLastInBB", "OriRemoveNopCode"];

/** Up to AllocateRegisters registers are virtual, after it physical; who only looks or belongs to the caller does not mind. */
const allocation = rows.findIndex(([name]) => name === "AllocateRegisters");

function needsOf(name: PhaseName, category: Category, index: number): PhaseRow["needs"] {
  if (inWindow.includes(name)) return "ssa";
  if (ofAnyRegisters.includes(name) || ["validation", "hook", "report", "update"].includes(category)) return "any";
  return index <= allocation ? "virtual" : "physical";
}

/** Pairs that must stand in this order, with the reason. */
export const order: readonly (readonly [first: PhaseName, then: PhaseName, why: string])[] = [
  ["AnalyzeControlFlow", "ConvertUnsupportedOps", "legalization may ask for dominance"],
  ["GenerateMovPhi", "ConvertAllMovPhiToMov", "the SSA window must close"],
  ["ConvertAllMovPhiToMov", "ScheduleInstructions", "copies take part in scheduling"],
  ["FinalInspectionPass", "AllocateRegisters", "operands are judged on virtual registers"],
  ["OriPerformLiveDeadFourth", "AllocateRegisters", "removal of dead code needs virtual registers"],
  ["AllocateRegisters", "PostSchedule", "its dependences are those of physical registers"],
  ["PostSchedule", "AdvancedScoreboardsAndOpexes", "control words belong to an order"],
  ["AllocateRegisters", "ProcessO0WaitsAndSBs", "spills and copies need control words too"],
  ["ProcessO0WaitsAndSBs", "PostFixUp", "subroutines are made of code with control words"],
  ["OriRemoveNopCode", "ProcessO0WaitsAndSBs", "a NOP may carry a wait once it has a control word"],
];

/** All phases in their order. */
export const phases: readonly PhaseRow[] = rows.map(([name, wiki, page, category, from, does], index) => ({
  name,
  index,
  wiki,
  page,
  category,
  from,
  upTo: upTo[name] ?? 2,
  does,
  reaches: reaches[name] ?? null,
  needs: needsOf(name, category, index),
  must: must.includes(name),
}));
