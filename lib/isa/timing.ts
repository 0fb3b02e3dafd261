/**
 * Which instructions have a fixed latency and which are guarded by scoreboards, per target. Measured from the control
 * words of ptxas -O0, which guards every instruction the same way each time (measured on ptxas 13.0.88; test/oracle/sass-control).
 */
import type { Target } from "../target/types.js";
import { rowOf } from "./form.js";
import type { TimeClass } from "./row.js";
import type { Form } from "./types.js";

/** Scoreboards an instruction needs: for its results, and for its operands still being read. */
export interface Guards {
  /** Its result is guarded by a scoreboard. */
  readonly write: boolean;
  /** Its operands are: they are read late. */
  readonly read: boolean;
}

const fixed: Guards = { write: false, read: false };
const byClass: Readonly<Record<Exclude<TimeClass, "fp64" | "mma" | "imma" | "r2ur">, Guards>> = {
  fixed,
  result: { write: true, read: true },
  operands: { write: false, read: true },
  write: { write: true, read: false },
};

/** The scoreboards of a form on a target. Pseudo instructions have none. */
export function guardsOf(form: Form, target: Target): Guards {
  return guardsOfTime(rowOf(form).row.time ?? "fixed", target);
}

export function guardsOfTime(time: TimeClass, target: Target): Guards {
  if (time === "fp64") return target.has("fixedLatencyFp64") ? fixed : byClass.result;
  if (time === "mma") return target.has("fixedLatencyMma") ? fixed : byClass.result;
  if (time === "imma") return target.has("fixedLatencyImma") ? fixed : byClass.result;
  if (time === "r2ur") return target.has("fixedLatencyR2ur") ? fixed : byClass.result;
  return byClass[time];
}

/** Fixed: the result is there after a number of cycles known at compile time. */
export function latencyClass(form: Form, target: Target): "fixed" | "variable" {
  return guardsOf(form, target) === fixed ? "fixed" : "variable";
}
