/**
 * Branch folding on plain registers (no phis): jumps to jumps, jumps to what comes next, blocks that cannot be reached, branches
 * around a jump, branches to an end (`@P EXIT`), straight lines of blocks as one block, and a layout in which a jump's
 * target follows it where nothing else wants that place.
 *
 *     @P BRA a                @!P BRA c              …                 …
 *     BRA c             →     a: …                   BRA e       →     EXIT
 *     a: …                                           e: EXIT
 *
 * Blocks that an instruction names without going there (BSSY, gathered code) stay.
 */
import { form } from "../isa/form.js";
import { renameTargets } from "../ori/editor.js";
import {
  blockFallsThrough,
  blocksById,
  connect,
  goesElsewhere,
  hasCondition,
  mayNameBlock,
  terminator,
} from "../ori/flow.js";
import { copyGuard, copyInst, newInst } from "../ori/func.js";
import { slotDefault } from "../ori/slots.js";
import { type Block, type Func, type Guard, type Inst, Kind, ZERO_REG } from "../ori/types.js";
import { saying } from "./notes.js";

/**
 * Folds until nothing changes; returns whether anything did. `ends`: branches to an end become that end (ptxas does so early only;
 * what comes to end a kernel later is branched to). `names`: what is named where, kept right.
 */
export function foldBranches(func: Func, ends = true, names: Naming = new Naming(func)): boolean {
  let changed = false;
  for (let again = true; again; ) {
    again = thread(func);
    for (const step of [dropUnreachable, ends ? shorten : shortenJumps, merge, turnAround, place]) {
      if (!step(func, names)) continue;
      connect(func);
      again = true;
    }
    changed ||= again;
  }
  if (changed) func.generation++;
  return changed;
}

/** A branch to one place that is taken when its guard holds and in no other case. */
export function isPlainBranch(inst: Inst | null): inst is Inst {
  if (inst === null || inst.form.name !== "BRA" || hasCondition(inst)) return false;
  let labels = 0;
  for (const o of inst.srcs) if (o.kind === Kind.Label) labels++;
  return labels === 1;
}

/** The guard that holds when this one does not; null (always) has none. */
export function opposite(g: Guard): Guard {
  return { file: g.file, id: g.id, not: !g.not };
}

const always = (inst: Inst): boolean => inst.guard === null || (inst.guard.id === ZERO_REG && !inst.guard.not);

function target(inst: Inst): number {
  for (const o of inst.srcs) if (o.kind === Kind.Label) return o.id;
  return -1;
}

function aim(inst: Inst, to: number): void {
  for (const o of inst.srcs) if (o.kind === Kind.Label) o.id = to;
}

/** Blocks that instructions name, those that transfer control aside. */
export function namedBlocks(func: Func): Set<number> {
  const ids = new Set<number>();
  for (const block of func.blocks)
    for (const inst of block.insts)
      if (inst.form.flow !== "branch" && mayNameBlock(inst))
        for (const o of inst.srcs) if (o.kind === Kind.Label) ids.add(o.id);
  return ids;
}

const none: ReadonlySet<number> = new Set();

/** What is named in which block, looked for once: folding moves such instructions with their blocks only, or lets them go with them. */
export class Naming {
  private ofBlocks = new Map<Block, number[]>();
  private all: ReadonlySet<number> | null = null;

  constructor(func: Func) {
    for (const block of func.blocks)
      for (const inst of block.insts) {
        if (inst.form.flow === "branch" || !mayNameBlock(inst)) continue;
        for (const o of inst.srcs) if (o.kind === Kind.Label) this.note(block, o.id);
      }
  }

  /** As `namedBlocks`. */
  get ids(): ReadonlySet<number> {
    if (!this.any) return none;
    this.all ??= new Set([...this.ofBlocks.values()].flat());
    return this.all;
  }

  get any(): boolean {
    return this.ofBlocks.size > 0;
  }

  of(block: Block): readonly number[] {
    return this.ofBlocks.get(block) ?? [];
  }

  /** The instructions of a block are another's from now on. */
  join(block: Block, from: Block): void {
    for (const id of this.of(from)) this.note(block, id);
    this.ofBlocks.delete(from);
  }

