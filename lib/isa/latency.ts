/**
 * How long an instruction must stay after another one, and what it occupies: the questions that scheduler, control
 * words, hazard checker and timing model ask. The numbers are in `lib/isa/latency`.
 */
import { InternalError } from "../errors.js";
import type { Target } from "../target/types.js";
import {
  type DistanceTable,
  type FileName,
  guardPort,
  type LatencyClass,
  latencyTables,
  type Pipe,
  portOf,
} from "./latency/index.js";
import { IMPLICIT, Kind, type MachineInst, makeOperand, NO_INDEX, type Operand, ZERO_REG } from "./operand.js";
import { type Guards, guardsOf } from "./timing.js";
import { File, type Form } from "./types.js";

export type { Pipe } from "./latency/index.js";

/** As `src` of a query: the guard predicate of the consumer. */
export const GUARD = -1;

export interface InstTiming {
  /** The pipe that executes it. */
  readonly pipe: Pipe;
  /** Issue cycles before the same pipe takes another instruction of the warp. */
  readonly interval: number;
  /** Results arrive after a variable time: needs a write scoreboard. */
  readonly write: boolean;
  /** Operands are read late: needs a read scoreboard when one of them is overwritten. */
  readonly read: boolean;
  /** Expected cycles to the results, for estimates. */
  readonly latency: number;
  /** Least stall that the instruction itself must carry. */
  readonly minStall: number;
}

/** Registers of a slot that have ports of their own: all from the second on share one. */
const KS = 2;
const FILES = [File.R, File.P, File.UR, File.UP] as const;
const fileNames: Readonly<Record<number, FileName>> = {
  [File.R]: "R",
  [File.P]: "P",
  [File.UR]: "UR",
  [File.UP]: "UP",
};

/** Column of a port whose results no distance guards (accumulators of warp-group products). */
const APART = -2;

/** What is known of a form on one SM. Ports are positions in the tables of the operand's file; −1 where there is none. */
interface FormTiming {
  readonly timing: InstTiming;
  readonly setToWait: number;
  /** Per slot and register: column of the raw and waw tables, row of the waw and war tables. */
  readonly writeColumn: Int16Array;
  readonly wawRow: Int16Array;
  readonly warRow: Int16Array;
  /** Per file: row of the raw table for a register that a write under a guard may leave as it is. */
  readonly keptRow: Int16Array;
  /** Per slot, file and register, and whether inside a constant operand: row of the raw table, column of the war table. */
  readonly readRow: Int16Array;
  readonly warColumn: Int16Array;
}

const readAt = (slot: number, file: number, inConstant: boolean, k: number): number =>
  ((slot * 6 + file) * 2 + (inConstant ? 1 : 0)) * KS + k;

class SmLatency {
  private readonly byForm: (FormTiming | undefined)[] = [];
  readonly raw: (DistanceTable | null)[] = [null, null, null, null, null, null];
  readonly waw: (DistanceTable | null)[] = [null, null, null, null, null, null];
  readonly war: (DistanceTable | null)[] = [null, null, null, null, null, null];

  constructor(private readonly target: Target) {
    const tables = latencyTables(target.sm);
    for (const f of FILES) {
      this.raw[f] = tables.table(fileNames[f]!, "raw");
      this.waw[f] = tables.table(fileNames[f]!, "waw");
      this.war[f] = tables.table(fileNames[f]!, "war");
    }
  }

  of(form: Form): FormTiming {
    let t = this.byForm[form.id];
    if (t === undefined) {
      t = this.make(form);
      this.byForm[form.id] = t;
    }
    return t;
  }

  /** Row of the raw and of the waw table through which WARPGROUP.ARRIVE takes what products read and write. */
  arriveRow(accumulator: boolean): number {
    const tables = latencyTables(this.target.sm);
    const c = tables.classes[tables.classOf("WARPGROUP", ["ARRIVE"])]!;
    const port = portOf(accumulator ? c.writes : c.reads, "R", "", 0, false) ?? "";
    return (accumulator ? this.waw : this.raw)[File.R]!.rows.indexOf(port);
  }

