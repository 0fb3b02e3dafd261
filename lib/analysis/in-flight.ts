/**
 * Registers of warp-group products between issue and wait, by value and in the order of the code: what FixupGmmaSequence makes right
 * (lib/phases/gmma-sequence.ts) and what ptxas says about it (lib/lower/matrix/remarks.ts). Which registers an ARRIVE or a wait hands over is in products.ts.
 */
import { imm } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, type Operand, ZERO_REG } from "../ori/types.js";
import { isProduct, isWait } from "./products.js";

/** `sb` of the last product of a group, and of one that is followed by others. */
export const CLOSES = 0;
export const FOLLOWED = 7;

/** Groups told apart: the open one, then by how many have been closed since; the last stands for all older ones. */
const AGES = 9;

export const isArrive = (i: Inst): boolean => i.form.name === "WARPGROUP.ARRIVE";
/** ARRIVE or wait. */
export const isGroupWord = (i: Inst): boolean => isArrive(i) || isWait(i);
const slotOf = (i: Inst, name: string): number => i.form.srcs.findIndex((s) => s.name === name);
export const setGroup = (i: Inst, sb: number): void => {
  i.srcs[slotOf(i, "sb")] = imm(sb);
};
/** It ends a group. */
export const closes = (i: Inst): boolean => i.srcs[slotOf(i, "sb")]?.value === CLOSES;
/** The sums that a product adds to. */
export const sumsOf = (i: Inst): Operand => i.srcs[slotOf(i, "c")] as Operand;
export const isRegister = (o: Operand): boolean => o.kind === Kind.Reg && o.file === File.R && o.id !== ZERO_REG;

/** Groups are closed in the blocks of their products, of a kernel: what the machine can count. */
export const isRegular = (func: Func): boolean =>
  func.kind === "entry" &&
  func.blocks.every((b: Block) => {
    const last = b.insts.findLast((i) => isProduct(i.form.op));
    return last === undefined || closes(last);
  });

/** Values that products in flight write and read, by age of their group, and values written since the last ARRIVE. */
export class State {
  readonly writes: Set<number>[] = Array.from({ length: AGES }, () => new Set());
  readonly reads: Set<number>[] = Array.from({ length: AGES }, () => new Set());
  readonly fresh: Set<number> = new Set();

  /** Adds all of the other; whether there was something new. */
  merge(o: State): boolean {
    let grew = false;
    const add = (to: Set<number>, from: ReadonlySet<number>): void => {
      const before = to.size;
      for (const x of from) to.add(x);
      if (to.size > before) grew = true;
    };
    for (let age = 0; age < AGES; age++) {
      add(this.writes[age] as Set<number>, o.writes[age] as Set<number>);
      add(this.reads[age] as Set<number>, o.reads[age] as Set<number>);
    }
    add(this.fresh, o.fresh);
    return grew;
  }

  isWritten(id: number): boolean {
    return this.writes.some((s) => s.has(id));
  }

  isRead(id: number): boolean {
    return this.reads.some((s) => s.has(id));
  }

  get busy(): boolean {
    return this.writes.some((s) => s.size > 0);
  }

  close(): void {
    for (const sets of [this.writes, this.reads]) {
      const oldest = sets.pop() as Set<number>;
      for (const x of oldest) (sets[AGES - 2] as Set<number>).add(x);
      sets.unshift(new Set());
    }
  }

  done(left: number): void {
    for (let age = Math.min(left + 1, AGES - 1); age < AGES; age++) {
      this.writes[age]?.clear();
      this.reads[age]?.clear();
    }
  }
}

/** Takes a product in flight; false: it touches what another one has. `arrive`: what it reads has not been handed over. */
export function takeProduct(state: State, inst: Inst): { readonly free: boolean; readonly arrive: boolean } {
  const [d] = inst.dsts as [Operand];
  const c = sumsOf(inst);
  let free = !state.isRead(d.id);
  let arrive = state.fresh.has(d.id);
  for (const o of inst.srcs) {
    if (!isRegister(o)) continue;
    // Products keep their order: one may add to the sums that another is at work on, if they are the same ones.
    const chained = o === c && o.id === d.id && o.sub === d.sub && o.width === d.width;
    if (!chained && state.isWritten(o.id)) free = false;
    if (state.fresh.has(o.id)) arrive = true;
    if (o !== c) state.reads[0]?.add(o.id);
  }
  state.writes[0]?.add(d.id);
  if (closes(inst)) state.close();
  return { free, arrive };
}

/** Any other instruction; false: it touches registers of products in flight. */
export function takeOther(state: State, inst: Inst): boolean {
  if (inst.form.flow === "call") return !state.busy;
  for (const o of inst.srcs) if (isRegister(o) && state.isWritten(o.id)) return false;
  for (const o of inst.dsts) {
    if (!isRegister(o)) continue;
    if (state.isWritten(o.id) || state.isRead(o.id)) return false;
    state.fresh.add(o.id);
  }
  return true;
}

/** The instruction writes what products in flight write or read. */
export const writesInFlight = (state: State, inst: Inst): boolean =>
  inst.dsts.some((o) => isRegister(o) && (state.isWritten(o.id) || state.isRead(o.id)));

/** Groups that may still be under way after a wait. */
export const waitsFor = (wait: Inst): number => (wait.srcs.at(-1) as Operand).value;
