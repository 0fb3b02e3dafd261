/**
 * Where convergence regions begin and end (convergence.ts).
 *
 * Lanes that part at a branch X meet at its immediate post-dominator J, and the region is all that lies between. Inside of it the
 * question is asked again with the edges to J left out: the lanes that do not leave yet may meet earlier, at J'. So an arm of a loop
 * that some lanes leave by `break` comes together with the other arm before the next round, and the lanes for which `a || b` holds
 * before what they do. Those that leave take an edge that was left out: they break off the barrier of J'. With all exits left out a loop
 * ends where its back edge starts; a loop with several back edges is given one block for all of them before.
 *
 *     D:   …
 *     H:   @p BRA A2            inside of the loop lanes meet at L, and leave at A1
 *     A1:  @q BRA J
 *          BRA L
 *     A2:  …
 *     L:   @r BRA H
 *     J:   …
 *
 * Paths on which the kernel ends are left out first, so lanes that go on meet without those that end; nothing is broken off there, since
 * lanes that end leave all barriers. Where a kernel ends in several places, the one to which the code goes last in the layout is where it goes on.
 *
 * ptxas 13.0.88 does all this at every level (measured: 30 small kernels with breaks, returns, conditions of several parts and jumps out of arms).
 */
import { type Cfg, reversePostOrder } from "../analysis/cfg.js";
import { commonDominator, type DominatorTree, dominates, type Flow, postDominators } from "../analysis/dominators.js";
import type { Loop, Loops } from "../analysis/loops.js";
import { isConditional, terminator } from "../ori/flow.js";
import type { Block, Inst } from "../ori/types.js";

/** A function's control flow; nodes are layout indices. */
export interface Graph {
  readonly cfg: Cfg;
  readonly dom: DominatorTree;
  readonly loops: Loops;
}

/** Lanes that part inside meet at the join, or leave on one of the exits. */
export interface Region {
  readonly entry: number;
  readonly join: number;
  /** What lies between the two, ascending. */
  readonly blocks: readonly number[];
  /** Edges, from and to, on which lanes go past the join. */
  readonly exits: readonly (readonly [from: number, to: number])[];
}

/** Barrier registers B0 … B15, less some for what later phases add. */
const MAX_NESTING = 12;

/** A part of the control flow with edges left out, and its post-dominators. */
interface View {
  follows(from: number, to: number): boolean;
  /** The next node on all paths, −1 where there is none. */
  next(b: number): number;
  /** All paths from `b` lead to `a`. */
  always(a: number, b: number): boolean;
}

/** All regions, each before those inside of it. */
export function planRegions(g: Graph): Region[] {
  const kept = goingOn(g);
  const regions: Region[] = [];
  const rest = range(g.cfg.count).filter((b) => (g.cfg.order[b] as number) >= 0);
  const main = rest.filter((b) => kept[b] === 1);
  plan(
    g,
    viewOf(g, main, () => true),
    branchesIn(g, main),
    kept,
    regions,
  );
  const ending = branchesIn(g, rest).filter((b) => kept[b] === 0);
  if (ending.length > 0)
    plan(
      g,
      viewOf(g, rest, () => true),
      ending,
      kept,
      regions,
    );
  // Larger regions first: where two are entered at one block, the inner barrier is set up last.
  regions.sort((a, b) => b.blocks.length - a.blocks.length || a.entry - b.entry || a.join - b.join);
  return limited(regions, g.cfg.count);
}

const range = (n: number): number[] => Array.from({ length: n }, (_, k) => k);

const branchesIn = (g: Graph, nodes: readonly number[]): number[] =>
  nodes.filter((b) => branches(g.cfg.blocks[b] as Block));

/** Ends in a conditional branch, or goes by a table. */
export function branches(b: Block): boolean {
  const last = terminator(b);
  return last !== null && (last.table !== undefined || (last.form.flow === "branch" && isConditional(last)));
}

