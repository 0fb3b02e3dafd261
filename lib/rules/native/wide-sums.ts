/**
 * 64-bit sums of three, and sums of a product with a power of two that stay sums, as ptxas 13.0.88 has them at -O1 and above on SMs
 * without sums of pairs. Exact: integers modulo 2^64; which lower word stands by which upper one does not matter to a sum.
 */
import { memoryEffect, unitOf } from "../../analysis/index.js";
import { form } from "../../isa/form.js";
import { altered, imm, isReg, isZeroReg, RZ, register, sameOperand } from "../../ori/operand.js";
import { slotDefault } from "../../ori/slots.js";
import { File, type Inst, Kind, Mod, type Operand } from "../../ori/types.js";
import {
  type Apply,
  type CombineRule,
  type Combining,
  carries,
  isZero,
  orders,
  plainReg,
  unused,
} from "../combining.js";
import { type Halves, halves, pairOf } from "./wide.js";

/** Ids of the registers in which accesses find their addresses. */
const addresses = new WeakMap<Combining, ReadonlySet<number>>();

function addressesOf(c: Combining): ReadonlySet<number> {
  let found = addresses.get(c);
  if (found === undefined) {
    const ids = new Set<number>();
    for (const { form: f, srcs } of c.defs.flat.insts) {
      const base = f.memory === null ? undefined : srcs[memoryEffect(f).base];
      if (base !== undefined && isReg(base)) ids.add(base.id);
    }
    found = ids;
    addresses.set(c, found);
  }
  return found;
}

/** The two halves of the inner sum that an operand pair reads, nobody else, with the same sources at the root. */
function innerHalves(c: Combining, sum: Halves, at: number, lo: Operand, hi: Operand): Halves | null {
  const negated = lo.mods === Mod.Neg && hi.mods === Mod.Not;
  if (!isReg(lo) || !isReg(hi) || (!negated && (lo.mods !== 0 || hi.mods !== 0))) return null;
  const [low, high] = [altered(lo, { mods: 0 }), altered(hi, { mods: 0 })];
  if (!plainReg(low) || !plainReg(high) || !c.once(low) || !c.once(high)) return null;
  const x = c.inner(low, sum.at, ["IADD3"]);
  const y = c.inner(high, at, ["IADD3.X"]);
  if (x === null || y === null) return null;
  const inner = halves(c, y, c.defs.indexOf(high));
  return inner !== null && inner.low === x ? inner : null;
}

/** A term of a sum subtracted; null: a literal, whose halves belong together. */
const turned = (o: Operand, by: number): Operand | null => (isReg(o) ? altered(o, { mods: o.mods ^ by }) : null);

const writes = (
  c: Combining,
  f: Inst["form"],
  dsts: readonly Operand[],
  terms: readonly Operand[],
  rest: readonly Operand[],
) =>
  orders(terms)
    .map((t) => [...t, ...rest])
    .find((srcs) => c.encodes(f, dsts, srcs)) ?? null;

/**
 * Terms where ptxas has them: a zero first, one register between two, what is not negated between two that are. Other orders of such an instruction
 * have no known Mercury record.
 */
function inOrder(terms: readonly Operand[]): readonly Operand[] {
  const around = (is: (o: Operand) => boolean): readonly Operand[] | null => {
    const [these, others] = [terms.filter(is), terms.filter((o) => !is(o))];
    return these.length === 2 ? [these[0] as Operand, ...others, these[1] as Operand] : null;
  };
  const zero = terms.find(isZero);
  const moved = around(isZero) ?? around((o) => o.mods !== 0);
  return moved ?? (zero === undefined ? terms : [zero, ...terms.filter((o) => o !== zero)]);
}

