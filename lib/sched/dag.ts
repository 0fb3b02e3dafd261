/**
 * The dependence graph of a block: nodes are its instructions in the order given, edges go from earlier to later ones
 * and say how many cycles apart they must issue.
 *
 * Registers: per unit the last definition and the reads since are kept, so there is one edge per read and definition and
 * not one per pair. Memory: see dag-memory.ts. Order: instructions with effects keep theirs; a full barrier stands after
 * all nodes that have no successor yet and before those that no later node precedes. Everything is linear in the
 * instructions, up to the bounded windows of memory accesses.
 *
 * After the instructions come join nodes: they stand for "all of these" where naming each would make edges quadratic.
 * They take no time and are no instructions.
 */
import type { Inst } from "../ori/types.js";

/** Why two nodes are ordered. */
export const EdgeKind = {
  /** Reads what the other writes. */
  Raw: 0,
  /** Writes what the other reads. */
  War: 1,
  /** Writes what the other writes. */
  Waw: 2,
  /** Accesses memory that the other may access. */
  Memory: 3,
  /** Keeps its place for another reason: barriers, control. */
  Order: 4,
} as const;
export type EdgeKind = (typeof EdgeKind)[keyof typeof EdgeKind];
/** Names of the kinds of edges, by number. */
export const edgeKinds = ["RAW", "WAR", "WAW", "memory", "order"] as const;

/** The dependence graph of a block; nodes are its instructions in the order given, then joins. */
export interface Dag {
  /** The block's instructions; node i < insts.length is insts[i]. */
  readonly insts: readonly Inst[];
  /** Index of the first one in the columns of `Flat`. */
  readonly first: number;
  /** Instructions and joins. */
  readonly count: number;
  /** All nodes so that edges go forward: instructions in their order, joins after the last instruction they stand for. */
  readonly topological: Int32Array;
  /** Edges out of node i: `succStart[i] … succStart[i + 1] − 1` of the columns. */
  readonly succStart: Int32Array;
  /** Successors of all nodes: those of node i are `succ[succStart[i]] …`. */
  readonly succ: Int32Array;
  /** Cycles that each edge asks for. */
  readonly succLatency: Int32Array;
  /** Kind of each edge (`EdgeKind`). */
  readonly succKind: Uint8Array;
  /** Where the predecessors of each node start in `pred`. */
  readonly predStart: Int32Array;
  /** Predecessors of all nodes. */
  readonly pred: Int32Array;
  /** Cycles of each edge to a predecessor. */
  readonly predLatency: Int32Array;
  /** Kind of each edge to a predecessor. */
  readonly predKind: Uint8Array;
}

/** Collects edges; of several between the same two nodes only the longest is kept, with its kind. */
export class Edges {
  private from: Int32Array;
  private to: Int32Array;
  private latency: Int32Array;
  private kind: Uint8Array;
  count = 0;
  /** Per node: the node whose edges are being added when it was last a source, and where that edge is. */
  private stamp: Int32Array;
  private place: Int32Array;
  /** Edges out of a node so far. */
  outs: Int32Array;
  /** Greatest source of the edges into a node, −1 for none. */
  latest: Int32Array;

  constructor(nodes: number) {
    // Most blocks have two or three edges a node; short blocks are many.
    const size = Math.max(8, 4 * nodes);
    this.from = new Int32Array(size);
    this.to = new Int32Array(size);
    this.latency = new Int32Array(size);
    this.kind = new Uint8Array(size);
    this.stamp = new Int32Array(nodes).fill(-1);
    this.place = new Int32Array(nodes);
    this.outs = new Int32Array(nodes);
    this.latest = new Int32Array(nodes).fill(-1);
  }

  /** Edges into one node must be added one after the other. */
  add(from: number, to: number, latency: number, kind: EdgeKind): void {
    if (this.stamp[from] === to) {
      const e = this.place[from] as number;
      if (latency > (this.latency[e] as number)) {
        this.latency[e] = latency;
        this.kind[e] = kind;
      }
      return;
    }
    if (this.count === this.from.length) this.grow();
    const e = this.count++;
    this.from[e] = from;
    this.to[e] = to;
    this.latency[e] = latency;
    this.kind[e] = kind;
    this.stamp[from] = to;
    this.place[from] = e;
    this.outs[from] = (this.outs[from] as number) + 1;
    if (from > (this.latest[to] as number)) this.latest[to] = from;
  }

  /** Makes room for nodes after those there are. */
  reserve(nodes: number): void {
    if (nodes <= this.stamp.length) return;
    const size = nodes * 2;
    this.stamp = widened(this.stamp, size, -1);
    this.place = widened(this.place, size, 0);
    this.outs = widened(this.outs, size, 0);
    this.latest = widened(this.latest, size, -1);
  }

  private grow(): void {
    const size = this.from.length * 2;
    this.from = widened(this.from, size, 0);
    this.to = widened(this.to, size, 0);
    this.latency = widened(this.latency, size, 0);
    const kind = new Uint8Array(size);
    kind.set(this.kind);
    this.kind = kind;
  }

  /** The graph, both ways. Join k stands after instruction `joinAt[k]`; these ascend. */
  finish(insts: readonly Inst[], first: number, joinAt: readonly number[]): Dag {
    const count = insts.length + joinAt.length;
    const topological = new Int32Array(count);
    let at = 0;
    for (let i = 0, k = 0; i < insts.length; i++) {
      topological[at++] = i;
      for (; joinAt[k] === i; k++) topological[at++] = insts.length + k;
    }
    const out = this.sorted(count, this.from, this.to);
    const into = this.sorted(count, this.to, this.from);
    return {
      insts,
      first,
      count,
      topological,
      succStart: out.start,
      succ: out.other,
      succLatency: out.latency,
      succKind: out.kind,
      predStart: into.start,
      pred: into.other,
      predLatency: into.latency,
      predKind: into.kind,
    };
  }

  private sorted(
    count: number,
    key: Int32Array,
    other: Int32Array,
  ): { start: Int32Array; other: Int32Array; latency: Int32Array; kind: Uint8Array } {
    const start = new Int32Array(count + 1);
    for (let e = 0; e < this.count; e++) {
      const k = (key[e] as number) + 1;
      start[k] = (start[k] as number) + 1;
    }
    for (let k = 0; k < count; k++) start[k + 1] = (start[k + 1] as number) + (start[k] as number);
    const next = start.slice();
    const out = {
      start,
      other: new Int32Array(this.count),
      latency: new Int32Array(this.count),
      kind: new Uint8Array(this.count),
    };
    for (let e = 0; e < this.count; e++) {
      const k = key[e] as number;
      const at = next[k] as number;
      next[k] = at + 1;
      out.other[at] = other[e] as number;
      out.latency[at] = this.latency[e] as number;
      out.kind[at] = this.kind[e] as number;
    }
    return out;
  }
}

function widened(old: Int32Array, size: number, fill: number): Int32Array {
  const wide = new Int32Array(size);
  wide.set(old);
  if (fill !== 0) wide.fill(fill, old.length);
  return wide;
}
