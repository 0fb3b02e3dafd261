/**
 * Stalls across blocks, on the SMs where a block may end with results of fixed latency in flight.
 *
 * As ptxas does it (measured: tools/control-fidelity.ts): every block is timed by itself; then the stall at its end grows
 * until whatever it left in flight is there when a block after it needs it. Waits that long are short of CARRY cycles,
 * so the walk over the paths after a block is bounded.
 */
import { drainDistance, rawDistance, warDistance, wawDistance } from "../../isa/latency.js";
import type { Ports } from "./ports.js";
import type { Prepared } from "./prepare.js";

/** Longer than any fixed latency of the SMs that carry, cycles. */
const CARRY = 40;

/** A stretch of instructions that is timed by itself: a block, or the part of one after the prologue. */
export interface Segment {
  readonly first: number;
  readonly end: number;
  readonly succ: readonly number[];
  /** A loop comes after it, or the body after the prologue: all ports are free at its end. */
  readonly freesPorts: boolean;
}

/** What a segment's end must wait for, and on whose account. */
export interface CarryNeed {
  readonly more: number;
  readonly producer: number;
  readonly consumer: number;
  readonly distance: number;
}

/** Blocks, with the setting of the stack pointer at the start of a function apart: ptxas puts it in front afterwards. */
export function segments(p: Prepared): Segment[] {
  const { cfg, flat } = p;
  const split: boolean[] = [];
  const at: number[] = [];
  let n = 0;
  for (let b = 0; b < cfg.count; b++) {
    at.push(n);
    split.push(setsStack(p, flat.first[b]!, flat.first[b + 1]!));
    n += split[b] ? 2 : 1;
  }
  const out: Segment[] = [];
  for (let b = 0; b < cfg.count; b++) {
    const [first, end] = [flat.first[b]!, flat.first[b + 1]!];
    const succ: number[] = [];
    let freesPorts = false;
    for (let e = cfg.succStart[b]!; e < cfg.succStart[b + 1]!; e++) {
      const t = cfg.succ[e]!;
      succ.push(at[t]!);
      if (split[t]) freesPorts = true;
      for (let q = cfg.predStart[t]!; q < cfg.predStart[t + 1]!; q++) if (cfg.pred[q]! >= t) freesPorts = true;
    }
    if (split[b]) out.push({ first, end: first + 1, succ: [out.length + 1], freesPorts: true });
    out.push({ first: split[b] ? first + 1 : first, end, succ, freesPorts });
  }
  return out;
}

/** Unit of R1 on physical registers. */
const STACK_POINTER = 1;

function setsStack(p: Prepared, first: number, end: number): boolean {
  const { flat } = p;
  if (end - first < 2 || flat.defStart[first + 1]! - flat.defStart[first]! !== 1) return false;
  if (flat.useStart[first + 1]! > flat.useStart[first]!) return false;
  const d = flat.defStart[first]!;
  return flat.defUnit[d] === STACK_POINTER && flat.defWidth[d] === 1 && !p.write[first];
}

export class Carry {
  /** Units that a path has written, by how often. */
  private readonly written: Uint16Array;
  private readonly seen: Int32Array;
  private more = 0;
  private producer = 0;
  private consumer = 0;
  private distance = 0;

  /** `time`: issue time of every instruction relative to its segment. */
  constructor(
    private readonly p: Prepared,
    private readonly parts: readonly Segment[],
    private readonly time: Int32Array,
    private readonly ports: Ports,
  ) {
    this.written = new Uint16Array(p.flat.units.count);
    this.seen = new Int32Array(parts.length).fill(CARRY);
  }

  /** How much longer the end of a segment must stall for what comes after it. */
  need(at: number): CarryNeed | null {
    const { parts, p, time } = this;
    const part = parts[at]!;
    this.more = 0;
    const last = part.end - 1;
    const end = time[last]! + p.stalls[last]!;
    let from = part.end;
    while (from > part.first && end - time[from - 1]! < CARRY) from--;
    const entered: number[] = [];
    for (const t of part.succ) this.walk(t, 0, from, part.end, end, entered);
    for (const t of entered) this.seen[t] = CARRY;
    const { more, producer, consumer, distance } = this;
    return more > 0 ? { more, producer, consumer, distance } : null;
  }

