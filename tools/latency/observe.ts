/**
 * Reads dependences and their issue distances off machine code: for every register that one instruction hands to a later
 * one, how many cycles the control words put between them. ptxas never issues too early, so each distance is an upper
 * bound of what the machine asks for, and the least of many is what ptxas's own table says.
 */
import { decodeCode } from "../../lib/sass/decode.js";
import { KEPT, timingOf } from "../../lib/sass/isa/latency.js";
import { Kind, type MachineInst, NO_INDEX, type Operand, ZERO_REG } from "../../lib/sass/isa/operand.js";
import { File } from "../../lib/sass/isa/types.js";
import { latencyTables } from "../../lib/target/latency/index.js";
import type { Target } from "../../lib/target/types.js";

export type DependenceKind = "raw" | "waw" | "war";
const fileName: Readonly<Record<number, string>> = { [File.R]: "R", [File.UR]: "UR", [File.P]: "P", [File.UP]: "UP" };
/** Longest distance worth keeping: beyond every fixed latency. */
const WINDOW = 48;
/** A stall is explained by the last so many instructions, or by so few cycles. */
const NEAR = 4;
/** Intervals of ports longer than the distances between neighbours. */
const LONG = 8;
/** What ptxas puts where it knows no distance. */
const LONGEST_STALL = 15;
const FAR = 16;
/** Positions behind a taken branch, apart from those before it. */
const TAKEN = 1 << 24;

/** What was seen of one pair of ports. */
export interface Seen {
  /** Straight line, nothing waited for in between. */
  n: number;
  min: number;
  /** With a wait on a scoreboard (or a barrier) in between. */
  waits: number;
  minWait: number;
  /** Over a taken branch. */
  branches: number;
  minBranch: number;
  /** Distances between neighbours where nothing else can be the reason. */
  tight: Record<number, number>;
}

/** How an opcode uses scoreboards, stalls, and what follows it. */
export interface OpSeen {
  n: number;
  write: number;
  read: number;
  minStall: number;
  /** Least cycles to the first wait on the scoreboard it set. */
  setToWait: number;
  sets: number;
}

/** As stored. */
export interface Kept {
  readonly instructions: number;
  readonly functions: number;
  readonly pairs: readonly (readonly [string, Seen])[];
  readonly ops: readonly (readonly [string, OpSeen])[];
  readonly issue: readonly (readonly [string, { n: number; min: number }])[];
  readonly stalls: readonly (readonly [string, number])[];
}

export class Observations {
  readonly pairs = new Map<string, Seen>();
  readonly ops = new Map<string, OpSeen>();
  /** `first second`: least distance from an instruction to the next one, with how often. */
  readonly issue = new Map<string, { n: number; min: number }>();
  /**
   * Stalls that several dependences may be the reason of, with how often: `key@distance` of each, joined by `|`. Which one it
   * is shows when the least distance of the others is known (`Cells.explain`).
   */
  readonly stalls = new Map<string, number>();
  instructions = 0;
  functions = 0;

  /** Adds what others saw. */
  merge(o: Kept): void {
    this.instructions += o.instructions;
    this.functions += o.functions;
    for (const [key, s] of o.pairs) {
      const p = this.pair(key);
      p.n += s.n;
      p.waits += s.waits;
      p.branches += s.branches;
      p.min = Math.min(p.min, s.min);
      p.minWait = Math.min(p.minWait, s.minWait);
      p.minBranch = Math.min(p.minBranch, s.minBranch);
      for (const [d, n] of Object.entries(s.tight)) p.tight[Number(d)] = (p.tight[Number(d)] ?? 0) + n;
    }
    for (const [key, s] of o.ops) {
      const p = this.ops.get(key);
      if (!p) this.ops.set(key, { ...s });
      else {
        p.n += s.n;
        p.write += s.write;
        p.read += s.read;
        p.sets += s.sets;
        p.minStall = Math.min(p.minStall, s.minStall);
        p.setToWait = Math.min(p.setToWait, s.setToWait);
      }
    }
    for (const [key, s] of o.issue) {
      const p = this.issue.get(key);
      if (!p) this.issue.set(key, { ...s });
      else {
        p.n += s.n;
        p.min = Math.min(p.min, s.min);
      }
    }
    for (const [text, n] of o.stalls ?? []) this.stalls.set(text, (this.stalls.get(text) ?? 0) + n);
  }

