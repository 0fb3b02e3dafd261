/**
 * Pairs of instructions that depend on each other through one register, the distance that our tables ask of them, and the
 * cell which asks most.
 */

import { guardPort, latencyTables, type Ports, portOf } from "../../lib/isa/latency/index.js";
import { GUARD, rawDistance, setToWait, timingOf, warDistance, wawDistance } from "../../lib/isa/latency.js";
import { IMPLICIT, Kind, type MachineInst, NO_INDEX, type Operand } from "../../lib/isa/operand.js";
import { File } from "../../lib/isa/types.js";
import { assembleLines } from "../../lib/sass/assembly.js";
import { decodeInst, guardsOf } from "../../lib/sass/index.js";
import type { Target } from "../../lib/target/index.js";
import { lateWriters, type Op, readers, writers } from "./latency-ops.js";

type Dependence = "raw" | "waw" | "war";
/**
 * `set`: from setting a scoreboard to the wait for it, `read`: the same of one for operands; `late`: from an instruction that reads
 * late, without a scoreboard, to the overwriting (what a distance would have to be).
 */
export type Kinds = Dependence | "set" | "read" | "late";
export const registerFiles = ["R", "P", "UR", "UP"] as const;
export type RegisterFile = (typeof registerFiles)[number];

export interface Pair {
  readonly kind: Kinds;
  readonly file: RegisterFile;
  /** Ports of the cell that asks most: the earlier instruction's, the later one's. */
  readonly earlier: string;
  readonly later: string;
  readonly first: Op;
  readonly second: Op;
  readonly firstText: string;
  readonly secondText: string;
  /** Cycles. */
  readonly table: number;
}

/** A pair as latency.py and latency-results.ts know it. */
export interface Entry extends Pick<Pair, "kind" | "file" | "later" | "earlier" | "table"> {
  readonly cubin: string;
  readonly kernel: string;
  readonly first: string;
  readonly second: string;
  /** Of the variants in their order, cycles; 0: far apart, −1: one taken out. */
  readonly distances: readonly number[];
}

const files: Readonly<Record<RegisterFile, File>> = { R: File.R, P: File.P, UR: File.UR, UP: File.UP };
const bases: Readonly<Record<RegisterFile, number>> = { R: 16, P: 1, UR: 8, UP: 1 };

/** The text with the shared register, that is register `k` of the operand; null where it would not be aligned. */
function placed(text: string, file: RegisterFile, shared: number, k: number): string | null {
  const named = /\{x(\d?)\}/.exec(text);
  // R2P and P2R name the predicate by a mask.
  if (named === null) return k === 0 ? text : null;
  const width = Number(named[1] || 1);
  const base = shared - k;
  if (k >= width || base % width !== 0) return null;
  return text.replace(/\{x\d?\}/g, `${file}${base}`);
}

