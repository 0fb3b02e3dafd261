/**
 * One attempt to give every value of a register file a register (wiki pages 32 and 33): values are taken one by one in order of priority. For each, the
 * hard-conflict set says which registers are taken at some point of its range; two cost arrays are filled from its constraint list; the cheapest
 * free register wins and is committed. There is no backtracking. An attempt that may spill looks for the cheapest place, counting the values that
 * must leave it, and compares that with spilling the value itself.
 */
import { InternalError } from "../errors.js";
import { FIRST_KEPT_UNIFORM, isClobbered } from "../isa/abi.js";
import { File } from "../ori/types.js";
import { accumulate, type Relaxation, unrelaxed } from "./constraints.js";
import type { FileFacts } from "./facts.js";
import type { FileInfo } from "./geometry.js";
import { Occupancy, overlap } from "./occupancy.js";
import { livesAcrossCall, type Ranges } from "./ranges.js";
import type {
  AllocationEvent,
  AllocatorKnobs,
  Constraint,
  ConstraintContext,
  CopyHint,
  Placement,
  Policies,
  Scan,
  ValueFacts,
  Why,
} from "./types.js";

export interface FileProblem {
  readonly ranges: Ranges;
  readonly info: FileInfo;
  /** Registers that may be used: 0 … registers − 1. */
  readonly registers: number;
  readonly facts: FileFacts;
  readonly policies: Policies;
  /** Decisions that are tried after those, and stand where they need no more registers; null: none. */
  readonly preferring: Policies | null;
  readonly knobs: AllocatorKnobs;
  /** Nobody asks for fewer registers than these. */
  readonly enough: number;
  /** Where the search for a free register begins. */
  readonly first: number;
  readonly round: number;
  readonly observe: ((event: AllocationEvent) => void) | null;
}

export interface FileResult {
  /** Value → register, −1 when it has none. */
  readonly assignment: Int16Array;
  /** Highest register + 1. */
  readonly used: number;
  /** Must be spilled before the file is tried again. */
  readonly spills: readonly ValueFacts[];
  /** A value that no spilling can place, null when all is well. */
  readonly stuck: ValueFacts | null;
}

/** Values not bound to a register that live across a call. */
function acrossCalls({ ranges, facts }: FileProblem): Set<number> {
  const across = new Set<number>();
  if (ranges.calls.length === 0) return across;
  for (const { id } of facts.values)
    if (ranges.flat.func.values.fixed(id) < 0 && livesAcrossCall(ranges, id)) across.add(id);
  return across;
}

/** Among this many registers in a row are some that calls leave alone. */
const KEPT_PERIOD = 20;

export class Attempt {
  failed = 0;
  private readonly p: FileProblem;
  private readonly attempt: number;
  private readonly mayspill: boolean;
  private readonly occupancy: Occupancy;
  private readonly assignment: Int16Array;
  /** Units placed in each register, and the facts of a value: asked for where values may be spilled. */
  private readonly tenants: number[][];
  private readonly byId: Map<number, ValueFacts>;
  /** Values that must outlive calls. */
  private readonly across: Set<number>;
  private readonly spills: ValueFacts[] = [];
  private stuck: ValueFacts | null = null;
  private used = 0;
  private cost = 0;
  private coalesced = 0;
  private readonly occupied: Uint8Array;
  private readonly primary: Int32Array;
  private readonly secondary: Int32Array;
  private readonly context: ConstraintContext;
  private readonly list: Constraint[] = [];
  private readonly relaxation: Relaxation;

  constructor(problem: FileProblem, attempt: number, mayspill: boolean) {
    this.p = problem;
    this.attempt = attempt;
    this.mayspill = mayspill;
    this.occupancy = new Occupancy(problem.ranges);
    this.assignment = new Int16Array(problem.ranges.flat.func.values.count).fill(-1);
    this.tenants = mayspill ? Array.from({ length: problem.info.registers }, () => []) : [];
    this.byId = new Map(mayspill ? problem.facts.values.map((v) => [v.id, v]) : []);
    this.across = acrossCalls(problem);
    this.occupied = new Uint8Array(problem.info.registers);
    this.primary = new Int32Array(problem.info.registers);
    this.secondary = new Int32Array(problem.info.registers);
    const { assignment } = this;
    const { facts, knobs } = problem;
    this.relaxation =
      attempt === 0
        ? unrelaxed
        : { attempt, relaxHead: knobs.relaxHead, relaxTail: knobs.relaxTail, bankAware: knobs.bankAware };
    this.context = {
      func: problem.ranges.flat.func,
      file: problem.info.file,
      assigned: (v) => assignment[v] as number,
      copies: (v) => this.copiesOf(v),
      triples: (v) => facts.triples.get(v) ?? [],
      partners: (v) => facts.fellows().partners.get(v) ?? [],
      results: (v) => facts.fellows().results.get(v) ?? [],
      held: (v) => facts.held().get(v) ?? [],
    };
  }

