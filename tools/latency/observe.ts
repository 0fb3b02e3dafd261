/**
 * Reads dependences and their issue distances off machine code: for every register that one instruction hands to a later
 * one, how many cycles the control words put between them. ptxas never issues too early, so each distance is an upper
 * bound of what the machine asks for, and the least of many is what ptxas's own table says.
 *
 * A lower bound comes from stalls. Where the issue itself explains a stall (a port that is taken, the least stall of the
 * instruction in front, the end of a block, a scoreboard), nothing is said; of all others the dependences are the reason.
 */

import { KEPT } from "../../lib/isa/latency.js";
import { Kind } from "../../lib/isa/operand.js";
import { File } from "../../lib/isa/types.js";
import { decodeCode } from "../../lib/sass/decode.js";
import type { Target } from "../../lib/target/types.js";
import type { Code, Observations } from "./observations.js";
import { exclusive, fallsThrough, fileName, type Step, stepOf } from "./step.js";

export type DependenceKind = "raw" | "waw" | "war";
/** Longest distance worth keeping: beyond every fixed latency. */
const WINDOW = 48;
/** A stall is explained by the last so many instructions, or by so few cycles. */
const NEAR = 4;
const FAR = 16;
/** Most that one control word holds; before no NOP it may stand for more. */
const LONGEST_STALL = 15;
/** Positions after a taken branch, apart from those before it. */
const TAKEN = 1 << 24;

interface Use {
  readonly at: number;
  readonly port: string;
  readonly time: number;
}
/** Adds what one function shows. */
export function observe(
  words: Uint32Array,
  target: Target,
  into: Observations,
  { name, asked }: Omit<Code, "insts"> = { name: "", asked: null },
): void {
  const insts = decodeCode(words, target);
  const steps = insts.map((inst) => (inst === null ? null : stepOf(inst, target)));
  const entered = new Uint8Array(steps.length);
  for (const s of steps)
    for (const o of s?.inst.srcs ?? [])
      if (o.kind === Kind.Label && o.value >> 4 < steps.length) entered[o.value >> 4] = 1;
  into.functions++;
  const state = new State(into, { insts, name, asked });
  const branches: { at: number; to: number; snapshot: State }[] = [];
  for (let i = 0; i < steps.length; i++) {
    const s = steps[i];
    if (!s) {
      state.clear();
      continue;
    }
    into.instructions++;
    state.step(i, s, false, entered[i] === 1);
    noteOp(into, steps, i);
    const { flow } = s.inst.form;
    if (flow === "branch" && s.inst.control!.stall > 0) {
      const label = s.inst.srcs.find((o) => o.kind === Kind.Label);
      if (label && label.value !== 16 * i) branches.push({ at: i, to: label.value >> 4, snapshot: state.copy() });
    }
    if (!fallsThrough(s.inst)) state.clear();
  }
  for (const b of branches) {
    const path = b.snapshot;
    const from = path.time;
    for (let i = b.to; i < steps.length && path.time - from < WINDOW; i++) {
      const s = steps[i];
      if (!s) break;
      path.step(TAKEN + i, s, true, false);
      if (s.inst.form.flow !== "next" && s.inst.form.flow !== "region") break;
    }
  }
}

class State {
  time = 0;
  /** ptxas takes the last write for the one that counts, under whatever guard it stands. */
  private readonly writers = new Map<number, Use & { step: Step }>();
  private readonly readers = new Map<number, (Use & { step: Step })[]>();
  private lastWait = -1;
  private readonly recent: { at: number; step: Step; time: number }[] = [];
  /** When each issue port takes the next instruction. */
  private readonly free = new Map<string, number>();

  constructor(
    private readonly into: Observations,
    private readonly code: Code,
  ) {}

  clear(): void {
    this.writers.clear();
    this.readers.clear();
    this.recent.length = 0;
  }

  copy(): State {
    const s = new State(this.into, this.code);
    s.time = this.time;
    s.lastWait = this.lastWait;
    for (const [k, v] of this.writers) if (this.time - v.time < WINDOW) s.writers.set(k, v);
    for (const [k, v] of this.readers)
      s.readers.set(
        k,
        v.filter((u) => this.time - u.time < WINDOW),
      );
    return s;
  }

