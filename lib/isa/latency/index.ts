/**
 * Latency tables per SM: classes of instructions, and the least issue distances between their ports. Numbers and names
 * only; `lib/isa/latency.ts` asks them about instructions. Where each cell comes from stands in `evidence/`.
 */
import { InternalError } from "../../errors.js";
import { type Sm, sms } from "../../target/table.js";
import { cellTexts } from "./cells/index.js";
import { classText, memberText } from "./classes.js";
import { holdText, portText, setToWaitText, settledText } from "./ports.js";
import { timingText } from "./timing.js";
import {
  type Dependence,
  type DistanceTable,
  dependences,
  type FileName,
  fileNames,
  type LatencyClass,
  type OpTiming,
  type Pipe,
  type PortHold,
  type Ports,
  type SetToWait,
} from "./types.js";

export * from "./types.js";

/** All that is known of one SM. */
export interface LatencyTables {
  readonly classes: readonly LatencyClass[];
  /** Index of the class of an opcode with these modifiers, −1 when it has none. */
  classOf(op: string, mods: readonly string[]): number;
  /** The classes that forms of an opcode may have, by the modifiers that make a form belong to one; the first that fits counts. */
  membersOf(op: string): readonly Member[];
  /** Interval, latency and least stall of an opcode with these modifiers, null when it has no line. */
  timingOf(op: string, mods: readonly string[]): OpTiming | null;
  table(file: FileName, kind: Dependence): DistanceTable;
  /** Issue port of an opcode with these modifiers; null: that of its pipe. */
  issuePortOf(op: string, mods: readonly string[]): string | null;
  /** Other ports for which it is in the way. */
  holdsOf(op: string, mods: readonly string[]): readonly PortHold[];
  /** Distances from setting a scoreboard to a wait on it; null: the common least one. */
  setToWaitOf(op: string, mods: readonly string[]): SetToWait | null;
  /** Cycles after which the result counts as there, or the operands as read; Infinity where nothing is known. */
  settledAfter(op: string, mods: readonly string[], side: "result" | "operands"): number;
}

/** Forms of an opcode with these modifiers belong to the class with this index. */
export interface Member {
  readonly mods: readonly string[];
  readonly value: number;
}

/** Lines of an opcode: those with most modifiers first. */
interface Entry<T> {
  readonly mods: readonly string[];
  readonly value: T;
}

const made = new Map<number, LatencyTables>();

/** The tables of an SM (`target.sm`). Throws InternalError on a malformed table. */
export function latencyTables(sm: number): LatencyTables {
  let t = made.get(sm);
  if (!t) {
    t = build(sm as Sm);
    made.set(sm, t);
  }
  return t;
}

/** Port of the guard predicate. */
export const guardPort: Readonly<Record<FileName, string | null>> = { R: null, P: "guard", UR: null, UP: "uguard" };

/** Port through which a class reads (or writes) register `k` of a slot; null when it has none in that file. */
export function portOf(ports: Ports, file: FileName, slot: string, k: number, inConstant: boolean): string | null {
  if (slot === "guard") return guardPort[file];
  return (
    (file === "R" ? (ports.get(`${slot}+${k}`) ?? ports.get(slot)) : undefined) ??
    (inConstant && file === "UR" ? (ports.get("URc") ?? "bindless") : undefined) ??
    ports.get(file) ??
    null
  );
}

const classes: readonly LatencyClass[] = lines(classText).map((line) => {
  const [name, pipe, writes, reads] = line.split(";").map((c) => c.trim());
  return { name: name!, pipe: pipe as Pipe, writes: parsePorts(writes!), reads: parsePorts(reads!) };
});

function parsePorts(text: string): Ports {
  return new Map(
    text
      .split(" ")
      .filter((x) => x !== "")
      .map((item) => item.split(/[:=]/) as [string, string]),
  );
}

function build(sm: Sm): LatencyTables {
  const members = parseMembers(sm);
  const timings = parseOpcodes(timingText, sm, ([interval, latency, stall]) => ({
    interval: Number(interval),
    latency: Number(latency),
    minStall: Number(stall),
  }));
  const ports = parseOpcodes(portText, sm, ([port]) => port!);
  const holds = parseOpcodes(holdText, sm, ([port, cycles]) => ({ port: port!, cycles: Number(cycles) }));
  const sets = parseOpcodes(setToWaitText, sm, ([own, other]) => ({ own: Number(own), other: Number(other) }));
  const settled = parseOpcodes(settledText, sm, ([side, cycles]) => ({ side: side!, cycles: Number(cycles) }));
  const tables = new Map<string, DistanceTable>();
  for (const file of fileNames)
    for (const kind of dependences) tables.set(`${kind} ${file}`, tableOf(cellTexts[file][kind], sm));
  return {
    classes,
    classOf: (op, mods) => lookUp(members, op, mods) ?? -1,
    membersOf: (op) => members.get(op) ?? [],
    timingOf: (op, mods) => lookUp(timings, op, mods),
    issuePortOf: (op, mods) => lookUp(ports, op, mods),
    holdsOf: (op, mods) => (holds.get(op) ?? []).filter((m) => fits(m.mods, mods)).map((m) => m.value),
    setToWaitOf: (op, mods) => lookUp(sets, op, mods),
    settledAfter: (op, mods, side) =>
      (settled.get(op) ?? []).find((m) => m.value.side === side && fits(m.mods, mods))?.value.cycles ?? Infinity,
    table: (file, kind) => tables.get(`${kind} ${file}`)!,
  };
}

