/**
 * Machine code back to Ori: the code of a text section becomes a function on physical registers whose blocks stand in
 * the order of their addresses, with every control word kept.
 *
 * A block begins where something jumps to, where a region or a call points to, where a symbol stands, and after every
 * transfer of control. Helpers that stand in the same section after the function (`CALL.REL.NOINC`) are blocks of the
 * same function, reached from no other block; `entries` names them.
 */
import { type Diagnostic, diagnostic, notSupported } from "../diagnostics.js";
import { branchTargets } from "../elf/cubin/branches.js";
import { relocationName } from "../elf/cubin/relocations.js";
import type { Cubin, CubinFunction, CubinReloc } from "../elf/index.js";
import { connect, endsBlock, fallsThrough } from "../ori/flow.js";
import { newBlock, newFunc, newInst, noBounds } from "../ori/func.js";
import {
  type Block,
  File,
  type Func,
  type Inst,
  Kind,
  type MachineInst,
  NO_INDEX,
  type Operand,
  ZERO_REG,
} from "../ori/types.js";
import { fail, ok, type Result } from "../result.js";
import { decodeCode } from "../sass/index.js";
import { type Target, targetOfSm } from "../target/index.js";
import { findAddresses, findTables, throughRegister } from "./addresses.js";
import type { CodePoint, Lifted, LiftedEntry, LiftedReloc, LiftOptions } from "./types.js";
import { makeVirtual } from "./webs.js";

/**
 * Lifts one function of a cubin (`readCubin` gives both). Refuses with the byte offset: words that the instruction table
 * does not know, branches out of the section, indirect branches without a table of targets.
 */
export function liftFunction(cubin: Cubin, f: CubinFunction, options: LiftOptions = {}): Result<Lifted> {
  const target = targetOfSm(cubin.sm);
  if (target === null) return fail([notSupported(`machine code of sm_${cubin.sm}`, null)]);
  const insts = decodeCode(f.words, target);
  const unknown = insts.flatMap((inst, i) =>
    inst === null ? [problem(f, i, "the word is no known instruction")] : [],
  );
  if (unknown.length > 0) return fail(unknown);
  insts.forEach((inst, i) => {
    if (inst?.form.flow === "indirect") nameBase(inst, 16 * i);
  });
  return new Lifter(f, target, insts as MachineInst[], options).lift();
}

/** The distance of an indirect branch is to where its table counts from: a label like any other. */
function nameBase(inst: MachineInst, pc: number): void {
  const o = inst.srcs.find((s) => s.kind === Kind.Imm);
  if (o === undefined) return;
  o.kind = Kind.Label;
  o.id = -1;
  o.value = pc + 16 + (o.value | 0);
  o.high = 0;
}

/** Every function of a cubin, in the order of the file. */
export function liftCubin(cubin: Cubin, options: LiftOptions = {}): Result<readonly Lifted[]> {
  const lifted: Lifted[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const f of cubin.functions) {
    const one = liftFunction(cubin, f, options);
    if (one.ok) lifted.push(one.value);
    else diagnostics.push(...one.diagnostics);
  }
  return diagnostics.length > 0 ? fail(diagnostics) : ok(lifted);
}

function problem(f: CubinFunction, index: number, what: string): Diagnostic {
  return diagnostic("error", `${f.name}+0x${(16 * index).toString(16)}: ${what}`);
}

class Lifter {
  private readonly problems: Diagnostic[] = [];
  private readonly unplaced: Diagnostic[] = [];
  private readonly func: Func;
  /** Block that begins at an instruction. */
  private readonly blockAt: (Block | undefined)[];
  /** Instructions of the body: the tail begins here. */
  private readonly end: number;

  constructor(
    private readonly f: CubinFunction,
    target: Target,
    private readonly insts: readonly MachineInst[],
    private readonly options: LiftOptions,
  ) {
    this.func = newFunc(f.name, target, f.kind);
    this.blockAt = new Array(insts.length);
    this.end = tailStart(insts);
  }

  lift(): Result<Lifted> {
    const { f, func, insts } = this;
    const tables = branchTargets(f);
    const relocated = new Set(f.relocs.map((r) => r.offset >> 4));
    // Before the operands of labels become blocks.
    const found = findAddresses(f, insts, this.end, relocated, tables);
    this.markStarts(tables, relocated);
    if (this.problems.length > 0) return fail(this.problems);
    const relocs = this.relocations();
    this.fillBlocks(relocs);
    const constants = findTables(f, insts, this.end, tables, (offset) => this.blockAt[offset >> 4]!.id);
    for (const [at, targets] of tables) this.setIndirect(at >> 4, targets);
    connect(func);
    this.describe();
    if (this.problems.length > 0) return fail(this.problems);
    const blockAt = new Map(func.blocks.map((b) => [16 * b.insts[0]!.id, b.id]));
    if (this.options.registers === "virtual") {
      const refused = makeVirtual(func);
      if (refused !== null) return fail([refused]);
    }
    return ok({
      func,
      source: f,
      tail: f.words.slice(4 * this.end),
      tailOffset: 16 * this.end,
      entries: this.entries(),
      relocs,
      addresses: found.addresses,
      blockAt,
      tables: constants.tables,
      pinned: [...found.pinned, ...constants.pinned, ...this.unplaced],
    });
  }

