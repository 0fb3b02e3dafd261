/**
 * FixUpTexDepBarAndSync: loads that load nothing before asynchronous copies.
 *
 * ptxas -O0 and -O3 put three `@!PT LDS RZ, [RZ]` before the first LDGSTS of a block, and of the first one after another access of
 * shared memory or a barrier; not in the entry block of sm_80 to 89, where nothing can be in flight (measured on sm_80, 86, 90, 100, 120 over
 * straight code, arms, loops, barriers). What they are for is not documented; they keep copies after accesses that have issued before. Nothing
 * moves after this phase, so they stay where they are.
 */
import { form } from "../isa/form.js";
import { rewriteBlock } from "../ori/editor.js";
import { newInst } from "../ori/func.js";
import { RZ } from "../ori/operand.js";
import { fillSlots } from "../ori/slots.js";
import { type Block, File, type Func, type Inst, ZERO_REG } from "../ori/types.js";

const COUNT = 3;
const accesses: ReadonlySet<string> = new Set(["LDS", "STS", "LDSM", "STSM", "ATOMS", "BAR"]);

/** `@!PT LDS RZ, [RZ]`. */
function nothing(func: Func, cause: Inst): Inst {
  const load = form("LDS");
  const guard = { file: File.P, id: ZERO_REG, not: true };
  const srcs = fillSlots(load, load.srcs, { base: RZ() });
  return newInst(func, load, fillSlots(load, load.dsts, { d: RZ() }), srcs, guard, cause.loc, cause.id);
}

/** Returns how many copies got them. */
export function guardCopies(func: Func): number {
  let guarded = 0;
  for (const block of func.blocks) {
    if (!block.insts.some((i) => i.form.op === "LDGSTS")) continue;
    let open = mayBeginOpen(func, block);
    rewriteBlock(func, block, (inst, out) => {
      if (inst.form.op === "LDGSTS" && open) {
        for (let k = 0; k < COUNT; k++) out.push(nothing(func, inst));
        guarded++;
      }
      if (accesses.has(inst.form.op)) open = true;
      else if (inst.form.op === "LDGSTS") open = false;
      out.push(inst);
    });
  }
  return guarded;
}

function mayBeginOpen(func: Func, block: Block): boolean {
  return func.target.has("clusters") || block !== func.blocks[0];
}
