/**
 * Loads of several words of which not all are read bring those that are (Vectorization, SSA window; ptxas 13.0.88 does so at -O1 and
 * above). Which loads remain: access-pieces.ts. Accesses of system scope stay whole, as volatile ones are.
 *
 *     LDG.E.128 %R4, [%R2]                     LDG.E %R8, [%R2]
 *     IADD3 %R5, %R4:0, %R4:3, RZ      →       LDG.E %R9, [%R2+0xc]
 *                                              IADD3 %R5, %R8, %R9, RZ
 */
import { memoryEffect } from "../analysis/index.js";
import { rewriteBlock, touch } from "../ori/editor.js";
import { newInst } from "../ori/func.js";
import { clone, imm, isReg, register } from "../ori/operand.js";
import { File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { encodes } from "../rules/encodable.js";
import { loadPieces, type Piece, sized, wordsOf } from "./access-pieces.js";
import type { RewriteCounter } from "./rewrites.js";

/** Returns how many loads became others. */
export function narrowLoads(func: Func, rewrites: RewriteCounter): number {
  if (func.milestone !== "ssa") return 0;
  const wide = new Map<number, Inst>();
  for (const block of func.blocks)
    for (const inst of block.insts) if (isWide(func, inst)) wide.set(resultOf(inst).id, inst);
  if (wide.size === 0) return 0;
  const reads = readsOf(func, wide);
  const made = new Map<Inst, readonly Inst[]>();
  for (const [value, inst] of wide) {
    if (!rewrites.open) break;
    const operands = reads.get(value);
    const loads = operands === undefined || operands.length === 0 ? null : narrowed(func, inst, operands);
    if (loads === null) continue;
    made.set(inst, loads);
    rewrites.take(`${inst.form.name} to ${loads.map((l) => l.form.name).join(" and ")}`, inst, loads[0]);
  }
  if (made.size === 0) return 0;
  for (const block of func.blocks)
    rewriteBlock(func, block, (inst, out) => void out.push(...(made.get(inst) ?? [inst])));
  touch(func);
  return made.size;
}

const resultOf = (inst: Inst): Operand => inst.dsts.find((o) => isReg(o) && o.file === File.R) as Operand;

function isWide(func: Func, inst: Inst): boolean {
  const { form, guard, dsts } = inst;
  if (form.memory?.access !== "load" || guard !== null || inst.said === "volatile" || wordsOf(form) < 8) return false;
  if (form.mods.some((m) => m === "SYS" && form.mods.includes("STRONG")) || form.mods.includes("MMIO")) return false;
  const results = dsts.filter(isReg);
  const d = results[0];
  if (!/^(LD|LDG|LDS|LDL)$/.test(form.op) || results.length !== 1 || d === undefined || d.file !== File.R) return false;
  return d.part === "" && d.sub === 0 && d.width === func.values.width(d.id) && func.values.fixed(d.id) < 0;
}

/** Reads of the values; those of values that something else names as a whole are left out. */
function readsOf(func: Func, wide: ReadonlyMap<number, Inst>): Map<number, Operand[]> {
  const reads = new Map<number, Operand[]>([...wide.keys()].map((v) => [v, []]));
  for (const block of func.blocks)
    for (const inst of block.insts) {
      for (const o of inst.srcs) {
        if (isReg(o)) reads.get(o.id)?.push(o);
        else if (o.kind === Kind.Const && o.index >= 0) reads.delete(o.index);
      }
      for (const o of [...(inst.passed?.uses ?? []), ...(inst.passed?.defs ?? [])]) reads.delete(o.id);
      // Another definition of a part, as of what a guard leaves alone.
      for (const o of inst.dsts) if (isReg(o) && wide.get(o.id) !== inst) reads.delete(o.id);
    }
  return reads;
}

function narrowed(func: Func, inst: Inst, reads: readonly Operand[]): Inst[] | null {
  const { width } = resultOf(inst);
  let mask = 0;
  for (const o of reads) for (let k = 0; k < o.width; k++) mask |= 1 << (o.sub + k);
  const pieces = loadPieces(mask, width);
  const whole = pieces.length === 1 && pieces[0]?.count === width;
  const within = (o: Operand): Piece | undefined =>
    pieces.find((p) => o.sub >= p.first && o.sub + o.width <= p.first + p.count);
  if (whole || reads.some((o) => within(o) === undefined)) return null;
  const offset = memoryEffect(inst.form).offset;
  const loads: Inst[] = [];
  const values = new Map<Piece, number>();
  for (const p of pieces) {
    const form = sized(inst.form, 4 * p.count);
    if (form === null) return null;
    const value = func.values.add(File.R, p.count, func.values.name(resultOf(inst).id));
    values.set(p, value);
    const dsts = inst.dsts.map((o) => (o === resultOf(inst) ? register(File.R, value, p.count) : clone(o)));
    const srcs = inst.srcs.map((o, k) => (k === offset ? imm(o.value + 4 * p.first) : clone(o)));
    if (!encodes(func, form, dsts, srcs)) return null;
    loads.push(newInst(func, form, dsts, srcs, null, inst.loc, inst.id));
  }
  for (const o of reads) {
    const p = within(o) as Piece;
    o.id = values.get(p) as number;
    o.sub -= p.first;
  }
  return loads;
}
