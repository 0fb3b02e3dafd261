/** What an instruction family is: lowering functions by opcode. */
import type { Instruction, Operand as PtxOperand } from "../ptx/ast.js";
import type { Context } from "./context.js";
import type { Modifiers } from "./modifiers.js";
import { Refusal } from "./refusal.js";

/** Lowers one instruction. Throws Refusal for what it does not know; modifiers it does not take are refused by the caller. */
export type Lowering = (c: Context, i: Instruction, m: Modifiers) => void;

export type Family = Readonly<Record<string, Lowering>>;

/** The operands, when there are exactly `n` (or one of several numbers) of them. */
export function operands(i: Instruction, ...n: readonly number[]): readonly PtxOperand[] {
  if (!n.includes(i.operands.length)) throw new Refusal();
  return i.operands;
}

/** The operand at `index`; callers have checked the number. */
export function at(list: readonly PtxOperand[], index: number): PtxOperand {
  const o = list[index];
  if (o === undefined) throw new Refusal();
  return o;
}
