/**
 * Values of one block, for register pressure: what registers hold from one certain definition to the next, or from the
 * start of the block. A guarded or partial definition continues the value that was there, without reading it.
 *
 * After allocation a value is one register: the order of definitions keeps those of one register apart, so a count of
 * live values is a count of live registers. Before it a value is what must stand together: of a pair whose high half has
 * been read for the last time the allocator can use that half again only for something that fits there, and a schedule
 * that counts on it needs more registers than it believes (58 for 30, seen on code with many half-read pairs). So a value
 * weighs its whole width as long as any part of it is live.
 *
 * By registers (`byRegister`) each register of such a value is one by itself: what values of one register can use of the others' places is told
 * from that (`heldRegisters` in pressure.ts).
 */
import type { BlockUnits } from "../analysis/block-units.js";
import type { Flat } from "../analysis/flat.js";
import type { Liveness } from "../analysis/liveness.js";
import { File } from "../ori/types.js";

/** Files in the order of `live` and `delta` arrays: R, UR, P, UP, B. */
export const FILES = 5;

/** What the registers of a block hold, as numbered values. */
export interface BlockValues {
  /** How many values there are. */
  readonly count: number;
  /** File index of each value. */
  readonly file: Uint8Array;
  /** Registers it takes. */
  readonly weight: Uint8Array;
  /** The value of the function that it is one of (register, after allocation). */
  readonly owner: Int32Array;
  /** 1 where the value is live after the block. */
  readonly liveOut: Uint8Array;
  /** Values that node i reads: `use[useStart[i]] …`, each once. */
  readonly useStart: Int32Array;
  /** Values that nodes read, one node after the other. */
  readonly use: Int32Array;
  /** Where the values that each node makes start in `def`. */
  readonly defStart: Int32Array;
  /** Values that nodes make. */
  readonly def: Int32Array;
  /** Values that node i continues by a guarded or partial definition. */
  readonly partStart: Int32Array;
  /** Values that nodes continue. */
  readonly part: Int32Array;
  /** Nodes that write value v, or a part of it: `maker[makerStart[v]] …`. A value made in parts is there from any of them on. */
  readonly makerStart: Int32Array;
  /** Nodes that make values, one value after the other. */
  readonly maker: Int32Array;
  /** Nodes that read value v: `user[userStart[v]] …`, ascending. */
  readonly userStart: Int32Array;
  /** Nodes that read values, one value after the other. */
  readonly user: Int32Array;
  /** Live registers per file before the block and after it. */
  readonly liveAtStart: Int32Array;
  /** Live registers per file after the block. */
  readonly liveAtEnd: Int32Array;
}

/** Scratch per function: which value a unit holds, valid where the stamp is the current block's. */
export class ValueScratch {
  readonly stamp: Int32Array;
  readonly value: Int32Array;
  /** The unit that stands for each (the first of its value before allocation), and the registers that it stands for. */
  readonly home: Int32Array;
  readonly weight: Uint8Array;
  /** Values weigh their whole width. */
  readonly whole: boolean;
  epoch = 0;

  /** `byRegister`: each register is a value, also before allocation. */
  constructor(
    readonly live: Liveness,
    byRegister = false,
  ) {
    const { count, base, owner } = live.flat.units;
    const virtual = live.flat.units.virtual && !byRegister;
    this.whole = virtual;
    this.stamp = new Int32Array(count).fill(-1);
    this.value = new Int32Array(count);
    this.home = new Int32Array(count);
    this.weight = new Uint8Array(count).fill(1);
    for (let u = 0; u < count; u++) this.home[u] = virtual ? (base[owner[u] as number] as number) : u;
    if (virtual)
      for (let u = 0; u < count; u++)
        this.weight[u] = (base[(owner[u] as number) + 1] as number) - (this.home[u] as number);
  }
}

/** Values of block `block` (layout index). */
export function blockValues(scratch: ValueScratch, block: number): BlockValues {
  return new Values(scratch, block).result();
}

class Values {
  private readonly flat: Flat;
  private readonly epoch: number;
  private readonly file: number[] = [];
  private readonly weight: number[] = [];
  private readonly owner: number[] = [];
  private readonly uses: number[] = [];
  private readonly useStart: number[] = [0];
  private readonly defs: number[] = [];
  private readonly defStart: number[] = [0];
  private readonly parts: number[] = [];
  private readonly partStart: number[] = [0];
  private readonly lastUser: number[] = [];
  private readonly touched: number[] = [];

  constructor(
    private readonly scratch: ValueScratch,
    private readonly block: number,
  ) {
    this.flat = scratch.live.flat;
    this.epoch = scratch.epoch++;
  }

