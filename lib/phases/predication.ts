/**
 * If-conversion on plain registers: short arms of a branch become straight code under the branch's guard, and the branch goes.
 *
 *     @P BRA j                                  H: …; @P BRA b
 *     IMAD d, a, b, c     →   IMAD t …          A: x; BRA j         →   @!P x; @P y
 *     STG [p], d              @!P STG …         B: y
 *     j: …                                      j: …
 *
 * An instruction keeps its guard off where it does no harm to the lanes that did not take its arm: when it touches no memory
 * and what it writes is not read on the other path before it is written there. That keeps live ranges short.
 *
 * How long an arm may be was measured on ptxas 13.0.88 (facts on its flow decisions): 8 instructions for an arm whose condition
 * varies, two less where it is uniform, since no region is saved; 28 where it loads from global memory, so that loads start together, but an arm without another beside it only where something
 * is in flight for them to start beside (`waits`); 18 where it copies to shared memory (asked on sm_80 and 90).
 * The jump or EXIT at the end of an arm counts and is guarded like the rest. So of two arms the first may be one instruction
 * shorter than the second; and where only the first is short enough, it alone is converted.
 *
 *     @P BRA b                         @!P x
 *     x; BRA j                  →      @!P BRA j
 *     b: y … y                         y … y
 *     j:                               j:
 */
import {
  analysis,
  type Divergence,
  isLanewise,
  isPlainLoad,
  LiveQuery,
  loadsFar,
  readsConstants,
} from "../analysis/index.js";
import { counted } from "../inspect.js";
import { connect, goesElsewhere, terminator } from "../ori/flow.js";
import { copyGuard, copyInst } from "../ori/func.js";
import { isReg } from "../ori/operand.js";
import { type Block, File, type Func, type Guard, type Inst, Kind, ZERO_REG } from "../ori/types.js";
import { isPlainBranch, Naming, opposite } from "./branches.js";
import { equalTests } from "./equal-tests.js";
import { type Say, saying } from "./notes.js";

/** Most instructions in an arm: its condition varies, it is uniform, the arm copies to shared memory, it loads from global memory. */
export const limits = { varying: 8, uniform: 6, copies: 18, global: 28 } as const;

/** Converts arms that have no branches themselves; returns how many branches went. `many`: it
 * may be thought that it is many; `names`: what is named where, kept right. */
export function predicate(func: Func, many = true, names: Naming = new Naming(func)): number {
  const facts = new Facts(func, many, names);
  const gone = new Set<Block>();
  const joined = new Set(equalTests(func).flatMap(({ head, between }) => [head, ...between]));
  const say = saying(func);
  let count = 0;
  for (const [b, block] of func.blocks.entries()) {
    if (gone.has(block) || joined.has(block)) continue;
    const edge = edgeOf(func, b, facts);
    if (edge !== null && !gone.has(edge.arm.block)) {
      tell(say, edge.branch, [edge.arm]);
      takeEdge(block, edge, facts);
      gone.add(edge.arm.block);
      count++;
      continue;
    }
    const shape = shapeOf(func, block, facts) ?? endOf(func, b, facts);
    if (shape === null || shape.arms.some((arm) => gone.has(arm.block))) continue;
    const fitting = shape.arms.findIndex((arm) => !convertible(block, shape, arm, facts));
    const converts = fitting < 0 && shape.end === undefined;
    if (converts || (fitting !== 0 && follows(func, b, shape))) {
      const arms = fitting < 0 ? shape.arms : shape.arms.slice(0, 1);
      tell(say, shape.branch, arms);
    }
    if (converts) convert(block, shape, facts);
    else if (fitting !== 0 && follows(func, b, shape)) takeFirst(func, block, shape, facts);
    else continue;
    for (const arm of fitting < 0 ? shape.arms : shape.arms.slice(0, 1)) gone.add(arm.block);
    count++;
  }
  if (count === 0) return 0;
  func.blocks = func.blocks.filter((b) => !gone.has(b));
  connect(func);
  func.generation++;
  return count;
}

/** The branch, and what stands under a guard in its place. Few different words: there may be thousands. */
function tell(say: Say | null, branch: Inst, arms: readonly Arm[]): void {
  if (say === null) return;
  const lengths = arms.map(({ block }) => counted(block.insts.length, "instruction"));
  say(arms.length === 1 ? "arm under a guard" : "arms under guards", branch, `short enough: ${lengths.join(" and ")}`);
  for (const { block } of arms)
    for (const inst of block.insts) say("in a short arm", inst, "no branch around it", branch);
}

/** What holds of the function before the first conversion; conversions leave what is live into the blocks that stay as it is. */
class Facts {
  readonly live: LiveQuery;
  readonly indexOf: Int32Array;
  private parting: Divergence | null = null;

