/**
 * Loads that repeat a load, and stores that the next access overwrites (SSA window; OriCommoning in a block, GvnCse also along blocks
 * that only one block leads to). A load gives what an equal one before it gave if nothing between may have written there; a fence, a
 * barrier, an access that acquires ends that. ptxas 13.0.88 does both; it holds any store for one that may write there, while
 * here addresses are compared (analysis/alias.ts).
 *
 *     LDG.E %R4, [%R2]                LDG.E %R4, [%R2]
 *     STG.E [%R2+0x4], %R5      →     STG.E [%R2+0x4], %R5
 *     LDG.E %R6, [%R2]                MOV %R6, %R4
 */
import {
  type Addresses,
  analysis,
  conflicts,
  Definitions,
  isPlainLoad,
  memoryEffect,
  Order,
  orderOf,
  readsConstants,
  same,
  unitOf,
} from "../analysis/index.js";
import { rewriteBlock } from "../ori/editor.js";
import { clone, isReg, isZeroReg, part } from "../ori/operand.js";
import { type Block, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { saying } from "./notes.js";
import { copyUnit } from "./parallel-copy.js";

/** Loads remembered at once; the oldest is forgotten. */
const MOST = 128;

/** Returns how many accesses went. `dropStores`: those that are overwritten, too. */
export function commonLoads(func: Func, across: boolean, dropStores = true): number {
  if (func.milestone !== "ssa") return 0;
  return new Commoning(func, across, dropStores).run();
}

type Known = Map<string, number>;

class Commoning {
  private readonly func: Func;
  private readonly across: boolean;
  private readonly defs: Definitions;
  private readonly addresses: Addresses;
  /** The load that a load repeats. */
  private readonly repeats: Map<Inst, Inst> = new Map();
  private readonly overwritten: Set<Inst> = new Set();

  constructor(
    func: Func,
    across: boolean,
    private readonly dropStores: boolean,
  ) {
    this.func = func;
    this.across = across;
    this.defs = new Definitions(func);
    this.addresses = analysis(func, "addresses");
  }

  run(): number {
    const { func } = this;
    const { rpo, indexOf } = analysis(func, "cfg");
    const ends: Known[] = [];
    for (const b of rpo) {
      const [only, ...more] = (func.blocks[b] as Block).preds;
      const before =
        this.across && only !== undefined && more.length === 0 ? ends[indexOf[only.id] as number] : undefined;
      ends[b] = this.block(b, new Map(before));
    }
    const count = this.repeats.size + this.overwritten.size;
    if (count > 0) for (const block of func.blocks) this.rewrite(block);
    return count;
  }

  private block(b: number, known: Known): Known {
    const { flat } = this.defs;
    /** The access before, if it is a store that nothing has read since. */
    let store = -1;
    for (let i = flat.first[b] as number; i < (flat.first[b + 1] as number); i++) {
      const inst = flat.insts[i] as Inst;
      const order = orderOf(inst);
      // A branch orders nothing: who comes to the next block has what was loaded before.
      if (order === Order.Free || inst.form.flow === "branch" || readsConstants(inst)) continue;
      const effect = memoryEffect(inst.form);
      if (order !== Order.Access || effect.acquires) known.clear();
      else if (effect.writes !== 0) {
        for (const [key, load] of known)
          if (
            conflicts(
              effect,
              this.addresses.at(i),
              memoryEffect((flat.insts[load] as Inst).form),
              this.addresses.at(load),
            )
          )
            known.delete(key);
      } else this.load(i, inst, known);
      const plain = this.dropStores && order === Order.Access && isPlainStore(inst);
      if (plain && store >= 0 && this.overwrites(store, i)) this.overwritten.add(flat.insts[store] as Inst);
      if (!this.repeats.has(inst)) store = plain ? i : -1;
    }
    return known;
  }

  private load(at: number, inst: Inst, known: Known): void {
    const key = this.keyOf(inst, at);
    if (key === null) return;
    const before = known.get(key);
    if (before !== undefined) {
      this.repeats.set(inst, this.defs.flat.insts[before] as Inst);
      return;
    }
    known.set(key, at);
    if (known.size > MOST) known.delete(known.keys().next().value as string);
  }

  private overwrites(first: number, second: number): boolean {
    const { insts } = this.defs.flat;
    const [a, b] = [insts[first] as Inst, insts[second] as Inst];
    return a.form === b.form && same(this.addresses.at(first), this.addresses.at(second));
  }

  /** What is loaded, as text; null: it cannot be shared. */
  private keyOf(inst: Inst, at: number): string | null {
    const { defs } = this;
    if (inst.guard !== null || !isPlainLoad(inst)) return null;
    const results = inst.dsts.filter((o) => o.kind !== Kind.None && !isZeroReg(o));
    if (results.length !== 1 || !results.every((o) => isReg(o) && o.part === "" && this.whole(o, at))) return null;
    let key = `${inst.form.id}|${(results[0] as Operand).width}`;
    for (const o of inst.srcs) {
      if (o.kind === Kind.Reg && !isZeroReg(o) && !defs.holds(o, at)) return null;
      if (o.kind === Kind.Const || o.kind === Kind.Sreg) return null;
      key += `|${o.kind},${o.file},${o.width},${o.id},${o.sub},${o.value},${o.high},${o.mods},${o.part},${o.sym}`;
    }
    return key;
  }

  private whole(o: Operand, at: number): boolean {
    const u = unitOf(this.defs.units, o);
    for (let k = u; k < u + o.width; k++) if (this.defs.def[k] !== at) return false;
    return true;
  }

  private rewrite(block: Block): void {
    const say = saying(this.func);
    rewriteBlock(this.func, block, (inst, out) => {
      const from = this.repeats.get(inst);
      if (from === undefined) {
        if (!this.overwritten.has(inst)) out.push(inst);
        else say?.("store dropped", inst, "another overwrites it before anything reads it");
        return;
      }
      const [to, value] = [inst, from].map((i) => i.dsts.find((o) => isReg(o)) as Operand) as [Operand, Operand];
      for (let n = 0; n < to.width; n++) {
        const copy = copyUnit(this.func, part(clone(to), n), part(clone(value), n));
        copy.loc = inst.loc;
        copy.origin = inst.id;
        say?.("load shared", copy, "what it loads is in a register already", from);
        out.push(copy);
      }
    });
  }
}

function isPlainStore(inst: Inst): boolean {
  const { form } = inst;
  return inst.guard === null && /^ST[GSL]?$/.test(form.op) && !form.mods.some((m) => m === "STRONG" || m === "MMIO");
}
