/**
 * A second opinion on hazards: a short run of instructions is executed cycle by cycle, once for every combination of
 * early and late among its variable-latency instructions and of true and false among its guards, and every register is
 * looked at: did each reader come after the last writer was done, did the writers finish in order, was everyone who
 * still had to read the old value done with it?
 *
 * It shares the decoder and the latency tables with lib/hazard, no code.
 */

import { tableFor } from "../../lib/isa/compiled";
import { GUARD, rawDistance, setToWait, timingOf, warDistance, wawDistance } from "../../lib/isa/latency";
import { File, Kind, type MachineInst, makeOperand, NO_INDEX, ZERO_REG } from "../../lib/isa/operand";
import { decodeInst, findLine } from "../../lib/sass/decode";
import type { Target } from "../../lib/target/types";

/** A register or predicate, e.g. `1:4` for R4. */
type Unit = string;
interface Access {
  readonly unit: Unit;
  readonly slot: number;
}
interface Op {
  readonly inst: MachineInst;
  readonly reads: readonly Access[];
  readonly writes: readonly Access[];
  readonly lateReads: boolean;
  /** Operands go through the reuse cache. */
  readonly collects: boolean;
  readonly lateWrites: boolean;
  /** Read in the order of this queue, return in the order of this class; "" none. */
  readonly queue: string;
  readonly op: string;
  readonly returns: string;
  readonly waits: number;
  readonly stall: number;
  readonly writeSb: number;
  readonly readSb: number;
  readonly visible: number;
  readonly barrier: boolean;
  /** Registers by reuse slot, and which slots are kept. */
  readonly slots: readonly (readonly [slot: number, unit: Unit, bank: number])[];
  readonly keeps: number;
}

const limits: Readonly<Record<number, number>> = { [File.R]: 255, [File.UR]: 255, [File.P]: 7, [File.UP]: 7 };

function units(file: number, id: number, width: number, slot: number): Access[] {
  const limit = limits[file];
  if (limit === undefined || id < 0) return [];
  return Array.from({ length: Math.max(1, width) }, (_, k) => id + k)
    .filter((r) => r < limit)
    .map((r) => ({ unit: `${file}:${r}`, slot }));
}

const maskMoves: Readonly<Record<string, readonly [file: number, reads: boolean]>> = {
  P2R: [File.P, true],
  R2P: [File.P, false],
  UP2UR: [File.UP, true],
  UR2UP: [File.UP, false],
};

function prepare(words: Uint32Array, i: number, decoded: MachineInst, target: Target): Op {
  let inst = decoded;
  const reads: Access[] = [];
  inst.srcs.forEach((o, slot) => {
    if (o.kind === Kind.Reg) reads.push(...units(o.file, o.id, o.width, slot));
    if (o.kind === Kind.Const && o.index !== NO_INDEX) reads.push(...units(o.file, o.index, o.id === -1 ? 2 : 1, slot));
  });
  const writes: Access[] = [];
  inst.dsts.forEach((o, slot) => {
    if (o.kind === Kind.Reg) writes.push(...units(o.file, o.id, o.width, slot));
  });
  const move = maskMoves[inst.form.op];
  if (move !== undefined) {
    const mask = inst.srcs[1]!.kind === Kind.Imm ? inst.srcs[1]!.value : 127;
    const all = [0, 1, 2, 3, 4, 5, 6].filter((p) => (mask >> p) & 1);
    const extra = makeOperand(Kind.Reg, move[0] as File, 1, 0, 0);
    const slot = move[1] ? inst.srcs.length : inst.dsts.length;
    (move[1] ? reads : writes).push(...all.flatMap((p) => units(move[0], p, 1, slot)));
    inst = move[1] ? { ...inst, srcs: [...inst.srcs, extra] } : { ...inst, dsts: [...inst.dsts, extra] };
  }
  if (inst.guard !== null && inst.guard.id !== ZERO_REG) reads.push(...units(inst.guard.file, inst.guard.id, 1, GUARD));
  const t = timingOf(inst, target);
  const c = inst.control!;
  const variable = t.read || t.write;
  return {
    inst,
    reads,
    writes,
    lateReads: t.read,
    collects: !t.read || t.pipe === "FP64",
    lateWrites: t.write,
    op: inst.form.op,
    queue: variable ? (ownQueues[inst.form.op] ?? (inOrderQueues.has(t.pipe) ? t.pipe : "")) : "",
    returns: t.write ? (inOrder[inst.form.op] ?? (inOrderPipes.has(t.pipe) ? t.pipe : "")) : "",
    waits: c.wait | depbar(inst),
    // 0: until the pipelines are empty.
    stall: c.stall === 0 ? 64 : c.stall,
    writeSb: c.writeSb,
    readSb: c.readSb,
    visible: setToWait(inst, target),
    barrier: target.has("barrierDrainsMemory") && inst.form.op === "BAR" && !inst.form.name.includes("ARV"),
    slots: reuseSlots(words, i, inst, target),
    keeps: c.yield === 1 ? c.reuse : 0,
  };
}

