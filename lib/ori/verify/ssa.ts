/**
 * The SSA window: one definition per R, UR, P and UP register, definitions dominate uses, phis lead their
 * blocks and have a source for every predecessor. The registers of a value of several are looked at one by one.
 * Dominance is found by definition rather than by an algorithm: a block dominates another when the other cannot be
 * reached without it; small and slow on purpose.
 */
import { writesSomeLanes } from "../../isa/some-lanes.js";
import { isWarpGroupProduct } from "../../isa/warp-group.js";
import { isPhi } from "../flow.js";
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, ZERO_REG } from "../types.js";
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

/** Registers that products of a warp group work on: a copy would touch them while they are in flight. */
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
 * with a guarded definition, which leaves the old contents where the guard is false, or one of some lanes only; registers of products of warp
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
      if (inst.guard === null && !writesSomeLanes(inst.form)) continue;
      for (const o of inst.dsts) if (o.kind === Kind.Reg && o.id !== ZERO_REG) outside.add(o.id);
    }
  }
  return outside;
}

/** Where each register of each value is defined: the parts of a value may be defined in different blocks. */
type Places = ReadonlyMap<number, readonly Place[]>;

function definitions(func: Func, dominance: Dominance, out: Findings): Places {
  const outside = exempt(func);
  const defs = new Map<number, Place[]>();
  for (const block of func.blocks) {
    if (!dominance.reachable(block)) continue;
    block.insts.forEach((inst, at) => {
      for (const o of inst.dsts) {
        if (o.kind !== Kind.Reg || o.id === ZERO_REG || outside.has(o.id)) continue;
        const places = defs.get(o.id) ?? [];
        defs.set(o.id, places);
        let again = false;
        for (let k = o.sub; k < o.sub + o.width; k++) {
          again ||= places[k] !== undefined;
          places[k] = { block, at };
        }
        if (again) out.add("single-definition", `%${o.id} is defined more than once`, block, inst, o.id);
      }
    });
  }
  return defs;
}

function checkPhis(block: Block, out: Findings): void {
  let body = false;
  for (const inst of block.insts) {
    if (!isPhi(inst)) {
      body = true;
      continue;
    }
    if (body) out.add("phi", "a phi stands after other instructions", block, inst);
    if (inst.srcs.length !== block.preds.length) {
      const message = `a phi has ${inst.srcs.length} sources, the block ${block.preds.length} predecessors`;
      out.add("phi", message, block, inst);
    }
  }
}

function checkUses(block: Block, inst: Inst, at: number, defs: Places, dominance: Dominance, out: Findings): void {
  const visit = (id: number, sub: number, width: number): void => {
    const places = defs.get(id);
    for (let k = sub; k < sub + width; k++) {
      const def = places?.[k];
      if (def === undefined) continue;
      if (def.block === block ? def.at < at : dominance.dominates(def.block, block)) continue;
      const message = `${inst.form.name} reads %${id} where its definition may not have run`;
      out.add("dominated-use", message, block, inst, id);
      return;
    }
  };
  if (inst.guard !== null && inst.guard.id !== ZERO_REG) visit(inst.guard.id, 0, 1);
  for (const o of inst.srcs) {
    if (o.kind === Kind.Reg && o.id !== ZERO_REG && o.file !== File.B) visit(o.id, o.sub, o.width);
    if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG) visit(o.index, 0, o.id === -1 ? 2 : 1);
  }
}

function checkPhiUses(block: Block, inst: Inst, defs: Places, dominance: Dominance, out: Findings): void {
  inst.srcs.forEach((o, i) => {
    const from = block.preds[i];
    if (o.kind !== Kind.Reg || o.id === ZERO_REG || from === undefined || !dominance.reachable(from)) return;
    const places = defs.get(o.id);
    for (let k = o.sub; k < o.sub + o.width; k++) {
      const def = places?.[k];
      if (def === undefined || def.block === from || dominance.dominates(def.block, from)) continue;
      out.add("dominated-use", `a phi reads %${o.id}, which does not reach block ${from.id}`, block, inst, o.id);
      return;
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
