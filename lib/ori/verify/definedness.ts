/**
 * Is every register unit defined on every path before it is read? Forward dataflow: a unit is defined at the start of
 * a block when it is at the end of all predecessors that can be reached. A guarded definition counts as one: whether the
 * guards of definition and use agree is beyond this check. The operand walk is written out here and shares nothing with
 * lib/analysis, which passes use.
 */
import { isPhi } from "../flow.js";
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../types.js";
import type { Findings } from "./finding.js";
import { fileNames } from "./operands.js";

type Visit = (unit: number, id: number, file: File) => void;

/** Numbers the units: by value and part, or by file and register number. */
function unitNumber(func: Func): { count: number; of: (file: File, id: number, sub: number) => number } {
  if (!func.virtual) return { count: 6 * 256, of: (file, id, sub) => file * 256 + id + sub };
  const base: number[] = [];
  let count = 0;
  for (let v = 0; v < func.values.count; v++) {
    base.push(count);
    count += func.values.width(v);
  }
  return { count, of: (_file, id, sub) => (base[id] ?? 0) + sub };
}

type UnitOf = (file: File, id: number, sub: number) => number;

function eachUnit(of: UnitOf, o: Operand, visit: Visit): void {
  if (o.kind === Kind.Reg && o.id !== ZERO_REG) {
    for (let k = 0; k < o.width; k++) visit(of(o.file, o.id, o.sub + k), o.id, o.file);
  } else if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG) {
    const file = o.file === File.None ? File.R : o.file;
    visit(of(file, o.index, 0), o.index, file);
  }
}

function eachUse(of: UnitOf, inst: Inst, visit: Visit): void {
  const g = inst.guard;
  if (g !== null && g.id !== ZERO_REG) visit(of(g.file, g.id, 0), g.id, g.file);
  // A barrier that is emptied into no register is not read: it may hold anything.
  const emptied = inst.form.name === "BMOV.32.CLEAR" && inst.dsts[0]?.id === ZERO_REG;
  if (!emptied) for (const o of inst.srcs) eachUnit(of, o, visit);
  for (const o of inst.passed?.uses ?? []) eachUnit(of, o, visit);
}

/** What the caller provides: values bound to a register of a called function, and all of its physical registers. */
function definedAtEntry(func: Func, of: UnitOf, set: Uint8Array): void {
  if (func.kind !== "func") return;
  if (!func.virtual) set.fill(1);
  else {
    for (let v = 0; v < func.values.count; v++) {
      if (func.values.fixed(v) < 0) continue;
      for (let k = 0; k < func.values.width(v); k++) set[of(func.values.file(v), v, k)] = 1;
    }
  }
}

type Routines = ReadonlyMap<number, Block>;

/** Blocks that are called, by id. */
function routinesOf(func: Func): Routines {
  const routines = new Map<number, Block>();
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      if (inst.form.flow !== "call") continue;
      for (const o of inst.srcs) {
        const called = o.kind === Kind.Label ? func.blocks.find((b) => b.id === o.id) : undefined;
        if (called !== undefined) routines.set(o.id, called);
      }
    }
  }
  return routines;
}

/** What is defined after an instruction; after a call, what the called block defines too. */
function define(of: UnitOf, inst: Inst, routines: Routines, set: Uint8Array): void {
  for (const o of inst.dsts) {
    eachUnit(of, o, (u) => {
      set[u] = 1;
    });
  }
  for (const o of inst.passed?.defs ?? []) {
    eachUnit(of, o, (u) => {
      set[u] = 1;
    });
  }
  if (inst.form.flow !== "call") return;
  for (const o of inst.srcs) {
    const called = o.kind === Kind.Label ? routines.get(o.id) : undefined;
    for (const i of called?.insts ?? []) if (i.form.flow !== "call") define(of, i, routines, set);
  }
}

/** Units defined at the start of each reachable block. */
function solve(func: Func, count: number, of: UnitOf, routines: Routines): Map<Block, Uint8Array> {
  const atStart = new Map<Block, Uint8Array>();
  const entry = func.blocks[0] as Block;
  const first = new Uint8Array(count);
  definedAtEntry(func, of, first);
  atStart.set(entry, first);
  const work: Block[] = [entry];
  for (let b = work.shift(); b !== undefined; b = work.shift()) {
    const end = (atStart.get(b) as Uint8Array).slice();
    for (const inst of b.insts) define(of, inst, routines, end);
    for (const s of b.succs) {
      const known = atStart.get(s);
      if (known === undefined) atStart.set(s, end.slice());
      else if (!meet(known, end)) continue;
      if (!work.includes(s)) work.push(s);
    }
  }
  return atStart;
}

/** Intersects in place; true when something was lost. */
function meet(known: Uint8Array, other: Uint8Array): boolean {
  let changed = false;
  for (let i = 0; i < known.length; i++) {
    if (known[i] === 1 && other[i] === 0) {
      known[i] = 0;
      changed = true;
    }
  }
  return changed;
}

export function checkDefinedness(func: Func, ignore: ReadonlySet<number>, out: Findings): void {
  const { count, of } = unitNumber(func);
  const routines = routinesOf(func);
  const atStart = solve(func, count, of, routines);
  for (const block of func.blocks) {
    const start = atStart.get(block);
    if (start === undefined) continue;
    const now = start.slice();
    for (const inst of block.insts) {
      if (!isPhi(inst)) reportUses(func, of, block, inst, now, ignore, out);
      define(of, inst, routines, now);
    }
    for (const s of block.succs) checkPhiSources(of, block, s, now, ignore, out);
  }
}

function reportUses(
  func: Func,
  of: UnitOf,
  block: Block,
  inst: Inst,
  now: Uint8Array,
  ignore: ReadonlySet<number>,
  out: Findings,
): void {
  let last = -1;
  eachUse(of, inst, (u, id, file) => {
    if (now[u] === 1 || id === last || (func.virtual && ignore.has(id))) return;
    last = id;
    const name = `${func.virtual ? "%" : ""}${fileNames[file]}${id}`;
    out.add("undefined", `${inst.form.name} reads ${name}, which some path leaves undefined`, block, inst, id);
  });
}

/** A phi reads its source at the end of the predecessor that the source belongs to. */
function checkPhiSources(
  of: UnitOf,
  from: Block,
  to: Block,
  now: Uint8Array,
  ignore: ReadonlySet<number>,
  out: Findings,
): void {
  for (const inst of to.insts) {
    if (!isPhi(inst)) break;
    const source = inst.srcs[to.preds.indexOf(from)];
    if (source === undefined) continue;
    eachUnit(of, source, (u, id) => {
      if (now[u] === 1 || ignore.has(id)) return;
      out.add("undefined", `a phi reads %${id}, undefined at the end of block ${from.id}`, to, inst, id);
    });
  }
}
