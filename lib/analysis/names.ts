/**
 * What each register holds where it is read, as a number: the names of static single assignment, without changing the
 * function. Two reads with the same name read the same value; a name is made by a definition, where paths join (at iterated dominance
 * frontiers, of registers that live there), or where control comes from places that the graph does not show.
 *
 * Only R and UR have names. A guarded or partial definition makes a new one; `before` says what was there. After a call
 * the registers that the callee may write are new (routines.ts). What a uniform register holds is what the thread's own
 * path has put there: code in which other lanes change it in between has no meaning that ptxas could have compiled.
 */

import { isPhi } from "../ori/flow.js";
import { File, type Func, type Inst, Kind, ZERO_REG } from "../ori/types.js";
import { forEachBit } from "./bits.js";
import type { Cfg } from "./cfg.js";
import type { DominatorTree } from "./dominators.js";
import type { Flat } from "./flat.js";
import type { Liveness } from "./liveness.js";
import type { Routines } from "./routines.js";
import { homeUnits, unitAt } from "./units.js";

/** Names of what registers hold: equal names hold the same bits. */
export interface Names {
  /** The instructions that names are of. */
  readonly flat: Flat;
  /** Number of names. The definition of entry d of `Flat.def*` makes `first[d]` … one per register. */
  readonly count: number;
  /** First name of each entry of `Flat.def*`. */
  readonly first: Int32Array;
  /** Entry of `Flat.def*` of each name made by one; longer names have none. */
  readonly entry: Int32Array;
  /** Name of the first register of each entry of `Flat.use*`, −1 for predicates, barriers and sources of phis, which are read on the edges. */
  readonly use: Int32Array;
  /** 1 where the read happens under the very guard of the definition: what it reads is what that one has written. */
  readonly taken: Uint8Array;
  /** By name made by a definition: what was there before when the definition may leave it, else −1. */
  readonly before: Int32Array;
  /** Name → the names that meet in it, by predecessor. Names of joins only. */
  readonly joins: ReadonlyMap<number, readonly number[]>;
  /** Unit of a name that no definition made. */
  unitOf(name: number): number;
}

/** Names everything that the function's instructions define and read. */
export function names(
  func: Func,
  cfg: Cfg,
  tree: DominatorTree,
  flat: Flat,
  routines: Routines,
  live: Liveness,
): Names {
  return new Naming(func, cfg, tree, flat, routines, live).run();
}

const named = (flat: Flat, unit: number): boolean => {
  const file = flat.units.file[unit];
  return file === File.R || file === File.UR;
};

class Naming {
  private readonly home: Int32Array;
  private readonly units: number;
  private readonly first: Int32Array;
  private readonly entry: Int32Array;
  private readonly use: Int32Array;
  private readonly taken: Uint8Array;
  private readonly before: Int32Array;
  /** Guards, and what predicates hold, as numbers: a new one for each definition and at the start of each block. */
  private readonly guardOf = new Map<number, number>();
  private readonly setAt: Int32Array;
  private clock = 0;
  private since = 0;
  private readonly joins = new Map<number, number[]>();
  /** Joins at the start of each block, as pairs of unit and name. */
  private readonly joinsAt: number[][];
  /** Ranges of names that stand for whole register files: first name of each. */
  private readonly ranges: number[] = [];
  private readonly joinUnits: number[] = [];
  private readonly joinBase: number;
  private readonly joinEnd: number;
  private count: number;
  private readonly now: Int32Array;
  private readonly undoUnit: number[] = [];
  private readonly undoName: number[] = [];
  private readonly open: Uint8Array;
  private readonly mates: ReadonlyMap<number, readonly number[]>;

  constructor(
    func: Func,
    private readonly cfg: Cfg,
    private readonly tree: DominatorTree,
    private readonly flat: Flat,
    private readonly routines: Routines,
    private readonly live: Liveness,
  ) {
    this.home = homeUnits(func, flat.units);
    this.units = flat.units.count;
    const defs = flat.defUnit.length;
    this.first = new Int32Array(defs + 1);
    for (let d = 0; d < defs; d++) this.first[d + 1] = (this.first[d] as number) + (flat.defWidth[d] as number);
    this.count = this.first[defs] as number;
    this.entry = new Int32Array(this.count);
    for (let d = 0; d < defs; d++) this.entry.fill(d, this.first[d], this.first[d + 1]);
    this.before = new Int32Array(this.count).fill(-1);
    this.use = new Int32Array(flat.useUnit.length).fill(-1);
    this.taken = new Uint8Array(flat.useUnit.length);
    this.setAt = new Int32Array(this.units);
    this.now = new Int32Array(this.units).fill(-1);
    this.open = this.openBlocks();
    this.mates = this.findMates();
    this.joinsAt = Array.from({ length: cfg.count }, () => []);
    this.joinBase = this.count;
    this.placeJoins();
    this.joinEnd = this.count;
  }

