/** Constants: operations whose operands are literals, and carries that are none. Exact. */

import { unitOf } from "../../analysis/index.js";
import { form } from "../../isa/form.js";
import { imm, isReg, isZeroReg, notPT, PT, part } from "../../ori/operand.js";
import { slotDefault } from "../../ori/slots.js";
import { File, type Inst, Kind, Mod, type Operand } from "../../ori/types.js";
import { type Apply, type CombineRule, type Combining, carries, unused } from "../combining.js";
import { bitsOf, conversions, floatOf } from "../conversions.js";
import { comparisons, evaluations } from "../evaluate.js";

/** The one result of file R of an instruction, and nothing else; null: it has others. */
function soleResult(inst: Inst): Operand | null {
  const used = inst.dsts.filter((o) => !unused(o));
  const d = used[0];
  return used.length === 1 && d !== undefined && d.file === File.R && d.width === 1 ? d : null;
}

/** The root becomes `MOV d, from`. */
function become(c: Combining, at: number, d: Operand, from: Operand): boolean {
  const mov = form("MOV");
  return c.write(at, mov, [d], [from, ...mov.srcs.slice(1).map(slotDefault)]);
}

/** All operands are literals. */
const fold: Apply = (c, root, at) => {
  const d = soleResult(root);
  const evaluate = evaluations[root.form.name];
  if (d === null || evaluate === undefined || !plainPredicates(root)) return false;
  const values: number[] = [];
  for (const [k, o] of root.srcs.entries()) {
    if (root.form.srcs[k]!.file === File.P) continue;
    const v = c.literal(o);
    if (v === null) return false;
    values.push(v);
  }
  const result = evaluate(values);
  return result !== null && become(c, at, d, imm(result));
};

/** Words of an operand without modifiers that stands for a literal of one or two registers; null: it does not. */
function literalWords(c: Combining, o: Operand, width: 1 | 2): readonly [low: number, high: number] | null {
  if (o.mods !== 0 || o.part !== "") return null;
  if (width === 2 && o.kind === Kind.Imm) return [o.value, o.high];
  if (width === 2 && (!isReg(o) || o.width !== 2)) return null;
  const [low, high] = width === 1 ? [c.literal(o), 0] : [c.literal(part(o, 0)), c.literal(part(o, 1))];
  return low === null || high === null ? null : [low, high];
}

/** `MOV d.0; MOV d.1` in place of a root that makes a pair. */
function becomePair(c: Combining, root: Inst, at: number, d: Operand, value: bigint): boolean {
  const mov = form("MOV");
  const srcs = (word: bigint): Operand[] => [imm(Number(word)), ...mov.srcs.slice(1).map(slotDefault)];
  if (!c.write(at, mov, [part(d, 1)], srcs(value >> 32n))) return false;
  c.insertBefore(root, [{ form: mov, dsts: [part(d, 0)], srcs: srcs(value & 0xffffffffn) }]);
  // What defines the lower half is known from the next run on.
  c.defs.def[unitOf(c.defs.units, d)] = -1;
  return true;
}

/** A conversion of a literal. */
const foldConversion: Apply = (c, root, at) => {
  const d = root.dsts[0];
  const conversion = conversions[root.form.name];
  const from = root.srcs[0];
  if (d === undefined || conversion === undefined || from === undefined || root.dsts.length !== 1) return false;
  if (d.file !== File.R || d.width !== conversion.to || isZeroReg(d)) return false;
  const words = literalWords(c, from, conversion.from);
  const result = words === null ? null : conversion.convert(...words);
  if (result === null) return false;
  if (conversion.to === 1) return become(c, at, d, imm(Number(result)));
  return c.defs.indexOf(d) === at && becomePair(c, root, at, d, result);
};

/** The f32 that an operand stands for, its bars and sign applied; null: no literal. */
function floatLiteral(c: Combining, o: Operand): number | null {
  const bits = c.literal({ ...o, mods: 0 });
  if (bits === null || o.part !== "") return null;
  const x = floatOf(bits);
  const magnitude = (o.mods & Mod.Abs) !== 0 ? Math.abs(x) : x;
  return (o.mods & Mod.Neg) !== 0 ? -magnitude : magnitude;
}

