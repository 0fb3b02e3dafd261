/**
 * Division, reciprocal and square root rounded to nearest. f32: a few instructions in line, and the routine by way of f64
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
 *
 * f64: the same with the upper word's MUFU, and the routine on significands (math/float64.ts) after the function; hi(x) is the upper word, read
 * as an f32 where its magnitude is compared, so that one comparison tells exponents of f64:
 *
 *     1 / a    r = MUFU.RCP64H(hi(a)), below it hi(a) + 0x300402
 *              e = 1 − a·r    e = e + e·e    r = r + r·e    e = 1 − a·r    r + r·e
 *              where |hi(a) + 0x300402| ≥ 0x00400402: neither a nor its reciprocal is near an end of the range
 *     a / b    r as above with a lower word of 1    q = a·r    e = a − b·q    q + r·e
 *              where |hi(a)| ≥ 0x03600000: e does not underflow; |0·hi(b) + hi(q + r·e)| > 0x00100000: the quotient is a normal
 *              number, and b no NaN, no infinity and not so large that its reciprocal leaves them
 *     √a       r = MUFU.RSQ64H(hi(a)), below it hi(a) − 0x03500000    e = 1 − a·r²    r = r + r·e·(1/2 + 3/8·e)
 *              s = a·r    e = a − s·s    s + e·(r/2)      where hi(a) is 0x03500000 … 0x7fefffff
 *
 * Steps, constants and gates are those of ptxas 13.0.88, the same on sm_75, 90, 100 and 120.
 */
import { abs, hi, imm, lo, RZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Context } from "./context.js";
import { negatedFloat } from "./float.js";
import { inlineRoutine } from "./inline.js";
import { divisionF32, squareRootF32 } from "./math/float32.js";
import { divisionF64, squareRootF64 } from "./math/float64.js";

const ONE = 0x3f800000;
const HALF = 0x3f000000;

/** `fast`, replaced by what the routine gives where `rare` holds, or `rare` inverted. */
function unless(
  c: Context,
  rare: Operand,
  fast: Operand,
  routine: string,
  args: readonly Operand[],
  inverted = false,
): Operand {
  const [slow, join] = [c.newBlock(), c.newBlock()];
  c.branch(slow, c.when(rare, inverted));
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

/** A number of f64 whose lower word is zero. */
const f64 = (high: number): Operand => ({ ...imm(0), width: 2, high });
const ONE_64 = 0x3ff00000;
const HALF_64 = 0x3fe00000;
const THREE_EIGHTHS_64 = 0x3fd80000;

/** 1 / b inside the gate to within a unit in the last place; `low`: the lower word of what MUFU begins with. */
function reciprocalStep64(c: Context, b: Operand, low: Operand): Operand {
  const r = c.temp(2);
  c.move(lo(r), low);
  c.emit("MUFU.RCP64H", [hi(r)], [hi(b)]);
  const e = c.op("DFMA", [negatedFloat(b), r, f64(ONE_64)], 2);
  const s = c.op("DFMA", [r, c.op("DFMA", [e, e, e], 2), r], 2);
  return c.op("DFMA", [s, c.op("DFMA", [negatedFloat(b), s, f64(ONE_64)], 2), s], 2);
}

/** a / b in a fresh pair. */
export function roundedQuotient64(c: Context, a: Operand, b: Operand): Operand {
  const [far, usual] = [c.predicate(), c.predicate()];
  const r = reciprocalStep64(c, b, imm(1));
  c.emit("FSETP.GEU.AND", [far], [abs(hi(a)), imm(0x03600000)]);
  const q = c.op("DMUL", [a, r], 2);
  const e = c.op("DFMA", [negatedFloat(b), q, a], 2);
  const fast = c.op("DFMA", [r, e, q], 2);
  c.emit("FSETP.GT.AND", [usual], [abs(c.op("FFMA", [RZ(), hi(b), hi(fast)])), imm(0x00100000), far]);
  return unless(c, usual, fast, divisionF64("rn"), [a, b], true);
}

/** 1 / a in a fresh pair. */
export function roundedReciprocal64(c: Context, a: Operand): Operand {
  const usual = c.predicate();
  const low = c.op("IADD3", [hi(a), imm(0x300402), RZ()]);
  c.emit("FSETP.GEU.AND", [usual], [abs(low), imm(0x00400402)]);
  return unless(c, usual, reciprocalStep64(c, a, low), divisionF64("rn"), [c.materialize(f64(ONE_64), 2), a], true);
}

/** √a in a fresh pair. */
export function roundedRoot64(c: Context, a: Operand): Operand {
  const rare = c.predicate();
  const r = c.temp(2);
  c.emit("MUFU.RSQ64H", [hi(r)], [hi(a)]);
  c.emit("IADD3", [lo(r)], [hi(a), imm(-0x03500000), RZ()]);
  c.emit("ISETP.GE.U32.AND", [rare], [lo(r), imm(0x7ca00000)]);
  const e = c.op("DFMA", [a, negatedFloat(c.op("DMUL", [r, r], 2)), f64(ONE_64)], 2);
  const k = c.op("DFMA", [e, c.materialize(f64(THREE_EIGHTHS_64), 2), f64(HALF_64)], 2);
  const y = c.op("DFMA", [k, c.op("DMUL", [r, e], 2), r], 2);
  const s = c.op("DMUL", [a, y], 2);
  const half = c.pair(lo(y), c.op("IADD3", [hi(y), imm(-0x00100000), RZ()]));
  const rest = c.op("DFMA", [s, negatedFloat(s), a], 2);
  return unless(c, rare, c.op("DFMA", [rest, half, s], 2), squareRootF64("rn"), [a]);
}