/** Regions for the branches `parting` of the view, and what is inside of them. `kept`: blocks from which the kernel goes on. */
function plan(g: Graph, view: View, parting: readonly number[], kept: Uint8Array, regions: Region[]): void {
  const met = new Map<number, { readonly region: Region; readonly inner: readonly number[] }>();
  // Where no region can be made, the next join takes its place.
  let open = parting.filter((x) => ways(g, view, x).length > 1).map((x) => ({ x, from: view.next(x) }));
  while (open.length > 0) {
    const meeting = new Map<number, { entry: number; readonly inner: number[] }>();
    const add = (x: number, found: { entry: number; join: number } | null): void => {
      if (found === null) return;
      const other = meeting.get(found.join);
      if (other === undefined) meeting.set(found.join, { entry: found.entry, inner: [x] });
      else {
        other.entry = merged(g, view, other.entry, found.entry, found.join);
        other.inner.push(x);
      }
    };
    for (const { x, from } of open) add(x, place(g, view, x, from));
    open = [];
    for (const [join, { entry, inner }] of meeting) {
      const before = met.get(join);
      const at = before === undefined ? entry : merged(g, view, before.region.entry, entry, join);
      const region = at < 0 ? null : regionOf(g, view, at, join, kept);
      if (region !== null) met.set(join, { region, inner: [...(before?.inner ?? []), ...inner] });
      else open.push(...inner.map((x) => ({ x, from: view.next(join) })));
    }
  }
  for (const { region, inner } of met.values()) {
    regions.push(region);
    if (inner.length > 1) plan(g, viewOf(g, [region.entry, ...region.blocks], view.follows), inner, kept, regions);
  }
}

/** The block that dominates both entries of regions with one join, as an entry itself; −1 when it cannot be one, or when one of them is none. */
function merged(g: Graph, view: View, a: number, b: number, join: number): number {
  if (a < 0 || b < 0) return -1;
  const found = place(g, view, commonDominator(g.dom, a, b), join);
  return found === null || found.join !== join ? -1 : found.entry;
}

