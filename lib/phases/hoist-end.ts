/**
 * What a kernel does after its last region moves before it, if it has nothing to do with what is done inside; then lanes need not
 * come together again to end, and the region goes. ptxas 13.0.88 does so for stores in the arms and one after them,
 * where a path leads past all arms.
 *
 *     BSSY B, j                            STG [p], v
 *     @P BRA s                             @P BRA j
 *     STG [p+0x40], x            →         STG [p+0x40], x
 *     s: BSYNC B                           j: EXIT
 *     j: STG [p], v
 *     EXIT
 */
import {
  type Addresses,
  analysis,
  conflicts,
  type Flat,
  isLanewise,
  memoryEffect,
  Order,
  orderOf,
  type Region,
  readsConstants,
  regionsOf,
} from "../analysis/index.js";
import { connect, terminator } from "../ori/flow.js";
import { type Block, File, type Func, type Inst, Kind } from "../ori/types.js";

/** Most instructions that move. */
const MOST = 8;

/** Returns how many regions went. */
export function hoistEnds(func: Func): number {
  let count = 0;
  for (let again = true; again; ) {
    const regions = regionsOf(func, analysis(func, "cfg"));
    again = regions.some((r) => moveEnd(func, r, regions));
    if (again) count++;
  }
  return count;
}

function moveEnd(func: Func, region: Region, all: readonly Region[]): boolean {
  const [join, ...more] = [...region.joins];
  if (join === undefined || more.length > 0 || region.broken) return false;
  const blocks = [...region.blocks].map((b) => func.blocks[b] as Block);
  const entry = func.blocks[region.entry] as Block;
  const [sync, end] = [func.blocks[join] as Block, endOf(func, func.blocks[join] as Block, blocks)];
  if (end === null || !entry.succs.includes(sync) || terminator(entry) === null || end.moved.length > MOST)
    return false;
  // Lanes that come together inside are together at its end as well: ptxas leaves it.
  if (all.some((r) => r !== region && region.blocks.has(r.entry) && func.blocks[r.entry] !== entry)) return false;
  if (blocks.some((b) => b.succs.length === 0 || b.insts.some((i) => i.form.flow === "exit" || i.form.flow === "call")))
    return false;
  const facts = new Facts(func);
  const inside = blocks.flatMap((b) => (b === entry ? facts.afterBarrier(entry, region.barrier) : facts.all(b)));
  if (!end.moved.every((i) => movable(i) && inside.every((j) => facts.independent(j, facts.index(i))))) return false;
  entry.insts.splice(entry.insts.length - 1, 0, ...end.moved);
  end.block.insts.splice(0, end.block.insts.length, end.exit);
  for (const b of [entry, sync, end.block]) b.insts = b.insts.filter((i) => !isBarrier(i, region.barrier));
  connect(func);
  func.generation++;
  return true;
}

interface End {
  readonly block: Block;
  readonly moved: readonly Inst[];
  readonly exit: Inst;
}

/** What follows the barrier up to the end of the kernel, where only the region's lanes come. */
function endOf(func: Func, sync: Block, inside: readonly Block[]): End | null {
  if (!sync.preds.every((p) => inside.includes(p)) || sync.insts[0]?.form.op !== "BSYNC") return null;
  let block = sync;
  if (sync.insts.length === 1) {
    const [next, ...others] = sync.succs;
    if (next === undefined || others.length > 0 || next.preds.length !== 1) return null;
    block = next;
  }
  const insts = block === sync ? block.insts.slice(1) : block.insts;
  const exit = insts[insts.length - 1];
  if (exit === undefined || exit.form.name !== "EXIT" || exit.guard !== null) return null;
  // A barrier is set up for this block only.
  const naming = func.blocks
    .flatMap((b) => b.insts)
    .filter((i) => i.srcs.some((o) => o.kind === Kind.Label && o.id === block.id));
  return naming.every((i) => i.form.op === "BSSY") ? { block, moved: insts.slice(0, -1), exit } : null;
}

const isBarrier = (inst: Inst, barrier: number): boolean =>
  (inst.form.op === "BSSY" || inst.form.op === "BSYNC") &&
  [...inst.dsts, ...inst.srcs].some((o) => o.kind === Kind.Reg && o.file === File.B && o.id === barrier);

function movable(inst: Inst): boolean {
  if (inst.dsts.some((o) => o.kind === Kind.Reg && (o.file === File.UR || o.file === File.UP))) return false;
  if (isLanewise(inst) || readsConstants(inst)) return true;
  return inst.form.memory?.access === "store" && orderOf(inst) === Order.Access && !inst.form.mods.includes("STRONG");
}

/** Registers and addresses of instructions by their places in the function. */
class Facts {
  private readonly flat: Flat;
  private readonly addresses: Addresses;
  private readonly places: ReadonlyMap<Inst, number>;

  constructor(func: Func) {
    this.flat = analysis(func, "flat");
    this.addresses = analysis(func, "addresses");
    this.places = new Map(this.flat.insts.map((inst, i) => [inst, i]));
  }

  index(inst: Inst): number {
    return this.places.get(inst) as number;
  }

  all(block: Block): number[] {
    return block.insts.map((i) => this.index(i));
  }

  /** The transfer of control that ends the block in which the region is entered. */
  afterBarrier(entry: Block, barrier: number): number[] {
    const at = entry.insts.findLastIndex((i) => isBarrier(i, barrier));
    return entry.insts.slice(at + 1).map((i) => this.index(i));
  }

  /** `second` may be done before `first`. */
  independent(first: number, second: number): boolean {
    const { flat, addresses } = this;
    const [a, b] = [flat.insts[first] as Inst, flat.insts[second] as Inst];
    const [written, read] = [this.units("def", second), this.units("use", second)];
    for (const u of this.units("def", first)) if (written.has(u) || read.has(u)) return false;
    for (const u of this.units("use", first)) if (written.has(u)) return false;
    const [x, y] = [orderOf(a), orderOf(b)];
    if (a.form.op === "BSSY" || a.form.op === "BSYNC" || a.form.flow === "branch") return true;
    if (x !== Order.Free && x !== Order.Access) return false;
    if (x === Order.Free || y === Order.Free) return true;
    return !conflicts(memoryEffect(a.form), addresses.at(first), memoryEffect(b.form), addresses.at(second));
  }

  private units(which: "use" | "def", i: number): Set<number> {
    const { flat } = this;
    const [start, unit, width] =
      which === "use" ? [flat.useStart, flat.useUnit, flat.useWidth] : [flat.defStart, flat.defUnit, flat.defWidth];
    const found = new Set<number>();
    for (let e = start[i] as number; e < (start[i + 1] as number); e++)
      for (let k = 0; k < (width[e] as number); k++) found.add((unit[e] as number) + k);
    return found;
  }
}