  /** `entered`: a branch leads to the instruction. */
  step(at: number, s: Step, branched: boolean, entered: boolean): void {
    if (s.waits) this.lastWait = at;
    const edges: { key: string; from: number; distance: number }[] = [];
    for (const r of s.reads) {
      const w = this.writers.get(r.file * 1024 + r.reg);
      if (w && !w.step.set && !exclusive(w.step, s)) this.edge(edges, "raw", r.file, w, r.port);
    }
    for (const d of s.writes) {
      const key = d.file * 1024 + d.reg;
      // A write that waits like a reader says nothing about writes.
      const w = this.writers.get(key);
      if (w && !w.step.set && !exclusive(w.step, s))
        if (s.keeps && (d.file === File.R || d.file === File.P))
          this.edge(edges, "raw", d.file, w, `${s.name}:${KEPT}`);
        else this.edge(edges, "waw", d.file, w, d.port);
      for (const r of this.readers.get(key) ?? [])
        if (r.at !== at && r.step.inst.control!.readSb === 7 && !exclusive(r.step, s))
          this.edge(edges, "war", d.file, r, d.port);
    }
    const limit = branched ? TAKEN : -1;
    for (const e of edges) {
      const seen = this.into.pair(e.key);
      if (e.from < limit) {
        seen.branches++;
        if (!this.waited(e.from)) seen.minBranch = Math.min(seen.minBranch, e.distance);
      } else if (branched) continue;
      else if (this.waited(e.from)) {
        seen.waits++;
        seen.minWait = Math.min(seen.minWait, e.distance);
      } else {
        seen.n++;
        if (e.distance < seen.min) {
          seen.min = e.distance;
          seen.place = { code: this.code, from: e.from, to: at, distance: e.distance };
        }
      }
    }
    if (!branched && !entered && edges.length > 0) this.stalled(at, s, edges);
    if (!branched && this.recent.length > 0) {
      const last = this.recent[this.recent.length - 1]!;
      const key = `${last.step.name} ${s.name}`;
      const d = this.into.issue.get(key);
      if (!d) this.into.issue.set(key, { n: 1, min: this.time - last.time });
      else {
        d.n++;
        d.min = Math.min(d.min, this.time - last.time);
      }
    }
    this.apply(at, s);
  }

  private edge(
    edges: { key: string; from: number; distance: number }[],
    kind: DependenceKind,
    file: number,
    from: Use,
    port: string,
  ): void {
    const distance = this.time - from.time;
    if (distance > WINDOW) return;
    edges.push({ key: `${kind} ${fileName[file]} ${from.port} ${port}`, from: from.at, distance });
  }

  private waited(since: number): boolean {
    return this.lastWait > since;
  }

  /** Notes a stall before the instruction that only its dependences can be the reason of. */
  private stalled(at: number, s: Step, edges: readonly { key: string; from: number; distance: number }[]): void {
    const last = this.recent[this.recent.length - 1];
    if (last?.step.inst.form.flow !== "next" || s.waits) return;
    const gap = this.time - last.time;
    if (gap <= Math.max(1, last.step.least) || this.time <= (this.free.get(s.issue) ?? 0)) return;
    if (gap >= LONGEST_STALL && last.step.name !== "NOP") return;
    // Far ones may have a reason that is not seen here.
    const near = this.recent[Math.max(0, this.recent.length - NEAR)]!.at;
    if (edges.some((e) => e.from < near && e.distance > FAR)) return;
    const keys = edges.map((e) => `${e.key}@${e.distance}${this.waited(e.from) ? "~" : ""}`);
    const before = this.recent.slice(-2).map((r) => r.step.inst.form.op);
    const text = `${[...new Set(keys)].sort().join("|")}#${before.join(" ")}`;
    const from = Math.min(...edges.map((e) => e.from));
    if (!this.into.stalls.has(text)) this.into.stalls.set(text, { code: this.code, from, to: at, distance: gap });
  }

  private apply(at: number, s: Step): void {
    for (const r of s.reads) {
      const key = r.file * 1024 + r.reg;
      const use = { at, port: r.port, time: this.time, step: s };
      const list = this.readers.get(key);
      if (list) list.push(use);
      else this.readers.set(key, [use]);
    }
    for (const d of s.writes) {
      const key = d.file * 1024 + d.reg;
      this.writers.set(key, { at, port: d.port, time: this.time, step: s });
      if (s.inst.guard === null) this.readers.set(key, []);
    }
    this.recent.push({ at, step: s, time: this.time });
    this.take(s.issue, s.interval);
    for (const h of s.holds) this.take(h.port, h.cycles);
    if (this.recent.length > 12) this.recent.shift();
    this.time += Math.max(1, s.stall);
  }

  private take(port: string, cycles: number): void {
    this.free.set(port, Math.max(this.free.get(port) ?? 0, this.time + cycles));
  }
}

function noteOp(into: Observations, steps: readonly (Step | null)[], i: number): void {
  const s = steps[i]!;
  const c = s.inst.control!;
  if (c.stall === 0) return;
  let o = into.ops.get(s.name);
  if (!o) {
    o = { n: 0, write: 0, read: 0, minStall: 99, setToWait: 99, sets: 0 };
    into.ops.set(s.name, o);
  }
  o.n++;
  if (c.writeSb !== 7) o.write++;
  if (c.readSb !== 7) o.read++;
  o.minStall = Math.min(o.minStall, c.stall);
  if (c.writeSb === 7 && c.readSb === 7) return;
  o.sets++;
  const mask = (c.writeSb !== 7 ? 1 << c.writeSb : 0) | (c.readSb !== 7 ? 1 << c.readSb : 0);
  let t = c.stall;
  for (let k = i + 1; k < steps.length && t < 24; k++) {
    const next = steps[k];
    if (!next) break;
    if (next.inst.control!.wait & mask) {
      o.setToWait = Math.min(o.setToWait, t);
      break;
    }
    t += next.inst.control!.stall;
    if (!fallsThrough(next.inst)) break;
  }
}