  /** The block names it once less. */
  drop(block: Block, id: number): void {
    const list = this.ofBlocks.get(block) ?? [];
    list.splice(list.indexOf(id), 1);
    this.all = null;
  }

  /** Other blocks are gone. */
  keep(kept: ReadonlySet<Block>): void {
    for (const block of this.ofBlocks.keys()) if (!kept.has(block)) this.ofBlocks.delete(block);
    this.all = null;
  }

  private note(block: Block, id: number): void {
    const list = this.ofBlocks.get(block);
    if (list === undefined) this.ofBlocks.set(block, [id]);
    else list.push(id);
  }
}

/** Branches go where the jumps that they lead to go. */
function thread(func: Func): boolean {
  const next = new Map<number, number>();
  func.blocks.forEach((block, b) => {
    const [only] = block.insts;
    if (only === undefined) {
      const after = func.blocks[b + 1];
      if (after !== undefined) next.set(block.id, after.id);
    } else if (isPlainBranch(only) && always(only)) next.set(block.id, target(only));
  });
  const end = (id: number): number => {
    const seen = new Set<number>();
    let at = id;
    while (next.has(at) && !seen.has(at)) {
      seen.add(at);
      at = next.get(at) as number;
    }
    return seen.has(at) ? id : at;
  };
  const say = saying(func);
  let changed = false;
  for (const block of func.blocks) {
    const last = terminator(block);
    if (last === null) continue;
    if (last.table?.targets.some((id) => end(id) !== id)) {
      renameTargets(last, end);
      changed = true;
    }
    if (last.form.flow !== "branch") continue;
    for (const o of last.srcs) {
      if (o.kind !== Kind.Label || end(o.id) === o.id) continue;
      o.id = end(o.id);
      say?.("branch goes on", last, `where it led to a jump leads to: b${o.id}`);
      changed = true;
    }
  }
  if (changed) connect(func);
  return changed;
}

function dropUnreachable(func: Func, names: Naming): boolean {
  const kept = new Set<Block>();
  const byId = names.any ? blocksById(func) : [];
  const work: Block[] = [func.blocks[0] as Block];
  for (let b = work.pop(); b !== undefined; b = work.pop()) {
    if (kept.has(b)) continue;
    kept.add(b);
    for (const s of b.succs) work.push(s);
    for (const id of names.of(b)) {
      const to = byId[id];
      if (to !== undefined) work.push(to);
    }
  }
  if (kept.size === func.blocks.length) return false;
  const say = saying(func);
  for (const b of func.blocks) if (!kept.has(b)) say?.(`b${b.id} removed`, b.insts[0], "no path leads to it");
  func.blocks = func.blocks.filter((b) => kept.has(b));
  names.keep(kept);
  return true;
}

/** Jumps to what comes next, branches around a jump or an end, branches to an end. */
function shorten(func: Func, names: Naming): boolean {
  const ends = new Map<number, Inst>();
  for (const b of func.blocks) {
    const only = b.insts[0];
    if (only !== undefined && only.form.name === "EXIT" && always(only)) ends.set(b.id, only);
  }
  return shortenTo(func, names, ends);
}

const shortenJumps = (func: Func, names: Naming): boolean => shortenTo(func, names, new Map());

function shortenTo(func: Func, { ids: names }: Naming, ends: ReadonlyMap<number, Inst>): boolean {
  const say = saying(func);
  let changed = false;
  for (let b = 0; b < func.blocks.length; b++) {
    const block = func.blocks[b] as Block;
    const last = terminator(block);
    if (!isPlainBranch(last)) continue;
    const next = func.blocks[b + 1];
    if (next !== undefined && target(last) === next.id) {
      say?.("jump removed", last, "its target comes next");
      block.insts.pop();
      changed = true;
      continue;
    }
    const end = ends.get(target(last));
    if (end !== undefined) {
      block.insts[block.insts.length - 1] = exit(func, last.guard, end);
      say?.("branch becomes the end", block.insts.at(-1), "it led to one", last);
      changed = true;
      continue;
    }
    if (always(last) || next === undefined || next.preds.length !== 1 || names.has(next.id)) continue;
    if (func.blocks[b + 2]?.id !== target(last)) continue;
    // Around one jump, or around the end.
    const [only] = next.insts;
    if (only === undefined || !always(only) || next.insts.length !== 1) continue;
    say?.("branch around a jump", last, "under the opposite guard it goes there itself", only);
    if (isPlainBranch(only)) {
      last.guard = opposite(last.guard as Guard);
      aim(last, target(only));
    } else if (ends.has(next.id)) {
      block.insts[block.insts.length - 1] = exit(func, opposite(last.guard as Guard), only);
    } else continue;
    func.blocks.splice(b + 1, 1);
    changed = true;
  }
  return changed;
}

