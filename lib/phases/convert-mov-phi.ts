/**
 * ConvertAllMovPhiToMov: out of the SSA window.
 *
 * All phis of a block happen at once, on the edge that control takes. So each edge into a block with phis gets one
 * parallel copy, on a block of its own where the edge is critical (splitEdges), else at the end of the predecessor. It
 * is put into sequence in parallel-copy.ts. Copying phi by phi at the end of the predecessors would be wrong twice over:
 * a phi's source may be another phi's destination (swap), and a branching predecessor may still need the old value of
 * a destination on its other edge out (lost copy; wiki page 12).
 *
 *     b1: …                       b1: … ; t = x; x = y; y = t
 *     b2: x = PHI(…, y)     →     b2: …
 *         y = PHI(…, x)
 *
 * The edges of an indirect branch cannot be split. Where one is critical, the phis of its target get their values
 * through fresh registers: written at the end of every predecessor, which harms no other edge out, and copied into the
 * phis' own registers at the head of the block.
 */
import { insertAt, insertAtEnd, isCritical, rewriteBlock, splitEdges } from "../ori/editor.js";
import { goesElsewhere, isPhi } from "../ori/flow.js";
import { altered, isZeroReg, part, register } from "../ori/operand.js";
import { type Block, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { saying } from "./notes.js";
import { type Copy, sequentialize } from "./parallel-copy.js";

/** Copies for an edge that needs a block of its own. */
interface OnEdge {
  readonly from: Block;
  readonly to: Block;
  readonly insts: readonly Inst[];
}

/** Ends the SSA window: phis become copies on the edges of their predecessors. In place. */
export function convertAllMovPhiToMov(func: Func): void {
  const onEdges: OnEdge[] = [];
  for (const block of func.blocks) {
    if (block.insts.some(isPhi)) lowerPhis(func, block, onEdges);
  }
  const made = splitEdges(func, onEdges);
  onEdges.forEach(({ insts }, i) => {
    insertAtEnd(func, made[i] as Block, ...insts);
  });
  if (func.milestone === "ssa") func.milestone = "expanded";
}

/** A critical edge on which nothing is to be copied stays as it is: a block there would only be a jump. */
function lowerPhis(func: Func, block: Block, onEdges: OnEdge[]): void {
  const say = saying(func);
  const phis = block.insts.filter(isPhi);
  for (const phi of phis) say?.("phi becomes copies", phi, "one on each edge that brings another register");
  rewriteBlock(func, block, (inst, out) => {
    if (!isPhi(inst)) out.push(inst);
  });
  const unsplittable = block.preds.some((p) => isCritical(p, block) && goesElsewhere(func, p));
  const into = unsplittable ? throughFresh(func, block, phis) : phis.map((phi) => phi.dsts[0] as Operand);
  block.preds.forEach((pred, i) => {
    const copies = phis.flatMap((phi, k) => unitCopies(into[k] as Operand, phi.srcs[i] as Operand));
    const insts = sequentialize(func, copies);
    if (insts.length === 0) return;
    for (const inst of insts) say?.("copy of a phi", inst, "on the edge that brings this register");
    if (isCritical(pred, block) && !unsplittable) onEdges.push({ from: pred, to: block, insts });
    else insertAtEnd(func, pred, ...insts);
  });
}

/** Fresh registers for the phis, and at the head of the block the copies from them. */
function throughFresh(func: Func, block: Block, phis: readonly Inst[]): Operand[] {
  const copies: Copy[] = [];
  const fresh = phis.map((phi) => {
    const d = phi.dsts[0] as Operand;
    const f = register(d.file, func.values.add(d.file, d.width, func.values.name(d.id)), d.width);
    copies.push(...unitCopies(d, f));
    return f;
  });
  insertAt(func, block, 0, ...sequentialize(func, copies));
  return fresh;
}

/** One copy per register unit. */
export function unitCopies(dst: Operand, src: Operand): Copy[] {
  const copies: Copy[] = [];
  for (let k = 0; k < dst.width; k++) {
    const whole = src.kind !== Kind.Reg || isZeroReg(src) || src.width === 1;
    copies.push({ dst: part(dst, k), src: whole ? altered(src, { width: 1 }) : part(src, k) });
  }
  return copies;
}
