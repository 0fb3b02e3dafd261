/** 64-bit integer arithmetic on pairs of 32-bit words: the steps that several families share. */
import { imm, neg, not, PT, RZ } from "../ori/operand.js";
import { Kind, type Operand } from "../ori/types.js";
import type { Context } from "./context.js";

/** The two words of a 64-bit value, low first. */
export type Words = readonly [Operand, Operand];

/** The words of −x for a constant x. */
function negated(x: Words): Words {
  const [low, high] = x;
  return [imm(-low.value), imm(low.value === 0 ? -high.value : ~high.value)];
}

export function isConstant(x: Words): boolean {
  return x[0].kind === Kind.Imm && x[1].kind === Kind.Imm;
}

/** d = a + b. Writes the low word first: d must not share its low register with a high word of a or b. */
export function add64(c: Context, d: Words, a: Words, b: Words, said?: "own"): void {
  const carry = c.predicate();
  const low = c.emit("IADD3", [d[0], carry], [a[0], b[0], RZ()]);
  if (said !== undefined) low.said = said;
  c.emit("IADD3.X", [d[1]], [a[1], b[1], RZ(), carry]);
}

/** d = a − b. */
export function sub64(c: Context, d: Words, a: Words, b: Words): void {
  if (isConstant(b)) {
    add64(c, d, a, negated(b));
    return;
  }
  const carry = c.predicate();
  c.emit("IADD3", [d[0], carry], [a[0], neg(b[0]), RZ()]);
  c.emit("IADD3.X", [d[1]], [a[1], not(b[1]), RZ(), carry]);
}

/** d = −a. */
export function neg64(c: Context, d: Words, a: Words): void {
  const carry = c.predicate();
  c.emit("IADD3", [d[0], carry], [neg(a[0]), RZ(), RZ()]);
  c.emit("IADD3.X", [d[1]], [not(a[1]), RZ(), RZ(), carry]);
}

/** A fresh pair a << n (n ≥ 64 gives 0). */
export function shl64(c: Context, a: Words, n: Operand): Words {
  const low = c.op("SHF.L.U32", [a[0], n, RZ()]);
  const high = c.op("SHF.L.U64.HI", [a[0], n, a[1]]);
  return [low, high];
}

/** A fresh pair a >> n, arithmetic when signed. */
export function shr64(c: Context, a: Words, n: Operand, signed: boolean): Words {
  const low = c.op(signed ? "SHF.R.S64" : "SHF.R.U64", [a[0], n, a[1]]);
  const high = c.op(signed ? "SHF.R.S32.HI" : "SHF.R.U32.HI", [RZ(), n, a[1]]);
  return [low, high];
}

/** The lower 64 bits of a · b as a fresh register pair; the upper word is a sum of its own, as in ptxas 13.0.88. */
export function mulLow64(c: Context, a: Words, b: Words): Operand {
  const product = c.op("IMAD.WIDE.U32", [a[0], b[0], RZ(2)], 2);
  const [low, high] = c.words(product);
  const cross = c.op("IMAD", [a[0], b[1], c.op("IMAD", [c.materialize(a[1]), b[0], RZ()])]);
  const d = c.temp();
  c.emit("IADD3", [d], [high, cross, RZ()]).said = "own";
  return c.pair(low, d);
}

/**
 * The upper 64 bits of the unsigned product: schoolbook on 32-bit words, the carry out of the products in the middle at bit 96
 * (ptxas 13.0.88, all levels and SMs).
 */
export function mulHigh64(c: Context, a: Words, b: Words): Words {
  const cross = c.op("IMAD.WIDE.U32", [a[1], b[0], RZ(2)], 2);
  const [mid, over] = [c.temp(2), c.predicate()];
  c.emit("IMAD.WIDE.U32", [mid, over], [a[0], b[1], cross]);
  const low = c.op("IMAD.WIDE.U32", [a[0], b[0], RZ(2)], 2);
  const carry = c.predicate();
  c.emit("IADD3", [RZ(), carry], [c.word(low, 1), c.word(mid, 0), RZ()]);
  const top = c.op("IADD3.X", [RZ(), RZ(), RZ(), over]);
  const d = c.temp(2);
  c.emit("IMAD.WIDE.U32.X", [d], [a[1], b[1], c.pair(c.word(mid, 1), top), carry]);
  return c.words(d);
}

/** The upper 64 bits of the signed product: minus b where a is negative, minus a where b is. */
export function mulHighSigned64(c: Context, a: Words, b: Words): Words {
  let d = mulHigh64(c, a, b);
  for (const [x, y] of [
    [a, b],
    [b, a],
  ] as const) {
    const sign = c.op("SHF.R.S32.HI", [RZ(), imm(31), x[1]]);
    const masked: Words = [
      c.op("LOP3.LUT", [sign, y[0], RZ(), imm(0xc0)]),
      c.op("LOP3.LUT", [sign, y[1], RZ(), imm(0xc0)]),
    ];
    const next = c.words(c.temp(2));
    sub64(c, next, d, masked);
    d = next;
  }
  return d;
}

/** A predicate: a `cmp` b, unsigned or signed, and `also`; `cmp` is a condition of ISETP. */
export function compare64(
  c: Context,
  cmp: string,
  signed: boolean,
  a: Words,
  b: Words,
  p: Operand = c.predicate(),
  also: Operand = PT(),
): Operand {
  const lower = c.predicate();
  c.emit(`ISETP.${cmp}.U32.AND`, [lower], [a[0], b[0]]);
  c.emit(`ISETP.${cmp}${signed ? "" : ".U32"}.AND.EX`, [p], [a[1], b[1], also, lower]);
  return p;
}

/** d = p ? a : b. */
export function select64(c: Context, d: Words, a: Words, b: Words, p: Operand): void {
  c.emit("SEL", [d[0]], [a[0], b[0], p]);
  c.emit("SEL", [d[1]], [a[1], b[1], p]);
}
