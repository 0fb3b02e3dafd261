/**
 * What becomes equal once copies are read through is computed once (OriReassociateAndCommon, SSA window): GvnCse leaves copies, and what
 * reads them repeats what reads their originals. Addresses of shared variables are made once, too.
 *
 *     LOP3 %R4, %R2, 0x1f; ISETP.EQ %P5, %R4, RZ           LOP3 %R4, %R2, 0x1f; ISETP.EQ %P5, %R4, RZ
 *     MOV %R6, %R4;        ISETP.EQ %P7, %R6, RZ      →    PLOP3 %P7, %P5
 */
import { analysis, dominates } from "../analysis/index.js";
import { isReg } from "../ori/operand.js";
import { type Block, type Func, type Inst, Kind } from "../ori/types.js";
import { commonLoads } from "./common-loads.js";
import { commonSubexpressions } from "./commoning.js";
import { copyInstead } from "./copy-instead.js";
import { propagateCopies } from "./copy-propagation.js";
import { removeDeadCode } from "./dead-code.js";
import type { PhaseParameters } from "./parameters.js";
import type { RewriteCounter } from "./rewrites.js";

/** Chains as long as this become one; what is left is longer. */
const ROUNDS = 4;

/** Returns how many computations became copies. */
export function commonAgain(func: Func, across: boolean, p: PhaseParameters, rewrites: RewriteCounter): number {
  if (func.milestone !== "ssa") return 0;
  let count = shareSymbols(func, across, rewrites);
  for (let round = 0; round < ROUNDS; round++) {
    if (propagateCopies(func, p, rewrites) === 0) break;
    const found = commonSubexpressions(func, across, !p.DisableMoveCommoning, rewrites);
    count += found;
    if (found === 0) break;
  }
  if (count === 0) return 0;
  // What they address is now named alike.
  count += commonLoads(func, across, !p.DisableDeadStoreElimination);
  removeDeadCode(func);
  return count;
}

/** Symbols in registers: those that a dominating block, or the block itself, has made before. */
function shareSymbols(func: Func, across: boolean, rewrites: RewriteCounter): number {
  const made = new Map<string, { readonly block: Block; readonly inst: Inst }[]>();
  const same = new Map<Inst, Inst>();
  const tree = analysis(func, "dominators");
  const { indexOf } = analysis(func, "cfg");
  for (const b of tree.order) {
    const block = func.blocks[b] as Block;
    for (const inst of block.insts) {
      const [to, from] = [inst.dsts[0], inst.srcs[0]];
      if (inst.form.name !== "MOV" || inst.guard !== null || from?.kind !== Kind.Sym || inst.srcs[1]?.value !== 15)
        continue;
      if (to === undefined || !isReg(to) || to.part !== "" || func.values.fixed(to.id) >= 0 || !rewrites.open) continue;
      const key = `${from.sym}|${from.value}|${from.part}`;
      const list = made.get(key) ?? [];
      made.set(key, list);
      const before = list.find(
        (m) => m.block === block || (across && dominates(tree, indexOf[m.block.id] as number, b)),
      );
      if (before === undefined) list.push({ block, inst });
      else {
        same.set(inst, before.inst);
        rewrites.take(`${from.sym} shared`, inst, before.inst);
      }
    }
  }
  if (same.size > 0) for (const block of func.blocks) copyInstead(func, block, same);
  return same.size;
}
