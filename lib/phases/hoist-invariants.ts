/**
 * OriHoistInvariants, in the SSA window: what a loop computes anew in each turn from values made outside of it is computed before it.
 *
 *     b1: …                                     b1: …
 *     b2: IADD3 %R5, %R0, %R1, RZ        →          IADD3 %R5, %R0, %R1, RZ
 *         FADD %R6, …                           b2: FADD %R6, …
 *
 * Only from blocks that every turn passes, and a load only where the first turn certainly does it and nothing in the loop writes to
 * its memory (ptxas 13.0.88 does so; loads of read-only memory pass stores). Literals and copies stay: making them is cheaper than
 * keeping them. No more is moved than registers allow.
 */
import {
  analysis,
  Definitions,
  dominates,
  isLanewise,
  isPlainLoad,
  type Loop,
  memoryEffect,
  Order,
  orderOf,
  readsConstants,
  unitOf,
} from "../analysis/index.js";
import { insertAtEnd, rewriteBlock, splitEdge } from "../ori/editor.js";
import { isPhi, terminator } from "../ori/flow.js";
import { isReg, isZeroReg } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, type Operand } from "../ori/types.js";
import { readsFixed } from "./commoning.js";
import { type PhaseParameters, phaseParameters } from "./parameters.js";
import { RewriteCounter } from "./rewrites.js";

/** Most registers that are live in a loop with what was moved out of it. */
const MOST_LIVE = 96;

/** Returns how many instructions moved. */
export function hoistInvariants(
  func: Func,
  p: PhaseParameters = phaseParameters,
  innermost = false,
  rewrites: RewriteCounter = new RewriteCounter(),
): number {
  const { loops } = analysis(func, "loops");
  if (func.milestone !== "ssa" || loops.length === 0) return 0;
  const plan = new Plan(func, p, rewrites);
  const outer = new Set(loops.map((l) => l.parent));
  for (const [i, loop] of [...loops.entries()].reverse())
    if (!(innermost && outer.has(i)) && mayHoist(func, loop, loops, p)) plan.add(loop);
  return plan.apply();
}

/** What the knobs say of nested loops. */
function mayHoist(func: Func, loop: Loop, loops: readonly Loop[], p: PhaseParameters): boolean {
  const around = loops[loop.parent];
  if (around === undefined) return true;
  if (p.DisableNestedHoist) return false;
  const size = (l: Loop): number => l.blocks.reduce((n, b) => n + (func.blocks[b] as Block).insts.length, 0);
  const fits = (l: Loop, limit: number): boolean => limit <= 0 || size(l) <= limit;
  return fits(loop, p.NestedHoistInnerThreshold) && fits(around, p.NestedHoistOuterThreshold);
}

interface Move {
  readonly into: Block;
  readonly from: Block;
  readonly insts: readonly Inst[];
}

class Plan {
  private readonly func: Func;
  private readonly defs: Definitions;
  private readonly moves: Move[] = [];
  /** Blocks (layout index) that instructions will stand in. */
  private readonly moved: Map<Inst, number> = new Map();

  constructor(
    func: Func,
    private readonly parameters: PhaseParameters,
    private readonly rewrites: RewriteCounter,
  ) {
    this.func = func;
    this.defs = new Definitions(func);
  }

  add(loop: Loop): void {
    const { HoistBudget, HoistLoopInvBudget, HoistConservativeScale } = this.parameters;
    const scale = loop.parent >= 0 ? Math.max(1, HoistConservativeScale) : 1;
    const budget = (n: number): number => (n <= 0 ? Number.POSITIVE_INFINITY : n / scale);
    let [left, computed] = [budget(HoistBudget), budget(HoistLoopInvBudget)];
    const { func } = this;
    const members = new Set(loop.blocks);
    const header = func.blocks[loop.header] as Block;
    const { indexOf } = analysis(func, "cfg");
    const [entry, ...others] = header.preds.filter((p) => !members.has(indexOf[p.id] as number));
    if (entry === undefined || others.length > 0 || terminator(entry)?.form.flow === "indirect") return;
    if (loop.blocks.some((b) => (func.blocks[b] as Block).insts.some((i) => i.form.flow === "call"))) return;
    const dom = analysis(func, "dominators");
    const leaving = loop.blocks.filter((b) =>
      (func.blocks[b] as Block).succs.some((s) => !members.has(indexOf[s.id] as number)),
    );
    const always = loop.blocks.filter((b) => loop.latches.every((l) => dominates(dom, b, l)));
    const atOnce = new Set(always.filter((b) => leaving.every((l) => dominates(dom, b, l))));
    const written = this.written(loop);
    let room = -1;
    const known = new Set<string>();
    const insts: Inst[] = [];
    // Blocks on paths to the latch, each after those that dominate it.
    for (const b of always.sort((x, y) => (dom.depth[x] as number) - (dom.depth[y] as number)))
      for (const inst of this.here(b, members)) {
        const width = this.gain(inst, members, atOnce.has(b) ? written : null);
        if (width === 0) continue;
        if (this.limited(inst)) continue;
        if (room < 0) room = Math.max(0, MOST_LIVE - this.live(loop));
        // What is there twice is shared afterwards.
        const key = text(inst);
        if (!known.has(key) && width > room - this.kept(inst)) continue;
        if (!this.rewrites.open || left < 1 || (inst.form.memory === null && computed < 1)) continue;
        left--;
        if (inst.form.memory === null) computed--;
        if (!known.has(key)) room -= width;
        known.add(key);
        this.rewrites.take(`${inst.form.name} hoisted`, inst);
        insts.push(inst);
        this.moved.set(inst, indexOf[entry.id] as number);
      }
    if (insts.length > 0) this.moves.push({ into: header, from: entry, insts });
  }

