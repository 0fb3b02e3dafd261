/**
 * Edits of a finished function. The order of a block's predecessors matters: phis have their sources in it. All of them keep blocks, edges and branch operands consistent and count up
 * `func.generation`, under which analyses are cached; nothing else may change `insts`, `blocks` or edges.
 *
 * Positions are indices into `block.insts`. A pass that touches many instructions of a block uses `rewriteBlock`,
 * which is linear, instead of many single insertions.
 */
import { InternalError } from "../errors.js";
import { form } from "../isa/form.js";
import { blockFallsThrough, endsBlock, fallsThrough, goesElsewhere, isPhi, terminator } from "./flow.js";
import { newBlock, newInst } from "./func.js";
import { label as labelOf } from "./operand.js";
import { slotDefault } from "./slots.js";
import { type Block, type Func, type Inst, Kind, type Operand } from "./types.js";

/** Notes an in-place change of operands, guards or flags made by the caller. */
export function touch(func: Func): void {
  func.generation++;
}

function position(func: Func, block: Block, inst: Inst): number {
  const at = block.insts.indexOf(inst);
  if (at < 0) throw new InternalError(`instruction ${inst.id} is not in block ${block.id}`, { func: func.name });
  return at;
}

/** Inserts before index `at` (`block.insts.length` appends). */
export function insertAt(func: Func, block: Block, at: number, ...insts: Inst[]): void {
  block.insts.splice(at, 0, ...insts);
  func.generation++;
}

/** Puts instructions into a block before one of its own. */
export function insertBefore(func: Func, block: Block, before: Inst, ...insts: Inst[]): void {
  insertAt(func, block, position(func, block, before), ...insts);
}

/** Puts instructions into a block after one of its own. */
export function insertAfter(func: Func, block: Block, after: Inst, ...insts: Inst[]): void {
  insertAt(func, block, position(func, block, after) + 1, ...insts);
}

/** Inserts at the end of the block, before the transfer of control if there is one. */
export function insertAtEnd(func: Func, block: Block, ...insts: Inst[]): void {
  insertAt(func, block, block.insts.length - (terminator(block) === null ? 0 : 1), ...insts);
}

/** Removes an instruction; for a transfer of control the caller mends the edges. */
export function removeInst(func: Func, block: Block, inst: Inst): void {
  block.insts.splice(position(func, block, inst), 1);
  func.generation++;
}

/** Puts `insts` in the place of `inst`. What is new gets `inst` as its origin and, lacking its own, its position. */
export function replaceInst(func: Func, block: Block, inst: Inst, ...insts: Inst[]): void {
  for (const i of insts) {
    if (i.origin < 0) i.origin = inst.id;
    if (i.loc === null) i.loc = inst.loc;
  }
  block.insts.splice(position(func, block, inst), 1, ...insts);
  func.generation++;
}

/**
 * One linear pass over a block: `visit` pushes to `out` what shall stand in place of the instruction (the instruction
 * itself to keep it). Returns true when anything changed.
 */
export function rewriteBlock(func: Func, block: Block, visit: (inst: Inst, out: Inst[]) => void): boolean {
  const out: Inst[] = [];
  for (const inst of block.insts) visit(inst, out);
  const changed = out.length !== block.insts.length || out.some((inst, i) => inst !== block.insts[i]);
  if (changed) {
    block.insts = out;
    func.generation++;
  }
  return changed;
}

/** Adds an edge (once); `first` puts it in the place of the fall-through. The caller adds the sources of phis. */
export function addEdge(func: Func, from: Block, to: Block, first = false): void {
  if (!from.succs.includes(to)) {
    if (first) from.succs.unshift(to);
    else from.succs.push(to);
    to.preds.push(from);
  }
  func.generation++;
}

/** Removes an edge; the phis of `to` lose the source that belongs to it. */
export function removeEdge(func: Func, from: Block, to: Block): void {
  from.succs = from.succs.filter((b) => b !== to);
  dropPredecessor(from, to);
  func.generation++;
}

function dropPredecessor(from: Block, to: Block): void {
  const at = to.preds.indexOf(from);
  if (at < 0) return;
  to.preds.splice(at, 1);
  for (const inst of to.insts) if (isPhi(inst)) inst.srcs.splice(at, 1);
}

function retarget(inst: Inst, from: number, to: number): void {
  renameTargets(inst, (id) => (id === from ? to : id));
  for (const o of inst.srcs) if (o.kind === Kind.Label && o.id === from) o.id = to;
}

/** Gives the table of an indirect branch other blocks; the caller makes the edges. */
export function renameTargets(inst: Inst, to: (id: number) => number): void {
  const { table } = inst;
  if (table !== undefined) inst.table = { ...table, targets: table.targets.map(to) };
}

/** Index of the block in the layout. */
export function layoutIndex(func: Func, block: Block): number {
  const at = func.blocks.indexOf(block);
  if (at < 0) throw new InternalError(`block ${block.id} is not in the layout`, { func: func.name });
  return at;
}

/** Inserts a block into the layout before index `at`; the caller makes the edges. */
export function insertBlock(func: Func, block: Block, at: number): void {
  func.blocks.splice(at, 0, block);
  func.generation++;
}

/**
 * Splits a block before instruction `at`. The front keeps id, label and predecessors and falls through to the new
 * block, which is returned. Not possible after a transfer of control.
 */