  constructor(
    private readonly func: Func,
    many: boolean,
    private readonly names: Naming,
  ) {
    this.live = new LiveQuery(func, many);
    this.indexOf = analysis(func, "cfg").indexOf;
  }

  get divergence(): Divergence {
    this.parting ??= analysis(this.func, "divergence");
    return this.parting;
  }

  /** Blocks that instructions name. */
  get named(): ReadonlySet<number> {
    return this.names.ids;
  }

  /** The head takes the instructions of the arms. */
  keep(head: Block, ...arms: readonly Block[]): void {
    this.parting ??= analysis(this.func, "divergence");
    this.live.keep(head);
    for (const b of arms) {
      this.live.keep(b);
      this.names.join(head, b);
    }
  }
}

interface Arm {
  readonly block: Block;
  readonly guard: Guard;
}

interface Shape {
  readonly branch: Inst;
  /** In the order in which they will stand. */
  readonly arms: readonly Arm[];
  readonly join: Block;
  /** The arm does not come to the join but ends the kernel here. */
  readonly end?: Inst;
}

function shapeOf(func: Func, head: Block, { named, indexOf }: Facts): Shape | null {
  const branch = terminator(head);
  if (!isPlainBranch(branch) || branch.guard === null || branch.guard.id === ZERO_REG) return null;
  if (branch.guard.file !== File.P || head.succs.length !== 2) return null;
  const [next, far] = head.succs as [Block, Block];
  if (next === head || far === head || next === far) return null;
  const taken = copyGuard(branch.guard);
  const not = opposite(branch.guard);
  const comesBefore = (x: Block, y: Block): boolean => (indexOf[x.id] as number) < (indexOf[y.id] as number);
  const only = (b: Block): Block | null =>
    b.preds.length === 1 && !named.has(b.id) && !goesElsewhere(func, b) ? soleExit(b) : null;
  const [a, b] = [only(next), only(far)];
  // ptxas keeps the branch around an arm that jumps on to where others come from, too.
  if (a === far && far !== head && terminator(next) !== null && comesBefore(next, far)) return null;
  if (a === far && far !== head) return { branch, arms: [{ block: next, guard: not }], join: far };
  if (b === next) return { branch, arms: [{ block: far, guard: taken }], join: next };
  if (a === null || a !== b || a === head) return null;
  return {
    branch,
    arms: [
      { block: next, guard: not },
      { block: far, guard: taken },
    ],
    join: a,
  };
}

/** An edge out of a block to one in which a little is done before a jump: copies on a loop's back edge, as a rule. */
interface Edge {
  readonly branch: Inst;
  readonly arm: Arm;
  readonly to: Block;
  readonly other: Block;
}

/** Most instructions on such an edge: lanes that take the other one execute them in vain. */
const EDGE_LIMIT = 3;

/** The edge, where it is taken at least as often as the other and the other comes next without it. */
function edgeOf(func: Func, b: number, facts: Facts): Edge | null {
  const head = func.blocks[b] as Block;
  const branch = terminator(head);
  if (!isPlainBranch(branch) || branch.guard === null || branch.guard.id === ZERO_REG) return null;
  if (branch.guard.file !== File.P || head.succs.length !== 2) return null;
  const [next, far] = head.succs as [Block, Block];
  for (const block of [next, far]) {
    const other = block === next ? far : next;
    const to = block.preds.length === 1 && !facts.named.has(block.id) ? soleExit(block) : null;
    const jump = terminator(block);
    // What stands before a table stays as it is.
    if (terminator(other)?.table !== undefined) continue;
    if (to === null || jump === null || to === other || to === block || block.freq < other.freq || block === head)
      continue;
    if (block === next && func.blocks[b + 2] !== other) continue;
    const body = bodyOf(block);
    // An arm further on stays where it is, unless it leads back; copies on an edge have no place of their own.
    if (block === far && (facts.indexOf[to.id] as number) > b && !body.every((i) => i.form.op === "MOV")) continue;
    const guard = block === next ? opposite(branch.guard) : copyGuard(branch.guard);
    const fits = (inst: Inst): boolean =>
      isLanewise(inst) && !writes(inst, guard) && (inst.guard === null || harmless(inst, other, facts));
    if (body.length === 0 || body.length > EDGE_LIMIT || !body.every(fits)) continue;
    return { branch, arm: { block, guard }, to, other };
  }
  return null;
}

