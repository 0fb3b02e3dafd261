/**
 * Counted loops on plain registers (before the SSA window): which register counts, by what step, against which bound, and how
 * often the loop turns. A loop counts here when it has one entry, one back edge and one exit edge, both at the end of the same
 * block (the latch), so that each turn does all of it:
 *
 *     MOV %R8, RZ                             counter %R8, step 1, from 0
 *   b1:
 *     …                                       (blocks that come together again before the latch)
 *     IADD3 %R8, %R8, 0x1, RZ
 *     ISETP.LT.AND %P4, PT, %R8, %R2, PT      goes on while counter < %R2
 *     @%P4 BRA b1
 *
 * Values are followed back through copies and sums with constants along the blocks that each turn passes.
 */
import { isConditional, terminator } from "../ori/flow.js";
import { imm, isZeroReg } from "../ori/operand.js";
import {
  type Block,
  File,
  type Func,
  type Guard,
  type Inst,
  Kind,
  Mod,
  NO_INDEX,
  type Operand,
  ZERO_REG,
} from "../ori/types.js";
import { analysis } from "./cache.js";
import type { Loop } from "./loops.js";

/** How a counter is compared with its bound. */
export type Comparison = "LT" | "LE" | "GT" | "GE" | "EQ" | "NE";

/** A loop whose number of turns follows from a counter. */
export interface CountedLoop {
  /** The block that every turn enters first. */
  readonly header: Block;
  /** The block whose branch goes back. */
  readonly latch: Block;
  /** The block that follows the last turn. */
  readonly exit: Block;
  /** Under which the latch goes back. */
  readonly again: Guard;
  /** In the order of the layout. */
  readonly blocks: readonly Block[];
  /** The register that counts: one register of file R. */
  readonly counter: Operand;
  /** What is added to it in each turn. */
  readonly step: number;
  /** What it holds before the first turn, null where that is not known. */
  readonly init: number | null;
  /** After a turn another one follows if (counter + offset) `compare` bound. */
  readonly compare: Comparison;
  /** The comparison takes both sides as unsigned. */
  readonly unsigned: boolean;
  /** What is added to the counter before it is compared. */
  readonly offset: number;
  /** A literal, a constant of a bank, or a register that nothing in the loop writes. */
  readonly bound: Operand;
  /** Number of turns; null: it depends on values, or is above `MOST_TRIPS`. */
  readonly trips: number | null;
  /** What only counts: the sum, the comparison, the branch. */
  readonly overhead: ReadonlySet<Inst>;
}

/** Trips are counted by trying; loops with more are taken for unknown. */
const MOST_TRIPS = 1 << 20;
/** Blocks looked at for the value that a counter starts with. */
const WALK = 64;

/** The loop as a counted one, null when it is none. */
export function countedLoop(func: Func, loop: Loop): CountedLoop | null {
  if (loop.latches.length !== 1) return null;
  const at = (i: number): Block => func.blocks[i] as Block;
  const blocks = loop.blocks.map(at);
  const members = new Set(blocks);
  const [header, latch] = [at(loop.header), at(loop.latches[0] as number)];
  if (blocks.some((b) => b !== latch && b.succs.some((s) => !members.has(s)))) return null;
  const exit = latch.succs.find((s) => !members.has(s));
  const branch = terminator(latch);
  if (exit === undefined || latch.succs.length !== 2 || branch === null || branch.form.name !== "BRA") return null;
  const guard = branch.guard;
  if (guard === null || guard.file !== File.P || guard.id === ZERO_REG || conditionalByOperand(branch)) return null;
  const target = branch.srcs.find((o) => o.kind === Kind.Label)?.id;
  const goesOn = target === header.id ? !guard.not : guard.not;
  const turn = new Turn(func, loop, blocks);
  const end = { block: turn.spine.length - 1, inst: latch.insts.length };
  const test = turn.definition({ file: File.P, id: guard.id, sub: 0 }, end);
  if (test === null) return null;
  return counted(turn, { header, latch, exit, blocks, branch, goesOn, test, end });
}

