/** OriRemoveNopCode: NOPs that only held a place. */
import { rewriteBlock } from "../ori/editor.js";
import type { Func } from "../ori/types.js";

/** Returns how many were removed. */
export function removeNops(func: Func): number {
  let removed = 0;
  for (const block of func.blocks) {
    rewriteBlock(func, block, (inst, out) => {
      if (inst.form.op !== "NOP") out.push(inst);
      else removed++;
    });
  }
  return removed;
}