/** Results come back in program order: what ptxas relies on when it leaves the first of several without a scoreboard. */
const inOrder: Readonly<Record<string, string>> = {
  LDS: "crossbar",
  LDSM: "crossbar",
  ATOMS: "crossbar",
  MOVM: "crossbar",
  SHFL: "crossbar",
  S2UR: "special",
  REDUX: "reductions",
};
/** Operands are read in program order by these, … */
const inOrderQueues: ReadonlySet<string> = new Set(["LSU", "XU", "TEX", "FP64"]);
/** … with these apart. */
const ownQueues: Readonly<Record<string, string>> = { STL: "stores", LDL: "loads", REDUX: "reductions", LDC: "" };
const inOrderPipes: ReadonlySet<string> = new Set(["XU", "FP64", "TEX", "TENSOR"]);

function depbar(inst: MachineInst): number {
  if (inst.form.op !== "DEPBAR") return 0;
  const [first, count] = inst.srcs;
  const last = inst.srcs[inst.srcs.length - 1]!;
  const all = last.kind === Kind.Imm ? last.value & 63 : 0;
  return inst.form.name.startsWith("DEPBAR.LE") && count!.kind === Kind.Imm && count!.value === 0
    ? all | (1 << first!.value)
    : all;
}

function reuseSlots(words: Uint32Array, i: number, inst: MachineInst, target: Target): [number, Unit, number][] {
  const line = findLine(tableFor(target.isa), words, 4 * i)!;
  const out: [number, Unit, number][] = [];
  line.steps.slice(line.dsts).forEach((step, k) => {
    const o = inst.srcs[k]!;
    if (step.reuse < 0 || o.kind !== Kind.Reg || o.file !== File.R || o.id < 0) return;
    for (let r = o.id; r < o.id + o.width; r++) out.push([step.reuse - 122, `${File.R}:${r}`, r & 1]);
  });
  return out;
}

// ---------------------------------------------------------------------------------------------- what must hold

interface Demand {
  readonly kind: "raw" | "waw" | "war";
  readonly first: number;
  readonly second: number;
  readonly unit: Unit;
  /** Cycles between their issues when the first is of fixed latency (or reads at issue). */
  readonly distance: number;
}

const perThread = (unit: Unit): boolean => unit.startsWith(`${File.R}:`) || unit.startsWith(`${File.P}:`);
/** Operands that a variable-latency instruction reads some time after its issue: general registers. */
const readLate = (op: Op, unit: Unit): boolean => op.lateReads && unit.startsWith(`${File.R}:`);

/** Which instructions take effect, for every outcome of the predicates that guard them (the first `most`). */
function outcomes(ops: readonly Op[], most: number): boolean[][] {
  const found: boolean[][] = [];
  const walk = (i: number, runs: boolean[], version: Map<Unit, number>, truth: Map<string, boolean>): void => {
    if (found.length >= most) return;
    if (i === ops.length) {
      found.push(runs);
      return;
    }
    const op = ops[i]!;
    const g = op.inst.guard;
    const go = (run: boolean, known: Map<string, boolean>): void => {
      const next = new Map(version);
      if (run) for (const w of op.writes) next.set(w.unit, i);
      walk(i + 1, [...runs, run], next, known);
    };
    if (g === null || g.id === ZERO_REG) {
      go(g === null || !g.not, truth);
      return;
    }
    const unit = `${g.file}:${g.id}`;
    const value = `${unit}@${version.get(unit) ?? -1}`;
    for (const bit of truth.has(value) ? [truth.get(value)!] : [true, false])
      go(bit !== g.not, new Map(truth).set(value, bit));
  };
  walk(0, [], new Map(), new Map());
  return found;
}