/** A condition besides the guard. */
function conditionalByOperand(branch: Inst): boolean {
  const { guard } = branch;
  branch.guard = null;
  const conditional = isConditional(branch);
  branch.guard = guard;
  return conditional;
}

/** One register of a value. */
export interface RegisterUnit {
  /** File of the value. */
  readonly file: File;
  /** The value. */
  readonly id: number;
  /** Which of its registers, from 0. */
  readonly sub: number;
}

/** A place on the spine: before instruction `inst` of block `block`. */
interface Place {
  readonly block: number;
  readonly inst: number;
}

/** The value of a register at the start of the turn, or nothing (`unit` null), plus a constant. */
interface Value {
  readonly unit: RegisterUnit | null;
  readonly add: number;
  /** Sums passed on the way. */
  readonly sums: readonly Inst[];
}

const unitKey = (u: RegisterUnit): string => `${u.file}:${u.id}:${u.sub}`;
const unitOfOperand = (o: Operand): RegisterUnit => ({ file: o.file, id: o.id, sub: o.sub });

/** What one turn of a loop does to registers. */
class Turn {
  /** The blocks that every turn passes, in order. */
  readonly spine: readonly Block[];
  /** Registers written in blocks of the loop that are not on the spine. */
  private readonly aside: ReadonlySet<string>;
  private readonly written: ReadonlySet<string>;

  constructor(func: Func, loop: Loop, blocks: readonly Block[]) {
    const { idom } = analysis(func, "dominators");
    const spine: Block[] = [];
    for (let b = loop.latches[0] as number; ; b = idom[b] as number) {
      spine.unshift(func.blocks[b] as Block);
      if (b === loop.header) break;
    }
    this.spine = spine;
    const on = new Set(spine);
    const written = (of: readonly Block[]): Set<string> => {
      const keys = new Set<string>();
      for (const b of of) for (const i of b.insts) for (const o of i.dsts) for (const k of keysOf(o)) keys.add(k);
      return keys;
    };
    this.aside = written(blocks.filter((b) => !on.has(b)));
    this.written = written(blocks);
  }

  /** Nothing in the loop writes it. */
  invariant(u: RegisterUnit): boolean {
    return !this.written.has(unitKey(u));
  }

  /** The instruction that gave the register what it holds at that place; null: none in this turn, or more than one path. */
  definition(u: RegisterUnit, at: Place): Inst | null {
    const place = this.find(u, at);
    return place === null || place === "head" ? null : this.inst(place);
  }

  private inst(p: Place): Inst {
    return (this.spine[p.block] as Block).insts[p.inst] as Inst;
  }

  private find(u: RegisterUnit, at: Place): Place | "head" | null {
    const key = unitKey(u);
    if (!this.written.has(key)) return "head";
    if (this.aside.has(key)) return null;
    for (let block = at.block; block >= 0; block--) {
      const { insts } = this.spine[block] as Block;
      for (let inst = (block === at.block ? at.inst : insts.length) - 1; inst >= 0; inst--) {
        const i = insts[inst] as Inst;
        if (i.passed !== undefined) return null;
        if (i.dsts.some((o) => keysOf(o).includes(key))) return unguarded(i) ? { block, inst } : null;
      }
    }
    return "head";
  }

  /** The operand at that place as a value of the turn's start and a constant. */
  value(o: Operand, at: Place): Value | null {
    if (o.kind === Kind.Imm) return { unit: null, add: literal(o), sums: [] };
    if (o.kind !== Kind.Reg || o.file !== File.R || o.width !== 1 || o.part !== "" || o.mods !== 0) return null;
    if (isZeroReg(o)) return { unit: null, add: 0, sums: [] };
    const unit = unitOfOperand(o);
    const place = this.find(unit, at);
    if (place === null) return null;
    if (place === "head") return { unit, add: 0, sums: [] };
    const inst = this.inst(place);
    const sum = sumOf(inst);
    if (sum === null) return null;
    const from = this.value(sum.of, place);
    return from && { unit: from.unit, add: (from.add + sum.add) | 0, sums: [...from.sums, inst] };
  }
}