export function splitBlock(func: Func, block: Block, at: number): Block {
  const before = block.insts[at - 1];
  if (before !== undefined && endsBlock(before)) {
    throw new InternalError(`block ${block.id} cannot be split after ${before.form.name}`, { func: func.name });
  }
  const back = newBlock(func, "", block.freq);
  back.insts = block.insts.splice(at);
  back.succs = block.succs;
  for (const s of back.succs) s.preds[s.preds.indexOf(block)] = back;
  block.succs = [back];
  back.preds = [block];
  func.blocks.splice(layoutIndex(func, block) + 1, 0, back);
  func.generation++;
  return back;
}

/**
 * Puts a new, empty block on the edge and returns it. A fall-through edge gets it between the two blocks; for a branch
 * the block goes to the end of the layout and jumps to the old target.
 * Refused for edges of indirect branches without a table of ours, whose targets are not in the code.
 */
export function splitEdge(func: Func, from: Block, to: Block): Block {
  return splitEdges(func, [{ from, to }])[0] as Block;
}

/** Splits edges, each named once, as `splitEdge` does one; returns the new blocks in their order. */
export function splitEdges(
  func: Func,
  edges: readonly {
    /** Block that the edge leaves. */
    readonly from: Block;
    /** Block that it enters. */
    readonly to: Block;
  }[],
): Block[] {
  if (edges.length === 0) return [];
  const next = new Map<Block, Block | undefined>();
  func.blocks.forEach((b, i) => {
    next.set(b, func.blocks[i + 1]);
  });
  const between = new Map<Block, Block>();
  const atEnd: Block[] = [];
  const slots = new Map<Block, Map<Block, number>>();
  const made = edges.map(({ from, to }) => {
    const last = terminator(from);
    if (last !== null && goesElsewhere(func, from)) {
      throw new InternalError(`the edge ${from.id} → ${to.id} of an indirect branch cannot be split`, {
        func: func.name,
      });
    }
    if (!next.has(from)) throw new InternalError(`block ${from.id} is not in the layout`, { func: func.name });
    const middle = newBlock(func, "", Math.min(from.freq, to.freq));
    if (next.get(from) === to && blockFallsThrough(from)) between.set(from, middle);
    else {
      atEnd.push(middle);
      middle.insts.push(jump(func, to, last));
    }
    const slot = slots.get(to) ?? new Map(to.preds.map((p, i) => [p, i]));
    slots.set(to, slot);
    to.preds[slot.get(from) as number] = middle;
    from.succs[from.succs.indexOf(to)] = middle;
    middle.preds = [from];
    middle.succs = [to];
    if (last !== null) retarget(last, to.id, middle.id);
    return middle;
  });
  func.blocks = func.blocks
    .flatMap((b) => (between.get(b) === undefined ? [b] : [b, between.get(b) as Block]))
    .concat(atEnd);
  func.generation++;
  return made;
}

function jump(func: Func, to: Block, like: Inst | null): Inst {
  const bra = form("BRA");
  const srcs: Operand[] = bra.srcs.map((slot) => (slot.accepts.includes("label") ? labelOf(to) : slotDefault(slot)));
  return newInst(func, bra, bra.dsts.map(slotDefault), srcs, null, like?.loc ?? null, like?.id ?? -1);
}

/** An edge from a block with several successors to a block with several predecessors. */
export function isCritical(from: Block, to: Block): boolean {
  return from.succs.length > 1 && to.preds.length > 1;
}

/** Splits every critical edge that can be split; returns how many were. */
export function splitCriticalEdges(func: Func): number {
  const edges: { from: Block; to: Block }[] = [];
  for (const from of func.blocks) {
    if (from.succs.length < 2 || goesElsewhere(func, from)) continue;
    for (const to of from.succs) if (isCritical(from, to)) edges.push({ from, to });
  }
  return splitEdges(func, edges).length;
}

/** Splits blocks after transfers of control that stand inside them; returns how many blocks were made. */
export function splitAtTransfers(func: Func): number {
  let count = 0;
  for (let b = 0; b < func.blocks.length; b++) {
    const block = func.blocks[b] as Block;
    const at = block.insts.findIndex((inst, i) => endsBlock(inst) && i + 1 < block.insts.length);
    if (at < 0) continue;
    const back = newBlock(func, "", block.freq);
    back.insts = block.insts.splice(at + 1);
    func.blocks.splice(b + 1, 0, back);
    count++;
  }
  if (count > 0) func.generation++;
  return count;
}

/** Takes a block without predecessors out of the function. */
export function removeBlock(func: Func, block: Block): void {
  const at = layoutIndex(func, block);
  if (block.preds.some((p) => p !== block)) {
    throw new InternalError(`block ${block.id} cannot be removed: it is still reached`, { func: func.name });
  }
  for (const s of block.succs) dropPredecessor(block, s);
  block.succs = [];
  func.blocks.splice(at, 1);
  func.generation++;
}

/** Replaces the last instruction's block ids: every label `from` becomes `to`, and the edge follows. */
export function redirect(func: Func, block: Block, from: Block, to: Block): void {
  const last = terminator(block);
  if (last === null) throw new InternalError(`block ${block.id} has no branch to redirect`, { func: func.name });
  retarget(last, from.id, to.id);
  const at = layoutIndex(func, block);
  const stillFalls = fallsThrough(last) && func.blocks[at + 1] === from;
  if (!stillFalls) removeEdge(func, block, from);
  addEdge(func, block, to);
}
