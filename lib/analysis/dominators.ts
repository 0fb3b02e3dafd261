/**
 * Dominators and post-dominators by semidominators (Georgiadis, "Linear-time algorithms for dominators and related problems",
 * the algorithm SEMI-NCA): from the last node of a depth-first search to the first its semidominator, with paths up that are
 * shortened as they are walked; the dominator is the nearest ancestor that is not below the semidominator. A chain of a thousand paths
 * out to one block takes no longer than a thousand blocks in a row.
 *
 * Post-dominators are dominators of the reversed graph from a virtual exit, node `count`. Every block without
 * successors has an edge to it. Parts that never reach an exit (endless loops) are given one: their last block in
 * reverse post-order is connected, so every reachable block has a post-dominator.
 */
import { type Cfg, reversePostOrder } from "./cfg.js";

/** Neighbours of node i: `list[start[i]] … list[start[i + 1] − 1]`. */
interface Edges {
  readonly start: Int32Array;
  readonly list: Int32Array;
}

/** The edges of a control-flow graph, or of a part of one. */
export type Flow = Pick<Cfg, "count" | "rpo" | "succStart" | "succ" | "predStart" | "pred">;

/** A tree of dominators or of post-dominators, over layout indices of blocks. */
export interface DominatorTree {
  /** Node count: blocks, and for post-dominators one more, the virtual exit. */
  readonly nodes: number;
  /** The node that dominates all: the entry, or the virtual exit. */
  readonly root: number;
  /** Immediate dominator, −1 for the root and for unreachable nodes. */
  readonly idom: Int32Array;
  /** Depth in the tree, 0 for the root, −1 when unreachable. */
  readonly depth: Int32Array;
  /** Reachable nodes, each after its dominator. */
  readonly order: Int32Array;
  /** Entry and exit times of a walk over the tree, for `dominates`. */
  readonly enter: Int32Array;
  /** Exit time of each node in that walk. */
  readonly leave: Int32Array;
}

/** True when every path from the root to `b` goes through `a` (also when a = b). False for unreachable nodes. */
export function dominates(tree: DominatorTree, a: number, b: number): boolean {
  if ((tree.depth[a] as number) < 0 || (tree.depth[b] as number) < 0) return false;
  return (
    (tree.enter[a] as number) <= (tree.enter[b] as number) && (tree.leave[b] as number) <= (tree.leave[a] as number)
  );
}

/** The nearest node that dominates both; −1 when one of them is unreachable. */
export function commonDominator(tree: DominatorTree, a: number, b: number): number {
  let x = a;
  let y = b;
  if ((tree.depth[x] as number) < 0 || (tree.depth[y] as number) < 0) return -1;
  while (x !== y) {
    if ((tree.depth[x] as number) > (tree.depth[y] as number)) x = tree.idom[x] as number;
    else y = tree.idom[y] as number;
  }
  return x;
}

/** Dominators: what lies on every path from the entry. */
export function dominators(cfg: Cfg): DominatorTree {
  const succ = { start: cfg.succStart, list: cfg.succ };
  return solve(cfg.count, 0, cfg.rpo, succ, { start: cfg.predStart, list: cfg.pred });
}

/** Post-dominators: what lies on every path to an exit; node `count` is the virtual exit. */
export function postDominators(cfg: Flow): DominatorTree {
  const n = cfg.count;
  const exits = exitEdges(cfg);
  // Reversed graph: successors of a block are its predecessors; the exit's successors are the exits.
  const forward = reversedEdges(cfg.predStart, cfg.pred, n, exits, true);
  const backward = reversedEdges(cfg.succStart, cfg.succ, n, exits, false);
  const rpo = reversePostOrder(n + 1, n, forward.start, forward.list);
  return solve(n + 1, n, rpo, forward, backward);
}

/** Reachable blocks that get an edge to the virtual exit. */
function exitEdges(cfg: Flow): number[] {
  const reaches = new Uint8Array(cfg.count);
  const exits: number[] = [];
  const work: number[] = [];
  const leaveFrom = (b: number): void => {
    exits.push(b);
    reaches[b] = 1;
    work.push(b);
    for (let top = work.pop(); top !== undefined; top = work.pop()) {
      for (let e = cfg.predStart[top] as number; e < (cfg.predStart[top + 1] as number); e++) {
        const p = cfg.pred[e] as number;
        if (reaches[p] === 1) continue;
        reaches[p] = 1;
        work.push(p);
      }
    }
  };
  for (const b of cfg.rpo) if (cfg.succStart[b] === cfg.succStart[b + 1]) leaveFrom(b);
  for (let i = cfg.rpo.length - 1; i >= 0; i--) {
    const b = cfg.rpo[i] as number;
    if (reaches[b] === 0) leaveFrom(b);
  }
  return exits;
}

