/**
 * Finds races: two accesses to the same bytes, at least one a write, of which neither happened before the other (clocks.ts says what did).
 * The order comes from barriers (BAR, those of clusters, mbarriers), from lockstep and convergence within a warp, and from
 * strong writes after a fence that strong reads see. Accesses that are both strong (atomics, volatile and relaxed ones) do not race;
 * nor do two writes of the same value. The order in which the simulator happens to run threads plays no part.
 *
 * Copies of cp.async count as done when their thread has waited for them (DEPBAR, or an mbarrier that they arrive at). Bulk copies
 * count as done by the thread that issues them, and as told to their mbarrier.
 * Not seen: what warp-group products read through descriptors, and a strong access to shared memory, which SASS does not mark. Of writes a cell keeps the
 * last: where an atomic of a third thread came in between, a plain access is not held against the atomics before it.
 */
import { GLOBAL_BASE } from "../memory.js";
import type { Program } from "../program.js";
import { type Cta, LANES, type Warp } from "../state.js";
import type { Watch } from "../watch.js";
import { placeOf } from "../where.js";
import { COLUMNS, Told, WarpClock } from "./clocks.js";
import type { Findings, Race, RaceAccess, UninitializedRead } from "./findings.js";
import { type Kind, type Meaning, meaningAt } from "./meaning.js";
import { Cell, cellOf, columnOf, HOST, isStrong, NOBODY, Shadow, warpOf, who } from "./shadow.js";

interface CtaState {
  readonly number: number;
  readonly shadow: Shadow;
  readonly clocks: readonly WarpClock[];
  /** Local memory: written words, by warp. */
  readonly local: readonly Set<number>[];
  /** What was told by strong writes, and at mbarriers, by address. */
  readonly flags: Map<number, Told>;
  readonly mbarriers: Map<number, Told>;
  /** Who made the mbarriers. */
  readonly made: Map<number, Made>;
}

/** That an mbarrier was made. */
interface Made {
  readonly clock: WarpClock;
  readonly lane: number;
  readonly tick: number;
  readonly pc: number;
}

/** An access of a lane while its instruction runs. */
interface Touch {
  readonly space: "shared" | "global";
  /** Whose shared memory; null for global memory. */
  readonly owner: CtaState | null;
  readonly at: number;
  readonly size: number;
  readonly lane: number;
  readonly kind: Kind;
  readonly bytes: Uint8Array;
  readonly place: number;
  /** Of a write: what was there before; once the next write of the instruction has come, what this one wrote. */
  readonly before: Uint8Array | null;
  after: Uint8Array | null;
}

/** Of a shared address: where in the memory of its block. */
const OFFSET = 0xffffff;

export class RaceDetector implements Watch {
  private readonly races = new Map<string, Race>();
  private readonly unwritten = new Map<number, UninitializedRead>();
  private readonly global = new Shadow(HOST);
  private readonly globalFlags = new Map<number, Told>();
  private readonly ctas = new Map<Cta, CtaState>();
  private readonly told = new WeakMap<object, Told>();
  private readonly meanings: (Meaning | undefined)[];
  /** The instruction that runs, or ran last. */
  private pc = -1;
  private running = false;
  private meaning: Meaning | null = null;
  private turn = 0;
  private touches: Touch[] = [];
  /** What happens at the end of the instruction: others may learn only what it did by then. */
  private later: (() => void)[] = [];
  private readonly columns: number;

  constructor(
    private readonly program: Program,
    private readonly grid: readonly [number, number, number],
    private readonly block: readonly [number, number, number],
  ) {
    this.meanings = new Array(program.insts.length);
    this.columns = Math.ceil((block[0] * block[1] * block[2]) / LANES) * COLUMNS;
  }

  findings(): Omit<Findings, "registers"> {
    return { races: [...this.races.values()], uninitialized: [...this.unwritten.values()] };
  }

  start(cta: Cta): void {
    const [x, y, z] = cta.index;
    const number = x + this.grid[0] * (y + this.grid[1] * z);
    const warps = Array.from({ length: this.columns / COLUMNS }, (_, i) => i);
    this.ctas.set(cta, {
      number,
      shadow: new Shadow(NOBODY),
      clocks: warps.map((i) => new WarpClock(number, i, this.columns)),
      local: warps.map(() => new Set()),
      flags: new Map(),
      mbarriers: new Map(),
      made: new Map(),
    });
  }

  end(cta: Cta): void {
    this.ctas.delete(cta);
  }

  private clock(w: Warp): WarpClock {
    return this.ctas.get(w.cta)!.clocks[w.index]!;
  }

  // ------------------------------------------------------------------------------------------ who waits for whom

