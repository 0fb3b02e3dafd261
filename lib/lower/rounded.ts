/**
 * f32 division, reciprocal and square root rounded to nearest: a few instructions in line, and the routine by way of f64
 * (math/float32.ts) after the function for the operands they are not right for. Instructions and gates of the in-line part are
 * those of ptxas 13.0.88 for sm_75 to sm_120 (its rcp negates the remainder with one instruction more):
 *
 *     a / b    r = MUFU.RCP(b)    e = 1 − b·r    r = r + r·e    q = a·r    e = a − b·q    q + r·e     unless FCHK(a, b)
 *     1 / a    r = MUFU.RCP(a)    e = 1 − a·r    r + r·e                                  2⁻¹²⁶ ≤ |a| < 2¹²⁶
 *     √a       r = MUFU.RSQ(a)    s = a·r        e = a − s·s    s + e·(r/2)               2⁻¹⁰¹ ≤ a < ∞
 *
 * Inside the gates no step leaves the normal numbers, so only significands matter and all of them can be tried. PTX gives
 * rcp.approx an error of one unit in the last place and rsqrt.approx one of 2⁻²²·⁹ (relative). For all significands and all
 * results of MUFU within these bounds the last steps round right, quotients for all a/b so near to the middle of two floats
 * that the error of q can matter (|a·2ᵏ − b·m| ≤ 15, m of 25 bits), but for
 *
 *     MUFU.RCP(0x3fffffff) = 0x3f000000         (0x3f000001 is the nearest)
 *     MUFU.RSQ(0x3ffc114a) = 0x3f366d09         (0x3f366d0a is the nearest)
 *     MUFU.RSQ(0x406e9372) = 0x3f049780         (0x3f049781 is the nearest)
 *
 * and their like with other exponents. ptxas's code would be wrong there too, and PTX promises IEEE 754 results: the machine does not
 * give these. What makes FCHK true is not published; ptxas's code, the same here, is right only if it holds wherever a step would
 * leave the normal numbers, and for zeros (q = a·r + 0 loses the sign of −0), infinities and NaNs.
 */
import { imm, RZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Context } from "./context.js";
import { negatedFloat } from "./float.js";
import { inlineRoutine } from "./inline.js";
import { divisionF32, squareRootF32 } from "./math/float32.js";

const ONE = 0x3f800000;
const HALF = 0x3f000000;

/** `fast`, replaced by what the routine gives where `rare` holds. */
function unless(c: Context, rare: Operand, fast: Operand, routine: string, args: readonly Operand[]): Operand {
  const [slow, join] = [c.newBlock(), c.newBlock()];
  c.branch(slow, c.when(rare));
  c.start(join);
  c.later(() => {
    c.start(slow);
    c.move(fast, inlineRoutine(c, routine, args)[0] as Operand);
    c.branch(join);
  });
  return fast;
}

/** 1 / b inside the gate, correctly rounded. */
function reciprocalStep(c: Context, b: Operand): Operand {
  const r = c.op("MUFU.RCP", [b]);
  const e = c.op("FFMA", [negatedFloat(b), r, imm(ONE)]);
  return c.op("FFMA", [r, e, r]);
}

/** a / b in a fresh register. */
export function roundedQuotient(c: Context, a: Operand, b: Operand, ftz: boolean): Operand {
  const rare = c.predicate();
  const r = reciprocalStep(c, b);
  c.emit("FCHK", [rare], [a, b]);
  const q = c.op("FFMA", [a, r, RZ()]);
  const e = c.op("FFMA", [negatedFloat(b), q, a]);
  return unless(c, rare, c.op("FFMA", [r, e, q]), divisionF32("rn", ftz), [a, b]);
}

/** 1 / a in a fresh register. The gate is on the exponent field: 1 … 252. */
export function roundedReciprocal(c: Context, a: Operand, ftz: boolean): Operand {
  const rare = c.predicate();
  const field = c.op("LOP3.LUT", [c.op("IADD3", [a, imm(0x01800000), RZ()]), imm(0x7f800000), imm(0), imm(0xc0)]);
  c.emit("ISETP.LE.U32.AND", [rare], [field, imm(0x01ffffff)]);
  return unless(c, rare, reciprocalStep(c, a), divisionF32("rn", ftz), [imm(ONE), a]);
}

/** √a in a fresh register. The gate is on the bits: 0x0d000000 … 0x7f7fffff. */
export function roundedRoot(c: Context, a: Operand, ftz: boolean): Operand {
  const rare = c.predicate();
  const offset = c.op("IADD3", [a, imm(-0x0d000000), RZ()]);
  const r = c.op("MUFU.RSQ", [a]);
  c.emit("ISETP.GT.U32.AND", [rare], [offset, imm(0x727fffff)]);
  const s = c.op("FMUL.FTZ", [a, r]);
  const half = c.op("FMUL.FTZ", [r, imm(HALF)]);
  const e = c.op("FFMA", [negatedFloat(s), s, a]);
  return unless(c, rare, c.op("FFMA", [e, half, s]), squareRootF32("rn", ftz), [a]);
}
