/**
 * Scheduling within the register budget. Beside the order being made stands one that is known to fit: the order that the
 * pass starts from, less what has been placed. A candidate is safe when the limits hold if it comes next and the rest
 * follows as it stands; the first of the rest always is, so a pass that takes only safe candidates never gets stuck and
 * never needs more registers than the limits, or than the order it started from where that one exceeds them.
 *
 * Taking a candidate early lets what it writes live from now to its old place, and may end what it reads: a change over
 * a few ranges of places, so asking costs the logarithm of the block's length per operand.
 */
import { PressureTracker } from "./pressure.js";
import { RangeMaximum } from "./range-maximum.js";
import type { SchedState } from "./state.js";
import { type BlockValues, FILES } from "./values.js";

/** Below every number of registers: places that hold nothing any more. */
const EMPTIED = -(1 << 20);

export class BudgetGuard {
  /** Registers per file that may be live. */
  private readonly limits: Int32Array;
  /** Live registers per file at each place of the rest; null for files of which the block makes nothing. */
  private readonly rest: readonly (RangeMaximum | null)[];
  private readonly values: BlockValues;
  /** Node at each place of the order that the pass starts from. */
  private readonly at: Int32Array;
  /** First place whose node is not placed yet. */
  private front = 0;
  /** Readers of each value that are not placed, as lists by place: per reader its place and the reader before it. */
  private readonly previous: Int32Array;
  private readonly next: Int32Array;
  private readonly place: Int32Array;
  private readonly last: Int32Array;
  /** Place of the first node that writes the value or a part of it. */
  private readonly firstMaker: Int32Array;
  /** The reader in those lists that use k of `values.use` is. */
  private readonly reader: Int32Array;
  /**
   * Places from which on fewer registers are live than before them, file and number: what a candidate reads is free
   * there, or what it makes would have been made there. Valid up to `ends`.
   */
  private readonly endPlace: number[] = [];
  private readonly endFile: number[] = [];
  private readonly endWeight: number[] = [];
  private ends = 0;
  private readonly made: Int32Array = new Int32Array(FILES);

  constructor(private readonly state: SchedState) {
    const { total, context } = state;
    const v = context.values;
    this.values = v;
    this.at = new Int32Array(total);
    for (let i = 0; i < total; i++) this.at[state.placeOf(i)] = i;
    const tracker = new PressureTracker(v, true);
    const here = Array.from({ length: FILES }, () => new Int32Array(total));
    this.limits = Int32Array.from(context.limits);
    for (let k = 0; k < total; k++) {
      tracker.max.fill(0);
      tracker.place(this.at[k] as number);
      for (let f = 0; f < FILES; f++) {
        const live = tracker.max[f] as number;
        (here[f] as Int32Array)[k] = live;
        if (live > (this.limits[f] as number)) this.limits[f] = live;
      }
    }
    const used = new Uint8Array(FILES);
    for (let x = 0; x < v.count; x++) used[v.file[x] as number] = 1;
    this.rest = here.map((live, f) => (used[f] === 1 ? new RangeMaximum(live) : null));
    this.reader = new Int32Array(v.use.length);
    this.place = new Int32Array(v.use.length);
    this.previous = new Int32Array(v.use.length).fill(-1);
    this.next = new Int32Array(v.use.length).fill(-1);
    this.last = new Int32Array(v.count).fill(-1);
    this.firstMaker = new Int32Array(v.count).fill(total);
    for (let x = 0; x < v.count; x++) {
      for (let k = v.makerStart[x] as number; k < (v.makerStart[x + 1] as number); k++) {
        this.firstMaker[x] = Math.min(this.firstMaker[x] as number, state.placeOf(v.maker[k] as number));
      }
    }
    this.list();
  }

  /** The candidate that is always safe: the first of the rest. */
  get first(): number {
    return this.at[this.front] as number;
  }