  // -------------------------------------------------------------------------------------------- blocks

  private markStarts(tables: ReadonlyMap<number, readonly number[]>, relocated: ReadonlySet<number>): void {
    const { insts, f } = this;
    const starts = new Uint8Array(this.end + 1);
    for (let i = 0; i < this.end; i++) {
      const inst = insts[i]!;
      // What a relocation fills in, and absolute addresses, are no places of this function.
      const outside = inst.form.mods.includes("ABS") || relocated.has(i);
      for (const o of inst.srcs)
        if (o.kind === Kind.Label && !outside) {
          if (inside(o.value, this.end)) starts[o.value >> 4] = 1;
          else this.problems.push(problem(f, i, `goes to 0x${o.value.toString(16)}, outside of the function`));
        }
      if (endsBlock(inst as Inst)) starts[i + 1] = 1;
    }
    for (const [at, targets] of tables)
      for (const t of targets) {
        if (inside(t, this.end)) starts[t >> 4] = 1;
        else this.problems.push(problem(f, at >> 4, `goes to 0x${t.toString(16)}, outside of the function`));
      }
    for (const r of f.ranges)
      for (const at of [r.offset, r.offset + r.size]) if (inside(at, this.end)) starts[at >> 4] = 1;
    starts[0] = 1;
    // Ids in order of address.
    for (let i = 0; i < this.end; i++) if (starts[i] === 1) this.blockAt[i] = newBlock(this.func);
  }

  private fillBlocks(relocs: ReadonlyMap<number, readonly LiftedReloc[]>): void {
    const { func, insts, blockAt } = this;
    const drop = this.options.controls === "drop";
    const names = new Map(this.f.ranges.map((r) => [r.offset, r.name]));
    const lines = new Map(this.f.ptxLines.map((l) => [l.offset, l.line]));
    let loc: Inst["loc"] = null;
    let block: Block | null = null;
    for (let i = 0; i < this.end; i++) {
      const begins = blockAt[i];
      if (begins !== undefined) {
        block = begins;
        block.label = i === 0 ? "" : (names.get(16 * i) ?? "");
        func.blocks.push(block);
      }
      const line = lines.get(16 * i);
      if (line !== undefined) loc = { start: 0, end: 0, line, column: 1 };
      const { form, dsts, srcs, guard, control } = insts[i]!;
      for (const o of srcs)
        if (o.kind === Kind.Label && !form.mods.includes("ABS") && !relocs.has(i)) {
          o.id = blockAt[o.value >> 4]!.id;
          o.value = 0;
        }
      for (const r of relocs.get(i) ?? []) if (r.operand !== null) nameSymbol(srcs[r.operand.slot]!, r);
      const inst = newInst(func, form, dsts, srcs, guard, loc);
      inst.control = drop ? null : control;
      block!.insts.push(inst);
    }
    func.generation++;
  }

  private setIndirect(index: number, targets: readonly number[]): void {
    const block = this.func.blocks.find((b) => b.insts[b.insts.length - 1]?.id === index);
    if (block === undefined || block.insts[block.insts.length - 1]!.form.flow !== "indirect") {
      this.problems.push(problem(this.f, index, "has a table of targets, but is no indirect branch"));
      return;
    }
    block.succs = [...new Set(targets.map((t) => this.blockAt[t >> 4]!))];
  }

  // -------------------------------------------------------------------------------------------- the rest

  private describe(): void {
    const { func, f } = this;
    func.virtual = false;
    func.frame.localBytes = f.frameBytes;
    func.params = f.params.map((p) => ({ name: `param_${p.ordinal}`, offset: p.offset, size: p.size, align: 1 }));
    func.paramBytes = f.paramBytes;
    func.sharedBytes = Math.max(0, f.sharedBytes - f.sharedReserved);
    func.barriers = f.barriers;
    func.limits = { ...noBounds(), maxntid: f.maxThreads, reqntid: f.reqThreads, reqnctapercluster: f.cluster };
    countRegisters(func);
    func.milestone = this.options.controls === "drop" ? "post-expanded" : "controlled";
    for (const b of func.blocks) {
      const last = b.insts[b.insts.length - 1]!;
      if (last.form.flow === "indirect" && b.succs.length === 0)
        this.problems.push(problem(f, last.id, `${last.form.name} has no table of targets`));
    }
  }

