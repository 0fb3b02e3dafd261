/**
 * Video instructions: bytes, halves or words of the sources, an operation that cannot overflow, saturation, and a second operation with a
 * third operand or a merge into it (PTX ISA §9.7.18). The machine has next to none of them any more; scalar ones are done in 64
 * bits here, those on several lanes in 32 bits, where all of it is exact.
 */
import { imm, lo, neg, not, RZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Operand as PtxOperand } from "../ptx/ast.js";
import type { Context } from "./context.js";
import { upperWord } from "./extend.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { minMax32 } from "./integer.js";
import type { Modifiers } from "./modifiers.js";
import { Refusal } from "./refusal.js";
import { U32 } from "./types.js";
import * as wide from "./wide.js";

const comparisons = ["eq", "ne", "lt", "le", "gt", "ge"] as const;

/** An operand without its selector, and the selector ("" for none). */
function split(c: Context, o: PtxOperand): { value: Operand; selector: string } {
  if (o.kind !== "name") return { value: c.materialize(c.read(o, U32)), selector: "" };
  return { value: c.materialize(c.read({ ...o, component: null }, U32)), selector: o.component ?? "" };
}

function target(o: PtxOperand): { plain: PtxOperand; selector: string } {
  if (o.kind !== "name") return { plain: o, selector: "" };
  return { plain: { ...o, component: null }, selector: o.component ?? "" };
}

/** Lowest bit and width that a selector means. */
function field(selector: string): { shift: number; bits: number } {
  if (selector === "") return { shift: 0, bits: 32 };
  if (/^b[0-3]$/.test(selector)) return { shift: 8 * Number(selector[1]), bits: 8 };
  if (/^h[01]$/.test(selector)) return { shift: 16 * Number(selector[1]), bits: 16 };
  throw new Refusal();
}

/** The byte or half of a word, extended to 32 bits. */
function selected(c: Context, x: Operand, selector: string, signed: boolean): Operand {
  const { shift, bits } = field(selector);
  if (bits === 32) return x;
  const first = shift / 8;
  const top = bits === 8 ? first : first + 1;
  // Bytes above are the sign (bit 3 of a selector), or byte 4, which is of RZ.
  const above = signed ? top | 8 : 4;
  const bytes = bits === 8 ? [first, above, above, above] : [first, top, above, above];
  return c.op("PRMT", [x, imm(bytes.reduce((sum, b, k) => sum | (b << (4 * k)), 0)), RZ()]);
}

const isSigned = (m: Modifiers): boolean => m.need(["u32", "s32"]) === "s32";

function extended(c: Context, x: Operand, signed: boolean): wide.Words {
  return [x, upperWord(c, x, signed)];
}

function choose(c: Context, cmp: string, x: wide.Words, y: wide.Words): wide.Words {
  const d = c.words(c.temp(2));
  wide.select64(c, d, x, y, wide.compare64(c, cmp, true, x, y));
  return d;
}

function sum(c: Context, x: wide.Words, y: wide.Words, subtract: boolean): wide.Words {
  const d = c.words(c.temp(2));
  if (subtract) wide.sub64(c, d, x, y);
  else wide.add64(c, d, x, y);
  return d;
}

type Scalar = "add" | "sub" | "absdiff" | "min" | "max" | "shl" | "shr";

function operate(c: Context, op: Scalar, x: wide.Words, y: wide.Words): wide.Words {
  switch (op) {
    case "add":
    case "sub":
      return sum(c, x, y, op === "sub");
    case "absdiff":
      return sum(c, choose(c, "GT", x, y), choose(c, "LT", x, y), true);
    case "min":
      return choose(c, "LT", x, y);
    case "max":
      return choose(c, "GT", x, y);
    case "shl":
      return wide.shl64(c, x, y[0]);
    case "shr":
      return wide.shr64(c, x, y[0], true);
  }
}

/** Into the range of 32 bits. */
function clamped(c: Context, x: wide.Words, signed: boolean): wide.Words {
  const most: wide.Words = [c.op("MOV", [imm(signed ? 0x7fffffff : 0xffffffff)]), RZ()];
  const least: wide.Words = signed ? [c.op("MOV", [imm(-0x80000000)]), c.op("MOV", [imm(-1)])] : [RZ(), RZ()];
  return choose(c, "LT", choose(c, "GT", x, least), most);
}

/** What stands in a place of c, or the result itself. */
function merged(c: Context, selector: string, x: Operand, third: Operand | null): Operand {
  if (selector === "") return x;
  if (third === null) throw new Refusal();
  const { shift, bits } = field(selector);
  const first = shift / 8;
  const byte = (k: number): number => (k >= first && k < first + bits / 8 ? 4 + k - first : k);
  const bytes = [0, 1, 2, 3].reduce((total, k) => total | (byte(k) << (4 * k)), 0);
  return c.op("PRMT", [third, imm(bytes), x]);
}

