/**
 * Neighbouring words of shared and local memory that one block loads come together, and so do those that it stores (Vectorization and
 * LateVectorization, SSA window). ptxas 13.0.88 does both at -O1 and above, on all SMs, and never for global memory (measured, as all that follows):
 *
 * - the group of 8 or 16 bytes must be aligned, which is told by the bits of its address (analysis/alignment.ts);
 * - elements are words, or pairs of words; volatile, guarded, narrower ones stay. Three of four words that are loaded bring the fourth;
 * - loads go up to the first of them; a store that may go to their space, a barrier, an atomic, a fence ends a group;
 * - stores go down to the last of them; any access to their space in between ends a group.
 *
 *     LDS %R4, [%R2]                    LDS.64 %R8, [%R2]
 *     LDS %R5, [%R2+0x4]         →      IADD3 %R6, %R8:0, %R8:1, RZ
 *     IADD3 %R6, %R4, %R5, RZ
 */
import {
  type Address,
  type Addresses,
  Alignments,
  analysis,
  Definitions,
  MOST_ALIGNED,
  memoryEffect,
  Order,
  orderOf,
  unitOf,
} from "../analysis/index.js";
import type { Form } from "../isa/form.js";
import { rewriteBlock } from "../ori/editor.js";
import { newInst } from "../ori/func.js";
import { clone, imm, isReg, isZeroReg, part, RZ, register } from "../ori/operand.js";
import { File, type Func, type Inst, type Operand } from "../ori/types.js";
import { alignmentOf } from "../ori/verify/physical.js";
import { encodes } from "../rules/encodable.js";
import { loadPieces, sized, storePieces, wordsOf } from "./access-pieces.js";
import { copyUnit } from "./parallel-copy.js";
import type { RewriteCounter } from "./rewrites.js";

export interface Widening {
  readonly loads: boolean;
  readonly stores: boolean;
}

/** Returns how many wide accesses were made. */
export function widenAccesses(func: Func, what: Widening, rewrites: RewriteCounter): number {
  if (
    func.milestone !== "ssa" ||
    !func.blocks.some((b) => b.insts.some((i) => i.form.op === "LDS" || isStore(i) || i.form.op === "LDL"))
  )
    return 0;
  return new Widen(func, what, rewrites).run();
}

/** An access at an index of the flattened function, its address a sum. */
interface Member {
  readonly at: number;
  readonly inst: Inst;
  readonly address: Address & { readonly sum: NonNullable<Address["sum"]> };
}

/** Accesses of one form whose addresses differ by constants. */
interface Group {
  readonly form: Form;
  readonly members: Member[];
}

/** R1, which a kernel sets once. */
const STACK_POINTER = 1;

const isStore = (inst: Inst): boolean => inst.form.op === "STS" || inst.form.op === "STL";

class Widen {
  private readonly defs: Definitions;
  private readonly addresses: Addresses;
  private readonly alignments: Alignments;
  /** What stands in place of an instruction. */
  private readonly made = new Map<Inst, readonly Inst[]>();
  private loads = new Map<string, Group>();
  /** The stores of each space, one form and shape at a time. */
  private stores = new Map<number, Group & { readonly shape: number }>();
  private count = 0;

  constructor(
    private readonly func: Func,
    private readonly what: Widening,
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
    const shape = member?.address.sum.shape ?? -1;
    const space = effect.writes;
    const open = store ? this.stores.get(space) : undefined;
    const goesOn = member !== null && open !== undefined && open.shape === shape && open.form === inst.form;
    if (!goesOn) this.endStores(effect.reads | effect.writes);
    this.endLoads(effect.writes);
    if (member === null) return;
    if (!store) {
      const key = `${inst.form.id} ${shape}`;
      const group = this.loads.get(key) ?? { form: inst.form, members: [] };
      group.members.push(member);
      this.loads.set(key, group);
    } else if (goesOn) open.members.push(member);
    else if (this.what.stores) this.stores.set(space, { form: inst.form, shape, members: [member] });
  }

  /** The access as one that may become part of a wider one; null: it stays. */
  private member(at: number, inst: Inst): Member | null {
    const { form, guard } = inst;
    const store = isStore(inst);
    if (!store && !(this.what.loads && (form.op === "LDS" || form.op === "LDL"))) return null;
    const bytes = wordsOf(form);
    if (guard !== null || (bytes !== 4 && bytes !== 8)) return null;
    const address = this.addresses.at(at);
    const { sum } = address;
    if (sum === null) return null;
    if (store ? !inst.srcs.every((o) => this.keeps(o, at)) : !this.ownsResult(at, inst)) return null;
    return { at, inst, address: { ...address, sum } };
  }

  /** It holds the same further down. */
  private keeps(o: Operand, at: number): boolean {
    if (!isReg(o) || isZeroReg(o) || this.defs.holds(o, at)) return true;
    return this.func.kind === "entry" && this.func.values.fixed(o.id) === STACK_POINTER;
  }

  private ownsResult(at: number, inst: Inst): boolean {
    const d = inst.dsts[0];
    if (d === undefined || !isReg(d) || d.file !== File.R || d.part !== "") return false;
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
    const align = this.alignments.ofTerms((group.members[0] as Member).address.sum);
    const element = wordsOf(group.form);
    if (align < 2 * element) return [];
    const units = new Map<number, Unit>();
    for (const m of group.members) {
      const { constant } = m.address.sum;
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
      const wide = this.access(form, unit, first, count, earliest, [register(File.R, value, words * count)], []);
      if (wide === null) continue;
      for (const m of all) {
        const to = m.inst.dsts[0] as Operand;
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
      const wide = this.access(form, unit, first, count, last, [], [value]);
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
    return (m.address.sum.constant & (MOST_ALIGNED - 1)) / unit.element;
  }

  /** The wide access with the base of `like`; null: the offset does not fit. */
  private access(
    form: Form,
    unit: Unit,
    first: number,
    count: number,
    like: Member,
    dsts: Operand[],
    data: readonly Operand[],
  ): Inst | null {
    const wide = sized(form, unit.element * count);
    if (wide === null) return null;
    const { offset } = memoryEffect(form);
    const back = unit.element * (this.elementOf(unit, like) - first);
    const srcs = like.inst.srcs.map((o, k) => (k === offset ? imm(o.value - back) : clone(o)));
    if (data.length > 0) srcs[srcs.length - 1] = data[0] as Operand;
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
