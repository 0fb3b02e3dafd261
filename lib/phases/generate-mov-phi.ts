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
 * Registers that stay as they are: those with one definition; those wider than four (accumulators of warp groups); those bound to
 * a physical register; those with a guarded definition, which keeps the old value where the guard is false and so is no definition in
 * the sense of SSA, and those of which a definition writes some lanes only.
 * A definition of part of a wide register makes a new name whose other parts, as far as they are live, are copied from
 * the old one. Where a path brings no value at all the phi has RZ (or PT): PTX lets such code read anything.
 */
import { analysis, type Cfg, type DominatorTree, hasBit, type Liveness, stepBack, unitAt } from "../analysis/index.js";
import { form } from "../isa/form.js";
import { writesSomeLanes } from "../isa/some-lanes.js";
import { registerName } from "../isa/text.js";
import { insertAt, rewriteBlock, touch } from "../ori/editor.js";
import { isPhi } from "../ori/flow.js";
import { newInst } from "../ori/func.js";
import { part, register } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";
import { productRegisters, WIDEST_IN_SSA } from "../ori/verify/ssa.js";
import { saying } from "./notes.js";
import { copyUnit } from "./parallel-copy.js";

/** The registers to rename: their ids, ascending, and the same as a column of flags (ids made later have none). */
interface Renamed {
  readonly ids: readonly number[];
  readonly flag: Uint8Array;
}

/** Begins the SSA window: one definition per register, `MOV.PHI` where definitions meet. In place. */
export function generateMovPhi(func: Func): void {
  const renamed = candidates(func);
  if (renamed.ids.length === 0) return;
  widen(func, renamed);
  placePhis(func, renamed);
  new Renaming(func, renamed).run();
  touch(func);
}

/** Registers with several definitions of one part, or one that some path misses; none of them guarded. */
function candidates(func: Func): Renamed {
  const { values } = func;
  const { order } = analysis(func, "cfg");
  const live = analysis(func, "liveness");
  const { base } = live.flat.units;
  const defined = new Uint8Array(values.count);
  const guarded = new Uint8Array(values.count);
  /** A register whose parts are each defined once is in SSA form as it is; here counts unreachable code too. */
  const seen = new Uint8Array(live.flat.units.count);
  const again = new Uint8Array(values.count);
  func.blocks.forEach((block, b) => {
    const reached = (order[b] as number) >= 0;
    for (const inst of block.insts) {
      for (const o of inst.dsts) {
        if (o.kind !== Kind.Reg || o.id === ZERO_REG) continue;
        const first = (base[o.id] as number) + o.sub;
        for (let u = first; u < first + o.width; u++) {
          if (seen[u] === 1) again[o.id] = 1;
          seen[u] = 1;
        }
        if (!reached) continue;
        defined[o.id] = 1;
        if (inst.guard !== null || o.part !== "" || writesSomeLanes(inst.form)) guarded[o.id] = 1;
      }
    }
  });
  const ids: number[] = [];
  const flag = new Uint8Array(values.count);
  const apart = productRegisters(func);
  for (let v = 0; v < values.count; v++) {
    const narrow = values.width(v) <= WIDEST_IN_SSA && !apart.has(v);
    const fits = narrow && defined[v] === 1 && guarded[v] === 0 && values.fixed(v) < 0 && values.file(v) !== File.B;
    if (!fits || (again[v] === 0 && !isLiveIn(func, live, 0, v))) continue;
    ids.push(v);
    flag[v] = 1;
  }
  return { ids, flag };
}

/**
 * Definitions of a part become definitions of the whole: `PCOPY v:0, v:1 = t, v:1` after one of `v:0`, with only the
 * parts that are live there. The renaming gives the whole one new name; then single copies take the place of PCOPY.
 */
function widen(func: Func, renamed: Renamed): void {
  const live = analysis(func, "liveness");
  const { flat } = live;
  const { order } = analysis(func, "cfg");
  const isPart = (o: Operand): boolean =>
    o.kind === Kind.Reg && renamed.flag[o.id] === 1 && o.width !== func.values.width(o.id);
  func.blocks.forEach((block, b) => {
    if ((order[b] as number) < 0 || !block.insts.some((inst) => inst.dsts.some(isPart))) return;
    const rest: Inst[][] = [];
    const set = new Uint32Array(live.words);
    live.liveOut.addTo(b, set);
    for (let i = (flat.first[b + 1] as number) - 1; i >= (flat.first[b] as number); i--) {
      rest[i - (flat.first[b] as number)] = joins(func, flat.insts[i] as Inst, isPart, live, set);
      stepBack(flat, i, set);
    }
    let at = 0;
    rewriteBlock(func, block, (inst, out) => out.push(inst, ...(rest[at++] as Inst[])));
  });
}

