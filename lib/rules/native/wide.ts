/** 64-bit sums, taken apart into halves by lowering. Exact: integers modulo 2^64. */
import { unitOf } from "../../analysis/index.js";
import { isReg, register } from "../../ori/operand.js";
import { slotDefault } from "../../ori/slots.js";
import { type Inst, Kind, Mod, NO_INDEX, type Operand } from "../../ori/types.js";
import { alignmentOf } from "../../ori/verify/physical.js";
import { type Apply, type CombineRule, type Combining, carries, isZero, plainReg, unused } from "../combining.js";

/** The two halves of a 64-bit sum: `IADD3 d:k, P, x, y, RZ` and `IADD3.X d:k+1, x', y', RZ, P, !PT`. */
interface WideSum {
  readonly low: Inst;
  /** Index of the lower half. */
  readonly at: number;
  readonly d: Operand;
  readonly pairs: readonly (readonly [lo: Operand, hi: Operand])[];
}

function wideSum(c: Combining, high: Inst, at: number): WideSum | null {
  const [x, y, z, ci, ci2] = high.srcs as [Operand, Operand, Operand, Operand, Operand];
  const d = high.dsts[0] as Operand;
  if (high.guard !== null || carries(high) || !isZero(z) || !unused(ci2) || !isReg(ci) || ci.mods !== 0) return null;
  if (c.defs.usesOf(ci) !== 1 || !isReg(d) || d.sub === 0) return null;
  const low = c.defs.definition(ci);
  const place = c.defs.indexOf(ci);
  if (low === null || low.guard !== null || low.form.name !== "IADD3" || !isZero(low.srcs[2] as Operand)) return null;
  if (c.defs.flat.block[place] !== c.defs.flat.block[at] || !unused(low.dsts[2])) return null;
  const to = low.dsts[0] as Operand;
  if (!isReg(to) || to.id !== d.id || to.sub !== d.sub - 1 || to.sub % alignmentOf(2) !== 0) return null;
  if (c.defs.def[unitOf(c.defs.units, to)] !== place || c.defs.def[unitOf(c.defs.units, d)] !== at) return null;
  const [p, q] = low.srcs as [Operand, Operand];
  return {
    low,
    at: place,
    d: register(to.file, to.id, 2, to.sub),
    pairs: [
      [p, x],
      [q, y],
      [p, y],
      [q, x],
    ],
  };
}

/** Two operands as one of width 2: consecutive registers that hold the same at `at` (with the signs of a difference, too), or words of a bank; null: they are not. */
function pairOf(c: Combining, lo: Operand, hi: Operand, at: number): Operand | null {
  if (lo.kind === Kind.Const && hi.kind === Kind.Const) {
    const next = lo.id === hi.id && hi.value === lo.value + 4 && lo.value % 8 === 0;
    return next && lo.index === NO_INDEX && hi.index === NO_INDEX && lo.mods === 0 && hi.mods === 0
      ? { ...lo, width: 2 }
      : null;
  }
  if (isReg(lo) && lo.mods === Mod.Neg && hi.mods === Mod.Not) {
    const o = pairOf(c, { ...lo, mods: 0 }, { ...hi, mods: 0 }, at);
    return o === null ? null : { ...o, mods: Mod.Neg };
  }
  if (!plainReg(lo) || !plainReg(hi) || lo.id !== hi.id || hi.sub !== lo.sub + 1 || lo.sub % alignmentOf(2) !== 0)
    return null;
  const o = register(lo.file, lo.id, 2, lo.sub);
  return c.stays(o, at) ? o : null;
}

/** A 64-bit sum of a product without addend is the product with it: `IMAD.WIDE d, a, b, x`. */
const addWide: Apply = (c, root, at) => {
  const sum = wideSum(c, root, at);
  if (sum === null) return false;
  const [p, q] = sum.low.srcs as [Operand, Operand];
  for (const [lo, hi] of sum.pairs) {
    const product = isReg(lo) ? pairOf(c, lo, hi, sum.at) : null;
    const other = lo === p ? q : p;
    const otherHigh = hi === root.srcs[0] ? root.srcs[1]! : root.srcs[0]!;
    const addend = pairOf(c, other, otherHigh, sum.at);
    if (product === null || product.mods !== 0 || addend === null) continue;
    const inner = c.inner(product, sum.at, ["IMAD.WIDE", "IMAD.WIDE.U32"]);
    if (inner === null || !isZero(inner.srcs[2] as Operand) || carries(inner)) continue;
    if (
      !c.write(
        sum.at,
        inner.form,
        [sum.d, ...inner.form.dsts.slice(1).map(slotDefault)],
        [inner.srcs[0]!, inner.srcs[1]!, addend],
      )
    )
      continue;
    c.drop(root);
    return true;
  }
  return false;
};

export const wideRules: readonly CombineRule[] = [
  { name: "add-wide", roots: ["IADD3.X"], inner: ["IADD3"], apply: addWide },
];
