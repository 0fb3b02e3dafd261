/**
 * Control words: the 21 scheduling bits of every instruction. How they are chosen is a policy.
 */

import { guardsOf } from "../../isa/timing.js";
import type { Control, Func, MachineInst } from "../../ori/types.js";
import type { Target } from "../../target/types.js";

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

/** Waits for products of a warp group take no scoreboard beside (lib/isa/rows/warpgroup.ts); all before them are waited for already. */
function waitsForGroups({ form }: MachineInst): boolean {
  return form.name.startsWith("WARPGROUP.DEPBAR") || form.name === "WARPGROUP.WAIT";
}

/**
 * ptxas -O0's rule: stall as long as possible, and wait for everything that is under way, before every instruction
 * (digest E §2L.6, F §2C). Which scoreboards an instruction sets follows from its row in the instruction table.
 */
export const controlO0: ControlPolicy = {
  name: "O0",
  control(inst: MachineInst, target: Target): Control {
    const { write, read } = guardsOf(inst.form, target);
    return {
      stall: LONGEST_STALL,
      yield: 0,
      writeSb: write ? RESULT : NONE,
      readSb: read ? OPERANDS : NONE,
      wait: waitsForGroups(inst) ? 0 : (1 << RESULT) | (1 << OPERANDS),
      reuse: 0,
    };
  },
};
