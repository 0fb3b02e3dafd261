/** Bringing 8- and 16-bit values, whose upper bits mean nothing, to 32 and 64 bits. */
import { imm, RZ } from "../ori/operand.js";
import { Kind, type Operand } from "../ori/types.js";
import type { Context } from "./context.js";
import type { PtxType } from "./types.js";

/** The value of a type of at most 32 bits in a whole register, sign or zero extended. */
export function extend32(c: Context, o: Operand, type: PtxType): Operand {
  if (type.bits >= 32 || o.kind === Kind.Imm) return o;
  const signed = type.cls === "s";
  const selector = type.bits === 8 ? (signed ? 0x8880 : 0x7770) : signed ? 0x9910 : 0x7710;
  return c.op("PRMT", [o, imm(selector), RZ()]);
}

/**
 * The lower half of a word in a register of 16 bits, after what ptxas 13.0.88 computes in 32 and then brings down (conversions to s8, `neg.s16`,
 * `abs.s16`); extensions by sign read past it, nobody else.
 */
export function narrowed(c: Context, o: Operand): Operand {
  if (o.kind !== Kind.Reg) return o;
  const d = c.temp();
  c.emit("PRMT", [d], [o, imm(0x7710), RZ()]).said = "kept";
  return d;
}

/** The upper word of a 32-bit value extended to 64. */
export function upperWord(c: Context, o: Operand, signed: boolean): Operand {
  if (!signed) return RZ();
  if (o.kind === Kind.Imm) return imm(o.value >>> 31 === 0 ? 0 : 0xffffffff);
  return c.op("SHF.R.S32.HI", [RZ(), imm(31), o]);
}
