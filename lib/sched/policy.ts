/**
 * What a scheduling policy is: a plain object that a notebook cell can write. At each step every instruction whose
 * dependences are met is a candidate; the rungs of the ladder are asked in order, and the first that tells two candidates
 * apart decides. What no rung decides, the order of the program does.
 *
 * ```ts
 * const mine: SchedulePolicy = {
 *   name: "mine", does: "long chains first", direction: "forward",
 *   ladder: [{ why: "critical path", by: (c) => c.ahead - c.stall }],
 * };
 * ```
 */
import type { Inst } from "../ori/types.js";
import type { Candidate } from "./candidate.js";
import type { SchedState } from "./state.js";

/** One criterion: the candidate with the greater number wins. `memory` is what the policy's `start` returned. */
export interface Rung<M = unknown> {
  /** What it asks for, as observers show it. */
  readonly why: string;
  /** A number for the candidate; the greatest wins. */
  by(candidate: Candidate, memory: M): number;
}

/** A list scheduler's criteria, in order. */
export interface SchedulePolicy<M = unknown> {
  /** Name in lists and options. */
  readonly name: string;
  /** One line for lists. */
  readonly does: string;
  /** Forward places instructions from the start of the block, backward from its end. */
  readonly direction: "forward" | "backward";
  /** The criteria, most important first. */
  readonly ladder: readonly Rung<M>[];
  /**
   * Only candidates after which the rest can follow, in the order that the pass starts from, within the register limits
   * (guard.ts): then no order needs more than the limits, or than the order before it. Forward only. Default false.
   */
  readonly withinLimits?: boolean;
  /** Called once per block; what it returns is handed to the rungs and to the functions below. */
  start?(state: SchedState): M;
  /** Called before each choice; `state.ready` holds the candidates. */
  before?(state: SchedState, memory: M): void;
  /** Called after each choice, before the instruction is placed. */
  after?(state: SchedState, winner: number, memory: M): void;
}

/** How good an order of a block is, as the scheduler's own model sees it. */
export interface OrderEstimate {
  /** Cycle in which the last instruction issues, plus one. */
  readonly cycles: number;
  /** Cycle in which the last result that somebody waits for is there. */
  readonly drain: number;
  /** Greatest number of live registers per file: R, UR, P, UP, B. */
  readonly maxLive: readonly number[];
}

/** What a strategy knows of a block when it decides about a pass. */
export interface BlockFacts {
  /** Instructions of the block. */
  readonly instructions: number;
  /** They themselves, in the order given. */
  readonly code: readonly Inst[];
  /** Registers of each file (R, UR, P, UP, B) that may be live. */
  readonly limits: readonly number[];
  /** The order as it stands now. */
  readonly now: OrderEstimate;
  /** The policy that made it, "" for the order given. */
  readonly policy: string;
  /** Estimated executions per run of the function. */
  readonly frequency: number;
  /**
   * A pass of the strategy proposed an order that exceeds the limits and needs more registers than the one before it, or some order fits
   * only because single registers take places in wide values.
   */
  readonly exceeded: boolean;
}

/** More registers of some file than allowed, and than the order needs that stands now. */
export function exceeds(after: OrderEstimate, { now, limits }: Pick<BlockFacts, "now" | "limits">): boolean {
  return limits.some((limit, f) => (after.maxLive[f] ?? 0) > Math.max(limit, now.maxLive[f] ?? 0));
}

/** One pass of a strategy over a block. */
export interface StrategyPass {
  /** The policy that proposes an order. */
  readonly policy: SchedulePolicy;
  /** Starts from the order given, whatever passes before did: an alternative, not a refinement. Default false. */
  readonly afresh?: boolean;
  /** Pressure as if each register of a wide value were one by itself. Default false. */
  readonly byRegister?: boolean;
  /** Whether to try it. Default: always. */
  when?(facts: BlockFacts): boolean;
  /** `accept` takes none but shorter orders (drain, then cycles): the pass need not run where no order can be. Default false. */
  readonly shortens?: boolean;
  /** Whether to take its order. Default: always. */
  accept?(after: OrderEstimate, facts: BlockFacts): boolean;
}

