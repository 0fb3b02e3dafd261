/**
 * GenerateMovPhi: into the SSA window. Afterwards every R, UR, P and UP register has one definition, and where several
 * meet stands `MOV.PHI d, s…` with a source per predecessor.
 *
 * Placement follows Cytron et al. ("Efficiently computing static single assignment form"): a register defined in a
 * block needs a phi wherever that block's dominance ends, and so on for the phi, but only where the register is live.
 * Renaming walks the dominator tree with one stack of names per register.
 *
 *     b0: x = 1; BRA P, b2            b0: x1 = 1; BRA P, b2
 *     b1: x = 2                  →    b1: x2 = 2
 *     b2: STG x                       b2: x3 = PHI(x1, x2); STG x3
 *
 * Registers that stay as they are: those with one definition; those bound to a physical register; those with a guarded
 * definition, which keeps the old value where the guard is false and so is no definition in the sense of SSA.
 * A definition of part of a wide register makes a new name whose other parts, as far as they are live, are copied from
 * the old one. Where a path brings no value at all the phi has RZ (or PT): PTX lets such code read anything.
 */
import { analysis, type Cfg, type DominatorTree, hasBit, type Liveness, unitAt } from "../analysis/index.js";
import { form } from "../isa/form.js";
import { insertAt, rewriteBlock, touch } from "../ori/editor.js";
import { isPhi } from "../ori/flow.js";
import { newInst } from "../ori/func.js";
import { part, register } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";
import { copyUnit } from "./parallel-copy.js";

export function generateMovPhi(func: Func): void {
  const renamed = candidates(func);
  if (renamed.size === 0) return;
  widen(func, renamed);
  placePhis(func, renamed);
  new Renaming(func, renamed).run();
  touch(func);
}

/** Registers with several definitions in reachable code, or one that some path misses; none of them guarded. */
function candidates(func: Func): Set<number> {
  const { values } = func;
  const defs = new Int32Array(values.count);
  const guarded = new Uint8Array(values.count);
  const cfg = analysis(func, "cfg");
  const live = analysis(func, "liveness");
  func.blocks.forEach((block, b) => {
    if ((cfg.order[b] as number) < 0) return;
    for (const inst of block.insts) {
      for (const o of inst.dsts) {
        if (o.kind !== Kind.Reg || o.id === ZERO_REG) continue;
        defs[o.id] = (defs[o.id] as number) + 1;
        if (inst.guard !== null || o.part !== "") guarded[o.id] = 1;
      }
    }
  });
  const found = new Set<number>();
  for (let v = 0; v < values.count; v++) {
    const fits = (defs[v] as number) > 0 && guarded[v] === 0 && values.fixed(v) < 0 && values.file(v) !== File.B;
    if (fits && (isLiveIn(func, live, 0, v) || !onceEach(func, v))) found.add(v);
  }
  return found;
}

/** A register whose parts are each defined once is in SSA form as it is. */
function onceEach(func: Func, v: number): boolean {
  const seen = new Uint8Array(func.values.width(v));
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      for (const o of inst.dsts) {
        if (o.kind !== Kind.Reg || o.id !== v) continue;
        for (let k = o.sub; k < o.sub + o.width; k++) {
          if (seen[k] === 1) return false;
          seen[k] = 1;
        }
      }
    }
  }
  return true;
}

/**
 * Definitions of a part become definitions of the whole: `PCOPY v:0, v:1 = t, v:1` behind one of `v:0`, with only the
 * parts that are live there. The renaming gives the whole one new name; then single copies take the place of PCOPY.
 */
function widen(func: Func, renamed: ReadonlySet<number>): void {
  const live = analysis(func, "liveness");
  const { flat } = live;
  const { order } = analysis(func, "cfg");
  func.blocks.forEach((block, b) => {
    if ((order[b] as number) < 0) return;
    const rest: Inst[][] = [];
    const set = live.liveOut.slice(b * live.words, (b + 1) * live.words);
    for (let i = (flat.first[b + 1] as number) - 1; i >= (flat.first[b] as number); i--) {
      rest[i - (flat.first[b] as number)] = joins(func, flat.insts[i] as Inst, renamed, live, set);
      stepBackOver(live, i, set);
    }
    let at = 0;
    rewriteBlock(func, block, (inst, out) => out.push(inst, ...(rest[at++] as Inst[])));
  });
}