function scalar(op: Scalar): Lowering {
  return (c, i, m) => {
    const ops = operands(i, 3, 4);
    const [signedD, signedA] = [isSigned(m), isSigned(m)];
    const shifts = op === "shl" || op === "shr";
    const signedB = isSigned(m);
    if (shifts && signedB) throw new Refusal();
    const sat = m.flag("sat");
    const mode = shifts ? m.need(["clamp", "wrap"]) : null;
    const accumulate = m.flag("add");
    const { plain, selector } = target(at(ops, 0));
    // Here ptxas's code does not do what the manual says: narrow results, left shifts, differences beyond 32 bits.
    const doubtful = selector !== "" || op === "shl" || (op === "absdiff" && !signedD && signedA !== signedB);
    if (sat && doubtful) throw new Refusal();
    const [a, b] = [split(c, at(ops, 1)), split(c, at(ops, 2))];
    const third = ops.length === 4 ? split(c, at(ops, 3)).value : null;
    const x = extended(c, selected(c, a.value, a.selector, signedA), signedA);
    let y = extended(c, selected(c, b.value, b.selector, signedB), signedB);
    if (mode === "wrap") y = [c.op("LOP3.LUT", [y[0], imm(31), RZ(), imm(0xc0)]), RZ()];
    if (mode === "clamp") {
      const n = c.temp();
      minMax32(c, n, y[0], imm(32), false, false);
      y = [n, RZ()];
    }
    let t = operate(c, op, x, y);
    if (sat) t = clamped(c, t, signedD);
    const d = (): Operand => c.out(plain, U32);
    c.settle(d(), accumulate ? plus(c, t[0], third) : merged(c, selector, t[0], third));
  };
}

/** The result with the third operand. Of .min and .max ptxas makes what the manual does not say: they are refused. */
function plus(c: Context, x: Operand, third: Operand | null): Operand {
  if (third === null) throw new Refusal();
  return c.op("IADD3", [x, third, RZ()]);
}

/**
 * a·b + c, with the product or c negated, one more, shifted right, clamped. Shifted or clamped it is done in 64 bits for signed sources
 * only: of the others ptxas's code takes signed products of unsigned numbers, which the manual does not say.
 */
const vmad: Lowering = (c, i, m) => {
  const ops = operands(i, 4);
  isSigned(m);
  const [signedA, signedB] = [isSigned(m), isSigned(m)];
  const plusOne = m.flag("po");
  const sat = m.flag("sat");
  const scale = m.oneOf(["shr7", "shr15"]);
  const negated = ops.slice(1).map((o) => o.kind === "neg");
  const [a, b, third] = ops.slice(1).map((o) => split(c, o.kind === "neg" ? o.operand : o));
  if (a === undefined || b === undefined || third === undefined || third.selector !== "") throw new Refusal();
  const [x, y] = [selected(c, a.value, a.selector, signedA), selected(c, b.value, b.selector, signedB)];
  const less = negated[0] !== negated[1];
  const d = (): Operand => c.out(at(ops, 0), U32);
  if (!sat && scale === null) {
    const product = c.op("IMAD", [x, y, RZ()]);
    const value = third.value;
    // Of two negations that of the product counts.
    const terms = [less ? neg(product) : product, negated[2] === true && !less ? neg(value) : value, RZ()];
    const sumOf = c.op("IADD3", terms);
    c.settle(d(), plusOne ? c.op("IADD3", [sumOf, imm(1), RZ()]) : sumOf);
    return;
  }
  if (!signedA || !signedB || less || negated[2] === true) throw new Refusal();
  let t = sum(c, c.words(c.op("IMAD.WIDE", [x, y, RZ(2)], 2)), extended(c, third.value, true), false);
  if (plusOne) t = sum(c, t, [c.op("MOV", [imm(1)]), RZ()], false);
  if (scale !== null) t = wide.shr64(c, t, imm(Number(scale.slice(3))), true);
  if (sat) t = clamped(c, t, true);
  c.settle(d(), t[0]);
};

/** Comparison of extended numbers as 1 or 0. */
const vset: Lowering = (c, i, m) => {
  const ops = operands(i, 3, 4);
  const [signedA, signedB] = [isSigned(m), isSigned(m)];
  const cmp = m.need(comparisons).toUpperCase();
  const accumulate = m.flag("add");
  const { plain, selector } = target(at(ops, 0));
  const [a, b] = [split(c, at(ops, 1)), split(c, at(ops, 2))];
  const third = ops.length === 4 ? split(c, at(ops, 3)).value : null;
  const x = extended(c, selected(c, a.value, a.selector, signedA), signedA);
  const y = extended(c, selected(c, b.value, b.selector, signedB), signedB);
  const p = wide.compare64(c, cmp, true, x, y);
  const t = c.op("SEL", [RZ(), imm(1), not(p)]);
  const result = accumulate ? plus(c, t, third) : merged(c, selector, t, third);
  c.settle(c.out(plain, U32), result);
};

// ------------------------------------------------------------------------------------------------ several lanes

type Lanewise = "add" | "sub" | "avrg" | "absdiff" | "min" | "max" | "set";

