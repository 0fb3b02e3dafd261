/**
 * What happened before what, by vector clocks. A warp's clock ticks whenever other lanes of it go on together, and whenever it tells others
 * how far it is: between two ticks it runs a stretch. Lanes of a stretch run in lockstep and know each other's past; lanes that
 * parted know nothing of each other until they go on together again, or meet at a barrier.
 *
 * A thread has two columns: its own accesses, and its asynchronous copies (LDGSTS), which are done when it has waited for them.
 */
import { LANES } from "../state.js";

/** Columns of a warp: its lanes, then their copies. */
export const COLUMNS: number = 2 * LANES;

/** Last tick that is known of every column of every warp, by number of the block. Never changed once it is published. */
export type Known = ReadonlyMap<number, Int32Array>;
const NOTHING: Known = new Map();

/** Published knowledge that is remembered as being part of a sum: only to know it quickly. */
const MOST_PARTS = 256;

/** What those told that came to a barrier, or wrote a flag. */
export class Told {
  private readonly ctas = new Map<number, Int32Array>();
  /** Arrays of `ctas` that nobody else has. */
  private readonly own = new Set<Int32Array>();
  private readonly parts = new Set<Known>();
  private published: Known | null = null;

  add(known: Known): void {
    if (this.parts.has(known)) return;
    if (this.parts.size < MOST_PARTS) this.parts.add(known);
    for (const [cta, ticks] of known) {
      if (this.ctas.has(cta)) this.raise(cta, 0, ticks, ticks.length);
      else this.ctas.set(cta, ticks);
    }
    this.published = null;
  }

  /** Raises the columns of block `cta` from `at` on; the block has `size` of them. */
  raise(cta: number, at: number, ticks: Int32Array, size: number): void {
    let to = this.ctas.get(cta);
    if (to === undefined || !this.own.has(to)) {
      const copy = new Int32Array(size);
      if (to !== undefined) copy.set(to);
      to = copy;
      this.ctas.set(cta, to);
      this.own.add(to);
    }
    for (let i = 0; i < ticks.length; i++) if (ticks[i]! > to[at + i]!) to[at + i] = ticks[i]!;
    this.published = null;
  }

  /** All that was told, with what is known besides. */
  with(known: Known): Known {
    if (known !== NOTHING && !this.parts.has(known)) {
      const both = new Told();
      both.add(known);
      both.add(this.all());
      return both.all();
    }
    return this.all();
  }

  private all(): Known {
    if (this.published === null) {
      this.published = new Map(this.ctas);
      this.own.clear();
      if (this.parts.size < MOST_PARTS) this.parts.add(this.published);
    }
    return this.published;
  }
}

/** The clock of a warp, and what its lanes know. */
export class WarpClock {
  tick: number = 0;
  /** Lanes of the stretch; 0: the next instruction begins one. */
  private lanes = 0;
  /** Per lane: the last tick known of every column of the own warp. */
  readonly own: Int32Array = new Int32Array(LANES * COLUMNS);
  /** Per lane: what is known of others. */
  private readonly known: Known[] = new Array<Known>(LANES).fill(NOTHING);
  /** Per lane: what a flag that it writes tells: what it knew at its last fence. */
  private readonly fenced: (Told | null)[] = new Array<Told | null>(LANES).fill(null);
  /** Per lane: the open group of copies. */
  readonly copies: Int32Array = new Int32Array(LANES).fill(1);
  private readonly row = new Int32Array(COLUMNS);

  constructor(
    readonly cta: number,
    readonly index: number,
    /** Columns of its block. */
    private readonly size: number,
  ) {}

  /** The lanes of `active` go on together. */
  run(active: number): void {
    if (active !== this.lanes) this.begin(active);
  }

  private begin(active: number): void {
    this.tick++;
    this.lanes = active;
    this.meet(active);
    for (let l = 0; l < LANES; l++)
      if ((active >>> l) & 1)
        for (let k = 0; k < LANES; k++) if ((active >>> k) & 1) this.own[l * COLUMNS + k] = this.tick;
  }

