/**
 * Control words: the 21 scheduling bits of every instruction. How they are chosen is a policy.
 */
import { InternalError } from "../errors.js";
import type { Control, Func, MachineInst } from "../ori/types.js";
import { rowOf } from "../sass/isa/form.js";
import type { Target } from "../target/types.js";

/** Chooses the control word of each instruction. Policies are values: `controlO0` is the only one so far. */
export interface ControlPolicy {
  readonly name: string;
  control(inst: MachineInst, target: Target): Control;
}

/** Sets `control` on every instruction of a function; the milestone becomes "controlled". */
export function control(func: Func, policy: ControlPolicy = controlO0): void {
  for (const block of func.blocks) {
    for (const inst of block.insts) inst.control = policy.control(inst, func.target);
  }
  func.milestone = "controlled";
  func.generation++;
}

/** "No scoreboard" in the word. */
const NONE = 7;
/** -O0 uses two scoreboards: results count on 0, operands on 1. */
const RESULT = 0;
const OPERANDS = 1;
/** The longest stall that four bits hold; longer than any fixed latency (digest E §2L.2). */
const LONGEST_STALL = 15;

/**
 * ptxas -O0's rule: stall as long as possible, and wait for everything that is under way, before every instruction
 * (digest E §2L.6, F §2C). Which scoreboards an instruction sets follows from its row in the instruction table.
 */
export const controlO0: ControlPolicy = {
  name: "O0",
  control(inst: MachineInst, target: Target): Control {
    const [writeSb, readSb] = scoreboards(inst, target);
    const wait = (1 << RESULT) | (1 << OPERANDS);
    return { stall: LONGEST_STALL, yield: 0, writeSb, readSb, wait, reuse: 0 };
  },
};

function scoreboards(inst: MachineInst, target: Target): readonly [write: number, read: number] {
  const { time } = rowOf(inst.form).row;
  switch (time) {
    case "fixed":
      return [NONE, NONE];
    case "result":
      return [RESULT, OPERANDS];
    case "operands":
      return [NONE, OPERANDS];
    case "write":
      return [RESULT, NONE];
    case "fp64":
      return target.has("fixedLatencyFp64") ? [NONE, NONE] : [RESULT, OPERANDS];
    case "r2ur":
      return target.has("fixedLatencyR2ur") ? [NONE, NONE] : [RESULT, OPERANDS];
    default:
      throw new InternalError(`${inst.form.name} has no latency class`, { phase: "ProcessO0WaitsAndSBs" });
  }
}
