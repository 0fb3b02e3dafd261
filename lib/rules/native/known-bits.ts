/** Values and comparisons that follow from bits that are known, and operations that change no bit. Exact. */
import { form } from "../../isa/form.js";
import { imm, isReg, isZeroReg, notPT, PT } from "../../ori/operand.js";
import { slotDefault } from "../../ori/slots.js";
import { Kind, type Operand } from "../../ori/types.js";
import { type Apply, type CombineRule, type Combining, plainReg, unused } from "../combining.js";
import { comparisons } from "../evaluate.js";
import { type KnownBits, knownBits, knownOf, logic, rowMay, signBits } from "../known-bits.js";
import { integerCompares } from "./constants.js";

const ALL = 0xffffffff;

function become(c: Combining, at: number, d: Operand, from: Operand): boolean {
  const mov = form("MOV");
  return c.write(at, mov, [d], [from, ...mov.srcs.slice(1).map(slotDefault)]);
}

/** A truth table over inputs of which bits are known: it is a literal, or one of them as it is. */
const knownLogic: Apply = (c, root, at) => {
  const [pout, d] = root.dsts as [Operand, Operand];
  const lut = root.srcs[3] as Operand;
  if (!unused(pout) || !unused(root.srcs[4]) || unused(d) || lut.kind !== Kind.Imm) return false;
  const ops = root.srcs.slice(0, 3);
  const ins = ops.map((o) => knownBits(c, o));
  if (ins.every((k) => (k.zeros | k.ones) === 0)) return false;
  const out = logic(lut.value, ins);
  if ((out.zeros | out.ones) >>> 0 === ALL) return become(c, at, d, imm(out.ones));
  const same = ops.findIndex((o, k) => plainReg(o) && !isZeroReg(o) && isInput(lut.value, ins, k));
  return same >= 0 && become(c, at, d, ops[same]!);
};

/** In every combination that may stand at some bit the result is this input. */
function isInput(lut: number, ins: readonly KnownBits[], k: number): boolean {
  for (let row = 0; row < 8; row++)
    if (((lut >> row) & 1) !== ((row >> (2 - k)) & 1) && rowMay(row, ins) !== 0) return false;
  return true;
}

/** A shift of which all bits are known. */
const knownShift: Apply = (c, root, at) => {
  const d = root.dsts[0] as Operand;
  if (!isReg(d) || root.dsts.slice(1).some((o) => !unused(o))) return false;
  const x = root.srcs[root.form.name === "SHF.L.U32" ? 0 : 2] as Operand;
  if (isZeroReg(x)) return false;
  const out = knownOf(c, root);
  return (out.zeros | out.ones) >>> 0 === ALL && become(c, at, d, imm(out.ones));
};

/** The sign of a field is spread already, or the bits above it are 0. */
const fieldWithoutEffect: Apply = (c, root, at) => {
  const [x, n] = root.srcs as [Operand, Operand];
  const literal = c.literal(n);
  if (literal === null || !plainReg(x)) return false;
  const d = root.dsts[0] as Operand;
  switch (root.form.name) {
    case "SGXT":
      return literal >= 1 && literal <= 32 && signBits(c, x) >= 33 - literal && become(c, at, d, x);
    case "SGXT.U32":
      return literal <= 31 && (knownBits(c, x).zeros | ((1 << literal) - 1)) >>> 0 === ALL && become(c, at, d, x);
    default: {
      if (!isZeroReg(root.srcs[2] as Operand)) return false;
      const field = literal === 0x8880 ? 8 : literal === 0x9910 ? 16 : 0;
      return field > 0 && signBits(c, x) >= 33 - field && become(c, at, d, x);
    }
  }
};

/** The least and the largest value, as numbers. */
function range(k: KnownBits, signed: boolean): readonly [number, number] {
  if (!signed) return [k.ones, ~k.zeros >>> 0];
  const sign = 0x80000000;
  const least = (k.zeros & sign) !== 0 ? k.ones : (k.ones | sign) >>> 0;
  const most = (k.ones & sign) !== 0 ? ~k.zeros : ~k.zeros & ~sign;
  return [least | 0, most | 0];
}

/** 1: it holds always, 0: never; null: it is not known. */
function decided(word: string, a: KnownBits, b: KnownBits, signed: boolean): 0 | 1 | null {
  if (word === "EQ" || word === "NE")
    return ((a.zeros & b.ones) | (a.ones & b.zeros)) === 0 ? null : word === "NE" ? 1 : 0;
  const [[a0, a1], [b0, b1]] = [range(a, signed), range(b, signed)];
  const holds = comparisons[word]!.holds;
  // The relation is monotone: what holds for the extremes holds for all.
  const less = word === "LT" || word === "LE";
  if (less ? holds(a1, b0) : holds(a0, b1)) return 1;
  return (less ? holds(a0, b1) : holds(a1, b0)) ? null : 0;
}

const knownCompare: Apply = (c, root, at) => {
  const [p, q] = root.dsts as [Operand, Operand];
  const [a, b, pin] = root.srcs as [Operand, Operand, Operand];
  const { mods } = root.form;
  if (!unused(q) || !isZeroReg(pin) || pin.mods !== 0 || mods.includes("EX") || !mods.includes("AND")) return false;
  const known = [a, b].map((o) => knownBits(c, o)) as [KnownBits, KnownBits];
  if (known.every((k) => (k.zeros | k.ones) === 0)) return false;
  const answer = decided(mods[0]!, known[0], known[1], !mods.includes("U32"));
  if (answer === null) return false;
  return c.write(at, form("PLOP3.LUT"), [p, PT()], [PT(), PT(), answer === 1 ? PT() : notPT(), imm(0x80), imm(0)]);
};

/** Forms that tell of bits of their result; loads of bytes and halves in their common forms. */
const telling: readonly string[] = [
  ...["LOP3.LUT", "SHF.L.U32", "SHF.R.U32.HI", "SHF.R.S32.HI", "SEL", "POPC", "PRMT", "SGXT", "SGXT.U32"],
  ...["IMNMX.U32", "VIMNMX.U32"],
  ...["LDS", "LDS.U", "LDL", "LDC"].flatMap((op) => ["U8", "U16"].map((type) => `${op}.${type}`)),
  ...["LDG.E", "LD.E"].flatMap((op) =>
    ["U8", "U16"].flatMap((type) => ["", ".SYS", ".CONSTANT", ".CONSTANT.SYS"].map((how) => `${op}.${type}${how}`)),
  ),
];

export const knownBitRules: readonly CombineRule[] = [
  { name: "known-logic", roots: ["LOP3.LUT"], inner: telling, apply: knownLogic },
  { name: "known-shift", roots: ["SHF.L.U32", "SHF.R.U32.HI", "SHF.R.S32.HI"], inner: telling, apply: knownShift },
  {
    name: "field-without-effect-known",
    roots: ["SGXT", "SGXT.U32", "PRMT"],
    inner: telling,
    apply: fieldWithoutEffect,
  },
];

/** Tried before a comparison becomes part of what it compares. */
export const knownCompareRules: readonly CombineRule[] = [
  { name: "known-compare", roots: integerCompares, inner: [...telling, "IADD3"], apply: knownCompare },
];
