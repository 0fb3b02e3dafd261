/** Ids, blocks, edges. */
import {
  blockFallsThrough,
  blocksById,
  branchTargets,
  endsBlock,
  entersRoutine,
  goesElsewhere,
  terminator,
} from "../flow.js";
import { type Block, type Func, type Inst, Kind } from "../types.js";
import type { Findings } from "./finding.js";

export function checkStructure(func: Func, out: Findings): void {
  if (func.blocks.length === 0) {
    out.add("empty", "the function has no block");
    return;
  }
  checkIds(func, out);
  const byId = blocksById(func);
  func.blocks.forEach((block, i) => {
    checkTransfers(block, out);
    checkLabels(block, byId, out);
    checkSuccessors(func, block, func.blocks[i + 1], byId, out);
  });
  checkPredecessors(func, out);
}

function checkIds(func: Func, out: Findings): void {
  const blocks = new Uint8Array(func.nextBlock);
  const insts = new Uint8Array(func.nextInst);
  for (const block of func.blocks) {
    if (!isId(block.id, func.nextBlock)) out.add("block-id", `block id ${block.id} was never given out`, block);
    else if (blocks[block.id] === 1) out.add("block-id", `block ${block.id} stands twice in the layout`, block);
    else blocks[block.id] = 1;
    for (const inst of block.insts) {
      const { id } = inst;
      if (!isId(id, func.nextInst)) out.add("inst-id", `instruction id ${id} was never given out`, block, inst);
      else if (insts[id] === 1) out.add("inst-id", `instruction ${id} stands twice`, block, inst);
      else insts[id] = 1;
    }
  }
}

function isId(id: number, next: number): boolean {
  return Number.isInteger(id) && id >= 0 && id < next;
}

function checkTransfers(block: Block, out: Findings): void {
  for (let i = 0; i + 1 < block.insts.length; i++) {
    const inst = block.insts[i] as Inst;
    if (endsBlock(inst)) out.add("transfer", `${inst.form.name} stands inside block ${block.id}`, block, inst);
  }
}

function checkLabels(block: Block, byId: readonly (Block | undefined)[], out: Findings): void {
  for (const inst of block.insts) {
    for (const o of inst.srcs) {
      // −1: an absolute address outside of the function (lifted code).
      if (o.kind === Kind.Label && o.id !== -1 && byId[o.id] === undefined) {
        out.add("label", `${inst.form.name} names block ${o.id}, which is not in the function`, block, inst);
      }
    }
    for (const id of inst.table?.targets ?? [])
      if (byId[id] === undefined)
        out.add("label", `the table of ${inst.form.name} names block ${id}, which is not in the function`, block, inst);
  }
}

/** Successors as the layout and the last instruction have them; those that its operands do not say are free but not none. */
function checkSuccessors(
  func: Func,
  block: Block,
  next: Block | undefined,
  byId: readonly (Block | undefined)[],
  out: Findings,
): void {
  const falls = blockFallsThrough(block) && !entersRoutine(func, block);
  if (falls && next === undefined) out.add("falls-off", `control runs past block ${block.id}, the last one`, block);
  const expected: Block[] = falls && next !== undefined ? [next] : [];
  const last = terminator(block);
  if (last !== null) {
    for (const id of branchTargets(last)) {
      const target = byId[id];
      if (target !== undefined && !expected.includes(target)) expected.push(target);
    }
  }
  const found = block.succs;
  if (goesElsewhere(func, block)) checkIndirect(block, expected, byId, out);
  else if (found.length !== expected.length || found.some((s, i) => s !== expected[i])) {
    out.add("edges", `block ${block.id} has successors ${ids(found)}, its code says ${ids(expected)}`, block);
  }
}

function checkIndirect(
  block: Block,
  expected: readonly Block[],
  byId: readonly (Block | undefined)[],
  out: Findings,
): void {
  const found = block.succs;
  if (found.length === 0) out.add("indirect", `what ends block ${block.id} has no targets`, block);
  if (expected.some((s, i) => s !== found[i])) {
    out.add("edges", `block ${block.id} falls through, but not to its first successor`, block);
  }
  for (const s of found) {
    if (byId[s.id] !== s)
      out.add("edges", `block ${block.id} goes to block ${s.id}, which is not in the function`, block);
  }
  if (new Set(found).size !== found.length) out.add("edges", `block ${block.id} has a successor twice`, block);
}

function checkPredecessors(func: Func, out: Findings): void {
  const expected = new Map<Block, number>();
  for (const b of func.blocks) {
    for (const s of b.succs) {
      expected.set(s, (expected.get(s) ?? 0) + 1);
      if (!s.preds.includes(b)) out.add("preds", `block ${s.id} lacks its predecessor ${b.id}`, s);
    }
  }
  for (const b of func.blocks) {
    if (b.preds.length !== (expected.get(b) ?? 0) || b.preds.some((p) => !p.succs.includes(b))) {
      out.add("preds", `block ${b.id} has predecessors ${ids(b.preds)} that do not match the edges`, b);
    }
  }
}

function ids(blocks: readonly Block[]): string {
  return `[${blocks.map((b) => b.id).join(", ")}]`;
}