  private list(): void {
    const v = this.values;
    const next = v.userStart.slice();
    for (let p = 0; p < this.at.length; p++) {
      const node = this.at[p] as number;
      for (let k = v.useStart[node] as number; k < (v.useStart[node + 1] as number); k++) {
        const x = v.use[k] as number;
        const r = next[x] as number;
        next[x] = r + 1;
        this.reader[k] = r;
        this.place[r] = p;
        const before = this.last[x] as number;
        this.previous[r] = before;
        if (before >= 0) this.next[before] = r;
        this.last[x] = r;
      }
    }
  }

  safe(node: number): boolean {
    const { state, rest, limits } = this;
    const { pressure } = state;
    if (node === this.first) return true;
    this.look(node);
    const place = state.placeOf(node);
    const steps = pressure.steps(node);
    for (let f = 0; f < FILES; f++) {
      const limit = limits[f] as number;
      const made = this.made[f] as number;
      if ((pressure.live[f] as number) + (steps[f] as number) > limit) return false;
      if (made === 0) continue;
      const tree = rest[f] as RangeMaximum;
      if (tree.all + made <= limit) continue;
      if (!this.fits(tree, f, place, limit - made)) return false;
    }
    return true;
  }

  /** Whether the places before `place` hold at most `limit` registers, less those that end on the way. */
  private fits(tree: RangeMaximum, file: number, place: number, limit: number): boolean {
    let from = this.front;
    let freed = 0;
    for (;;) {
      let to = place;
      let more = 0;
      for (let e = 0; e < this.ends; e++) {
        if (this.endFile[e] !== file) continue;
        const at = this.endPlace[e] as number;
        if (at <= from && at >= 0) {
          more += this.endWeight[e] as number;
          this.endPlace[e] = -1;
        } else if (at > from && at < to) to = at;
      }
      freed += more;
      if (tree.over(from, to) - freed > limit) return false;
      if (to === place) return true;
      from = to;
    }
  }

  /** What would live from now on, and what would end where. */
  private look(node: number): void {
    const v = this.values;
    this.made.fill(0);
    this.ends = 0;
    for (let k = v.defStart[node] as number; k < (v.defStart[node + 1] as number); k++) this.begin(v.def[k] as number);
    for (let k = v.partStart[node] as number; k < (v.partStart[node + 1] as number); k++)
      this.begin(v.part[k] as number);
    for (let k = v.useStart[node] as number; k < (v.useStart[node + 1] as number); k++) {
      const x = v.use[k] as number;
      const r = this.reader[k] as number;
      if (v.liveOut[x] === 1 || this.last[x] !== r) continue;
      const before = this.previous[r] as number;
      this.end(x, before < 0 ? this.front : (this.place[before] as number));
    }
  }

  /** The value would begin now, not where its first maker stands. */
  private begin(x: number): void {
    if (!this.state.pressure.begins(x)) return;
    const v = this.values;
    const f = v.file[x] as number;
    this.made[f] = (this.made[f] as number) + (v.weight[x] as number);
    this.end(x, this.firstMaker[x] as number);
  }

  private end(x: number, place: number): void {
    this.endPlace[this.ends] = place;
    this.endFile[this.ends] = this.values.file[x] as number;
    this.endWeight[this.ends++] = this.values.weight[x] as number;
  }

  /** The candidate comes next. */
  take(node: number): void {
    const { rest, values: v } = this;
    const place = this.state.placeOf(node);
    this.look(node);
    for (let f = 0; f < FILES; f++) {
      const made = this.made[f] as number;
      if (made !== 0) rest[f]?.add(this.front, place, made);
      rest[f]?.add(place, place + 1, EMPTIED);
    }
    for (let e = 0; e < this.ends; e++) {
      rest[this.endFile[e] as number]?.add(this.endPlace[e] as number, place, -(this.endWeight[e] as number));
    }
    for (let k = v.useStart[node] as number; k < (v.useStart[node + 1] as number); k++) {
      const r = this.reader[k] as number;
      const before = this.previous[r] as number;
      const after = this.next[r] as number;
      if (before >= 0) this.next[before] = after;
      if (after >= 0) this.previous[after] = before;
      else this.last[v.use[k] as number] = before;
    }
    // -1 marks what is placed.
    this.at[place] = -1;
    while (this.front < this.at.length && this.at[this.front] === -1) this.front++;
  }
}