  /** Position of the guard in the raw table (row) and the war table (column). */
  guardRow(file: number): number {
    return this.raw[file]!.rows.indexOf(guardPort[fileNames[file]!] ?? "");
  }

  guardColumn(file: number): number {
    return this.war[file]!.columns.indexOf(guardPort[fileNames[file]!] ?? "");
  }

  private make(form: Form): FormTiming {
    const tables = latencyTables(this.target.sm);
    const c = tables.classes[tables.classOf(form.op, form.mods)]!;
    const guards = guardsOf(form, this.target);
    const op = tables.timingOf(form.op, timedMods(form, guards));
    if (!c || !op) throw new InternalError(`no latency of ${form.name} on sm_${this.target.sm}`);
    return {
      timing: {
        pipe: c.pipe,
        interval: op.interval,
        write: guards.write,
        read: guards.read,
        latency: op.latency,
        minStall: op.minStall,
      },
      // A product is waited for by its group.
      setToWait: Math.max(
        2,
        portOf(c.writes, "R", "", 0, false) === "apart" ? held(this.target, form.op, form.mods, "GROUP") : 0,
      ),
      writeColumn: this.writePorts(form, c, (f, port) => this.raw[f]!.columns.indexOf(port)),
      wawRow: this.writePorts(form, c, (f, port) => this.waw[f]!.rows.indexOf(port)),
      warRow: this.writePorts(form, c, (f, port) => this.war[f]!.rows.indexOf(port)),
      keptRow: this.keptPorts(c),
      readRow: this.readPorts(form, c, (f, port) => this.raw[f]!.rows.indexOf(port)),
      warColumn: this.readPorts(form, c, (f, port) => this.war[f]!.columns.indexOf(port)),
    };
  }

  /** One slot more than the form has stands for predicates under a mask (R2P, UR2UP). */
  private writePorts(form: Form, c: LatencyClass, find: (file: number, port: string) => number): Int16Array {
    const slots = [...form.dsts, unnamed(form)];
    const out = new Int16Array(slots.length * KS).fill(-1);
    for (const [i, slot] of slots.entries()) {
      if (fileNames[slot.file] === undefined) continue;
      for (let k = 0; k < KS; k++) {
        const port = portOf(c.writes, fileNames[slot.file]!, slot.name, k, false);
        if (port !== null) out[i * KS + k] = port === "apart" ? APART : find(slot.file, port);
      }
    }
    return out;
  }

  private keptPorts(c: LatencyClass): Int16Array {
    const out = new Int16Array(this.raw.length).fill(-1);
    // Uniform registers are not waited for (USHF.R UR4, …; @UP0 USHF.L UR4, … with a stall of 2, chain kernels).
    for (const f of [File.R, File.P]) {
      const port = portOf(c.reads, fileNames[f]!, KEPT, 0, false);
      if (port !== null) out[f] = this.raw[f]!.rows.indexOf(port);
    }
    return out;
  }

  private readPorts(form: Form, c: LatencyClass, find: (file: number, port: string) => number): Int16Array {
    const slots = [...form.srcs, unnamed(form)];
    const out = new Int16Array(readAt(slots.length, 0, false, 0)).fill(-1);
    for (const [i, slot] of slots.entries())
      for (const f of FILES)
        for (const inConstant of [false, true])
          for (let k = 0; k < KS; k++) {
            const port = portOf(c.reads, fileNames[f]!, slot.name, k, inConstant);
            if (port !== null) out[readAt(i, f, inConstant, k)] = find(f, port);
          }
    return out;
  }
}

