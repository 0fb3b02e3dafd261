/**
 * Approximations by the machine's function unit (MUFU). It flushes denormals; without .ftz inputs are scaled by powers of two around
 * it, as ptxas does (facts/ptx-to-sass): the constants are 2²⁴ and the power that undoes it.
 */
import { abs, imm, not, RZ, select } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Instruction } from "../ptx/ast.js";
import type { Context } from "./context.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import type { Modifiers } from "./modifiers.js";
import { Refusal } from "./refusal.js";
import { F32 } from "./types.js";

const SMALLEST_NORMAL = 0x00800000;
const TWO_TO_24 = 0x4b800000;
const TWO_TO_12 = 0x45800000;
const TWO_TO_MINUS_12 = 0x39800000;
const TWO_TO_126 = 0x7e800000;
const QUARTER = 0x3e800000;
const ONE = 0x3f800000;
const MINUS_24 = 0xc1c00000;
const MINUS_126 = 0xc2fc0000;
const HALF = 0x3f000000;
/** 1 / 2π. */
const TURN = 0x3e22f983;

/** p: the magnitude of x is below the normal numbers. */
function isDenormal(c: Context, x: Operand): Operand {
  const p = c.predicate();
  c.emit("FSETP.LT.AND", [p], [abs(x), imm(SMALLEST_NORMAL)]);
  return p;
}

/** x · factor where p holds. */
function scaledWhen(c: Context, p: Operand, x: Operand, factor: number): Operand {
  const scale = c.op("FSEL", [c.op("MOV", [imm(factor)]), imm(ONE), p]);
  return c.op("FMUL", [x, scale]);
}

/** f(x · 2²⁴) · undo for denormals, f(x) for others. */
function scaled(c: Context, d: Operand, form: string, x: Operand, undo: number): void {
  const p = isDenormal(c, x);
  const y = c.op(form, [scaledWhen(c, p, x, TWO_TO_24)]);
  c.emit("FMUL", [d], [y, c.op("FSEL", [c.op("MOV", [imm(undo)]), imm(ONE), p])]);
}

/** d = 1 / a. f64 takes and gives the upper word only. */
export function reciprocal(c: Context, d: Operand, a: Operand, ftz: boolean): void {
  if (d.width === 2) {
    c.move(c.word(d, 0), RZ());
    c.emit("MUFU.RCP64H", [c.word(d, 1)], [c.word(a, 1)]);
  } else if (ftz) c.emit("MUFU.RCP", [d], [a]);
  else {
    // Large numbers too: their reciprocals are denormal.
    const [small, large] = [isDenormal(c, a), c.predicate()];
    c.emit("FSETP.GT.AND", [large], [abs(a), imm(TWO_TO_126)]);
    const up = c.op("FSEL", [c.op("MOV", [imm(TWO_TO_24)]), imm(ONE), small]);
    const scale = c.op("FSEL", [up, imm(QUARTER), not(large)]);
    c.emit("FMUL", [d], [c.op("MUFU.RCP", [c.op("FMUL", [a, scale])]), scale]);
  }
}

export function reciprocalRoot(c: Context, d: Operand, a: Operand, ftz: boolean): void {
  if (d.width === 2) {
    c.move(c.word(d, 0), RZ());
    c.emit("MUFU.RSQ64H", [c.word(d, 1)], [c.word(a, 1)]);
  } else if (ftz) c.emit("MUFU.RSQ", [d], [a]);
  else scaled(c, d, "MUFU.RSQ", a, TWO_TO_12);
}

export function squareRoot(c: Context, d: Operand, a: Operand, ftz: boolean): void {
  if (ftz) c.emit("MUFU.SQRT", [d], [a]);
  else scaled(c, d, "MUFU.SQRT", a, TWO_TO_MINUS_12);
}