/** What is done on the edge is done under its guard before the branch, which goes where the edge led. */
function takeEdge(head: Block, { branch, arm, to, other }: Edge, facts: Facts): void {
  const body = bodyOf(arm.block);
  facts.keep(head, arm.block);
  for (const inst of body) if (!harmless(inst, other, facts)) inst.guard = copyGuard(arm.guard);
  head.insts.splice(head.insts.length - 1, 0, ...body);
  branch.guard = copyGuard(arm.guard);
  for (const o of branch.srcs) if (o.kind === Kind.Label) o.id = to.id;
  head.succs = [other, to];
  to.preds = to.preds.map((p) => (p === arm.block ? head : p));
}

/** A path that ends the kernel, while the other goes on: its join is the other path. */
function endOf(func: Func, b: number, { named }: Facts): Shape | null {
  const head = func.blocks[b] as Block;
  const branch = terminator(head);
  if (!isPlainBranch(branch) || branch.guard === null || branch.guard.id === ZERO_REG) return null;
  if (branch.guard.file !== File.P || head.succs.length !== 2) return null;
  const [next, far] = head.succs as [Block, Block];
  const last = terminator(next);
  // Out of a loop lanes go once; the others would do it in each turn.
  if (next.preds.length !== 1 || named.has(next.id) || far === head || next.freq < head.freq) return null;
  if (last === null || last.form.name !== "EXIT" || last.guard !== null) return null;
  return { branch, arms: [{ block: next, guard: opposite(branch.guard) }], join: far, end: last };
}

/** After the first arm stands the other path, so that what does not take the arm's end falls into it. */
function follows(func: Func, b: number, shape: Shape): boolean {
  const first = shape.arms[0] as Arm;
  return func.blocks[b + 1] === first.block && func.blocks[b + 2] === otherWay(shape, first);
}

/** Only the first arm is done under its guard, and so is its jump or end. */
function takeFirst(func: Func, head: Block, shape: Shape, facts: Facts): void {
  const [arm] = shape.arms as [Arm];
  const other = otherWay(shape, arm);
  facts.keep(head, arm.block);
  head.insts.pop();
  for (const inst of bodyOf(arm.block)) {
    if (!isLanewise(inst) || !harmless(inst, other, facts)) inst.guard = copyGuard(arm.guard);
    head.insts.push(inst);
  }
  if (shape.end !== undefined) {
    const end = copyInst(func, shape.end);
    end.guard = copyGuard(arm.guard);
    head.insts.push(end);
    head.succs = [other];
    return;
  }
  const { branch, join } = shape;
  branch.guard = copyGuard(arm.guard);
  for (const o of branch.srcs) if (o.kind === Kind.Label) o.id = join.id;
  head.insts.push(branch);
  head.succs = [other, join];
  join.preds = join.preds.map((p) => (p === arm.block ? head : p));
}

/** Where the block always goes; null: several places, or an end. */
function soleExit(b: Block): Block | null {
  const last = terminator(b);
  if (last !== null && (!isPlainBranch(last) || last.guard !== null)) return null;
  return b.succs.length === 1 ? (b.succs[0] as Block) : null;
}

const bodyOf = (b: Block): readonly Inst[] => (terminator(b) === null ? b.insts : b.insts.slice(0, -1));

function convertible(head: Block, shape: Shape, arm: Arm, facts: Facts): boolean {
  const guard = shape.branch.guard as Guard;
  const body = bodyOf(arm.block);
  // Its jump counts: the last of the arms falls into the join.
  const leaves = shape.end !== undefined || arm !== shape.arms[shape.arms.length - 1];
  const length = body.length + (leaves ? 1 : 0);
  const loads = body.some(loadsFar);
  const copies = body.some((inst) => inst.form.op === "LDGSTS");
  if (length > (loads ? limits.global : copies ? limits.copies : limits.varying)) return false;
  const other = otherWay(shape, arm);
  const fits = (inst: Inst): boolean =>
    inst.guard === null ? canBeGuarded(inst) : isLanewise(inst) && harmless(inst, other, facts);
  if (!body.every((inst) => fits(inst) && !writes(inst, guard))) return false;
  // Divergence is asked last: it is dear.
  const varies = (): boolean => facts.divergence.parts(head);
  if (!loads) return length <= limits.uniform || varies();
  // Lanes that go on need not wait for those that end; ptxas keeps the branch, too.
  if (shape.end !== undefined) return !waits(head, guard) || !varies();
  return shape.arms.length !== 1 || asksAgain(head, shape) || !waits(head, guard);
}

/** Fewest instructions that loads of an arm may start beside, in a loop and elsewhere; a load from global memory is enough by itself. */
const beside = { inLoop: 1, once: 4 } as const;

/**
 * Nothing is in flight when the predicate is known that loads of the arm could start beside: what stands before the branch makes the
 * predicate, or a store after it lets no load pass (asked on 200 heads, sm_90). A store to shared or local memory does: no load of global memory meets it.
 */
