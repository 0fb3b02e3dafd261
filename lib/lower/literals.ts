/** Literals of PTX as machine operands. */
import { imm, imm64, not, PT } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Operand as PtxOperand } from "../ptx/ast.js";
import { f32Bits, f64Bits } from "./float-bits.js";
import { Refusal } from "./refusal.js";
import { type PtxType, totalBits } from "./types.js";

/** An integer of PTX as an operand of the type, `high` set for 64 bits; of a predicate: whether it is not 0. */
export function integerLiteral(low: number, high: number, type: PtxType): Operand {
  if (type.cls === "p") return low === 0 ? not(PT()) : PT();
  if (type.cls === "f" || type.cls === "bf") throw new Refusal();
  const bits = totalBits(type);
  if (bits === 64) return imm64(low, high);
  if (bits > 64) throw new Refusal();
  if (bits === 32) return imm(low);
  const mask = 2 ** bits - 1;
  return imm(type.cls === "s" ? (low << (32 - bits)) >> (32 - bits) : low & mask);
}

/** A floating-point literal of PTX as an operand of the type. */
export function floatLiteral(o: Extract<PtxOperand, { kind: "float" }>, type: PtxType): Operand {
  const bits = totalBits(type);
  if (type.cls === "p" || type.cls === "bf" || bits < 32) throw new Refusal();
  if (bits === 64) {
    const [low, high] = o.width === 64 ? [o.lo, o.hi] : f64Bits(o.lo);
    return imm64(low, high);
  }
  return imm(o.width === 32 ? o.lo : f32Bits(o.lo, o.hi));
}