function stepBackOver(live: Liveness, i: number, set: Uint32Array): void {
  const { flat } = live;
  for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++) {
    if (flat.defKills[d] === 0) continue;
    for (let k = 0; k < (flat.defWidth[d] as number); k++) toggle(set, (flat.defUnit[d] as number) + k, false);
  }
  for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++) {
    for (let k = 0; k < (flat.useWidth[u] as number); k++) toggle(set, (flat.useUnit[u] as number) + k, true);
  }
}

function toggle(set: Uint32Array, bit: number, on: boolean): void {
  const w = bit >>> 5;
  const mask = 1 << (bit & 31);
  set[w] = on ? (set[w] as number) | mask : (set[w] as number) & ~mask;
}

/** The PCOPYs behind an instruction; its partial definitions go to temporaries. */
function joins(func: Func, inst: Inst, renamed: ReadonlySet<number>, live: Liveness, after: Uint32Array): Inst[] {
  const out: Inst[] = [];
  inst.dsts.forEach((o, slot) => {
    if (o.kind !== Kind.Reg || !renamed.has(o.id) || o.width === func.values.width(o.id)) return;
    const t = register(o.file, func.values.add(o.file, o.width), o.width);
    inst.dsts[slot] = t;
    const dsts: Operand[] = [];
    const srcs: Operand[] = [];
    const first = unitAt(live.flat.units, o.file, o.id, 0);
    for (let k = 0; k < func.values.width(o.id); k++) {
      const defined = k >= o.sub && k < o.sub + o.width;
      if (!defined && !hasBit(after, 0, first + k)) continue;
      dsts.push(register(o.file, o.id, 1, k));
      srcs.push(defined ? part(t, k - o.sub) : register(o.file, o.id, 1, k));
    }
    out.push(newInst(func, form("PCOPY"), dsts, srcs, null, inst.loc, inst.id));
  });
  return out;
}

/** Dominance frontiers: where the dominance of each block ends. */
function frontiers(cfg: Cfg, dom: DominatorTree): number[][] {
  const frontier: number[][] = Array.from({ length: cfg.count }, () => []);
  for (const b of cfg.rpo) {
    const from = cfg.predStart[b] as number;
    const to = cfg.predStart[b + 1] as number;
    if (to - from < 2) continue;
    for (let e = from; e < to; e++) {
      let p = cfg.pred[e] as number;
      if ((cfg.order[p] as number) < 0) continue;
      for (; p !== dom.idom[b] && p >= 0; p = dom.idom[p] as number) {
        const list = frontier[p] as number[];
        if (list[list.length - 1] !== b) list.push(b);
      }
    }
  }
  return frontier;
}

function placePhis(func: Func, renamed: ReadonlySet<number>): void {
  const cfg = analysis(func, "cfg");
  const live = analysis(func, "liveness");
  const frontier = frontiers(cfg, analysis(func, "dominators"));
  const defining = new Map<number, Set<number>>();
  func.blocks.forEach((block, b) => {
    for (const inst of block.insts) {
      for (const o of inst.dsts) {
        if (o.kind !== Kind.Reg || !renamed.has(o.id)) continue;
        const set = defining.get(o.id) ?? new Set();
        defining.set(o.id, set.add(b));
      }
    }
  });
  const phis: Inst[][] = Array.from({ length: cfg.count }, () => []);
  for (const v of [...renamed].sort((a, b) => a - b)) {
    const work = [...(defining.get(v) ?? [])];
    const placed = new Set<number>();
    for (let b = work.pop(); b !== undefined; b = work.pop()) {
      for (const f of frontier[b] as number[]) {
        if (placed.has(f) || !isLiveIn(func, live, f, v)) continue;
        placed.add(f);
        work.push(f);
        (phis[f] as Inst[]).push(...phisOf(func, live, f, v));
      }
    }
  }
  phis.forEach((list, b) => {
    if (list.length > 0) insertAt(func, func.blocks[b] as Block, 0, ...list);
  });
}

function isLiveIn(func: Func, live: Liveness, block: number, v: number): boolean {
  const { units } = live.flat;
  for (let k = 0; k < func.values.width(v); k++) {
    if (hasBit(live.liveIn, block * live.words, unitAt(units, func.values.file(v), v, k))) return true;
  }
  return false;
}