  tell(w: Warp, mask: number, to: object): void {
    let told = this.told.get(to);
    if (told === undefined) {
      told = new Told();
      this.told.set(to, told);
    }
    // Lanes that come together know the same.
    if (mask !== 0) this.clock(w).tell(told, lowest(mask));
  }

  learn(w: Warp, mask: number, from: object): void {
    const told = this.told.get(from);
    if (told !== undefined) this.clock(w).learn(told, mask);
  }

  arrive(w: Warp, lane: number, address: number): void {
    // The access to the object is no access of the program's.
    this.touches = this.touches.filter(
      (t) => !(t.lane === lane && t.space === "shared" && t.at === (address & OFFSET) && t.size === 8),
    );
    this.turn--;
    const { mbarriers } = this.ownerOf(w, address);
    this.mustBeMade(w, lane, address);
    const clock = this.clock(w);
    const copies = this.meaning?.copiesArrive === true;
    this.later.push(() => {
      const told = tellOf(mbarriers, address & OFFSET);
      clock.tell(told, lane);
      if (copies) clock.tellCopies(told, lane);
    });
    tellOf(mbarriers, address & OFFSET);
  }

  passed(w: Warp, mask: number, address: number): void {
    const told = tellOf(this.ownerOf(w, address).mbarriers, address & OFFSET);
    if (this.running) this.mustBeMade(w, lowest(mask), address);
    const clock = this.clock(w);
    const learn = (): void => clock.learn(told, mask);
    if (this.running) this.later.push(learn);
    else learn();
  }

  /** Does the lane know that the mbarrier was made? */
  private mustBeMade(w: Warp, lane: number, address: number): void {
    const owner = this.ownerOf(w, address);
    const made = owner.made.get(address & OFFSET);
    if (made === undefined) return;
    const { clock, tick, pc } = made;
    if (this.clock(w).knows(lane, clock.cta, clock.index, made.lane, tick)) return;
    const thread = this.threadAt(clock.index * LANES + made.lane);
    const first: RaceAccess = { kind: "write", block: this.blockAt(clock.cta), thread, ...placeOf(this.program, pc) };
    this.report({ space: "shared", at: address & OFFSET, lane, kind: READS }, w, first);
  }

  meet(w: Warp, mask: number): void {
    this.clock(w).meet(mask);
  }

  private ownerOf(w: Warp, address: number): CtaState {
    return this.ctas.get(w.cta.cluster.ctas[address >>> 24] ?? w.cta)!;
  }

  // ------------------------------------------------------------------------------------------ instructions

  run(w: Warp, active: number): void {
    this.clock(w).run(active);
  }

  issue(w: Warp, pc: number, mask: number): void {
    const clock = this.clock(w);
    clock.run(w.active);
    let meaning = this.meanings[pc];
    if (meaning === undefined) {
      meaning = meaningAt(this.program.insts, pc);
      this.meanings[pc] = meaning;
    }
    this.pc = pc;
    this.running = true;
    this.meaning = meaning;
    this.turn = 0;
    if (mask === 0) return;
    if (meaning.fence) clock.fence(mask);
    if (meaning.commit) clock.commit(mask);
    if (meaning.waits !== null) clock.waited(mask, meaning.waits);
  }

  done(w: Warp): void {
    this.running = false;
    if (this.touches.length > 0) this.settle(w);
    if (this.later.length === 0) return;
    for (const act of this.later) act();
    this.later = [];
  }

  access(
    w: Warp,
    asked: string,
    space: "global" | "shared" | "local",
    owner: Cta | null,
    at: number,
    size: number,
    lane: number,
    place: { readonly bytes: Uint8Array; readonly at: number },
  ): void {
    if (!this.running || this.meaning === null) return;
    if (this.meaning.initializes) {
      const clock = this.clock(w);
      this.ctas.get(owner!)!.made.set(at, { clock, lane, tick: clock.tick, pc: this.pc });
    }
    const kind = this.meaning.kind(space, asked, this.turn++);
    if (kind === null) return;
    if (space === "local") {
      this.local(w, at, size, lane, kind);
      return;
    }
    const before = kind.write && !kind.strong ? place.bytes.slice(place.at, place.at + size) : null;
    const state = owner === null ? null : this.ctas.get(owner)!;
    const touch = {
      space,
      owner: state,
      at,
      size,
      lane,
      kind,
      bytes: place.bytes,
      place: place.at,
      before,
      after: null,
    };
    if (before !== null) this.sameInstruction(w, touch);
    this.touches.push(touch);
  }

