/**
 * Branches whose condition is known (SSA window, in the GeneralOptimize bundles): a comparison of literals, or one that what is known of bits decides,
 * has become a constant. The other path goes, with the blocks that only it led to; phis left with one source become copies.
 *
 *     PLOP3.LUT %P1, PT, PT, PT, PT, 0x80, 0x0
 *     @%P1 BRA b3                                  BRA b3
 *     b2: MOV %R5, 0x1                       →
 *     b3: MOV.PHI %R6, %R4, %R5                    b3: MOV %R6, %R4
 *
 * And branches by a table whose index is a literal. So a switch over the counter of an unrolled loop is gone in each turn.
 */
import { Definitions } from "../analysis/index.js";
import { removeEdge, rewriteBlock, touch } from "../ori/editor.js";
import { blocksById, isPhi, mayNameBlock, terminator } from "../ori/flow.js";
import { isReg, isZeroReg, label } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, type Operand, ZERO_REG } from "../ori/types.js";
import { isPlainBranch } from "./branches.js";
import { unitCopies } from "./convert-mov-phi.js";
import { make } from "./copy-blocks.js";
import { saying } from "./notes.js";
import { copyUnit } from "./parallel-copy.js";
import { constantPredicate } from "./predicate-copies.js";
import type { RewriteCounter } from "./rewrites.js";

/** Where control goes for certain from the end of a block; null: it ends there. */
interface Known {
  readonly block: Block;
  readonly to: Block | null;
}

/** Returns how many branches went. */
export function foldKnownBranches(func: Func, rewrites: RewriteCounter): number {
  if (func.milestone !== "ssa") return 0;
  const found = knownBranches(func);
  if (found.length === 0) return 0;
  const kept = reached(func, new Map(found.map((k) => [k.block, k.to])));
  if (kept === null) return 0;
  const say = saying(func);
  let count = 0;
  for (const { block, to } of found) {
    if (!rewrites.open) break;
    const last = terminator(block) as Inst;
    settle(func, block, last, to);
    for (const s of block.succs.filter((b) => b !== to)) removeEdge(func, block, s);
    say?.("branch settled", last, to === null ? "the kernel ends here" : `it always goes to b${to.id}`);
    rewrites.take("branch of known condition", last);
    count++;
  }
  if (count === found.length) drop(func, kept);
  for (const block of func.blocks) if (block.preds.length === 1 && block.insts.some(isPhi)) collapse(func, block);
  touch(func);
  return count;
}

function knownBranches(func: Func): Known[] {
  const constants = new Map<number, boolean>();
  for (const block of func.blocks)
    for (const inst of block.insts) {
      const value = constantPredicate(inst);
      if (value !== null) constants.set((inst.dsts[0] as Operand).id, value);
    }
  let defs: Definitions | null = null;
  const byId = blocksById(func);
  const found: Known[] = [];
  func.blocks.forEach((block, b) => {
    const last = terminator(block);
    if (last === null) return;
    if (last.form.name === "BRX.IDX" && last.table !== undefined && last.guard === null) {
      defs ??= new Definitions(func);
      const at = literalOf(defs, last.srcs[0] as Operand);
      const target = at === null ? undefined : byId[last.table.targets[at] ?? -1];
      if (target !== undefined) found.push({ block, to: target });
      return;
    }
    const { guard } = last;
    if (guard === null || guard.file !== File.P) return;
    const holds = guard.id === ZERO_REG ? true : constants.get(guard.id);
    if (holds === undefined) return;
    const next = func.blocks[b + 1] ?? null;
    const taken = holds !== guard.not;
    const plain: boolean = isPlainBranch(last);
    if (plain) {
      const to = taken ? byId[last.srcs.find((o) => o.kind === Kind.Label)?.id ?? -1] : next;
      if (to != null) found.push({ block, to });
    } else if (last.form.name === "EXIT" && (taken || next !== null)) found.push({ block, to: taken ? null : next });
  });
  return found;
}

function literalOf(defs: Definitions, o: Operand): number | null {
  if (o.kind === Kind.Imm) return o.value;
  if (isZeroReg(o)) return 0;
  const made = isReg(o) ? defs.definition(o) : null;
  const from = made?.srcs[0];
  if (made?.form.name !== "MOV" || made.guard !== null || made.srcs[1]?.value !== 15) return null;
  return from?.kind === Kind.Imm && from.mods === 0 ? from.value : from !== undefined && isZeroReg(from) ? 0 : null;
}

/** Blocks that are still come to; null where an instruction would name one that is not. */
function reached(func: Func, known: ReadonlyMap<Block, Block | null>): ReadonlySet<Block> | null {
  const kept = new Set<Block>();
  const work: Block[] = [func.blocks[0] as Block];
  for (let b = work.pop(); b !== undefined; b = work.pop()) {
    if (kept.has(b)) continue;
    kept.add(b);
    const to = known.get(b);
    if (to === undefined) work.push(...b.succs);
    else if (to !== null) work.push(to);
  }
  const byId = blocksById(func);
  for (const block of kept)
    for (const inst of block.insts) {
      if (inst.form.flow === "branch" || !mayNameBlock(inst)) continue;
      for (const o of inst.srcs) {
        const named = o.kind === Kind.Label ? byId[o.id] : undefined;
        if (named !== undefined && !kept.has(named)) return null;
      }
    }
  return kept;
}

/** The transfer of control becomes a jump, an end, or nothing where the next block follows. */
function settle(func: Func, block: Block, last: Inst, to: Block | null): void {
  const next = func.blocks[func.blocks.indexOf(block) + 1];
  rewriteBlock(func, block, (inst, out) => {
    if (inst !== last) out.push(inst);
    else if (to === null) out.push(make(func, "EXIT", [], [], last));
    else if (to !== next) out.push(make(func, "BRA", [], [label(to)], last));
  });
}

function drop(func: Func, kept: ReadonlySet<Block>): void {
  for (const block of func.blocks)
    if (!kept.has(block)) for (const s of block.succs.filter((b) => kept.has(b))) removeEdge(func, block, s);
  func.blocks = func.blocks.filter((b) => kept.has(b));
}

/** Phis of a block that is come to from one other only. */
function collapse(func: Func, block: Block): void {
  rewriteBlock(func, block, (inst, out) => {
    if (!isPhi(inst)) {
      out.push(inst);
      return;
    }
    for (const { dst, src } of unitCopies(inst.dsts[0] as Operand, inst.srcs[0] as Operand))
      out.push(copyUnit(func, dst, src));
  });
}