/** Modifiers of the form, and the marks that lines of the timing table may tell forms by. */
function timedMods(form: Form, guards: Guards): readonly string[] {
  const mods = [...form.mods];
  if (!guards.write && !guards.read) mods.push("fixed");
  if ([...form.dsts, ...form.srcs].some((s) => s.name === "s")) mods.push("state");
  return mods;
}

/**
 * After the slots of a form stands one for the predicates that a mask names instead of an operand: a query may be about
 * an instruction that has an operand more.
 */
function unnamed(form: Form): { readonly name: string; readonly file: File } {
  return { name: "", file: form.op === "UP2UR" || form.op === "UR2UP" ? File.UP : File.P };
}

const hidden: Readonly<Record<number, Operand>> = {
  [File.P]: makeOperand(Kind.Reg, File.P, 1, 0, 0),
  [File.UP]: makeOperand(Kind.Reg, File.UP, 1, 0, 0),
};

/** With an operand that stands for the predicates under the mask. */
function withWritten(inst: MachineInst): MachineInst {
  return { ...inst, dsts: [...inst.dsts, hidden[unnamed(inst.form).file]!] };
}

function withRead(inst: MachineInst): MachineInst {
  return { ...inst, srcs: [...inst.srcs, hidden[unnamed(inst.form).file]!] };
}

/** A register that a call or return passes on: both wait for everything in flight. */
function passes(inst: MachineInst, slot: number): boolean {
  return slot === IMPLICIT && (inst.form.flow === "call" || inst.form.flow === "return");
}

const bySm: (SmLatency | undefined)[] = [];

function latencyOf(target: Target): SmLatency {
  let t = bySm[target.sm];
  if (!t) {
    t = new SmLatency(target);
    bySm[target.sm] = t;
  }
  return t;
}

/** Pipe, scoreboards and intervals of an instruction. */
export function timingOf(inst: MachineInst, target: Target): InstTiming {
  return latencyOf(target).of(inst.form).timing;
}

/**
 * Least issue distance in cycles from a producer to a reader of its definition `dst`, for the registers that the
 * reader's source `src` (or its guard: GUARD) shares with it. 0: none needed, or a scoreboard guards it. IMPLICIT, or one
 * slot after the form's, stands for the predicates of P2R and R2P (here and below).
 */
export function rawDistance(
  producer: MachineInst,
  dst: number,
  consumer: MachineInst,
  src: number,
  target: Target,
): number {
  if (passes(producer, dst) || passes(consumer, src)) return 0;
  if (dst === IMPLICIT) return rawDistance(withWritten(producer), producer.dsts.length, consumer, src, target);
  if (src === IMPLICIT) return rawDistance(producer, dst, withRead(consumer), consumer.srcs.length, target);
  const sm = latencyOf(target);
  const from = sm.of(producer.form);
  if (from.timing.write) return 0;
  const d = producer.dsts[dst]!;
  const table = sm.raw[d.file];
  if (!table) return 0;
  if (src === GUARD) return cell(table, sm.guardRow(d.file), from.writeColumn[dst * KS]!);
  const { readRow } = sm.of(consumer.form);
  const s = consumer.srcs[src]!;
  const inConstant = isIndexed(s);
  const row = readAt(src, d.file, inConstant, 0);
  const shift = shiftOf(d, s, inConstant);
  const most = mostOfShared(table, readRow, row, widthOf(s, inConstant), from.writeColumn, dst * KS, d.width, shift);
  // Operands that share no register: as if all of them did.
  return most >= 0 ? most : worst(table, readRow, src, d.file, inConstant, from.writeColumn, dst);
}

/** Name of the slot through which the old value of a register comes under a guard. */
export const KEPT = "kept";

/**
 * Least issue distance between two writers of a register. Where the later one runs under a guard and the machine has
 * it wait for the value it may leave, that of a reader.
 */