/** The PCOPYs after an instruction; its partial definitions go to temporaries. */
function joins(func: Func, inst: Inst, isPart: (o: Operand) => boolean, live: Liveness, after: Uint32Array): Inst[] {
  const out: Inst[] = [];
  inst.dsts.forEach((o, slot) => {
    if (!isPart(o)) return;
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
        // Another path to the join came by here: it has been up from here already.
        if (list[list.length - 1] === b) break;
        list.push(b);
      }
    }
  }
  return frontier;
}

function placePhis(func: Func, renamed: Renamed): void {
  const cfg = analysis(func, "cfg");
  const live = analysis(func, "liveness");
  const frontier = frontiers(cfg, analysis(func, "dominators"));
  const defining = definingBlocks(func, renamed);
  const phis: Inst[][] = Array.from({ length: cfg.count }, () => []);
  /** The last register that got a phi in each block. */
  const placed = new Int32Array(cfg.count).fill(-1);
  for (const v of renamed.ids) {
    const work = defining[v] ?? [];
    for (let b = work.pop(); b !== undefined; b = work.pop()) {
      for (const f of frontier[b] as number[]) {
        if (placed[f] === v || !isLiveIn(func, live, f, v)) continue;
        placed[f] = v;
        work.push(f);
        (phis[f] as Inst[]).push(...phisOf(func, live, f, v));
      }
    }
  }
  phis.forEach((list, b) => {
    if (list.length > 0) insertAt(func, func.blocks[b] as Block, 0, ...list);
  });
}

/** The blocks that define each of the registers, ascending; undefined for all others. */
function definingBlocks(func: Func, renamed: Renamed): (number[] | undefined)[] {
  const lists: (number[] | undefined)[] = new Array(renamed.flag.length);
  for (const v of renamed.ids) lists[v] = [];
  func.blocks.forEach((block, b) => {
    for (const inst of block.insts) {
      for (const o of inst.dsts) {
        if (o.kind !== Kind.Reg) continue;
        const list = lists[o.id];
        if (list !== undefined && list[list.length - 1] !== b) list.push(b);
      }
    }
  });
  return lists;
}

