/**
 * Parallel copies in sequence. All sources are read before any destination is written; one after another that holds
 * when no copy overwrites what a later one still reads. So: emit every copy whose destination nobody waits for, which
 * may free others; when only cycles are left, save one destination in a temporary and let its readers use that.
 *
 *     (a, b, c) = (b, c, a)     →     t = a; a = b; b = c; c = t
 *
 * Copies are single register units (one R, UR, P or UP); wide values are copied unit by unit.
 */

import { InternalError } from "../errors.js";
import { form } from "../isa/form.js";
import { newInst } from "../ori/func.js";
import { clone, imm, isReg, isZeroReg, PT, register, sameOperand, UPT } from "../ori/operand.js";
import { slotDefault } from "../ori/slots.js";
import { File, type Func, type Inst, type Operand } from "../ori/types.js";

/** One of several copies that happen at once. */
export interface Copy {
  /** One unit of a virtual register. */
  readonly dst: Operand;
  /** Register unit of the same file, or a constant, immediate, RZ, PT …. */
  readonly src: Operand;
}

/** An instruction that copies one unit. */
export function copyUnit(func: Func, dst: Operand, src: Operand): Inst {
  switch (dst.file) {
    case File.R:
      return moving(func, "MOV", dst, src);
    case File.UR:
      return moving(func, "UMOV", dst, src);
    case File.P:
      return newInst(func, form("PLOP3.LUT"), [dst, PT()], [src, PT(), PT(), imm(0x80), imm(0)]);
    case File.UP:
      return newInst(func, form("UPLOP3.LUT"), [dst, UPT()], [src, UPT(), UPT(), imm(0x80), imm(0)]);
    default:
      throw new InternalError("registers of this file cannot be copied", { func: func.name });
  }
}

function moving(func: Func, name: string, dst: Operand, src: Operand): Inst {
  const f = form(name);
  return newInst(func, f, [dst], [src, ...f.srcs.slice(1).map(slotDefault)]);
}

/** A register unit as a number; −1 for everything else. */
const unitKey = (o: Operand): number => (isReg(o) && !isZeroReg(o) ? (o.id * 256 + o.sub) * 8 + o.file : -1);

/** The copies as instructions in a right order: of those nobody waits for always the first. Destinations must differ. */
export function sequentialize(func: Func, copies: readonly Copy[]): Inst[] {
  const pending = copies.filter((c) => !sameOperand(c.dst, c.src));
  return new Sequence(func, pending).insts();
}

class Sequence {
  private readonly func: Func;
  private readonly dsts: readonly Operand[];
  private readonly srcs: Operand[];
  /** Which copy writes each unit, and which read it. */
  private readonly writer: Map<number, number> = new Map();
  private readonly readers: Map<number, number[]> = new Map();
  /** How many copies that are still to come read the destination of each. */
  private readonly waiting: Int32Array;
  private readonly done: Uint8Array;
  private readonly out: Inst[] = [];

  constructor(func: Func, copies: readonly Copy[]) {
    this.func = func;
    this.dsts = copies.map((c) => c.dst);
    this.srcs = copies.map((c) => c.src);
    this.waiting = new Int32Array(copies.length);
    this.done = new Uint8Array(copies.length);
    this.dsts.forEach((dst, i) => {
      this.writer.set(unitKey(dst), i);
    });
    this.srcs.forEach((src, i) => {
      const writer = this.writer.get(unitKey(src));
      if (writer === undefined) return;
      const list = this.readers.get(unitKey(src));
      if (list === undefined) this.readers.set(unitKey(src), [i]);
      else list.push(i);
      if (writer !== i) this.waiting[writer] = (this.waiting[writer] as number) + 1;
    });
  }

  /** Each copy frees at most one other: if that stands further ahead it is next, else the walk comes to it. */
  insts(): Inst[] {
    const { done, waiting } = this;
    for (let i = 0; i < done.length; i++) {
      for (let k = i; k >= 0 && k <= i && done[k] === 0 && waiting[k] === 0; ) k = this.emit(k);
    }
    for (let i = 0; i < done.length; i++) {
      if (done[i] === 1) continue;
      this.breakCycle(i);
      for (let k = i; k >= 0 && done[k] === 0; ) k = this.emit(k);
    }
    return this.out;
  }

  /** Emits a copy; returns the one that thereby nobody waits for any more, −1 when there is none. */
  private emit(i: number): number {
    const src = this.srcs[i] as Operand;
    this.done[i] = 1;
    this.out.push(copyUnit(this.func, clone(this.dsts[i] as Operand), clone(src)));
    const freed = this.writer.get(unitKey(src));
    if (freed === undefined || freed === i) return -1;
    this.waiting[freed] = (this.waiting[freed] as number) - 1;
    return this.waiting[freed] === 0 ? freed : -1;
  }

  /** Saves the destination of a copy; whoever reads it reads the temporary instead. */
  private breakCycle(i: number): void {
    const dst = this.dsts[i] as Operand;
    const t = register(dst.file, this.func.values.add(dst.file));
    this.out.push(copyUnit(this.func, clone(t), clone(dst)));
    for (const r of this.readers.get(unitKey(dst)) ?? []) {
      if (this.done[r] === 1) continue;
      const src = clone(t);
      src.mods = (this.srcs[r] as Operand).mods;
      this.srcs[r] = src;
    }
    this.waiting[i] = 0;
  }
}