  result(): BlockValues {
    const { flat, block } = this;
    const from = flat.first[block] as number;
    const to = flat.first[block + 1] as number;
    for (let i = from; i < to; i++) this.instruction(i, i - from);
    const liveOut = new Uint8Array(this.file.length);
    const { live, value } = this.scratch;
    for (const u of this.touched) if (this.isLive(live.liveOut, u)) liveOut[value[u] as number] = 1;
    return {
      count: this.file.length,
      file: Uint8Array.from(this.file),
      weight: Uint8Array.from(this.weight),
      owner: Int32Array.from(this.owner),
      liveOut,
      useStart: Int32Array.from(this.useStart),
      use: Int32Array.from(this.uses),
      defStart: Int32Array.from(this.defStart),
      def: Int32Array.from(this.defs),
      partStart: Int32Array.from(this.partStart),
      part: Int32Array.from(this.parts),
      ...this.makers(to - from),
      ...this.users(to - from),
      liveAtStart: this.counts(live.liveIn),
      liveAtEnd: this.counts(live.liveOut),
    };
  }

  /** Whether any register that the unit stands for is in the block's set. */
  private isLive(sets: BlockUnits, home: number): boolean {
    for (let u = home; u < home + (this.scratch.weight[home] as number); u++) if (sets.has(this.block, u)) return true;
    return false;
  }

  private instruction(i: number, node: number): void {
    const { flat } = this;
    const { home, weight, whole: virtual } = this.scratch;
    for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++) {
      const first = flat.useUnit[u] as number;
      const end = first + (virtual ? 1 : (flat.useWidth[u] as number));
      for (let unit = first; unit < end; unit++) this.read(this.holding(home[unit] as number), node);
    }
    for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
      const first = flat.defUnit[d] as number;
      const width = flat.defWidth[d] as number;
      for (let unit = first; unit < first + (virtual ? 1 : width); unit++) {
        const at = home[unit] as number;
        const whole = flat.defBegins[d] === 1 && (!virtual || width === weight[at] || this.isNew(at));
        if (whole) this.defs.push(this.enter(at));
        else this.parts.push(this.holding(at));
      }
    }
    this.useStart.push(this.uses.length);
    this.defStart.push(this.defs.length);
    this.partStart.push(this.parts.length);
  }

  private read(v: number, node: number): void {
    if (this.lastUser[v] === node) return;
    this.lastUser[v] = node;
    this.uses.push(v);
  }

  /** Nothing has been in the unit yet, here or before. */
  private isNew(unit: number): boolean {
    return this.scratch.stamp[unit] !== this.epoch && !this.isLive(this.scratch.live.liveIn, unit);
  }

  /** A new value in the unit. */
  private enter(unit: number): number {
    const { stamp, value } = this.scratch;
    const v = this.file.length;
    this.file.push((this.flat.units.file[unit] as number) - File.R);
    this.weight.push(this.scratch.weight[unit] as number);
    this.owner.push(this.flat.units.owner[unit] as number);
    this.lastUser.push(-1);
    if (stamp[unit] !== this.epoch) this.touched.push(unit);
    stamp[unit] = this.epoch;
    value[unit] = v;
    return v;
  }

  private holding(unit: number): number {
    const { stamp, value } = this.scratch;
    return stamp[unit] === this.epoch ? (value[unit] as number) : this.enter(unit);
  }

  private users(nodes: number): { userStart: Int32Array; user: Int32Array } {
    const [userStart, user] = this.nodesOf(nodes, [[this.useStart, this.uses]]);
    return { userStart, user };
  }

  private makers(nodes: number): { makerStart: Int32Array; maker: Int32Array } {
    const [makerStart, maker] = this.nodesOf(nodes, [
      [this.defStart, this.defs],
      [this.partStart, this.parts],
    ]);
    return { makerStart, maker };
  }

  /** For each value the nodes in whose lists it stands. */
  private nodesOf(nodes: number, lists: readonly (readonly [number[], number[]])[]): [Int32Array, Int32Array] {
    const start = new Int32Array(this.file.length + 1);
    for (const [, list] of lists) for (const v of list) start[v + 1] = (start[v + 1] as number) + 1;
    for (let v = 0; v < this.file.length; v++) start[v + 1] = (start[v + 1] as number) + (start[v] as number);
    const next = start.slice();
    const found = new Int32Array(start[this.file.length] as number);
    for (let i = 0; i < nodes; i++) {
      for (const [from, list] of lists) {
        for (let k = from[i] as number; k < (from[i + 1] as number); k++) {
          const v = list[k] as number;
          const at = next[v] as number;
          next[v] = at + 1;
          found[at] = i;
        }
      }
    }
    return [start, found];
  }

  private counts(sets: BlockUnits): Int32Array {
    const { home, weight } = this.scratch;
    const { file } = this.flat.units;
    const counts = new Int32Array(FILES);
    let last = -1;
    // Units of a value stand together, so each value is met once.
    sets.forEach(this.block, (u) => {
      const at = home[u] as number;
      if (at === last) return;
      last = at;
      const f = (file[u] as number) - File.R;
      counts[f] = (counts[f] as number) + (weight[at] as number);
    });
    return counts;
  }
}
