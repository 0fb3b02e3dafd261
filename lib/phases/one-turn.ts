/**
 * Turns of lanes with different values (lib/lower/async/uniform.ts) that are one, because all lanes have the same value (GeneralOptimizeEarly):
 * an address in shared memory, say, that depends on the CTA alone. Lowering cannot tell. ptxas 13.0.88 has no loop there above -O0 either.
 *
 *     again: R2UR %UR4, %R1; ISETP.EQ.U32.AND %P2, PT, %R1, %UR4, PT
 *            @!%P2 BRA next                                                   again: R2UR %UR4, %R1
 *     act:   SYNCS.EXCH.64 URZ, [%UR4], %UR6                           →      act:   SYNCS.EXCH.64 URZ, [%UR4], %UR6
 *     next:  @!%P2 BRA again                                                  next:
 *
 * A value is the same in all lanes that read it where it does not vary between the lanes of a warp, and where it is made of constants of the CTA in
 * registers with one definition, wherever lanes are apart.
 */
import { analysis, Definitions, isLanewise, readsBlockConstant, readsConstants } from "../analysis/index.js";
import { removeEdge, removeInst, touch } from "../ori/editor.js";
import { terminator } from "../ori/flow.js";
import { isReg, isZeroReg } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, type Operand } from "../ori/types.js";
import { isPlainBranch } from "./branches.js";
import type { RewriteCounter } from "./rewrites.js";

/** Returns how many loops over lanes are gone. */
export function oneTurn(func: Func, rewrites: RewriteCounter): number {
  if (func.milestone === "ssa" || !func.blocks.some((b) => b.insts.some((i) => i.form.op === "R2UR"))) return 0;
  return dropTurns(func, turns(func), "one turn", rewrites);
}

/** Takes the branches out of loops that end with their first turn; returns how many loops are gone. */
export function dropTurns(func: Func, found: readonly Turns[], why: string, rewrites: RewriteCounter): number {
  let count = 0;
  for (const { test, leaves } of found) {
    if (!rewrites.open) break;
    for (const block of leaves) {
      const branch = terminator(block) as Inst;
      const target = branch.srcs.find((o) => o.kind === Kind.Label) as Operand;
      removeInst(func, block, branch);
      removeEdge(func, block, block.succs.find((b) => b.id === target.id) as Block);
    }
    rewrites.take(why, test);
    count++;
  }
  if (count > 0) touch(func);
  return count;
}

export interface Turns {
  /** What chooses the lanes of a turn: the comparison of a value with that of one lane, or ELECT. */
  readonly test: Inst;
  /** Blocks that end in a branch for the lanes that have another. */
  readonly leaves: readonly Block[];
}

function turns(func: Func): Turns[] {
  const definitions = new Definitions(func);
  const known = new Map<number, boolean>();
  const found: Turns[] = [];
  for (const block of func.blocks)
    for (const test of block.insts) {
      const value = comparedWithOneLane(test, definitions);
      if (value === null || !sameInAll(func, value, definitions, known)) continue;
      const leaves = leavesOf(func, test, definitions);
      if (leaves.length > 0) found.push({ test, leaves });
    }
  return found;
}

/** Blocks that end in a branch for lanes that are not chosen; none where the predicate is for more than that. */
export function leavesOf(func: Func, test: Inst, definitions: Definitions): readonly Block[] {
  const p = test.dsts[0] as Operand;
  const leaves = func.blocks.filter((b) => leavesBy(b, p));
  return leaves.length === definitions.usesOf(p) ? leaves : [];
}

/** x of `ISETP.EQ.U32.AND P, PT, x, y, PT` with `R2UR y, x`; else null. */
function comparedWithOneLane(test: Inst, definitions: Definitions): Operand | null {
  if (test.form.name !== "ISETP.EQ.U32.AND" || test.guard !== null) return null;
  const [value, other, and] = test.srcs as [Operand, Operand, Operand];
  if (!isReg(value) || !isReg(other) || other.file !== File.UR || !isZeroReg(and) || and.mods !== 0) return null;
  const made = definitions.definition(other);
  const from = made?.form.op === "R2UR" && made.guard === null ? (made.srcs[0] as Operand) : null;
  return from !== null && isReg(from) && from.id === value.id && from.sub === value.sub ? value : null;
}

/** The block ends in `@!p BRA`, and goes on to another block otherwise. */
function leavesBy(block: Block, p: Operand): boolean {
  const last = terminator(block);
  if (!isPlainBranch(last) || last.guard === null || block.succs.length !== 2) return false;
  return last.guard.file === p.file && last.guard.id === p.id && last.guard.not;
}

function sameInAll(func: Func, value: Operand, definitions: Definitions, known: Map<number, boolean>): boolean {
  return analysis(func, "divergence").varies[value.id] === 0 || isBlockConstant(value, definitions, known);
}

/** The operand is made of what all threads of a CTA have in common and nothing else. `known`: by instruction; what depends on itself is not. */
function isBlockConstant(o: Operand, definitions: Definitions, known: Map<number, boolean>): boolean {
  if (o.kind === Kind.Imm || o.kind === Kind.None || o.kind === Kind.Sym || isZeroReg(o)) return true;
  if (o.kind === Kind.Const) return o.index === NO_INDEX;
  if (!isReg(o)) return false;
  const at = definitions.indexOf(o);
  const inst = definitions.flat.insts[at];
  if (inst === undefined || inst.guard !== null) return false;
  const before = known.get(at);
  if (before !== undefined) return before;
  known.set(at, false);
  const is =
    readsBlockConstant(inst) ||
    ((isLanewise(inst) || readsConstants(inst)) && inst.srcs.every((s) => isBlockConstant(s, definitions, known)));
  known.set(at, is);
  return is;
}