/** One phi for the whole register; where only parts of it are live, one for each of them. */
function phisOf(func: Func, live: Liveness, b: number, v: number): Inst[] {
  const block = func.blocks[b] as Block;
  const file = func.values.file(v);
  const width = func.values.width(v);
  const first = unitAt(live.flat.units, file, v, 0);
  const parts: number[] = [];
  for (let k = 0; k < width; k++) if (hasBit(live.liveIn, b * live.words, first + k)) parts.push(k);
  const phi = (n: number, sub: number): Inst => {
    const srcs = block.preds.map(() => register(file, v, n, sub));
    return newInst(func, form("MOV.PHI"), [register(file, v, n, sub)], srcs);
  };
  return parts.length === width ? [phi(width, 0)] : parts.map((k) => phi(1, k));
}

/** Gives every definition its own name, walking the dominator tree. */
class Renaming {
  private readonly func: Func;
  private readonly renamed: ReadonlySet<number>;
  private readonly children: number[][];
  /** Current name of each register, −1 where none is defined yet. */
  private readonly current: Map<number, number> = new Map();

  constructor(func: Func, renamed: ReadonlySet<number>) {
    this.func = func;
    this.renamed = renamed;
    const cfg = analysis(func, "cfg");
    const dom = analysis(func, "dominators");
    this.children = Array.from({ length: cfg.count }, () => []);
    for (const b of dom.order)
      if ((dom.idom[b] as number) >= 0) (this.children[dom.idom[b] as number] as number[]).push(b);
  }

  /** Without recursion: dominator trees may be thousands deep. */
  run(): void {
    const stack: { block: number; saved: Map<number, number> | null }[] = [{ block: 0, saved: null }];
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      if (top.saved !== null) {
        for (const [v, name] of top.saved) this.current.set(v, name);
        continue;
      }
      const saved = this.block(this.func.blocks[top.block] as Block);
      stack.push({ block: top.block, saved });
      for (const c of this.children[top.block] as number[]) stack.push({ block: c, saved: null });
    }
  }

  /** Renames one block; returns what to restore when its subtree is done. */
  private block(block: Block): Map<number, number> {
    const saved = new Map<number, number>();
    const phiNames = new Map<number, number>();
    rewriteBlock(this.func, block, (inst, out) => {
      if (!isPhi(inst)) this.uses(inst);
      this.definitions(inst, saved, isPhi(inst) ? phiNames : new Map());
      if (inst.form.op !== "PCOPY") out.push(inst);
      else for (let k = 0; k < inst.dsts.length; k++) out.push(this.copy(inst, k));
    });
    for (const s of block.succs) this.phiSources(block, s);
    return saved;
  }

  private copy(from: Inst, k: number): Inst {
    const inst = copyUnit(this.func, from.dsts[k] as Operand, from.srcs[k] as Operand);
    inst.loc = from.loc;
    inst.origin = from.origin;
    return inst;
  }

  private nameOf(v: number): number {
    return this.current.get(v) ?? -1;
  }

  private uses(inst: Inst): void {
    const g = inst.guard;
    if (g !== null && this.renamed.has(g.id)) g.id = this.nameOf(g.id);
    for (const o of inst.srcs) {
      if (o.kind === Kind.Reg && this.renamed.has(o.id)) this.rename(o);
      else if (o.kind === Kind.Const && o.index !== NO_INDEX && this.renamed.has(o.index))
        o.index = this.nameOf(o.index);
    }
  }

  /** A register that nothing has defined reads as RZ or PT. */
  private rename(o: Operand): void {
    o.id = this.nameOf(o.id);
    if (o.id === ZERO_REG) o.sub = 0;
  }

  /** Definitions of parts of one register share a name: those of a PCOPY, and the phis of a block. */
  private definitions(inst: Inst, saved: Map<number, number>, names: Map<number, number>): void {
    const { values } = this.func;
    for (const o of inst.dsts) {
      if (o.kind !== Kind.Reg || !this.renamed.has(o.id)) continue;
      const v = o.id;
      let name = names.get(v);
      if (name === undefined) {
        name = values.add(values.file(v), values.width(v), values.name(v));
        names.set(v, name);
        if (!saved.has(v)) saved.set(v, this.nameOf(v));
        this.current.set(v, name);
      }
      o.id = name;
    }
  }

  private phiSources(from: Block, to: Block): void {
    const at = to.preds.indexOf(from);
    for (const inst of to.insts) {
      if (!isPhi(inst)) break;
      const o = inst.srcs[at];
      if (o !== undefined && o.kind === Kind.Reg && this.renamed.has(o.id)) this.rename(o);
    }
  }
}
