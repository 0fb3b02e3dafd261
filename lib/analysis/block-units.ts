/**
 * What is live at the ends of blocks, as a list of register units per block: a function with many blocks has many units, of which
 * few live through any one block, so that a matrix of bits would grow with the square of the function.
 */
import { setBit } from "./bits.js";
import type { Cfg } from "./cfg.js";

/** Units of each block, ascending. */
export class BlockUnits {
  private readonly start: Int32Array;
  private readonly units: Int32Array;

  constructor(start: Int32Array, units: Int32Array) {
    this.start = start;
    this.units = units;
  }

  /** Whether the unit is in the set of the block (layout index). */
  has(block: number, unit: number): boolean {
    const { start, units } = this;
    let low = start[block] as number;
    let high = start[block + 1] as number;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((units[middle] as number) < unit) low = middle + 1;
      else high = middle;
    }
    return low < (start[block + 1] as number) && units[low] === unit;
  }

  /** How many units the block has. */
  count(block: number): number {
    return (this.start[block + 1] as number) - (this.start[block] as number);
  }

  /** Calls `visit` for every unit of the block, ascending. */
  forEach(block: number, visit: (unit: number) => void): void {
    const end = this.start[block + 1] as number;
    for (let k = this.start[block] as number; k < end; k++) visit(this.units[k] as number);
  }

  /** Adds the units of the block to a bit set. */
  addTo(block: number, set: Uint32Array, offset = 0): void {
    const end = this.start[block + 1] as number;
    for (let k = this.start[block] as number; k < end; k++) setBit(set, offset, this.units[k] as number);
  }
}

/** List g: `list[start[g]] … list[start[g + 1] − 1]`. */
export interface Grouped {
  /** Entry b: where the list of group b starts in `list`; one entry more than there are groups. */
  readonly start: Int32Array;
  /** The lists of all groups, one after the other. */
  readonly list: Int32Array;
}

/** A list of pairs of a block and a unit that grows. */
class Pairs {
  count = 0;
  private data = new Int32Array(64);

  add(block: number, unit: number): void {
    if (2 * this.count === this.data.length) {
      const data = new Int32Array(2 * this.data.length);
      data.set(this.data);
      this.data = data;
    }
    this.data[2 * this.count] = block;
    this.data[2 * this.count + 1] = unit;
    this.count++;
  }

  forEach(visit: (block: number, unit: number) => void): void {
    for (let k = 0; k < 2 * this.count; k += 2) visit(this.data[k] as number, this.data[k + 1] as number);
  }

  /** Marks the units of all pairs. */
  mark(units: Uint8Array): void {
    const { data, count } = this;
    for (let k = 1; k < 2 * count; k += 2) units[data[k] as number] = 1;
  }

  /** Without the pairs whose unit is not marked. */
  keep(marked: Uint8Array): void {
    const { data, count } = this;
    let kept = 0;
    for (let k = 0; k < 2 * count; k += 2) {
      if (marked[data[k + 1] as number] === 0) continue;
      data[kept] = data[k] as number;
      data[kept + 1] = data[k + 1] as number;
      kept += 2;
    }
    this.count = kept >>> 1;
  }

  /** Blocks by unit (`of` 1) or units by block (`of` 0), each list in the order of addition: where the lists begin, and the lists. */
  grouped(of: 0 | 1, groups: number): Grouped {
    const { data, count } = this;
    const start = new Int32Array(groups + 2);
    for (let k = of; k < 2 * count; k += 2) {
      const g = (data[k] as number) + 2;
      start[g] = (start[g] as number) + 1;
    }
    for (let g = 2; g < start.length; g++) start[g] = (start[g] as number) + (start[g - 1] as number);
    // `start[g + 1]` runs through list g and ends where list g + 1 begins.
    const list = new Int32Array(count);
    for (let k = 0; k < count; k++) {
      const g = (data[2 * k + of] as number) + 1;
      const at = start[g] as number;
      list[at] = data[2 * k + 1 - of] as number;
      start[g] = at + 1;
    }
    return { start, list };
  }
}

/** What blocks read before they certainly write it, and what they certainly write: noted block by block, in program order. */
export class Crossing {
  private readonly reads = new Pairs();
  private readonly readsAtEnd = new Pairs();
  private readonly kills = new Pairs();
  private readonly readIn: Int32Array;
  private readonly killedIn: Int32Array;

  constructor(private readonly units: number) {
    this.readIn = new Int32Array(units);
    this.killedIn = new Int32Array(units);
  }

  /** The block reads the unit, before or after what it has killed so far. */
  read(block: number, unit: number): void {
    if (this.killedIn[unit] === block + 1 || this.readIn[unit] === block + 1) return;
    this.readIn[unit] = block + 1;
    this.reads.add(block, unit);
  }

  /** Something reads the unit after the block and before any other. */
  readAtEnd(block: number, unit: number): void {
    this.readsAtEnd.add(block, unit);
  }