export function wawDistance(
  first: MachineInst,
  dst: number,
  second: MachineInst,
  dst2: number,
  target: Target,
): number {
  if (passes(first, dst) || passes(second, dst2)) return 0;
  if (dst === IMPLICIT) return wawDistance(withWritten(first), first.dsts.length, second, dst2, target);
  if (dst2 === IMPLICIT) return wawDistance(first, dst, withWritten(second), second.dsts.length, target);
  const sm = latencyOf(target);
  const from = sm.of(first.form);
  if (from.timing.write) return 0;
  const a = first.dsts[dst]!;
  const b = second.dsts[dst2]!;
  const table = sm.waw[a.file];
  if (!table || b.file !== a.file) return 0;
  const { wawRow } = sm.of(second.form);
  const shift = shiftOf(a, b, false);
  const shared = mostOfShared(table, wawRow, dst2 * KS, b.width, from.writeColumn, dst * KS, a.width, shift);
  const most = shared >= 0 ? shared : cell(table, wawRow[dst2 * KS]!, from.writeColumn[dst * KS]!);
  return keepsOld(second, target) ? Math.max(most, keptDistance(sm, from, dst, second, a, b)) : most;
}

function keepsOld(writer: MachineInst, target: Target): boolean {
  const g = writer.guard;
  return g !== null && g.id !== ZERO_REG && target.has("guardedWritesRead");
}

/** As if the second writer read what it writes; 0 where its class has no port for that. */
function keptDistance(
  sm: SmLatency,
  from: FormTiming,
  dst: number,
  second: MachineInst,
  a: Operand,
  b: Operand,
): number {
  const row = sm.of(second.form).keptRow[a.file]!;
  if (row < 0) return 0;
  const table = sm.raw[a.file]!;
  const shift = shiftOf(a, b, false);
  let most = 0;
  for (let k = 0; k < Math.max(1, b.width); k++) {
    const at = shift + k;
    if (at >= 0 && at < Math.max(1, a.width))
      most = Math.max(most, cell(table, row, from.writeColumn[dst * KS + least(at)]!));
  }
  return most;
}

/**
 * The largest cell of the registers that a later operand of `width` registers (ports from `row` on) shares with a written one of
 * `firstWidth` (ports from `column` on), beginning at its register `shift`; −1 when they share none.
 */
function mostOfShared(
  table: DistanceTable,
  rows: Int16Array,
  row: number,
  width: number,
  columns: Int16Array,
  column: number,
  firstWidth: number,
  shift: number,
): number {
  let most = -1;
  for (let k = 0; k < Math.max(1, width); k++) {
    const at = shift + k;
    if (at < 0 || at >= Math.max(1, firstWidth)) continue;
    most = Math.max(most, cell(table, rows[row + least(k)]!, columns[column + least(at)]!));
  }
  return most;
}

/** Least issue distance from a reader to the next writer of its operand. 0: a read scoreboard guards it. */
export function warDistance(
  reader: MachineInst,
  src: number,
  writer: MachineInst,
  dst: number,
  target: Target,
): number {
  if (passes(reader, src) || passes(writer, dst)) return 0;
  if (src === IMPLICIT) return warDistance(withRead(reader), reader.srcs.length, writer, dst, target);
  if (dst === IMPLICIT) return warDistance(reader, src, withWritten(writer), writer.dsts.length, target);
  const sm = latencyOf(target);
  const from = sm.of(reader.form);
  if (src !== GUARD && from.timing.read) return 0;
  const d = writer.dsts[dst]!;
  const table = sm.war[d.file];
  if (!table) return 0;
  const { warRow } = sm.of(writer.form);
  if (src === GUARD) return cell(table, warRow[dst * KS]!, sm.guardColumn(d.file));
  const s = reader.srcs[src]!;
  return cell(table, warRow[dst * KS]!, from.warColumn[readAt(src, d.file, isIndexed(s), 0)]!);
}

/** Least cycles from the instruction that sets a scoreboard to the first wait on it. */
export function setToWait(setter: MachineInst, target: Target): number {
  return latencyOf(target).of(setter.form).setToWait;
}