  /** Lanes that tell each other all they know. */
  meet(lanes: number): void {
    const { row, own, known } = this;
    row.fill(0);
    let first: Known | null = null;
    let sum: Told | null = null;
    for (let l = 0; l < LANES; l++) {
      if (((lanes >>> l) & 1) === 0) continue;
      for (let c = 0; c < COLUMNS; c++) if (own[l * COLUMNS + c]! > row[c]!) row[c] = own[l * COLUMNS + c]!;
      if (first === null) first = known[l]!;
      else if (known[l] !== first) {
        if (sum === null) {
          sum = new Told();
          sum.add(first);
        }
        sum.add(known[l]!);
      }
    }
    const all = sum === null ? first : sum.with(NOTHING);
    for (let l = 0; l < LANES; l++) {
      if (((lanes >>> l) & 1) === 0) continue;
      own.set(row, l * COLUMNS);
      known[l] = all!;
    }
  }

  /** Did what is labelled so happen before what the lane does now? */
  knows(lane: number, cta: number, warp: number, column: number, tick: number): boolean {
    if (cta === this.cta && warp === this.index) return this.own[lane * COLUMNS + column]! >= tick;
    const ticks = this.known[lane]!.get(cta);
    return ticks !== undefined && ticks[warp * COLUMNS + column]! >= tick;
  }

  /** The same of several lanes of a warp. */
  knowsAll(lane: number, cta: number, warp: number, lanes: number, tick: number): boolean {
    for (let l = 0; l < LANES; l++) if ((lanes >>> l) & 1 && !this.knows(lane, cta, warp, l, tick)) return false;
    return true;
  }

  /** Tells what a lane knows; what it does from now on is not part of it. */
  tell(to: Told, lane: number): void {
    to.add(this.known[lane]!);
    to.raise(this.cta, this.index * COLUMNS, this.rowOf(lane), this.size);
    this.lanes = 0;
  }

  /** Tells that the copies of a lane are done, too. */
  tellCopies(to: Told, lane: number): void {
    const group = this.copies[lane]!++;
    to.raise(this.cta, this.index * COLUMNS + LANES + lane, Int32Array.of(group), this.size);
  }

  /** Lanes learn what was told. */
  learn(from: Told, lanes: number): void {
    for (let l = 0; l < LANES; l++) {
      if (((lanes >>> l) & 1) === 0) continue;
      const all = from.with(this.known[l]!);
      this.known[l] = all;
      const mine = all.get(this.cta);
      if (mine === undefined) continue;
      const at = this.index * COLUMNS;
      const row = this.rowOf(l);
      for (let c = 0; c < COLUMNS; c++) if (mine[at + c]! > row[c]!) row[c] = mine[at + c]!;
    }
    this.lanes = 0;
  }

  /** A fence: what the lanes know is what they tell by flags from now on. */
  fence(lanes: number): void {
    let told: Told | null = null;
    for (let l = 0; l < LANES; l++) {
      if (((lanes >>> l) & 1) === 0) continue;
      // All of them are in one stretch and know the same.
      if (told === null) {
        told = new Told();
        this.tell(told, l);
      }
      this.fenced[l] = told;
    }
  }

  /** What the lane tells by a flag; null: it has passed no fence. */
  flag(lane: number): Known | null {
    return this.fenced[lane]?.with(NOTHING) ?? null;
  }

  /** Copies are committed as a group. */
  commit(lanes: number): void {
    for (let l = 0; l < LANES; l++) if ((lanes >>> l) & 1) this.copies[l]!++;
  }

  /** All groups of copies but the last `left` are done. */
  waited(lanes: number, left: number): void {
    for (let l = 0; l < LANES; l++) {
      if (((lanes >>> l) & 1) === 0) continue;
      const at = l * COLUMNS + LANES + l;
      this.own[at] = Math.max(this.own[at]!, this.copies[l]! - 1 - left);
    }
    this.lanes = 0;
  }

  private rowOf(lane: number): Int32Array {
    return this.own.subarray(lane * COLUMNS, (lane + 1) * COLUMNS);
  }
}
