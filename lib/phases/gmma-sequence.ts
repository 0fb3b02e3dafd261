/**
 * FixupGmmaSequence (wiki page 29): products of a warp group between their issue and their wait.
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
 * so fences, commits and waits of PTX mean nothing any more. Waiting earlier is right, and costs overlap. The optimizations before have
 * taken each product for an instruction that reads and writes its registers at once; what they left is looked at, not what PTX said.
 */
import {
  CLOSES,
  FOLLOWED,
  isArrive,
  isGroupWord,
  isRegister,
  isRegular,
  State,
  setGroup,
  sumsOf,
  takeOther,
  takeProduct,
  waitsFor,
} from "../analysis/in-flight.js";
import { hasProducts, isProduct, isWait } from "../analysis/products.js";
import { form } from "../isa/form.js";
import { newInst } from "../ori/func.js";
import { imm } from "../ori/operand.js";
import type { Block, Func, Inst, Operand } from "../ori/types.js";

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

function between(inst: Inst, row: readonly Inst[]): boolean {
  if (!harmless.test(inst.form.op) || inst.guard !== null) return false;
  // Descriptors are read when a product is issued: uniform registers may change.
  const owned = row.flatMap((p) => [...p.dsts, ...p.srcs]).filter(isRegister);
  return ![...inst.dsts, ...inst.srcs].some((o) => isRegister(o) && owned.some((p) => p.id === o.id));
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
    const c = sumsOf(inst);
    const operands = [...inst.dsts, ...inst.srcs].filter(isRegister);
    const factors = inst.srcs.filter((o) => isRegister(o) && o !== c);
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
    for (const o of inst.dsts) if (isRegister(o)) this.fresh.add(o.id);
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

/** Keeps the products of a function in flight as PTX says, or puts a wait after each row of them. */
export function fixupGmmaSequence(func: Func): void {
  if (!hasProducts(func)) return;
  const wanting = isRegular(func) ? examine(func) : null;
  if (wanting?.size === 0) return;
  for (const b of func.blocks) {
    if (wanting === null) serialize(func, b);
    else
      b.insts = b.insts.flatMap((i) =>
        wanting.has(i) ? [newInst(func, form("WARPGROUP.ARRIVE"), [], [], null, i.loc), i] : [i],
      );
  }
  func.generation++;
}
