/**
 * Live registers of decoded code. What an instruction reads and writes follows from its operands (file, first register,
 * width); liveness is the usual backward fixed point over the blocks of `codeFlow`. A result under a guard does not end
 * the life of what was there before. The stack pointer R1 is live wherever a thread ends, as nvdisasm counts it.
 *
 * Calls are summed up: what a function needs with nothing live after it, and which registers it lets through, give what
 * must live before a call; what it may write counts at the call, as in nvdisasm. A return gives back what is live
 * after any call of the section (the return address is data).
 *
 * nvdisasm counts otherwise in some points, and so do we where `asNvdisasm` asks for it. It does not follow calls but takes
 * them by the calling convention, as far as its table for the file has columns: a call reads R0 and R1 and may write R0,
 * R3 … R15, above 31 every other four registers as far as the function has them, all predicates and UR4 … UR35; a return
 * gives back R1, R2 and the other registers that the function has, of the uniform ones those from UR36 on that it names. The stack pointer is live after
 * every block (ptxas's code for sm_87 moves barriers about, in blocks of their own, before it writes R1). A result under a uniform guard is
 * certain to it, operands that begin at UR0 … UR3 and UR63 and up do not count, and the predicate after the address of
 * LD, LDG and LDGSTS is written, too. Measured with -plr (tools/live-words.ts, tools/live-figures.ts,
 * test/oracle/sass-live.test.ts).
 */

import { Kind, type MachineInst, NO_INDEX, ZERO_REG } from "../isa/operand.js";
import { File } from "../isa/types.js";
import type { Target } from "../target/types.js";
import { type CodeBlock, codeFlow, type FlowFacts } from "./flow.js";

/** First bit of each file in a set of registers: 256 R, 256 UR, 8 P, 8 UP. */
const firstBit: Readonly<Record<number, number>> = { [File.R]: 0, [File.UR]: 256, [File.P]: 512, [File.UP]: 520 };
const setWords = 17;

/** Registers that an instruction reads and writes, each in ascending order of file and number, once. */
export interface RegisterUse {
  /** Registers that it reads. */
  readonly reads: readonly RegisterName[];
  /** Registers that it writes. */
  readonly writes: readonly RegisterName[];
}

/** A physical register. */
export interface RegisterName {
  /** Register file that the number counts in. */
  readonly file: File;
  /** Its number in the file. */
  readonly id: number;
}

/** Live registers at one instruction: those read, written or needed later. */
export interface LiveCount {
  /** Ordinary registers. */
  readonly r: number;
  /** Uniform registers. */
  readonly ur: number;
  /** Predicates. */
  readonly p: number;
  /** Uniform predicates. */
  readonly up: number;
}

/** What the operands say; guards included. */
export function registerUse(inst: MachineInst, target: Target): RegisterUse {
  const set = new Uint32Array(2 * setWords);
  addUses(inst, set, 0, uniformsOf(target));
  addDefs(inst, set, setWords, uniformsOf(target));
  return { reads: names(set, 0), writes: names(set, setWords) };
}

/** Uniform registers that count: operands that begin at one of them, as far as they reach. */
interface Uniforms {
  readonly from: number;
  readonly end: number;
}

/** The last registers of a wide operand may not exist. */
const uniformsOf = (target: Target): Uniforms => ({ from: 0, end: target.limits.uniformRegisters });

/** What nvdisasm knows of a function when it comes to calls. */
export interface Convention {
  /** Registers per thread of the function. */
  readonly registers: number;
  /** Registers that its table for the file has columns for (`columnsOf`). */
  readonly columns: LiveCount;
}

export interface LiveFacts extends FlowFacts {
  /** Count as nvdisasm does (see above). */
  readonly asNvdisasm?: Convention;
}

/** Counts per instruction, those of `nvdisasm -lrm count` where `asNvdisasm` is given. */
export function liveCounts(
  insts: readonly (MachineInst | null)[],
  target: Target,
  facts: LiveFacts = {},
): readonly LiveCount[] {
  const counts: LiveCount[] = new Array(insts.length);
  eachLive(insts, target, facts, (i, here) => {
    counts[i] = countOf(here);
  });
  return counts;
}