function reversedEdges(
  start: Int32Array,
  list: Int32Array,
  n: number,
  exits: readonly number[],
  fromExit: boolean,
): Edges {
  const isExit = new Uint8Array(n);
  for (const b of exits) isExit[b] = 1;
  const newStart = new Int32Array(n + 2);
  const out: number[] = [];
  for (let b = 0; b < n; b++) {
    for (let e = start[b] as number; e < (start[b + 1] as number); e++) out.push(list[e] as number);
    if (!fromExit && isExit[b] === 1) out.push(n);
    newStart[b + 1] = out.length;
  }
  if (fromExit) out.push(...exits);
  newStart[n + 1] = out.length;
  return { start: newStart, list: Int32Array.from(out) };
}

/** A depth-first search: nodes in the order in which they are met, and by this number the node that each was met from. */
function search(nodes: number, root: number, succ: Edges): { readonly met: number[]; readonly parent: number[] } {
  const seen = new Uint8Array(nodes);
  const met: number[] = [];
  const parent: number[] = [];
  const work = [root, -1];
  while (work.length > 0) {
    const from = work.pop() as number;
    const b = work.pop() as number;
    if (seen[b] === 1) continue;
    seen[b] = 1;
    const number = met.push(b) - 1;
    parent.push(from);
    for (let e = succ.start[b] as number; e < (succ.start[b + 1] as number); e++) {
      const s = succ.list[e] as number;
      if (s >= 0 && seen[s] === 0) work.push(s, number);
    }
  }
  return { met, parent };
}

/** The forest of nodes done so far: from each the path up to the least semidominator, shortened as it is asked for. */
class Forest {
  readonly semi: Int32Array;
  private readonly label: Int32Array;
  private readonly above: Int32Array;
  private readonly path: number[] = [];

  constructor(parent: readonly number[]) {
    this.above = Int32Array.from(parent);
    this.semi = Int32Array.from(parent, (_, v) => v);
    this.label = this.semi.slice();
  }

  /** The least semidominator on the path from `v` up to a node before `first`, that one left out. */
  least(v: number, first: number): number {
    const { semi, label, above, path } = this;
    if ((above[v] as number) < first) return semi[label[v] as number] as number;
    let at = v;
    for (; (above[at] as number) >= first; at = above[at] as number) path.push(at);
    let best = label[at] as number;
    const top = above[at] as number;
    for (let next = path.pop(); next !== undefined; next = path.pop()) {
      above[next] = top;
      const own = label[next] as number;
      if ((semi[best] as number) < (semi[own] as number)) label[next] = best;
      else best = own;
    }
    return semi[label[v] as number] as number;
  }
}

function solve(nodes: number, root: number, rpo: Int32Array, succ: Edges, pred: Edges): DominatorTree {
  const idom = new Int32Array(nodes).fill(-1);
  if (rpo.length === 0) return numbered(nodes, root, rpo, idom);
  const { met, parent } = search(nodes, root, succ);
  const number = new Int32Array(nodes).fill(-1);
  met.forEach((b, v) => {
    number[b] = v;
  });
  const forest = new Forest(parent);
  const { semi } = forest;
  for (let v = met.length - 1; v > 0; v--) {
    const b = met[v] as number;
    let least = parent[v] as number;
    for (let e = pred.start[b] as number; e < (pred.start[b + 1] as number); e++) {
      const p = pred.list[e] as number;
      const from = p < 0 ? -1 : (number[p] as number);
      if (from >= 0) least = Math.min(least, forest.least(from, v + 1));
    }
    semi[v] = least;
  }
  // By number: from where it was met up to its semidominator, over dominators that are found already.
  const dominator = Int32Array.from(parent);
  for (let v = 1; v < met.length; v++) {
    let d = dominator[v] as number;
    while (d > (semi[v] as number)) d = dominator[d] as number;
    dominator[v] = d;
    idom[met[v] as number] = met[d] as number;
  }
  return numbered(nodes, root, rpo, idom);
}

/** Depths and walk times. Children come after their parent in `rpo`, so subtree sizes sum up backwards. */
function numbered(nodes: number, root: number, rpo: Int32Array, idom: Int32Array): DominatorTree {
  const depth = new Int32Array(nodes).fill(-1);
  const size = new Int32Array(nodes).fill(1);
  const enter = new Int32Array(nodes).fill(-1);
  const leave = new Int32Array(nodes).fill(-1);
  for (let i = rpo.length - 1; i > 0; i--) {
    const b = rpo[i] as number;
    size[idom[b] as number] = (size[idom[b] as number] as number) + (size[b] as number);
  }
  const used = new Int32Array(nodes);
  for (let i = 0; i < rpo.length; i++) {
    const b = rpo[i] as number;
    const d = idom[b] as number;
    depth[b] = b === root ? 0 : (depth[d] as number) + 1;
    enter[b] = b === root ? 0 : (enter[d] as number) + 1 + (used[d] as number);
    if (b !== root) used[d] = (used[d] as number) + (size[b] as number);
    leave[b] = (enter[b] as number) + (size[b] as number) - 1;
  }
  return { nodes, root, idom, depth, order: rpo, enter, leave };
}
