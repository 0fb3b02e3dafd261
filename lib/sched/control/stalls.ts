/**
 * Stalls: how long the next instruction of the warp stays after.
 *
 * Every instruction gets an issue time as early as everything before it allows: registers of instructions of fixed latency,
 * the port it shares with earlier ones, scoreboards it waits for, and the least stall of the instruction before it.
 *
 * Across blocks there are two ways, as ptxas has them (measured: tools/control-fidelity.ts). From sm_90 on a block ends only
 * when all its results of fixed latency are there for any reader that may come (`drainDistance`), so nothing has to be
 * known of other blocks. Before, its end waits for what the blocks after it need (`carry.ts`).
 *
 * A stall holds fifteen cycles. NOPs before an instruction share what is missing, the first ones fully; where there
 * are none the rest is reported as missing, and `assignControl` puts NOPs in.
 */

import { IMPLICIT } from "../../analysis/index.js";
import { handoverDistance } from "../../analysis/products.js";
import { drainDistance, rawDistance, warDistance, wawDistance } from "../../isa/latency.js";
import type { Inst } from "../../ori/types.js";
import type { Target } from "../../target/types.js";
import { Carry, gathers, segments } from "./carry.js";
import { PORTS, Ports, setToWaitOf } from "./ports.js";
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

/** A place where stalls alone do not reach: so many cycles are missing after the instruction. */
export interface Missing {
  readonly inst: number;
  readonly cycles: number;
}

/** Readers of a register that are remembered: an earlier one may hold a writer up longer than the last. */
const READERS = 4;
/** Longer than any fixed latency, cycles. */
const LONGEST_LATENCY = 64;

/** Fills `p.stalls`. */
export function computeStalls(p: Prepared, sb: Scoreboards, onReason: ((r: StallReason) => void) | null): Missing[] {
  const missing: Missing[] = [];
  new Timer(p, sb).all(missing, onReason);
  return missing;
}

