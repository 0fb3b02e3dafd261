/**
 * Names of copies (after the SSA window's parallel copies, before the joining): where a copy keeps its contents, what reads the original
 * reads the copy, so that the original ends at the copy and both can be one register.
 *
 *     MOV %R4, %R1:2                         MOV %R4, %R1:2              (joined with %R1:2 now)
 *     @%P0 BRA b3                       →    @%P0 BRA b3
 *     b2: IADD3 %R4, %R1:2, %R5, RZ          b2: IADD3 %R4, %R4, %R5, RZ
 */
import { analysis, unitOf } from "../analysis/index.js";
import { touch } from "../ori/editor.js";
import { isReg } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, type Operand } from "../ori/types.js";
import { copyOf } from "../regalloc/facts.js";
import { saying } from "./notes.js";

/** Returns how many copies took over all reads of their originals. */
export function readCopies(func: Func): number {
  const { flat, liveIn } = analysis(func, "liveness");
  const { units } = flat;
  const index = new Map(func.blocks.map((b, k) => [b, k]));
  /** Registers whose ranges have changed since: the halves of a pair are copied one by one. */
  const touched = new Set<number>();
  const live = (b: Block, o: Operand): boolean => liveIn.has(index.get(b) as number, unitOf(units, o));
  const say = saying(func);
  let count = 0;
  for (const block of func.blocks) {
    block.insts.forEach((inst, at) => {
      const c = copyOf(inst);
      if (
        c === null ||
        inst.said === "apart" ||
        c.to.file !== File.R ||
        c.to.width !== 1 ||
        c.to.part !== "" ||
        c.from.part !== ""
      )
        return;
      const [to, from] = [unitOf(units, c.to), unitOf(units, c.from)];
      if (touched.has(to) || touched.has(from) || c.to.id === c.from.id) return;
      if (func.values.fixed(c.to.id) >= 0 || func.values.fixed(c.from.id) >= 0) return;
      const reads = new Region(c.to, c.from, live).reads(block, at + 1);
      if (reads === null || reads.length === 0) return;
      for (const o of reads) {
        o.id = c.to.id;
        o.sub = c.to.sub;
      }
      say?.("copy read in place of its original", inst, "the original ends here, and both can be one register");
      touched.add(to).add(from);
      count++;
    });
  }
  if (count > 0) touch(func);
  return count;
}

/** Where a copy and its original hold the same: from the copy on, into blocks that only this path leads to, up to a new definition of either. */
class Region {
  private readonly to: Operand;
  private readonly from: Operand;
  private readonly live: (b: Block, o: Operand) => boolean;
  private readonly found: Operand[] = [];

  constructor(to: Operand, from: Operand, live: (b: Block, o: Operand) => boolean) {
    this.to = to;
    this.from = from;
    this.live = live;
  }

  /** All reads of the original from there on; null: some are out of the region, or read more than the original. */
  reads(block: Block, at: number): Operand[] | null {
    return this.walk(block, at) ? this.found : null;
  }

  private walk(block: Block, at: number): boolean {
    for (let k = at; k < block.insts.length; k++) {
      const inst = block.insts[k] as Inst;
      for (const o of inst.srcs) {
        if (!this.names(o, this.from)) continue;
        if (o.width !== 1) return false;
        this.found.push(o);
      }
      const redefined = inst.dsts.some((o) => this.names(o, this.to) || this.names(o, this.from));
      if (redefined) return this.endsIn(inst, block, k + 1);
    }
    return block.succs.every((s) => (s.preds.length === 1 && s !== block ? this.walk(s, 0) : !this.live(s, this.from)));
  }

  /** The original is not read after the instruction: neither in the rest of its block nor later, unless it is defined anew. */
  private endsIn(inst: Inst, block: Block, at: number): boolean {
    if (inst.guard === null && inst.dsts.some((o) => this.names(o, this.from) && o.width === 1)) return true;
    for (let k = at; k < block.insts.length; k++) {
      const next = block.insts[k] as Inst;
      if (next.srcs.some((o) => this.names(o, this.from))) return false;
      if (next.guard === null && next.dsts.some((o) => this.names(o, this.from))) return true;
    }
    return block.succs.every((s) => !this.live(s, this.from));
  }

  private names(o: Operand, what: Operand): boolean {
    return isReg(o) && o.file === what.file && o.id === what.id && o.sub <= what.sub && what.sub < o.sub + o.width;
  }
}