/** A warp register is touched as soon as one thread's guard holds. */
function touches(op: Op, runs: boolean, unit: Unit): boolean {
  return runs || (!perThread(unit) && op.inst.guard?.file === File.P);
}

function demandsOf(ops: readonly Op[], runs: readonly boolean[], target: Target): Demand[] {
  const out: Demand[] = [];
  const writers = new Map<Unit, { i: number; slot: number }>();
  const readers = new Map<Unit, { i: number; slot: number }[]>();
  ops.forEach((op, k) => {
    for (const r of op.reads) {
      if (r.slot !== GUARD && !touches(op, runs[k]!, r.unit)) continue;
      const w = writers.get(r.unit);
      if (w !== undefined) {
        const distance = rawDistance(ops[w.i]!.inst, w.slot, op.inst, r.slot, target);
        out.push({ kind: "raw", first: w.i, second: k, unit: r.unit, distance });
      }
      readers.set(r.unit, [...(readers.get(r.unit) ?? []), { i: k, slot: r.slot }]);
    }
    for (const w of op.writes) {
      if (!touches(op, runs[k]!, w.unit)) continue;
      const old = writers.get(w.unit);
      if (old !== undefined && old.i !== k) {
        const distance = wawDistance(ops[old.i]!.inst, old.slot, op.inst, w.slot, target);
        out.push({ kind: "waw", first: old.i, second: k, unit: w.unit, distance });
      }
      for (const r of readers.get(w.unit) ?? []) {
        if (r.i === k) continue;
        const distance = warDistance(ops[r.i]!.inst, r.slot, op.inst, w.slot, target);
        out.push({ kind: "war", first: r.i, second: k, unit: w.unit, distance });
      }
      readers.delete(w.unit);
      writers.set(w.unit, { i: k, slot: w.slot });
    }
  });
  return out;
}

/** A value from the reuse cache that is older than the register's. */
function staleReuse(ops: readonly Op[], runs: readonly boolean[]): string | null {
  const kept = new Map<string, { unit: Unit; version: number }>();
  const version = new Map<Unit, number>();
  for (let k = 0; k < ops.length; k++) {
    const op = ops[k]!;
    for (const [slot, unit, bank] of op.slots) {
      const place = `${slot}/${bank}`;
      const entry = kept.get(place);
      if (entry !== undefined && entry.unit === unit && entry.version !== (version.get(unit) ?? -1))
        return `${op.inst.form.name} takes an old ${unit} from the reuse cache`;
      if (!op.collects) continue;
      kept.delete(place);
      if ((op.keeps >> slot) & 1) kept.set(place, { unit, version: version.get(unit) ?? -1 });
    }
    if (runs[k]) for (const w of op.writes) version.set(w.unit, k);
  }
  return null;
}

// ---------------------------------------------------------------------------------------------- execution

const EARLY_READ = 1;
const EARLY_WRITE = 2;
const LATE = 1000;

interface Times {
  readonly issue: Float64Array;
  readonly read: Float64Array;
  readonly done: Float64Array;
}

/** When everything happens if instruction i reads late (bit 0 of choice[i]) or returns late (bit 1). */
function execute(ops: readonly Op[], choice: Uint8Array): Times {
  const n = ops.length;
  const [issue, read, done] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  const queues = new Map<string, number>();
  const classes = new Map<string, number>();
  let earliest = 0;
  for (let i = 0; i < n; i++) {
    const op = ops[i]!;
    let t = earliest;
    for (let again = op.waits !== 0; again; ) {
      again = false;
      for (let j = 0; j < i; j++) {
        const o = ops[j]!;
        if (issue[j]! + o.visible > t) continue;
        if (o.readSb < 6 && (op.waits >> o.readSb) & 1 && read[j]! > t) [t, again] = [read[j]!, true];
        if (o.writeSb < 6 && (op.waits >> o.writeSb) & 1 && done[j]! > t) [t, again] = [done[j]!, true];
      }
    }
    issue[i] = t;
    read[i] = t + (choice[i]! & 1 ? LATE : EARLY_READ);
    if (op.queue !== "") {
      read[i] = Math.max(read[i]!, queues.get(op.queue) ?? 0);
      queues.set(op.queue, read[i]!);
    }
    done[i] = Math.max(t + (choice[i]! & 2 ? LATE : EARLY_WRITE), read[i]!);
    // Loads from shared memory come after stores to local memory.
    if (op.op === "LDS") done[i] = Math.max(done[i]!, queues.get("stores") ?? 0);
    if (op.returns !== "") {
      done[i] = Math.max(done[i]!, classes.get(op.returns) ?? 0);
      classes.set(op.returns, done[i]!);
    }
    earliest = t + op.stall;
    if (op.barrier) for (const q of ["LSU", "stores", "loads"]) earliest = Math.max(earliest, queues.get(q) ?? 0);
  }
  return { issue, read, done };
}