/** Sum or product of two literals, rounded to the nearest: that of f64 rounds to the same f32. */
const foldFloat: Apply = (c, root, at) => {
  const d = soleResult(root);
  const [x, y] = [floatLiteral(c, root.srcs[0] as Operand), floatLiteral(c, root.srcs[1] as Operand)];
  if (d === null || x === null || y === null) return false;
  const result = Math.fround(root.form.op === "FADD" ? x + y : x * y);
  return !Number.isNaN(result) && become(c, at, d, imm(Number(bitsOf(result))));
};

/** A comparison of numbers that are literals. */
const foldFloatCompare: Apply = (c, root, at) => {
  const [p, q] = root.dsts as [Operand, Operand];
  const pin = root.srcs[2] as Operand;
  const [x, y] = [floatLiteral(c, root.srcs[0] as Operand), floatLiteral(c, root.srcs[1] as Operand)];
  if (x === null || y === null || Number.isNaN(x) || Number.isNaN(y)) return false;
  if (!unused(q) || !isZeroReg(pin) || pin.mods !== 0) return false;
  const comparison = comparisons[(root.form.mods[0] as string).replace(/U$/, "")];
  if (comparison === undefined) return false;
  const holds = comparison.holds(x, y);
  return c.write(at, form("PLOP3.LUT"), [p, PT()], [PT(), PT(), holds ? PT() : notPT(), imm(0x80), imm(0)]);
};

/** Predicate sources hold what they hold when they are left out. */
function plainPredicates(inst: Inst): boolean {
  return inst.srcs.every((o, k) => {
    const slot = inst.form.srcs[k]!;
    return slot.file !== File.P || (isZeroReg(o) && o.mods === slotDefault(slot).mods);
  });
}

/** A comparison of literals is a constant predicate. */
const foldCompare: Apply = (c, root, at) => {
  const [p, q] = root.dsts as [Operand, Operand];
  const [a, b, pin] = root.srcs as [Operand, Operand, Operand];
  const word = root.form.mods[0] ?? "";
  const comparison = comparisons[word];
  const [x, y] = [c.literal(a), c.literal(b)];
  if (comparison === undefined || x === null || y === null || !unused(q)) return false;
  if (!isZeroReg(pin) || pin.mods !== 0 || root.form.mods.includes("EX") || !root.form.mods.includes("AND"))
    return false;
  const signed = !root.form.mods.includes("U32");
  const holds = signed ? comparison.holds(x | 0, y | 0) : comparison.holds(x, y);
  return c.write(at, form("PLOP3.LUT"), [p, PT()], [PT(), PT(), holds ? PT() : notPT(), imm(0x80), imm(0)]);
};

/** The carry out of a sum with one term is none: the upper half is a sum of its own. A difference has one, also from zero. */
const noCarry: Apply = (c, root, at) => {
  const [a, b, z, ci, ci2] = root.srcs as [Operand, Operand, Operand, Operand, Operand];
  if (!isZeroReg(ci2) || (ci2.mods & Mod.Not) === 0) return false;
  if (!isZeroReg(ci)) {
    const low = c.defs.definition(ci);
    if (low === null || low.guard !== null || low.form.name !== "IADD3" || (ci.mods & Mod.Not) !== 0) return false;
    const out = low.dsts[1] as Operand;
    if (out.id !== ci.id || !unused(low.dsts[2])) return false;
    const terms = low.srcs.slice(0, 3).filter((o) => o.mods !== 0 || c.literal(o) !== 0);
    if (terms.length > 1 || terms.some((o) => o.mods !== 0)) return false;
  } else if ((ci.mods & Mod.Not) === 0) return false;
  if (carries(root) || [a, b, z].some((o) => o.mods !== 0)) return false;
  return c.write(at, form("IADD3"), [root.dsts[0]!, PT(), PT()], [a, b, z]);
};

