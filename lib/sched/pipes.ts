/**
 * Two views of what an instruction occupies. Issue intervals hold between instructions of one execution pipe of the
 * latency tables. The resource vectors of the priority function count by the ten pipes of wiki page 37,
 * which lump some of those together and split shared memory off.
 */
import type { Form } from "../isa/form.js";
import type { Pipe } from "../isa/latency.js";

/** Execution pipes in a fixed order; `Occupancy.pipe` is an index. */
export const executionPipes: readonly Pipe[] = [
  "ALU",
  "FMA",
  "FP16",
  "FP64",
  "XU",
  "LSU",
  "TEX",
  "TENSOR",
  "UDP",
  "CBU",
  "ADU",
  "DISPATCH",
];

export function pipeIndex(pipe: Pipe): number {
  return executionPipes.indexOf(pipe);
}

/** The ten resources, in the order of the vector; `Occupancy.resource` is an index. */
export const resources = [
  "ALU",
  "FP32",
  "FP64",
  "tensor",
  "load/store",
  "texture",
  "control",
  "shared",
  "special function",
  "uniform",
] as const;
/** One of `resources`. */
export type ResourceName = (typeof resources)[number];

const resourceIndex: Readonly<Record<Pipe, number>> = {
  ALU: 0,
  FMA: 1,
  FP16: 1,
  FP64: 2,
  TENSOR: 3,
  LSU: 4,
  TEX: 5,
  CBU: 6,
  ADU: 6,
  XU: 8,
  UDP: 9,
  DISPATCH: 6,
};

/** Index into `resources` of a form that occupies an execution pipe. */
export function resourceOf(form: Form, pipe: Pipe): number {
  return pipe === "LSU" && form.memory?.space === "shared" ? 7 : resourceIndex[pipe];
}
