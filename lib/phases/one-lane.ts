/**
 * Turns of one lane after the other (lib/lower/async/uniform.ts) that are one, because at most one lane comes: into an arm under a predicate
 * that ELECT gave while all lanes were together, alone or with other conditions (GeneralOptimizeEarly, after gathered code stands bare).
 * ptxas 13.0.88 has no loop there above -O0 (asked with bulk and tensor copies, sm_90a).
 *
 *     ELECT %P1, URZ, PT; PLOP3.LUT %P2, PT, %P1, %P0, PT, 0xc0, 0x0
 *     @!%P2 BRA join
 *     again: ELECT %P3, URZ, PT
 *            @!%P3 BRA next                                                    again:
 *     act:   UTMALDG.2D [%UR4], [%UR8]                                  →      act:   UTMALDG.2D [%UR4], [%UR8]
 *     next:  @!%P3 BRA again                                                   next:
 */
import { analysis, Definitions } from "../analysis/index.js";
import { terminator } from "../ori/flow.js";
import { isReg, isZeroReg, preg } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { isPlainBranch } from "./branches.js";
import { dropTurns, leavesOf, type Turns } from "./one-turn.js";
import type { RewriteCounter } from "./rewrites.js";

/** Returns how many loops over lanes are gone. */
export function oneLane(func: Func, rewrites: RewriteCounter): number {
  if (func.milestone === "ssa" || !func.blocks.some((b) => b.insts.some(elects))) return 0;
  const definitions = new Definitions(func);
  const single = new SingleLane(func, definitions);
  const found: Turns[] = [];
  for (const head of func.blocks) {
    const test = head.insts.find((i) => elects(i) && i.srcs.every(isAll));
    if (test === undefined) continue;
    const leaves = leavesOf(func, test, definitions);
    if (leaves.length > 0 && single.comesTo(head)) found.push({ test, leaves });
  }
  return dropTurns(func, found, "one lane", rewrites);
}

const elects = ({ form, guard }: Inst): boolean => form.op === "ELECT" && guard === null;

/** One of all lanes that come is elected, not one of those with a predicate. */
const isAll = (o: Operand): boolean => o.file !== File.P || (isZeroReg(o) && o.mods === 0);

/** Where at most one lane of a warp comes. */
class SingleLane {
  /** By the instruction that makes a predicate: at most one lane gets it. */
  private readonly known = new Map<number, boolean>();

  constructor(
    private readonly func: Func,
    private readonly definitions: Definitions,
  ) {}

  /** The block lies in an arm under a predicate that at most one lane has. */
  comesTo(block: Block): boolean {
    const { func } = this;
    const { indexOf } = analysis(func, "cfg");
    const { idom } = analysis(func, "dominators");
    for (let b = indexOf[block.id] as number; b >= 0 && b < func.blocks.length; b = idom[b] as number) {
      const arm = func.blocks[b] as Block;
      const [from, ...others] = arm.preds;
      const branch = from === undefined || others.length > 0 ? null : terminator(from);
      if (branch !== null && isPlainBranch(branch) && from?.succs.length === 2 && this.takenByOne(branch, from, arm))
        return true;
      if (b === (idom[b] as number)) break;
    }
    return false;
  }

  /** The branch goes to the arm only for lanes whose predicate is true, and at most one lane has it. */
  private takenByOne(branch: Inst, from: Block, arm: Block): boolean {
    const { guard } = branch;
    const target = branch.srcs.find((o) => o.kind === Kind.Label);
    if (guard === null || target === undefined || guard.not === (target.id === arm.id)) return false;
    const { first } = this.definitions.flat;
    const at = (first[analysis(this.func, "cfg").indexOf[from.id] as number] as number) + from.insts.length - 1;
    return guard.file === File.P && this.hasOne(preg(guard.id), at);
  }

  /** At most one lane has the predicate where instruction `at` reads it. */
  private hasOne(p: Operand, at: number): boolean {
    const made = this.definitions.indexOf(p);
    if (made < 0 || !this.definitions.before(made, at)) return false;
    let one = this.known.get(made);
    if (one === undefined) {
      one = this.givesOne(made, p.id);
      this.known.set(made, one);
    }
    return one;
  }

  private givesOne(made: number, id: number): boolean {
    const { flat } = this.definitions;
    const inst = flat.insts[made] as Inst;
    if (inst.guard !== null) return false;
    if (inst.form.op !== "ELECT") return needed(inst, id).some((o) => this.hasOne(o, made));
    const block = this.func.blocks[flat.block[made] as number] as Block;
    return !analysis(this.func, "divergence").apartAt(block, block.insts.indexOf(inst));
  }
}

/** Predicates without which the instruction does not set predicate `id`. */
function needed(inst: Inst, id: number): readonly Operand[] {
  const { form, dsts, srcs } = inst;
  const positive = (o: Operand | undefined): o is Operand => o !== undefined && isReg(o) && o.mods === 0;
  if (dsts[0]?.id !== id) return [];
  if (form.op === "PLOP3") {
    const table = srcs[3]?.kind === Kind.Imm ? (srcs[3].value as number) : 0xff;
    return srcs.slice(0, 3).filter((o, k) => positive(o) && (table & (OTHERWISE[k] as number)) === 0);
  }
  // The comparison and a predicate.
  const last = srcs[srcs.length - 1];
  return form.op === "ISETP" && form.mods.includes("AND") && !form.mods.includes("EX") && positive(last) ? [last] : [];
}

/** Entries of a table of three operands at which operand k is 0. */
const OTHERWISE = [0x0f, 0x33, 0x55];
