/**
 * What may be in flight at a point of the program, in the worst case over all paths that lead there. Per unit a list of
 * entries:
 *
 * - a write or read of an instruction of fixed latency, with the cycle of its issue: forgotten after `HORIZON` cycles,
 *   longer than any distance in the tables;
 * - a write or read of a variable-latency instruction, with the scoreboards that tell its end: it is no longer pending when one of
 *   them has been waited for. Of several instructions under the same scoreboards the youngest stands for all;
 * - an operand kept in the reuse cache, on units of its own (`REUSE_UNIT` + position);
 * - a write that no product of a warp group may count on yet (products.ts).
 *
 * Two states join to the union of their entries, each with the shorter distance; an entry under other scoreboards is
 * another entry, so that all of them must be waited for. Distances only shrink and entries only grow in number, hence
 * the fixed point exists.
 *
 * Within a block entries are linked lists in columns and time is absolute. Between blocks a state is an `Int32Array` of
 * records of four numbers in ascending order of the first two: place, identity, distance, instruction.
 */
import { UNITS } from "./sites.js";

/** Cycles after which no instruction of fixed latency matters any more. */
export const HORIZON = 64;

/** Entries by kind. */
export const FIXED_WRITE = 0;
export const FIXED_READ = 1;
export const PENDING_WRITE = 2;
export const PENDING_READ = 3;
export const REUSED = 4;
/** Written since the last WARPGROUP.ARRIVE (products.ts). */
export const UNFENCED = 5;

/** Is the end of what the entry stands for told by a scoreboard? */
export function isPending(kind: number): boolean {
  return kind === PENDING_WRITE || kind === PENDING_READ;
}

/** One list for each reuse position (slot × bank). */
export const REUSE_UNIT: number = UNITS;
export const REUSE_POSITIONS = 8;
const LISTS = UNITS + REUSE_POSITIONS;

/** An instruction and its slot as one number (`State.source`). */
export const sourceOf = (i: number, slot: number): number => i * 32 + slot + 2;

/** Record: list·8+kind, identity, cycles, site. */
export const RECORD = 4;
export type Frozen = Int32Array;

export class State {
  readonly head: Int32Array = new Int32Array(LISTS).fill(-1);
  private capacity = 1024;
  private used = 0;
  private free = -1;
  next: Int32Array = new Int32Array(this.capacity);
  kind: Uint8Array = new Uint8Array(this.capacity);
  /** Instruction index · 32 + slot + 2 (guards and implicit registers have negative slots). */
  source: Int32Array = new Int32Array(this.capacity);
  /** Fixed: cycle of issue. Pending: first cycle at which a wait for `mask` is sure to see it. */
  time: Int32Array = new Int32Array(this.capacity);
  /** Scoreboards that tell the end. Reuse: unit · 2 + stale. */
  mask: Int32Array = new Int32Array(this.capacity);
  /** Those of them that a wait sees already. */
  ripe: Uint8Array = new Uint8Array(this.capacity);
  order: Uint8Array = new Uint8Array(this.capacity);
  /** Pending: later instructions of its order that count on the same scoreboard (groups of products), at most 3 (7). */
  followers: Uint8Array = new Uint8Array(this.capacity);
  /** Guard under which it happens, 0 = always or no longer known. */
  guard: Uint8Array = new Uint8Array(this.capacity);
  now = 0;

  clear(): void {
    this.head.fill(-1);
    this.used = 0;
    this.free = -1;
    this.now = 0;
  }

  add(list: number, kind: number, source: number, time: number, guard: number): number {
    let e = this.free;
    if (e >= 0) this.free = this.next[e]!;
    else {
      if (this.used === this.capacity) this.grow();
      e = this.used++;
    }
    this.kind[e] = kind;
    this.source[e] = source;
    this.time[e] = time;
    this.mask[e] = 0;
    this.ripe[e] = 0;
    this.order[e] = 0;
    this.followers[e] = 0;
    this.guard[e] = guard;
    this.next[e] = this.head[list]!;
    this.head[list] = e;
    return e;
  }

  /** Unlinks e, whose predecessor in the list is `before` (−1: it is the head); gives its successor. */
  drop(list: number, before: number, e: number): number {
    const after = this.next[e]!;
    if (before < 0) this.head[list] = after;
    else this.next[before] = after;
    this.next[e] = this.free;
    this.free = e;
    return after;
  }

