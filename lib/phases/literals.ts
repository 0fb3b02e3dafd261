/**
 * Literals in registers, at the end of the SSA window.
 *
 *     MOV %R4, 0x18                                   IMAD.WIDE %R6, %R2, 0x18, RZ
 *     IMAD.WIDE %R6, %R2, %R4, RZ               →
 *
 *     MOV %R4, 0x5; SEL %R6, %R4, 0x9, %P0            MOV %R4, 0x5; SEL %R6, %R4, 0x9, %P0
 *     MOV %R5, 0x5; SEL %R7, %R5, 0x9, %P1      →     SEL %R7, %R4, 0x9, %P1
 *
 * Factors wait in registers for an addend from a constant bank (`constant-moves.ts`): those that got none are literals again. A literal that a
 * block needs twice is made once there, as ptxas 13.0.88 has it, pairs of two (64-bit numbers) too; other blocks make their own.
 */
import { Definitions, isWholeMove } from "../analysis/index.js";
import { touch } from "../ori/editor.js";
import { isPhi } from "../ori/flow.js";
import { clone, isReg } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { encodes } from "../rules/encodable.js";
import { isWideProduct } from "./constant-moves.js";
import { saying } from "./notes.js";

/** Returns how many operands changed; the MOVs that nobody reads any more are dead code. */
export function settleLiterals(func: Func): number {
  const count = literalFactors(func) + shareLiterals(func) + sharePairs(func);
  if (count > 0) touch(func);
  return count;
}

function literalFactors(func: Func): number {
  if (!func.target.has("constantOperands")) return 0;
  const defs = new Definitions(func);
  const say = saying(func);
  let count = 0;
  for (const inst of defs.flat.insts) {
    const [, factor, addend] = inst.srcs;
    if (!isWideProduct(inst) || factor === undefined || addend?.kind === Kind.Const || !isReg(factor)) continue;
    const from = literalOf(defs.definition(factor));
    if (from === null || factor.mods !== 0) continue;
    const srcs = inst.srcs.map((o, k) => (k === 1 ? clone(from) : o));
    if (!encodes(func, inst.form, inst.dsts, srcs)) continue;
    inst.srcs = srcs;
    say?.("factor is a literal again", inst, "its addend comes from no constant bank");
    count++;
  }
  return count;
}

/** The literal that a MOV of all bytes makes; null: the instruction does something else. */
function literalOf(inst: Inst | null): Operand | null {
  const from = inst?.srcs[0];
  if (inst === null || !isWholeMove(inst) || inst.guard !== null) return null;
  return from?.kind === Kind.Imm && from.mods === 0 ? from : null;
}

function shareLiterals(func: Func): number {
  const bound = boundLiterals(func);
  const say = saying(func);
  let count = 0;
  for (const block of func.blocks) {
    const made = new Map<number, number>();
    const same = new Map<number, number>();
    for (const inst of block.insts) {
      for (const o of inst.srcs) {
        const first = o.kind === Kind.Reg && o.file === File.R ? same.get(o.id) : undefined;
        if (first === undefined) continue;
        o.id = first;
        say?.("reads a literal made before", inst, "the block has it in a register already");
        count++;
      }
      const value = literalOf(inst)?.value;
      const d = inst.dsts[0];
      if (value === undefined || d === undefined || bound[d.id] === 1) continue;
      const first = made.get(value);
      if (first === undefined) made.set(value, d.id);
      else same.set(d.id, first);
    }
  }
  return count;
}

/** 1 for registers that are no literals of one block: several definitions, wide, bound to a place, read elsewhere or by a phi. */
function boundLiterals(func: Func): Uint8Array {
  const { values } = func;
  const bound = new Uint8Array(values.count);
  const home: (Block | undefined)[] = new Array(values.count);
  for (const block of func.blocks)
    for (const inst of block.insts)
      for (const o of inst.dsts) {
        if (o.kind !== Kind.Reg || o.id >= values.count || o.id < 0) continue;
        const alone =
          home[o.id] === undefined && values.width(o.id) === 1 && values.fixed(o.id) < 0 && o.file === File.R;
        if (!alone) bound[o.id] = 1;
        home[o.id] = block;
      }
  for (const block of func.blocks)
    for (const inst of block.insts)
      for (const o of inst.srcs) {
        if (o.kind === Kind.Const && o.index >= 0) bound[o.index] = 1;
        if (o.kind === Kind.Reg && o.id >= 0 && o.id < values.count && (isPhi(inst) || home[o.id] !== block))
          bound[o.id] = 1;
      }
  return bound;
}

/** Pairs whose two halves a block makes of literals, for readers of its own. */
function sharePairs(func: Func): number {
  const homes = literalPairs(func);
  if (homes.size === 0) return 0;
  const say = saying(func);
  let count = 0;
  for (const block of func.blocks) {
    const halves = new Map<number, (number | undefined)[]>();
    const made = new Map<string, number>();
    const same = new Map<number, number>();
    for (const inst of block.insts) {
      for (const o of same.size === 0 ? [] : inst.srcs) {
        const first = o.kind === Kind.Reg && o.file === File.R ? same.get(o.id) : undefined;
        if (first === undefined) continue;
        o.id = first;
        say?.("reads a literal made before", inst, "the block has it in a pair of registers already");
        count++;
      }
      const d = inst.dsts[0];
      if (d === undefined || d.kind !== Kind.Reg || homes.get(d.id) !== block) continue;
      const pair = halves.get(d.id) ?? [undefined, undefined];
      pair[d.sub] = literalOf(inst)?.value;
      halves.set(d.id, pair);
      if (pair[0] === undefined || pair[1] === undefined) continue;
      const key = pair.join();
      const first = made.get(key);
      if (first === undefined) made.set(key, d.id);
      else same.set(d.id, first);
    }
  }
  return count;
}

/** Pairs with one literal for each half, made and read in one block, by no phi. */
function literalPairs(func: Func): ReadonlyMap<number, Block> {
  const { values } = func;
  const homes = new Map<number, Block>();
  const seen = new Map<number, number>();
  const out = new Set<number>();
  for (const block of func.blocks)
    for (const inst of block.insts)
      for (const o of inst.dsts) {
        if (o.kind !== Kind.Reg || o.file !== File.R || o.id < 0) continue;
        const bit = 1 << o.sub;
        const before = seen.get(o.id) ?? 0;
        const fits = values.width(o.id) === 2 && values.fixed(o.id) < 0 && o.width === 1 && o.part === "";
        if (!fits || (before & bit) !== 0 || literalOf(inst) === null || (homes.get(o.id) ?? block) !== block)
          out.add(o.id);
        seen.set(o.id, before | bit);
        homes.set(o.id, block);
      }
  for (const id of out) homes.delete(id);
  for (const [id, bits] of seen) if (bits !== 3) homes.delete(id);
  if (homes.size < 2) return new Map();
  for (const block of func.blocks)
    for (const inst of block.insts)
      for (const o of inst.srcs) {
        if (o.kind === Kind.Const && o.index >= 0) homes.delete(o.index);
        if (o.kind === Kind.Reg && homes.has(o.id) && (isPhi(inst) || homes.get(o.id) !== block)) homes.delete(o.id);
      }
  return homes;
}
