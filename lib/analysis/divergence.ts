/**
 * Divergence: which registers hold the same in all lanes of a warp, and where the lanes of a warp are together.
 *
 * Three facts that feed each other, found as a least fixed point from "everything is uniform" on:
 * - a register varies when an operation makes it from one that varies (thread index, loads from addresses that vary, …), under
 *   a guard that varies, or at a place where lanes are apart;
 * - lanes part at a conditional branch whose condition varies, and after code for the lanes of a mask that varies (gathered code);
 * - after it they are apart until the BSYNC of a region that the branch lies in.
 *
 * A call by the ABI is such a place, too: lanes may come back from it at different times, with different results.
 *
 * The last is the machine's view and not only the graph's: without a region nothing brings lanes together again. A region that lanes leave
 * by BREAK brings together only those that stay: to the warp it means nothing. And the BSYNC of a region in which
 * lanes YIELD lets those that wait go on without the others (lib/lower/convergence.ts): they are together again at the next barrier of the CTA, where
 * no other path leads past it. So does that of a region with a call, for what is called may YIELD, and has put the region's mask away when lanes
 * leave. ptxas 13.0.88 has WARPSYNC before the next barrier of the CTA if what is called has a loop with YIELD or is not known (vprintf), and none if it
 * only calls itself (asked on sm_75, 90, 120); here what is called is not looked at.
 */
import { isConditional, terminator } from "../ori/flow.js";
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";
import type { Cfg } from "./cfg.js";
import { isLanewise, isPlainLoad, readsBlockConstant, readsConstants } from "./traits.js";

/** What differs between lanes of a warp. */
export interface Divergence {
  /** 1 for values that lanes of one warp may hold differently. Virtual registers. */
  readonly varies: Uint8Array;
  /** Per block (layout index): lanes are together at its start (0), apart up to its BSYNC or barrier (1), apart (2). */
  readonly apart: Uint8Array;
  /** The block ends in a transfer of control at which lanes may part. */
  parts(block: Block): boolean;
  /** Lanes may be apart when they come to this instruction of the block. */
  apartAt(block: Block, at: number): boolean;
  /** All regions of the function. */
  readonly regions: readonly Region[];
}

/** A region: where its barrier is set up and where it is waited for, as layout indices. */
export interface Region {
  /** Number of the convergence barrier. */
  readonly barrier: number;
  /** Layout index of the block where the region starts. */
  readonly entry: number;
  /** Layout indices of the blocks in which lanes may be apart. */
  readonly blocks: ReadonlySet<number>;
  /** Layout indices of the blocks where lanes meet. */
  readonly joins: ReadonlySet<number>;
  /** Lanes may leave by BREAK: those that meet are not all that came in. */
  readonly broken: boolean;
}

/** Where lanes come together: a block, and the index after the instruction that does it. */
interface Meeting {
  readonly block: number;
  readonly until: number;
}

/** Follows what differs between lanes through data and control. */
export function divergence(func: Func, cfg: Cfg): Divergence {
  return new Finding(func, cfg).run();
}

function barrierOf(operands: readonly Operand[]): number {
  for (const o of operands) if (o.kind === Kind.Reg && o.file === File.B) return o.id;
  return -1;
}

/** The instruction takes lanes out of the barrier. */
const breaksOff = (inst: Inst, barrier: number): boolean =>
  inst.form.op === "BREAK" && barrierOf(inst.srcs) === barrier;

/** Where lanes go on from the block that still belong to the barrier: not after a BREAK, or where it has the guard of the branch. */
function staying(block: Block, barrier: number): readonly Block[] {
  const off = block.insts.find((i) => breaksOff(i, barrier));
  if (off === undefined) return block.succs;
  const [guard, last] = [off.guard, terminator(block)];
  if (guard === null || guard.id === ZERO_REG) return [];
  const taken = last?.form.flow === "branch" && last.guard?.id === guard.id && last.guard.not === guard.not;
  return taken ? block.succs.slice(0, 1) : block.succs;
}