  /** Does another lane write the same bytes in the same instruction? */
  private sameInstruction(w: Warp, touch: Touch): void {
    for (let i = this.touches.length - 1; i >= 0; i--) {
      const t = this.touches[i]!;
      if (t.before === null || t.at !== touch.at || t.owner !== touch.owner || t.space !== touch.space) continue;
      t.after = touch.before;
      // At the end: by then it is known what this lane writes.
      this.later.push(() => {
        if (!equal(written(t), written(touch))) this.report(touch, w, this.accessOf(w, t.lane, t.kind));
      });
      return;
    }
  }

  /** The accesses of the instruction, in the order of the lanes. */
  private settle(w: Warp): void {
    const { touches } = this;
    this.touches = [];
    const clock = this.clock(w);
    for (const t of touches) {
      const mbarrier = t.owner?.mbarriers.get(t.at);
      if (mbarrier !== undefined) {
        // Code before sm_90 looks at the phase by a load.
        if (t.kind.read) this.later.push(() => clock.learn(mbarrier, 1 << t.lane));
        continue;
      }
      if (t.kind.strong) this.flag(clock, t);
      this.check(w, clock, t);
    }
  }

  /** A strong access: learns what was told by the flag, tells what the thread knew at its last fence. */
  private flag(clock: WarpClock, t: Touch): void {
    const flags = t.owner === null ? this.globalFlags : t.owner.flags;
    const told = flags.get(t.at);
    if (told !== undefined && t.kind.read) this.later.push(() => clock.learn(told, 1 << t.lane));
    const known = t.kind.write ? clock.flag(t.lane) : null;
    if (known !== null) tellOf(flags, t.at).add(known);
  }

  private check(w: Warp, clock: WarpClock, t: Touch): void {
    const shadow = t.owner === null ? this.global : t.owner.shadow;
    const { kind, lane } = t;
    const column = kind.copy ? LANES + lane : lane;
    const tick = kind.copy ? clock.copies[lane]! : clock.tick;
    const me = who(w.index, column, kind.strong);
    const same = t.before !== null && equal(t.before, written(t));
    let isUnwritten = kind.read;
    const end = t.at + t.size;
    for (let at = t.at; at < end; ) {
      const page = shadow.cellsAt(at, end);
      const { cells } = page;
      const c = cellOf(page, at);
      at += page.fine ? 1 : 4;
      const writer = cells[c + Cell.who]!;
      const writing = cells[c + Cell.cta]!;
      if (writing !== NOBODY) isUnwritten = false;
      if (writing >= 0 && !(same && kind.write) && !(kind.strong && isStrong(writer))) {
        const ordered = clock.knows(lane, writing, warpOf(writer), columnOf(writer), cells[c + Cell.tick]!);
        if (!ordered) this.meets(w, t, cells, c, columnOf(writer), true);
      }
      if (!kind.write) {
        noteRead(clock, cells, c + Cell.reads, lane, me, this.pc);
        continue;
      }
      this.checkRead(w, clock, t, cells, c + Cell.reads);
      this.checkRead(w, clock, t, cells, c + Cell.reads + Cell.readWords);
      cells[c + Cell.cta] = clock.cta;
      cells[c + Cell.who] = me;
      cells[c + Cell.tick] = tick;
      cells[c + Cell.pc] = this.pc;
    }
    if (isUnwritten) this.neverWritten(w, t.space as "shared", t.at, lane);
  }

  private checkRead(w: Warp, clock: WarpClock, t: Touch, cells: Int32Array, r: number): void {
    if (cells[r]! < 0) return;
    const reader = cells[r + Cell.who]!;
    if (!(t.kind.strong && isStrong(reader))) {
      const mask = cells[r + Cell.mask]!;
      for (let l = 0; l < LANES; l++) {
        if (((mask >>> l) & 1) === 0 || clock.knows(t.lane, cells[r]!, warpOf(reader), l, cells[r + Cell.tick]!))
          continue;
        this.meets(w, t, cells, r, l, false);
        break;
      }
    }
    cells[r] = NOBODY;
  }

  /** What a cell notes and what the lane does now are in no order. */
  private meets(w: Warp, t: Touch, cells: Int32Array, c: number, column: number, wrote: boolean): void {
    const writer = cells[c + Cell.who]!;
    const pc = cells[c + Cell.pc]!;
    const copy = column >= LANES;
    const kind = copy ? "copy" : isStrong(writer) && wrote ? "atomic" : wrote ? "write" : "read";
    const thread = this.threadAt(warpOf(writer) * LANES + (column & 31));
    this.report(t, w, { kind, block: this.blockAt(cells[c + Cell.cta]!), thread, ...placeOf(this.program, pc) });
  }