  run(): Names {
    this.walk();
    for (let b = 0; b < this.cfg.count; b++) if ((this.cfg.order[b] as number) < 0) this.leave(this.enter(b));
    const { flat, first, entry, use, taken, before, joins, count, ranges, units, joinBase, joinEnd, joinUnits } = this;
    const unitOf = (name: number): number => {
      if (name < joinEnd) return joinUnits[name - joinBase] as number;
      const range = ranges.findLast((from) => from <= name) as number;
      return (name - range) % units;
    };
    return { flat, count, first, entry, use, taken, before, joins, unitOf };
  }

  /** Blocks that control may enter by edges that the graph does not show: nothing is known at their start. */
  private openBlocks(): Uint8Array {
    const { cfg } = this;
    const open = new Uint8Array(cfg.count);
    if (cfg.count > 0) open[0] = 1;
    for (let b = 0; b < cfg.count; b++) {
      if ((cfg.order[b] as number) < 0) open[b] = 1;
      for (let e = cfg.predStart[b] as number; e < (cfg.predStart[b + 1] as number); e++)
        if ((cfg.order[cfg.pred[e] as number] as number) < 0) open[b] = 1;
    }
    for (const inst of this.flat.insts) {
      const { flow } = inst.form;
      // A region names where it ends; control comes there by branches and by what stands before it.
      if (flow === "branch" || flow === "region") continue;
      for (const o of inst.srcs) {
        if (o.kind !== Kind.Label || o.id < 0) continue;
        const b = cfg.indexOf[o.id] as number;
        if (b >= 0) open[b] = 1;
      }
    }
    return open;
  }

  // ------------------------------------------------------------------------------------------------ joins

  /** Joins of a unit stand at the iterated dominance frontier of the blocks that write it. */
  private placeJoins(): void {
    const { cfg, flat } = this;
    const frontier = this.frontiers();
    const writers = this.writers();
    const stamp = new Int32Array(cfg.count).fill(-1);
    const everywhere: number[] = [];
    for (let b = 0; b < cfg.count; b++) if (this.open[b] === 1 && (cfg.order[b] as number) >= 0) everywhere.push(b);
    for (let u = 0; u < this.units; u++) {
      if (!named(flat, u) || this.home[u] !== u) continue;
      const own = writers[u];
      if (own === undefined && everywhere.length < 2) continue;
      const work = own === undefined ? everywhere.slice() : [...own, ...everywhere];
      for (let b = work.pop(); b !== undefined; b = work.pop())
        for (const f of frontier[b] as number[]) {
          if (stamp[f] === u || this.open[f] === 1) continue;
          stamp[f] = u;
          if (!this.lives(f, u)) continue;
          (this.joinsAt[f] as number[]).push(u, this.count);
          this.joins.set(this.count++, []);
          this.joinUnits.push(u);
          work.push(f);
        }
    }
  }

  /** A join is of use where the register is read again as it is: the unit, or one bound to the same register. */
  private lives(b: number, u: number): boolean {
    return this.live.liveIn.has(b, u) || (this.mates.get(u)?.some((m) => this.live.liveIn.has(b, m)) ?? false);
  }

  /** By the unit that stands for them, other units bound to the same register. */
  private findMates(): Map<number, number[]> {
    const mates = new Map<number, number[]>();
    for (let u = 0; u < this.units; u++) {
      const home = this.home[u] as number;
      if (home === u) continue;
      const list = mates.get(home);
      if (list === undefined) mates.set(home, [u]);
      else list.push(u);
    }
    return mates;
  }

