/**
 * Two zeros in a pair of registers are one instruction, as in ptxas's code on every SM: `CS2R` reads a special register of 64 bits,
 * and SRZ is one. On plain registers, after the joining of copies, when it is known what is a pair.
 *
 *     MOV %R4:0, RZ; MOV %R4:1, RZ      →      CS2R %R4, SRZ
 *
 * A copy of a part that was set to zero in the same block is a zero, too: Triton sets one accumulator of a product to zero and copies it
 * to the others.
 */
import { isWholeMove } from "../analysis/index.js";
import { form } from "../isa/form.js";
import { rewriteBlock } from "../ori/editor.js";
import { newInst } from "../ori/func.js";
import { indexOf, isReg, isZeroReg, register, sreg } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { saying } from "./notes.js";

/** SRZ. */
const ZERO = 255;

/** Returns how many pairs became one instruction. */
export function pairZeros(func: Func): number {
  let count = 0;
  for (const block of func.blocks) {
    const pairs = pairsOf(func, block);
    if (pairs.size === 0) continue;
    const second = new Set(pairs.values());
    rewriteBlock(func, block, (inst, out) => {
      if (second.has(inst)) return;
      if (!pairs.has(inst)) {
        out.push(inst);
        return;
      }
      const d = inst.dsts[0] as Operand;
      const pair = register(File.R, d.id, 2, d.sub & ~1);
      const made = newInst(func, form("CS2R"), [pair], [sreg(ZERO)], null, inst.loc, inst.id);
      saying(func)?.("two zeros at once", made, "both halves of a pair are 0", pairs.get(inst));
      out.push(made);
      count++;
    });
  }
  return count;
}

/** The first zero of each pair, with the other: nothing between them names the pair. */
function pairsOf(func: Func, block: Block): Map<Inst, Inst> {
  /** By value and pair. */
  const waiting = new Map<number, Inst>();
  const key = (o: Operand, k: number): number => o.id * 256 + ((o.sub + k) >> 1);
  const pairs = new Map<Inst, Inst>();
  const zeros = new Zeros();
  for (const inst of block.insts) {
    const d = zeroed(func, inst, zeros);
    zeros.note(inst, d);
    const first = d === null ? undefined : waiting.get(key(d, 0));
    if (d !== null && first !== undefined && ((first.dsts[0] as Operand).sub ^ d.sub) === 1) {
      pairs.set(first, inst);
      waiting.delete(key(d, 0));
      continue;
    }
    for (const o of [...inst.dsts, ...inst.srcs.map((s) => indexOf(s) ?? s)])
      if (isReg(o)) for (let k = 0; k < o.width; k++) waiting.delete(key(o, k));
    if (d !== null) waiting.set(key(d, 0), inst);
  }
  return pairs;
}

/** Parts of wide registers that hold 0 at a point of a block. */
class Zeros {
  private readonly parts = new Set<number>();

  has(o: Operand): boolean {
    return isReg(o) && o.file === File.R && o.width === 1 && o.mods === 0 && this.parts.has(keyOf(o, 0));
  }

  /** The instruction was passed; `zero` is what it sets to zero. */
  note(inst: Inst, zero: Operand | null): void {
    if (this.parts.size > 0)
      for (const d of inst.dsts)
        if (isReg(d) && d.file === File.R) for (let k = 0; k < d.width; k++) this.parts.delete(keyOf(d, k));
    if (zero !== null) this.parts.add(keyOf(zero, 0));
  }
}

/** A value has at most 256 parts. */
function keyOf(o: Operand, k: number): number {
  return o.id * 256 + o.sub + k;
}

/** What the instruction sets to zero, a part of a wide register; null: nothing. */
function zeroed(func: Func, inst: Inst, zeros: Zeros): Operand | null {
  if (!isWholeMove(inst) || inst.guard !== null) return null;
  const [d, from] = [inst.dsts[0], inst.srcs[0]] as [Operand, Operand];
  const zero = isZeroReg(from) || (from.kind === Kind.Imm && from.value === 0) || zeros.has(from);
  const fits = isReg(d) && d.file === File.R && d.width === 1;
  return zero && fits && (d.sub | 1) < func.values.width(d.id) ? d : null;
}