  /** Copies of a value, as long as the budget of coalescing lasts. */
  private copiesOf(v: number): readonly CopyHint[] {
    const copies = this.p.facts.copies.get(v) ?? [];
    if (copies.length === 0) return copies;
    return this.coalesced++ < this.p.knobs.coalesceBudget ? copies : [];
  }

  /** A value is bound to a register that there is none of. */
  get isStuck(): boolean {
    return this.stuck !== null;
  }

  /** `brief`: ends with the first value that finds no register. */
  run(brief = false): void {
    const { facts, policies, ranges } = this.p;
    const fixedPlace = (v: ValueFacts): number => ranges.flat.func.values.fixed(v.id);
    const rest: ValueFacts[] = [];
    for (const v of facts.values) {
      if (fixedPlace(v) >= 0) this.bind(v, fixedPlace(v));
      else rest.push(v);
    }
    const rank = new Float64Array(ranges.flat.func.values.count);
    for (const v of rest) rank[v.id] = policies.priority(v, this.attempt);
    // Temporaries of spill code cannot give way, so where values may be spilled they come first, the wide ones before
    // those that would stand in the middle of an aligned group.
    const firm = (v: ValueFacts): number => (this.mayspill && v.temporary ? v.width : 0);
    const order = (a: ValueFacts, b: ValueFacts): number =>
      firm(b) - firm(a) || (rank[b.id] as number) - (rank[a.id] as number) || a.id - b.id;
    rest.sort(order);
    for (const v of rest) {
      this.place(v);
      if (this.stuck !== null || (brief && this.failed > 0)) break;
    }
    this.p.observe?.({
      kind: "attempt",
      file: this.p.info.file,
      round: this.p.round,
      attempt: this.attempt,
      used: this.used,
      target: this.p.registers,
      cost: this.cost,
      failed: this.homeless(),
      points: ranges.points,
      placements: () => this.placements(),
    });
  }

  /** Values that have no register in the end: where some may be spilled, those that gave way, too. */
  private homeless(): number {
    return this.p.facts.values.filter((v) => (this.assignment[v.id] as number) < 0).length;
  }

  private placements(): readonly Placement[] {
    const { flat, start, segments } = this.p.ranges;
    const found: Placement[] = [];
    for (const value of this.p.facts.values) {
      const slot = this.assignment[value.id] as number;
      const unit = flat.unitBase[value.id] as number;
      for (let k = 0; k < value.width; k++)
        for (let s = start[unit + k] as number; s < (start[unit + k + 1] as number); s++)
          found.push({
            value,
            register: slot < 0 ? -1 : slot + k,
            from: segments[2 * s] as number,
            to: segments[2 * s + 1] as number,
          });
    }
    return found;
  }

  result(): FileResult {
    return { assignment: this.assignment, used: this.used, spills: this.spills, stuck: this.stuck };
  }

  /** A value bound to a register. The reserved register needs no bookkeeping: nothing else is ever put there. */
  private bind(v: ValueFacts, slot: number): void {
    if (slot + v.width > this.p.registers) {
      this.stuck = v;
      return;
    }
    if (slot !== this.p.info.reserved && !this.fits(v, slot)) {
      throw new InternalError(`value ${v.id} is bound to register ${slot}, which is taken`, {
        phase: "AllocateRegisters",
        func: this.p.ranges.flat.func.name,
      });
    }
    this.commit(v, slot);
    this.show(v, slot, "fixed");
  }

  private place(v: ValueFacts): void {
    const slots = this.survey(v);
    this.list.length = 0;
    this.p.policies.constraints(this.context, v, this.list);
    const costs = { primary: this.primary, secondary: this.secondary, slots };
    accumulate(costs, this.list, this.context.assigned, this.relaxation);
    const choice = this.p.policies.select(this.scan(v, slots));
    this.show(v, choice.slot, choice.why);
    if (choice.slot >= 0) {
      if (this.occupied[choice.slot] !== 0 || choice.slot + v.width > slots) {
        throw new InternalError(`the selection policy took register ${choice.slot}, which is not free`);
      }
      this.cost += this.primary[choice.slot] as number;
      this.commit(v, choice.slot);
      return;
    }
    this.failed++;
    if (this.mayspill) this.makeRoom(v);
  }

  private scan(v: ValueFacts, slots: number): Scan {
    return {
      value: v,
      slots,
      ceiling: slots - 1,
      first: this.p.first,
      step: v.align,
      occupied: this.occupied,
      primary: this.primary,
      secondary: this.secondary,
      attempt: this.attempt,
      threshold: this.p.knobs.regAllocThreshold,
    };
  }

  /**
   * Zeroes the cost arrays and finds the taken registers. Registers above the highest one used so far are all alike,
   * so the scan ends after the first place among them; where a value must outlive calls, they repeat.
   */
  private survey(v: ValueFacts): number {
    const outlives = this.across.has(v.id);
    const from = outlives && v.file === File.UR ? FIRST_KEPT_UNIFORM : this.p.first;
    const enough = Math.max(this.used, from) + v.align + v.width + 1 + (outlives ? KEPT_PERIOD : 0);
    const slots = this.p.observe === null ? Math.min(this.p.registers, enough) : this.p.registers;
    this.primary.fill(0, 0, slots);
    this.secondary.fill(0, 0, slots);
    this.occupied.fill(1, 0, slots);
    for (let s = 0; s + v.width <= slots; s += v.align) if (this.fits(v, s)) this.occupied[s] = 0;
    return slots;
  }