/** The carry out of a sum of literals is known: it is one more, in a literal or where a term is free; the sum is a literal where nothing else reads its carry. */
const knownCarry: Apply = (c, root, at) => {
  const [a, b, z, ci, ci2] = root.srcs as [Operand, Operand, Operand, Operand, Operand];
  if (!isZeroReg(ci2) || (ci2.mods & Mod.Not) === 0 || isZeroReg(ci) || (ci.mods & Mod.Not) !== 0) return false;
  if (carries(root) || [a, b, z].some((o) => o.mods !== 0)) return false;
  const low = c.defs.definition(ci);
  if (low === null || low.guard !== null || low.form.name !== "IADD3") return false;
  if ((low.dsts[1] as Operand).id !== ci.id || !unused(low.dsts[2])) return false;
  let sum = 0;
  for (const o of low.srcs.slice(0, 3)) {
    const value = o.mods === 0 ? c.literal(o) : null;
    if (value === null) return false;
    sum += value;
  }
  const carry = Math.floor(sum / 2 ** 32);
  const low32 = low.dsts[0] as Operand;
  const made = c.defs.indexOf(ci);
  const alone = c.defs.usesOf(ci) === 1 && isReg(low32) && low32.width === 1 && c.defs.indexOf(low32) === made;
  const done = (written: boolean): boolean => {
    if (written && alone) become(c, made, low32, imm(sum >>> 0));
    return written;
  };
  const [x, y, w] = [c.literal(a), c.literal(b), c.literal(z)];
  if (x !== null && y !== null && w !== null)
    return carry < 2 && done(become(c, at, root.dsts[0] as Operand, imm((x + y + w + carry) >>> 0)));
  const term = carry === 0 ? z : carry === 1 && w === 0 ? imm(1) : null;
  return term !== null && done(c.write(at, form("IADD3"), [root.dsts[0]!, PT(), PT()], [a, b, term]));
};

/** A wide product of literals is two literals. */
const foldWide: Apply = (c, root, at) => {
  const d = root.dsts[0] as Operand;
  const [x, y] = [c.literal(root.srcs[0] as Operand), c.literal(root.srcs[1] as Operand)];
  if (x === null || y === null || carries(root) || !isReg(d) || d.width !== 2) return false;
  if (!isZeroReg(root.srcs[2] as Operand) || c.defs.indexOf(d) !== at) return false;
  const signed = root.form.name === "IMAD.WIDE";
  const product = BigInt.asUintN(64, BigInt(signed ? x | 0 : x) * BigInt(signed ? y | 0 : y));
  return becomePair(c, root, at, d, product);
};

/** A carry that nobody reads is not made. */
const unreadCarry: Apply = (c, root, at) => {
  const out = root.dsts[1] as Operand;
  if (unused(out) || c.defs.usesOf(out) > 0) return false;
  return c.write(at, root.form, [root.dsts[0]!, PT(), ...root.dsts.slice(2)], root.srcs);
};

const folded = Object.keys(evaluations);

/** Names of ISETP with a result of its own. */
export const integerCompares: readonly string[] = Object.keys(comparisons).flatMap((w) => [
  `ISETP.${w}.AND`,
  `ISETP.${w}.U32.AND`,
]);

export const constantRules: readonly CombineRule[] = [
  { name: "fold", roots: folded, apply: fold },
  { name: "fold-conversion", roots: Object.keys(conversions), apply: foldConversion },
  { name: "fold-float", roots: ["FADD", "FMUL"], apply: foldFloat },
  {
    name: "fold-float-compare",
    roots: Object.keys(comparisons).flatMap((w) => [`FSETP.${w}.AND`, `FSETP.${w}U.AND`]),
    apply: foldFloatCompare,
  },
  { name: "fold-compare", roots: integerCompares, apply: foldCompare },
  { name: "no-carry", roots: ["IADD3.X"], apply: noCarry },
  { name: "known-carry", roots: ["IADD3.X"], apply: knownCarry },
  { name: "fold-wide", roots: ["IMAD.WIDE", "IMAD.WIDE.U32"], apply: foldWide },
  { name: "unread-carry", roots: ["IADD3"], apply: unreadCarry },
];
