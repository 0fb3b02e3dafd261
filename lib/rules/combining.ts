/**
 * What a combining rule sees and does: the definitions of a root's operands, kept right under the rules' edits.
 *
 * A rule looks at one instruction, the root, and at the definitions of its operands. It writes the root anew in place; the
 * inner instruction stays for its other readers, or dies.
 */
import { Definitions, unitOf } from "../analysis/index.js";
import type { Form } from "../isa/types.js";
import { newInst } from "../ori/func.js";
import { clone, isReg, isZeroReg } from "../ori/operand.js";
import { File, type Func, type Inst, Kind, Mod, type Operand } from "../ori/types.js";
import { encodes } from "./encodable.js";

/** Tries the rule at the instruction with this index in `defs.flat.insts`. */
export type Apply = (c: Combining, root: Inst, at: number) => boolean;

export interface CombineRule {
  readonly name: string;
  /** Names of the forms of the root. */
  readonly roots: readonly string[];
  readonly apply: Apply;
  /** Forms of which one defines a source of the root wherever the rule applies; absent: it may apply without. */
  readonly inner?: readonly string[];
  /** Lowest level at which it is tried; default 1. */
  readonly level?: 1 | 2;
}

/** One run over a function: definitions, kept right under the edits, and what is left out in the end. */
export class Combining {
  readonly func: Func;
  readonly defs: Definitions;
  readonly dropped: Set<Inst> = new Set();
  /** New instructions, to stand before the one that reads them; analyses know them from the next run on. */
  readonly inserted: Map<Inst, Inst[]> = new Map();

  /** Values that there were at the start. */
  private readonly known: number;

  constructor(func: Func) {
    this.func = func;
    this.known = func.values.count;
    this.defs = new Definitions(func);
  }

  /** The instruction that alone defines the operand, null where there is none such, it has a guard or is left out. */
  made(o: Operand): Inst | null {
    if (!isReg(o) || this.isNew(o)) return null;
    const inst = this.defs.definition(o);
    if (inst === null || inst.guard !== null) return null;
    return this.dropped.size > 0 && this.dropped.has(inst) ? null : inst;
  }

  /**
   * The unguarded instruction of one of the forms that alone defines the operand, whose sources hold the same at `at`; null: none, or one that
   * nobody reads past (`kept`), if `past` is not set.
   */
  inner(o: Operand, at: number, names: readonly string[], past = false): Inst | null {
    const inst = this.made(o);
    if (inst === null || !names.includes(inst.form.name) || (inst.said === "kept" && !past)) return null;
    return this.defs.before(this.defs.indexOf(o), at) && inst.srcs.every((s) => this.stays(s, at)) ? inst : null;
  }

  /** What the operand holds is the same wherever the code that reads it stands, from `at` on. */
  stays(o: Operand, at: number): boolean {
    return o.kind === Kind.None || (!(isReg(o) && this.isNew(o)) && this.defs.holds(o, at));
  }

  /** The 32 bits that an operand of an integer instruction stands for, its sign and inversion applied; null: no literal. */
  literal(o: Operand): number | null {
    if ((o.mods & Mod.Abs) !== 0 || o.part !== "" || o.width !== 1) return null;
    const bits = this.bits(o);
    if (bits === null) return null;
    return ((o.mods & Mod.Neg) !== 0 ? -bits : (o.mods & Mod.Not) !== 0 ? ~bits : bits) >>> 0;
  }

  private bits(o: Operand): number | null {
    if (o.kind === Kind.Imm) return o.value;
    if (o.kind !== Kind.Reg || o.file !== File.R) return null;
    if (isZeroReg(o)) return 0;
    if (this.isNew(o)) return null;
    const inst = this.defs.definition(o);
    const from = inst?.srcs[0];
    if (inst?.form.name !== "MOV" || inst.guard !== null || from?.kind !== Kind.Imm || from.mods !== 0) return null;
    return inst.srcs[1]?.value === 15 ? from.value : null;
  }

  once(o: Operand): boolean {
    return !this.isNew(o) && this.defs.usesOf(o) === o.width;
  }

  /** Writes the instruction anew, when it has an encoding. */
  write(at: number, f: Form, dsts: Operand[], srcs: Operand[]): boolean {
    const inst = this.defs.flat.insts[at] as Inst;
    if (!encodes(this.func, f, dsts, srcs)) return false;
    this.count(inst.srcs, -1);
    inst.form = f;
    inst.dsts = dsts;
    inst.srcs = srcs.map(clone);
    this.count(inst.srcs, 1);
    for (const d of dsts)
      if (isReg(d)) this.defs.def.fill(at, unitOf(this.defs.units, d), unitOf(this.defs.units, d) + d.width);
    return true;
  }

  encodes(f: Form, dsts: readonly Operand[], srcs: readonly Operand[]): boolean {
    return encodes(this.func, f, dsts, srcs);
  }

  /** New instructions before the root, in this order. */
  insertBefore(root: Inst, made: readonly { form: Form; dsts: Operand[]; srcs: Operand[] }[]): void {
    if (made.length === 0) return;
    const list = this.inserted.get(root) ?? [];
    this.inserted.set(root, list);
    for (const i of made) {
      list.push(newInst(this.func, i.form, i.dsts, i.srcs.map(clone), null, root.loc, root.id));
      this.count(i.srcs, 1);
    }
  }

  /** The operand was made in this run: nothing is known of it yet. */
  private isNew(o: Operand): boolean {
    return o.id >= this.known;
  }

  drop(inst: Inst): void {
    this.dropped.add(inst);
    this.count(inst.srcs, -1);
  }

  private count(srcs: readonly Operand[], by: number): void {
    const { uses, units } = this.defs;
    for (const o of srcs) {
      if (!isReg(o) || this.isNew(o)) continue;
      const u = unitOf(units, o);
      for (let k = u; k < u + o.width; k++) uses[k] = (uses[k] as number) + by;
    }
  }
}

export const isZero = (o: Operand): boolean => (isZeroReg(o) && o.mods === 0) || (o.kind === Kind.Imm && o.value === 0);
export const plainReg = (o: Operand): boolean => isReg(o) && o.mods === 0 && o.part === "";
export const unused = (o: Operand | undefined): boolean => o === undefined || o.kind === Kind.None || isZeroReg(o);
/** No carry comes out of a sum. */
export const carries = (inst: Inst): boolean => inst.dsts.slice(1).some((o) => !unused(o));

/** Operands in every order that the form may take; the slots of literals differ. */
export function orders(ops: readonly Operand[]): Operand[][] {
  const [a, b, c] = ops as [Operand, Operand, Operand];
  return [
    [a, b, c],
    [a, c, b],
    [b, a, c],
    [c, a, b],
    [b, c, a],
    [c, b, a],
  ];
}
