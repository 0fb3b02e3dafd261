/** Copies in place of what is computed already. */
import { rewriteBlock } from "../ori/editor.js";
import { clone, isReg, part } from "../ori/operand.js";
import type { Block, Func, Inst, Operand } from "../ori/types.js";
import { copyUnit } from "./parallel-copy.js";

/** In a block, copies of the results of `same.get(inst)` stand for each instruction that has an entry; one for each register. */
export function copyInstead(func: Func, block: Block, same: ReadonlyMap<Inst, Inst>): void {
  rewriteBlock(func, block, (inst, out) => {
    const from = same.get(inst);
    if (from === undefined) {
      out.push(inst);
      return;
    }
    inst.dsts.forEach((o, k) => {
      if (!isReg(o)) return;
      for (let n = 0; n < o.width; n++) {
        const copy = copyUnit(func, part(clone(o), n), part(clone(from.dsts[k] as Operand), n));
        copy.loc = inst.loc;
        copy.origin = inst.id;
        out.push(copy);
      }
    });
  });
}
