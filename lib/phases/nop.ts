/** OriRemoveNopCode: NOPs that only held a place. One after a strong access may be what an acquire waits at; one of the warp's barrier orders memory. */
import { AcquireRole, acquireRoles } from "../analysis/acquire.js";
import { rewriteBlock } from "../ori/editor.js";
import type { Func } from "../ori/types.js";
import { saying } from "./notes.js";

/** Returns how many were removed. */
export function removeNops(func: Func): number {
  const say = saying(func);
  let removed = 0;
  for (const block of func.blocks) {
    if (!block.insts.some((inst) => inst.form.op === "NOP")) continue;
    const roles = acquireRoles(block.insts);
    let at = 0;
    rewriteBlock(func, block, (inst, out) => {
      if (inst.form.op !== "NOP" || inst.said === "barrier" || roles[at] === AcquireRole.Wait) out.push(inst);
      else {
        removed++;
        say?.("removed", inst, "it does nothing");
      }
      at++;
    });
  }
  return removed;
}
