/**
 * Copies that one exit of a block is for (end of the SSA window): where a block makes them before a branch and only the phis of one target read
 * them, they are made on the edge, and the other path is spared them.
 *
 *     b1: …                                   b1: …                  edge: MOV %R7, %R1
 *         MOV %R4, %R1                            @%P0 BRA edge            MOV %R8, %R2
 *         MOV %R5, %R2                  →     b2: …                        MOV %R9, %R3
 *         MOV %R6, %R3                                                     BRA b9
 *         @%P0 BRA b9
 *     b9: MOV.PHI %R7, %R4, …
 *
 * Only three and more: the edge gets a jump. Not on edges that go back, where the jump would be one more in each turn. Compilers of PTX write such copies
 * where a loop that keeps a row in registers is left from each step; ptxas 13.0.88 makes them on both ways.
 */
import { analysis, Definitions, dominates, unitOf } from "../analysis/index.js";
import { touch } from "../ori/editor.js";
import { goesElsewhere, isPhi } from "../ori/flow.js";
import { isReg } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, type Operand } from "../ori/types.js";
import { copyOf } from "../regalloc/facts.js";
import { saying } from "./notes.js";

/** Fewest copies for which an edge becomes a block. */
const FEWEST = 3;

/** Returns how many sources of phis are the originals now. */
export function readOriginalsOnEdges(func: Func): number {
  const entered = func.blocks.filter((b) => b.preds.length > 1 && b.insts.some(isPhi));
  if (entered.length === 0) return 0;
  const defs = new Definitions(func);
  const dom = analysis(func, "dominators");
  const { indexOf } = analysis(func, "cfg");
  let count = 0;
  for (const block of entered) {
    const phis = block.insts.filter(isPhi);
    block.preds.forEach((pred, at) => {
      if (pred.succs.length < 2 || goesElsewhere(func, pred)) return;
      if (dominates(dom, indexOf[block.id] as number, indexOf[pred.id] as number)) return;
      const copies = readByPhisAlone(defs, pred, indexOf[pred.id] as number, phis, at);
      if (new Set(copies.map((c) => c.made)).size < FEWEST) return;
      for (const { read, from, made } of copies) {
        read.id = from.id;
        read.sub = from.sub;
        saying(func)?.("copy made on the edge", made, `only b${block.id} is to have it`);
        count++;
      }
    });
  }
  if (count > 0) touch(func);
  return count;
}

interface ReadCopy {
  /** The source of a phi. */
  readonly read: Operand;
  readonly from: Operand;
  readonly made: Inst;
}

/** The copies made in the block that nothing reads but these phis, for the predecessor with this index. */
function readByPhisAlone(defs: Definitions, pred: Block, b: number, phis: readonly Inst[], at: number): ReadCopy[] {
  if (!pred.insts.some((i) => copyOf(i) !== null)) return [];
  const found: ReadCopy[] = [];
  const reads = new Map<number, number>();
  for (const phi of phis) {
    const read = phi.srcs[at] as Operand;
    if (!isReg(read) || read.file !== File.R || read.width !== 1) continue;
    const made = defs.definition(read);
    const copy = made === null || made.said !== undefined ? null : copyOf(made);
    if (made === null || copy === null || defs.flat.block[defs.indexOf(read)] !== b) continue;
    const { from } = copy;
    if (!isReg(from) || from.file !== File.R || from.part !== "" || from.mods !== 0) continue;
    if (!defs.holds(from, defs.indexOf(read))) continue;
    found.push({ read, from, made });
    const u = unitOf(defs.units, read);
    reads.set(u, (reads.get(u) ?? 0) + 1);
  }
  return found.filter(({ read }) => {
    const u = unitOf(defs.units, read);
    return defs.uses[u] === reads.get(u);
  });
}
