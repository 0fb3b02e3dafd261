/** Writing a value to a register that may be wider than its type (loads, conversions). */
import { imm, RZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Operand as PtxOperand } from "../ptx/ast.js";
import type { Context } from "./context.js";
import { Refusal } from "./refusal.js";
import { B64, type PtxType } from "./types.js";

/** Writes a loaded value to a register that may be wider than the type. */
export function assign(c: Context, to: PtxOperand, value: Operand, type: PtxType): void {
  if (to.kind === "sink") return;
  if (to.kind === "vector" && type.cls === "bf") {
    c.settle(c.out(to, type), value);
    return;
  }
  const declared = c.typeOf(to);
  if (declared === null || declared.bits < type.bits) throw new Refusal();
  const holder = declared.bits === 64 && type.bits < 64 ? B64 : declared;
  const d = c.out(to, holder);
  if (d.width === value.width) {
    c.settle(d, value);
    return;
  }
  // A float keeps its bits in a wider register of integers. A signed word in 128 bits is refused: ptxas takes its sign from elsewhere.
  if (d.width < value.width || (type.cls === "f" && declared.cls === "f")) throw new Refusal();
  if (type.cls === "s" && d.width === 4 && value.width !== 2) throw new Refusal();
  const words = Array.from({ length: d.width }, (_, k) => c.word(d, k));
  words.slice(0, value.width).forEach((w, k) => {
    c.move(w, c.word(value, k));
  });
  for (const w of words.slice(value.width)) {
    if (type.cls === "s") c.emit("SHF.R.S32.HI", [w], [RZ(), imm(31), c.word(value, value.width - 1)]);
    else c.move(w, RZ());
  }
}
