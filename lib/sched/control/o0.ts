/**
 * Control words: the 21 scheduling bits of every instruction. How they are chosen is a policy.
 */

import { type Form, form } from "../../isa/form.js";
import { drainDistance } from "../../isa/latency.js";
import { guardsOf } from "../../isa/timing.js";
import { newInst } from "../../ori/func.js";
import { type Control, type Func, type Inst, Kind, type MachineInst, type Operand } from "../../ori/types.js";
import type { Target } from "../../target/types.js";

/** Chooses the control word of each instruction. Policies are values: `controlO0` is the only one so far. */
export interface ControlPolicy {
  /** Name of the policy. */
  readonly name: string;
  /** The control word of an instruction. */
  control(inst: MachineInst, target: Target): Control;
}

/** Sets `control` on every instruction of a function; the milestone becomes "controlled". */
export function control(func: Func, policy: ControlPolicy = controlO0): void {
  if (policy === controlO0) padLongResults(func);
  for (const block of func.blocks) {
    for (const inst of block.insts) inst.control = policy.control(inst, func.target);
  }
  func.milestone = "controlled";
  func.generation++;
}

const touches = (inst: MachineInst, d: Operand): boolean =>
  [...inst.srcs, ...inst.dsts].some(
    (o) => o.kind === Kind.Reg && o.file === d.file && o.id < d.id + d.width && d.id < o.id + o.width,
  );

/** Cycles short of the end of a result when the instructions that follow in its block have come to one that touches it, or to the end. */
function shortBy(inst: MachineInst, rest: readonly MachineInst[], target: Target): number {
  let most = 0;
  inst.dsts.forEach((d, slot) => {
    if (d.kind !== Kind.Reg) return;
    const first = rest.findIndex((x) => touches(x, d));
    const between = 1 + (first < 0 ? rest.length : first);
    most = Math.max(most, drainDistance(inst, slot, target) - between * LONGEST_STALL);
  });
  return most;
}

/** Whether a result of the form may be there later than the longest stall. */
function isLong(inst: MachineInst, target: Target, known: Map<Form, boolean>): boolean {
  let long = known.get(inst.form);
  if (long === undefined) {
    long = inst.dsts.some((d, slot) => d.kind === Kind.Reg && drainDistance(inst, slot, target) > LONGEST_STALL);
    known.set(inst.form, long);
  }
  return long;
}

/** Products of matrices take longer than one stall: NOPs after them where what follows would come too soon. */
function padLongResults(func: Func): void {
  const known = new Map<Form, boolean>();
  for (const block of func.blocks) {
    const { insts } = block;
    for (let i = insts.length - 1; i >= 0; i--) {
      const inst = insts[i] as Inst;
      if (!isLong(inst, func.target, known)) continue;
      const rest = insts.slice(i + 1, i + 1 + FARTHEST);
      for (let missing = shortBy(inst, rest, func.target); missing > 0; missing -= LONGEST_STALL)
        insts.splice(i + 1, 0, newInst(func, form("NOP"), [], [], null, inst.loc));
    }
  }
}

/** "No scoreboard" in the word. */
const NONE = 7;
/** -O0 uses two scoreboards: results count on 0, operands on 1. */
const RESULT = 0;
const OPERANDS = 1;
/** The longest stall that four bits hold; longer than any fixed latency (measured on ptxas 13.0.88). */
const LONGEST_STALL = 15;
/** Instructions that may come before the end of the longest result. */
const FARTHEST = 4;

/** Waits for products of a warp group take no scoreboard beside (lib/isa/rows/warpgroup.ts); all before them are waited for already. */
export function waitsForGroups({ form }: MachineInst): boolean {
  return form.name.startsWith("WARPGROUP.DEPBAR") || form.name === "WARPGROUP.WAIT";
}

/**
 * ptxas -O0's rule: stall as long as possible, and wait for everything that is in flight, before every instruction
 * (measured on ptxas 13.0.88). Which scoreboards an instruction sets follows from its row in the instruction table.
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
