/**
 * Whether one register unit is live into a block, asked now and then: followed from the block on to where the unit is read or certainly
 * written, which is near as a rule. As the full analysis says; who asks much, or from afar, gets that one.
 */
import { writesSomeLanes } from "../isa/some-lanes.js";
import { type Block, type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";
import { analysis } from "./cache.js";
import { writesWhole } from "./flat.js";
import type { Liveness } from "./liveness.js";
import { hasProducts } from "./products.js";
import { unitOf } from "./units.js";

/** Instructions looked at, per instruction of the function, after which the full analysis costs less. */
const PATIENCE = 1;

/** Block as it was when the first question was asked. */
interface Was {
  readonly insts: readonly Inst[];
  readonly succs: readonly Block[];
}

/** Answers are those of the function as it was at first, if `keep` is told of each block before it changes. Virtual registers, no phis. */
export class LiveQuery {
  private live: Liveness | null = null;
  private left: number;
  private readonly kept = new Map<Block, Was>();
  private readonly seen = new Set<Block>();
  private readonly work: Block[] = [];

  /** `many`: most will be asked. */
  constructor(
    private readonly func: Func,
    many: boolean,
  ) {
    this.left = PATIENCE * size(func);
    if (many || hasProducts(func)) this.live = analysis(func, "liveness");
  }

  /** Some register of the operand is live into the block. */
  meets(block: Block, o: Operand): boolean {
    for (let sub = o.sub; sub < o.sub + o.width; sub++) if (this.isLive(block, o, sub)) return true;
    return false;
  }

  /** The block is going to change: its instructions' guards, their order, its successors. */
  keep(block: Block): void {
    if (this.live !== null || this.kept.has(block)) return;
    this.kept.set(block, { insts: block.insts.map((inst) => ({ ...inst })), succs: block.succs });
  }

  private isLive(block: Block, o: Operand, sub: number): boolean {
    if (this.live === null && this.left <= 0 && this.kept.size === 0) this.live = analysis(this.func, "liveness");
    const { live } = this;
    if (live === null) return this.search(block, o.id, sub);
    const at = analysis(this.func, "cfg").indexOf[block.id] as number;
    return live.liveIn.has(at, unitOf(live.flat.units, o) - o.sub + sub);
  }

  private search(from: Block, id: number, sub: number): boolean {
    const { seen, work } = this;
    seen.clear();
    work.length = 0;
    work.push(from);
    for (let b = work.pop(); b !== undefined; b = work.pop()) {
      if (seen.has(b)) continue;
      seen.add(b);
      const { insts, succs } = this.kept.get(b) ?? b;
      const end = this.endIn(insts, id, sub);
      if (end === "read") return true;
      if (end === null) for (const s of succs) work.push(s);
    }
    return false;
  }

  private endIn(insts: readonly Inst[], id: number, sub: number): "read" | "written" | null {
    for (const inst of insts) {
      this.left--;
      if (readsUnit(inst, id, sub)) return "read";
      if (killsUnit(inst, id, sub)) return "written";
    }
    return null;
  }
}

function size(func: Func): number {
  let n = 0;
  for (const b of func.blocks) n += b.insts.length;
  return n;
}

const covers = (o: Operand, id: number, sub: number): boolean =>
  o.kind === Kind.Reg && o.id === id && o.sub <= sub && sub < o.sub + o.width;

function readsUnit(inst: Inst, id: number, sub: number): boolean {
  if (inst.guard !== null && inst.guard.id === id && sub === 0) return true;
  for (const o of inst.srcs) {
    if (covers(o, id, sub)) return true;
    if (o.kind !== Kind.Const || o.index !== id || o.index === NO_INDEX) continue;
    if (sub < (o.id === -1 ? 2 : 1)) return true;
  }
  return inst.passed?.uses.some((o) => covers(o, id, sub)) ?? false;
}

function killsUnit(inst: Inst, id: number, sub: number): boolean {
  const { guard } = inst;
  if ((guard !== null && (guard.id !== ZERO_REG || guard.not)) || writesSomeLanes(inst.form)) return false;
  for (const o of inst.dsts) if (covers(o, id, sub) && writesWhole(o)) return true;
  return inst.passed?.defs.some((o) => covers(o, id, sub)) ?? false;
}
