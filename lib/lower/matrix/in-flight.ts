/**
 * Products of a warp group between their issue and their wait (the work of ptxas's OriPropagateGmma and FixupGmmaSequence).
 *
 * Products stay in flight, as PTX asks, from `mma_async` to the `wait_group` that covers their group, as long as nothing touches their registers in
 * between on any path. What a product reads must be handed over by WARPGROUP.ARRIVE after it was written; where no `wgmma.fence` does that (a fragment had to
 * be copied), an ARRIVE is put before the product.
 *
 * Where registers are touched, a group is not closed in the block of its products, a function is called meanwhile, or products are in a function
 * that others call, the whole function is serialized, as ptxas does with a message (C7515 and others): products in a row share one wait right after the last,
 *
 *     ARRIVE; HGMMA; R2UR…; HGMMA gsb0; DEPBAR gsb0, 0
 *
 * so fences, commits and waits of PTX mean nothing any more. Waiting earlier is right, and costs overlap.
 */
import { isProduct, isWait } from "../../analysis/products.js";
import { form } from "../../isa/form.js";
import { newInst } from "../../ori/func.js";
import { imm } from "../../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, type Operand, ZERO_REG } from "../../ori/types.js";

/** `sb` of the last product of a group, and of one that is followed by others. */
export const CLOSES = 0;
export const FOLLOWED = 7;

/** Groups told apart: the open one, then by how many have been closed since; the last stands for all older ones. */
const AGES = 9;

const irregular: WeakSet<Func> = new WeakSet();

export const isArrive = (i: Inst): boolean => i.form.name === "WARPGROUP.ARRIVE";
const slotOf = (i: Inst, name: string): number => i.form.srcs.findIndex((s) => s.name === name);
const setGroup = (i: Inst, sb: number): void => {
  i.srcs[slotOf(i, "sb")] = imm(sb);
};
const closes = (i: Inst): boolean => i.srcs[slotOf(i, "sb")]?.value === CLOSES;
const register = (o: Operand): boolean => o.kind === Kind.Reg && o.file === File.R && o.id !== ZERO_REG;

/** `commit_group`: the last product of this block ends a group; a group without products here is none the machine could count. */
export function closeGroup(func: Func, block: Block): void {
  const last = block.insts.findLastIndex((i) => isProduct(i.form.op));
  const product = block.insts[last];
  if (product === undefined || closes(product)) irregular.add(func);
  else setGroup(product, CLOSES);
}

// ------------------------------------------------------------------------------------------------ what is in flight

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
  const c = inst.srcs[slotOf(inst, "c")] as Operand;
  let free = !state.isRead(d.id);
  let arrive = state.fresh.has(d.id);
  for (const o of inst.srcs) {
    if (!register(o)) continue;
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
  for (const o of inst.srcs) if (register(o) && state.isWritten(o.id)) return false;
  for (const o of inst.dsts) {
    if (!register(o)) continue;
    if (state.isWritten(o.id) || state.isRead(o.id)) return false;
    state.fresh.add(o.id);
  }
  return true;
}

/** The instruction writes what products in flight write or read. */
export const writesInFlight = (state: State, inst: Inst): boolean =>
  inst.dsts.some((o) => register(o) && (state.isWritten(o.id) || state.isRead(o.id)));

/** Groups that may still be under way after a wait. */
export const waitsFor = (wait: Inst): number => (wait.srcs.at(-1) as Operand).value;

/** Follows one block; false: something is touched. Products that want an ARRIVE go to `wanting`. */
function follow(block: Block, state: State, wanting: Set<Inst>): boolean {
  for (const inst of block.insts) {
    if (isProduct(inst.form.op)) {
      const { free, arrive } = takeProduct(state, inst);
      if (!free) return false;
      if (arrive) {
        wanting.add(inst);
        state.fresh.clear();
      }
    } else if (isArrive(inst)) state.fresh.clear();
    else if (isWait(inst)) state.done(waitsFor(inst));
    else if (!takeOther(state, inst)) return false;
  }
  return true;
}