/** A register at one instruction: written `^`, read `v`, both `x`, only living through `:`. */
export interface LifeMark extends RegisterName {
  /** `^` written, `v` read, `x` both, `:` kept. */
  readonly mark: "^" | "v" | "x" | ":";
}

/** Life ranges: the registers that live at each instruction, in ascending order of file and number (`nvdisasm -plr`). */
export function lifeRanges(
  insts: readonly (MachineInst | null)[],
  target: Target,
  facts: LiveFacts = {},
): readonly (readonly LifeMark[])[] {
  const out: (readonly LifeMark[])[] = new Array(insts.length);
  eachLive(insts, target, facts, (i, here, { uses, writes }) => {
    const has = (set: Uint32Array, bit: number): boolean =>
      ((set[setWords * i + (bit >> 5)]! >>> (bit & 31)) & 1) === 1;
    out[i] = names(here, 0).map(({ file, id }) => {
      const bit = firstBit[file]! + id;
      const written = has(writes, bit);
      return { file, id, mark: has(uses, bit) ? (written ? "x" : "v") : written ? "^" : ":" };
    });
  });
  return out;
}

/** Calls `visit` with the registers that live at each instruction; the set is used again for the next one. */
function eachLive(
  insts: readonly (MachineInst | null)[],
  target: Target,
  facts: LiveFacts,
  visit: (index: number, here: Uint32Array, effects: Effects) => void,
): void {
  const effects = effectsOf(insts, facts.asNvdisasm === undefined ? uniformsOf(target) : shownUniforms);
  let blocks = codeFlow(insts, facts);
  if (facts.asNvdisasm !== undefined) {
    assume(insts, effects, facts.asNvdisasm);
    blocks = blocks.map((b) => ({ ...b, call: null }));
  }
  const calls = new Calls(blocks, insts, effects, facts.asNvdisasm === undefined ? noRegister : stackPointerAlone());
  const liveOut = calls.liveAfter();
  const live = new Uint32Array(setWords);
  const here = new Uint32Array(setWords);
  for (const b of blocks) {
    copy(live, 0, liveOut, setWords * b.id);
    if (b.call !== null) for (const s of b.succ) merge(live, 0, calls.needs, setWords * s);
    for (let i = b.end - 1; i >= b.start; i--) {
      here.set(live);
      if (b.call !== null && i === b.end - 1) {
        copy(live, 0, liveOut, setWords * b.id);
        merge(here, 0, live, 0);
        merge(here, 0, calls.writes, setWords * b.call);
      }
      step(live, effects.reads, effects.kills, setWords * i);
      merge(here, 0, live, 0);
      merge(here, 0, effects.writes, setWords * i);
      visit(i, here, effects);
    }
  }
}

interface Effects {
  /** What the instruction says it reads … */
  readonly uses: Uint32Array;
  /** … and what is needed besides: the stack pointer at the end of a thread. */
  readonly reads: Uint32Array;
  readonly writes: Uint32Array;
  /** Writes that certainly happen. */
  readonly kills: Uint32Array;
}

function effectsOf(insts: readonly (MachineInst | null)[], uniforms: Uniforms): Effects {
  const uses = new Uint32Array(setWords * insts.length);
  const reads = new Uint32Array(setWords * insts.length);
  const writes = new Uint32Array(setWords * insts.length);
  const kills = new Uint32Array(setWords * insts.length);
  insts.forEach((inst, i) => {
    if (inst === null) return;
    addUses(inst, uses, setWords * i, uniforms);
    merge(reads, setWords * i, uses, setWords * i);
    if (endsThread(inst, 16 * i)) addRange(reads, setWords * i, File.R, stackPointer, 1);
    addDefs(inst, writes, setWords * i, uniforms);
    if (inst.guard === null) merge(kills, setWords * i, writes, setWords * i);
  });
  return { uses, reads, writes, kills };
}

const stackPointer = 1;
const noRegister = new Uint32Array(setWords);

