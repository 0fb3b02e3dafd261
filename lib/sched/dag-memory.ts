/**
 * Memory edges of the dependence graph. Reads and writes that may still matter are kept in two lists; an access gets
 * edges from those it conflicts with (lib/analysis/memory.ts). When a list outgrows the window, a join takes its place:
 * every later access that could conflict with any of its members stays after all of them. So blocks with fewer accesses
 * are exact, and the number of edges stays linear.
 */
import type { Address } from "../analysis/alias.js";
import { comparable, conflicts, fenced, type MemoryEffect, Place } from "../analysis/memory.js";
import { EdgeKind, type Edges } from "./dag.js";

/** Accesses of each direction that are told apart. */
export const WINDOW = 64;

export interface MemoryOptions {
  /** Accesses to different bases never meet. */
  readonly noAlias: boolean;
  readonly window: number;
  /** Pairs of accesses whose addresses are compared (SchedRefineMemDepBudget); after them any two of one space may meet. */
  readonly refine: number;
}

interface Entry {
  readonly node: number;
  readonly effect: MemoryEffect;
  readonly address: Address;
}

/** A direction: tracked accesses, and a join for those before them. */
class Tracked {
  list: Entry[] = [];
  join = -1;
  /** Places that the members of the join touch, in either direction. */
  places = 0;
}

export class MemoryOrder {
  private readonly reads = new Tracked();
  private readonly writes = new Tracked();
  /** The last fence, and the accesses that later ones must stay after (acquires), −1 for none. */
  private fence = -1;
  private acquire = -1;
  /** The last strong access: these keep their order among themselves, as volatile ones must. */
  private strong = -1;
  /** Everything since the last fence, for the next fence or release. */
  private since: Entry[] = [];
  /** Comparisons of addresses so far. */
  private compared = 0;

  constructor(
    private readonly edges: Edges,
    private readonly options: MemoryOptions,
    /** Makes a join node. */
    private readonly newJoin: () => number,
  ) {}

  /** Forgets everything: a full barrier orders it. */
  reset(): void {
    for (const t of [this.reads, this.writes]) {
      t.list = [];
      t.join = -1;
      t.places = 0;
    }
    this.fence = -1;
    this.acquire = -1;
    this.strong = -1;
    this.since = [];
  }

  access(node: number, effect: MemoryEffect, address: Address): void {
    const entry: Entry = { node, effect, address };
    const far = ((effect.reads | effect.writes) & fenced) !== 0;
    if (far) {
      if (this.fence >= 0) this.order(this.fence, node);
      if (this.acquire >= 0) this.order(this.acquire, node);
    }
    const touched = effect.reads | effect.writes;
    this.conflictsWith(this.writes, entry, touched);
    if (effect.writes !== 0) this.conflictsWith(this.reads, entry, effect.writes);
    if (effect.acquires || effect.releases) {
      if (this.strong >= 0) this.order(this.strong, node);
      this.strong = node;
    }
    if (effect.releases) {
      for (const e of this.since) this.order(e.node, node);
      this.since = [];
    }
    if (effect.writes !== 0) this.track(this.writes, entry);
    else this.track(this.reads, entry);
    if (far) this.since.push(entry);
    if (effect.acquires) this.acquire = node;
  }

  /** Everything but local accesses stays on its side. */
  fenceAt(node: number): void {
    if (this.fence >= 0) this.order(this.fence, node);
    if (this.acquire >= 0) this.order(this.acquire, node);
    for (const e of this.since) this.order(e.node, node);
    this.since = [];
    this.fence = node;
    this.acquire = -1;
    this.strong = -1;
    for (const t of [this.reads, this.writes]) {
      t.list = t.list.filter((e) => ((e.effect.reads | e.effect.writes) & Place.Local) !== 0);
    }
  }

  private order(from: number, to: number): void {
    this.edges.add(from, to, 1, EdgeKind.Memory);
  }

  private conflictsWith(t: Tracked, entry: Entry, places: number): void {
    if (t.join >= 0 && (t.places & places) !== 0) this.edges.add(t.join, entry.node, 0, EdgeKind.Memory);
    for (const e of t.list) {
      if (!this.meet(e, entry)) continue;
      if (this.options.noAlias && comparable(e.effect, entry.effect) && differentBase(e.address, entry.address))
        continue;
      this.order(e.node, entry.node);
    }
  }

  private meet(a: Entry, b: Entry): boolean {
    const known = this.compared++ < this.options.refine;
    return conflicts(a.effect, known ? a.address : anywhere, b.effect, known ? b.address : anywhere);
  }

  private track(t: Tracked, entry: Entry): void {
    t.list.push(entry);
    if (t.list.length <= this.options.window) return;
    const join = this.newJoin();
    if (t.join >= 0) this.edges.add(t.join, join, 0, EdgeKind.Memory);
    for (const e of t.list) {
      this.edges.add(e.node, join, 1, EdgeKind.Memory);
      t.places |= e.effect.reads | e.effect.writes;
    }
    t.join = join;
    t.list = [];
  }
}

/** An address of which nothing is known. */
const anywhere: Address = { base: -1, sum: null, bytes: 0, atoms: [] };

function differentBase(a: Address, b: Address): boolean {
  return a.base >= 0 && b.base >= 0 && a.base !== b.base;
}