/** All regions: what can be reached from BSSY without passing the BSYNC of its barrier, or a BREAK. */
export function regionsOf(func: Func, { indexOf }: Cfg): Region[] {
  const joins = new Map<number, Set<number>>();
  const entries: { barrier: number; entry: number }[] = [];
  const left = new Set<number>();
  for (let b = 0; b < func.blocks.length; b++) {
    for (const inst of (func.blocks[b] as Block).insts) {
      const { op } = inst.form;
      if (op === "BSSY") entries.push({ barrier: barrierOf(inst.dsts), entry: b });
      else if (op === "BSYNC") {
        const barrier = barrierOf(inst.srcs);
        joins.set(barrier, (joins.get(barrier) ?? new Set()).add(b));
      } else if (op === "BREAK") left.add(barrierOf(inst.srcs));
    }
  }
  return entries.map(({ barrier, entry }) => {
    const ends = joins.get(barrier) ?? new Set<number>();
    const broken = left.has(barrier);
    if (endsInPlace(func.blocks[entry] as Block, barrier))
      return { barrier, entry, blocks: new Set(), joins: ends, broken };
    const blocks = new Set([entry]);
    const work = [entry];
    for (let b = work.pop(); b !== undefined; b = work.pop()) {
      const block = func.blocks[b] as Block;
      for (const s of broken ? staying(block, barrier) : block.succs) {
        const i = indexOf[s.id] as number;
        if (ends.has(i) || blocks.has(i)) continue;
        blocks.add(i);
        work.push(i);
      }
    }
    return { barrier, entry, blocks, joins: ends, broken };
  });
}

/** The region is left in the block in which it is entered. */
function endsInPlace(block: Block, barrier: number): boolean {
  const enter = block.insts.findLastIndex((i) => i.form.op === "BSSY" && barrierOf(i.dsts) === barrier);
  return block.insts.some((i, k) => k > enter && i.form.op === "BSYNC" && barrierOf(i.srcs) === barrier);
}

/** Lanes of each mask go on by themselves after it. */
function isGathering({ form }: Inst): boolean {
  return form.op === "WARPSYNC" && (form.mods.includes("COLLECTIVE") || form.mods.includes("EXCLUSIVE"));
}

class Finding {
  private readonly func: Func;
  private readonly varies: Uint8Array;
  private readonly apart: Uint8Array;
  /** Of blocks in which lanes come together: before which instruction they are apart. */
  private readonly until: Int32Array;
  /** Index of the first call of each block, past its end where there is none: after it lanes are apart. */
  private readonly call: Int32Array;
  private readonly regions: readonly (Region & { readonly late: boolean })[];
  /** Where the lanes of the regions that each block lies in come together, where any do. */
  private readonly around: readonly (readonly Meeting[] | undefined)[];
  private readonly indexOf: Int32Array;
  /** By layout index: what gathers lanes of a block, where anything does. */
  private readonly gathering: ReadonlyMap<number, readonly Inst[]>;
  /** Blocks come to from branches whose lanes come together at the same blocks, by these blocks. */
  private readonly reached: Map<string, Uint8Array> = new Map();

  constructor(func: Func, cfg: Cfg) {
    this.func = func;
    this.indexOf = cfg.indexOf;
    this.gathering = gatheringIn(func.blocks);
    this.varies = new Uint8Array(func.values.count);
    this.apart = new Uint8Array(func.blocks.length);
    this.until = new Int32Array(func.blocks.length);
    this.call = Int32Array.from(func.blocks, firstCall);
    this.regions = regionsOf(func, cfg).map((r) => ({ ...r, late: yieldsIn(func, cfg, r) }));
    this.around = meetingsAround(func, cfg, this.regions);
  }

  run(): Divergence {
    const { func, varies, apart } = this;
    // A function may be called from anywhere.
    if (func.kind !== "entry") {
      varies.fill(1);
      apart.fill(1);
      func.blocks.forEach((block, b) => {
        const sync = lastSync(block);
        this.until[b] = sync < 0 ? block.insts.length : sync + 1;
      });
      for (const r of this.regions) if (r.late || r.broken) for (const j of r.joins) apart[j] = 2;
    } else this.settle();
    return {
      varies,
      apart,
      parts: (block) => this.parts(block, this.indexOf[block.id] as number),
      apartAt: (block, at) => this.isApart(block, this.indexOf[block.id] as number, at),
      regions: this.regions,
    };
  }

  /** Round by round over the instructions whose results do not vary yet, and the blocks in which lanes do not part yet. */
  private settle(): void {
    const { blocks } = this.func;
    // Of block b: `sites[from[b]] … sites[to[b] − 1]`, at these places of the block.
    const from = new Int32Array(blocks.length);
    const to = new Int32Array(blocks.length);
    const sites: Inst[] = [];
    const places: number[] = [];
    for (let b = 0; b < blocks.length; b++) {
      const { insts } = blocks[b] as Block;
      from[b] = sites.length;
      for (let at = 0; at < insts.length; at++) {
        const inst = insts[at] as Inst;
        if (inst.passed !== undefined) this.markAll(inst.passed.defs);
        if (!hasResult(inst)) continue;
        if (keepsUniform(inst)) {
          sites.push(inst);
          places.push(at);
        } else this.mark(inst);
      }
      to[b] = sites.length;
    }
    const together = Uint8Array.from(blocks, (block, b) => (this.mayPart(block, b) ? 1 : 0));
    for (let again = true; again; ) {
      again = false;
      for (let b = 0; b < blocks.length; b++) {
        const block = blocks[b] as Block;
        let kept = from[b] as number;
        const [first, past] = [kept, to[b] as number];
        const until = first === past ? 0 : this.apartUntil(block, b);
        const call = this.call[b] as number;
        for (let k = first; k < past; k++) {
          const inst = sites[k] as Inst;
          const at = places[k] as number;
          if (!this.isUniform(inst, at < until || at > call)) {
            if (this.mark(inst)) again = true;
            continue;
          }
          sites[kept] = inst;
          places[kept++] = at;
        }
        to[b] = kept;
        if (together[b] === 0 || !this.parts(block, b)) continue;
        this.part(b);
        together[b] = 0;
        again = true;
      }
    }
  }