function exit(func: Func, guard: Guard | null, like: Inst): Inst {
  const f = form("EXIT");
  return newInst(func, f, [], f.srcs.map(slotDefault), copyGuard(guard), like.loc, like.id);
}

/**
 * Where a branch goes to a block that nobody else comes to, and who does not take it jumps: that block comes next, and the branch goes where
 * the jump went.
 *
 *     @P BRA x                @!P BRA j
 *     BRA j             →     x: …
 *     …                       BRA y
 *     x: …                    …
 *     y: …                    y: …
 */
function turnAround(func: Func, { ids: names }: Naming): boolean {
  let changed = false;
  for (let b = 0; b < func.blocks.length; b++) {
    const block = func.blocks[b] as Block;
    const [last, next] = [terminator(block), func.blocks[b + 1]];
    if (!isPlainBranch(last) || always(last) || next === undefined) continue;
    const [only, ...more] = next.insts;
    if (only === undefined || more.length > 0 || !isPlainBranch(only) || !always(only)) continue;
    const x = func.blocks.findIndex((y) => y.id === target(last));
    const far = func.blocks[x] as Block;
    if (x <= b + 2 || [next, far].some((y) => y.preds.length !== 1 || names.has(y.id))) continue;
    const after = func.blocks[x + 1];
    if (blockFallsThrough(far)) {
      if (after === undefined || terminator(far) !== null) continue;
      const jump = copyInst(func, only);
      aim(jump, after.id);
      far.insts.push(jump);
    }
    saying(func)?.("branch turned around", last, `only it leads to b${far.id}, which comes next`, only);
    last.guard = opposite(last.guard as Guard);
    aim(last, target(only));
    func.blocks.splice(x, 1);
    func.blocks.splice(b + 1, 1, far);
    changed = true;
  }
  return changed;
}

/** A block and the next one that only it leads to become one. */
function merge(func: Func, names: Naming): boolean {
  const { ids } = names;
  const kept: Block[] = [];
  for (const block of func.blocks) {
    const before = kept[kept.length - 1];
    const joins =
      before !== undefined &&
      terminator(before) === null &&
      !goesElsewhere(func, before) &&
      before.succs[0] === block &&
      block.preds.length === 1 &&
      !ids.has(block.id);
    if (joins) {
      for (const inst of block.insts) before.insts.push(inst);
      before.succs = block.succs;
      names.join(before, block);
    } else kept.push(block);
  }
  const changed = kept.length !== func.blocks.length;
  func.blocks = kept;
  return changed;
}

/** Where a block ends in a jump, its target and what follows that come next, if nothing falls into the target as it is. */
function place(func: Func): boolean {
  let changed = false;
  for (let at = positions(func), b = 0; b < func.blocks.length; b++) {
    const last = terminator(func.blocks[b] as Block);
    if (!isPlainBranch(last) || !always(last)) continue;
    const from = at.get(target(last));
    if (from === undefined || from === 0 || from === b + 1) continue;
    if (blockFallsThrough(func.blocks[from - 1] as Block)) continue;
    let to = from;
    while (blockFallsThrough(func.blocks[to] as Block)) to++;
    if (b >= from && b <= to) continue;
    const chain = func.blocks.splice(from, to + 1 - from);
    func.blocks.splice(from < b ? b + 1 - chain.length : b + 1, 0, ...chain);
    at = positions(func);
    changed = true;
  }
  return changed;
}

function positions(func: Func): Map<number, number> {
  const at = new Map<number, number>();
  for (let i = 0; i < func.blocks.length; i++) at.set((func.blocks[i] as Block).id, i);
  return at;
}
