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
 * A loop that watches memory may wait for a lane that waits at the loop's own barrier (a lock taken by a compare-and-swap).
 * Such loops begin with YIELD, and the barriers around them are not .RECONVERGENT: the machine then lets the waiting lanes
 * go on. ptxas does so on sm_75 for every loop with an atomic, a strong load or a sleep in it, later only where what was read
 * decides about the exit (measured on its code for small loops); here it is every such loop everywhere. The loops that lowering
 * itself makes around a compare-and-swap wait for nobody: one lane's swap fails because another's went through. ptxas has no YIELD there.
 */
import { type Cfg, controlFlow } from "../analysis/cfg.js";
import { commonDominator, type DominatorTree, dominates, dominators, postDominators } from "../analysis/dominators.js";
import { type Loop, type Loops, naturalLoops } from "../analysis/loops.js";
import { form } from "../isa/form.js";
import { renameTargets } from "../ori/editor.js";
import { blockFallsThrough, connect, isConditional, terminator } from "../ori/flow.js";
import { newBlock, newInst } from "../ori/func.js";
import { breg, label, PT } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";

/** Barrier registers B0 … B15, less some for what later phases add. */
const MAX_NESTING = 12;

interface Graph {
  readonly cfg: Cfg;
  readonly dom: DominatorTree;
  readonly pdom: DominatorTree;
  readonly loops: Loops;
}

interface Region {
  /** Layout indices. */
  readonly entry: number;
  readonly join: number;
  readonly blocks: readonly number[];
}

/** What lowering knows of loops in which other threads have a part. */
export interface Watching {
  /** Instructions that read what other threads may write, beyond those whose form says so. */
  readonly insts: ReadonlySet<Inst>;
  /** Headers of loops that try a compare-and-swap again and wait for nobody. */
  readonly retries: ReadonlySet<Block>;
}

/**
 * Adds the regions of all branches that lanes may take differently. The function's control flow must be complete.
 */
export function addRegions(func: Func, { insts, retries }: Watching): void {
  if (!func.blocks.some(branches)) return;
  addPreheaders(func);
  const graph = graphOf(func);
  const regions = plan(graph);
  const waiting = loopsThatWatch(graph, insts).filter((l) => !retries.has(graph.cfg.blocks[l.header] as Block));
  for (const r of regions) apply(func, graph.cfg, r, !waiting.some((l) => r.blocks.includes(l.header)));
  for (const l of waiting) {
    const header = graph.cfg.blocks[l.header] as Block;
    header.insts.unshift(instruction(func, "YIELD", [], [PT()], header.insts[0] ?? null));
  }
  if (regions.length > 0) connect(func);
  func.generation++;
}

function graphOf(func: Func): Graph {
  const cfg = controlFlow(func);
  const dom = dominators(cfg);
  return { cfg, dom, pdom: postDominators(cfg), loops: naturalLoops(cfg, dom) };
}

/** Ends in a conditional branch, or goes by a table. */
function branches(b: Block): boolean {
  const last = terminator(b);
  return last !== null && (last.table !== undefined || (last.form.flow === "branch" && isConditional(last)));
}

// ------------------------------------------------------------------------------------------------ planning

function plan(g: Graph): Region[] {
  const entries = new Map<number, number>();
  for (let x = 0; x < g.cfg.count; x++) {
    if (!branches(g.cfg.blocks[x] as Block)) continue;
    const found = place(g, x, g.pdom.idom[x] as number);
    if (found === null) continue;
    const other = entries.get(found.join);
    entries.set(found.join, other === undefined ? found.entry : merged(g, other, found.entry, found.join));
  }
  const regions: Region[] = [];
  for (const [join, entry] of entries) {
    const region = entry < 0 ? null : regionOf(g, entry, join);
    if (region !== null) regions.push(region);
  }
  // Larger regions first: where two are entered at one block, the inner barrier is set up last.
  regions.sort((a, b) => b.blocks.length - a.blocks.length || a.entry - b.entry || a.join - b.join);
  return limited(regions, g.cfg.count);
}

/** The block that dominates both entries of regions with one join, as an entry itself; −1 when it cannot be one. */
function merged(g: Graph, a: number, b: number, join: number): number {
  if (a < 0) return a;
  const found = place(g, commonDominator(g.dom, a, b), join);
  return found === null || found.join !== join ? -1 : found.entry;
}

/** Entry and join for lanes that part in block x and meet at j or later. */
function place(g: Graph, x: number, j: number): { entry: number; join: number } | null {
  let join = j;
  for (;;) {
    if (x < 0 || join < 0 || join >= g.cfg.count || endsKernel(g.cfg.blocks[join] as Block)) return null;
    const entry = hoisted(g, x, join);
    if (entry < 0) return null;
    if (entry !== join && dominates(g.pdom, join, entry)) return { entry, join };
    join = g.pdom.idom[join] as number;
  }
}