  kept(): Kept {
    return {
      instructions: this.instructions,
      functions: this.functions,
      pairs: [...this.pairs],
      ops: [...this.ops],
      issue: [...this.issue],
      stalls: [...this.stalls],
    };
  }

  pair(key: string): Seen {
    let s = this.pairs.get(key);
    if (!s) {
      s = { n: 0, min: 99, waits: 0, minWait: 99, branches: 0, minBranch: 99, tight: {} };
      this.pairs.set(key, s);
    }
    return s;
  }
}

interface Use {
  readonly at: number;
  readonly port: string;
  readonly time: number;
}
interface Access {
  readonly file: number;
  readonly reg: number;
  readonly port: string;
}
/** An instruction as the walk needs it. */
interface Step {
  readonly inst: MachineInst;
  readonly name: string;
  readonly reads: readonly Access[];
  readonly writes: readonly Access[];
  readonly stall: number;
  readonly waits: boolean;
  readonly set: boolean;
  /** Waits for what it may leave under its guard. */
  readonly keeps: boolean;
  /** Issue port; how long it stays taken; least stall behind the instruction. */
  readonly issue: string;
  readonly interval: number;
  readonly least: number;
}

/** Adds what one function shows. */
export function observe(words: Uint32Array, target: Target, into: Observations): void {
  const steps = decodeCode(words, target).map((inst) => (inst === null ? null : stepOf(inst, target)));
  const entered = new Uint8Array(steps.length);
  for (const s of steps)
    for (const o of s?.inst.srcs ?? [])
      if (o.kind === Kind.Label && o.value >> 4 < steps.length) entered[o.value >> 4] = 1;
  into.functions++;
  const state = new State(into);
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

function fallsThrough(inst: MachineInst): boolean {
  switch (inst.form.flow) {
    case "branch":
    case "exit":
      return (
        inst.guard !== null || inst.srcs.some((o) => o.kind === Kind.Reg && o.file !== File.B && o.id !== ZERO_REG)
      );
    case "indirect":
    case "return":
    case "call":
    case "trap":
      return false;
    default:
      return true;
  }
}

class State {
  time = 0;
  private readonly writers = new Map<number, Use & { step: Step }>();
  private readonly readers = new Map<number, (Use & { step: Step })[]>();
  private lastWait = -1;
  private readonly recent: { at: number; step: Step; time: number }[] = [];
  /** The last instruction of each issue port. */
  private readonly issued = new Map<string, { step: Step; time: number }>();

  constructor(private readonly into: Observations) {}

  clear(): void {
    this.writers.clear();
    this.readers.clear();
    this.recent.length = 0;
  }

  copy(): State {
    const s = new State(this.into);
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
      const w = this.writers.get(key);
      // A write that waits like a reader says nothing about writes.
      if (w && !w.step.set && !exclusive(w.step, s))
        if (s.keeps) this.edge(edges, "raw", d.file, w, `${s.name}:${KEPT}`);
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
        seen.min = Math.min(seen.min, e.distance);
      }
    }
    if (!branched && edges.length > 0 && !s.waits && !this.portTaken(s)) {
      this.neighbours(edges);
      if (!entered) this.stalled(s, edges);
    }
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

  /** All dependences lead to the instruction just before (but for NOPs): its stall is there for one of them. */
  private neighbours(edges: readonly { key: string; from: number; distance: number }[]): void {
    let p = this.recent.length - 1;
    while (p >= 0 && this.recent[p]!.step.name === "NOP") p--;
    const last = this.recent[p];
    if (!last || edges.some((e) => e.from !== last.at)) return;
    const keys = new Set(edges.map((e) => e.key));
    if (keys.size !== 1) return;
    const { tight } = this.into.pair(edges[0]!.key);
    const { distance } = edges[0]!;
    tight[distance] = (tight[distance] ?? 0) + 1;
  }

  /** The instruction may have been held up by its port. */
  private portTaken(s: Step): boolean {
    const last = this.issued.get(s.issue);
    return last !== undefined && last.step.interval > LONG && this.time - last.time <= last.step.interval;
  }

  /** The stall in front of the instruction is longer than its issue needs: some of its dependences is the reason. */
  private stalled(s: Step, edges: readonly { key: string; from: number; distance: number }[]): void {
    const last = this.recent[this.recent.length - 1];
    if (last?.step.inst.form.flow !== "next" || this.time - last.time <= Math.max(1, last.step.least)) return;
    const port = this.issued.get(s.issue);
    if (port && port.step.interval > 1 && this.time - port.time <= port.step.interval) return;
    if (this.time - last.time >= LONGEST_STALL) return;
    // Far ones may have a reason that is not seen here.
    const near = this.recent[Math.max(0, this.recent.length - NEAR)]!.at;
    if (edges.some((e) => this.waited(e.from) || (e.from < near && e.distance > FAR))) return;
    const keys = [...new Set(edges.map((e) => `${e.key}@${e.distance}`))].sort();
    const text = keys.join("|");
    if (keys.length === 1 && edges[0]!.distance === this.time - last.time) return;
    this.into.stalls.set(text, (this.into.stalls.get(text) ?? 0) + 1);
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
    this.issued.set(s.issue, { step: s, time: this.time });
    if (this.recent.length > 12) this.recent.shift();
    this.time += Math.max(1, s.stall);
  }
}

