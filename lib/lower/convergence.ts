/**
 * Convergence regions. Lanes of a warp that take different paths at a branch run apart until something brings them together; BSSY
 * before the branch and BSYNC where the paths meet do that.
 *
 * For a branch in block X the paths meet at its immediate post-dominator J. The region is entered at D: X itself, or, when X
 * lies in a loop that J is outside of (lanes leave the loop at different times), the preheader of the outermost such loop, since a
 * lane must not set up the barrier again while others wait at it. J must post-dominate D too; if not, the next post-dominator
 * takes its place. Branches that meet at the same J share one region, entered at their common dominator.
 *
 *     D:   …                          D:  … ; BSSY B, J
 *          @p BRA T                       @p BRA T
 *          A                 becomes      A
 *     T:   …                          T:  …
 *     J:   C                          S:  BSYNC B
 *                                     J:  C
 *
 * Every edge from the region to J goes to S; edges to J from elsewhere stay. A region is made only if each of its blocks is
 * dominated by D and D is not reached again from inside, so every lane that comes to S has passed BSSY once. Without a region the
 * program means the same (what needs lanes together brings them together itself, see warp.ts); lanes that end inside
 * one leave its barrier. Regions that only end the kernel are left out.
 *
 * Where some lanes go past J (a loop is left from an arm, one condition of several fails), those that stay meet all the same: see
 * convergence-plan.ts. Lanes that leave such a region break off its barrier on their way:
 *
 *     X:   @p BRA out      becomes      X:   @p BRA E          E:  BREAK B
 *                                                                  BRA out
 *
 * Lanes that call different functions meet after the call, where lanes may part at a branch besides (ptxas 13.0.88, all levels; not where a
 * kernel has no branch).
 *
 *     X:   …                          X:  … ; MOV R20, S ; BSSY B, J
 *          MOV R20, J                     CALL R2
 *          CALL R2          becomes   S:  BSYNC B
 *     J:   C                          J:  C
 *
 * A loop that watches memory may wait for a lane that waits at the loop's own barrier (a lock taken by a compare-and-swap).
 * Such loops begin with YIELD, and the barriers around them are not .RECONVERGENT: the machine then lets the waiting lanes
 * go on. ptxas does so on sm_75 for every loop with an atomic, a strong load or a sleep in it, later only where what was read
 * decides about the exit (measured on its code for small loops); here it is every such loop everywhere. The loops that lowering
 * itself makes around a compare-and-swap wait for nobody: one lane's swap fails because another's went through; and in loops over
 * lanes or over their values each turn is some lane's. ptxas has no YIELD there (all levels).
 */
import { type Cfg, controlFlow } from "../analysis/cfg.js";
import { dominators } from "../analysis/dominators.js";
import { type Loop, naturalLoops } from "../analysis/loops.js";
import { form } from "../isa/form.js";
import { renameTargets } from "../ori/editor.js";
import { blockFallsThrough, connect, terminator } from "../ori/flow.js";
import { newBlock, newInst } from "../ori/func.js";
import { breg, isReg, label, PT } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { branches, type Graph, planRegions, preheaderOf, type Region } from "./convergence-plan.js";

/** What lowering knows of loops in which other threads have a part. */
export interface Watching {
  /** Instructions that read what other threads may write, beyond those whose form says so. */
  readonly insts: ReadonlySet<Inst>;
  /** Headers of loops that wait for nobody: that try a compare-and-swap again, or go over lanes. */
  readonly retries: ReadonlySet<Block>;
}

/**
 * Adds the regions of all branches that lanes may take differently. The function's control flow must be complete.
 */
export function addRegions(func: Func, { insts, retries }: Watching): void {
  const branching = func.blocks.some(branches);
  if (branching || func.kind === "func") meetAfterCalls(func);
  if (!branching) return;
  addPreheaders(func);
  const latches = addLatches(func);
  const graph = graphOf(func);
  const regions = planRegions(graph);
  const waiting = loopsThatWatch(graph, insts).filter((l) => !retries.has(graph.cfg.blocks[l.header] as Block));
  const made = regions.map((r): Made => {
    const watches = waiting.some((l) => r.blocks.includes(l.header));
    const suffix =
      watches || !func.target.has("reconvergent") ? "" : r.exits.length > 0 ? ".RELIABLE" : ".RECONVERGENT";
    const members = new Set([r.entry, ...r.blocks].map((i) => graph.cfg.blocks[i] as Block));
    return { region: r, barrier: func.values.add(File.B), suffix, members };
  });
  breakOff(func, graph.cfg, made);
  for (const m of made) apply(func, graph.cfg, m);
  for (const l of waiting) {
    const header = graph.cfg.blocks[l.header] as Block;
    header.insts.unshift(instruction(func, "YIELD", [], [PT()], header.insts[0] ?? null));
  }
  const joins = new Set(regions.map((r) => graph.cfg.blocks[r.join] as Block));
  for (const b of latches) if (!joins.has(b)) dropLatch(func, b);
  if (regions.length > 0 || latches.length > 0) connect(func);
  func.generation++;
}

