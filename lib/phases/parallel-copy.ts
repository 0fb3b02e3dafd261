/**
 * Parallel copies in sequence. All sources are read before any destination is written; one after another that holds
 * when no copy overwrites what a later one still reads. So: emit every copy whose destination nobody waits for, which
 * may free others; when only cycles are left, save one destination in a temporary and let its readers use that.
 *
 *     (a, b, c) = (b, c, a)     →     t = a; a = b; b = c; c = t
 *
 * Copies are single register units (one R, UR, P or UP); wide values are copied unit by unit.
 */

import { InternalError } from "../errors.js";
import { form } from "../isa/form.js";
import { newInst } from "../ori/func.js";
import { clone, imm, isReg, PT, register, sameOperand, UPT } from "../ori/operand.js";
import { slotDefault } from "../ori/slots.js";
import { File, type Func, type Inst, type Operand } from "../ori/types.js";

export interface Copy {
  /** One unit of a virtual register. */
  readonly dst: Operand;
  /** Register unit of the same file, or a constant, immediate, RZ, PT …. */
  readonly src: Operand;
}

/** An instruction that copies one unit. */
export function copyUnit(func: Func, dst: Operand, src: Operand): Inst {
  switch (dst.file) {
    case File.R:
      return moving(func, "MOV", dst, src);
    case File.UR:
      return moving(func, "UMOV", dst, src);
    case File.P:
      return newInst(func, form("PLOP3.LUT"), [dst, PT()], [src, PT(), PT(), imm(0x80), imm(0)]);
    case File.UP:
      return newInst(func, form("UPLOP3.LUT"), [dst, UPT()], [src, UPT(), UPT(), imm(0x80), imm(0)]);
    default:
      throw new InternalError("registers of this file cannot be copied", { func: func.name });
  }
}

function moving(func: Func, name: string, dst: Operand, src: Operand): Inst {
  const f = form(name);
  return newInst(func, f, [dst], [src, ...f.srcs.slice(1).map(slotDefault)]);
}

const sameUnit = (a: Operand, b: Operand): boolean =>
  isReg(a) && isReg(b) && a.file === b.file && a.id === b.id && a.sub === b.sub;

/** The copies as instructions in a right order. Destinations must differ. */
export function sequentialize(func: Func, copies: readonly Copy[]): Inst[] {
  let pending = copies.filter((c) => !sameUnit(c.dst, c.src) || !sameOperand(c.dst, c.src));
  const out: Inst[] = [];
  while (pending.length > 0) {
    const ready = pending.find((c) => !pending.some((o) => o !== c && sameUnit(o.src, c.dst)));
    if (ready !== undefined) {
      out.push(copyUnit(func, clone(ready.dst), clone(ready.src)));
      pending = pending.filter((c) => c !== ready);
    } else pending = breakCycle(func, pending, out);
  }
  return out;
}

/** Saves the destination of the first copy; whoever reads it reads the temporary instead. */
function breakCycle(func: Func, pending: readonly Copy[], out: Inst[]): Copy[] {
  const { dst } = pending[0] as Copy;
  const t = register(dst.file, func.values.add(dst.file));
  out.push(copyUnit(func, clone(t), clone(dst)));
  return pending.map((c) => {
    if (!sameUnit(c.src, dst)) return c;
    const src = clone(t);
    src.mods = c.src.mods;
    return { dst: c.dst, src };
  });
}
