/**
 * Switches, budgets and thresholds of the optimizer, by the names of the knobs that set them (lib/knobs). Defaults are what the
 * phases do by themselves. What a phase has no counterpart for is not here, and its knob stays refused.
 */
import { type OnKnob, watched } from "../knobs/reads.js";
import type { PhaseContext } from "./types.js";

/** All parameters, by the names of their knobs. */
export interface PhaseParameters {
  /** Loops that test at their top are turned; most instructions of a top that is copied. */
  readonly LoopInversion: boolean;
  /** Most instructions of a top that is copied. */
  readonly LoopInversionBudget: number;
  /** Most instructions that leave a loop, all and computations alone; 0: no limit. */
  readonly HoistBudget: number;
  /** Most computations that leave a loop; 0: no limit. */
  readonly HoistLoopInvBudget: number;
  /** Budgets of a loop inside of another one are divided by this. */
  readonly HoistConservativeScale: number;
  /** Invariants leave loops that lie in others. */
  readonly DisableNestedHoist: boolean;
  /** Most instructions of a loop inside of another one, and of that other one, for invariants to leave the inner one; 0: no limit. */
  readonly NestedHoistInnerThreshold: number;
  /** Most instructions of the loop around, for invariants to leave the inner one; 0: no limit. */
  readonly NestedHoistOuterThreshold: number;
  /** OriHoistInvariantsLate: 0 all loops, 1 those without a loop inside, 3 none. */
  readonly HoistLate: number;
  /** Invariant loads of constant banks leave loops. */
  readonly HoistCBOLoad: number;
  /** How many loops such a load leaves; 0: no limit. Percent of the registers for what leaves a loop that such loads may fill. */
  readonly HoistCBOLoadIDOMTravseLimit: number;
  /** Percent of the registers that invariant loads of constants may fill. */
  readonly HoistCBORRegPressureLimitApplyRate: number;
  /** From 1 on copies and literals leave loops like computations. */
  readonly MovWeightForSinkingHoisting: number;
  /** What both ways of a branch compute is computed before it. */
  readonly SpeculativeHoistCommonInsts: boolean;
  /** Values are shared across blocks; 402: 0 not at all, 1 in a block, 2 and more across blocks. */
  readonly EnableGvnCse: boolean;
  /** Where values are shared: 0 nowhere, 1 in a block, 2 and more across blocks. */
  readonly EnableGvnCseMode: number;
  /** LateOriCommoning runs. */
  readonly ForceLateCommoning: boolean;
  /** Equal literals in different registers do not count as equal. */
  readonly DisableMoveCommoning: boolean;
  /** Reads that a run of copy propagation changes, all, and those whose copy stands in another block. */
  readonly CopyPropBudget: number;
  /** Reads whose copy stands in another block that a run of copy propagation changes. */
  readonly CopyPropGlobalBudget: number;
  /** Addresses of memory accesses are read through copies; so are words of constant banks as operands. */
  readonly CopyPropAddr: boolean;
  /** Words of constant banks are read through copies. */
  readonly CopyPropConstantBank: boolean;
  /** Budgets of copies do not hold across blocks; predicates keep their copies, all, and those from another block. */
  readonly CopyPropForceGlobal: boolean;
  /** Predicates and uniform registers keep their copies. */
  readonly CopyPropNoWriteNonRR: boolean;
  /** Predicates keep copies from other blocks. */
  readonly CmpToMovPredCrossBlockDisable: boolean;
  /** Copies that are joined with what they copy, most. */
  readonly BackCopyPropBudget: number;
  /** Stores that nobody reads stay. */
  readonly DisableDeadStoreElimination: boolean;
  /** Branches do not become guards. */
  readonly DisablePredication: boolean;
  /** Equal arms of branches stay apart. */
  readonly DisableMergeEquivalentConditionalFlow: boolean;
  /** Rounds of LateMergeEquivalentConditionalFlow. */
  readonly MergeEquivalentConditionalFlowBudget: number;
  /** Uniform registers are not used; loads of constants, special registers stay with the lanes; neighbouring loads stay apart. */
  readonly DisableUreg: boolean;
  /** Loads of constants stay with the lanes. */
  readonly DisableForceLDCTOLDCUConv: boolean;
  /** Reads of special registers stay with the lanes. */
  readonly DisableSopSr: boolean;
  /** Neighbouring loads stay apart. */
  readonly DisableReadVectorization: boolean;
  /** Neighbouring stores of shared and local memory stay apart. */
  readonly DisableWriteVectorization: boolean;
  /** Rewrites by rules of a group: none of them applies. */
  readonly FPRefactoringDisable: boolean;
  /** Rules that make comparisons predicates do not apply. */
  readonly DisableCmpToPred: boolean;
  /** Rules that fold float arithmetic do not apply. */
  readonly FPFoldDisable: boolean;
  /** Rules that take strides into addresses do not apply. */
  readonly DisableStrideOnAddr: boolean;
  /** Rules that take 64-bit sums into addresses do not apply. */
  readonly DisableLongIntArithAddressFolding: boolean;
  /** Rules that fold what depends on constants do not apply. */
  readonly DisableDependentConstExpr: boolean;
  /** How many products of products, shifts of products … a function's rules may make in a phase. */
  readonly DistributeAndReassociateMulBudget: number;
}

