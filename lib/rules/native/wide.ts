/** 64-bit sums, taken apart into halves by lowering. Exact: integers modulo 2^64. */
import { unitOf } from "../../analysis/index.js";
import { form } from "../../isa/form.js";
import { imm, isReg, register } from "../../ori/operand.js";
import { slotDefault } from "../../ori/slots.js";
import { type Inst, Kind, Mod, NO_INDEX, type Operand } from "../../ori/types.js";
import { alignmentOf } from "../../ori/verify/physical.js";
import { type Apply, type CombineRule, type Combining, carries, isZero, plainReg, unused } from "../combining.js";

/** The two halves of a 64-bit sum: `IADD3 d, P, x, y, RZ` and `IADD3.X d', x', y', RZ, P, !PT`, wherever they go. */
export interface Halves {
  readonly low: Inst;
  /** Index of the lower half. */
  readonly at: number;
  readonly pairs: readonly (readonly [lo: Operand, hi: Operand])[];
}

export function halves(c: Combining, high: Inst, at: number): Halves | null {
  const [x, y, z, ci, ci2] = high.srcs as [Operand, Operand, Operand, Operand, Operand];
  if (high.guard !== null || carries(high) || !isZero(z) || !unused(ci2) || !isReg(ci) || ci.mods !== 0) return null;
  if (c.defs.usesOf(ci) !== 1 || !isReg(high.dsts[0] as Operand)) return null;
  const low = c.defs.definition(ci);
  const place = c.defs.indexOf(ci);
  if (low === null || low.guard !== null || low.form.name !== "IADD3" || !isZero(low.srcs[2] as Operand)) return null;
  if (c.defs.flat.block[place] !== c.defs.flat.block[at] || !unused(low.dsts[2])) return null;
  const [p, q] = low.srcs as [Operand, Operand];
  return {
    low,
    at: place,
    pairs: [
      [p, x],
      [q, y],
      [p, y],
      [q, x],
    ],
  };
}

/** Halves that are consecutive registers, defined here alone. */
interface WideSum extends Halves {
  readonly d: Operand;
}

function wideSum(c: Combining, high: Inst, at: number): WideSum | null {
  const sum = halves(c, high, at);
  if (sum === null) return null;
  const [to, d] = [sum.low.dsts[0] as Operand, high.dsts[0] as Operand];
  if (d.sub === 0 || !isReg(to) || to.id !== d.id || to.sub !== d.sub - 1 || to.sub % alignmentOf(2) !== 0) return null;
  if (c.defs.def[unitOf(c.defs.units, to)] !== sum.at || c.defs.def[unitOf(c.defs.units, d)] !== at) return null;
  return { ...sum, d: register(to.file, to.id, 2, to.sub) };
}