/** `(x + y) + z` in 64 bits: `IADD3 d:k, P, Q, x, y, z` and `IADD3.X d:k+1, x', y', z', P, Q`. */
const addThree: Apply = (c, root, at) => {
  if (c.func.target.has("wholePairs")) return false;
  const sum = halves(c, root, at);
  if (sum === null) return false;
  const [p, q] = sum.low.srcs as [Operand, Operand];
  for (const [lo, hi] of sum.pairs) {
    const inner = innerHalves(c, sum, at, lo, hi);
    if (inner === null) continue;
    const above = c.made(altered(hi, { mods: 0 })) as Inst;
    const negated = lo.mods !== 0;
    const lows = inner.low.srcs.slice(0, 2).map((o) => (negated ? turned(o, Mod.Neg) : o));
    const highs = above.srcs.slice(0, 2).map((o) => (negated ? turned(o, Mod.Not) : o));
    const terms = [...lows, lo === p ? q : p];
    const upper = [...highs, hi === root.srcs[0] ? (root.srcs[1] as Operand) : (root.srcs[0] as Operand)];
    if (terms.includes(null) || upper.includes(null)) continue;
    const [low, high] = [terms as Operand[], upper as Operand[]];
    if (low.filter((o) => (o.mods & Mod.Neg) !== 0).length > 2) continue;
    // A constant goes into the offset of the access.
    if (low.some((o) => o.kind === Kind.Imm) && addressesOf(c).has((root.dsts[0] as Operand).id)) continue;
    const more = register(File.P, c.func.values.add(File.P, 1), 1);
    const lowDsts = [sum.low.dsts[0] as Operand, sum.low.dsts[1] as Operand, more];
    const lowSrcs = writes(c, sum.low.form, lowDsts, inOrder(low), sum.low.srcs.slice(3));
    const highSrcs = writes(c, root.form, root.dsts, inOrder(high), [root.srcs[3] as Operand, more]);
    if (lowSrcs === null || highSrcs === null) continue;
    c.write(sum.at, sum.low.form, lowDsts, lowSrcs);
    c.write(at, root.form, root.dsts, highSrcs);
    c.drop(inner.low);
    c.drop(above);
    return true;
  }
  return false;
};

/** A product with 2^n that does not go together with what is added to it: `LEA d:k, P, x, y, n` and `LEA.HI.X d:k+1, x, y', RZ, n, P`, with its sign `LEA.HI.X.SX32`. */
const addPower: Apply = (c, root, at) => {
  const sum = halves(c, root, at);
  if (sum === null || sum.low.said !== "own") return false;
  const [p, q] = sum.low.srcs as [Operand, Operand];
  for (const [lo, hi] of sum.pairs) {
    const product = isReg(lo) ? pairOf(c, lo, hi, sum.at) : null;
    if (product === null || product.mods !== 0 || !c.once(product)) continue;
    const inner = c.inner(product, at, ["IMAD.WIDE", "IMAD.WIDE.U32"]);
    const [x, factor, addend] = (inner?.srcs ?? []) as readonly (Operand | undefined)[];
    if (inner === null || x === undefined || factor === undefined || addend === undefined) continue;
    if (!plainReg(x) || isZeroReg(x) || factor.kind !== Kind.Imm || !isZero(addend) || carries(inner)) continue;
    const n = 31 - Math.clz32(factor.value);
    if (n < 0 || n > 30 || factor.value !== 2 ** n) continue;
    const signed = inner.form.name === "IMAD.WIDE";
    const other = lo === p ? q : p;
    const otherHigh = (hi === root.srcs[0] ? root.srcs[1] : root.srcs[0]) as Operand;
    const [low, high] = [form(n === 0 ? "IADD3" : "LEA"), form(signed ? "LEA.HI.X.SX32" : "LEA.HI.X")];
    const carry = root.srcs[3] as Operand;
    const lowDsts = [sum.low.dsts[0] as Operand, carry, ...low.dsts.slice(2).map(slotDefault)];
    const lowSrcs = n === 0 ? [x, other, ...sum.low.srcs.slice(2)] : [x, other, imm(n)];
    const highDsts = [root.dsts[0] as Operand, ...high.dsts.slice(1).map(slotDefault)];
    const highSrcs = signed ? [x, otherHigh, imm(n), carry] : [x, otherHigh, RZ(), imm(n), carry];
    if (!unused(sum.low.dsts[2]) || !c.encodes(low, lowDsts, lowSrcs) || !c.encodes(high, highDsts, highSrcs)) continue;
    return c.write(sum.at, low, lowDsts, lowSrcs) && c.write(at, high, highDsts, highSrcs);
  }
  return false;
};

/**
 * What is added to a 64-bit product of 64-bit numbers goes into its first step:
 *
 *     IMAD.WIDE.U32 p, a, b, RZ                        IMAD.WIDE.U32 t, a, b, x
 *     IADD3 h, p:1, cross, RZ {own}            →       MOV d:k, t:0
 *     IADD3 d:k, P, p:0, x:0, RZ                       IADD3 d:k+1, t:1, cross, RZ {own}
 *     IADD3.X d:k+1, h, x:1, RZ, P, !PT
 */
