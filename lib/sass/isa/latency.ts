/**
 * How long an instruction must stay behind another one, and what it occupies: the questions that scheduler, control
 * words, hazard checker and timing model ask. The numbers are in `lib/target/latency`.
 */
import { InternalError } from "../../errors.js";
import {
  type DistanceTable,
  type FileName,
  type LatencyClass,
  latencyTables,
  type Pipe,
} from "../../target/latency/index.js";
import type { Target } from "../../target/types.js";
import { Kind, type MachineInst, NO_INDEX, type Operand } from "./operand.js";
import { rows } from "./table.js";
import { guardsOf } from "./timing.js";
import { File, type Form } from "./types.js";

export type { Pipe } from "../../target/latency/index.js";

/** As `src` of a query: the guard predicate of the consumer. */
export const GUARD = -1;

export interface InstTiming {
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

/** What is known of a form on one SM. Ports are rows and columns of the tables, −1 where there is none. */
interface FormTiming {
  readonly timing: InstTiming;
  readonly class: LatencyClass;
  /** By file (`File.R` …). */
  readonly writes: Int16Array;
  readonly reads: Int16Array;
  readonly writesAsRow: Int16Array;
  readonly guard: Int16Array;
  readonly bindless: number;
}

const fileNames: Readonly<Record<number, FileName>> = {
  [File.R]: "R",
  [File.P]: "P",
  [File.UR]: "UR",
  [File.UP]: "UP",
};

class SmLatency {
  private readonly byForm: (FormTiming | undefined)[] = [];
  readonly raw: (DistanceTable | null)[] = [null, null, null, null, null, null];
  readonly waw: (DistanceTable | null)[] = [null, null, null, null, null, null];