/**
 * Least cycles from a producer to the WARPGROUP.ARRIVE that hands its result to products of the warp group, which read it, or
 * use it as accumulator. 0 when a scoreboard guards it.
 */
export function arriveDistance(producer: MachineInst, dst: number, accumulator: boolean, target: Target): number {
  const sm = latencyOf(target);
  const from = sm.of(producer.form);
  const d = producer.dsts[dst]!;
  if (from.timing.write || d.file !== File.R) return 0;
  const table = (accumulator ? sm.waw : sm.raw)[File.R]!;
  const row = sm.arriveRow(accumulator);
  let most = 0;
  for (let k = 0; k < KS && k < Math.max(1, d.width); k++)
    most = Math.max(most, cell(table, row, from.writeColumn[dst * KS + k]!));
  return most;
}

/** Least cycles from a WARPGROUP.ARRIVE to a product. */
export function arriveToProduct(target: Target): number {
  return held(target, "WARPGROUP", ["ARRIVE"], "GMMA");
}

/** Cycles from its issue on for which an instruction holds a port that is not its own (lib/isa/latency/ports.ts). */
function held(target: Target, op: string, mods: readonly string[], port: string): number {
  let cycles = 0;
  for (const h of latencyTables(target.sm).holdsOf(op, mods)) if (h.port === port) cycles = Math.max(cycles, h.cycles);
  return cycles;
}

/**
 * Cycles after which a result of fixed latency is there for every reader and writer that may come: what is left of it when
 * nothing is known of them. 0 when a scoreboard guards it.
 */
export function drainDistance(producer: MachineInst, dst: number, target: Target): number {
  if (passes(producer, dst)) return 0;
  if (dst === IMPLICIT) return drainDistance(withWritten(producer), producer.dsts.length, target);
  const sm = latencyOf(target);
  const from = sm.of(producer.form);
  if (from.timing.write) return 0;
  const { file } = producer.dsts[dst]!;
  let most = 0;
  for (const table of [sm.raw[file], sm.waw[file]]) {
    if (!table) continue;
    for (let k = 0; k < KS; k++) {
      const column = from.writeColumn[dst * KS + k]!;
      if (column < 0) most = Math.max(most, cell(table, 0, column));
      else
        for (let row = 0; row < table.rows.length; row++)
          most = Math.max(most, table.cells[row * table.columns.length + column]!);
    }
  }
  return most;
}

const least = (k: number): number => (k < KS ? k : KS - 1);

/** A register inside a constant operand: `cx[UR4][0x10]`, `c[0x3][R2]`. */
function isIndexed(o: Operand): boolean {
  return o.kind === Kind.Const && o.index !== NO_INDEX;
}

function widthOf(o: Operand, inConstant: boolean): number {
  if (inConstant) return o.id === -1 ? 2 : 1;
  return Math.max(1, o.width);
}

/** Register of the first operand's range with which the second one begins. */
function shiftOf(first: Operand, second: Operand, inConstant: boolean): number {
  return inConstant ? second.index - first.id : second.id - first.id + second.sub - first.sub;
}

function worst(
  table: DistanceTable,
  readRow: Int16Array,
  src: number,
  file: number,
  inConstant: boolean,
  writeColumn: Int16Array,
  dst: number,
): number {
  let most = 0;
  for (let k = 0; k < KS; k++)
    for (let at = 0; at < KS; at++)
      most = Math.max(most, cell(table, readRow[readAt(src, file, inConstant, k)]!, writeColumn[dst * KS + at]!));
  return most;
}

/** A pair of ports that the table does not know may be as slow as any. What a product writes comes later than all fixed results. */
function cell(table: DistanceTable, row: number, column: number): number {
  if (column === APART || row === APART) return 0;
  return (row >= 0 && column >= 0 && table.cells[row * table.columns.length + column]) || table.largest;
}
