/**
 * Stalls: how long the next instruction of the warp stays behind.
 *
 * Every instruction gets an issue time, counted from the start of its block, as early as everything before it allows:
 * registers of instructions of fixed latency, the pipe it shares with earlier ones, scoreboards it waits for, and the
 * least stall of the instruction in front of it. In front of a call, and when a block ends, all results of fixed latency
 * must be there for any reader that may come (`drainDistance`), so nothing has to be known of other blocks; ptxas does
 * the same (measured: tools/control-fidelity.ts).
 *
 * A stall holds fifteen cycles. NOPs in front of an instruction share what is missing, the first ones fully; where there
 * are none the rest is reported as missing, and `assignControl` puts NOPs in.
 */
import { drainDistance, GUARD, rawDistance, setToWait, warDistance, wawDistance } from "../../sass/isa/latency.js";
import type { Prepared } from "./prepare.js";
import { LONGEST_STALL, NONE, SCOREBOARDS, type Scoreboards, type StallCause } from "./types.js";

/** Who asked for the stall between two instructions. */
export interface StallReason {
  /** Carries the stall. */
  readonly inst: number;
  readonly cause: StallCause;
  readonly producer: number;
  /** −1: whatever follows. */
  readonly consumer: number;
  readonly distance: number;
  readonly slot: number;
}

/** A place where stalls alone do not reach: so many cycles are missing behind the instruction. */
export interface Missing {
  readonly inst: number;
  readonly cycles: number;
}

/** Longer than any fixed latency, cycles. */
const LONGEST_LATENCY = 64;

/** Fills `p.stalls`. */
export function computeStalls(p: Prepared, sb: Scoreboards, onReason: ((r: StallReason) => void) | null): Missing[] {
  const timer = new Timer(p, sb);
  const missing: Missing[] = [];
  for (let b = 0; b < p.cfg.count; b++) timer.block(b, missing, onReason);
  return missing;
}

class Timer {
  private readonly time: Int32Array;
  private readonly defInst: Int32Array;
  private readonly defSlot: Int16Array;
  private readonly useInst: Int32Array;
  private readonly useSlot: Int16Array;
  private readonly setInst = new Int32Array(8);
  private readonly pipes = new Map<string, number>();
  private first = 0;
  // What asks most of the instruction at hand.
  private at = 0;
  private cause: StallCause = "least";
  private producer = 0;
  private distance = 0;
  private slot = 0;

  constructor(
    private readonly p: Prepared,
    private readonly sb: Scoreboards,
  ) {
    const units = p.flat.units.count;
    this.time = new Int32Array(p.flat.insts.length);
    this.defInst = new Int32Array(units).fill(-1);
    this.defSlot = new Int16Array(units);
    this.useInst = new Int32Array(units).fill(-1);
    this.useSlot = new Int16Array(units);
  }

  block(b: number, missing: Missing[], onReason: ((r: StallReason) => void) | null): void {
    const { p, time } = this;
    this.first = p.flat.first[b]!;
    const end = p.flat.first[b + 1]!;
    this.setInst.fill(-1);
    this.pipes.clear();
    for (let i = this.first; i < end; i++) {
      this.at = 0;
      if (i > this.first) {
        const least = p.timing[i - 1]!.minStall;
        this.ask(time[i - 1]! + least, "least", i - 1, least, 0);
      }
      this.askRegisters(i);
      this.askPipe(i);
      this.askScoreboards(i);
      if (entersCallee(p, i)) this.askDrain(i - 1, "call");
      if (i > this.first) this.settle(i, missing, onReason);
      time[i] = this.at;
      this.record(i);
    }
    if (end > this.first) this.finish(end - 1, missing, onReason);
  }

  private ask(at: number, cause: StallCause, producer: number, distance: number, slot: number): void {
    if (at <= this.at) return;
    this.at = at;
    this.cause = cause;
    this.producer = producer;
    this.distance = distance;
    this.slot = slot;
  }

  private askRegisters(i: number): void {
    const { p, time, first } = this;
    const { flat } = p;
    const { target } = p.func;
    const inst = flat.insts[i]!;
    for (let d = flat.useStart[i]!; d < flat.useStart[i + 1]!; d++) {
      const slot = flat.useSlot[d]!;
      const end = flat.useUnit[d]! + flat.useWidth[d]!;
      for (let u = flat.useUnit[d]!; u < end; u++) {
        const q = this.defInst[u]!;
        if (q < first) continue;
        const k = rawDistance(flat.insts[q]!, this.defSlot[u]!, inst, slot === -1 ? GUARD : slot, target);
        this.ask(time[q]! + k, "raw", q, k, slot);
      }
    }
    for (let d = flat.defStart[i]!; d < flat.defStart[i + 1]!; d++) {
      const slot = flat.defSlot[d]!;
      const end = flat.defUnit[d]! + flat.defWidth[d]!;
      for (let u = flat.defUnit[d]!; u < end; u++) {
        const q = this.defInst[u]!;
        if (q >= first) {
          const k = wawDistance(flat.insts[q]!, this.defSlot[u]!, inst, slot, target);
          this.ask(time[q]! + k, "waw", q, k, slot);
        }
        const r = this.useInst[u]!;
        if (r < first) continue;
        const k = warDistance(flat.insts[r]!, this.useSlot[u]!, inst, slot, target);
        this.ask(time[r]! + k, "war", r, k, slot);
      }
    }
  }