  /** Walks a segment entered `elapsed` cycles after the end of the one that left `from` … `to` in flight. */
  private walk(at: number, elapsed: number, from: number, to: number, end: number, entered: number[]): void {
    // A path that comes later asks for less.
    if (this.seen[at]! <= elapsed) return;
    if (this.seen[at] === CARRY) entered.push(at);
    this.seen[at] = elapsed;
    const { p, parts, time } = this;
    const { flat } = p;
    const part = parts[at]!;
    let i = part.first;
    for (; i < part.end && elapsed + time[i]! < CARRY; i++) {
      const now = elapsed + time[i]! + end;
      for (let c = from; c < to; c++) {
        const late = now - time[c]!;
        if (late >= CARRY) continue;
        const k = this.between(c, i);
        if (k - late <= this.more) continue;
        this.more = k - late;
        this.producer = c;
        this.consumer = i;
        this.distance = k;
      }
      this.mark(i, 1);
    }
    if (i === part.end && i > part.first) {
      const through = elapsed + time[i - 1]! + p.stalls[i - 1]!;
      if (through < CARRY && flat.insts[i - 1]!.form.flow !== "return")
        for (const t of part.succ) this.walk(t, through, from, to, end, entered);
    } else if (part.end === part.first) for (const t of part.succ) this.walk(t, elapsed, from, to, end, entered);
    for (i--; i >= part.first; i--) this.mark(i, -1);
  }

  private mark(i: number, by: number): void {
    const { flat } = this.p;
    if (flat.insts[i]!.guard !== null) return;
    for (let d = flat.defStart[i]!; d < flat.defStart[i + 1]!; d++)
      for (let u = flat.defUnit[d]!; u < flat.defUnit[d]! + flat.defWidth[d]!; u++)
        this.written[u] = this.written[u]! + by;
  }

  /** Least distance that registers ask for between an instruction of another segment and instruction `i`. */
  private between(c: number, i: number): number {
    const { p, written } = this;
    const { flat } = p;
    const { target } = p.func;
    const [from, to] = [flat.insts[c]!, flat.insts[i]!];
    let most = this.portBetween(c, i);
    if (gathers(p, i)) most = Math.max(most, drainOf(p, c) - p.timing[i]!.minStall);
    else if (to.form.flow === "return") most = Math.max(most, drainOf(p, c) - p.stalls[i]!);
    for (let d = flat.defStart[c]!; d < flat.defStart[c + 1]!; d++) {
      const u = flat.defUnit[d]!;
      const end = u + flat.defWidth[d]!;
      const slot = flat.defSlot[d]!;
      for (let e = flat.useStart[i]!; e < flat.useStart[i + 1]!; e++) {
        const v = flat.useUnit[e]!;
        // Written again after it: the later write counts.
        if (v >= end || v + flat.useWidth[e]! <= u || written[Math.max(u, v)]! > 0) continue;
        const by = flat.useSlot[e]!;
        most = Math.max(most, rawDistance(from, slot, to, by, target));
      }
      for (let e = flat.defStart[i]!; e < flat.defStart[i + 1]!; e++) {
        const v = flat.defUnit[e]!;
        if (v >= end || v + flat.defWidth[e]! <= u) continue;
        const by = flat.defSlot[e]!;
        most = Math.max(most, wawDistance(from, slot, to, by, target));
      }
    }
    for (let d = flat.useStart[c]!; d < flat.useStart[c + 1]!; d++) {
      const u = flat.useUnit[d]!;
      const end = u + flat.useWidth[d]!;
      const slot = flat.useSlot[d]!;
      for (let e = flat.defStart[i]!; e < flat.defStart[i + 1]!; e++) {
        const v = flat.defUnit[e]!;
        if (v >= end || v + flat.defWidth[e]! <= u) continue;
        const by = flat.defSlot[e]!;
        most = Math.max(most, warDistance(from, slot, to, by, target));
      }
    }
    return most;
  }

  private portBetween(c: number, i: number): number {
    const { ports } = this;
    const { flat, timing } = this.p;
    const port = ports.of(flat.insts[i]!);
    const from = flat.insts[c]!;
    let most = ports.of(from) === port ? ports.interval(from, timing[c]!) : 0;
    for (const [other, cycles] of ports.others(from.form)) if (other === port) most = Math.max(most, cycles);
    return most;
  }
}

/** Cycles until all results of an instruction are there for anybody. */
function drainOf(p: Prepared, i: number): number {
  const { flat, func } = p;
  let most = 0;
  for (let d = flat.defStart[i]!; d < flat.defStart[i + 1]!; d++) {
    const slot = flat.defSlot[d]!;
    most = Math.max(most, drainDistance(flat.insts[i]!, slot, func.target));
  }
  return most;
}

/** Where SMs that carry have everything done by the end of the instruction: the warp gathers, or goes elsewhere. */
export function gathers(p: Prepared, i: number): boolean {
  const { form } = p.flat.insts[i]!;
  return form.flow === "call" || form.op === "BSYNC";
}