function stackPointerAlone(): Uint32Array {
  const set = new Uint32Array(setWords);
  addRange(set, 0, File.R, stackPointer, 1);
  return set;
}

/** Uniform registers that nvdisasm shows, on every SM. */
const shownUniforms: Uniforms = { from: 4, end: 63 };

/** Loads whose last predicate nvdisasm takes for a result as well. */
const writesPredicate: ReadonlySet<string> = new Set(["LD", "LDG", "LDGSTS"]);

/** A call reads so many registers: R0 and the stack pointer. */
const callReads = 2;

/** Uniform registers from this one on are left as they were by a call. */
const keptUniforms = 36;

/** Does a call leave this register of R as it was? */
const isKept = (id: number): boolean => id === 1 || id === 2 || (id >= 16 && id < 32) || (id >= 32 && (id & 4) !== 0);

/**
 * Columns of nvdisasm's table for a file with these functions: up to the last register that one names or gives back; the
 * operands of calls do not count.
 */
export function columnsOf(
  functions: readonly {
    /** Instructions in order of address; null for unknown words. */
    readonly insts: readonly (MachineInst | null)[];
    /** Registers per thread. */
    readonly registers: number;
  }[],
): LiveCount {
  const named = new Uint32Array(setWords);
  for (const { insts, registers } of functions) {
    addNamed(named, effectsOf(withoutCalls(insts), shownUniforms));
    if (insts.some((i) => i?.form.flow === "call")) addRange(named, 0, File.R, 0, callReads);
    if (!insts.some((i) => i?.form.flow === "return")) continue;
    for (let id = 0; id < registers; id++) if (isKept(id)) addRange(named, 0, File.R, id, 1);
  }
  const ends = { [File.R]: 0, [File.UR]: 0, [File.P]: 0, [File.UP]: 0 };
  for (const { file, id } of names(named, 0)) ends[file as keyof typeof ends] = id + 1;
  return { r: ends[File.R], ur: ends[File.UR], p: ends[File.P], up: ends[File.UP] };
}

const withoutCalls = (insts: readonly (MachineInst | null)[]): (MachineInst | null)[] =>
  insts.map((i) => (i?.form.flow === "call" ? null : i));

function addNamed(set: Uint32Array, effects: Effects): void {
  for (let at = 0; at < effects.reads.length; at += setWords) {
    merge(set, 0, effects.reads, at);
    merge(set, 0, effects.writes, at);
  }
}

/** What nvdisasm takes calls and returns to do, and uniform guards. */
function assume(insts: readonly (MachineInst | null)[], effects: Effects, { registers, columns }: Convention): void {
  const named = new Uint32Array(setWords);
  addNamed(named, effects);
  const table = new Uint32Array(setWords);
  for (let id = 0; id < columns.r; id++) addRange(table, 0, File.R, id, 1);
  for (let id = 0; id < columns.ur; id++) addRange(table, 0, File.UR, id, 1);
  for (let id = 0; id < columns.p; id++) addRange(table, 0, File.P, id, 1);
  for (let id = 0; id < columns.up; id++) addRange(table, 0, File.UP, id, 1);
  const call = new Uint32Array(setWords);
  const back = new Uint32Array(setWords);
  for (let id = 0; id < registers; id++) if (isKept(id)) addRange(back, 0, File.R, id, 1);
  for (const { file, id } of names(named, 0))
    if (file === File.UR && id >= keptUniforms) addRange(back, 0, file, id, 1);
  for (let id = 0; id < Math.min(columns.r, registers); id++) if (!isKept(id)) addRange(call, 0, File.R, id, 1);
  for (let id = shownUniforms.from; id < Math.min(columns.ur, keptUniforms); id++) addRange(call, 0, File.UR, id, 1);
  for (let id = 0; id < columns.p; id++) addRange(call, 0, File.P, id, 1);
  for (let id = 0; id < columns.up; id++) addRange(call, 0, File.UP, id, 1);
  insts.forEach((inst, i) => {
    if (inst === null) return;
    if (inst.guard?.file === File.UP) merge(effects.kills, setWords * i, effects.writes, setWords * i);
    if (writesPredicate.has(inst.form.op))
      inst.srcs.forEach((o, k) => {
        if (inst.form.srcs[k]!.name === "pin") addRange(effects.writes, setWords * i, File.P, o.id, 1);
      });
    if (inst.form.flow === "return") merge(effects.reads, setWords * i, back, 0);
    if (inst.form.flow !== "call") return;
    addRange(effects.uses, setWords * i, File.R, 0, callReads);
    const shown = setWords * i;
    for (let w = 0; w < setWords; w++) effects.uses[shown + w] = effects.uses[shown + w]! & table[w]!;
    copy(effects.reads, shown, effects.uses, shown);
    merge(effects.writes, setWords * i, call, 0);
    if (inst.guard === null) merge(effects.kills, setWords * i, call, 0);
  });
}