  constructor(private readonly target: Target) {
    const { files } = latencyTables(target.sm);
    for (const f of [File.R, File.P, File.UR, File.UP]) {
      this.raw[f] = files[fileNames[f]!].raw;
      this.waw[f] = files[fileNames[f]!].waw;
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

  private make(form: Form): FormTiming {
    const { classes } = latencyTables(this.target.sm);
    const c = classes[classIndex(form.op, form.mods, this.target.sm)]!;
    const guards = guardsOf(form, this.target);
    // The tensor instructions of sm_75 signal their results (digest E §2L.3).
    const signals = c.name === "gmma" || (c.name === "hmma" && this.target.sm === 75);
    const ports = (
      names: LatencyClass["reads"],
      where: "rows" | "columns",
      tables: (DistanceTable | null)[],
    ): Int16Array => {
      const out = new Int16Array(6).fill(-1);
      for (const f of [File.R, File.P, File.UR, File.UP]) {
        const port = names[fileNames[f]!];
        if (port !== undefined) out[f] = tables[f]![where].indexOf(port);
      }
      return out;
    };
    const guard = new Int16Array(6).fill(-1);
    guard[File.P] = this.raw[File.P]!.rows.indexOf("guard");
    guard[File.UP] = this.raw[File.UP]!.rows.indexOf("uguard");
    return {
      timing: {
        pipe: c.pipe,
        interval: c.interval,
        write: guards.write || signals,
        read: guards.read || signals,
        latency: c.latency,
        minStall: c.minStall,
      },
      class: c,
      writes: ports(c.writes, "columns", this.raw),
      reads: ports(c.reads, "rows", this.raw),
      writesAsRow: ports(c.writes, "rows", this.waw),
      guard,
      bindless: this.raw[File.UR]!.rows.indexOf("bindless"),
    };
  }
}

const bySm = new Map<number, SmLatency>();

function latencyOf(target: Target): SmLatency {
  let t = bySm.get(target.sm);
  if (!t) {
    t = new SmLatency(target);
    bySm.set(target.sm, t);
  }
  return t;
}

function classIndex(op: string, mods: readonly string[], sm: number): number {
  const found = latencyTables(sm)
    .members.get(op)
    ?.find((m) => m.mods.every((x) => mods.includes(x)));
  if (!found) throw new InternalError(`no latency class for ${[op, ...mods].join(".")} on sm_${sm}`);
  return found.class;
}

// Every row of the instruction table has its class: a missing one shows when the program starts.
for (const row of rows) {
  const [op, ...mods] = row.op.split(".");
  classIndex(op!, mods, 75);
}

/** Pipe, scoreboards and intervals of an instruction. */
export function timingOf(inst: MachineInst, target: Target): InstTiming {
  return latencyOf(target).of(inst.form).timing;
}

/**
 * Least issue distance in cycles from a producer to a reader of its definition `dst`, for the registers that the
 * reader's source `src` (or its guard: GUARD) shares with it. 0: none needed, or a scoreboard guards it.
 */
export function rawDistance(
  producer: MachineInst,
  dst: number,
  consumer: MachineInst,
  src: number,
  target: Target,
): number {
  const sm = latencyOf(target);
  const from = sm.of(producer.form);
  if (from.timing.write) return 0;
  const file = producer.dsts[dst]!.file;
  const table = sm.raw[file];
  if (!table) return 0;
  const to = sm.of(consumer.form);
  const row = src === GUARD ? to.guard[file]! : readPort(to, consumer.srcs[src]!, file);
  return cell(table, row, from.writes[file]!);
}

function readPort(to: FormTiming, o: Operand, file: number): number {
  if (o.kind === Kind.Const && o.index !== NO_INDEX && file === File.UR) return to.bindless;
  return to.reads[file]!;
}

/** Least issue distance between two writers of a register. */
export function wawDistance(
  first: MachineInst,
  dst: number,
  second: MachineInst,
  dst2: number,
  target: Target,
): number {
  const sm = latencyOf(target);
  const from = sm.of(first.form);
  if (from.timing.write) return 0;
  const file = first.dsts[dst]!.file;
  const table = sm.waw[file];
  if (!table || second.dsts[dst2]!.file !== file) return 0;
  return cell(table, sm.of(second.form).writesAsRow[file]!, from.writes[file]!);
}

/** Least issue distance from a reader to the next writer of its operand. */
export function warDistance(
  reader: MachineInst,
  src: number,
  writer: MachineInst,
  dst: number,
  target: Target,
): number {
  const sm = latencyOf(target);
  const from = sm.of(reader.form);
  if (src !== GUARD && from.timing.read) return 0;
  const to = sm.of(writer.form);
  if (writer.dsts[dst]!.file === File.UR) return from.class.pipe === "UDP" && to.class.pipe === "UDP" ? 3 : 1;
  return to.timing.write ? 2 : 1;
}

/** Least cycles from the instruction that sets a scoreboard to the first wait on it (digest E §2L.3: never 1). */
export function setToWait(_setter: MachineInst, _target: Target): number {
  return 2;
}

/**
 * Cycles after which a result of fixed latency is there for every reader that may come: what is left of it when nothing
 * is known of the reader. 0 when a scoreboard guards it.
 */
export function drainDistance(producer: MachineInst, dst: number, target: Target): number {
  const sm = latencyOf(target);
  const from = sm.of(producer.form);
  if (from.timing.write) return 0;
  const file = producer.dsts[dst]!.file;
  const table = sm.raw[file];
  if (!table) return 0;
  const column = from.writes[file]!;
  let most = 0;
  for (let row = 0; row < table.rows.length; row++) most = Math.max(most, cell(table, row, column));
  return most;
}

/** Without a cell the largest of the table: the port is not known to be faster than any other. */
function cell(table: DistanceTable, row: number, column: number): number {
  const { cells, columns } = table;
  const n = row >= 0 && column >= 0 ? cells[row * columns.length + column]! : 0;
  return n > 0 ? n : largest(table);
}

const largestOf = new Map<DistanceTable, number>();
function largest(table: DistanceTable): number {
  let n = largestOf.get(table);
  if (n === undefined) {
    n = table.cells.reduce((a, b) => Math.max(a, b), 0);
    largestOf.set(table, n);
  }
  return n;
}
