/** What scheduling a function is told, and what it tells. */
import type { Block } from "../ori/types.js";
import type { MayUse } from "./budget.js";
import type { DagOptions } from "./build.js";
import type { Dag } from "./dag.js";
import type { Timeline } from "./estimate.js";
import type { ObserveChoice } from "./list.js";
import type { LatencyOverrides } from "./model.js";
import type { HeuristicParameters, OrderEstimate } from "./policy.js";

/** How a function is scheduled. */
export interface ScheduleOptions extends DagOptions, MayUse {
  /** Changes of the target's latencies; ignored when a `model` is given. */
  readonly latencies?: LatencyOverrides;
  /** Numbers of the heuristics to replace. */
  readonly parameters?: Partial<HeuristicParameters>;
  /** Latencies along edges between blocks. Default true. */
  readonly crossBlock?: boolean;
  /** Passes over blocks that may be tried in all (PostSchedBudget). Default: no limit. */
  readonly passBudget?: number;
  /** Trips that a loop is taken to make. Default: as the blocks' frequencies say. */
  readonly loopTrips?: number;
  /** Only blocks for which it says yes. Default all. */
  readonly select?: (block: Block) => boolean;
  /** Called at every choice; costs nothing when absent. */
  readonly observe?: ObserveChoice;
  /** Called with the dependence graph of every block that has instructions, also of those that are not selected. */
  readonly onGraph?: (graph: BlockGraph) => void;
}

/** What became of one block. */
export interface BlockReport {
  /** Id of the block. */
  readonly block: number;
  /** Instructions of the block. */
  readonly instructions: number;
  /** Estimated executions per run of the function. */
  readonly frequency: number;
  /** The order as given. */
  readonly before: OrderEstimate;
  /** The order as it is now. */
  readonly after: OrderEstimate;
  /** The policy whose order the block has now; "" when it kept its own. */
  readonly policy: string;
  /** Which of the passes tried left that order, from 0; −1 when the block kept its own. */
  readonly pass: number;
  /** Instructions that stand at another place than before. */
  readonly moved: number;
}

/** The dependence graph of a block as it stands before it is scheduled. Valid while who is told runs. */
export interface BlockGraph {
  /** Id of the block. */
  readonly block: number;
  /** Its instructions and their dependences. */
  readonly dag: Dag;
  /** Cycles after the block starts until what a node reads from outside is there; null: all there. */
  readonly entry: Int32Array | null;
  /** Cycles that a node's results are still waited for after the block; null: nobody waits. */
  readonly exit: Int32Array | null;
  /** When each instruction issues in the order given. */
  readonly timeline: Timeline;
}

/** What became of a function. */
export interface ScheduleReport {
  /** Name of the function. */
  readonly func: string;
  /** Name of the policy. */
  readonly policy: string;
  /** In layout order. */
  readonly blocks: readonly BlockReport[];
  /** Estimated cycles per run of the function: sum over the blocks of frequency × drain. */
  readonly before: number;
  /** Cycles of its orders now: frequency × cycles, summed over the blocks. */
  readonly after: number;
  /** Instructions that stand at another place of their block. */
  readonly moved: number;
  /** Registers of file R that blocks were allowed to keep live. */
  readonly limit: number;
}