  private askPipe(i: number): void {
    const { pipe } = this.p.timing[i]!;
    const before = this.pipes.get(pipe);
    this.pipes.set(pipe, i);
    if (before === undefined) return;
    const k = this.p.timing[before]!.interval;
    this.ask(this.time[before]! + k, "pipe", before, k, 0);
  }

  private askScoreboards(i: number): void {
    const wait = this.sb.wait[i]!;
    if (wait === 0) return;
    for (let k = 0; k < SCOREBOARDS; k++) {
      const s = this.setInst[k]!;
      if (((wait >> k) & 1) === 0 || s < this.first) continue;
      const d = setToWait(this.p.flat.insts[s]!, this.p.func.target);
      this.ask(this.time[s]! + d, "scoreboard", s, d, k);
    }
  }

  /** Asks for the end of everything under way up to instruction `last`. */
  private askDrain(last: number, cause: StallCause): void {
    const { p, time } = this;
    const { flat } = p;
    for (let i = last; i >= this.first && time[last]! - time[i]! < LONGEST_LATENCY; i--)
      for (let d = flat.defStart[i]!; d < flat.defStart[i + 1]!; d++) {
        const k = drainDistance(flat.insts[i]!, flat.defSlot[d]!, p.func.target);
        this.ask(time[i]! + k, cause, i, k, flat.defSlot[d]!);
      }
  }

  /** Writes the stall in front of instruction `i`. */
  private settle(i: number, missing: Missing[], onReason: ((r: StallReason) => void) | null): void {
    const { p, time } = this;
    let stall = this.at - time[i - 1]!;
    if (stall > LONGEST_STALL) stall = this.spread(i, missing);
    p.stalls[i - 1] = stall;
    onReason?.(this.reason(i - 1, i));
  }

  /** NOPs in front of `i` take what one stall does not hold; what is left the caller's NOP must take. */
  private spread(i: number, missing: Missing[]): number {
    const { p, time } = this;
    let from = i - 1;
    while (from > this.first && p.flat.insts[from]!.form.op === "NOP") from--;
    let t = time[from]!;
    for (let k = from; k < i - 1; k++) {
      // Every later one keeps at least its own cycle.
      const stall = Math.max(p.stalls[k]!, Math.min(LONGEST_STALL, this.at - t - (i - 1 - k)));
      p.stalls[k] = stall;
      t += stall;
      time[k + 1] = t;
    }
    const rest = this.at - t;
    if (rest <= LONGEST_STALL) return rest;
    missing.push({ inst: i - 1, cycles: rest - LONGEST_STALL });
    return LONGEST_STALL;
  }

  private finish(last: number, missing: Missing[], onReason: ((r: StallReason) => void) | null): void {
    const { p, time } = this;
    this.at = 0;
    const least = p.timing[last]!.minStall;
    this.ask(time[last]! + least, "least", last, least, 0);
    if (!leaves(p, last)) this.askDrain(last, "drain");
    const stall = this.at - time[last]!;
    if (stall > LONGEST_STALL) missing.push({ inst: last, cycles: stall - LONGEST_STALL });
    p.stalls[last] = Math.min(LONGEST_STALL, stall);
    onReason?.(this.reason(last, -1));
  }

  private reason(inst: number, consumer: number): StallReason {
    const { cause, producer, distance, slot } = this;
    return { inst, cause, producer, consumer, distance, slot };
  }

  private record(i: number): void {
    const { flat } = this.p;
    const { write, read } = this.sb;
    if (write[i] !== NONE) this.setInst[write[i]!] = i;
    if (read[i] !== NONE) this.setInst[read[i]!] = i;
    for (let d = flat.useStart[i]!; d < flat.useStart[i + 1]!; d++)
      for (let u = flat.useUnit[d]!; u < flat.useUnit[d]! + flat.useWidth[d]!; u++) {
        this.useInst[u] = i;
        this.useSlot[u] = flat.useSlot[d]!;
      }
    for (let d = flat.defStart[i]!; d < flat.defStart[i + 1]!; d++)
      for (let u = flat.defUnit[d]!; u < flat.defUnit[d]! + flat.defWidth[d]!; u++) {
        this.defInst[u] = i;
        this.defSlot[u] = flat.defSlot[d]!;
      }
  }
}

/** A call, or a warp-wide gathering that goes on elsewhere. */
function entersCallee(p: Prepared, i: number): boolean {
  const { form } = p.flat.insts[i]!;
  return form.flow === "call" || (form.op === "WARPSYNC" && form.mods.includes("COLLECTIVE"));
}

/** Nothing of this code runs behind it. */
function leaves(p: Prepared, i: number): boolean {
  const { form, guard } = p.flat.insts[i]!;
  return (form.flow === "exit" || form.flow === "return") && guard === null;
}
