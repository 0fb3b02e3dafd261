/** Cache policies: values of 64 bits that stand in the descriptor of a memory access. */
import type { Operand } from "../ori/types.js";
import type { Operand as PtxOperand } from "../ptx/ast.js";
import type { Context } from "./context.js";
import { B64 } from "./types.js";

/** The policy as descriptor of an access: a pair of uniform registers. */
export function policyDescriptor(c: Context, o: PtxOperand): Operand {
  const value = c.materialize(c.read(o, B64), 2);
  const d = c.builder.ur(2);
  c.emit("R2UR", [c.word(d, 0)], [c.word(value, 0)]);
  c.emit("R2UR", [c.word(d, 1)], [c.word(value, 1)]);
  return d;
}
