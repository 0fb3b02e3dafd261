/**
 * Matrix instructions are executed by all lanes of a warp at once. PTX demands `.aligned` of them, which says that all lanes come there,
 * not that they are together. ptxas -O0 has WARPSYNC before each (measured on sm_75 to sm_120); one for a run of straight
 * code does as well, since lanes part at branches only.
 */
import { type Inst, Kind } from "../../ori/types.js";
import type { Context } from "../context.js";
import { convergeWarp } from "../converge.js";

/** Brings all lanes together, unless straight code before has done so. */
export function allTogether(c: Context): void {
  const { insts } = c.builder.block;
  for (let k = insts.length - 1; k >= 0 && !c.builder.ended; k--) {
    const inst = insts[k] as Inst;
    if (inst.form.op !== "WARPSYNC" || inst.guard !== null) continue;
    if (inst.form.mods.includes("ALL") || inst.srcs.some((o) => o.kind === Kind.Imm && o.value === 0xffffffff)) return;
  }
  convergeWarp(c);
}