/** Elements that a selector of lanes names, the lowest first; 0 to 7 (bytes) or 0 to 3 (halves) of b:a. */
function chosen(selector: string, lanes: number, otherwise: readonly number[]): readonly number[] {
  if (selector === "") return otherwise;
  const digits = selector.slice(1);
  if (selector[0] !== (lanes === 4 ? "b" : "h") || digits.length !== lanes || /[^0-7]/.test(digits))
    throw new Refusal();
  return [...digits].reverse().map(Number);
}

/** Element n of b:a as 32 bits. */
function element(c: Context, a: Operand, b: Operand, n: number, lanes: number, signed: boolean): Operand {
  const low = lanes === 4 ? n : 2 * n;
  const top = lanes === 4 ? n : 2 * n + 1;
  if (top > 7) throw new Refusal();
  const above = top | 8;
  const bytes = lanes === 4 ? [low, above, above, above] : [low, top, above, above];
  const x = c.op("PRMT", [a, imm(bytes.reduce((all, k, at) => all | (k << (4 * at)), 0)), b]);
  return signed ? x : c.op("LOP3.LUT", [x, imm(lanes === 4 ? 0xff : 0xffff), RZ(), imm(0xc0)]);
}

function lanewise(op: Lanewise, lanes: 2 | 4): Lowering {
  return (c, i, m) => {
    const ops = operands(i, 4);
    const signedD = op === "set" ? false : isSigned(m);
    const [signedA, signedB] = [isSigned(m), isSigned(m)];
    const cmp = op === "set" ? m.need(comparisons).toUpperCase() : "";
    const sat = m.flag("sat");
    const accumulate = m.flag("add");
    const { plain, selector } = target(at(ops, 0));
    const [a, b] = [split(c, at(ops, 1)), split(c, at(ops, 2))];
    const third = split(c, at(ops, 3)).value;
    const mask = selector === "" ? [3, 2, 1, 0].slice(4 - lanes) : [...selector.slice(1)].map(Number);
    const range = Array.from({ length: lanes }, (_, k) => k);
    const fromA = chosen(a.selector, lanes, range);
    const fromB = chosen(
      b.selector,
      lanes,
      range.map((k) => k + lanes),
    );
    let d = third;
    for (const k of [...mask].sort()) {
      const x = element(c, a.value, b.value, fromA[k] as number, lanes, signedA);
      const y = element(c, a.value, b.value, fromB[k] as number, lanes, signedB);
      const t = saturated(c, laneOperation(c, op, cmp, x, y), sat, lanes, signedD);
      if (accumulate) d = c.op("IADD3", [t, d, RZ()]);
      else d = merged(c, `${lanes === 4 ? "b" : "h"}${k}`, t, d);
    }
    c.settle(c.out(plain, U32), d);
  };
}

function laneOperation(c: Context, op: Lanewise, cmp: string, x: Operand, y: Operand): Operand {
  const extremum = (max: boolean): Operand => {
    const d = c.temp();
    minMax32(c, d, x, y, true, max);
    return d;
  };
  switch (op) {
    case "add":
      return c.op("IADD3", [x, y, RZ()]);
    case "sub":
      return c.op("IADD3", [x, neg(y), RZ()]);
    case "avrg": {
      // Half the sum, rounded up unless it is negative.
      const total = c.op("IADD3", [x, y, RZ()]);
      const sign = c.op("SHF.R.S32.HI", [RZ(), imm(31), total]);
      return c.op("SHF.R.S32.HI", [RZ(), imm(1), c.op("IADD3", [c.op("IADD3", [total, imm(1), RZ()]), sign, RZ()])]);
    }
    case "absdiff":
      return c.op("IADD3", [extremum(true), neg(extremum(false)), RZ()]);
    case "min":
    case "max":
      return extremum(op === "max");
    case "set": {
      const p = c.predicate();
      c.emit(`ISETP.${cmp}.AND`, [p], [x, y]);
      return c.op("SEL", [RZ(), imm(1), not(p)]);
    }
  }
}

function saturated(c: Context, x: Operand, sat: boolean, lanes: number, signed: boolean): Operand {
  if (!sat) return x;
  const bits = 32 / lanes;
  const [low, high] = [c.temp(), c.temp()];
  minMax32(c, low, x, imm(signed ? 2 ** (bits - 1) - 1 : 2 ** bits - 1), true, false);
  minMax32(c, high, low, imm(signed ? -(2 ** (bits - 1)) : 0), true, true);
  return lo(high);
}

const scalars = ["add", "sub", "absdiff", "min", "max", "shl", "shr"] as const;
const lanewises = ["add", "sub", "avrg", "absdiff", "min", "max", "set"] as const;

export const videoFamily: Family = {
  ...Object.fromEntries(scalars.map((op) => [`v${op}`, scalar(op)])),
  ...Object.fromEntries(lanewises.flatMap((op) => ([2, 4] as const).map((n) => [`v${op}${n}`, lanewise(op, n)]))),
  vset,
  vmad,
};
