/**
 * Atomics whose result nobody reads (OptimizeUniformAtomic, SSA window): on global memory they become reductions, elsewhere, and where no
 * reduction does the same, the result goes nowhere (measured: ptxas 13.0.88 at -O1 and above, sm_75 to sm_100; exchange and compare-and-swap keep
 * their opcode).
 *
 *     ATOMG.E.ADD.STRONG.GPU PT, %R4, [%R2], %R5     →     RED.E.ADD.STRONG.GPU [%R2], %R5
 *     ATOMS.ADD %R4, [%R2], %R5                      →     ATOMS.ADD RZ, [%R2], %R5
 *
 * Not where an acquire follows in the block: that waits for the result.
 */
import { AcquireRole, acquireRoles } from "../analysis/acquire.js";
import { analysis } from "../analysis/index.js";
import { type Form, tryForm } from "../isa/form.js";
import { rewriteBlock } from "../ori/editor.js";
import { newInst } from "../ori/func.js";
import { clone, isReg, RZ } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, type Operand } from "../ori/types.js";
import { encodes } from "../rules/encodable.js";
import type { RewriteCounter } from "./rewrites.js";

/** Returns how many results went. */
export function dropUnreadResults(func: Func, rewrites: RewriteCounter): number {
  if (func.milestone !== "ssa") return 0;
  let dropped = 0;
  for (const block of func.blocks) {
    const unread = block.insts.filter((inst) => isUnread(func, inst));
    if (unread.length === 0) continue;
    const last = lastWait(block);
    const made = new Map<Inst, Inst>();
    for (const inst of unread) {
      if (!rewrites.open || block.insts.indexOf(inst) < last) continue;
      const instead = reduction(func, inst) ?? withoutResult(func, inst);
      if (instead === null) continue;
      made.set(inst, instead);
      rewrites.take(`${inst.form.name} without result`, instead, inst);
    }
    dropped += made.size;
    if (made.size > 0) rewriteBlock(func, block, (inst, out) => void out.push(made.get(inst) ?? inst));
  }
  return dropped;
}

/** Where the last instruction stands that waits for strong accesses before it; −1 for none. */
function lastWait(block: Block): number {
  const roles = acquireRoles(block.insts);
  for (let i = roles.length - 1; i >= 0; i--)
    if (roles[i] === AcquireRole.Wait || roles[i] === AcquireRole.WaitAll) return i;
  return -1;
}

const resultAt = (inst: Inst): number => inst.dsts.findIndex((o) => isReg(o) && o.file === File.R);

function isUnread(func: Func, inst: Inst): boolean {
  if (inst.form.memory?.access !== "atomic") return false;
  const results = inst.dsts.filter(isReg);
  const d = results[0];
  if (results.length !== 1 || d === undefined || d.file !== File.R || func.values.fixed(d.id) >= 0) return false;
  const { useStart, defStart } = analysis(func, "defUse");
  const only = (defStart[d.id + 1] as number) - (defStart[d.id] as number) === 1;
  return only && useStart[d.id] === useStart[d.id + 1];
}

/** The reduction that does the same. */
function reduction(func: Func, inst: Inst): Inst | null {
  const { op, name, mods } = inst.form;
  if (op !== "ATOMG" || mods.includes("EXCH")) return null;
  for (const twin of ["REDG", "RED"]) {
    const form = tryForm(name.replace("ATOMG", twin));
    if (form !== null) return made(func, inst, form, []);
  }
  return null;
}

function withoutResult(func: Func, inst: Inst): Inst | null {
  const at = resultAt(inst);
  const dsts = inst.dsts.map((o, d) => (d === at ? RZ(o.width) : clone(o)));
  return made(func, inst, inst.form, dsts);
}

function made(func: Func, inst: Inst, form: Form, dsts: Operand[]): Inst | null {
  const srcs = inst.srcs.map((o) => clone(o));
  if (form.srcs.length !== srcs.length || !encodes(func, form, dsts, srcs)) return null;
  const now = newInst(func, form, dsts, srcs, inst.guard, inst.loc, inst.id);
  now.said = inst.said;
  return now;
}
