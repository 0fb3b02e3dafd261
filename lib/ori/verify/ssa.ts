/**
 * The SSA window: one definition per R, UR, P and UP register, definitions dominate uses, phis lead their
 * blocks and have a source for every predecessor. Dominance is found by definition rather than by an algorithm: a block
 * dominates another when the other cannot be reached without it; small and slow on purpose.
 */
import { isWarpGroupProduct } from "../../isa/warp-group.js";
import { isPhi } from "../flow.js";
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../types.js";
import type { Findings } from "./finding.js";

/** Registers of the widest values that are renamed: wider ones are accumulators, whose parts would be copied as often as there are parts. */
export const WIDEST_IN_SSA = 4;

interface Place {
  readonly block: Block;
  readonly at: number;
}

export function checkSsa(func: Func, out: Findings): void {
  const dominance = new Dominance(func);
  const defs = definitions(func, dominance, out);
  for (const block of func.blocks) {
    if (!dominance.reachable(block)) continue;
    checkPhis(block, out);
    block.insts.forEach((inst, at) => {
      if (isPhi(inst)) checkPhiUses(block, inst, defs, dominance, out);
      else checkUses(block, inst, at, defs, dominance, out);
    });
  }
}

/** Registers that products of a warp group work on: a copy would touch them while they are under way. */
export function productRegisters(func: Func): ReadonlySet<number> {
  const found = new Set<number>();
  for (const block of func.blocks)
    for (const inst of block.insts) {
      if (!isWarpGroupProduct(inst.form.op)) continue;
      for (const o of [...inst.dsts, ...inst.srcs])
        if (o.kind === Kind.Reg && o.file === File.R && o.id !== ZERO_REG) found.add(o.id);
    }
  return found;
}

/**
 * Outside the rules: B registers, which are set and consumed rather than computed; values bound to a register; values
 * with a guarded definition, which leaves the old contents where the guard is false; registers of products of warp
 * groups.
 */
function exempt(func: Func): Set<number> {
  const outside = new Set<number>();
  for (let v = 0; v < func.values.count; v++) {
    const wide = func.values.width(v) > WIDEST_IN_SSA;
    if (wide || func.values.file(v) === File.B || func.values.fixed(v) >= 0) outside.add(v);
  }
  for (const v of productRegisters(func)) outside.add(v);
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      if (inst.guard === null) continue;
      for (const o of inst.dsts) if (o.kind === Kind.Reg && o.id !== ZERO_REG) outside.add(o.id);
    }
  }
  return outside;
}

function definitions(func: Func, dominance: Dominance, out: Findings): Map<number, Place> {
  const outside = exempt(func);
  const defs = new Map<number, Place>();
  for (const block of func.blocks) {
    if (!dominance.reachable(block)) continue;
    block.insts.forEach((inst, at) => {
      for (const o of inst.dsts) {
        if (o.kind !== Kind.Reg || o.id === ZERO_REG || outside.has(o.id)) continue;
        // Parts of one value may be defined separately, each once.
        const whole = o.width === func.values.width(o.id);
        const known = defs.get(o.id);
        if (known !== undefined && (whole || samePart(known, o))) {
          out.add("single-definition", `%${o.id} is defined more than once`, block, inst, o.id);
        }
        defs.set(o.id, { block, at });
      }
    });
  }
  return defs;
}

function samePart(known: Place, o: Operand): boolean {
  const other = (known.block.insts[known.at] as Inst).dsts.find((d) => d.kind === Kind.Reg && d.id === o.id);
  return other !== undefined && other.sub < o.sub + o.width && o.sub < other.sub + other.width;
}

function checkPhis(block: Block, out: Findings): void {
  let body = false;
  for (const inst of block.insts) {
    if (!isPhi(inst)) {
      body = true;
      continue;
    }
    if (body) out.add("phi", "a phi stands behind other instructions", block, inst);
    if (inst.srcs.length !== block.preds.length) {
      const message = `a phi has ${inst.srcs.length} sources, the block ${block.preds.length} predecessors`;
      out.add("phi", message, block, inst);
    }
  }
}

function checkUses(
  block: Block,
  inst: Inst,
  at: number,
  defs: ReadonlyMap<number, Place>,
  dominance: Dominance,
  out: Findings,
): void {
  const visit = (id: number): void => {
    const def = defs.get(id);
    if (def === undefined) return;
    const fine = def.block === block ? def.at < at : dominance.dominates(def.block, block);
    if (!fine)
      out.add("dominated-use", `${inst.form.name} reads %${id} where its definition may not have run`, block, inst, id);
  };
  if (inst.guard !== null && inst.guard.id !== ZERO_REG) visit(inst.guard.id);
  for (const o of inst.srcs) {
    if (o.kind === Kind.Reg && o.id !== ZERO_REG && o.file !== File.B) visit(o.id);
    if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG) visit(o.index);
  }
}

function checkPhiUses(
  block: Block,
  inst: Inst,
  defs: ReadonlyMap<number, Place>,
  dominance: Dominance,
  out: Findings,
): void {
  inst.srcs.forEach((o, i) => {
    const from = block.preds[i];
    if (o.kind !== Kind.Reg || o.id === ZERO_REG || from === undefined || !dominance.reachable(from)) return;
    const def = defs.get(o.id);
    if (def !== undefined && def.block !== from && !dominance.dominates(def.block, from)) {
      out.add("dominated-use", `a phi reads %${o.id}, which does not reach block ${from.id}`, block, inst, o.id);
    }
  });
}

/** Blocks reachable without a given block, computed once per block asked about. */
class Dominance {
  private readonly func: Func;
  private readonly without = new Map<Block | null, ReadonlySet<Block>>();

  constructor(func: Func) {
    this.func = func;
  }

  reachable(b: Block): boolean {
    return this.reach(null).has(b);
  }

  dominates(a: Block, b: Block): boolean {
    return a === b || (this.reachable(b) && !this.reach(a).has(b));
  }

  private reach(avoid: Block | null): ReadonlySet<Block> {
    const known = this.without.get(avoid);
    if (known !== undefined) return known;
    const seen = new Set<Block>();
    const entry = this.func.blocks[0] as Block;
    const work = entry === avoid ? [] : [entry];
    for (let b = work.pop(); b !== undefined; b = work.pop()) {
      if (seen.has(b)) continue;
      seen.add(b);
      for (const s of b.succs) if (s !== avoid && !seen.has(s)) work.push(s);
    }
    this.without.set(avoid, seen);
    return seen;
  }
}