/** An exit, or the branch to itself after the code. */
function endsThread(inst: MachineInst, address: number): boolean {
  if (inst.form.flow === "exit") return true;
  return inst.form.flow === "branch" && inst.srcs.some((o) => o.kind === Kind.Label && o.value === address);
}

/** Liveness over the blocks; sets per block. */
class Calls {
  /** Live before a block when nothing is live after the return. */
  private readonly gen: Uint32Array;
  /** … and when everything is: what is not here is overwritten on all paths. */
  private readonly through: Uint32Array;
  /** May be written between a block and the return. */
  readonly writes: Uint32Array;
  /** Live before a block. */
  readonly needs: Uint32Array;
  private readonly returns: readonly boolean[];

  constructor(
    private readonly blocks: readonly CodeBlock[],
    insts: readonly (MachineInst | null)[],
    private readonly effects: Effects,
    /** Live after every block whatever comes. */
    private readonly always: Uint32Array,
  ) {
    const size = setWords * blocks.length;
    this.gen = new Uint32Array(size);
    this.through = new Uint32Array(size);
    this.writes = new Uint32Array(size);
    this.needs = new Uint32Array(size);
    this.returns = blocks.map((b) => insts[b.end - 1]?.form.flow === "return");
    const nothing = new Uint32Array(setWords);
    this.solve([
      [this.gen, () => nothing],
      [this.through, () => new Uint32Array(setWords).fill(0xffffffff)],
    ]);
    this.sumWrites();
    this.solve([[this.needs, () => this.afterCalls()]]);
  }

  /** Live after each block (after its call: before it). */
  liveAfter(): Uint32Array {
    const out = new Uint32Array(setWords * this.blocks.length);
    const set = new Uint32Array(setWords);
    const returned = this.afterCalls();
    for (const b of this.blocks) {
      this.outOf(b, this.needs, returned, set);
      out.set(set, setWords * b.id);
    }
    return out;
  }

  private solve(systems: readonly (readonly [Uint32Array, () => Uint32Array])[]): void {
    const live = new Uint32Array(setWords);
    for (let changed = true; changed; ) {
      changed = false;
      for (const [liveIn, atReturn] of systems) {
        const returned = atReturn();
        for (let k = this.blocks.length - 1; k >= 0; k--) {
          const b = this.blocks[k]!;
          this.outOf(b, liveIn, returned, live);
          for (let i = b.end - 1; i >= b.start; i--) step(live, this.effects.reads, this.effects.kills, setWords * i);
          if (merge(liveIn, setWords * k, live, 0)) changed = true;
        }
      }
    }
  }

  private outOf(b: CodeBlock, liveIn: Uint32Array, returned: Uint32Array, out: Uint32Array): void {
    out.set(this.always);
    for (const s of b.succ) merge(out, 0, liveIn, setWords * s);
    if (this.returns[b.id]) merge(out, 0, returned, 0);
    if (b.call === null) return;
    const at = setWords * b.call;
    for (let w = 0; w < setWords; w++) out[w] = (out[w]! & this.through[at + w]!) | this.gen[at + w]!;
  }

  private afterCalls(): Uint32Array {
    const out = new Uint32Array(setWords);
    for (const b of this.blocks) if (b.call !== null) for (const s of b.succ) merge(out, 0, this.needs, setWords * s);
    return out;
  }