/** Entry and join for lanes that part in block x and meet at j or later. */
function place(g: Graph, view: View, x: number, j: number): { entry: number; join: number } | null {
  let join = j;
  for (;;) {
    if (x < 0 || join < 0 || endsKernel(g.cfg.blocks[join] as Block)) return null;
    const entry = hoisted(g, x, join);
    if (entry < 0) return null;
    if (entry !== join && view.always(join, entry)) return { entry, join };
    join = view.next(join);
  }
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

/** The only block from which the loop is entered, if it leads nowhere else; −1 when there is none. */
export function preheaderOf(g: Graph, loop: Loop): number {
  let found = -1;
  for (const p of g.cfg.blocks[loop.header]?.preds ?? []) {
    const i = g.cfg.indexOf[p.id] as number;
    if (loop.blocks.includes(i)) continue;
    if (found >= 0 || p.succs.length !== 1) return -1;
    found = i;
  }
  return found;
}

/** What lies between entry and join; null when it is entered in another way. */
function regionOf(g: Graph, view: View, entry: number, join: number, kept: Uint8Array): Region | null {
  const inside = new Set<number>();
  const work = ways(g, view, entry);
  for (let b = work.pop(); b !== undefined; b = work.pop()) {
    if (b === join || inside.has(b)) continue;
    if (b === entry || !dominates(g.dom, entry, b)) return null;
    inside.add(b);
    work.push(...ways(g, view, b));
  }
  const blocks = [...inside].sort((a, b) => a - b);
  const exits: [number, number][] = [];
  for (const from of [entry, ...blocks])
    for (const to of successors(g.cfg, from)) {
      if (to === join || inside.has(to) || kept[to] === 0) continue;
      // Lanes that come back would set up the barrier while others wait at it.
      if (dominates(g.dom, to, entry)) return null;
      exits.push([from, to]);
    }
  // A callee may save the barrier and so bring back lanes that have left.
  if (exits.length > 0 && blocks.some((b) => (g.cfg.blocks[b] as Block).insts.some((i) => i.form.flow === "call")))
    return null;
  return { entry, join, blocks, exits };
}

function successors(cfg: Cfg, b: number): number[] {
  return Array.from(cfg.succ.subarray(cfg.succStart[b] as number, cfg.succStart[b + 1] as number));
}

/** Successors in the view. */
const ways = (g: Graph, view: View, b: number): number[] => successors(g.cfg, b).filter((s) => view.follows(b, s));

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

/** 1 for blocks from which a kernel goes on to its main end, whatever else may happen. */
function goingOn(g: Graph): Uint8Array {
  const { cfg } = g;
  const kept = Uint8Array.from(cfg.blocks, (b, i) => ((cfg.order[i] as number) >= 0 && !endsKernel(b) ? 1 : 0));
  const nodes = Array.from(cfg.rpo).filter((b) => b === 0 || kept[b] === 1);
  const follows = withoutEndless(g, nodes, (_, to) => kept[to] === 1);
  const preds = new Map<number, number[]>(nodes.map((b) => [b, []]));
  const ends: number[] = [];
  for (const b of nodes) {
    const out = successors(cfg, b).filter((s) => follows(b, s));
    if (out.length === 0) ends.push(b);
    for (const s of out) preds.get(s)?.push(b);
  }
  const last = (b: number): number => Math.max(...(preds.get(b) as number[]), -1);
  const main = ends.reduce((a, b) => (last(b) > last(a) || (last(b) === last(a) && b > a) ? b : a), ends[0] ?? 0);
  const reaches = new Uint8Array(cfg.count);
  const work = [main];
  for (let b = work.pop(); b !== undefined; b = work.pop()) {
    if (reaches[b] === 1) continue;
    reaches[b] = 1;
    work.push(...(preds.get(b) as number[]));
  }
  return reaches;
}

/** Leaves out the back edges of loops that no edge leaves. */
function withoutEndless(g: Graph, nodes: readonly number[], follows: View["follows"]): View["follows"] {
  const inside = new Set(nodes);
  const endless = new Map<number, ReadonlySet<number>>();
  for (const loop of g.loops.loops) {
    if (!inside.has(loop.header)) continue;
    const members = new Set(loop.blocks);
    const leaves = (b: number): boolean =>
      inside.has(b) && successors(g.cfg, b).some((s) => !members.has(s) && inside.has(s) && follows(b, s));
    if (!loop.blocks.some(leaves)) endless.set(loop.header, members);
  }
  return (from, to) => inside.has(to) && follows(from, to) && endless.get(to)?.has(from) !== true;
}

/** The view of these nodes, the first of which leads to all others. */
function viewOf(g: Graph, nodes: readonly number[], every: View["follows"]): View {
  const root = nodes[0];
  const follows = withoutEndless(g, nodes, (from, to) => to !== root && every(from, to));
  const at = new Map(nodes.map((b, i) => [b, i]));
  const pdom = postDominators(partOf(g.cfg, nodes, at, follows));
  return {
    follows,
    next: (b) => nodes[pdom.idom[at.get(b) ?? -1] ?? -1] ?? -1,
    always: (a, b) => {
      const [x, y] = [at.get(a), at.get(b)];
      return x !== undefined && y !== undefined && dominates(pdom, x, y);
    },
  };
}

/** The edges that are followed between the nodes, which are numbered anew. */
function partOf(cfg: Cfg, nodes: readonly number[], at: ReadonlyMap<number, number>, follows: View["follows"]): Flow {
  const succs = nodes.map((b) => successors(cfg, b).flatMap((s) => (follows(b, s) ? [at.get(s) as number] : [])));
  const preds: number[][] = nodes.map(() => []);
  succs.forEach((list, b) => {
    for (const s of list) (preds[s] as number[]).push(b);
  });
  const [succStart, succ] = columns(succs);
  const [predStart, pred] = columns(preds);
  return {
    count: nodes.length,
    rpo: nodes.length === 0 ? new Int32Array(0) : reversePostOrder(nodes.length, 0, succStart, succ),
    succStart,
    succ,
    predStart,
    pred,
  };
}

function columns(lists: readonly (readonly number[])[]): [Int32Array, Int32Array] {
  const start = new Int32Array(lists.length + 1);
  lists.forEach((list, i) => {
    start[i + 1] = (start[i] as number) + list.length;
  });
  return [start, Int32Array.from(lists.flat())];
}