class Timer {
  private readonly time: Int32Array;
  private readonly defInst: Int32Array;
  private readonly defSlot: Int16Array;
  private readonly useInst: Int32Array;
  private readonly useSlot: Int16Array;
  private readonly setInst = new Int32Array(8);
  private readonly ports: Ports;
  /** Per port: when it is free again, and who holds it. */
  private readonly freeAt = new Int32Array(PORTS);
  private readonly holder = new Int32Array(PORTS);
  private readonly since = new Int32Array(PORTS);
  private readonly carries: boolean;
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
    this.useInst = new Int32Array(units * READERS).fill(-1);
    this.useSlot = new Int16Array(units * READERS);
    this.ports = new Ports(p.func.target);
    this.carries = !p.func.target.has("blocksEndDone");
  }

  all(missing: Missing[], onReason: ((r: StallReason) => void) | null): void {
    const { p } = this;
    const parts = this.carries ? segments(p) : null;
    if (parts === null) {
      for (let b = 0; b < p.cfg.count; b++) this.part(p.flat.first[b]!, p.flat.first[b + 1]!, false, missing, onReason);
      return;
    }
    for (const { first, end, freesPorts } of parts) this.part(first, end, freesPorts, missing, onReason);
    const carry = new Carry(p, parts, this.time, this.ports);
    for (const [k, part] of parts.entries()) {
      const need = part.end > part.first ? carry.need(k) : null;
      if (need === null) continue;
      this.first = part.first;
      this.lengthen(part.end - 1, p.stalls[part.end - 1]! + need.more, missing);
      onReason?.({ inst: part.end - 1, cause: "carry", ...need, slot: 0 });
    }
  }

  private part(
    first: number,
    end: number,
    free: boolean,
    missing: Missing[],
    onReason: ((r: StallReason) => void) | null,
  ): void {
    const { p, time } = this;
    this.first = first;
    this.setInst.fill(-1);
    this.freeAt.fill(0);
    this.holder.fill(-1);
    for (let i = this.first; i < end; i++) {
      this.at = 0;
      if (i > this.first) {
        const least = p.timing[i - 1]!.minStall;
        this.ask(time[i - 1]! + least, "least", i - 1, least, 0);
      }
      this.askRegisters(i);
      this.askPort(i);
      this.askScoreboards(i);
      if (!this.carries && entersCallee(p, i)) this.askDrain(i - 1, "call");
      if (this.carries && gathers(p, i)) this.askDrain(i - 1, "call", 0, p.timing[i]!.minStall);
      if (i > this.first) this.settle(i, missing, onReason);
      time[i] = this.at;
      this.record(i);
    }
    if (end > this.first) this.finish(end - 1, free, missing, onReason);
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
        const from = this.defSlot[u]!;
        const k =
          from === IMPLICIT || slot === IMPLICIT
            ? implied(flat.insts[q]!, from, inst, slot, false, target)
            : rawDistance(flat.insts[q]!, from, inst, slot, target);
        this.ask(time[q]! + k, "raw", q, k, slot);
      }
    }
    for (let d = flat.defStart[i]!; d < flat.defStart[i + 1]!; d++) {
      const slot = flat.defSlot[d]!;
      const end = flat.defUnit[d]! + flat.defWidth[d]!;
      for (let u = flat.defUnit[d]!; u < end; u++) {
        const q = this.defInst[u]!;
        if (q >= first) {
          const from = this.defSlot[u]!;
          const k =
            from === IMPLICIT || slot === IMPLICIT
              ? implied(flat.insts[q]!, from, inst, slot, true, target)
              : wawDistance(flat.insts[q]!, from, inst, slot, target);
          this.ask(time[q]! + k, "waw", q, k, slot);
        }
        for (let n = u * READERS; n < (u + 1) * READERS; n++) {
          const r = this.useInst[n]!;
          if (r < first) continue;
          const by = this.useSlot[n]!;
          const handed = flat.insts[r]!.form.op === "WARPGROUP" || inst.form.op === "WARPGROUP";
          const k = handed ? 1 : warDistance(flat.insts[r]!, by, inst, slot, target);
          this.ask(time[r]! + k, "war", r, k, slot);
        }
      }
    }
  }

  private askPort(i: number): void {
    const { ports, freeAt, holder } = this;
    const port = ports.of(this.p.flat.insts[i]!);
    const before = holder[port]!;
    if (before >= 0) this.ask(freeAt[port]!, "pipe", before, freeAt[port]! - this.since[port]!, 0);
  }

  /** Instruction `i`, issued at `at`, takes its ports. */
  private hold(i: number, at: number): void {
    const inst = this.p.flat.insts[i]!;
    const t = this.p.timing[i]!;
    this.occupy(i, at, this.ports.of(inst), this.ports.interval(inst, t));
    for (const [port, cycles] of this.ports.others(inst.form)) this.occupy(i, at, port, cycles);
  }

  private occupy(i: number, at: number, port: number, cycles: number): void {
    const until = at + cycles;
    if (this.holder[port]! >= 0 && this.freeAt[port]! > until) return;
    this.freeAt[port] = until;
    this.since[port] = at;
    this.holder[port] = i;
  }

  private askScoreboards(i: number): void {
    const wait = this.sb.wait[i]!;
    if (wait === 0) return;
    for (let k = 0; k < SCOREBOARDS; k++) {
      const s = this.setInst[k]!;
      if (((wait >> k) & 1) === 0 || s < this.first) continue;
      const d = setToWaitOf(this.p, s, i, this.sb.write[s] === k);
      this.ask(this.time[s]! + d, "scoreboard", s, d, k);
    }
  }

  /** Asks for the end of everything in flight up to instruction `last` that takes more than `above` cycles. */
  private askDrain(last: number, cause: StallCause, above = 0, less = 0): void {
    const { p, time } = this;
    const { flat } = p;
    for (let i = last; i >= this.first && time[last]! - time[i]! < LONGEST_LATENCY; i--)
      for (let d = flat.defStart[i]!; d < flat.defStart[i + 1]!; d++) {
        const slot = flat.defSlot[d]!;
        const inst = flat.insts[i]!;
        const handed = slot === IMPLICIT && inst.form.op === "WARPGROUP";
        const k = handed ? p.timing[i]!.minStall : drainDistance(inst, slot, p.func.target);
        if (k > above) this.ask(time[i]! + k - less, cause, i, k - less, slot);
      }
  }

  /** Writes the stall before instruction `i`. */
  private settle(i: number, missing: Missing[], onReason: ((r: StallReason) => void) | null): void {
    const { p, time } = this;
    let stall = this.at - time[i - 1]!;
    if (stall > LONGEST_STALL) stall = this.spread(i, missing);
    p.stalls[i - 1] = drainsPipes(p, i - 1) ? 0 : stall;
    onReason?.(this.reason(i - 1, i));
  }

  /** NOPs before `i` take what one stall does not hold; what is left the caller's NOP must take. */
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

  /** The block ends: when may the next one begin? */
  private finish(last: number, free: boolean, missing: Missing[], onReason: ((r: StallReason) => void) | null): void {
    const { p, time } = this;
    this.at = 0;
    const least = p.timing[last]!.minStall;
    this.ask(time[last]! + least, "least", last, least, 0);
    if (!exits(p, last)) {
      this.askSets(last);
      // What is in flight longer than a stall can hold is not carried.
      const carries = this.carries && p.flat.insts[last]!.form.flow !== "return";
      this.askPorts(free);
      this.askDrain(last, "drain", carries ? LONGEST_STALL : 0);
    }
    this.lengthen(last, this.at - time[last]!, missing);
    onReason?.(this.reason(last, -1));
  }

  /** The stall at the end of a block; NOPs in front take what it does not hold. */
  private lengthen(last: number, cycles: number, missing: Missing[]): void {
    const { p, time } = this;
    let stall = cycles;
    for (let k = last - 1; stall > LONGEST_STALL && k >= this.first && p.flat.insts[k]!.form.op === "NOP"; k--) {
      const more = Math.min(stall, 2 * LONGEST_STALL - p.stalls[k]!) - LONGEST_STALL;
      p.stalls[k] = p.stalls[k]! + more;
      for (let i = k + 1; i <= last; i++) time[i] = time[i]! + more;
      stall -= more;
    }
    if (stall > LONGEST_STALL) missing.push({ inst: last, cycles: stall - LONGEST_STALL });
    p.stalls[last] = Math.min(LONGEST_STALL, stall);
  }

  /** Asks for all ports, or for those that something else than their own instructions holds on SMs that do not carry. */
  private askPorts(all: boolean): void {
    for (let port = 0; port < PORTS; port++) {
      const by = this.holder[port]!;
      if (by < 0 || !(all || (!this.carries && this.ports.of(this.p.flat.insts[by]!) !== port))) continue;
      this.ask(this.freeAt[port]!, "pipe", by, this.freeAt[port]! - this.since[port]!, 0);
    }
  }

  /** A scoreboard set by the last instructions is not waited for at once. */
  private askSets(last: number): void {
    for (let k = 0; k < SCOREBOARDS; k++) {
      const s = this.setInst[k]!;
      if (s < this.first) continue;
      const d = setToWaitOf(this.p, s, null, false);
      if (this.time[last]! - this.time[s]! < d) this.ask(this.time[s]! + d, "scoreboard", s, d, k);
    }
  }

  private reason(inst: number, consumer: number): StallReason {
    const { cause, producer, distance, slot } = this;
    return { inst, cause, producer, consumer, distance, slot };
  }

  private record(i: number): void {
    const { flat } = this.p;
    const { write, read } = this.sb;
    this.hold(i, this.time[i]!);
    if (write[i] !== NONE) this.setInst[write[i]!] = i;
    if (read[i] !== NONE) this.setInst[read[i]!] = i;
    for (let d = flat.useStart[i]!; d < flat.useStart[i + 1]!; d++)
      for (let u = flat.useUnit[d]!; u < flat.useUnit[d]! + flat.useWidth[d]!; u++) {
        const n = u * READERS;
        this.useInst.copyWithin(n + 1, n, n + READERS - 1);
        this.useSlot.copyWithin(n + 1, n, n + READERS - 1);
        this.useInst[n] = i;
        this.useSlot[n] = flat.useSlot[d]!;
      }
    for (let d = flat.defStart[i]!; d < flat.defStart[i + 1]!; d++)
      for (let u = flat.defUnit[d]!; u < flat.defUnit[d]! + flat.defWidth[d]!; u++) {
        this.defInst[u] = i;
        this.defSlot[u] = flat.defSlot[d]!;
      }
  }
}

/** Distance where one of the two names no register: moves of predicates by a mask, registers of warp-group products. */
function implied(first: Inst, dst: number, second: Inst, slot: number, writes: boolean, target: Target): number {
  if (first.form.op === "WARPGROUP" || second.form.op === "WARPGROUP")
    return handoverDistance(first, dst, second, writes, target);
  return writes ? wawDistance(first, dst, second, slot, target) : rawDistance(first, dst, second, slot, target);
}

/**
 * ptxas has errors of memory told before anything else issues: after ERRBAR it stalls 0 cycles with yielding, which waits
 * until all pipelines are empty (13.0.88, -O3, all SMs).
 */
function drainsPipes(p: Prepared, i: number): boolean {
  return p.flat.insts[i]!.form.op === "ERRBAR";
}

/** A call, or a warp-wide gathering that goes on elsewhere. */
function entersCallee(p: Prepared, i: number): boolean {
  const { form } = p.flat.insts[i]!;
  return form.flow === "call" || (form.op === "WARPSYNC" && form.mods.includes("COLLECTIVE"));
}

/** Nothing runs after it. */
function exits(p: Prepared, i: number): boolean {
  const { form, guard } = p.flat.insts[i]!;
  return form.flow === "exit" && guard === null;
}
