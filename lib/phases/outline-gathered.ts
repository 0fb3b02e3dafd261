/**
 * PostFixUp before sm_90: gathered code becomes subroutines.
 *
 * Lanes of one mask that come to different places must get to the same WARPSYNC. The code from WARPSYNC to the end of its
 * block, which is the same at all places that may meet (lower/gather.ts), is taken out:
 *
 *     MOV R7, L                                MOV R7, L
 *     WARPSYNC R5                              CALL.REL.NOINC S         S: WARPSYNC R5
 *     SHFL.BFLY P0, R4, R2, R3, R4     →                                   SHFL.BFLY P0, R4, R2, R3, R4
 *     MOV R2, R7                                                           MOV R2, R7
 *     MOV R3, RZ                                                           MOV R3, RZ
 *   L:                                       L:                            RET.REL.NODEC R2
 *
 * Control words exist by now. The caller's were chosen for the code in place; a subroutine has its own, each of which waits
 * for everything in flight, so nothing is open when it returns.
 */

import { form } from "../isa/form.js";
import { renderInst } from "../isa/text.js";
import { touch } from "../ori/editor.js";
import { newBlock, newInst } from "../ori/func.js";
import { label, reg } from "../ori/operand.js";
import { fillSlots, type Given } from "../ori/slots.js";
import { type Block, type Func, type Inst, Kind } from "../ori/types.js";
import { controlO0 } from "../sched/index.js";

/** All six scoreboards. */
const ALL = 0x3f;
/** The pair that holds the return address after the code (lower/gather.ts). */
const RETURN_PAIR = 2;

export function outlineGathered(func: Func): void {
  const entry = func.blocks[0] as Block;
  const known = new Map<string, Block>();
  for (const block of [...func.blocks]) {
    const from = gatheredFrom(block);
    if (from < 0) continue;
    const code = block.insts.splice(from);
    // Scheduling may have ordered it in one way here and in another there; numbers are in the order of lowering.
    code.sort((a, b) => Number(b.form.op === "WARPSYNC") - Number(a.form.op === "WARPSYNC") || a.id - b.id);
    const key = code.map((i) => renderInst(i, { isa: func.target.isa })).join("\n");
    let routine = known.get(key);
    if (routine === undefined) {
      routine = newBlock(func, "", block.freq);
      routine.insts.push(...code.map((i) => withControl(func, i)));
      routine.insts.push(made(func, "RET.REL.NODEC", { a: reg(RETURN_PAIR, 2), target: label(entry) }, code[0]));
      known.set(key, routine);
    }
    block.insts.push(made(func, "CALL.REL.NOINC", { target: label(routine) }, code[0]));
  }
  if (known.size === 0) return;
  func.blocks.push(...known.values());
  touch(func);
}

/** Where the code begins in a block that sets a return address; −1 in all others. */
function gatheredFrom(block: Block): number {
  const address = block.insts.findIndex((i) => i.form.op === "MOV" && i.srcs[0]?.kind === Kind.Label);
  return address < 0 ? -1 : block.insts.findIndex((i, k) => k > address && i.form.op === "WARPSYNC");
}

function made(func: Func, name: string, srcs: Given, like: Inst | undefined): Inst {
  const f = form(name);
  return withControl(func, newInst(func, f, [], fillSlots(f, f.srcs, srcs), null, like?.loc ?? null));
}

function withControl(func: Func, inst: Inst): Inst {
  inst.control = { ...controlO0.control(inst, func.target), wait: ALL };
  return inst;
}
