/**
 * SpeculativeHoistComInsts: what both ways of a branch compute is computed once, before it (in the SSA window).
 *
 *     H: …; @P BRA b                       H: …; DFMA %R4, %R0, %R0, %R2; @P BRA b
 *     a: DFMA %R4, %R0, %R0, %R2     →     a: …
 *     b: DFMA %R6, %R0, %R0, %R2           b: MOV %R6:0, %R4:0; MOV %R6:1, %R4:1
 *
 * Only of paths that are short enough to become straight code afterwards (predication.ts): where the branch stays, ptxas 13.0.88 leaves
 * equal instructions on both. Anywhere in the two blocks, not only at their heads; loads, when nothing before them in either block may write or orders accesses. ptxas
 * does so with arithmetic and with loads from global and shared memory, with stores never.
 */
import {
  analysis,
  Definitions,
  isLanewise,
  isPlainLoad,
  loadsFar,
  Order,
  orderOf,
  readsConstants,
  unitOf,
} from "../analysis/index.js";
import { rewriteBlock } from "../ori/editor.js";
import { terminator } from "../ori/flow.js";
import { isReg, isZeroReg } from "../ori/operand.js";
import { type Block, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { copyInstead } from "./copy-instead.js";
import { saying } from "./notes.js";
import { limits } from "./predication.js";

/** Returns how many instructions went. */
export function hoistCommon(func: Func): number {
  if (func.milestone !== "ssa") return 0;
  const defs = new Definitions(func);
  const { indexOf } = analysis(func, "cfg");
  const { parts } = analysis(func, "divergence");
  let count = 0;
  for (const head of func.blocks) {
    const [a, b] = head.succs;
    if (head.succs.length !== 2 || a === undefined || b === undefined || a === head || b === head) continue;
    if (a.preds.length !== 1 || b.preds.length !== 1 || terminator(head)?.form.flow !== "branch") continue;
    if (!becomeStraight(a, b, parts(head))) continue;
    const found = equalIn(func, defs, [a, b], [indexOf[a.id] as number, indexOf[b.id] as number]);
    for (const [second, first] of found) saying(func)?.("hoisted", first, "both arms compute it", second);
    if (found.size > 0) hoist(func, head, a, b, found);
    count += found.size;
  }
  return count;
}

/** Two ways to one place, both within the limits of if-conversion; the jump of the first counts. */
function becomeStraight(a: Block, b: Block, varies: boolean): boolean {
  const [join, ...more] = a.succs;
  if (join === undefined || more.length > 0 || b.succs.length !== 1 || b.succs[0] !== join) return false;
  const length = (block: Block): number => block.insts.length - (terminator(block) === null ? 0 : 1);
  const limit = (block: Block): number =>
    block.insts.some(loadsFar) ? limits.global : varies ? limits.varying : limits.uniform;
  return length(a) + 1 <= limit(a) && length(b) <= limit(b);
}

/** Instructions of the second block → those of the first that compute the same; in the order in which they can be moved. */
function equalIn(
  func: Func,
  defs: Definitions,
  blocks: readonly [Block, Block],
  at: readonly [number, number],
): Map<Inst, Inst> {
  const { flat } = defs;
  const [startA, startB] = [flat.first[at[0]] as number, flat.first[at[1]] as number];
  const candidates = new Map<string, Inst>();
  const inFirst = new Set<number>();
  const renamed = new Map<number, number>();
  let loads = true;
  blocks[0].insts.forEach((inst, i) => {
    for (const o of inst.dsts) if (isReg(o)) inFirst.add(o.id);
    loads &&= !writes(inst);
    const key = keyOf(func, defs, inst, startA + i, loads, renamed);
    if (key !== null && !candidates.has(key)) candidates.set(key, inst);
  });
  const found = new Map<Inst, Inst>();
  const moved = new Set<number>();
  const used = new Set<Inst>();
  const local = new Set<number>();
  loads = true;
  blocks[1].insts.forEach((inst, i) => {
    loads &&= !writes(inst);
    const key = keyOf(func, defs, inst, startB + i, loads, renamed);
    const same = key === null ? undefined : candidates.get(key);
    const ready = (o: Operand): boolean => !isReg(o) || ((!inFirst.has(o.id) || moved.has(o.id)) && !local.has(o.id));
    if (same === undefined || used.has(same) || !same.srcs.every(ready) || !sameResults(same, inst)) {
      for (const o of inst.dsts) if (isReg(o)) local.add(o.id);
      return;
    }
    inst.dsts.forEach((o, k) => {
      if (!isReg(o)) return;
      renamed.set(o.id, (same.dsts[k] as Operand).id);
      moved.add((same.dsts[k] as Operand).id);
    });
    used.add(same);
    found.set(inst, same);
  });
  return found;
}

/** Orders accesses, or may write what a load reads. */
function writes(inst: Inst): boolean {
  return orderOf(inst) !== Order.Free && !readsConstants(inst) && !isPlainLoad(inst);
}

function sameResults(a: Inst, b: Inst): boolean {
  return b.dsts.every((o, k) => {
    const other = a.dsts[k] as Operand;
    return isReg(o) ? isReg(other) && o.width === other.width && o.file === other.file : !isReg(other);
  });
}

/** What the instruction computes as text; null: it stays where it is. */
function keyOf(
  func: Func,
  defs: Definitions,
  inst: Inst,
  at: number,
  loads: boolean,
  renamed: ReadonlyMap<number, number>,
): string | null {
  const { form, guard, srcs, dsts } = inst;
  if (guard !== null || form.op === "MOV" || form.variadic) return null;
  if (!isLanewise(inst) && !readsConstants(inst) && !(loads && isPlainLoad(inst))) return null;
  let results = 0;
  for (const o of dsts) {
    if (o.kind === Kind.None || isZeroReg(o)) continue;
    // Of a part alone nobody could tell that the other has not moved.
    if (!isReg(o) || o.width !== func.values.width(o.id) || o.part !== "") return null;
    const u = unitOf(defs.units, o);
    for (let k = u; k < u + o.width; k++) if (defs.def[k] !== at) return null;
    results++;
  }
  if (results === 0) return null;
  let key = `${form.id}${inst.said ?? ""}`;
  for (const o of srcs) {
    if ((o.kind === Kind.Reg && !isZeroReg(o)) || o.kind === Kind.Const) if (!defs.holds(o, at)) return null;
    const id = o.kind === Kind.Reg ? (renamed.get(o.id) ?? o.id) : o.id;
    const index = o.kind === Kind.Const ? (renamed.get(o.index) ?? o.index) : o.index;
    key += `|${o.kind},${o.file},${o.width},${id},${index},${o.sub},${o.value},${o.high},${o.mods},${o.part},${o.sym}`;
  }
  return key;
}

function hoist(func: Func, head: Block, a: Block, b: Block, found: ReadonlyMap<Inst, Inst>): void {
  const moved = new Set(found.values());
  rewriteBlock(func, a, (inst, out) => {
    if (!moved.has(inst)) out.push(inst);
  });
  const at = head.insts.length - 1;
  head.insts.splice(at, 0, ...found.values());
  copyInstead(func, b, found);
  func.generation++;
}