/** d = a · (1/b); denominators near both ends of the range are scaled together with a. */
export function approximateDivision(c: Context, d: Operand, a: Operand, b: Operand, ftz: boolean, full: boolean): void {
  if (ftz && !full) {
    c.emit("FMUL.FTZ", [d], [c.op("MUFU.RCP", [b]), a]);
    return;
  }
  const flush = ftz ? ".FTZ" : "";
  let [x, y] = [a, b];
  if (full) {
    const large = c.predicate();
    c.emit(`FSETP.GT${flush}.AND`, [large], [abs(b), imm(TWO_TO_126)]);
    const scale = c.op("FSEL", [c.op("MOV", [imm(QUARTER)]), imm(ONE), large]);
    [x, y] = [c.op(`FMUL${flush}`, [a, scale]), c.op(`FMUL${flush}`, [b, scale])];
  }
  if (!ftz) {
    const small = isDenormal(c, b);
    [x, y] = [scaledWhen(c, small, x, TWO_TO_24), scaledWhen(c, small, y, TWO_TO_24)];
  }
  c.emit(`FMUL${flush}`, [d], [x, c.op("MUFU.RCP", [y])]);
}

// ------------------------------------------------------------------------------------------------ functions

type Emit = (c: Context, d: Operand, a: Operand, ftz: boolean) => void;

function unary(emit: Emit): Lowering {
  return (c, i, m) => {
    const ops = operands(i, 2);
    m.need(["approx"]);
    const ftz = m.flag("ftz");
    if (m.type() !== F32) throw new Refusal();
    const a = c.materialize(c.read(at(ops, 1), F32));
    emit(c, c.out(at(ops, 0), F32), a, ftz);
  };
}

/** ex2 and tanh of halves; of pairs, one after the other. `.ftz` only of bf16's ex2, whose MUFU always flushes. */
function unaryHalf(c: Context, i: Instruction, m: Modifiers, name: string): void {
  const ops = operands(i, 2);
  m.need(["approx"]);
  const ftz = m.flag("ftz");
  const type = m.type();
  if (type.bits !== 16 || ftz !== (name === "EX2" && type.cls === "bf")) throw new Refusal();
  const form = `MUFU.${name}.${type.cls === "bf" ? "BF16" : "F16"}`;
  const a = c.materialize(c.read(at(ops, 1), type));
  if (type.lanes === 1) {
    c.emit(form, [c.inPlace(at(ops, 0), type)], [a]);
    return;
  }
  const low = c.op(form, [a]);
  const high = c.op(form, [select(a, ".H1")]);
  c.emit("PRMT", [c.out(at(ops, 0), type)], [low, imm(0x5410), high]);
}

function withHalves(emit: Emit, name: string): Lowering {
  const single = unary(emit);
  return (c, i, m) => {
    if (/16(x2)?$/.test(i.modifiers.at(-1) ?? "")) unaryHalf(c, i, m, name);
    else single(c, i, m);
  };
}

/** The angle in turns. */
const trigonometric = (form: string): Emit => {
  return (c, d, a) => {
    c.emit(form, [d], [c.op("FMUL.RZ", [a, imm(TURN)])]);
  };
};

/** log₂(x · 2²⁴) − 24 for denormals. */
const logarithm: Emit = (c, d, a, ftz) => {
  if (ftz) {
    c.emit("MUFU.LG2", [d], [a]);
    return;
  }
  const p = isDenormal(c, a);
  const y = c.op("MUFU.LG2", [scaledWhen(c, p, a, TWO_TO_24)]);
  const less = c.op("FADD", [y, imm(MINUS_24)]);
  c.emit("FSEL", [d], [less, y, p]);
};

/** Where the result would be denormal, the square of the power of half the exponent. */
const power: Emit = (c, d, a, ftz) => {
  if (ftz) {
    c.emit("MUFU.EX2", [d], [a]);
    return;
  }
  const p = c.predicate();
  c.emit("FSETP.LT.AND", [p], [a, imm(MINUS_126)]);
  const y = c.op("MUFU.EX2", [scaledWhen(c, p, a, HALF)]);
  const square = c.op("FMUL", [y, y]);
  c.emit("FSEL", [d], [square, y, p]);
};

const tanh: Emit = (c, d, a) => {
  c.emit("MUFU.TANH", [d], [a]);
};

export const approximateFamily: Family = {
  sin: unary(trigonometric("MUFU.SIN")),
  cos: unary(trigonometric("MUFU.COS")),
  lg2: unary(logarithm),
  ex2: withHalves(power, "EX2"),
  tanh: withHalves(tanh, "TANH"),
};
