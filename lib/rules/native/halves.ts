/**
 * Halves of a word where they lie: what reads 16 bits takes them from either half, and two numbers that are rounded to 16 bits and put
 * together are rounded together. Exact.
 *
 *     PRMT %R4, %R2, 0x7732, RZ                                F2F.F16.F32 %R4, %R2; F2F.F16.F32 %R5, %R3
 *     HADD2.F32 %R5, -RZ, %R4.H0_H0                            PRMT %R6, %R4, 0x5410, %R5
 *     → HADD2.F32 %R5, -RZ, %R2.H1_H1                          → F2FP.F16.F32.PACK_AB %R6, %R3, %R2
 */
import { tryForm } from "../../isa/form.js";
import { clone, isZeroReg } from "../../ori/operand.js";
import { Kind, type Operand } from "../../ori/types.js";
import { type Apply, type CombineRule, type Combining, plainReg } from "../combining.js";

const joins = ["AND", "OR", "XOR"];
const relations = ["LT", "LE", "GT", "GE", "EQ", "NE", "LTU", "LEU", "GTU", "GEU", "EQU", "NEU", "NUM", "NAN"];
const suffixes = ["", ".FTZ", ".SAT", ".FTZ.SAT"];
/** Instructions whose operands name a half; some of the names no SM has. */
const readers: readonly string[] = [
  ...["HADD2", "HADD2.F32", "HMUL2", "HFMA2", "HFMA2.MMA"].flatMap((op) => suffixes.map((s) => op + s)),
  ...["HMNMX2", "HMNMX2.NAN"],
  ...["HSETP2", "HSETP2.FTZ"].flatMap((op) => relations.flatMap((r) => joins.map((j) => `${op}.${r}.${j}`))),
];

/** The half of a word that an instruction leaves in the half of its result: which operand, lower (0) or upper (1); null: no such half. */
function origin(c: Combining, o: Operand, at: number, half: 0 | 1): { from: Operand; half: 0 | 1 } | null {
  const inner = c.inner(o, at, ["PRMT", "LOP3.LUT", "SHF.R.U32.HI"]);
  if (inner === null) return null;
  const [a, b, d] = inner.srcs as [Operand, Operand, Operand];
  if (inner.form.op === "SHF") return half === 0 && c.literal(b) === 16 && plainReg(d) ? { from: d, half: 1 } : null;
  if (inner.form.op === "LOP3") {
    const table = inner.srcs[3] as Operand;
    const and = table.kind === Kind.Imm && table.value === 0xc0;
    return half === 0 && and && plainReg(a) && ((c.literal(b) ?? 0) & 0xffff) === 0xffff ? { from: a, half: 0 } : null;
  }
  const selector = c.literal(b);
  if (selector === null) return null;
  const bytes = (selector >>> (8 * half)) & 0xff;
  const which = [0x10, 0x32, 0x54, 0x76].indexOf(bytes);
  const from = which < 2 ? a : d;
  return which < 0 || !plainReg(from) ? null : { from, half: (which & 1) as 0 | 1 };
}

/** What chose a half is read where it chose it from. */
const halfInPlace: Apply = (c, root, at) => {
  for (const [k, o] of root.srcs.entries()) {
    const half = [".H0_H0", ".H1_H1"].indexOf(o.part);
    if (half < 0) continue;
    const whole = { ...clone(o), part: "", mods: 0 };
    const found = plainReg(whole) ? origin(c, whole, at, half as 0 | 1) : null;
    if (found === null) continue;
    const read = { ...clone(found.from), part: found.half === 0 ? ".H0_H0" : ".H1_H1", mods: o.mods };
    if (
      c.write(
        at,
        root.form,
        root.dsts,
        root.srcs.map((s, n) => (n === k ? read : s)),
      )
    )
      return true;
  }
  return false;
};

const roundings: readonly string[] = ["F2F.F16.F32", "F2F.F16.F32.RZ", "F2F.BF16.F32", "F2F.BF16.F32.RZ"];

/** The same once they are F2FP (`half-of-float`): the number is the second source, zero beside it. */
const packed: readonly string[] = ["F16.F32.", "BF16.F32.", "", "BF16."].flatMap((types) => [
  `F2FP.${types}PACK_AB`,
  `F2FP.${types}PACK_AB.RZ`,
]);

/** Two roundings and a PRMT. */
const roundedTogether: Apply = (c, root, at) => {
  const [low, selector, high] = root.srcs as [Operand, Operand, Operand];
  if (root.form.name !== "PRMT" || c.literal(selector) !== 0x5410 || !plainReg(low) || !plainReg(high)) return false;
  const both = [...roundings, ...packed];
  const [a, b] = [c.inner(low, at, both), c.inner(high, at, both)];
  if (a === null || b === null || a.form !== b.form) return false;
  if (a.form.op === "F2FP") {
    const [x, y] = [a.srcs[1] as Operand, b.srcs[1] as Operand];
    return [a, b].every((i) => isZeroReg(i.srcs[0] as Operand)) && c.write(at, a.form, root.dsts, [y, x]);
  }
  const [, to, , rounding] = a.form.name.split(".") as [string, string, string, string?];
  const mode = rounding === undefined ? "" : `.${rounding}`;
  for (const name of [`F2FP.${to}.F32.PACK_AB${mode}`, ...(to === "F16" ? [`F2FP.PACK_AB${mode}`] : [])]) {
    const form = tryForm(name);
    if (form !== null && c.write(at, form, root.dsts, [b.srcs[0] as Operand, a.srcs[0] as Operand])) return true;
  }
  return false;
};

export const halfRules: readonly CombineRule[] = [
  { name: "half-in-place", roots: readers, inner: ["PRMT", "LOP3.LUT", "SHF.R.U32.HI"], apply: halfInPlace },
  { name: "rounded-together", roots: ["PRMT"], inner: [...roundings, ...packed], apply: roundedTogether },
];