function waits(head: Block, guard: Guard): boolean {
  const needed = new Set([`${guard.file},${guard.id}`]);
  let count = 0;
  for (const inst of head.insts.slice(0, -1).reverse()) {
    if (storesFar(inst)) break;
    const made = inst.dsts.filter(isReg).map((o) => `${o.file},${o.id}`);
    if (made.some((r) => needed.has(r))) {
      for (const o of inst.srcs) if (isReg(o)) needed.add(`${o.file},${o.id}`);
      if (inst.guard !== null) needed.add(`${inst.guard.file},${inst.guard.id}`);
    } else if (loadsFar(inst)) return false;
    else if (isLanewise(inst) || isPlainLoad(inst)) count++;
  }
  return count < (head.freq > 1 ? beside.inLoop : beside.once);
}

const storesFar = ({ form: { memory } }: Inst): boolean =>
  memory?.access === "store" && memory.space !== "shared" && memory.space !== "local";

/** The same predicate has guarded what stands ahead, or decides about what comes at the join. */
function asksAgain(head: Block, { branch, join }: Shape): boolean {
  const same = (g: Guard | null): boolean => g !== null && g.id === branch.guard?.id && g.file === branch.guard.file;
  return head.insts.some((i) => i !== branch && same(i.guard)) || same(nextTest(join)?.guard ?? null);
}

/** The branch that follows, with nothing but ends and beginnings of regions before it. */
function nextTest(block: Block): Inst | null {
  const last = terminator(block);
  if (!block.insts.every((i) => i === last || i.form.op === "BSYNC" || i.form.op === "BSSY")) return null;
  const [next, ...more] = block.succs;
  return last ?? (next === undefined || more.length > 0 || next.preds.length > 1 ? null : nextTest(next));
}

/** May stand under a guard, executed by all lanes of a warp together. */
function canBeGuarded(inst: Inst): boolean {
  const { form } = inst;
  if (form.flow !== "next" || writesUniform(inst)) return false;
  if (isLanewise(inst) || readsConstants(inst) || isPlainLoad(inst)) return true;
  return guarded.has(form.op) || (form.op === "SYNCS" && form.mods.includes("ARRIVE")) || asksWhoIsHere(inst);
}

/** `VOTE.ANY d, PT, PT`: the lanes that are active, which under the guard are the lanes of the arm. */
function asksWhoIsHere({ form, dsts, srcs }: Inst): boolean {
  return form.name === "VOTE.ANY" && [...dsts.slice(1), ...srcs].every((o) => o.id === ZERO_REG && o.mods === 0);
}

/**
 * What ptxas 13.0.88 puts under a guard besides computations and plain loads (each alone in an arm, sm_75, 80, 90, 120): stores, loads that order or are volatile, copies to
 * shared memory, hints to caches, special registers, the mask of active lanes; from sm_90 on arrivals at an mbarrier. Atomics, fences, bulk copies, shuffles and votes keep their branch.
 */
const guarded: ReadonlySet<string> = new Set("ST STG STS STL LD LDG LDS LDL LDGSTS CCTL S2R CS2R".split(" "));

function writesUniform(inst: Inst): boolean {
  return inst.dsts.some((o) => o.file === File.UR || o.file === File.UP);
}

function writes(inst: Inst, guard: Guard): boolean {
  return inst.dsts.some((o) => o.kind === Kind.Reg && o.file === guard.file && o.id === guard.id);
}

/** Where lanes that do not want the arm's results go, or have been: the other arm, or the join. */
function otherWay({ arms, join }: Shape, arm: Arm): Block {
  return arm === arms[0] && arms.length === 2 ? (arms[1] as Arm).block : join;
}

/** Nothing that the instruction writes is read there before it is written. */
function harmless(inst: Inst, other: Block, { live }: Facts): boolean {
  for (const o of inst.dsts) if (isReg(o) && live.meets(other, o)) return false;
  return true;
}

function convert(head: Block, shape: Shape, facts: Facts): void {
  const { branch, arms, join } = shape;
  facts.keep(head, ...arms.map((a) => a.block));
  head.insts.pop();
  for (const arm of arms) {
    const other = otherWay(shape, arm);
    for (const inst of bodyOf(arm.block)) {
      if (!isLanewise(inst) || !harmless(inst, other, facts)) inst.guard = copyGuard(arm.guard);
      head.insts.push(inst);
    }
  }
  // A jump to the join, which folding takes away where that comes next.
  branch.guard = null;
  for (const o of branch.srcs) if (o.kind === Kind.Label) o.id = join.id;
  head.insts.push(branch);
  const parted = new Set([head, ...arms.map((a) => a.block)]);
  head.succs = [join];
  join.preds = [...join.preds.filter((p) => !parted.has(p)), head];
}