function graphOf(func: Func): Graph {
  const cfg = controlFlow(func);
  const dom = dominators(cfg);
  return { cfg, dom, loops: naturalLoops(cfg, dom) };
}

function loopsThatWatch(g: Graph, watching: ReadonlySet<Inst>): Loop[] {
  const watches = (i: Inst): boolean => {
    const access = i.form.memory?.access;
    if (access === "load") return watching.has(i) || i.form.mods.includes("STRONG");
    return access === "atomic" || i.form.op === "NANOSLEEP";
  };
  return g.loops.loops.filter((l) => l.blocks.some((b) => (g.cfg.blocks[b] as Block).insts.some(watches)));
}

// ------------------------------------------------------------------------------------------------ editing

/** Gives loops whose header is entered from several places, or from a branch, a block of their own before it. */
function addPreheaders(func: Func): void {
  const g = graphOf(func);
  if (g.loops.loops.length === 0) return;
  for (const loop of g.loops.loops) {
    if (preheaderOf(g, loop) >= 0) continue;
    const header = g.cfg.blocks[loop.header] as Block;
    const members = new Set(loop.blocks.map((i) => g.cfg.blocks[i]));
    insertAhead(func, header, newBlock(func, "", header.freq), (p) => !members.has(p));
  }
  connect(func);
}

/** Regions around calls of functions by their addresses, which lanes may call differently. */
function meetAfterCalls(func: Func): void {
  const suffix = func.target.has("reconvergent") ? ".RECONVERGENT" : "";
  let made = false;
  for (const block of [...func.blocks]) {
    const call = block.insts[block.insts.length - 1];
    const [join] = block.succs;
    if (call?.form.flow !== "call" || join === undefined || !call.srcs.some((o) => isReg(o) && o.width === 2)) continue;
    const barrier = func.values.add(File.B);
    block.insts.splice(-1, 0, instruction(func, `BSSY${suffix}`, [breg(barrier)], [PT(), label(join)], call));
    const sync = newBlock(func, "", join.freq);
    sync.insts.push(instruction(func, `BSYNC${suffix}`, [], [PT(), breg(barrier)], join.insts[0] ?? null));
    insertAhead(func, join, sync, (p) => p === block);
    made = true;
  }
  if (!made) return;
  connect(func);
  func.generation++;
}

/** Gives loops with several back edges one block that they all go through; returns those blocks. */
function addLatches(func: Func): Block[] {
  const g = graphOf(func);
  const made: Block[] = [];
  for (const { header, latches } of g.loops.loops) {
    const target = g.cfg.blocks[header] as Block;
    const from = latches.map((b) => g.cfg.blocks[b] as Block);
    if (from.length < 2) continue;
    const latch = newBlock(func, "", target.freq);
    putBefore(func, latch, target, from);
    for (const b of from) redirect(b, target, latch);
    made.push(latch);
  }
  if (made.length > 0) connect(func);
  return made;
}

/** Puts a block that leads to `target` into the layout: before it, where one of `from` falls through to there; else where nothing falls through into it. */
function putBefore(func: Func, b: Block, target: Block, from: readonly Block[]): void {
  const at = func.blocks.indexOf(target);
  const before = func.blocks[at - 1];
  if (before !== undefined && from.includes(before) && blockFallsThrough(before)) {
    func.blocks.splice(at, 0, b);
    return;
  }
  b.insts.push(instruction(func, "BRA", [], [PT(), label(target)], target.insts[0] ?? null));
  const last = Math.max(...from.map((p) => func.blocks.indexOf(p)));
  const open = func.blocks.findIndex((p, i) => i >= last && !blockFallsThrough(p));
  func.blocks.splice(open + 1, 0, b);
}

/** Takes such a block out again. */
function dropLatch(func: Func, latch: Block): void {
  const [header] = latch.succs as [Block];
  for (const b of latch.preds) redirect(b, latch, header);
  func.blocks.splice(func.blocks.indexOf(latch), 1);
}

