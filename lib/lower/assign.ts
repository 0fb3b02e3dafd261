/** Writing a value to a register that may be wider than its type (loads, conversions). */
import { imm, lo, RZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Operand as PtxOperand } from "../ptx/ast.js";
import type { Context } from "./context.js";
import { Refusal } from "./refusal.js";
import { B64, type PtxType } from "./types.js";

/** Writes a loaded value to a register that may be wider than the type. */
export function assign(c: Context, to: PtxOperand, value: Operand, type: PtxType): void {
  if (to.kind === "sink") return;
  const declared = c.typeOf(to);
  if (declared === null || declared.bits < type.bits) throw new Refusal();
  const holder = declared.bits === 64 && type.bits < 64 ? B64 : declared;
  const d = c.out(to, holder);
  if (d.width === value.width) {
    c.settle(d, value);
    return;
  }
  if (d.width !== 2 || value.width !== 1 || type.cls === "f") throw new Refusal();
  const [low, high] = c.words(d);
  c.move(low, value);
  if (type.cls === "s") c.emit("SHF.R.S32.HI", [high], [RZ(), imm(31), lo(value)]);
  else c.move(high, RZ());
}