/** Guards that cannot both hold. */
function exclusive(a: Step, b: Step): boolean {
  const x = a.inst.guard;
  const y = b.inst.guard;
  return x !== null && y !== null && x.file === y.file && x.id === y.id && x.not !== y.not;
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

const blocking = new Set([
  "BAR",
  "DEPBAR",
  "NANOSLEEP",
  "YIELD",
  "WARPSYNC",
  "BSYNC",
  "WARPGROUP",
  "CALL",
  "ERRBAR",
  "MEMBAR",
]);

/** Instructions that move all predicates of a mask at once. */
const predicateMoves: Readonly<Record<string, { readonly reads: boolean; readonly file: File }>> = {
  P2R: { reads: true, file: File.P },
  R2P: { reads: false, file: File.P },
  UP2UR: { reads: true, file: File.UP },
  UR2UP: { reads: false, file: File.UP },
};

function stepOf(inst: MachineInst, target: Target): Step {
  const reads: Access[] = [];
  const writes: Access[] = [];
  const { form } = inst;
  const { name } = form;
  for (const [i, o] of inst.srcs.entries()) addUse(reads, o, `${name}:${form.srcs[i]!.name}`);
  if (inst.guard) add(reads, inst.guard.file, inst.guard.id, 1, `${name}:guard`);
  for (const [i, o] of inst.dsts.entries())
    if (o.kind === Kind.Reg) add(writes, o.file, o.id, o.width, `${name}:${form.dsts[i]!.name}`);
  const move = predicateMoves[form.op];
  if (move) {
    const mask = inst.srcs[1]!;
    for (let p = 0; p < 7; p++)
      if (mask.kind !== Kind.Imm || (mask.value >>> p) & 1)
        add(move.reads ? reads : writes, move.file, p, 1, `${name}:`);
  }
  const c = inst.control!;
  const t = timingOf(inst, target);
  return {
    inst,
    name,
    reads,
    writes,
    stall: c.stall,
    waits: c.wait !== 0 || blocking.has(form.op),
    set: c.writeSb !== 7,
    keeps: inst.guard !== null && inst.guard.id !== ZERO_REG && target.has("guardedWritesRead"),
    issue: latencyTables(target.sm).issuePortOf(form.op, form.mods) ?? t.pipe,
    interval: t.interval,
    least: t.minStall,
  };
}

function addUse(out: Access[], o: Operand, port: string): void {
  if (o.kind === Kind.Reg) add(out, o.file, o.id, o.width, port);
  else if (o.kind === Kind.Const && o.index !== NO_INDEX) add(out, o.file, o.index, o.id === -1 ? 2 : 1, `${port}!`);
}

function add(out: Access[], file: number, id: number, width: number, port: string): void {
  if (id === ZERO_REG || fileName[file] === undefined) return;
  const n = Math.max(1, width);
  for (let k = 0; k < n; k++) out.push({ file, reg: id + k, port: n === 1 ? port : `${port}+${k}` });
}