  private entries(): LiftedEntry[] {
    const names = new Map(this.f.ranges.map((r) => [r.offset, r.name]));
    const called = new Set<number>([0]);
    for (const r of this.f.ranges) if (this.blockAt[r.offset >> 4] !== undefined) called.add(r.offset);
    const byId = new Map(this.func.blocks.map((b) => [b.id, b]));
    for (const b of this.func.blocks)
      for (const inst of b.insts) {
        if (inst.form.flow !== "call" || throughRegister(inst)) continue;
        for (const o of inst.srcs) if (o.kind === Kind.Label) called.add(16 * byId.get(o.id)!.insts[0]!.id);
      }
    return [...called]
      .sort((a, b) => a - b)
      .map((offset) => ({ name: names.get(offset) ?? "", block: this.blockAt[offset >> 4]!.id }));
  }

  private relocations(): Map<number, LiftedReloc[]> {
    const map = new Map<number, LiftedReloc[]>();
    for (const r of this.f.relocs) {
      const index = r.offset >> 4;
      if (index >= this.end) {
        this.problems.push(problem(this.f, index, "a relocation after the code"));
        continue;
      }
      const reloc = { ...r, target: this.pointOf(r), operand: operandOf(r, this.insts[index]!) };
      const list = map.get(index);
      if (list === undefined) map.set(index, [reloc]);
      else list.push(reloc);
    }
    return map;
  }

  /** The place in this function that a relocation names; the start of a symbol needs none, the symbol itself moves. */
  private pointOf(r: CubinReloc): CodePoint | null {
    if (r.symbol.section !== this.f.section || r.addend === 0) return null;
    const offset = r.symbol.value + r.addend;
    const index = offset >> 4;
    if (!inside(offset, this.end + 1)) {
      this.unplaced.push(problem(this.f, r.offset >> 4, `names ${r.symbol.name}+0x${r.addend.toString(16)}`));
      return null;
    }
    const after = index > 0 && this.insts[index - 1]!.form.flow === "call";
    return after ? { inst: index - 1, after } : { inst: Math.min(index, this.end - 1), after: index === this.end };
  }
}

/** The operand that a relocation fills: the target of a call, or an immediate of 32 bits. */
function operandOf(r: CubinReloc, inst: MachineInst): LiftedReloc["operand"] {
  const half = halves[relocationName(r.type).replace(/^.*_(LO|HI)_32$/, "$1")];
  if (half === undefined && inst.form.flow !== "call") return null;
  const slot = inst.srcs.findIndex((o) => o.kind === Kind.Imm || (half === undefined && o.kind === Kind.Label));
  if (slot < 0) return null;
  const { kind, value, high } = inst.srcs[slot]!;
  return { slot, kind, value, high };
}

const halves: Readonly<Record<string, string>> = { LO: "32@lo", HI: "32@hi" };

/** The operand shows what the relocation puts there. */
function nameSymbol(o: Operand, r: CubinReloc): void {
  o.kind = Kind.Sym;
  o.id = 0;
  o.value = r.addend;
  o.high = 0;
  o.sym = r.symbol.name;
  o.part = halves[relocationName(r.type).replace(/^.*_(LO|HI)_32$/, "$1")] ?? "";
}

function inside(offset: number, count: number): boolean {
  return offset >= 0 && offset % 16 === 0 && offset < 16 * count;
}

/**
 * Index of the first instruction of the tail: NOPs at the end and the branch to itself before them. The branch
 * belongs to the body when control can reach it.
 */
function tailStart(insts: readonly MachineInst[]): number {
  let n = insts.length;
  while (n > 0 && isPadding(insts[n - 1]!)) n--;
  const last = n - 1;
  if (last < 0 || !branchesToItself(insts[last]!, 16 * last)) return n;
  if (last > 0 && fallsThrough(insts[last - 1]! as Inst)) return n;
  for (let i = 0; i < last; i++)
    for (const o of insts[i]!.srcs) if (o.kind === Kind.Label && o.value === 16 * last) return n;
  return last;
}

function isPadding(inst: MachineInst): boolean {
  const c = inst.control!;
  return inst.form.op === "NOP" && inst.guard === null && c.wait === 0 && c.stall === 0;
}

function branchesToItself(inst: MachineInst, address: number): boolean {
  if (inst.form.op !== "BRA" || fallsThrough(inst as Inst)) return false;
  return inst.srcs.some((o) => o.kind === Kind.Label && o.value === address);
}

/** Sets `used` from the operands. */
function countRegisters(func: Func): void {
  const used = new Int32Array(6);
  const see = (file: File, id: number, width: number): void => {
    if (id !== ZERO_REG) used[file] = Math.max(used[file]!, id + width);
  };
  for (const b of func.blocks)
    for (const inst of b.insts) {
      if (inst.guard !== null) see(inst.guard.file, inst.guard.id, 1);
      for (const o of inst.dsts) if (o.kind === Kind.Reg) see(o.file, o.id, o.width);
      for (const o of inst.srcs) {
        if (o.kind === Kind.Reg) see(o.file, o.id, o.width);
        else if (o.kind === Kind.Const && o.index !== NO_INDEX) see(o.file, o.index, o.id === -1 ? 2 : 1);
      }
    }
  func.used = {
    R: used[File.R]!,
    UR: used[File.UR]!,
    P: used[File.P]!,
    UP: used[File.UP]!,
    B: used[File.B]!,
  };
}
