/**
 * The control-flow graph as columns over layout indices, with a reverse post-order.
 *
 * The order comes from a depth-first search with three states, so that a block reached by several paths is numbered
 * once, when all its successors are done (the numbering described on page 14 counts some blocks twice).
 */
import type { Block, Func } from "../ori/types.js";

/** The control flow of a function over layout indices of its blocks. */
export interface Cfg {
  /** Number of blocks; a block is named by its index in `func.blocks`. */
  readonly count: number;
  /** The blocks in layout order. */
  readonly blocks: readonly Block[];
  /** Layout index of a block id, −1 when there is none. */
  readonly indexOf: Int32Array;
  /** Successors of block i: `succ[succStart[i]] … succ[succStart[i + 1] − 1]`. */
  readonly succStart: Int32Array;
  /** Successors of all blocks: those of block b are `succ[succStart[b]] …`. */
  readonly succ: Int32Array;
  /** Where the predecessors of each block start in `pred`. */
  readonly predStart: Int32Array;
  /** Predecessors of all blocks, in the order of `Block.preds`. */
  readonly pred: Int32Array;
  /** Reachable blocks in reverse post-order, the entry first. */
  readonly rpo: Int32Array;
  /** Position in `rpo`, −1 for unreachable blocks. */
  readonly order: Int32Array;
}

function edges(blocks: readonly Block[], indexOf: Int32Array, which: "succs" | "preds"): [Int32Array, Int32Array] {
  const start = new Int32Array(blocks.length + 1);
  for (let i = 0; i < blocks.length; i++) start[i + 1] = (start[i] as number) + (blocks[i] as Block)[which].length;
  const list = new Int32Array(start[blocks.length] as number);
  let n = 0;
  for (const b of blocks) for (const o of b[which]) list[n++] = indexOf[o.id] as number;
  return [start, list];
}

/** The function still has these blocks in this order with these edges. */
export function sameShape(cfg: Cfg, func: Func): boolean {
  const { blocks, indexOf } = cfg;
  if (func.blocks.length !== blocks.length || func.nextBlock !== indexOf.length) return false;
  for (let i = 0; i < blocks.length; i++) if (func.blocks[i] !== blocks[i]) return false;
  return sameEdges(cfg, cfg.succStart, cfg.succ, "succs") && sameEdges(cfg, cfg.predStart, cfg.pred, "preds");
}

function sameEdges({ blocks, indexOf }: Cfg, start: Int32Array, list: Int32Array, which: "succs" | "preds"): boolean {
  for (let i = 0, e = 0; i < blocks.length; i++) {
    const others = (blocks[i] as Block)[which];
    if (e + others.length !== start[i + 1]) return false;
    for (let k = 0; k < others.length; k++) if (indexOf[(others[k] as Block).id] !== list[e++]) return false;
  }
  return true;
}

/** Reverse post-order from `root` over edges given as columns. */
export function reversePostOrder(count: number, root: number, start: Int32Array, list: Int32Array): Int32Array {
  const seen = new Uint8Array(count);
  const next = start.slice(0, count);
  const stack = [root];
  const order: number[] = [];
  seen[root] = 1;
  while (stack.length > 0) {
    const b = stack[stack.length - 1] as number;
    const at = next[b] as number;
    if (at < (start[b + 1] as number)) {
      next[b] = at + 1;
      const s = list[at] as number;
      if (s >= 0 && seen[s] === 0) {
        seen[s] = 1;
        stack.push(s);
      }
    } else {
      order.push(b);
      stack.pop();
    }
  }
  return Int32Array.from(order.reverse());
}

/** The control flow of the function as it is now. */
export function controlFlow(func: Func): Cfg {
  const blocks = func.blocks.slice();
  const count = blocks.length;
  const indexOf = new Int32Array(func.nextBlock).fill(-1);
  blocks.forEach((b, i) => {
    indexOf[b.id] = i;
  });
  const [succStart, succ] = edges(blocks, indexOf, "succs");
  const [predStart, pred] = edges(blocks, indexOf, "preds");
  const rpo = count === 0 ? new Int32Array(0) : reversePostOrder(count, 0, succStart, succ);
  const order = new Int32Array(count).fill(-1);
  rpo.forEach((b, i) => {
    order[b] = i;
  });
  return { count, blocks, indexOf, succStart, succ, predStart, pred, rpo, order };
}