  /** Instructions that stand in the block now, with those moved there from inner loops. */
  private *here(b: number, members: ReadonlySet<number>): Generator<Inst> {
    const block = this.func.blocks[b] as Block;
    for (const inst of block.insts) if (!this.moved.has(inst)) yield inst;
    for (const m of this.moves)
      if (m.from === block) for (const inst of m.insts) if (members.has(this.moved.get(inst) as number)) yield inst;
  }

  /** Places that the loop writes to; null: order matters in it. */
  private written(loop: Loop): number | null {
    let places = 0;
    for (const b of loop.blocks)
      for (const inst of (this.func.blocks[b] as Block).insts) {
        const order = orderOf(inst);
        if (order === Order.Free || readsConstants(inst) || inst.form.flow === "branch") continue;
        const effect = memoryEffect(inst.form);
        if (order !== Order.Access || effect.acquires) return null;
        places |= effect.writes;
      }
    return places;
  }

  private live(loop: Loop): number {
    const { at } = analysis(this.func, "pressure").R;
    const { first } = this.defs.flat;
    let most = 0;
    for (const b of loop.blocks)
      for (let i = first[b] as number; i < (first[b + 1] as number); i++) most = Math.max(most, at[i] as number);
    return most;
  }

  /** A load of a constant bank that has left as many loops as it may. */
  private limited(inst: Inst): boolean {
    const { HoistCBOLoadIDOMTravseLimit: most } = this.parameters;
    return most > 0 && readsConstants(inst) && this.moves.filter((m) => m.insts.includes(inst)).length >= most;
  }

  /** Registers that a load of a constant bank leaves to others. */
  private kept(inst: Inst): number {
    const { HoistCBORRegPressureLimitApplyRate: rate } = this.parameters;
    return readsConstants(inst) ? Math.ceil((MOST_LIVE * (100 - rate)) / 100) : 0;
  }

  /** Registers that the instruction keeps once it is moved; 0: it stays. */
  private gain(inst: Inst, members: ReadonlySet<number>, written: number | null): number {
    if (inst.guard !== null || isPhi(inst)) return 0;
    if (inst.form.op === "MOV" && !isSymbol(inst) && this.parameters.MovWeightForSinkingHoisting < 1) return 0;
    if (this.parameters.HoistCBOLoad === 0 && readsConstants(inst)) return 0;
    if (!isLanewise(inst) && !readsConstants(inst) && !readsFixed(inst)) {
      if (written === null || !isPlainLoad(inst)) return 0;
      const reads = inst.form.mods.includes("CONSTANT") ? 0 : memoryEffect(inst.form).reads;
      if ((reads & written) !== 0) return 0;
    }
    const { defs, func } = this;
    let width = 0;
    for (const o of inst.dsts) {
      if (o.kind === Kind.None || isZeroReg(o)) continue;
      if (!isReg(o) || o.file !== File.R || o.part !== "" || func.values.fixed(o.id) >= 0) return 0;
      const u = unitOf(defs.units, o);
      for (let k = u; k < u + o.width; k++) if (defs.flat.insts[defs.def[k] as number] !== inst) return 0;
      width += o.width;
    }
    return inst.srcs.every((o) => this.invariant(o, members)) ? width : 0;
  }

  private invariant(o: Operand, members: ReadonlySet<number>): boolean {
    if (o.kind === Kind.Const) return o.index === NO_INDEX;
    if (o.kind !== Kind.Reg || isZeroReg(o)) return o.kind !== Kind.Label;
    const { defs } = this;
    const u = unitOf(defs.units, o);
    for (let k = u; k < u + o.width; k++) {
      const d = defs.def[k] as number;
      if (d < 0) return false;
      const at = this.moved.get(defs.flat.insts[d] as Inst) ?? (defs.flat.block[d] as number);
      if (members.has(at)) return false;
    }
    return true;
  }

  apply(): number {
    const { func, moves } = this;
    if (moves.length === 0) return 0;
    /** The last move of each counts: out of the outermost loop that it can leave. */
    const last = new Map<Inst, Move>();
    for (const m of moves) for (const inst of m.insts) last.set(inst, m);
    for (const block of func.blocks) rewriteBlock(func, block, (inst, out) => last.has(inst) || out.push(inst));
    for (const m of moves) {
      const insts = m.insts.filter((i) => last.get(i) === m);
      if (insts.length === 0) continue;
      const at = m.from.succs.length === 1 ? m.from : splitEdge(func, m.from, m.into);
      insertAtEnd(func, at, ...insts);
    }
    return last.size;
  }
}

/** The address of a variable. */
const isSymbol = (inst: Inst): boolean => inst.srcs[0]?.kind === Kind.Sym;

/** What it computes, as text. */
function text({ form, srcs, said }: Inst): string {
  return srcs.reduce(
    (t, o) => `${t}|${o.kind},${o.file},${o.id},${o.sub},${o.value},${o.mods},${o.part},${o.sym}`,
    `${form.id}${said ?? ""}`,
  );
}