  private grow(): void {
    this.capacity *= 2;
    const wider = <T extends Int32Array | Uint8Array>(a: T, made: T): T => {
      made.set(a);
      return made;
    };
    const n = this.capacity;
    this.next = wider(this.next, new Int32Array(n));
    this.kind = wider(this.kind, new Uint8Array(n));
    this.source = wider(this.source, new Int32Array(n));
    this.time = wider(this.time, new Int32Array(n));
    this.mask = wider(this.mask, new Int32Array(n));
    this.ripe = wider(this.ripe, new Uint8Array(n));
    this.order = wider(this.order, new Uint8Array(n));
    this.followers = wider(this.followers, new Uint8Array(n));
    this.guard = wider(this.guard, new Uint8Array(n));
  }

  /** Makes this the state at the start of a block, at cycle 0. */
  thaw(frozen: Frozen): void {
    this.clear();
    for (let r = 0; r < frozen.length; r += RECORD) {
      const place = frozen[r]!;
      const id = frozen[r + 1]!;
      const kind = place & 7;
      const e = this.add(place >> 3, kind, frozen[r + 3]!, isFixed(place) ? -frozen[r + 2]! : frozen[r + 2]!, 0);
      if (kind === FIXED_WRITE || kind === FIXED_READ) this.guard[e] = id;
      else if (kind === REUSED || kind === UNFENCED) this.mask[e] = id;
      else {
        this.mask[e] = id & 127;
        this.ripe[e] = (id >> 7) & 127;
        this.order[e] = (id >> 14) & 127;
        this.guard[e] = (id >> 21) & 63;
        this.followers[e] = (id >> 27) & 7;
      }
    }
  }

  /** The state at the end of a block as records. */
  freeze(): Frozen {
    const out: number[] = [];
    for (let list = 0; list < LISTS; list++) {
      const start = out.length;
      for (let e = this.head[list]!; e >= 0; e = this.next[e]!) this.record(out, start, list, e);
    }
    return Int32Array.from(out);
  }

  private record(out: number[], start: number, list: number, e: number): void {
    const kind = this.kind[e]!;
    let id = this.mask[e]!;
    let cycles = 0;
    const source = this.source[e]!;
    if (kind === FIXED_WRITE || kind === FIXED_READ) {
      cycles = this.now - this.time[e]!;
      if (cycles >= HORIZON) return;
      id = this.guard[e]!;
    } else if (kind === UNFENCED) cycles = Math.min(HORIZON, this.now - this.time[e]!);
    else if (kind !== REUSED) {
      cycles = Math.max(0, this.time[e]! - this.now);
      const ripe = cycles === 0 ? id : this.ripe[e]!;
      id |= (ripe << 7) | (this.order[e]! << 14) | (this.guard[e]! << 21) | (this.followers[e]! << 27);
    }
    insert(out, start, list * 8 + kind, id, cycles, source);
  }
}

const isFixed = (place: number): boolean => (place & 7) <= FIXED_READ || (place & 7) === UNFENCED;

/** Order of records: place, identity, and for fixed ones the instruction. */
function compare(a: ArrayLike<number>, i: number, b: ArrayLike<number>, j: number): number {
  return a[i]! - b[j]! || a[i + 1]! - b[j + 1]! || (isFixed(a[i]!) ? a[i + 3]! - b[j + 3]! : 0);
}

/** Of two entries with the same identity: is the second the worse one? */
function worse(place: number, cyclesA: number, sourceA: number, cyclesB: number, sourceB: number): boolean {
  if (isFixed(place)) return cyclesB < cyclesA;
  return cyclesB > cyclesA || (cyclesB === cyclesA && sourceB < sourceA);
}

function insert(out: number[], start: number, place: number, id: number, cycles: number, source: number): void {
  const record = [place, id, cycles, source];
  let at = out.length;
  while (at > start && compare(out, at - RECORD, record, 0) > 0) at -= RECORD;
  if (at > start && compare(out, at - RECORD, record, 0) === 0) {
    const k = at - RECORD;
    if (worse(place, out[k + 2]!, out[k + 3]!, cycles, source)) {
      out[k + 2] = cycles;
      out[k + 3] = source;
    }
    return;
  }
  out.splice(at, 0, place, id, cycles, source);
}

/** The worst of both; `a` itself when `b` adds nothing. */
export function join(a: Frozen, b: Frozen): Frozen {
  const out = new Int32Array(a.length + b.length);
  let n = 0;
  let changed = false;
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const order = i >= a.length ? 1 : j >= b.length ? -1 : compare(a, i, b, j);
    const fromB = order > 0 || (order === 0 && worse(a[i]!, a[i + 2]!, a[i + 3]!, b[j + 2]!, b[j + 3]!));
    if (fromB) changed = true;
    const from = fromB ? b : a;
    const at = fromB ? j : i;
    for (let k = 0; k < RECORD; k++) out[n + k] = from[at + k]!;
    n += RECORD;
    if (order <= 0) i += RECORD;
    if (order >= 0) j += RECORD;
  }
  return changed ? out.slice(0, n) : a;
}
