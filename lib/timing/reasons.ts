/** Why a warp does not issue, named as NVIDIA's profilers name it (warp states). */
export const stallReasons = [
  "selected",
  "wait",
  "long_scoreboard",
  "short_scoreboard",
  "barrier",
  "branch_resolving",
  "no_instruction",
  "imc_miss",
  "gmma",
  "math_pipe_throttle",
  "mio_throttle",
  "lg_throttle",
  "dispatch_stall",
  "not_selected",
] as const;
/** One of `stallReasons`. */
export type StallReason = (typeof stallReasons)[number];

/** What each means, for tables and tooltips. */
export const reasonTexts: Readonly<Record<StallReason, string>> = {
  selected: "issued an instruction",
  wait: "the stall count of the instruction before",
  long_scoreboard: "a scoreboard of global, local or texture memory",
  short_scoreboard: "a scoreboard of shared memory, special functions or operands being read",
  barrier: "other warps at a CTA barrier",
  branch_resolving: "the stall of a jump",
  no_instruction: "the instruction has to be fetched",
  imc_miss: "a constant operand that is not in its cache",
  gmma: "products of the warp group that are in flight",
  math_pipe_throttle: "the pipe takes no instruction yet",
  mio_throttle: "the queue of shared memory and special functions is full",
  lg_throttle: "the queue of global and local memory is full",
  dispatch_stall: "register-file ports",
  not_selected: "another warp was chosen",
};