/** Two operands as one of width 2: consecutive registers that hold the same at `at` (with the signs of a difference, too), or words of a bank; null: they are not. */
export function pairOf(c: Combining, lo: Operand, hi: Operand, at: number): Operand | null {
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
  if (sum === null || sum.low.said === "own") return false;
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

/** The lower and the upper word of a 64-bit value that is shifted to the left by a literal. */
interface Shifted {
  readonly lo: Operand;
  readonly hi: Operand;
  readonly by: number;
}

function shifted(c: Combining, sum: Halves, at: number, lo: Operand, hi: Operand): Shifted | null {
  if (!plainReg(lo) || !plainReg(hi) || !c.once(lo) || !c.once(hi)) return null;
  const low = c.inner(lo, sum.at, ["SHF.L.U32"]);
  const high = c.inner(hi, at, ["SHF.L.U64.HI"]);
  if (low === null || high === null || !isZero(low.srcs[2] as Operand)) return null;
  const [x, n] = low.srcs as [Operand, Operand];
  const [y, m, above] = high.srcs as [Operand, Operand, Operand];
  if (n.kind !== Kind.Imm || m.kind !== Kind.Imm || n.value !== m.value || n.value < 1 || n.value > 31) return null;
  if (!plainReg(x) || !plainReg(y) || !plainReg(above) || x.id !== y.id || x.sub !== y.sub) return null;
  return { lo: x, hi: above, by: n.value };
}

/**
 * A 64-bit value to the left plus what comes out of it on that side is the value rotated (ptxas 13.0.88 sees it in sums, not in ORs):
 *
 *     SHF.L.U32 a, x, n, RZ;      SHF.L.U64.HI a', x, n, x'
 *     SHF.R.U64 b, x, 64 - n, x'; SHF.R.U32.HI b', RZ, 64 - n, x'     →     SHF.L.W.U32.HI d, x', n, x
 *     IADD3 d, P, a, b, RZ;       IADD3.X d', a', b', RZ, P, !PT            SHF.L.W.U32.HI d', x, n, x'
 *
 * From 32 on the halves change places and n is 32 less.
 */
const rotated: Apply = (c, root, at) => {
  const sum = halves(c, root, at);
  if (sum === null || !isReg(sum.low.dsts[0] as Operand)) return false;
  for (const [lo, hi] of sum.pairs) {
    const [low, high] = [c.inner(lo, sum.at, ["SHF.L.U32"]), c.inner(hi, at, ["SHF.L.U64.HI"])];
    const [x, n, none] = low?.srcs ?? [];
    const [y, m, above] = high?.srcs ?? [];
    if (x === undefined || y === undefined || above === undefined || !isZero(none as Operand)) continue;
    if (!isSame(x, y) || !plainReg(above) || n?.kind !== Kind.Imm || m?.kind !== Kind.Imm || n.value !== m.value)
      continue;
    const other = lo === sum.low.srcs[0] ? sum.low.srcs[1]! : sum.low.srcs[0]!;
    const otherHigh = hi === root.srcs[0] ? root.srcs[1]! : root.srcs[0]!;
    const left = 64 - n.value;
    if (left < 1 || left > 63 || left === 32) continue;
    const back = c.inner(other, sum.at, ["SHF.R.U64"])?.srcs;
    const backHigh = c.inner(otherHigh, at, ["SHF.R.U32.HI"])?.srcs;
    if (back === undefined || backHigh === undefined || !isZero(backHigh[0] as Operand)) continue;
    if (!isSame(back[0]!, x) || !isSame(back[2]!, above) || !isSame(backHigh[2]!, above)) continue;
    if (![back[1], backHigh[1]].every((o) => o?.kind === Kind.Imm && o.value === left)) continue;
    // What the lower half is made of must be there still where the upper one stands.
    if (!c.stays(x, at) || !c.stays(above, sum.at)) continue;
    const [a, b] = n.value < 32 ? [x, above] : [above, x];
    const by = imm(n.value & 31);
    const f = form("SHF.L.W.U32.HI");
    const [d, e] = [sum.low.dsts[0] as Operand, root.dsts[0] as Operand];
    if (!c.encodes(f, [d], [b, by, a]) || !c.encodes(f, [e], [a, by, b])) continue;
    return c.write(sum.at, f, [d], [b, by, a]) && c.write(at, f, [e], [a, by, b]);
  }
  return false;
};

const isSame = (a: Operand, b: Operand): boolean => plainReg(a) && plainReg(b) && a.id === b.id && a.sub === b.sub;

/** A 64-bit sum of a value that is shifted: `LEA d:k, P, x, y, n` and `LEA.HI.X d:k+1, x, y', x', n, P`. */
const addShifted: Apply = (c, root, at) => {
  const sum = halves(c, root, at);
  if (sum === null) return false;
  const [p, q] = sum.low.srcs as [Operand, Operand];
  for (const [lo, hi] of sum.pairs) {
    const value = shifted(c, sum, at, lo, hi);
    if (value === null) continue;
    const other = lo === p ? q : p;
    const otherHigh = hi === root.srcs[0] ? root.srcs[1]! : root.srcs[0]!;
    const carry = sum.low.dsts[1] as Operand;
    const n = imm(value.by);
    const [low, high] = [form("LEA"), form("LEA.HI.X")];
    const lowDsts = [sum.low.dsts[0] as Operand, carry];
    const highDsts = [root.dsts[0] as Operand, slotDefault(high.dsts[1]!)];
    const lowSrcs = [value.lo, other, n];
    const highSrcs = [value.lo, otherHigh, value.hi, n, root.srcs[3] as Operand];
    if (!c.encodes(low, lowDsts, lowSrcs) || !c.encodes(high, highDsts, highSrcs)) continue;
    return c.write(sum.at, low, lowDsts, lowSrcs) && c.write(at, high, highDsts, highSrcs);
  }
  return false;
};

/** A 64-bit sum of a number of 32 bits with its sign: `IADD3 d:k, P, x, y, RZ` and `LEA.HI.X.SX32 d:k+1, x, y', 1, P`. */
const addSigned: Apply = (c, root, at) => {
  // There the sign is the upper half of a pair, and the sum one instruction.
  if (c.func.target.has("wholePairs")) return false;
  const sum = halves(c, root, at);
  if (sum === null) return false;
  for (const [lo, hi] of sum.pairs) {
    if (!plainReg(lo) || !plainReg(hi) || !c.once(hi) || !c.stays(lo, at)) continue;
    const sign = c.inner(hi, at, ["SHF.R.S32.HI"]);
    const [, n, x] = (sign?.srcs ?? []) as readonly (Operand | undefined)[];
    if (n?.kind !== Kind.Imm || n.value !== 31 || x === undefined || !plainReg(x)) continue;
    if (x.id !== lo.id || x.sub !== lo.sub) continue;
    const otherHigh = hi === root.srcs[0] ? root.srcs[1]! : root.srcs[0]!;
    const f = form("LEA.HI.X.SX32");
    const dsts = [root.dsts[0] as Operand, slotDefault(f.dsts[1]!)];
    if (c.write(at, f, dsts, [x, otherHigh, imm(1), root.srcs[3] as Operand])) return true;
  }
  return false;
};

export const wideRules: readonly CombineRule[] = [
  { name: "rotated-by-sum", roots: ["IADD3.X"], inner: ["SHF.L.U64.HI"], apply: rotated },
  { name: "add-shifted", roots: ["IADD3.X"], inner: ["SHF.L.U64.HI"], apply: addShifted },
  { name: "add-signed", roots: ["IADD3.X"], inner: ["SHF.R.S32.HI"], apply: addSigned },
  { name: "add-wide", roots: ["IADD3.X"], inner: ["IADD3"], apply: addWide },
];
