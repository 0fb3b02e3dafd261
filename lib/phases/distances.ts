/** Addresses as a register and a distance: what phases that put distances into accesses share. */
import { isReg, isZeroReg } from "../ori/operand.js";
import { File, type Inst, Kind, type Operand } from "../ori/types.js";

/** An address as another one and a distance in bytes. */
export interface Moved {
  readonly base: Operand;
  readonly distance: number;
}

/** Distances that some access can hold, in bytes; the form decides. */
const FARTHEST = 2 ** 23;
export const fits = (distance: number): boolean => distance >= -FARTHEST && distance < FARTHEST;

/** One register and a constant of 32 bits, as a signed number. */
export interface Split {
  readonly register: Operand;
  readonly constant: number;
}

/** The one register and the constant that the first three sources add up to, as signed numbers. */
export function split(sum: Inst): Split | null {
  let register: Operand | null = null;
  let constant = 0;
  for (const o of sum.srcs.slice(0, 3)) {
    if (o.kind === Kind.Imm) constant = (constant + o.value) | 0;
    else if (isZeroReg(o)) continue;
    else if (register !== null || !isReg(o) || o.file !== File.R || o.mods !== 0 || o.part !== "") return null;
    else register = o;
  }
  const numbers = sum.srcs.slice(0, 3).filter((o) => o.kind === Kind.Imm);
  return register === null || numbers.length > 1 || sum.guard !== null ? null : { register, constant };
}