function isLiveIn(func: Func, live: Liveness, block: number, v: number): boolean {
  const { units } = live.flat;
  for (let k = 0; k < func.values.width(v); k++) {
    if (live.liveIn.has(block, unitAt(units, func.values.file(v), v, k))) return true;
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
  for (let k = 0; k < width; k++) if (live.liveIn.has(b, first + k)) parts.push(k);
  const say = saying(func);
  const phi = (n: number, sub: number): Inst => {
    const srcs = block.preds.map(() => register(file, v, n, sub));
    const made = newInst(func, form("MOV.PHI"), [register(file, v, n, sub)], srcs);
    say?.("phi placed", made, `definitions of %${registerName(file, v)} meet here, and it is live`);
    return made;
  };
  return parts.length === width ? [phi(width, 0)] : parts.map((k) => phi(1, k));
}

/** Gives every definition its own name, walking the dominator tree. */
class Renaming {
  private readonly func: Func;
  private readonly renamed: Uint8Array;
  private readonly children: number[][];
  private readonly edges: Edges;
  /** Current name of each register, −1 where none is defined yet. */
  private readonly current: Int32Array;
  /** What to restore on the way up: registers, and the names they had. */
  private readonly changed: number[] = [];
  private readonly former: number[] = [];
  /** The group of definitions that named each register last: those of one instruction, or the phis of one block. */
  private readonly namedIn: Int32Array;
  private groups = 0;

  constructor(func: Func, renamed: Renamed) {
    this.func = func;
    this.renamed = renamed.flag;
    this.current = new Int32Array(renamed.flag.length).fill(-1);
    this.namedIn = new Int32Array(renamed.flag.length);
    const cfg = analysis(func, "cfg");
    const dom = analysis(func, "dominators");
    this.edges = edgesOf(cfg);
    this.children = Array.from({ length: cfg.count }, () => []);
    for (const b of dom.order)
      if ((dom.idom[b] as number) >= 0) (this.children[dom.idom[b] as number] as number[]).push(b);
  }

  /** Without recursion: dominator trees may be thousands deep. */
  run(): void {
    const stack: { block: number; restoreTo: number }[] = [{ block: 0, restoreTo: -1 }];
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      if (top.restoreTo >= 0) {
        this.restore(top.restoreTo);
        continue;
      }
      stack.push({ block: top.block, restoreTo: this.changed.length });
      this.block(top.block);
      for (const c of this.children[top.block] as number[]) stack.push({ block: c, restoreTo: -1 });
    }
  }

  private restore(length: number): void {
    while (this.changed.length > length) {
      const v = this.changed.pop() as number;
      this.current[v] = this.former.pop() as number;
    }
  }

  private block(b: number): void {
    const ofPhis = ++this.groups;
    rewriteBlock(this.func, this.func.blocks[b] as Block, (inst, out) => {
      const phi = isPhi(inst);
      if (!phi) this.uses(inst);
      this.definitions(inst, phi ? ofPhis : ++this.groups);
      if (inst.form.op !== "PCOPY") out.push(inst);
      else for (let k = 0; k < inst.dsts.length; k++) out.push(this.copy(inst, k));
    });
    const { start, to, slot } = this.edges;
    for (let e = start[b] as number; e < (start[b + 1] as number); e++)
      this.phiSources(this.func.blocks[to[e] as number] as Block, slot[e] as number);
  }

  private copy(from: Inst, k: number): Inst {
    const inst = copyUnit(this.func, from.dsts[k] as Operand, from.srcs[k] as Operand);
    inst.loc = from.loc;
    inst.origin = from.origin;
    return inst;
  }

  private uses(inst: Inst): void {
    const g = inst.guard;
    if (g !== null && this.renamed[g.id] === 1) g.id = this.current[g.id] as number;
    for (const o of inst.srcs) {
      if (o.kind === Kind.Reg && this.renamed[o.id] === 1) this.rename(o);
      else if (o.kind === Kind.Const && o.index !== NO_INDEX && this.renamed[o.index] === 1)
        o.index = this.current[o.index] as number;
    }
  }

  /** A register that nothing has defined reads as RZ or PT. */
  private rename(o: Operand): void {
    o.id = this.current[o.id] as number;
    if (o.id === ZERO_REG) o.sub = 0;
  }

  /** Definitions of parts of one register share a name: those of a PCOPY, and the phis of a block. */
  private definitions(inst: Inst, group: number): void {
    const { values } = this.func;
    for (const o of inst.dsts) {
      if (o.kind !== Kind.Reg || this.renamed[o.id] !== 1) continue;
      const v = o.id;
      if (this.namedIn[v] !== group) {
        this.namedIn[v] = group;
        this.changed.push(v);
        this.former.push(this.current[v] as number);
        this.current[v] = values.add(values.file(v), values.width(v), values.name(v));
      }
      o.id = this.current[v] as number;
    }
  }

  private phiSources(to: Block, slot: number): void {
    for (const inst of to.insts) {
      if (!isPhi(inst)) break;
      const o = inst.srcs[slot];
      if (o !== undefined && o.kind === Kind.Reg && this.renamed[o.id] === 1) this.rename(o);
    }
  }
}

/** Edges out of each block, as columns: block b has `start[b]` … `start[b + 1] − 1`. */
interface Edges {
  readonly start: Int32Array;
  readonly to: Int32Array;
  /** Position of the edge among the predecessors of `to`: the slot of its source in phis. */
  readonly slot: Int32Array;
}

function edgesOf(cfg: Cfg): Edges {
  const start = new Int32Array(cfg.count + 1);
  for (const p of cfg.pred) if (p >= 0) start[p + 1] = (start[p + 1] as number) + 1;
  for (let b = 0; b < cfg.count; b++) start[b + 1] = (start[b + 1] as number) + (start[b] as number);
  const next = start.slice();
  const to = new Int32Array(start[cfg.count] as number);
  const slot = new Int32Array(start[cfg.count] as number);
  for (let b = 0; b < cfg.count; b++) {
    const from = cfg.predStart[b] as number;
    for (let e = from; e < (cfg.predStart[b + 1] as number); e++) {
      const p = cfg.pred[e] as number;
      if (p < 0) continue;
      const at = next[p] as number;
      next[p] = at + 1;
      to[at] = b;
      slot[at] = e - from;
    }
  }
  return { start, to, slot };
}