export const phaseParameters: PhaseParameters = {
  LoopInversion: true,
  LoopInversionBudget: 16,
  HoistBudget: 0,
  HoistLoopInvBudget: 0,
  HoistConservativeScale: 10,
  DisableNestedHoist: false,
  NestedHoistInnerThreshold: 0,
  NestedHoistOuterThreshold: 0,
  HoistLate: 0,
  HoistCBOLoad: 1,
  HoistCBOLoadIDOMTravseLimit: 0,
  HoistCBORRegPressureLimitApplyRate: 100,
  MovWeightForSinkingHoisting: 0,
  SpeculativeHoistCommonInsts: true,
  EnableGvnCse: true,
  EnableGvnCseMode: 2,
  ForceLateCommoning: false,
  DisableMoveCommoning: false,
  CopyPropBudget: Number.POSITIVE_INFINITY,
  CopyPropGlobalBudget: Number.POSITIVE_INFINITY,
  CopyPropAddr: true,
  CopyPropConstantBank: true,
  CopyPropForceGlobal: false,
  CopyPropNoWriteNonRR: false,
  CmpToMovPredCrossBlockDisable: false,
  BackCopyPropBudget: Number.POSITIVE_INFINITY,
  DisableDeadStoreElimination: false,
  DisablePredication: false,
  DisableMergeEquivalentConditionalFlow: false,
  MergeEquivalentConditionalFlowBudget: Number.POSITIVE_INFINITY,
  DisableUreg: false,
  DisableForceLDCTOLDCUConv: false,
  DisableSopSr: false,
  DisableReadVectorization: false,
  DisableWriteVectorization: false,
  FPRefactoringDisable: false,
  DisableCmpToPred: false,
  FPFoldDisable: false,
  DisableStrideOnAddr: false,
  DisableLongIntArithAddressFolding: false,
  DisableDependentConstExpr: false,
  DistributeAndReassociateMulBudget: Number.POSITIVE_INFINITY,
};

/** The parameters of a phase: what the options of the run say, else the defaults. */
export function parametersOf(context: Pick<PhaseContext, "options" | "phase">): PhaseParameters {
  const { parameters } = context.options;
  const values = parameters === undefined ? phaseParameters : { ...phaseParameters, ...parameters };
  return watched(values, phaseParameters, readerOf(context, "optimizer"));
}

/** Who is told of the options of a component that a phase reads; undefined: nobody. */
export function readerOf(
  { options, phase }: Pick<PhaseContext, "options" | "phase">,
  component: string,
): OnKnob | undefined {
  const { onKnob } = options;
  return onKnob && ((option, value, otherwise) => onKnob(component, option, value, otherwise, phase));
}