const addToProduct: Apply = (c, root, at) => {
  const sum = halves(c, root, at);
  if (sum === null) return false;
  const [p] = sum.low.srcs as [Operand, Operand];
  for (const [lo, hi] of sum.pairs) {
    if (!plainReg(lo) || !plainReg(hi) || !c.once(lo) || !c.once(hi)) continue;
    const product = c.inner(lo, sum.at, ["IMAD.WIDE.U32"]);
    const upper = c.inner(hi, at, ["IADD3", "IMAD"]);
    if (product === null || upper?.said !== "own" || !isZero(product.srcs[2] as Operand) || carries(product)) continue;
    const [whole] = product.dsts as [Operand];
    const place = upper.srcs.findIndex((o) => plainReg(o) && o.id === whole.id && o.sub === whole.sub + 1);
    const half = upper.srcs[place];
    if (lo.id !== whole.id || lo.sub !== whole.sub || half === undefined || !c.once(half) || carries(upper)) continue;
    const other = (lo === p ? sum.low.srcs[1] : p) as Operand;
    const otherHigh = (hi === root.srcs[0] ? root.srcs[1] : root.srcs[0]) as Operand;
    const addend = isReg(other) ? pairOf(c, other, otherHigh, sum.at) : null;
    if (addend === null) continue;
    const t = register(File.R, c.func.values.add(File.R, 2), 2);
    const dsts = [t, ...product.form.dsts.slice(1).map(slotDefault)];
    const srcs = [product.srcs[0] as Operand, product.srcs[1] as Operand, addend];
    const mov = form("MOV");
    const rest = mov.srcs.slice(1).map(slotDefault);
    const sums = upper.srcs.map((o, k) => (k === place ? register(File.R, t.id, 1, 1) : o));
    const upperDsts = [root.dsts[0] as Operand, ...upper.form.dsts.slice(1).map(slotDefault)];
    if (!c.encodes(product.form, dsts, srcs)) continue;
    c.insertBefore(sum.low, [{ form: product.form, dsts, srcs }]);
    c.write(sum.at, mov, [sum.low.dsts[0] as Operand], [register(File.R, t.id, 1, 0), ...rest]);
    c.write(at, upper.form, upperDsts, sums);
    sum.low.said = undefined;
    root.said = "own";
    return true;
  }
  return false;
};

/**
 * The upper word of a 64-bit product `a · b` where a has no upper word, and the lower word is read: `IMAD d, a:0, b:1, p:1` with `p = a:0 · b:0`.
 * Where b has none ptxas 13.0.88 keeps product and sum apart.
 */
const upperWord: Apply = (c, root, at) => {
  if (root.said !== "own" || root.form.name !== "IADD3" || carries(root)) return false;
  const [half, cross, none] = root.srcs as [Operand, Operand, Operand];
  if (!plainReg(half) || !plainReg(cross) || !isZero(none) || !c.once(cross)) return false;
  const whole = c.made(half);
  const inner = c.inner(cross, at, ["IMAD"]);
  if (whole === null || whole.form.name !== "IMAD.WIDE.U32" || inner === null || !isZero(inner.srcs[2]!)) return false;
  const low = whole.dsts[0] as Operand;
  if (half.id !== low.id || half.sub !== low.sub + 1 || c.defs.uses[unitOf(c.defs.units, low)] === 0) return false;
  if (!sameOperand(inner.srcs[0]!, whole.srcs[0]!)) return false;
  return c.write(at, inner.form, [root.dsts[0]!, ...inner.dsts.slice(1)], [inner.srcs[0]!, inner.srcs[1]!, half]);
};

export const wideSumRules: readonly CombineRule[] = [
  { name: "add-power", roots: ["IADD3.X"], inner: ["IADD3"], apply: addPower },
  { name: "upper-word", roots: ["IADD3"], apply: upperWord },
  { name: "add-to-product", roots: ["IADD3.X"], inner: ["IADD3", "IMAD"], apply: addToProduct },
  { name: "add-three", roots: ["IADD3.X"], inner: ["IADD3.X"], apply: addThree },
];