/** Has control go from `b` to `to` where it went to `from`; not where it falls through. */
function redirect(b: Block, from: Block, to: Block): void {
  for (const i of b.insts) {
    if (goesTo(i)) for (const o of i.srcs) if (o.kind === Kind.Label && o.id === from.id) o.id = to.id;
    renameTargets(i, (id) => (id === from.id ? to.id : id));
  }
}

/** Puts block `b` into the layout before `target`, on the edges from the predecessors for which `moved` holds. */
function insertAhead(func: Func, target: Block, b: Block, moved: (p: Block) => boolean): void {
  const at = func.blocks.indexOf(target);
  const before = func.blocks[at - 1];
  if (before !== undefined && blockFallsThrough(before) && !moved(before)) {
    const jump = newBlock(func, "", target.freq);
    jump.insts.push(instruction(func, "BRA", [], [PT(), label(target)], target.insts[0] ?? null));
    func.blocks.splice(at, 0, jump, b);
  } else func.blocks.splice(at, 0, b);
  for (const p of target.preds) if (moved(p)) redirect(p, target, b);
}

/** Names blocks that lanes go to from here: where they part, or after gathered code (gather.ts). BSSY names where they meet. */
function goesTo(i: Inst): boolean {
  return i.form.op !== "BSSY";
}

function instruction(func: Func, name: string, dsts: Operand[], srcs: Operand[], like: Inst | null): Inst {
  return newInst(func, form(name), dsts, srcs, null, like?.loc ?? null);
}

interface Made {
  readonly region: Region;
  readonly barrier: number;
  /** Modifier of BSSY, BREAK and BSYNC: ptxas 13.0.88 has .RELIABLE from sm_100 on where lanes may break off. */
  readonly suffix: string;
  /** The blocks from which an edge to the join means that lanes wait there. */
  readonly members: Set<Block>;
}

/** Blocks on the edges on which lanes go past joins: they break off the barriers that others wait at. */
function breakOff(func: Func, cfg: Cfg, made: readonly Made[]): void {
  // By target and by the regions that are left: where from.
  const edges = new Map<string, { to: Block; left: Made[]; from: Block[] }>();
  const leaving = new Map<string, Made[]>();
  for (const m of made)
    for (const [from, to] of m.region.exits) {
      const key = `${from} ${to}`;
      leaving.set(key, [...(leaving.get(key) ?? []), m]);
    }
  for (const [key, left] of leaving) {
    const [from, to] = key.split(" ").map((n) => cfg.blocks[Number(n)] as Block) as [Block, Block];
    const around = made.filter((m) => m.members.has(from));
    const group = `${to.id} ${left.map((m) => m.barrier)} ${around.map((m) => m.barrier)}`;
    const edge = edges.get(group);
    if (edge === undefined) edges.set(group, { to, left, from: [from] });
    else edge.from.push(from);
  }
  for (const { to, left, from } of edges.values()) {
    const off = newBlock(
      func,
      "",
      Math.min(
        to.freq,
        from.reduce((sum, b) => sum + b.freq, 0),
      ),
    );
    const like = to.insts[0] ?? null;
    // Inner barriers first.
    for (const { barrier, suffix } of left.toReversed())
      off.insts.push(instruction(func, `BREAK${suffix}`, [], [PT(), breg(barrier)], like));
    putBefore(func, off, to, from);
    for (const p of from) redirect(p, to, off);
    const [first] = from as [Block];
    for (const m of made) if (!left.includes(m) && m.members.has(first)) m.members.add(off);
  }
  if (edges.size > 0) connect(func);
}

function apply(func: Func, cfg: Cfg, { region, barrier, suffix, members }: Made): void {
  const entry = cfg.blocks[region.entry] as Block;
  const join = cfg.blocks[region.join] as Block;
  const last = terminator(entry);
  const enter = instruction(
    func,
    `BSSY${suffix}`,
    [breg(barrier)],
    [PT(), label(join)],
    last ?? entry.insts.at(-1) ?? null,
  );
  entry.insts.splice(last === null ? entry.insts.length : entry.insts.length - 1, 0, enter);
  const sync = newBlock(func, "", join.freq);
  sync.insts.push(instruction(func, `BSYNC${suffix}`, [], [PT(), breg(barrier)], join.insts[0] ?? null));
  insertAhead(func, join, sync, (p) => members.has(p));
}
