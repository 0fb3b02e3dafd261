/** Experiments as plain data: what is tried, and what came of it. */
import type { Weights } from "../sched/index.js";
import type { Needs } from "./needs.js";

/** What a point starts from: PTX to compile or a cubin to re-schedule. Paths are relative to the sweep file. */
export interface SweepInput {
  /** Names it in results; default: the path. */
  readonly name?: string;
  /** Path of a PTX file, to be compiled. */
  readonly ptx?: string;
  /** Path of a cubin, to be re-scheduled. */
  readonly cubin?: string;
  /** Launch file that runs it; without one there are no cycles and no results to check. */
  readonly launch?: string;
  /** What its points need of a machine. Default: what the sweep says. */
  readonly needs?: Needs;
}

/** Which blocks (or instructions) a move touches: this share of them, chosen by the seed. Default: all. */
export interface Chosen {
  /** Seed of the choice. Default 0. */
  readonly seed?: number;
  /** Share of the blocks, 0 to 1. Default 1. */
  readonly share?: number;
}

/** A change of the order of a cubin's instructions. A list of moves is replayed on the original order. */
export type Move =
  /** Each chosen block in the order of a named policy. */
  | ({
      /** Name of the policy. */
      readonly policy: string;
    } & Chosen)
  /** Each chosen block in the order of a weighted sum of what candidates know. */
  | ({
      /** What each feature weighs. */
      readonly weights: Weights;
      /** Whether blocks are filled from their start or their end. */
      readonly direction: "forward" | "backward";
    } & Chosen)
  /**
   * Each chosen block in its present order, instructions displaced by up to `reach` places where dependences allow: all
   * of them, or the share `density`.
   */
  | {
      /** Seed of the displacements. */
      readonly shuffle: number;
      /** Places that an instruction may move. */
      readonly reach: number;
      /** Share of the blocks, 0 to 1. */
      readonly share: number;
      /** Share of the instructions, 0 to 1. Default 1. */
      readonly density?: number;
    }
  /** Instructions move up into the blocks before theirs (lib/sched/hoist.ts), all that may or the chosen ones. */
  | ({
      /** Only what a scoreboard guards, or all that may. */
      readonly hoist: "loads" | "all";
    } & Chosen);

/** A sweep: every combination of its lists is a point. What is left out has one value, the default. */
export interface SweepSpec {
  /** Name of the sweep, for people. */
  readonly name: string;
  /** What points start from. */
  readonly inputs: readonly SweepInput[];
  /** PTX only. Default: the `.target` of the text. */
  readonly targets?: readonly string[];
  /** `-O`; PTX only. Default 3. */
  readonly levels?: readonly number[];
  /** `-maxrregcount`, 0 for none; PTX only. */
  readonly maxRegisters?: readonly number[];
  /** Values of knobs by name; PTX only. */
  readonly knobs?: Readonly<Record<string, readonly (string | number | boolean)[]>>;
  /** Scheduling policies by name; cubins only. `keep` leaves order and control words, `control` the order alone. */
  readonly policies?: readonly string[];
  /** Repetitions with random legal orders, one per seed; cubins only. */
  readonly shuffles?: {
    /** One point per seed. */
    readonly seeds: readonly number[];
    /** Places that an instruction may move. */
    readonly reach: number;
  };
  /** Who judges; default the timing model. */
  readonly objective?:
    | "model"
    | "clock"
    | {
        /** How the GPU is asked. */
        readonly clock: ClockSettings;
      };
  /** What a point may take; one that takes more is a row whose outcome says so. */
  readonly budget?: Budget;
  /** What every point needs of a machine. */
  readonly needs?: Needs;
}

/** What one point may take. */
export interface Budget {
  /** Warp-instructions of each launch in the simulator. Default 2,000,000,000. */
  readonly instructions?: number;
  /**
   * Seconds, on worker threads; loading the library is not counted. Which points stay within depends on the machine. Default: no
   * limit.
   */
  readonly seconds?: number;
  /** Cycles of all launches by the timing model, which stops there. Default: no limit. */
  readonly cycles?: number;
  /** MiB of the thread's heap, on worker threads (default 4096), and of the buffers of the launch file (by default what they ask for). */
  readonly memory?: number;
}

