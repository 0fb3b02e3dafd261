/**
 * Dominators and post-dominators by the iterative algorithm of Cooper, Harvey and Kennedy ("A simple, fast dominance
 * algorithm"): walk the blocks in reverse post-order, the immediate dominator of a block is the nearest common ancestor
 * of its processed predecessors, until nothing changes. Two or three rounds suffice for reducible graphs.
 *
 * Post-dominators are dominators of the reversed graph from a virtual exit, node `count`. Every block without
 * successors has an edge to it. Parts that never reach an exit (endless loops) are given one: their last block in
 * reverse post-order is connected, so every reachable block has a post-dominator.
 */
import { type Cfg, reversePostOrder } from "./cfg.js";

export interface DominatorTree {
  /** Node count: blocks, and for post-dominators one more, the virtual exit. */
  readonly nodes: number;
  readonly root: number;
  /** Immediate dominator, −1 for the root and for unreachable nodes. */
  readonly idom: Int32Array;
  /** Depth in the tree, 0 for the root, −1 when unreachable. */
  readonly depth: Int32Array;
  /** Reachable nodes, each after its dominator. */
  readonly order: Int32Array;
  /** Entry and exit times of a walk over the tree, for `dominates`. */
  readonly enter: Int32Array;
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

export function dominators(cfg: Cfg): DominatorTree {
  return solve(cfg.count, 0, cfg.rpo, cfg.predStart, cfg.pred);
}

export function postDominators(cfg: Cfg): DominatorTree {
  const n = cfg.count;
  const exits = exitEdges(cfg);
  // Reversed graph: successors of a block are its predecessors; the exit's successors are the exits.
  const forward = reversedEdges(cfg.predStart, cfg.pred, n, exits, true);
  const backward = reversedEdges(cfg.succStart, cfg.succ, n, exits, false);
  const rpo = reversePostOrder(n + 1, n, forward.start, forward.list);
  return solve(n + 1, n, rpo, backward.start, backward.list);
}

/** Reachable blocks that get an edge to the virtual exit. */
function exitEdges(cfg: Cfg): number[] {
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
): { start: Int32Array; list: Int32Array } {
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

function solve(nodes: number, root: number, rpo: Int32Array, predStart: Int32Array, pred: Int32Array): DominatorTree {
  const order = new Int32Array(nodes).fill(-1);
  for (let i = 0; i < rpo.length; i++) order[rpo[i] as number] = i;
  const idom = new Int32Array(nodes).fill(-1);
  if (rpo.length > 0) idom[root] = root;
  const meet = (a: number, b: number): number => {
    let x = a;
    let y = b;
    while (x !== y) {
      while ((order[x] as number) > (order[y] as number)) x = idom[x] as number;
      while ((order[y] as number) > (order[x] as number)) y = idom[y] as number;
    }
    return x;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (let i = 1; i < rpo.length; i++) {
      const b = rpo[i] as number;
      let best = -1;
      for (let e = predStart[b] as number; e < (predStart[b + 1] as number); e++) {
        const p = pred[e] as number;
        if (p < 0 || idom[p] === -1) continue;
        best = best < 0 ? p : meet(best, p);
      }
      if (best !== idom[b]) {
        idom[b] = best;
        changed = true;
      }
    }
  }
  if (rpo.length > 0) idom[root] = -1;
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
