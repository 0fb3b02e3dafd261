/**
 * Barriers are emptied before lanes join them (ApplyPostRegAllocWars, sm_75): ptxas 13.0.88 has `BMOV.32.CLEAR` before each BSSY from -O1 on.
 *
 *     BSSY B0, b4                            BMOV.32.CLEAR RZ, B0
 *                                     →      BSSY B0, b4
 */
import { form } from "../isa/form.js";
import { rewriteBlock } from "../ori/editor.js";
import { newInst } from "../ori/func.js";
import { clone, RZ } from "../ori/operand.js";
import type { Func, Operand } from "../ori/types.js";
import { saying } from "./notes.js";

/** Returns how many BSSY have one now. */
export function clearBarriers(func: Func): number {
  if (!func.target.has("barriersEmptied")) return 0;
  const clear = form("BMOV.32.CLEAR");
  let count = 0;
  for (const block of func.blocks) {
    if (!block.insts.some((i) => i.form.op === "BSSY")) continue;
    rewriteBlock(func, block, (inst, out) => {
      if (inst.form.op === "BSSY") {
        const made = newInst(func, clear, [RZ()], [clone(inst.dsts[0] as Operand)], inst.guard, inst.loc, inst.id);
        saying(func)?.("barrier emptied", made, "on this SM before it is set up", inst);
        out.push(made);
        count++;
      }
      out.push(inst);
    });
  }
  return count;
}