/**
 * Several passes over a block; each proposes an order, which stands when it is accepted, and the next one starts from it
 * (`Candidate.position`, and program order as the last rung): the wiki's backends are such.
 */
export interface ScheduleStrategy {
  /** Name in lists and options. */
  readonly name: string;
  /** One line for lists. */
  readonly does: string;
  /** The passes in their order. */
  readonly passes: readonly StrategyPass[];
  /** After them, where the block decides how many registers the function needs. Default: nothing. */
  readonly thrift?: Thrift;
}

/** The search for an order with fewer registers that takes no more cycles. */
export interface Thrift {
  /** Gives the order to start from, with as few as it can. */
  readonly least: SchedulePolicy;
  /** Makes an order from it within the limit that is tried; `by`: the policy whose order stands, null where it is the one given. */
  within(by: SchedulePolicy | null): SchedulePolicy;
}

/** A policy of one pass, or a strategy of several. */
export type Policy = SchedulePolicy | ScheduleStrategy;

/** Whether it has several passes. */
export function isStrategy(policy: Policy): policy is ScheduleStrategy {
  return "passes" in policy;
}

/** Numbers of the heuristics. Knobs set them by name (lib/knobs). */
export interface HeuristicParameters {
  /** Registers that pressure may reach before it is "over"; null: from limit and occupancy (budget.ts). */
  readonly registerTarget: number | null;
  /** Registers below the target that are kept free (knob SchedMaxRLiveOKslack; wiki page 36: 3). */
  readonly okSlack: number;
  /** The same in blocks that run less often than the function (SchedMaxRLiveOKslackColdBlocks; −1: as elsewhere). */
  readonly okSlackCold: number;
  /** Where careful starts, below the budget; null: a sixteenth (SchedMaxRLiveCarefulSlack, wiki page 37). */
  readonly carefulSlack: number | null;
  /** Waiting barrier targets that make the critical path count (SchedReadAvailTarget; 4). */
  readonly depth: number;
  /** Instructions of a batch (SchedTexBatchTarget…; at most 16). */
  readonly batchTarget: number;
  /** Loads that may be in flight per batch (SchedCountLoadsPerTex; 3). */
  readonly batchStall: number;
  /** Candidates looked at per choice; the others wait in the order of their remaining paths. */
  readonly lookahead: number;
  /** Blocks in which batches are tried, and in which the order with fewest registers is (SchedDynBatchBudget, SchedReduceRegBudget). */
  readonly batchBudget: number;
  /** Blocks in which the order with fewest registers is tried. */
  readonly reduceBudget: number;
  /** Instructions more in a batch (SchedLDGBatchDelayBias). */
  readonly batchBias: number;
  /** What no bit of the priority decides: the longest path first, or program order (SchedPrefFurthestDep, PreserveSchedOrderSame). */
  readonly furthest: boolean;
  /** What no bit of the priority decides stays in program order. */
  readonly keepSame: boolean;
  /** Registers are kept few enough for all warps that could run: not if 0; with this factor (RegTgtSelHigherWarpCntHeur…). */
  readonly warpCount: number;
  /** Factor of those warps. */
  readonly warpCountScale: number;
  /** Registers more for functions with matrix instructions (RegTgtLowerLimitMMASlack). */
  readonly mmaSlack: number;
}

/** What the heuristics take when no knob says otherwise. */
export const defaultParameters: HeuristicParameters = {
  registerTarget: null,
  okSlack: 3,
  okSlackCold: -1,
  carefulSlack: null,
  depth: 4,
  batchTarget: 16,
  batchStall: 3,
  lookahead: 96,
  batchBudget: Number.POSITIVE_INFINITY,
  reduceBudget: Number.POSITIVE_INFINITY,
  batchBias: 0,
  furthest: false,
  keepSame: false,
  warpCount: 1,
  warpCountScale: 1,
  mmaSlack: 0,
};