  /** The block defines the unit whatever happens: what was in it before ends there. */
  kill(block: number, unit: number): void {
    if (this.killedIn[unit] === block + 1) return;
    this.killedIn[unit] = block + 1;
    this.kills.add(block, unit);
  }

  /** The units that are read in a block before it writes them, in the order in which they first are. */
  unitsRead(): number[] {
    const seen = new Uint8Array(this.units);
    const units: number[] = [];
    this.reads.forEach((_, u) => {
      if (seen[u] === 1) return;
      seen[u] = 1;
      units.push(u);
    });
    return units;
  }

  /** Follows each unit from where it is read back to where it is killed. */
  solve(cfg: Cfg): {
    /** Units that are live where a block starts. */
    readonly liveIn: BlockUnits;
    /** Units that are live where a block ends. */
    readonly liveOut: BlockUnits;
  } {
    const [into, out] = [new Pairs(), new Pairs()];
    if (this.reads.count + this.readsAtEnd.count > 0) {
      const paths = this.paths(cfg);
      let u = 0;
      const enters = (b: number): void => into.add(b, u);
      const leaves = (b: number): void => out.add(b, u);
      for (; u < this.units; u++) if (paths.isRead(u)) paths.follow(u, enters, leaves);
    }
    return { liveIn: unitsOfBlocks(into, cfg.count), liveOut: unitsOfBlocks(out, cfg.count) };
  }

  /** To follow single units. Nothing is noted after it. */
  paths(cfg: Cfg): PathsBack {
    const { units } = this;
    // What no block reads before it writes it, which is most, has no path that its definitions could end.
    const read = new Uint8Array(units);
    this.reads.mark(read);
    this.readsAtEnd.mark(read);
    this.kills.keep(read);
    return new PathsBack(
      cfg,
      this.reads.grouped(1, units),
      this.readsAtEnd.grouped(1, units),
      this.kills.grouped(1, units),
    );
  }
}

/** The paths of single units from where they are read back to where they are killed. */
export class PathsBack {
  // The number of the last walk that found its unit killed in a block, live into it, live out of it.
  private readonly killed: Int32Array;
  private readonly isIn: Int32Array;
  private readonly isOut: Int32Array;
  private readonly work: number[] = [];
  private walks = 0;

  constructor(
    private readonly cfg: Cfg,
    private readonly reads: Grouped,
    private readonly ends: Grouped,
    private readonly kills: Grouped,
  ) {
    this.killed = new Int32Array(cfg.count);
    this.isIn = new Int32Array(cfg.count);
    this.isOut = new Int32Array(cfg.count);
  }

  /** Some block reads the unit before it writes it, or its end does. */
  isRead(u: number): boolean {
    const { start } = this.reads;
    const ends = this.ends.start;
    return start[u] !== start[u + 1] || ends[u] !== ends[u + 1];
  }

  /** Calls `into` and `out` with each block that the unit is live into and out of. */
  follow(u: number, into: (block: number) => void, out?: (block: number) => void): void {
    this.search(u, into, null, out);
  }

  /** Whether the unit is live into a block of which `wanted` is true; nothing is looked for past the first. */
  meets(u: number, wanted: (block: number) => boolean): boolean {
    return this.search(u, null, wanted);
  }

  private search(u: number, into: Visit | null, wanted: ((block: number) => boolean) | null, out?: Visit): boolean {
    const { reads, ends, kills, killed, isIn, isOut, work } = this;
    const { predStart, pred } = this.cfg;
    const [from, to] = [reads.start[u] as number, reads.start[u + 1] as number];
    const [end, pastEnd] = [ends.start[u] as number, ends.start[u + 1] as number];
    if (from === to && end === pastEnd) return false;
    const stamp = ++this.walks;
    for (let k = kills.start[u] as number; k < (kills.start[u + 1] as number); k++)
      killed[kills.list[k] as number] = stamp;
    for (let k = from; k < to; k++) {
      const b = reads.list[k] as number;
      isIn[b] = stamp;
      work.push(b);
    }
    // Live into the blocks of `work` from `told` on, of which nobody was told yet.
    let told = 0;
    let k = end;
    let e = 0;
    let pastEdges = 0;
    for (;;) {
      for (; told < work.length; told++) {
        const b = work[told] as number;
        into?.(b);
        if (wanted?.(b)) {
          work.length = 0;
          return true;
        }
      }
      let b: number;
      if (k < pastEnd) b = ends.list[k++] as number;
      else if (e < pastEdges) b = pred[e++] as number;
      else {
        const next = work.pop();
        if (next === undefined) return false;
        told--;
        e = predStart[next] as number;
        pastEdges = predStart[next + 1] as number;
        continue;
      }
      if (b < 0 || isOut[b] === stamp) continue;
      isOut[b] = stamp;
      out?.(b);
      if (killed[b] === stamp || isIn[b] === stamp) continue;
      isIn[b] = stamp;
      work.push(b);
    }
  }
}

type Visit = (block: number) => void;

function unitsOfBlocks(pairs: Pairs, blocks: number): BlockUnits {
  const { start, list } = pairs.grouped(0, blocks);
  return new BlockUnits(start, list);
}
