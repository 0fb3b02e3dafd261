/**
 * Natural loops. A back edge goes to a block that dominates its source; the loop of a header is all blocks that reach
 * one of its back edges without passing the header. Loops of one header are one loop. Retreating edges that are not
 * back edges belong to irreducible regions, which are reported and otherwise ignored.
 */
import { clearBit, forEachBit, hasBit, setBit, wordsFor } from "./bits.js";
import type { Cfg } from "./cfg.js";
import { type DominatorTree, dominates } from "./dominators.js";

/** A natural loop; blocks are layout indices. */
export interface Loop {
  /** Layout index of the header. */
  readonly header: number;
  /** Sources of the back edges, ascending. */
  readonly latches: readonly number[];
  /** All blocks of the loop including those of inner loops, ascending. */
  readonly blocks: readonly number[];
  /** Blocks outside that a block of the loop goes to, ascending. */
  readonly exits: readonly number[];
  /** Index of the enclosing loop, −1 for an outermost one. */
  readonly parent: number;
  /** 1 for an outermost loop. */
  readonly depth: number;
}

/** The loops of a function. */
export interface Loops {
  /** Outer loops before inner ones, otherwise by header. */
  readonly loops: readonly Loop[];
  /** Innermost loop of each block, −1 for none. */
  readonly innermost: Int32Array;
  /** Loop depth of each block, 0 outside loops. */
  readonly depth: Int32Array;
  /** Retreating edges that enter a cycle not at a dominating header, as [from, to]. */
  readonly irreducible: readonly (readonly [number, number])[];
}

/** Finds natural loops by their back edges. */
export function naturalLoops(cfg: Cfg, dom: DominatorTree): Loops {
  const latches = new Map<number, number[]>();
  const irreducible: [number, number][] = [];
  for (const b of cfg.rpo) {
    for (let e = cfg.succStart[b] as number; e < (cfg.succStart[b + 1] as number); e++) {
      const s = cfg.succ[e] as number;
      if ((cfg.order[s] as number) > (cfg.order[b] as number)) continue;
      if (!dominates(dom, s, b)) irreducible.push([b, s]);
      else latches.set(s, [...(latches.get(s) ?? []), b]);
    }
  }
  const headers = [...latches.keys()].sort((a, b) => (cfg.order[a] as number) - (cfg.order[b] as number));
  const bodies = headers.map((h) => body(cfg, h, latches.get(h) as number[]));
  return nest(cfg, headers, bodies, latches, irreducible);
}

function body(cfg: Cfg, header: number, latches: readonly number[]): Uint32Array {
  const set = new Uint32Array(wordsFor(cfg.count));
  setBit(set, 0, header);
  const work = latches.filter((b) => b !== header);
  for (const b of work) setBit(set, 0, b);
  for (let b = work.pop(); b !== undefined; b = work.pop()) {
    for (let e = cfg.predStart[b] as number; e < (cfg.predStart[b + 1] as number); e++) {
      const p = cfg.pred[e] as number;
      if (hasBit(set, 0, p) || (cfg.order[p] as number) < 0) continue;
      setBit(set, 0, p);
      work.push(p);
    }
  }
  return set;
}

function members(set: Uint32Array): number[] {
  const list: number[] = [];
  forEachBit(set, 0, set.length, (b) => list.push(b));
  return list;
}

/** Headers come in reverse post-order, so an enclosing loop precedes the loops inside it. */
function nest(
  cfg: Cfg,
  headers: readonly number[],
  bodies: readonly Uint32Array[],
  latches: ReadonlyMap<number, number[]>,
  irreducible: readonly (readonly [number, number])[],
): Loops {
  const innermost = new Int32Array(cfg.count).fill(-1);
  const depth = new Int32Array(cfg.count);
  const loops: Loop[] = [];
  headers.forEach((header, i) => {
    const set = bodies[i] as Uint32Array;
    const parent = innermost[header] as number;
    const blocks = members(set);
    const exits = new Uint32Array(set.length);
    for (const b of blocks) {
      innermost[b] = i;
      depth[b] = (depth[b] as number) + 1;
      for (let e = cfg.succStart[b] as number; e < (cfg.succStart[b + 1] as number); e++) {
        setBit(exits, 0, cfg.succ[e] as number);
      }
    }
    for (const b of blocks) clearBit(exits, 0, b);
    loops.push({
      header,
      latches: (latches.get(header) as number[]).slice().sort((a, b) => a - b),
      blocks,
      exits: members(exits),
      parent,
      depth: parent < 0 ? 1 : (loops[parent] as Loop).depth + 1,
    });
  });
  return { loops, innermost, depth, irreducible };
}