const unguarded = (i: Inst): boolean => i.guard === null || (i.guard.id === ZERO_REG && !i.guard.not);

function keysOf(o: Operand): string[] {
  if (o.kind !== Kind.Reg || o.id === ZERO_REG) return [];
  return Array.from({ length: o.width }, (_, k) => unitKey({ file: o.file, id: o.id, sub: o.sub + k }));
}

const literal = (o: Operand): number => ((o.mods & Mod.Neg) !== 0 ? -o.value : o.value) | 0;

/** `MOV d, x` and `IADD3 d, x, constant, RZ` as x plus a constant. */
function sumOf(inst: Inst): { of: Operand; add: number } | null {
  const [d, ...rest] = inst.dsts;
  if (d === undefined || d.kind !== Kind.Reg || d.width !== 1 || d.part !== "" || !rest.every(isNothing)) return null;
  if (inst.form.name === "MOV") return { of: inst.srcs[0] as Operand, add: 0 };
  if (inst.form.name !== "IADD3") return null;
  const [a, b, c] = inst.srcs as [Operand, Operand, Operand];
  const constants = [a, b, c].filter((o) => o.kind === Kind.Imm || isZeroReg(o));
  const others = [a, b, c].filter((o) => !constants.includes(o));
  if (others.length > 1) return null;
  const add = constants.reduce((n, o) => (n + (o.kind === Kind.Imm ? literal(o) : 0)) | 0, 0);
  const [of] = others;
  return of === undefined ? { of: { ...a, kind: Kind.Imm, mods: 0, value: add >>> 0 }, add: 0 } : { of, add };
}

const isNothing = (o: Operand): boolean => o.kind === Kind.None || isZeroReg(o);

interface Parts {
  readonly header: Block;
  readonly latch: Block;
  readonly exit: Block;
  readonly blocks: readonly Block[];
  readonly branch: Inst;
  /** The branch goes back when the comparison holds. */
  readonly goesOn: boolean;
  readonly test: Inst;
  readonly end: Place;
}

const opposites: Readonly<Record<Comparison, Comparison>> = {
  LT: "GE",
  GE: "LT",
  LE: "GT",
  GT: "LE",
  EQ: "NE",
  NE: "EQ",
};
const swapped: Readonly<Record<Comparison, Comparison>> = {
  LT: "GT",
  GT: "LT",
  LE: "GE",
  GE: "LE",
  EQ: "EQ",
  NE: "NE",
};

function counted(turn: Turn, parts: Parts): CountedLoop | null {
  const { header, latch, exit, blocks, branch, goesOn, test, end } = parts;
  const named = /^ISETP\.(LT|LE|GT|GE|EQ|NE)(\.U32)?\.AND$/.exec(test.form.name);
  const pin = test.srcs[2];
  if (named === null || pin === undefined || !isZeroReg(pin) || pin.mods !== 0) return null;
  if (test.srcs.slice(3).some((o) => !isZeroReg(o))) return null;
  if (test.dsts[0]?.id !== branch.guard?.id) return null;
  const block = turn.spine.findIndex((b) => b.insts.includes(test));
  const at = { block, inst: (turn.spine[block] as Block).insts.indexOf(test) };
  let compare = named[1] as Comparison;
  if (!goesOn) compare = opposites[compare];
  const [a, b] = test.srcs as [Operand, Operand];
  for (const [x, bound, how] of [
    [a, b, compare],
    [b, a, swapped[compare]],
  ] as const) {
    const value = turn.value(x, at);
    if (value === null || value.unit === null || turn.invariant(value.unit) || !isBound(turn, bound)) continue;
    const counter = { ...x, ...value.unit };
    const next = turn.value(counter, end);
    if (next?.unit == null || unitKey(next.unit) !== unitKey(value.unit) || next.add === 0) continue;
    const init = startOf(header, blocks, value.unit);
    const offset = (value.add - next.add) | 0;
    const unsigned = named[2] !== undefined;
    const limit = constantOf(bound, header, blocks);
    const trips =
      init === null || limit === null ? null : tripsOf((init + value.add) | 0, next.add, how, limit, unsigned);
    const sums = next.sums.filter((i) => i.form.op !== "MOV");
    const overhead = new Set([...sums.slice(0, 1), test, branch]);
    const fixed = limit === null ? bound : imm(limit);
    const count = { counter, step: next.add, init, compare: how, unsigned, offset, bound: fixed, trips };
    const again: Guard = { file: File.P, id: (branch.guard as Guard).id, not: !goesOn };
    return { header, latch, exit, again, blocks, ...count, overhead };
  }
  return null;
}

