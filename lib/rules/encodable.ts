/** Whether an instruction on virtual registers has an encoding: its registers stand for any, so all count as the first. */

import type { Form } from "../isa/form.js";
import { clone, isReg } from "../ori/operand.js";
import { slotAccepts } from "../ori/slots.js";
import type { Func, Operand } from "../ori/types.js";
import { isEncodable } from "../sass/encode.js";

function anyRegister(o: Operand): Operand {
  const c = clone(o);
  if (isReg(c)) {
    c.id = 0;
    c.sub = 0;
  }
  return c;
}

/** Whether the form takes these operands on the function's target. */
export function encodes(func: Func, form: Form, dsts: readonly Operand[], srcs: readonly Operand[]): boolean {
  return (
    srcs.every((o, s) => slotAccepts(form.srcs[s]!, o)) &&
    isEncodable(
      { form, dsts: dsts.map(anyRegister), srcs: srcs.map(anyRegister), guard: null, control: null },
      func.target,
    )
  );
}