  private sumWrites(): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (let k = this.blocks.length - 1; k >= 0; k--) {
        const b = this.blocks[k]!;
        const at = setWords * k;
        for (let i = b.start; i < b.end; i++) merge(this.writes, at, this.effects.writes, setWords * i);
        for (const s of b.call === null ? b.succ : [...b.succ, b.call])
          if (merge(this.writes, at, this.writes, setWords * s)) changed = true;
      }
    }
  }
}

function step(live: Uint32Array, reads: Uint32Array, kills: Uint32Array, at: number): void {
  for (let w = 0; w < setWords; w++) live[w] = (live[w]! & ~kills[at + w]!) | reads[at + w]!;
}

/** Adds the second set to the first; whether that changed it. */
function merge(to: Uint32Array, at: number, from: Uint32Array, start: number): boolean {
  let changed = false;
  for (let w = 0; w < setWords; w++) {
    const sum = (to[at + w]! | from[start + w]!) >>> 0;
    if (sum !== to[at + w]) changed = true;
    to[at + w] = sum;
  }
  return changed;
}

function copy(to: Uint32Array, at: number, from: Uint32Array, start: number): void {
  for (let w = 0; w < setWords; w++) to[at + w] = from[start + w]!;
}

// ---------------------------------------------------------------------------------------------- operands

function addUses(inst: MachineInst, set: Uint32Array, at: number, uniforms: Uniforms): void {
  const g = inst.guard;
  if (g !== null) addRange(set, at, g.file, g.id, 1);
  for (const o of inst.srcs) {
    if (o.kind === Kind.Reg) addOperand(set, at, o.file, o.id, o.width, uniforms);
    // `cx[UR4][…]` reads a descriptor of two registers, `c[3][R2+…]` one.
    else if (o.kind === Kind.Const && o.index !== NO_INDEX)
      addOperand(set, at, o.file, o.index, o.id === -1 ? 2 : 1, uniforms);
  }
}

function addDefs(inst: MachineInst, set: Uint32Array, at: number, uniforms: Uniforms): void {
  for (const o of inst.dsts) if (o.kind === Kind.Reg) addOperand(set, at, o.file, o.id, o.width, uniforms);
}

function addOperand(
  set: Uint32Array,
  at: number,
  file: File,
  id: number,
  width: number,
  { from, end }: Uniforms,
): void {
  if (file !== File.UR) addRange(set, at, file, id, width);
  else if (id >= from && id < end) addRange(set, at, file, id, Math.min(Math.max(1, width), end - id));
}

/** Registers `id` … of a file; the hard-wired one and files without registers add nothing. */
function addRange(set: Uint32Array, at: number, file: File, id: number, width: number): void {
  const base = firstBit[file];
  if (base === undefined || id === ZERO_REG) return;
  const end = Math.min(id + Math.max(1, width), file === File.R || file === File.UR ? 255 : 7);
  for (let r = id; r < end; r++) set[at + ((base + r) >> 5)] = set[at + ((base + r) >> 5)]! | (1 << ((base + r) & 31));
}

function names(set: Uint32Array, at: number): RegisterName[] {
  const out: RegisterName[] = [];
  for (const file of [File.R, File.UR, File.P, File.UP])
    for (let id = 0; id < (file === File.R || file === File.UR ? 255 : 7); id++) {
      const bit = firstBit[file]! + id;
      if ((set[at + (bit >> 5)]! >>> (bit & 31)) & 1) out.push({ file, id });
    }
  return out;
}

function countOf(set: Uint32Array): LiveCount {
  const bits = (from: number, to: number): number => {
    let n = 0;
    for (let w = from; w < to; w++) for (let x = set[w]!; x; x &= x - 1) n++;
    return n;
  };
  const predicates = set[16]!;
  let p = 0;
  let up = 0;
  for (let i = 0; i < 8; i++) {
    p += (predicates >>> i) & 1;
    up += (predicates >>> (8 + i)) & 1;
  }
  return { r: bits(0, 8), ur: bits(8, 16), p, up };
}