/** What the bound is as a number, null where that is not known. */
function constantOf(o: Operand, header: Block, blocks: readonly Block[]): number | null {
  if (o.kind === Kind.Imm) return literal(o);
  if (o.kind !== Kind.Reg) return null;
  return isZeroReg(o) ? 0 : startOf(header, blocks, unitOfOperand(o));
}

function isBound(turn: Turn, o: Operand): boolean {
  if (o.kind === Kind.Imm) return true;
  if (o.kind === Kind.Const) return o.index === NO_INDEX;
  if (o.kind !== Kind.Reg || o.file !== File.R || o.width !== 1 || o.part !== "" || o.mods !== 0) return false;
  return isZeroReg(o) || turn.invariant(unitOfOperand(o));
}

function holds(a: number, how: Comparison, b: number, unsigned: boolean): boolean {
  const [x, y] = unsigned ? [a >>> 0, b >>> 0] : [a | 0, b | 0];
  switch (how) {
    case "LT":
      return x < y;
    case "LE":
      return x <= y;
    case "GT":
      return x > y;
    case "GE":
      return x >= y;
    case "EQ":
      return x === y;
    default:
      return x !== y;
  }
}

function tripsOf(first: number, step: number, how: Comparison, bound: number, unsigned: boolean): number | null {
  let x = first;
  for (let n = 1; n <= MOST_TRIPS; n++) {
    if (!holds(x, how, bound, unsigned)) return n;
    x = (x + step) | 0;
  }
  return null;
}

/** The constant that a register holds when the loop is entered, null when it is not known. */
export function startOf(header: Block, blocks: readonly Block[], unit: RegisterUnit): number | null {
  const entries = header.preds.filter((p) => !blocks.includes(p));
  let [block, key, add] = [entries.length === 1 ? entries[0] : undefined, unitKey(unit), 0];
  for (let n = 0; block !== undefined && n < WALK; n++) {
    for (let i = block.insts.length - 1; i >= 0; i--) {
      const inst = block.insts[i] as Inst;
      if (inst.passed !== undefined) return null;
      if (!inst.dsts.some((o) => keysOf(o).includes(key))) continue;
      const sum = unguarded(inst) ? sumOf(inst) : null;
      if (sum === null) return null;
      add = (add + sum.add) | 0;
      const { of } = sum;
      if (of.kind === Kind.Imm || (of.kind === Kind.Reg && isZeroReg(of)))
        return (add + (of.kind === Kind.Imm ? literal(of) : 0)) | 0;
      if (of.kind !== Kind.Reg || of.file !== File.R || of.width !== 1 || of.part !== "" || of.mods !== 0) return null;
      key = unitKey(unitOfOperand(of));
    }
    const [only, ...more]: readonly Block[] = block.preds;
    block = more.length === 0 ? only : undefined;
  }
  return null;
}
