/**
 * Warp-group products whose registers do not all fit: each then ends before the next begins, so that between them their sums may live in memory.
 *
 *     LDL t…; WARPGROUP.ARRIVE; HGMMA t, …, t, gsb0; WARPGROUP.DEPBAR.LE gsb0, 0x0; STL t…
 *
 * ptxas does the same and tells it: C7511 where the sums in flight at once take the register limit, C7512 where they do not, and C7602 where one
 * product alone does not fit (measured: sums and factors in registers, and 26 more).
 */
import {
  CLOSES,
  closes,
  isArrive,
  isGroupWord,
  isRegister,
  State,
  setGroup,
  sumsOf,
  takeProduct,
  waitsFor,
} from "../analysis/in-flight.js";
import { isProduct, isWait } from "../analysis/products.js";
import { type Diagnostic, diagnostic } from "../diagnostics.js";
import { form } from "../isa/form.js";
import { newInst, rewriteBlock } from "../ori/index.js";
import { imm } from "../ori/operand.js";
import type { Block, Func, Inst, Operand } from "../ori/types.js";

/** Registers that ptxas wants beside a product's own. */
const BESIDE = 26;

/** Register values that products work on. */
export function valuesOfProducts(func: Func): ReadonlySet<number> {
  const values = new Set<number>();
  for (const { insts } of func.blocks)
    for (const i of insts)
      if (isProduct(i.form.op)) for (const o of [...i.dsts, ...i.srcs]) if (isRegister(o)) values.add(o.id);
  return values;
}

/** Most registers of sums that are in flight at once. */
function sumsInFlight(func: Func): number {
  const at = new Map<Block, State>(func.blocks.map((b) => [b, new State()]));
  let most = 0;
  for (let again = true; again; ) {
    again = false;
    for (const b of func.blocks) {
      const state = new State();
      state.merge(at.get(b) as State);
      for (const inst of b.insts) {
        if (isWait(inst)) state.done(waitsFor(inst));
        if (!isProduct(inst.form.op)) continue;
        takeProduct(state, inst);
        const sums = new Set(state.writes.flatMap((s) => [...s]));
        most = Math.max(
          most,
          [...sums].reduce((sum, v) => sum + func.values.width(v), 0),
        );
      }
      for (const next of b.succs) if ((at.get(next) as State).merge(state)) again = true;
    }
  }
  return most;
}

/** Whether each product has its own ARRIVE right before it and its own wait right after. */
function areSerial(func: Func): boolean {
  return func.blocks.every(({ insts }) =>
    insts.every((inst, k) => {
      if (!isProduct(inst.form.op)) return true;
      const [before, after] = [insts[k - 1], insts[k + 1]];
      return closes(inst) && before !== undefined && isArrive(before) && after !== undefined && isWait(after);
    }),
  );
}

/** Ends each product before the next begins; null where that is so already. What is told. `limit`: registers, "as ptxas counts". */
export function serializeProducts(func: Func, limit: number): Diagnostic | null {
  if (areSerial(func)) return null;
  const [code, where] =
    sumsInFlight(func) >= limit ? ["C7511", "wgmma pipeline in the function"] : ["C7512", "function"];
  for (const block of func.blocks)
    rewriteBlock(func, block, (inst, out) => {
      if (isGroupWord(inst)) return;
      if (!isProduct(inst.form.op)) {
        out.push(inst);
        return;
      }
      const made = (name: string, srcs: Operand[]): Inst => newInst(func, form(name), [], srcs, null, inst.loc);
      setGroup(inst, CLOSES);
      out.push(made("WARPGROUP.ARRIVE", []), inst, made("WARPGROUP.DEPBAR.LE", [imm(CLOSES), imm(0)]));
    });
  return diagnostic(
    "info",
    `(${code}) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the ${where} '${func.name}'`,
  );
}

/** The first product that cannot have its registers, in ptxas's words; null: none. `limit`: registers, "as ptxas counts". */
export function unfitProduct(func: Func, limit: number): Diagnostic | null {
  for (const { insts } of func.blocks)
    for (const inst of insts) {
      if (!isProduct(inst.form.op)) continue;
      const sums = sumsOf(inst);
      const factors = inst.srcs.filter((o) => isRegister(o) && o !== sums);
      const least = BESIDE + [...inst.dsts, ...factors].reduce((sum, o) => sum + (isRegister(o) ? o.width : 0), 0);
      if (least > limit)
        return diagnostic(
          "fatal",
          `(C7602) Insufficient registers (${limit}) to compile instruction at line ${inst.loc?.line ?? 0} in function ${func.name}. Try to compile with register target of ${least} or higher.`,
        );
    }
  return null;
}
