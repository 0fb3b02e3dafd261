/**
 * Common subexpressions in the SSA window (GvnCse across blocks, OriCommoning inside them).
 *
 * Value numbering by what is written: two instructions of one form with equal operands that each have one definition compute
 * the same, wherever they stand, if the instruction does nothing but compute (`isLanewise`), reads a constant bank, or reads
 * what never changes for a thread (its index). The one whose block dominates stays; the other becomes a copy, which copy
 * propagation takes away. One walk over the dominator tree with a table that forgets on the way back.
 *
 *     b0: IMAD.WIDE %R4, %R0, 0x4, %R2         b0: IMAD.WIDE %R4, …
 *     b1: IMAD.WIDE %R6, %R0, 0x4, %R2    →    b1: MOV %R6:0, %R4:0; MOV %R6:1, %R4:1
 *
 * Literals in registers are not shared: making them again is cheaper than keeping them.
 */
import { analysis, Definitions, isLanewise, readsConstants, unitOf } from "../analysis/index.js";
import { isReg, isZeroReg } from "../ori/operand.js";
import { File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { barrierOperands } from "./barrier-operands.js";
import { copyInstead } from "./copy-instead.js";
import { RewriteCounter } from "./rewrites.js";

/** Special registers that never change for a thread: lane, thread and block index, the masks of lanes, the block's place in its cluster. */
const fixedRegisters: ReadonlySet<number> = new Set([0, 33, 34, 35, 37, 38, 39, 56, 57, 58, 59, 60, 136]);

/** Returns how many computations became copies. `literals`: equal ones in different registers are equal. */
export function commonSubexpressions(
  func: Func,
  across: boolean,
  literals = true,
  rewrites: RewriteCounter = new RewriteCounter(),
): number {
  if (func.milestone !== "ssa") return 0;
  const defs = new Definitions(func);
  const { idom, order } = analysis(func, "dominators");
  const { first, insts } = defs.flat;
  const known = new Map<string, number>();
  const same = new Map<Inst, Inst>();
  const whole = barrierOperands(func);
  const mayRecur = recurring(defs, literals);
  /** Keys in the order in which they were learnt, with how many of them each block on the way down had found. */
  const learnt: string[] = [];
  const path: { block: number; had: number }[] = [];
  for (const b of preorder(idom, order)) {
    while (path.length > 0 && (!across || (path.at(-1) as { block: number }).block !== idom[b]))
      for (const had = (path.pop() as { had: number }).had; learnt.length > had; ) known.delete(learnt.pop() as string);
    path.push({ block: b, had: learnt.length });
    for (let i = first[b] as number; i < (first[b + 1] as number); i++) {
      const inst = insts[i] as Inst;
      const key = mayRecur[i] === 0 || whole.has(inst) ? null : keyOf(defs, inst, i, across, literals);
      if (key === null) continue;
      const before = known.get(key);
      if (before === undefined) {
        known.set(key, i);
        learnt.push(key);
      } else if (rewrites.open && replaces(insts[before] as Inst, inst)) {
        same.set(inst, insts[before] as Inst);
        rewrites.take(`${inst.form.name} shared`, inst, insts[before]);
      }
    }
  }
  if (same.size > 0) for (const block of func.blocks) copyInstead(func, block, same);
  return same.size;
}

/** Blocks of the dominator tree, each after its parent and the parent's earlier subtrees. */
function preorder(idom: Int32Array, order: Int32Array): number[] {
  const children = new Map<number, number[]>();
  for (const b of order) {
    const up = idom[b] as number;
    const list = children.get(up);
    if (list === undefined) children.set(up, [b]);
    else list.push(b);
  }
  const out: number[] = [];
  const work = [order[0] as number];
  for (let b = work.pop(); b !== undefined; b = work.pop()) {
    out.push(b);
    work.push(...(children.get(b) ?? []));
  }
  return out;
}

/** Whether what the instruction computes may be shared at all, by its form. */
const computes = (inst: Inst): boolean =>
  inst.guard === null && inst.form.op !== "MOV" && (isLanewise(inst) || readsConstants(inst) || readsFixed(inst));

/** 1 for the instructions that compute what another one may compute, too: most are alone with their numbers, and need no text. */
function recurring(defs: Definitions, literals: boolean): Uint8Array {
  const { insts } = defs.flat;
  const mask = 2 ** Math.max(8, Math.ceil(Math.log2(4 * insts.length + 1))) - 1;
  const count = new Uint8Array(mask + 1);
  const buckets = new Int32Array(insts.length).fill(-1);
  for (let i = 0; i < insts.length; i++) {
    const inst = insts[i] as Inst;
    if (!computes(inst)) continue;
    const bucket = hashOf(defs, inst, literals) & mask;
    buckets[i] = bucket;
    if ((count[bucket] as number) < 2) count[bucket] = (count[bucket] as number) + 1;
  }
  return Uint8Array.from(buckets, (b) => (b >= 0 && (count[b] as number) > 1 ? 1 : 0));
}

/** The same for instructions of which `keyOf` says the same. */
function hashOf(defs: Definitions, inst: Inst, literals: boolean): number {
  let hash = inst.form.id;
  for (const o of inst.srcs) {
    const literal = literals ? literalIn(defs, o) : null;
    hash =
      (Math.imul(hash ^ (literal ?? (o.kind << 20) + (o.id << 8) + (o.sub << 4) + o.value), 0x9e3779b1) + o.mods) | 0;
  }
  return hash ^ (hash >>> 15);
}

/** What the instruction computes as text; null: it cannot be shared. */
function keyOf(defs: Definitions, inst: Inst, at: number, across: boolean, literals: boolean): string | null {
  if (!computes(inst)) return null;
  let results = 0;
  for (const o of inst.dsts) {
    if (o.kind === Kind.None || isZeroReg(o)) continue;
    if (o.kind !== Kind.Reg || (across && o.file !== File.R && o.file !== File.P)) return null;
    const u = unitOf(defs.units, o);
    for (let k = u; k < u + o.width; k++) if (defs.def[k] !== at) return null;
    results++;
  }
  if (results === 0) return null;
  let key = `${inst.form.id}${inst.said ?? ""}`;
  for (const o of inst.srcs) {
    if (o.kind === Kind.Reg && !isZeroReg(o) && !defs.holds(o, at)) return null;
    if (o.kind === Kind.Const && !defs.holds(o, at)) return null;
    const literal = literals ? literalIn(defs, o) : null;
    if (literal !== null) key += `|#${literal},${o.mods}`;
    else key += `|${o.kind},${o.file},${o.width},${o.id},${o.sub},${o.value},${o.high},${o.mods},${o.part},${o.sym}`;
  }
  return key;
}

/** The literal that a register was given, null when it was none: equal literals in different registers are equal. */
function literalIn(defs: Definitions, o: Operand): number | null {
  if (o.kind !== Kind.Reg || o.file !== File.R || o.width !== 1 || o.part !== "") return null;
  const inst = defs.definition(o);
  const from = inst?.srcs[0];
  return inst?.form.name === "MOV" && inst.guard === null && from?.kind === Kind.Imm ? from.value : null;
}

/** Reads a special register that never changes for a thread. */
export function readsFixed(inst: Inst): boolean {
  return inst.form.op === "S2R" && inst.srcs.some((o) => o.kind === Kind.Sreg && fixedRegisters.has(o.id));
}

/** All that the second defines, the first does. */
function replaces(a: Inst, b: Inst): boolean {
  return b.dsts.every((o, k) => !isReg(o) || isReg(a.dsts[k] as Operand));
}
