/**
 * Latencies across block borders. What a block leaves in flight delays whoever needs it at the start of the next one
 * (`entry`); what the next blocks need soon should leave early (`exit`). Blocks are scheduled in reverse post-order, so
 * the blocks ahead are known except along back edges.
 */
import type { Cfg } from "../analysis/cfg.js";
import type { Flat } from "../analysis/flat.js";
import type { Dag } from "./dag.js";
import type { Timeline } from "./estimate.js";
import type { Occupancy } from "./model.js";

/** Instructions at the start of a block whose reads count as "soon". */
const SOON = 24;

/** Units with a number each, as parallel lists. */
interface Pending {
  readonly units: number[];
  readonly cycles: number[];
}

export class CrossBlock {
  /** What each block leaves in flight at its end, null while not scheduled. */
  private readonly leaves: (Pending | null)[];
  /** Reads near the start of each block: unit and position. */
  private readonly soon: (Pending | null)[];
  /** Scratch per unit, valid where the stamp is the current one. */
  private readonly stamp: Int32Array;
  private readonly value: Int32Array;
  private epoch = 0;

  constructor(
    private readonly cfg: Cfg,
    private readonly flat: Flat,
  ) {
    this.leaves = new Array<Pending | null>(cfg.count).fill(null);
    this.soon = new Array<Pending | null>(cfg.count).fill(null);
    this.stamp = new Int32Array(flat.units.count).fill(-1);
    this.value = new Int32Array(flat.units.count);
  }

  /** No block is scheduled. */
  begin(): void {
    this.leaves.fill(null);
  }

  private get(unit: number): number {
    return this.stamp[unit] === this.epoch ? (this.value[unit] as number) : -1;
  }

  private set(unit: number, value: number): void {
    this.stamp[unit] = this.epoch;
    this.value[unit] = value;
  }

  /** Cycles until what the block needs from outside is there, per instruction; null when nothing is in flight. */
  entry(b: number): Int32Array | null {
    const { cfg, flat } = this;
    this.epoch++;
    let any = false;
    for (let e = cfg.predStart[b] as number; e < (cfg.predStart[b + 1] as number); e++) {
      const left = this.leaves[cfg.pred[e] as number];
      if (!left) continue;
      for (let k = 0; k < left.units.length; k++) {
        const unit = left.units[k] as number;
        const cycles = left.cycles[k] as number;
        if (cycles > this.get(unit)) this.set(unit, cycles);
        any = true;
      }
    }
    if (!any) return null;
    const from = flat.first[b] as number;
    const to = flat.first[b + 1] as number;
    const entry = new Int32Array(to - from);
    for (let i = from; i < to; i++) {
      let most = 0;
      for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++) {
        most = Math.max(most, this.greatest(flat.useUnit[u] as number, flat.useWidth[u] as number));
      }
      for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
        const unit = flat.defUnit[d] as number;
        const width = flat.defWidth[d] as number;
        most = Math.max(most, this.greatest(unit, width));
        for (let k = unit; k < unit + width; k++) this.set(k, 0);
      }
      entry[i - from] = most;
    }
    return entry;
  }

  private greatest(unit: number, width: number): number {
    let most = 0;
    for (let k = unit; k < unit + width; k++) most = Math.max(most, this.get(k));
    return most;
  }

  /** Cycles that results of the block are still waited for after it, per instruction. */
  exit(b: number, occupancy: readonly Occupancy[]): Int32Array {
    const { cfg, flat } = this;
    this.epoch++;
    for (let e = cfg.succStart[b] as number; e < (cfg.succStart[b + 1] as number); e++) {
      const reads = this.readsSoon(cfg.succ[e] as number);
      for (let k = 0; k < reads.units.length; k++) {
        const unit = reads.units[k] as number;
        const at = reads.cycles[k] as number;
        const known = this.get(unit);
        if (known < 0 || at < known) this.set(unit, at);
      }
    }
    const from = flat.first[b] as number;
    const to = flat.first[b + 1] as number;
    const exit = new Int32Array(to - from);
    for (let i = to - 1; i >= from; i--) {
      const { latency } = occupancy[i - from] as Occupancy;
      for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
        const unit = flat.defUnit[d] as number;
        for (let k = unit; k < unit + (flat.defWidth[d] as number); k++) {
          const at = this.get(k);
          if (at >= 0) exit[i - from] = Math.max(exit[i - from] as number, latency - at);
          if (flat.defKills[d] === 1) this.set(k, -1);
        }
      }
    }
    return exit;
  }

  private readsSoon(b: number): Pending {
    const known = this.soon[b];
    if (known) return known;
    const { flat } = this;
    const found: Pending = { units: [], cycles: [] };
    const from = flat.first[b] as number;
    const to = Math.min(flat.first[b + 1] as number, from + SOON);
    const over = new Set<number>();
    for (let i = from; i < to; i++) {
      for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++) {
        const unit = flat.useUnit[u] as number;
        for (let k = unit; k < unit + (flat.useWidth[u] as number); k++) {
          if (over.has(k)) continue;
          over.add(k);
          found.units.push(k);
          found.cycles.push(i - from);
        }
      }
      for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
        const unit = flat.defUnit[d] as number;
        for (let k = unit; k < unit + (flat.defWidth[d] as number); k++) over.add(k);
      }
    }
    this.soon[b] = found;
    return found;
  }

  /** Notes what a scheduled block leaves in flight, what only passes through it included. */
  leave(
    b: number,
    dag: Dag,
    occupancy: readonly Occupancy[],
    time: Timeline,
    liveOut: (unit: number) => boolean,
  ): void {
    const { cfg, flat } = this;
    this.epoch++;
    for (let e = cfg.predStart[b] as number; e < (cfg.predStart[b + 1] as number); e++) {
      const left = this.leaves[cfg.pred[e] as number];
      if (!left) continue;
      for (let k = 0; k < left.units.length; k++) {
        const rest = (left.cycles[k] as number) - time.cycles;
        if (rest > this.get(left.units[k] as number)) this.set(left.units[k] as number, rest);
      }
    }
    const touched = new Set<number>();
    const from = dag.first;
    for (let i = 0; i < dag.insts.length; i++) {
      const ready = (time.issue[i] as number) + (occupancy[i] as Occupancy).latency - time.cycles;
      for (let d = flat.defStart[from + i] as number; d < (flat.defStart[from + i + 1] as number); d++) {
        const unit = flat.defUnit[d] as number;
        for (let k = unit; k < unit + (flat.defWidth[d] as number); k++) {
          this.set(k, ready);
          touched.add(k);
        }
      }
    }
    const left: Pending = { units: [], cycles: [] };
    const keep = (unit: number): void => {
      const cycles = this.get(unit);
      if (cycles <= 0 || !liveOut(unit)) return;
      left.units.push(unit);
      left.cycles.push(cycles);
      this.set(unit, 0);
    };
    for (const unit of touched) keep(unit);
    for (let e = cfg.predStart[b] as number; e < (cfg.predStart[b + 1] as number); e++) {
      for (const unit of this.leaves[cfg.pred[e] as number]?.units ?? []) keep(unit);
    }
    this.leaves[b] = left;
  }
}