function violated(d: Demand, ops: readonly Op[], t: Times): boolean {
  const { first: a, second: b } = d;
  const apart = t.issue[b]! - t.issue[a]!;
  if (d.kind === "raw") return ops[a]!.lateWrites ? t.done[a]! > t.issue[b]! : apart < d.distance;
  const lands = ops[b]!.lateWrites ? t.done[b]! : t.issue[b]!;
  if (d.kind === "waw") return ops[a]!.lateWrites ? t.done[a]! > lands : apart < d.distance;
  return readLate(ops[a]!, d.unit) ? t.read[a]! > lands : apart < d.distance;
}

/** All combinations of early and late, or each alone when there are more than `limit` instructions with a choice. */
function* choices(ops: readonly Op[], limit: number): Generator<Uint8Array> {
  const variable = ops.flatMap((o, i) => (o.lateReads || o.lateWrites ? [i] : []));
  const options = (i: number): number[] => {
    const o = ops[i]!;
    return o.lateReads && o.lateWrites ? [0, 2, 3] : o.lateReads ? [0, 1] : [0, 2];
  };
  const choice = new Uint8Array(ops.length);
  if (variable.length > limit) {
    yield choice;
    for (const i of variable)
      for (const c of options(i)) {
        choice.fill(0);
        choice[i] = c;
        yield choice;
      }
    return;
  }
  const rest = function* (k: number): Generator<Uint8Array> {
    if (k === variable.length) {
      yield choice;
      return;
    }
    for (const c of options(variable[k]!)) {
      choice[variable[k]!] = c;
      yield* rest(k + 1);
    }
  };
  yield* rest(0);
}

export interface Judged {
  /** What goes wrong, null when nothing does in any execution. */
  readonly hazard: string | null;
  /** Every combination was executed. */
  readonly exhaustive: boolean;
}

/** At most this many instructions with a choice are combined with each other: 3^7 executions. */
const COMBINED = 7;

/** Executes `order` (instruction indices, in the order in which they run) of a piece of code. */
export function judge(words: Uint32Array, order: readonly number[], target: Target): Judged {
  const ops = order.map((i) => {
    const inst = decodeInst(words, 4 * i, target);
    if (!inst) throw new Error(`no instruction at ${16 * i}`);
    return prepare(words, i, inst, target);
  });
  const exhaustive = ops.filter((o) => o.lateReads || o.lateWrites).length <= COMBINED;
  const demands = new Map<string, Demand>();
  for (const runs of outcomes(ops, exhaustive ? 64 : 6)) {
    const stale = staleReuse(ops, runs);
    if (stale !== null) return { hazard: stale, exhaustive };
    for (const d of demandsOf(ops, runs, target))
      demands.set(`${d.kind} ${d.first} ${d.second} ${d.unit} ${d.distance}`, d);
  }
  const all = [...demands.values()];
  for (const choice of choices(ops, COMBINED)) {
    const times = execute(ops, choice);
    const bad = all.find((d) => violated(d, ops, times));
    if (bad !== undefined) {
      const name = (k: number): string => `${16 * order[k]!}: ${ops[k]!.inst.form.name}`;
      return { hazard: `${bad.kind} on ${bad.unit}: ${name(bad.first)} -> ${name(bad.second)}`, exhaustive };
    }
  }
  return { hazard: null, exhaustive };
}
