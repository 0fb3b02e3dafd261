/**
 * What phases decided at which instruction, beside the rewrites that they count. A pass asks `saying(func)` once; while nobody listens that is
 * null, and no words are made. Who listens is kept by function, as results of analyses are.
 */
import type { Func, Inst } from "../ori/types.js";

/** Something that a phase decided. */
export interface Note {
  /** What was decided: `copy joined`, `branch becomes the end`. */
  readonly what: string;
  /** Id of the instruction that it is about. */
  readonly inst: number;
  /** Why; "" where `what` says it. */
  readonly why: string;
  /** Id of another instruction that took part, −1 for none. */
  readonly other: number;
}

/** Tells a decision at an instruction. */
export type Say = (what: string, at: Inst | null | undefined, why?: string, other?: Inst | null) => void;

const listeners = new WeakMap<Func, Say>();

/** Calls `hear` with what passes over the function decide while `run` runs. */
export function listening(func: Func, hear: (note: Note) => void, run: () => void): void {
  listeners.set(func, (what, at, why = "", other = null) => {
    if (at != null) hear({ what, inst: at.id, why, other: other?.id ?? -1 });
  });
  try {
    run();
  } finally {
    listeners.delete(func);
  }
}

/** How a pass tells its decisions; null: nobody listens. */
export function saying(func: Func): Say | null {
  return listeners.get(func) ?? null;
}