/** Nothing comes but the end of the kernel. */
function endsKernel(b: Block): boolean {
  const seen = new Set<Block>();
  for (let at: Block | undefined = b; at !== undefined && !seen.has(at); ) {
    seen.add(at);
    const first: Inst | undefined = at.insts[0];
    if (first?.form.flow === "exit") return first.guard === null;
    if (first !== undefined && (first.form.flow !== "branch" || isConditional(first) || first.table !== undefined))
      return false;
    if (at.succs.length !== 1) return false;
    at = at.succs[0];
  }
  return false;
}

/** x, or the preheader of the outermost loop around x that join is outside of; −1 when there is none. */
function hoisted(g: Graph, x: number, join: number): number {
  let outermost: Loop | null = null;
  for (let l = g.loops.innermost[x] as number; l >= 0; ) {
    const loop = g.loops.loops[l] as Loop;
    if (!loop.blocks.includes(join)) outermost = loop;
    l = loop.parent;
  }
  return outermost === null ? x : preheaderOf(g, outermost);
}

function preheaderOf(g: Graph, loop: Loop): number {
  let found = -1;
  for (const p of g.cfg.blocks[loop.header]?.preds ?? []) {
    const i = g.cfg.indexOf[p.id] as number;
    if (loop.blocks.includes(i)) continue;
    if (found >= 0 || p.succs.length !== 1) return -1;
    found = i;
  }
  return found;
}

/** What lies between entry and join; null when it is entered or left in another way. */
function regionOf(g: Graph, entry: number, join: number): Region | null {
  const inside = new Set<number>();
  const work = successors(g.cfg, entry);
  for (let b = work.pop(); b !== undefined; b = work.pop()) {
    if (b === join || inside.has(b)) continue;
    if (b === entry || !dominates(g.dom, entry, b)) return null;
    inside.add(b);
    work.push(...successors(g.cfg, b));
  }
  return { entry, join, blocks: [...inside].sort((a, b) => a - b) };
}

function successors(cfg: Cfg, b: number): number[] {
  return Array.from(cfg.succ.subarray(cfg.succStart[b] as number, cfg.succStart[b + 1] as number));
}

/** Leaves out regions nested too deep for the barrier registers. Outer regions come first. */
function limited(regions: readonly Region[], count: number): Region[] {
  const depth = new Uint8Array(count);
  const kept: Region[] = [];
  for (const r of regions) {
    if ((depth[r.entry] as number) >= MAX_NESTING) continue;
    kept.push(r);
    for (const b of r.blocks) depth[b] = (depth[b] as number) + 1;
  }
  return kept;
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

/** Puts block `b` into the layout before `target`, on the edges from the predecessors for which `moved` holds. */
function insertAhead(func: Func, target: Block, b: Block, moved: (p: Block) => boolean): void {
  const at = func.blocks.indexOf(target);
  const before = func.blocks[at - 1];
  if (before !== undefined && blockFallsThrough(before) && !moved(before)) {
    const jump = newBlock(func, "", target.freq);
    jump.insts.push(instruction(func, "BRA", [], [PT(), label(target)], target.insts[0] ?? null));
    func.blocks.splice(at, 0, jump, b);
  } else func.blocks.splice(at, 0, b);
  for (const p of target.preds) {
    if (!moved(p)) continue;
    for (const i of p.insts) {
      if (goesTo(i)) for (const o of i.srcs) if (o.kind === Kind.Label && o.id === target.id) o.id = b.id;
      renameTargets(i, (id) => (id === target.id ? b.id : id));
    }
  }
}

/** Names blocks that lanes go to from here: where they part, or after gathered code (gather.ts). BSSY names where they meet. */
function goesTo(i: Inst): boolean {
  return i.form.op !== "BSSY";
}

function instruction(func: Func, name: string, dsts: Operand[], srcs: Operand[], like: Inst | null): Inst {
  return newInst(func, form(name), dsts, srcs, null, like?.loc ?? null);
}

function apply(func: Func, cfg: Cfg, r: Region, reconvergent: boolean): void {
  const entry = cfg.blocks[r.entry] as Block;
  const join = cfg.blocks[r.join] as Block;
  const members = new Set<Block>([entry, ...r.blocks.map((i) => cfg.blocks[i] as Block)]);
  const barrier = func.values.add(File.B);
  const suffix = reconvergent && func.target.has("reconvergent") ? ".RECONVERGENT" : "";
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