/** How a GPU is asked. */
export interface ClockSettings {
  /** Number of the GPU in the driver's order. Default 0. */
  readonly device?: number;
  /** Measurements of each code. Default 30. */
  readonly repetitions?: number;
  /** Most runs of all launches that are measured together, each on fresh buffers. Default 20. */
  readonly inARow?: number;
  /** Seconds, beyond what the base lets expect of all repetitions, after which a code is held to hang. Default 20. */
  readonly seconds?: number;
}

/** One point: all that is needed to repeat it. */
export interface Point {
  /** What it starts from. */
  readonly input: SweepInput;
  /** `sm_90`; "" for cubins. */
  readonly target: string;
  /** `-O`, 0 to 3. */
  readonly level: number;
  /** `-maxrregcount`, registers per thread; 0 for none. */
  readonly maxRegisters: number;
  /** Values of knobs by name. */
  readonly knobs: Readonly<Record<string, string | number | boolean>>;
  /** Cubins: null keeps order and control words. */
  readonly moves: readonly Move[] | null;
  /** Of the sweep's budget what decides about rows. */
  readonly budget?: Budget;
  /** No part of what the point is: rows are the same wherever it runs. */
  readonly needs?: Needs;
}

/** What the timing model says of the launches. */
export interface Estimated {
  /** Sums over the launches. */
  readonly cycles: number | null;
  /** Microseconds at the GPU's clock, sums over the launches. */
  readonly microseconds: number | null;
  /** Least of the launches. */
  readonly warpsPerSm: number | null;
}

/** What was measured, and all that is needed to measure it again. */
export interface Measured {
  /** Name of the GPU, version of its driver, rate of its SMs in MHz after the last repetition (null where that is not told). */
  readonly card: string | null;
  /** Version of the driver. */
  readonly driver: string | null;
  /** Rate of the SMs in MHz after the last repetition. */
  readonly clockMhz: number | null;
  /** How often it was measured, and how many runs of all launches were taken together each time. */
  readonly repetitions: number | null;
  /** Runs of all launches that were measured together. */
  readonly inARow: number | null;
  /** Microseconds of one run of all launches: median and least of the repetitions. */
  readonly median: number | null;
  /** Least of the repetitions, in microseconds. */
  readonly least: number | null;
  /** Time over that of the base in the same repetition, the median; null without a base. */
  readonly ratio: number | null;
  /** Between the quartiles of that ratio over the repetitions; without a base, of the times over their median. */
  readonly spread: number | null;
  /** SHA-256 of the base's cubin. */
  readonly baseHash: string | null;
}

/** What came of a point. Numbers that could not be had are null: of what judged nothing, of the model where another objective did. */
export interface Row extends Estimated, Measured {
  /** Hash of the point and of what its files held: rows with the same id are the same experiment. */
  readonly id: string;
  /** Name of the input. */
  readonly input: string;
  /** SHA-256 of the input, and of the launch file with the files that it names. */
  readonly inputHash: string;
  /** SHA-256 of the launch file and what it names; "" without one. */
  readonly launchHash: string;
  /** The SM: `sm_90`. */
  readonly target: string;
  /** `-O`; null for cubins. */
  readonly level: number | null;
  /** `-maxrregcount`, registers per thread; null for cubins. */
  readonly maxRegisters: number | null;
  /** As JSON. */
  readonly knobs: string;
  /** Of these the ones that no decision of the compilation asked for, with spaces between: they cannot have changed the code. Null: none, and for cubins. */
  readonly knobsNotRead: string | null;
  /** Moves of a cubin's order, as JSON. */
  readonly moves: string;
  /** `ok`, or what stopped it. */
  readonly outcome: string;
  /** Buffers are what the launch file expects. */
  readonly results: "as expected" | "different" | "not run";
  /** Findings of the hazard checker. */
  readonly hazards: number | null;
  /** Sums over the functions. */
  readonly instructions: number | null;
  /** Greatest of the functions. */
  readonly registers: number | null;
  /** Bytes of spills per thread; null where that is not known. */
  readonly spillBytes: number | null;
  /** SHA-256 of the cubin; "" where there is none. */
  readonly cubinHash: string;
  /** Version of ptxlab. */
  readonly version: string;
  /** Name of the objective that judged; null for the timing model. */
  readonly objective: string | null;
}