  private fits(v: ValueFacts, slot: number): boolean {
    const { ranges, info } = this.p;
    const { width } = v;
    if (info.reserved >= slot && info.reserved < slot + width) return false;
    const unit = ranges.flat.unitBase[v.id] as number;
    for (let k = 0; k < width; k++) if (!this.occupancy.isFree(slot + k, unit + k)) return false;
    return this.outlives(v, slot) && !this.isPrologues(slot, width);
  }

  /** On sm_87 UR2 tells ptxas's functions that the kernel has cleared its barriers (sass/prologue.ts): code that they meet leaves it alone. */
  private isPrologues(slot: number, width: number): boolean {
    const { func } = this.p.ranges.flat;
    if (this.p.info.file !== File.UR || !func.target.has("clearsBarriers")) return false;
    return slot <= 2 && slot + width > 2 && (func.kind === "func" || this.p.ranges.calls.length > 0);
  }

  /** Calls leave the registers from `slot` on alone, if the value is still needed after one. */
  private outlives(v: ValueFacts, slot: number): boolean {
    if (this.across.size === 0 || !this.across.has(v.id)) return true;
    for (let k = 0; k < v.width; k++) if (isClobbered(this.p.info.file, slot + k)) return false;
    return true;
  }

  private commit(v: ValueFacts, slot: number): void {
    const unit = this.p.ranges.flat.unitBase[v.id] as number;
    this.assignment[v.id] = slot;
    for (let k = 0; k < v.width; k++) {
      if (slot + k === this.p.info.reserved) continue;
      this.occupancy.take(slot + k, unit + k);
      this.tenants[slot + k]?.push(unit + k);
    }
    this.used = Math.max(this.used, slot + v.width);
  }

  private evict(v: ValueFacts, room: ValueFacts): void {
    const slot = this.assignment[v.id] as number;
    const unit = this.p.ranges.flat.unitBase[v.id] as number;
    for (let k = 0; k < v.width; k++) {
      this.occupancy.release(slot + k, unit + k);
      const list = this.tenants[slot + k] as number[];
      list.splice(list.indexOf(unit + k), 1);
    }
    this.assignment[v.id] = -1;
    this.spill(v, room);
  }

  private spill(v: ValueFacts, room: ValueFacts): void {
    this.spills.push(v);
    this.p.observe?.({
      kind: "spill",
      file: v.file,
      round: this.p.round,
      value: v,
      cost: this.p.policies.spillCost(v),
      room,
    });
  }

  private isSpillable(v: ValueFacts): boolean {
    return !v.temporary && this.p.ranges.flat.func.values.fixed(v.id) < 0;
  }

  private makeRoom(v: ValueFacts): void {
    let best = -1;
    let bestCost = this.isSpillable(v) ? this.p.policies.spillCost(v) : Number.POSITIVE_INFINITY;
    let leaving: readonly ValueFacts[] = [];
    for (let slot = 0; slot + v.width <= this.p.registers; slot += v.align) {
      const there = this.conflicting(v, slot);
      if (there === null) continue;
      let cost = 0;
      for (const t of there) cost += this.p.policies.spillCost(t);
      if (cost >= bestCost) continue;
      best = slot;
      bestCost = cost;
      leaving = there;
    }
    if (best >= 0) {
      for (const t of leaving) this.evict(t, v);
      this.commit(v, best);
    } else if (this.isSpillable(v)) this.spill(v, v);
    else this.stuck = v;
  }

  /** Values that would have to leave for `v` to sit at `slot`; null when one of them cannot. */
  private conflicting(v: ValueFacts, slot: number): ValueFacts[] | null {
    const { ranges, info } = this.p;
    if (info.reserved >= slot && info.reserved < slot + v.width) return null;
    if (!this.outlives(v, slot)) return null;
    const unit = ranges.flat.unitBase[v.id] as number;
    const found: ValueFacts[] = [];
    for (let k = 0; k < v.width; k++) {
      for (const t of this.tenants[slot + k] as number[]) {
        if (!overlap(ranges, unit + k, t)) continue;
        const other = this.byId.get(ranges.flat.owner[t] as number) as ValueFacts;
        if (!this.isSpillable(other)) return null;
        if (!found.includes(other)) found.push(other);
      }
    }
    return found;
  }

  private show(v: ValueFacts, slot: number, why: Why): void {
    const { observe, round } = this.p;
    if (observe === null) return;
    const n = this.p.registers;
    observe({
      kind: "scan",
      round,
      attempt: this.attempt,
      value: v,
      occupied: this.occupied.slice(0, n),
      primary: this.primary.slice(0, n),
      secondary: this.secondary.slice(0, n),
      constraints: why === "fixed" ? [] : this.list.slice(),
      slot,
      why,
    });
  }
}
