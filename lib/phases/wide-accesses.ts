/**
 * Neighbouring words of memory that one block loads come together, and so do those that it stores (Vectorization and
 * LateVectorization, SSA window). ptxas 13.0.88 does both at -O1 and above, on all SMs (measured, as all that follows):
 *
 * - the group of 8 or 16 bytes must be aligned, which is told by the bits of its address in shared and local memory (analysis/alignment.ts), in
 *   global memory by nothing but wide accesses with the same base (analysis/shown-alignment.ts);
 * - elements are words, or pairs of words; volatile, guarded, narrower ones stay. Three of four words that are loaded bring the fourth;
 * - loads go up to the first of them; a store that may go to their space, a barrier, an atomic, a fence ends a group;
 * - stores go down to the last of them; any access to their space in between ends a group.
 *
 *     LDS %R4, [%R2]                    LDS.64 %R8, [%R2]
 *     LDS %R5, [%R2+0x4]         →      IADD3 %R6, %R8:0, %R8:1, RZ
 *     IADD3 %R6, %R4, %R5, RZ
 */
import {
  type Addresses,
  Alignments,
  analysis,
  baseOf,
  Definitions,
  isPlainLoad,
  MOST_ALIGNED,
  memoryEffect,
  Order,
  orderOf,
  type ShownAlignments,
  type Sum,
  unitOf,
} from "../analysis/index.js";
import type { Form } from "../isa/form.js";
import { rewriteBlock } from "../ori/editor.js";
import { newInst } from "../ori/func.js";
import { clone, imm, isReg, isZeroReg, part, RZ, register } from "../ori/operand.js";
import { File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { alignmentOf } from "../ori/verify/physical.js";
import { encodes } from "../rules/encodable.js";
import { loadPieces, sized, storePieces, wordsOf } from "./access-pieces.js";
import { copyUnit } from "./parallel-copy.js";
import type { RewriteCounter } from "./rewrites.js";

export interface Widening {
  readonly loads: boolean;
  readonly stores: boolean;
}

/** Returns how many wide accesses were made. `shown`: what accesses show of bases in global memory, before any of them is narrowed. */
export function widenAccesses(func: Func, what: Widening, shown: ShownAlignments, rewrites: RewriteCounter): number {
  const ops = shown.none ? near : everywhere;
  if (func.milestone !== "ssa" || !func.blocks.some((b) => b.insts.some((i) => ops.test(i.form.op)))) return 0;
  return new Widen(func, what, shown, rewrites).run();
}

const near = /^(LD|ST)[SL]$/;
const everywhere = /^(LD|ST)[GSL]$/;

/** An access at an index of the flattened function. */
interface Member {
  readonly at: number;
  readonly inst: Inst;
  /** Equal for accesses whose addresses differ by constants. */
  readonly key: string;
  /** That constant. */
  readonly constant: number;
  /** The address as a sum; null for global memory, of whose addresses a sum has the low words only. */
  readonly sum: Sum | null;
}

/** Accesses of one form whose addresses differ by constants. */
interface Group {
  readonly form: Form;
  readonly members: Member[];
}

/** R1, which a kernel sets once. */
const STACK_POINTER = 1;

const isStore = (inst: Inst): boolean => /^ST[GSL]$/.test(inst.form.op);
/** What a load gives: a predicate may stand beside it. */
const resultOf = (inst: Inst): Operand | undefined => inst.dsts.find((o) => isReg(o) && o.file === File.R);
const isGlobal = (form: Form): boolean => form.op === "LDG" || form.op === "STG";

class Widen {
  private readonly defs: Definitions;
  private readonly addresses: Addresses;
  private readonly alignments: Alignments;
  /** What stands in place of an instruction. */
  private readonly made = new Map<Inst, readonly Inst[]>();
  private loads = new Map<string, Group>();
  /** The stores of each space, one form and shape at a time. */
  private stores = new Map<number, Group & { readonly key: string }>();
  private count = 0;

  constructor(
    private readonly func: Func,
    private readonly what: Widening,
    private readonly shown: ShownAlignments,
    private readonly rewrites: RewriteCounter,
  ) {
    this.defs = new Definitions(func);
    this.addresses = analysis(func, "addresses");
    this.alignments = new Alignments(func, this.defs, this.addresses.affine);
  }

  run(): number {
    const { flat } = this.defs;
    for (let b = 0; b < this.func.blocks.length; b++) {
      for (let i = flat.first[b] as number; i < (flat.first[b + 1] as number); i++)
        this.visit(i, flat.insts[i] as Inst);
      this.endLoads(-1);
      this.endStores(-1);
    }
    if (this.made.size === 0) return 0;
    for (const block of this.func.blocks)
      rewriteBlock(this.func, block, (inst, out) => void out.push(...(this.made.get(inst) ?? [inst])));
    return this.count;
  }

  private visit(at: number, inst: Inst): void {
    const order = orderOf(inst);
    if (order === Order.Free) return;
    const effect = memoryEffect(inst.form);
    if (order !== Order.Access) {
      this.endLoads(-1);
      this.endStores(-1);
      return;
    }
    const store = isStore(inst);
    const member = this.member(at, inst);
    const space = effect.writes;
    const open = store ? this.stores.get(space) : undefined;
    const goesOn = member !== null && open !== undefined && open.key === member.key && open.form === inst.form;
    if (!goesOn) this.endStores(effect.reads | effect.writes);
    this.endLoads(effect.writes);
    if (member === null) return;
    if (!store) {
      const key = `${inst.form.id} ${member.key}`;
      const group = this.loads.get(key) ?? { form: inst.form, members: [] };
      group.members.push(member);
      this.loads.set(key, group);
    } else if (goesOn) open.members.push(member);
    else if (this.what.stores) this.stores.set(space, { form: inst.form, key: member.key, members: [member] });
  }

  /** The access as one that may become part of a wider one; null: it stays. */
  private member(at: number, inst: Inst): Member | null {
    const { form, guard } = inst;
    const store = isStore(inst);
    if (!store && !(this.what.loads && /^LD[GSL]$/.test(form.op))) return null;
    const bytes = wordsOf(form);
    if (guard !== null || (bytes !== 4 && bytes !== 8)) return null;
    if (store ? !inst.srcs.every((o) => this.keeps(o, at)) : !this.ownsResult(at, inst)) return null;
    if (isGlobal(form)) return this.globalMember(at, inst);
    const { sum } = this.addresses.at(at);
    return sum === null ? null : { at, inst, key: String(sum.shape), constant: sum.constant, sum };
  }

  private globalMember(at: number, inst: Inst): Member | null {
    const { form, srcs } = inst;
    if (isStore(inst) ? form.mods.some((m) => m === "STRONG" || m === "MMIO") : !isPlainLoad(inst)) return null;
    const { base, uniform, offset } = memoryEffect(form);
    const key = baseOf(inst);
    const by = srcs[offset];
    if (key === null || by?.kind !== Kind.Imm) return null;
    const whole = [base, uniform].every((slot) => srcs[slot] === undefined || this.holds(srcs[slot], at));
    return whole ? { at, inst, key, constant: by.value, sum: null } : null;
  }

  private holds(o: Operand, at: number): boolean {
    return o.kind === Kind.None || this.defs.holds(o, at);
  }

  /** It holds the same further down. */
  private keeps(o: Operand, at: number): boolean {
    if (!isReg(o) || isZeroReg(o) || this.defs.holds(o, at)) return true;
    return this.func.kind === "entry" && this.func.values.fixed(o.id) === STACK_POINTER;
  }

  private ownsResult(at: number, inst: Inst): boolean {
    const d = resultOf(inst);
    if (d === undefined || d.part !== "" || inst.dsts.filter((o) => isReg(o) && !isZeroReg(o)).length > 1) return false;
    const u = unitOf(this.defs.units, d);
    for (let k = 0; k < d.width; k++) if (this.defs.def[u + k] !== at) return false;
    return true;
  }

  private endLoads(places: number): void {
    for (const [key, group] of this.loads) {
      if ((memoryEffect(group.form).reads & places) === 0) continue;
      this.loads.delete(key);
      for (const unit of this.units(group)) this.joinLoads(group.form, unit);
    }
  }

  private endStores(places: number): void {
    for (const [space, group] of this.stores) {
      if ((space & places) === 0) continue;
      this.stores.delete(space);
      for (const unit of this.units(group)) this.joinStores(group.form, unit);
    }
  }

  /** Members by aligned unit of 16 bytes, or of 8 where no more is known; in each by element. */
  private units(group: Group): Unit[] {
    if (group.members.length < 2) return [];
    const [{ sum, key, at, inst }] = group.members as [Member];
    const align =
      sum === null ? this.shown.of(key, this.defs.flat.block[at] as number, inst) : this.alignments.ofTerms(sum);
    const element = wordsOf(group.form);
    if (align < 2 * element) return [];
    const units = new Map<number, Unit>();
    for (const m of group.members) {
      const { constant } = m;
      if (constant % element !== 0) continue;
      const base = constant & -MOST_ALIGNED;
      const unit = units.get(base) ?? { element, most: align / element, members: new Map() };
      units.set(base, unit);
      const k = (constant - base) / element;
      const list = unit.members.get(k);
      if (list === undefined) unit.members.set(k, [m]);
      else list.push(m);
    }
    return [...units.values()];
  }

  private joinLoads(form: Form, unit: Unit): void {
    for (const { first, count } of loadPieces(maskOf(unit), unit.most)) {
      if (count < 2 || !this.rewrites.open) continue;
      const all = membersOf(unit, first, count);
      const earliest = all.reduce((a, b) => (b.at < a.at ? b : a));
      const words = unit.element / 4;
      const value = this.func.values.add(File.R, words * count);
      const wide = this.access(form, unit, first, count, earliest, register(File.R, value, words * count), []);
      if (wide === null) continue;
      for (const m of all) {
        const to = resultOf(m.inst) as Operand;
        const from = words * (this.elementOf(unit, m) - first);
        const copies: Inst[] = [];
        for (let k = 0; k < to.width; k++) {
          const copy = copyUnit(this.func, part(clone(to), k), register(File.R, value, 1, from + k));
          copy.loc = m.inst.loc;
          copy.origin = m.inst.id;
          copies.push(copy);
        }
        this.made.set(m.inst, m === earliest ? [wide, ...copies] : copies);
      }
    }
  }

  private joinStores(form: Form, unit: Unit): void {
    // What is stored twice keeps its order.
    if ([...unit.members.values()].some((list) => list.length > 1)) return;
    for (const { first, count } of storePieces(maskOf(unit), unit.most)) {
      if (count < 2 || !this.rewrites.open) continue;
      const all = membersOf(unit, first, count);
      const last = all.reduce((a, b) => (b.at > a.at ? b : a));
      const data = all.map((m) => m.inst.srcs.at(-1) as Operand);
      const { value, copies } = this.together(data, unit.element / 4, last.inst);
      const wide = this.access(form, unit, first, count, last, null, [value]);
      if (wide === null) continue;
      for (const m of all) this.made.set(m.inst, m === last ? [...copies, wide] : []);
    }
  }

  /** Registers side by side: those there are, zeros, or a new value and copies into it. */
  private together(data: readonly Operand[], words: number, like: Inst): { value: Operand; copies: Inst[] } {
    const width = words * data.length;
    if (data.every(isZeroReg)) return { value: RZ(width), copies: [] };
    const [low] = data as [Operand];
    const beside = data.every((o, k) => isReg(o) && !isZeroReg(o) && o.id === low.id && o.sub === low.sub + words * k);
    if (beside && low.sub % alignmentOf(width) === 0)
      return { value: register(File.R, low.id, width, low.sub), copies: [] };
    const value = this.func.values.add(File.R, width);
    const copies = data.flatMap((o, k) =>
      Array.from({ length: words }, (_, w) => {
        const from = isZeroReg(o) ? RZ() : part(clone(o), w);
        const copy = copyUnit(this.func, register(File.R, value, 1, words * k + w), from);
        copy.loc = like.loc;
        return copy;
      }),
    );
    return { value: register(File.R, value, width), copies };
  }

  private elementOf(unit: Unit, m: Member): number {
    return (m.constant & (MOST_ALIGNED - 1)) / unit.element;
  }

  /** The wide access with the base of `like`; null: the offset does not fit. */
  private access(
    form: Form,
    unit: Unit,
    first: number,
    count: number,
    like: Member,
    result: Operand | null,
    data: readonly Operand[],
  ): Inst | null {
    const wide = sized(form, unit.element * count);
    if (wide === null) return null;
    const { offset } = memoryEffect(form);
    const back = unit.element * (this.elementOf(unit, like) - first);
    const srcs = like.inst.srcs.map((o, k) => (k === offset ? imm(o.value - back) : clone(o)));
    if (data.length > 0) srcs[srcs.length - 1] = data[0] as Operand;
    const own = resultOf(like.inst);
    const dsts = like.inst.dsts.map((o) => (o === own && result !== null ? result : clone(o)));
    if (!encodes(this.func, wide, dsts, srcs)) return null;
    const made = newInst(this.func, wide, dsts, srcs, null, like.inst.loc, like.inst.id);
    this.rewrites.take(`${wide.name} of ${count}`, made, like.inst);
    this.count++;
    return made;
  }
}

/** An aligned unit: members by element, the most elements that one access may have. */
interface Unit {
  readonly element: number;
  readonly most: number;
  readonly members: Map<number, Member[]>;
}

const maskOf = (unit: Unit): number => [...unit.members.keys()].reduce((mask, k) => mask | (1 << k), 0);

function membersOf(unit: Unit, first: number, count: number): Member[] {
  const all: Member[] = [];
  for (let k = first; k < first + count; k++) all.push(...(unit.members.get(k) ?? []));
  return all;
}