  /** Lanes may be apart at the instructions of the block before this index: after a BSYNC that ends a region they are together. */
  private apartUntil(block: Block, b: number): number {
    if (this.apart[b] === 0) return 0;
    return this.apart[b] === 2 ? block.insts.length : (this.until[b] as number);
  }

  private isApart(block: Block, b: number, at: number): boolean {
    return at < this.apartUntil(block, b) || at > (this.call[b] as number);
  }

  private reads(o: Operand): boolean {
    if (o.kind === Kind.Const) return o.index !== NO_INDEX && o.index !== ZERO_REG && this.varies[o.index] === 1;
    return o.kind === Kind.Reg && o.id !== ZERO_REG && o.file !== File.B && this.varies[o.id] === 1;
  }

  private readsAny(inst: Inst): boolean {
    for (const o of inst.srcs) if (this.reads(o)) return true;
    return false;
  }

  /** Of instructions that keep what does not vary. */
  private isUniform(inst: Inst, apart: boolean): boolean {
    if (apart || (inst.guard !== null && inst.guard.id !== ZERO_REG && this.varies[inst.guard.id] === 1)) return false;
    return broadcasts(inst) ? !this.reads(inst.srcs[1] as Operand) : !this.readsAny(inst);
  }

  /** Marks the results of an instruction as varying; true when one did not before. */
  private mark(inst: Inst): boolean {
    return this.markAll(inst.dsts);
  }

  private markAll(results: readonly Operand[]): boolean {
    let changed = false;
    for (const o of results) {
      if (!isOfLanes(o) || this.varies[o.id] === 1) continue;
      this.varies[o.id] = 1;
      changed = true;
    }
    return changed;
  }

  /** Whatever varies, lanes can part in no other block. */
  private mayPart(block: Block, b: number): boolean {
    const last = terminator(block);
    return (last !== null && last.form.flow !== "exit") || this.gathering.has(b) || this.calls(block, b);
  }

  private calls(block: Block, b: number): boolean {
    return (this.call[b] as number) < block.insts.length;
  }

  private parts(block: Block, b: number): boolean {
    if (this.calls(block, b)) return true;
    const gathering = this.gathering.get(b);
    if (gathering?.some((i) => this.readsAny(i))) return true;
    const last = terminator(block);
    if (last === null || last.form.flow === "exit") return false;
    if (last.form.flow !== "branch") return last.form.flow === "indirect" && this.readsAny(last);
    if (!isConditional(last)) return false;
    const { mods } = last.form;
    if (mods.length > 0 && (mods.includes("DIV") || mods.includes("CONV"))) return true;
    const g = last.guard;
    if (g !== null && g.id !== ZERO_REG && g.file === File.P && this.varies[g.id] === 1) return true;
    return this.readsAny(last);
  }

  /** Lanes that part at block x are apart up to where the regions around it bring them together. */
  private part(x: number): void {
    const ends = new Map<number, number>();
    for (const { block, until } of this.around[x] ?? []) ends.set(block, Math.max(until, ends.get(block) ?? 0));
    const key = [...ends.keys()].sort((a, b) => a - b).join();
    const seen = this.reached.get(key) ?? new Uint8Array(this.func.blocks.length);
    this.reached.set(key, seen);
    const work = [x];
    for (let b = work.pop(); b !== undefined; b = work.pop()) {
      for (const s of (this.func.blocks[b] as Block).succs) {
        const i = this.indexOf[s.id] as number;
        if (seen[i] === 1) continue;
        seen[i] = 1;
        const end = ends.get(i);
        if (end !== undefined) {
          this.apart[i] = Math.max(this.apart[i] as number, 1);
          this.until[i] = Math.max(this.until[i] as number, end);
        } else {
          this.apart[i] = 2;
          work.push(i);
        }
      }
    }
  }
}

