/** What the phase manager takes, tells and returns. */
import type { Diagnostic } from "../diagnostics.js";
import type { Func } from "../ori/types.js";
import type { AllocationOptions, AllocationResult } from "../regalloc/types.js";
import type { CombineRule } from "../rules/index.js";
import type { AssignOptions, ControlPolicy, ScheduleReport, ScheduleSettings } from "../sched/index.js";
import type { Metrics } from "./metrics.js";
import type { Note } from "./notes.js";
import type { PhaseParameters } from "./parameters.js";
import type { Rewrite, RewriteCounter } from "./rewrites.js";
import type { Category, PhaseName } from "./table.js";
import type { UnrollLimits } from "./unroll-cost.js";

/** What a phase sees besides the function. */
export interface PhaseContext {
  /** The phase that runs. */
  readonly phase: PhaseName;
  /** Effective optimization level. */
  readonly level: 0 | 1 | 2;
  /** Parameter given in NamedPhases, null when none. */
  readonly parameter: string | null;
  /** Options of the run. */
  readonly options: PhaseOptions;
  /** After the phase `plainAfter`: nothing is improved any more. */
  readonly plain?: boolean;
  /** Counts what the phase rewrites, and says when it must stop. */
  readonly rewrites: RewriteCounter;
  /** For problems of the input. An error or fatal one ends the run after this phase. */
  report(diagnostic: Diagnostic): void;
}

/** Edits the function in place. */
export type PhaseBody = (func: Func, context: PhaseContext) => void;

/** Names of the AdvancedPhase hooks: places where a researcher's function runs, empty by default. */
export type HookName = Extract<PhaseName, `AdvancedPhase${string}`>;

/** How phases run. */
export interface PhaseOptions {
  /** 0…3; 3 is the same as 2. Default: that of the run that brought the function here, else 2. */
  readonly level?: number;
  /** First phase of the run. Default: the one after the last that the function has passed (`func.passed`), so that a run goes on. */
  readonly from?: PhaseName;
  /** Last phase of the run. Default: the last of all. */
  readonly to?: PhaseName;
  /** The run ends before this phase. */
  readonly stopBefore?: PhaseName;
  /** Verify the IR before the first phase and after every phase that ran; a finding throws InternalError. */
  readonly verify?: boolean;
  /** Called before and after every phase that runs. Must not edit the function; `event.snapshot()` gives a copy. */
  readonly observe?: (event: PhaseEvent) => void;
  /** Runs only these phases, in this order, besides those that cannot be left out: `A,parameter+B`. */
  readonly namedPhases?: string;
  /** Skips these phases: `A+B`. */
  readonly disablePhases?: string;
  /** Functions to run at hooks. */
  readonly hooks?: Partial<Record<HookName, PhaseBody>>;
  /** Other bodies than the built-in ones, by phase. */
  readonly bodies?: Partial<Record<PhaseName, PhaseBody>>;
  /** Thresholds of OriLoopUnrolling; what is left out is as ptxas has it. */
  readonly unroll?: Partial<UnrollLimits>;
  /** Switches, budgets and thresholds of the optimizer. */
  readonly parameters?: Partial<PhaseParameters>;
  /** Optimizing phases that run; the others are left out (NumOptPhasesBudget, as a search for the first that does harm turns it). Default: all. */
  readonly phaseBudget?: number;
  /** Optimizing phases that run at the level given; the others at -O1 (OptBudget). Default: all. */
  readonly levelBudget?: number;
  /** What comes after this phase runs as at -O0: the function is finished plainly as this phase left it. */
  readonly plainAfter?: PhaseName;
  /** Counts, and limits, the rewrites of one phase over all functions that are run with these options. */
  readonly rewrites?: {
    /** The phase whose rewrites are counted and gated. */
    readonly phase: PhaseName;
    /** Who counts them and says which may happen. */
    readonly counter: RewriteCounter;
  };
  /** Rules of the caller, tried before the built-in ones in the phases that apply rules. */
  readonly rules?: readonly CombineRule[];
  /** For AllocateRegisters. */
  readonly allocation?: AllocationOptions;
  /** Called with what the allocator decided. */
  readonly onAllocation?: (result: AllocationResult) => void;
  /** Policies and parameters of the scheduling phases. Default: what the level says (schedule.ts). */
  readonly schedule?: ScheduleSettings;
  /** Called with what ScheduleInstructions and PostSchedule did. */
  readonly onSchedule?: (report: ScheduleReport, phase: PhaseName) => void;
  /** Most rewrites by rules in each phase that applies them; default: no limit. */
  readonly rewriteBudget?: number;
  /** Called with each single rewrite that a phase counts, at the moment at which it is made. */
  readonly onRewrite?: (rewrite: Rewrite, phase: PhaseName) => void;
  /** Called with what phases decide at single instructions beside the rewrites that they count. */
  readonly onDecision?: (note: Note, phase: PhaseName) => void;
  /** Called after each such phase with how often it applied each rule, by name. */
  readonly onRewrites?: (hits: ReadonlyMap<string, number>, phase: PhaseName) => void;
  /** Called when a phase first reads an option that a knob sets: the component, what `OnKnob` is told, and the phase. */
  readonly onKnob?: (component: string, option: string, value: unknown, otherwise: unknown, phase: PhaseName) => void;
  /** The control pass of -O1 and above: its policy, and who observes it. */
  readonly assign?: AssignOptions;
  /** A rule per instruction in place of the level's control words. Default at -O0 `controlO0`. */
  readonly control?: ControlPolicy;
}

/** A moment of the run. Valid while the observer runs: later the function has moved on. */
export interface PhaseEvent {
  /** Whether the phase is about to run or has run. */
  readonly kind: "before" | "after";
  /** Which phase it is, by name. */
  readonly phase: PhaseName;
  /** True position in the table of phases. */
  readonly index: number;
  /** What it is about. */
  readonly category: Category;
  /** The function as it stands; a view that the next phase edits. */
  readonly func: Func;
  /** The phase edited something. False in "before" events. */
  readonly changed: boolean;
  /** Figures of the function, each computed when it is asked for. */
  readonly metrics: Metrics;
  /** Complete copy of the function. */
  snapshot(): Func;
  /** The function as text. */
  text(): string;
}

/** What became of one phase. */
export interface PhaseRecord {
  /** Which phase it is, by name. */
  readonly phase: PhaseName;
  /** Its place in the table, from 0. */
  readonly index: number;
  /** It ran: its level was reached and nothing disabled it. */
  readonly ran: boolean;
  /** Why it did not run, "" when it did. */
  readonly why: string;
  /** Edits made, as counted by the function's generation. */
  readonly edits: number;
  /** Instructions and values after the phase. */
  readonly instructions: number;
  /** Virtual registers after it. */
  readonly values: number;
}

/** What a run of phases tells. */
export interface PhaseRun {
  /** The function given, edited. */
  readonly func: Func;
  /** In the order of execution; one record for each phase between the first and the last of the run, also of those left out. */
  readonly records: readonly PhaseRecord[];
}