/** Products that want an ARRIVE before them; null: registers are touched while products are at work. */
function examine(func: Func): ReadonlySet<Inst> | null {
  const at = new Map<Block, State>(func.blocks.map((b) => [b, new State()]));
  const wanting = new Set<Inst>();
  for (let again = true; again; ) {
    again = false;
    for (const b of func.blocks) {
      const state = new State();
      state.merge(at.get(b) as State);
      if (!follow(b, state, wanting)) return null;
      for (const next of b.succs) if ((at.get(next) as State).merge(state)) again = true;
    }
  }
  return wanting;
}

// ------------------------------------------------------------------------------------------------ one after the other

/** Instructions that may stand between products in flight: they compute and move registers. */
const harmless = /^(MOV|IMAD|IADD3|IADD|LEA|SHF|LOP3|PRMT|ISETP|PLOP3|SEL|R2UR|UMOV|UIADD3|ULOP3|VOTEU|WARPSYNC|NOP)$/;

const isGroupWord = (i: Inst): boolean => isArrive(i) || isWait(i);

function between(inst: Inst, row: readonly Inst[]): boolean {
  if (!harmless.test(inst.form.op) || inst.guard !== null) return false;
  // Descriptors are read when a product is issued: uniform registers may change.
  const owned = row.flatMap((p) => [...p.dsts, ...p.srcs]).filter(register);
  return ![...inst.dsts, ...inst.srcs].some((o) => register(o) && owned.some((p) => p.id === o.id));
}

/** The products of a block in rows. */
class Rows {
  readonly out: Inst[] = [];
  private row: Inst[] = [];
  /** Values written since the last ARRIVE. */
  private readonly fresh: Set<number> = new Set();

  constructor(private readonly func: Func) {}

  private make(name: string, srcs: Operand[], like: Inst): Inst {
    return newInst(this.func, form(name), [], srcs, null, like.loc);
  }

  product(inst: Inst): void {
    const c = inst.srcs[slotOf(inst, "c")];
    const operands = [...inst.dsts, ...inst.srcs].filter(register);
    const factors = inst.srcs.filter((o) => register(o) && o !== c);
    if (factors.some((o) => this.row.some((p) => p.dsts[0]?.id === o.id))) this.end();
    if (this.row.length === 0 || operands.some((o) => this.fresh.has(o.id))) {
      this.out.push(this.make("WARPGROUP.ARRIVE", [], inst));
      this.fresh.clear();
    }
    setGroup(inst, FOLLOWED);
    this.row.push(inst);
    this.out.push(inst);
  }

  other(inst: Inst): void {
    if (isGroupWord(inst)) return;
    if (this.row.length > 0 && !between(inst, this.row)) this.end();
    for (const o of inst.dsts) if (register(o)) this.fresh.add(o.id);
    this.out.push(inst);
  }

  /** One wait for the row, right after its last product. */
  end(): void {
    const last = this.row.at(-1);
    if (last === undefined) return;
    setGroup(last, CLOSES);
    const wait = this.make("WARPGROUP.DEPBAR.LE", [imm(CLOSES), imm(0)], last);
    this.out.splice(this.out.indexOf(last) + 1, 0, wait);
    this.row = [];
  }
}

function serialize(func: Func, b: Block): void {
  const rows = new Rows(func);
  for (const inst of b.insts) {
    if (isProduct(inst.form.op)) rows.product(inst);
    else rows.other(inst);
  }
  rows.end();
  b.insts = rows.out;
}

// ------------------------------------------------------------------------------------------------

/** The last product of a block, and with it those before it, is in a group that is closed. */
export const allCommitted = (b: Block): boolean => {
  const last = b.insts.findLast((i) => isProduct(i.form.op));
  return last === undefined || closes(last);
};

/** Groups are closed in the blocks of their products, of a kernel. */
export const isRegular = (func: Func): boolean => func.kind === "entry" && !irregular.has(func);

/** Keeps the products of a function in flight as PTX says, or puts a wait after each row of them. */
export function settleProducts(func: Func): void {
  if (!func.blocks.some((b) => b.insts.some((i) => isProduct(i.form.op)))) return;
  const wanting = isRegular(func) ? examine(func) : null;
  for (const b of func.blocks) {
    if (wanting === null) serialize(func, b);
    else
      b.insts = b.insts.flatMap((i) =>
        wanting.has(i) ? [newInst(func, form("WARPGROUP.ARRIVE"), [], [], null, i.loc), i] : [i],
      );
  }
  func.generation++;
}
