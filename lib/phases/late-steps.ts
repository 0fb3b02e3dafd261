/**
 * Steps of a loop's registers come last (end of the SSA window): what the next turn has in the place of a register is made after the last read of that
 * register in the block, so that both can be one and no copy is left on the way back.
 *
 *     %R1 = MOV.PHI %R0, %R2                      %R1 = MOV.PHI %R0, %R2
 *     IADD3 %R2, PT, PT, %R1, 0x40, RZ      →     ISETP.LT.AND %P0, PT, %R1, 0x3c0, PT
 *     ISETP.LT.AND %P0, PT, %R1, 0x3c0, PT        IADD3 %R2, PT, PT, %R1, 0x40, RZ
 *     @%P0 BRA b1                                 @%P0 BRA b1
 *
 * Only steps that read the register itself and nothing else of file R: no other register lives longer for them.
 */
import { analysis, livenessOfUnits, type PathsBack, unitOf } from "../analysis/index.js";
import { touch } from "../ori/editor.js";
import { isPhi } from "../ori/flow.js";
import { indexOf, isReg, isZeroReg } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, type Operand } from "../ori/types.js";
import { copyOf } from "../regalloc/facts.js";
import { saying } from "./notes.js";

/** Returns how many steps moved. */
export function stepsLast(func: Func): number {
  const headers = func.blocks.filter((b) => b.insts.some(isPhi));
  if (headers.length === 0) return 0;
  const index = new Map(func.blocks.map((b, k) => [b, k]));
  // One register after the other, and only where a step would move past another way on: all that is live would, with sources of phis as reads, grow with
  // joins times values. A step that moves within its block leaves what is live before blocks as it is.
  let paths: PathsBack | null = null;
  const isLive = (b: Block, o: Operand): boolean => {
    const flat = analysis(func, "flat");
    paths ??= livenessOfUnits(analysis(func, "cfg"), flat);
    const at = index.get(b) as number;
    return paths.meets(unitOf(flat.units, o), (live) => live === at);
  };
  const say = saying(func);
  let count = 0;
  for (const header of headers) {
    for (const phi of header.insts) {
      if (!isPhi(phi)) continue;
      const old = phi.dsts[0] as Operand;
      if (old.file !== File.R || old.width !== 1) continue;
      header.preds.forEach((pred, k) => {
        const next = phi.srcs[k] as Operand;
        if (!isReg(next) || next.width !== 1) return;
        const moved = lateOrder(pred, old, next);
        if (moved === null || pred.succs.some((s) => s !== header && isLive(s, old))) return;
        const { step } = moved;
        pred.insts = moved.insts;
        say?.("step comes last", step, "after the last read of the register that it replaces");
        count++;
      });
    }
  }
  if (count > 0) touch(func);
  return count;
}

/** A block's instructions with a step moved. */
interface Moved {
  readonly insts: Inst[];
  readonly step: Inst;
}

/** The block with what defines `next` in it (and a copy of it) after the last read of `old`; null where it stands there, or has to stay. */
function lateOrder({ insts }: Block, old: Operand, next: Operand): Moved | null {
  const defined = (o: Operand): Inst | undefined => insts.find((i) => i.dsts.some((d) => same(d, o)));
  const made = defined(next);
  const copy = made === undefined ? null : copyOf(made);
  const step = copy === null ? made : defined(copy.from);
  if (step === undefined || !isStep(step, old)) return null;
  const parts = step === made ? [step] : [step, made as Inst];
  const at = insts.indexOf(step);
  const last = insts.findLastIndex((i) => !parts.includes(i) && i.srcs.some((o) => same(indexOf(o) ?? o, old)));
  if (last < at) return null;
  const stay = (i: Inst): boolean => !parts.includes(i);
  const touches = (list: readonly Operand[], i: Inst, what: "dsts" | "srcs"): boolean =>
    list.some((o) => isReg(o) && i[what].some((p) => names(indexOf(p) ?? p, o)));
  const results = parts.flatMap((i) => i.dsts);
  const passed = insts.slice(at, last + 1).filter(stay);
  if (passed.some((i) => touches(results, i, "srcs") || touches(results, i, "dsts") || touches(step.srcs, i, "dsts")))
    return null;
  const order = [...insts.slice(0, last + 1).filter(stay), ...parts, ...insts.slice(last + 1).filter(stay)];
  return { insts: order, step };
}

/** A plain function of the register: no guard, no memory, one result, of other registers uniform ones at most. */
function isStep({ form, dsts, srcs, guard }: Inst, old: Operand): boolean {
  if (guard !== null || form.memory !== null || form.flow !== "next") return false;
  if (dsts.filter((o) => isReg(o) && !isZeroReg(o)).length !== 1) return false;
  return (
    srcs.some((o) => same(o, old)) && srcs.every((o) => !isReg(o) || isZeroReg(o) || o.file === File.UR || same(o, old))
  );
}

const names = (a: Operand, b: Operand): boolean => isReg(a) && a.file === b.file && a.id === b.id;

const same = (a: Operand, b: Operand): boolean =>
  isReg(a) && a.file === b.file && a.id === b.id && a.sub === b.sub && a.width === b.width;
