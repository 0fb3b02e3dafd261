/**
 * Who judges a code: the timing model, the clock of a GPU (clock/clock.ts), or a value that a person passes. The model answers
 * at once and always the same; a clock is asked over and over, so its answer has a spread.
 */
import { ok, type Result } from "../result.js";
import type { Place } from "./files.js";
import type { Estimated, Measured, Row } from "./types.js";

/** A code to judge. */
export interface Candidate {
  /** The code to judge. */
  readonly cubin: Uint8Array;
  /** The code that it is compared with: measured in turn with it, so that what changes on the GPU meanwhile meets both. */
  readonly base: Uint8Array | null;
  /** Name of the launch file in `place`. */
  readonly launch: string;
  /** Folder that names start at; on the worker of a queue the path of each file by its name. */
  readonly place: Place;
  /** Findings of the hazard checker on the cubin, where they are known already. */
  readonly hazards: number | null;
}

/** What an objective says of a candidate. */
export interface Judgement {
  /** `ok`, or what stopped it. */
  readonly outcome: string;
  /** Whether buffers are what the launch file expects. */
  readonly results: Row["results"];
  /** What the timing model says; null where it was not asked. */
  readonly estimated: Estimated | null;
  /** What a clock says; null where none was asked. */
  readonly measured: Measured | null;
}

/** Who judges candidates. */
export interface Objective {
  /** Name in rows and messages. */
  readonly name: string;
  /**
   * Asked before the first code, as often as one likes. Fails where it cannot judge at all (no GPU, no driver). The text tells
   * this judge from others of the same name: it goes into the ids of rows, so that no row is taken for one of another card.
   */
  readonly open: () => Promise<Result<string>>;
  /** Never throws for the code: what is wrong with that is the outcome. */
  readonly judge: (candidate: Candidate) => Promise<Judgement>;
  /** Gives back what it holds. It may be opened again. */
  readonly close: () => Promise<void>;
}

/** The timing model. `execute` asks it on the worker threads. */
export const model: Objective = {
  name: "model",
  open: async () => ok(""),
  judge: async ({ cubin, launch, place }) => {
    const { launched } = await import("./launched.js");
    const { outcome = "ok", results, ...estimated } = launched(cubin, launch, place);
    return { outcome, results, estimated, measured: null };
  },
  close: async () => {},
};

/** What is made small: cycles under the model, else the ratio to the base, or the median time without one. */
export function scoreOf(row: Row): number | null {
  return row.objective === null ? row.cycles : (row.ratio ?? row.median);
}
