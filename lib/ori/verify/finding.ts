/** What the verifier can find. Every rule has a name, so that tests and tables can speak about it. */
import type { Block, Inst, Milestone } from "../types.js";
import { milestones } from "../types.js";

/** The rules of the IR, by name: what each demands. */
export const rules = {
  "block-id": "block ids are unique and below nextBlock",
  "inst-id": "instruction ids are unique and below nextInst",
  empty: "a function has an entry block",
  transfer: "a transfer of control is the last instruction of its block",
  "falls-off": "control does not run past the last block",
  edges: "successors are the fall-through, then the branch targets in operand order, each once",
  preds: "predecessors are exactly the blocks that have this one as a successor, each once",
  indirect: "an indirect branch has targets",
  label: "a label names a block of the function",
  "operand-count": "one operand per slot of the form",
  "operand-kind": "the slot takes operands of this kind and file",
  "operand-width": "a register operand is as wide as its slot",
  "operand-value": "immediates are unsigned 32-bit patterns, offsets are whole",
  value: "a virtual register is in the value table, with the same file, and the part named lies inside it",
  "zero-register": "RZ, URZ, PT and UPT have no parts",
  definition: "a definition is a register without modifiers",
  "double-definition": "an instruction defines a register once",
  guard: "a guard is a predicate",
  undefined: "on every path a register is defined before it is read",
  mode: "registers are virtual before allocation and physical afterwards",
  range: "a physical register exists on the target",
  alignment: "pairs are even, quads multiples of four",
  used: "the register counts of the function cover all registers it names",
  fixed: "a value bound to a register lies in it whole",
  pseudo:
    "pseudo instructions are gone after expansion, but for phis inside the SSA window and jump tables before they are laid out",
  "single-definition": "inside the SSA window a register has one definition, unless one is guarded",
  "dominated-use": "inside the SSA window a definition dominates its uses",
  phi: "phis lead their block and have one source for each predecessor",
  supported: "the instruction exists on the target",
  "control-missing": "every instruction has a control word once control is done",
  "control-range": "fields of a control word fit their bits",
} as const;
/** Name of a rule. */
export type Rule = keyof typeof rules;

/** A rule that a function breaks. */
export interface Finding {
  /** Which one of `rules` is broken. */
  readonly rule: Rule;
  /** Who breaks it, and where. */
  readonly message: string;
  /** Id of the block, −1 when the function as a whole is meant. */
  readonly block: number;
  /** Id of the instruction, −1 when the block is meant. */
  readonly inst: number;
  /** Value id or physical register at fault, −1 when none is. */
  readonly register: number;
}

export class Findings {
  readonly list: Finding[] = [];

  add(rule: Rule, message: string, block: Block | null = null, inst: Inst | null = null, register = -1): void {
    this.list.push({ rule, message, block: block?.id ?? -1, inst: inst?.id ?? -1, register });
  }
}

/** True when milestone `a` is `b` or later. */
export function atLeast(a: Milestone, b: Milestone): boolean {
  return milestones.indexOf(a) >= milestones.indexOf(b);
}