/** By the ABI: routines of the compiler's own let nobody go. */
const isCall = ({ passed, form }: Inst): boolean => passed !== undefined && form.flow === "call";

const firstCall = ({ insts }: Block): number => {
  const at = insts.findIndex(isCall);
  return at < 0 ? insts.length : at;
};

const isOfLanes = (o: Operand): boolean =>
  o.kind === Kind.Reg && o.id !== ZERO_REG && o.file !== File.B && o.file !== File.UR && o.file !== File.UP;

/** From operands that do not vary come results that do not. */
function keepsUniform(inst: Inst): boolean {
  if (isLanewise(inst) || inst.form.pseudo || readsConstants(inst) || readsBlockConstant(inst)) return true;
  if (asksPhase(inst) || broadcasts(inst)) return true;
  return isPlainLoad(inst) && (inst.form.memory?.space === "global" || inst.form.memory?.space === "const");
}

/**
 * All lanes of the warp get one lane's value, if they name the same one: ptxas 13.0.88 sets up no region around a branch on it (asked on
 * sm_90; CUTLASS and Triton tell the compiler so what number a warp has).
 */
const broadcasts = ({ form, srcs }: Inst): boolean =>
  form.op === "SHFL" && form.mods.includes("IDX") && srcs[2]?.kind === Kind.Imm && srcs[2].value === 0x1f;

/** A question to one mbarrier has one answer for the warp: ptxas sets up no region around a loop that waits for it (measured on sm_90 and 100). */
const asksPhase = ({ form }: Inst): boolean => form.op === "SYNCS" && form.mods.includes("PHASECHK");

function gatheringIn(blocks: readonly Block[]): ReadonlyMap<number, readonly Inst[]> {
  const found = new Map<number, Inst[]>();
  for (let b = 0; b < blocks.length; b++)
    for (const inst of (blocks[b] as Block).insts) {
      if (!isGathering(inst)) continue;
      const list = found.get(b);
      if (list === undefined) found.set(b, [inst]);
      else list.push(inst);
    }
  return found;
}

function hasResult(inst: Inst): boolean {
  for (const o of inst.dsts) if (isOfLanes(o)) return true;
  return false;
}

/** Lanes that wait at the region's end may be let go without the others: some YIELD in it, or in what it calls. What stands before its BSSY is no part of it, unless lanes come back to there. */
function yieldsIn(func: Func, { indexOf }: Cfg, { barrier, entry, blocks }: Region): boolean {
  const again = (func.blocks[entry] as Block).preds.some((p) => blocks.has(indexOf[p.id] as number));
  for (const b of blocks) {
    const { insts } = func.blocks[b] as Block;
    const from =
      b === entry && !again ? insts.findLastIndex((i) => i.form.op === "BSSY" && barrierOf(i.dsts) === barrier) : 0;
    if (insts.some((i, k) => k >= from && (i.form.op === "YIELD" || isCall(i)))) return true;
  }
  return false;
}

/** Block by block where the lanes of the regions around it meet. */
function meetingsAround(
  func: Func,
  cfg: Cfg,
  regions: readonly (Region & { readonly late: boolean })[],
): readonly (readonly Meeting[] | undefined)[] {
  const around: (Meeting[] | undefined)[] = new Array(func.blocks.length).fill(undefined);
  for (const r of regions) {
    if (r.broken) continue;
    const meetings = [...r.joins].flatMap((j) => (r.late ? barrierAfter(func, cfg, j) : [syncIn(func, j)]));
    for (const b of r.blocks) {
      const list = around[b];
      if (list === undefined) around[b] = [...meetings];
      else list.push(...meetings);
    }
  }
  return around;
}

const lastSync = (block: Block): number => block.insts.findLastIndex((i) => i.form.op === "BSYNC");

const syncIn = (func: Func, block: number): Meeting => ({ block, until: lastSync(func.blocks[block] as Block) + 1 });

/** The barrier of the CTA to which every lane comes from here, by blocks with one successor. */
function barrierAfter(func: Func, { indexOf }: Cfg, from: number): readonly Meeting[] {
  const seen = new Set<number>();
  for (let b = from; !seen.has(b); ) {
    seen.add(b);
    const block = func.blocks[b] as Block;
    const first = b === from ? lastSync(block) : -1;
    const at = block.insts.findIndex((i, k) => k > first && isBlockBarrier(i));
    if (at >= 0) return [{ block: b, until: at + 1 }];
    const [next] = block.succs;
    if (next === undefined || block.succs.length > 1) return [];
    b = indexOf[next.id] as number;
  }
  return [];
}

const isBlockBarrier = ({ form, guard }: Inst): boolean =>
  form.op === "BAR" && form.mods.includes("SYNC") && (guard === null || guard.id === ZERO_REG);