function lookUp<T>(entries: ReadonlyMap<string, readonly Entry<T>[]>, op: string, mods: readonly string[]): T | null {
  return entries.get(op)?.find((m) => fits(m.mods, mods))?.value ?? null;
}

const fits = (asked: readonly string[], mods: readonly string[]): boolean => asked.every((x) => mods.includes(x));

function lines(text: string): string[] {
  return text.split("\n").filter((l) => l.trim() !== "");
}

/** `90`, `80-89`, `120-`, `-90`. */
function covers(range: string | undefined, sm: number): boolean {
  if (range === undefined) return true;
  const m = /^(\d*)(-?)(\d*)$/.exec(range);
  if (!m) throw new InternalError(`latency classes: bad range ${range}`);
  if (m[2] === "") return sm === Number(m[1]);
  return sm >= Number(m[1] || 0) && sm <= Number(m[3] || 999);
}

function parseMembers(sm: number): Map<string, Entry<number>[]> {
  const out = new Map<string, Entry<number>[]>();
  for (const line of lines(memberText)) {
    const [head, list] = line.split(":");
    const [name, range] = head!.split("@");
    const index = classes.findIndex((c) => c.name === name);
    if (index < 0) throw new InternalError(`latency classes: unknown class ${name}`);
    if (!covers(range, sm)) continue;
    for (const entry of list!.trim().split(" ")) addEntry(out, entry, index);
  }
  return sorted(out);
}

/** Later lines come first among equals. */
function addEntry<T>(out: Map<string, Entry<T>[]>, name: string, value: T): void {
  const [op, ...mods] = name.split(".");
  const of = out.get(op!);
  if (of) of.unshift({ mods, value });
  else out.set(op!, [{ mods, value }]);
}

function sorted<T>(out: Map<string, Entry<T>[]>): Map<string, Entry<T>[]> {
  for (const of of out.values()) of.sort((a, b) => b.mods.length - a.mods.length);
  return out;
}

/** Lines `OPCODE… @SMs; cell; cell …`: what `make` makes of the cells, by opcode. */
function parseOpcodes<T>(text: string, sm: number, make: (cells: readonly string[]) => T): Map<string, Entry<T>[]> {
  const out = new Map<string, Entry<T>[]>();
  for (const line of lines(text)) {
    const [head, ...cells] = line.split(";").map((c) => c.trim());
    const [names, range] = head!.split("@");
    if (!covers(range?.trim(), sm)) continue;
    const value = make(cells);
    for (const name of names!.trim().split(" ")) addEntry(out, name, value);
  }
  return sorted(out);
}

/** A table for all SMs: lines `row column n n n …`, one number per SM in the order of `sms`; `-` is none. */
interface ParsedTable {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** Per SM: as `DistanceTable.cells`. */
  readonly cells: readonly Uint8Array[];
}

const parsedTables = new Map<string, ParsedTable>();

function tableOf(text: string, sm: Sm): DistanceTable {
  let t = parsedTables.get(text);
  if (!t) {
    t = parseTable(text);
    parsedTables.set(text, t);
  }
  const cells = t.cells[sms.indexOf(sm)]!;
  return { rows: t.rows, columns: t.columns, cells, largest: cells.reduce((a, b) => Math.max(a, b), 0) };
}

function parseTable(text: string): ParsedTable {
  const split = lines(text).map((l) => l.trim().split(/\s+/));
  const rows = new Map<string, number>();
  const columns = new Map<string, number>();
  for (const [row, column] of split) {
    if (!rows.has(row!)) rows.set(row!, rows.size);
    if (!columns.has(column!)) columns.set(column!, columns.size);
  }
  const cells = sms.map(() => new Uint8Array(rows.size * columns.size));
  for (const c of split) {
    const at = rows.get(c[0]!)! * columns.size + columns.get(c[1]!)!;
    for (let i = 0; i < sms.length; i++) {
      const n = c[2 + i] === "-" ? 0 : Number(c[2 + i]);
      if (c.length !== 2 + sms.length || !Number.isInteger(n) || n > 255)
        throw new InternalError(`latency table: bad line "${c.join(" ")}"`);
      cells[i]![at] = n;
    }
  }
  return { rows: [...rows.keys()], columns: [...columns.keys()], cells };
}