  private report(t: Pick<Touch, "space" | "at" | "lane" | "kind">, w: Warp, first: RaceAccess): void {
    const second = this.accessOf(w, t.lane, t.kind);
    const ends = [first, second].map((a) => `${a.function} ${a.address} ${a.kind}`);
    const key = `${t.space} ${ends.sort().join(" ")}`;
    const known = this.races.get(key);
    if (known !== undefined) known.count++;
    else {
      const memoryAddress = t.space === "global" ? t.at + GLOBAL_BASE : t.at;
      this.races.set(key, { space: t.space, memoryAddress, first, second, count: 1 });
    }
  }

  private accessOf(w: Warp, lane: number, k: Kind): RaceAccess {
    const kind = k.copy ? "copy" : k.read && k.write ? "atomic" : k.write ? "write" : "read";
    const block = this.blockAt(this.ctas.get(w.cta)!.number);
    return { kind, block, thread: this.threadAt(w.index * LANES + lane), ...placeOf(this.program, this.pc) };
  }

  private blockAt(n: number): [number, number, number] {
    const [x, y] = this.grid;
    return [n % x, Math.floor(n / x) % y, Math.floor(n / (x * y))];
  }

  private threadAt(n: number): [number, number, number] {
    const [x, y] = this.block;
    return [n % x, Math.floor(n / x) % y, Math.floor(n / (x * y))];
  }

  private local(w: Warp, at: number, size: number, lane: number, kind: Kind): void {
    const written = this.ctas.get(w.cta)!.local[w.index]!;
    let known = false;
    for (let word = at >> 2; word <= (at + size - 1) >> 2; word++) {
      if (kind.write) written.add(word * LANES + lane);
      else if (written.has(word * LANES + lane)) known = true;
    }
    if (!kind.write && !known) this.neverWritten(w, "local", at, lane);
  }

  private neverWritten(w: Warp, space: "shared" | "local", memoryAddress: number, lane: number): void {
    const known = this.unwritten.get(this.pc);
    if (known !== undefined) known.count++;
    else {
      const { kind: _, ...where } = this.accessOf(w, lane, READS);
      this.unwritten.set(this.pc, { space, memoryAddress, ...where, count: 1 });
    }
  }
}

const READS: Kind = { read: true, write: false, strong: false, copy: false };

function lowest(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}

function tellOf(map: Map<number, Told>, at: number): Told {
  let told = map.get(at);
  if (told === undefined) {
    told = new Told();
    map.set(at, told);
  }
  return told;
}

/** What a write left. */
function written(t: Touch): Uint8Array {
  return t.after ?? t.bytes.subarray(t.place, t.place + t.size);
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Is there room for a read at `at`: none, or one that happened before? */
const hasRoom = (clock: WarpClock, cells: Int32Array, at: number, lane: number): boolean =>
  cells[at] === NOBODY ||
  clock.knowsAll(lane, cells[at]!, warpOf(cells[at + Cell.who]!), cells[at + Cell.mask]!, cells[at + Cell.tick]!);

/** Adds a lane to a read at `at` of the same stretch. */
function joins(clock: WarpClock, cells: Int32Array, at: number, lane: number, me: number): boolean {
  if (cells[at] !== clock.cta || cells[at + Cell.tick] !== clock.tick || warpOf(cells[at + Cell.who]!) !== clock.index)
    return false;
  cells[at + Cell.mask] = cells[at + Cell.mask]! | (1 << lane);
  if (!isStrong(me)) cells[at + Cell.who] = me;
  return true;
}

/** Notes a read in the cell whose reads begin at `r`: beside one of another warp if there is room, in place of one that happened before. */
function noteRead(clock: WarpClock, cells: Int32Array, r: number, lane: number, me: number, pc: number): void {
  const other = r + Cell.readWords;
  if (joins(clock, cells, r, lane, me) || joins(clock, cells, other, lane, me)) return;
  let at = hasRoom(clock, cells, r, lane) ? r : hasRoom(clock, cells, other, lane) ? other : -1;
  // Two parts of one warp leave no room for another, whose reads say more.
  const same = cells[r] === cells[other] && warpOf(cells[r + Cell.who]!) === warpOf(cells[other + Cell.who]!);
  if (at < 0 && same && !(cells[r] === clock.cta && warpOf(cells[r + Cell.who]!) === clock.index)) at = other;
  if (at < 0) return;
  cells[at] = clock.cta;
  cells[at + Cell.who] = me;
  cells[at + Cell.tick] = clock.tick;
  cells[at + Cell.pc] = pc;
  cells[at + Cell.mask] = 1 << lane;
}