export function instruction(text: string, target: Target): MachineInst {
  const bare = text.replace(/`\(skip\)/, "`(here)");
  const span = { start: 0, end: 0, line: 1, column: 1 };
  const words = assembleLines([{ text: `here: B------ R- W- Y S01 ${bare} ;`, span }], target);
  if (!words.ok) throw new Error(`${text}: ${words.diagnostics[0]!.message}`);
  return decodeInst(words.value, 0, target)!;
}

/** Registers of a file that an operand names, as first and number. */
function span(o: Operand, file: File): readonly [number, number] | null {
  if (o.kind === Kind.Const && o.index !== NO_INDEX && file === File.UR) return [o.index, 1];
  return o.kind === Kind.Reg && o.file === file ? [o.id, Math.max(1, o.width)] : null;
}

interface Place {
  /** As the functions of lib/isa/latency.ts name it. */
  readonly slot: number;
  readonly port: string;
}

/** Operands of one side that have the register. */
function places(inst: MachineInst, side: "dsts" | "srcs", file: RegisterFile, register: number, t: Target): Place[] {
  const tables = latencyTables(t.sm);
  const c = tables.classes[tables.classOf(inst.form.op, inst.form.mods)]!;
  const ports: Ports = side === "dsts" ? c.writes : c.reads;
  const out: Place[] = [];
  inst[side].forEach((o, slot) => {
    const s = span(o, files[file]);
    if (s === null || register < s[0] || register >= s[0] + s[1]) return;
    const name = inst.form[side][slot]!.name;
    const k = Math.min(register - s[0], 1);
    out.push({ slot, port: portOf(ports, file, name, k, o.kind === Kind.Const) ?? "-" });
  });
  if (side === "srcs" && inst.guard?.file === files[file] && inst.guard.id === register)
    out.push({ slot: GUARD, port: guardPort[file]! });
  const mask = side === "dsts" ? "R2P" : "P2R";
  if (file === "P" && inst.form.op === mask) out.push({ slot: IMPLICIT, port: ports.get("P") ?? "-" });
  return out;
}

/** What the tables ask for two instructions and the register that they share; null where no distance guards them. */
export function required(
  kind: Dependence,
  first: MachineInst,
  second: MachineInst,
  file: RegisterFile,
  registers: readonly number[],
  target: Target,
): { readonly table: number; readonly earlier: string; readonly later: string } | null {
  const early = timingOf(first, target);
  if (kind === "war" ? early.read || guardsOf(first.form, target).read : early.write) return null;
  let most: { table: number; earlier: string; later: string } | null = null;
  for (const register of registers)
    for (const a of places(first, kind === "war" ? "srcs" : "dsts", file, register, target))
      for (const b of places(second, kind === "raw" ? "srcs" : "dsts", file, register, target)) {
        const distance = { raw: rawDistance, waw: wawDistance, war: warDistance }[kind];
        const table = distance(first, a.slot, second, b.slot, target);
        if (table > 0 && (most === null || table > most.table)) most = { table, earlier: a.port, later: b.port };
      }
  return most;
}

/** Pairs of a cell that are tried. */
const perCell: Readonly<Record<Dependence, number>> = { raw: 5, waw: 3, war: 2 };

/** Nothing that a wrong value could lead astray, or whose two orders nobody can tell apart. */
function tame(p: Pair): boolean {
  const both = [p.first, p.second];
  if (both.some((o) => o.address) && both.some((o) => o.wild)) return false;
  return !(p.kind === "waw" && both.every((o) => o.constant));
}

/** A few pairs for every cell that writers and readers reach, and those that scoreboards guard. */
export function pairs(target: Target): Pair[] {
  const cells = new Map<string, Pair[]>();
  for (const file of registerFiles)
    for (const kind of ["raw", "waw", "war"] as const) {
      const firsts = kind === "war" ? readers[file] : writers[file];
      const seconds = kind === "raw" ? readers[file] : [...writers[file], ...lateWriters[file]];
      for (const first of firsts)
        for (const second of seconds)
          for (const pair of placements(kind, file, first, second, target)) {
            if (!tame(pair)) continue;
            const key = `${kind} ${file} ${pair.later} ${pair.earlier}`;
            const list = cells.get(key);
            if (list) list.push(pair);
            else cells.set(key, [pair]);
          }
    }
  return [
    ...[...cells.values()].flatMap((list) => spread(list, perCell[list[0]!.kind as Dependence])),
    ...scoreboards(target),
  ];
}

/** A few of the list in which as many instructions as possible appear. */
function spread(list: readonly Pair[], count: number): Pair[] {
  const used = new Map<string, number>();
  const out: Pair[] = [];
  const rest = [...list];
  while (out.length < count && rest.length > 0) {
    let best = 0;
    let least = Infinity;
    rest.forEach((p, i) => {
      const n = (used.get(p.firstText) ?? 0) + (used.get(p.secondText) ?? 0);
      if (n < least) {
        least = n;
        best = i;
      }
    });
    const [p] = rest.splice(best, 1);
    for (const t of [p!.firstText, p!.secondText]) used.set(t, (used.get(t) ?? 0) + 1);
    out.push(p!);
  }
  return out;
}

const LATE_CYCLES = 29;

/** Pairs that a scoreboard guards. */
function scoreboards(target: Target): Pair[] {
  const out: Pair[] = [];
  const waiters = {
    R: ["IADD3 R20, {x}, R44, R48", "FFMA R20, {x}, R44, R48", "MUFU.RCP R20, {x}"],
    P: ["SEL R20, R44, R48, {x}"],
    UR: ["UIADD3 UR12, {x}, UR20, URZ", "MOV R20, {x}"],
    UP: [],
  };
  const add = (kind: Kinds, file: RegisterFile, first: Op, second: Op, earlier: string, table: number): void => {
    const own = `${file}${bases[file]}`;
    // Of a pair the second register is the one that counts in every operation on doubles.
    const high = kind !== "set" && first.text.includes("{x2}") ? `${file}${bases[file] + 1}` : own;
    const texts = [first.text.replace(/\{x\d?\}/g, own), second.text.replace(/\{x\d?\}/g, high)];
    out.push({
      kind,
      file,
      first,
      second,
      firstText: texts[0]!,
      secondText: texts[1]!,
      earlier,
      later: kind === "late" ? "write" : "wait",
      table,
    });
  };
  for (const file of registerFiles) {
    for (const first of lateWriters[file])
      for (const text of waiters[file]) {
        const inst = read(first.text.replace(/\{x\d?\}/g, `${file}${bases[file]}`), target);
        if (timingOf(inst, target).write) add("set", file, first, { text }, inst.form.op, setToWait(inst, target));
      }
    for (const first of readers[file]) {
      const inst = read(first.text.replace(/\{x\d?\}/g, `${file}${bases[file]}`), target);
      if (file !== "R" || !timingOf(inst, target).read) continue;
      add("read", file, first, { text: "MOV {x}, R32" }, inst.form.op, setToWait(inst, target));
      for (const text of ["MOV {x}, R32", "FADD {x}, R32, R36"])
        add("late", file, first, { text }, inst.form.op, LATE_CYCLES - 1);
    }
  }
  return out;
}

const decoded = new Map<string, MachineInst>();
function read(text: string, target: Target): MachineInst {
  let inst = decoded.get(text);
  if (!inst) {
    inst = instruction(text, target);
    decoded.set(text, inst);
  }
  return inst;
}

function placements(kind: Dependence, file: RegisterFile, first: Op, second: Op, target: Target): Pair[] {
  const found = new Map<string, Pair>();
  const many = file === "R" || file === "UR" ? 4 : 1;
  for (let shared = bases[file]; shared < bases[file] + many; shared++)
    for (let k1 = 0; k1 < 4; k1++)
      for (let k2 = 3; k2 >= 0; k2--) {
        const firstText = placed(first.text, file, shared, k1);
        const secondText = placed(second.text, file, shared, k2);
        if (firstText === null || secondText === null) continue;
        const all = [0, 1, 2, 3].map((i) => bases[file] + i).slice(0, many);
        const need = required(kind, read(firstText, target), read(secondText, target), file, all, target);
        if (need === null) continue;
        const key = `${need.earlier} ${need.later} ${k2}`;
        if (!found.has(key)) found.set(key, { kind, file, first, second, firstText, secondText, ...need });
      }
  return [...found.values()];
}