  private writers(): (number[] | undefined)[] {
    const { cfg, flat, home } = this;
    const of: (number[] | undefined)[] = new Array(this.units);
    const add = (unit: number, b: number): void => {
      const u = home[unit] as number;
      const list = of[u];
      if (list === undefined) of[u] = [b];
      else if (list[list.length - 1] !== b) list.push(b);
    };
    for (let i = 0; i < flat.insts.length; i++) {
      const b = flat.block[i] as number;
      if ((cfg.order[b] as number) < 0) continue;
      for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++)
        for (let k = 0; k < (flat.defWidth[d] as number); k++) add((flat.defUnit[d] as number) + k, b);
      const clobbers = this.clobbers(i);
      if (clobbers === "all") for (let u = 0; u < this.units; u++) add(u, b);
      else if (clobbers !== null) forEachBit(clobbers, 0, clobbers.length, (u) => add(u, b));
    }
    return of;
  }

  private clobbers(i: number): Uint32Array | "all" | null {
    const inst = this.flat.insts[i];
    if (inst === undefined || inst.form.flow !== "call") return null;
    return this.routines.writes(inst) ?? "all";
  }

  /** Dominance frontiers (Cooper, Harvey, Kennedy): from each predecessor of a join up to the join's dominator. */
  private frontiers(): number[][] {
    const { cfg, tree } = this;
    const of: number[][] = Array.from({ length: cfg.count }, () => []);
    for (const b of cfg.rpo) {
      const from = cfg.predStart[b] as number;
      const to = cfg.predStart[b + 1] as number;
      if (to - from < 2) continue;
      for (let e = from; e < to; e++) {
        for (let at = cfg.pred[e] as number; at >= 0 && at !== tree.idom[b]; at = tree.idom[at] as number) {
          if ((cfg.order[at] as number) < 0) break;
          const list = of[at] as number[];
          // Another path to the join came by here: it has been up from here already.
          if (list[list.length - 1] === b) break;
          list.push(b);
        }
      }
    }
    return of;
  }

  // ------------------------------------------------------------------------------------------------ naming

  /** Blocks in the order of the dominator tree; what a block says holds in what it dominates, and is taken back then. */
  private walk(): void {
    const { cfg, tree } = this;
    const children: number[][] = Array.from({ length: cfg.count }, () => []);
    for (const b of cfg.rpo) {
      const d = tree.idom[b] as number;
      if (d >= 0) (children[d] as number[]).push(b);
    }
    if (cfg.count === 0) return;
    // Negative entries say how far to take back.
    const stack: number[] = [0];
    for (let b = stack.pop(); b !== undefined; b = stack.pop()) {
      if (b < 0) {
        this.leave(-1 - b);
        continue;
      }
      stack.push(-1 - this.enter(b));
      for (const c of children[b] as number[]) stack.push(c);
    }
  }

  private set(unit: number, name: number): void {
    this.undoUnit.push(unit);
    this.undoName.push(this.now[unit] as number);
    this.now[unit] = name;
  }

  private leave(mark: number): void {
    while (this.undoUnit.length > mark) {
      this.now[this.undoUnit.pop() as number] = this.undoName.pop() as number;
    }
  }

  /** A new name for every register. */
  private renew(): number {
    const from = this.count;
    this.ranges.push(from);
    this.count += this.units;
    return from;
  }

  /** Names the reads of a block; returns the mark to take its names back to. */
  private enter(b: number): number {
    const { cfg, flat } = this;
    const mark = this.undoUnit.length;
    this.since = ++this.clock;
    if (this.open[b] === 1) {
      const from = this.renew();
      for (let u = 0; u < this.units; u++) this.set(u, from + u);
    } else {
      const at = this.joinsAt[b] as number[];
      for (let k = 0; k < at.length; k += 2) this.set(at[k] as number, at[k + 1] as number);
    }
    for (let i = flat.first[b] as number; i < (flat.first[b + 1] as number); i++) this.instruction(i);
    for (let e = cfg.succStart[b] as number; e < (cfg.succStart[b + 1] as number); e++) {
      const at = this.joinsAt[cfg.succ[e] as number] as number[];
      for (let k = 0; k < at.length; k += 2)
        (this.joins.get(at[k + 1] as number) as number[]).push(this.now[at[k] as number] as number);
    }
    return mark;
  }

  private instruction(i: number): void {
    const { flat, home } = this;
    const guard = this.guard(i);
    const uses = isPhi(flat.insts[i] as Inst) ? flat.useStart[i + 1] : flat.useStart[i];
    for (let u = uses as number; u < (flat.useStart[i + 1] as number); u++) {
      const unit = flat.useUnit[u] as number;
      if (!named(flat, unit)) continue;
      const name = this.now[home[unit] as number] as number;
      this.use[u] = name;
      if (guard >= 0 && this.guardOf.get(name) === guard) this.taken[u] = 1;
    }
    for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
      const unit = flat.defUnit[d] as number;
      if (!named(flat, unit)) {
        this.clock++;
        for (let k = 0; k < (flat.defWidth[d] as number); k++) this.setAt[home[unit + k] as number] = this.clock;
        continue;
      }
      for (let k = 0; k < (flat.defWidth[d] as number); k++) {
        const at = home[unit + k] as number;
        const name = (this.first[d] as number) + k;
        if (flat.defKills[d] === 0) this.before[name] = this.now[at] as number;
        if (guard >= 0) this.guardOf.set(name, guard);
        this.set(at, name);
      }
    }
    const clobbers = this.clobbers(i);
    if (clobbers === null) return;
    this.since = ++this.clock;
    const from = this.renew();
    if (clobbers === "all") for (let u = 0; u < this.units; u++) this.set(home[u] as number, from + u);
    else forEachBit(clobbers, 0, clobbers.length, (u) => this.set(home[u] as number, from + u));
  }

  /** A number for the guard of an instruction and what its predicate holds, −1 without a guard. */
  private guard(i: number): number {
    const { flat } = this;
    const { guard } = flat.insts[i] as Inst;
    if (guard === null || guard.id === ZERO_REG) return -1;
    const unit = this.home[unitAt(flat.units, guard.file, guard.id, 0)] as number;
    const since = Math.max(this.since, this.setAt[unit] as number);
    return (since * this.units + unit) * 2 + (guard.not ? 1 : 0);
  }
}
