/** Constants: operations whose operands are literals, and those that leave an operand as it is. Exact. */
import { form } from "../../isa/form.js";
import { clone, imm, isZeroReg, notPT, PT, RZ } from "../../ori/operand.js";
import { slotDefault } from "../../ori/slots.js";
import { File, type Inst, Kind, Mod, type Operand } from "../../ori/types.js";
import { type Apply, type CombineRule, type Combining, carries, isZero, plainReg, unused } from "../combining.js";
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

/** Minimum and maximum of literals. */
const foldExtremum: Apply = (c, root, at) => {
  const d = soleResult(root);
  const [x, y] = [c.literal(root.srcs[0]!), c.literal(root.srcs[1]!)];
  const pin = root.srcs[2] as Operand;
  if (d === null || x === null || y === null || !isZeroReg(pin)) return false;
  const less = root.form.mods.includes("U32") ? x < y : (x | 0) < (y | 0);
  return become(c, at, d, imm(less === ((pin.mods & Mod.Not) === 0) ? x : y));
};

/** Predicate sources hold what they hold when they are left out. */
function plainPredicates(inst: Inst): boolean {
  return inst.srcs.every((o, k) => {
    const slot = inst.form.srcs[k]!;
    return slot.file !== File.P || (isZeroReg(o) && o.mods === slotDefault(slot).mods);
  });
}

/** `x + 0`, `x · 1`, `x · 0 + y`, a shift by 0, a selection whose sides or whose predicate are constant. */
const identity: Apply = (c, root, at) => {
  const d = soleResult(root);
  if (d === null) return false;
  const [a, b, z] = root.srcs as [Operand, Operand, Operand];
  const zero = (o: Operand): boolean => c.literal(o) === 0;
  switch (root.form.name) {
    case "IADD3": {
      const terms = [a, b, z].filter((o) => !zero(o));
      return terms.length === 1 && plainReg(terms[0]!) && become(c, at, d, terms[0]!);
    }
    case "IMAD": {
      if ([a, b, z].some((o) => o.kind === Kind.Const)) return false;
      if ((zero(a) || zero(b)) && plainReg(z)) return become(c, at, d, z);
      if (zero(z) && c.literal(b) === 1 && plainReg(a)) return become(c, at, d, a);
      return zero(z) && c.literal(a) === 1 && plainReg(b) && become(c, at, d, b);
    }
    case "SHF.L.U32":
      return zero(b) && plainReg(a) && become(c, at, d, a);
    case "SHF.R.U32.HI":
    case "SHF.R.S32.HI":
    case "SHF.L.U64.HI":
      return zero(b) && plainReg(z) && become(c, at, d, z);
    case "PRMT":
      return c.literal(b) === 0x3210 && plainReg(a) && become(c, at, d, a);
    case "SEL": {
      if (isZeroReg(z)) {
        const chosen = (z.mods & Mod.Not) === 0 ? a : b;
        return (plainReg(chosen) || chosen.kind === Kind.Imm || isZero(chosen)) && become(c, at, d, clone(chosen));
      }
      const [x, y] = [c.literal(a), c.literal(b)];
      return x !== null && x === y && become(c, at, d, imm(x));
    }
    default:
      return false;
  }
};

/** `x · 2^k + y` with shifts, as ptxas has it: LEA, or SHF where nothing is added. */
const powerOfTwo: Apply = (c, root, at) => {
  const [a, b, z] = root.srcs as [Operand, Operand, Operand];
  for (const [x, factor] of [
    [a, b],
    [b, a],
  ] as const) {
    const k = c.literal(factor);
    if (k === null || k === 0 || (k & (k - 1)) !== 0 || !plainReg(x)) continue;
    const n = 31 - Math.clz32(k);
    if (c.literal(z) === 0) return c.write(at, form("SHF.L.U32"), root.dsts, [x, imm(n), RZ()]);
    if (n === 0 || !(plainReg(z) || z.kind === Kind.Imm)) return false;
    return c.write(at, form("LEA"), [root.dsts[0]!, PT()], [x, z, imm(n)]);
  }
  return false;
};

/** Two shifts of one kind by literals. */
const shiftOfShift: Apply = (c, root, at) => {
  const place = root.form.name === "SHF.L.U32" ? 0 : 2;
  const x = root.srcs[place] as Operand;
  const n = c.literal(root.srcs[1]!);
  if (n === null || !plainReg(x) || !c.once(x) || !isZero(root.srcs[2 - place]!)) return false;
  const inner = c.inner(x, at, [root.form.name]);
  const m = inner === null ? null : c.literal(inner.srcs[1]!);
  if (inner === null || m === null || m + n > 31 || !isZero(inner.srcs[2 - place]!)) return false;
  const srcs = root.srcs.slice();
  srcs[place] = inner.srcs[place]!;
  srcs[1] = imm(m + n);
  return c.write(at, root.form, root.dsts, srcs);
};

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

/** A carry that nobody reads is not made. */
const unreadCarry: Apply = (c, root, at) => {
  const out = root.dsts[1] as Operand;
  if (unused(out) || c.defs.usesOf(out) > 0) return false;
  return c.write(at, root.form, [root.dsts[0]!, PT(), ...root.dsts.slice(2)], root.srcs);
};

const folded = Object.keys(evaluations);
const shifts: readonly string[] = ["SHF.L.U32", "SHF.R.U32.HI", "SHF.R.S32.HI"];

/** Names of ISETP with a result of its own. */
export const integerCompares: readonly string[] = Object.keys(comparisons).flatMap((w) => [
  `ISETP.${w}.AND`,
  `ISETP.${w}.U32.AND`,
]);

export const constantRules: readonly CombineRule[] = [
  { name: "fold", roots: folded, apply: fold },
  { name: "fold-compare", roots: integerCompares, apply: foldCompare },
  {
    name: "identity",
    roots: ["IADD3", "IMAD", "SHF.L.U32", "SHF.R.U32.HI", "SHF.R.S32.HI", "SHF.L.U64.HI", "PRMT", "SEL"],
    apply: identity,
  },
  { name: "fold-extremum", roots: ["VIMNMX", "VIMNMX.U32", "IMNMX", "IMNMX.U32"], apply: foldExtremum },
  { name: "power-of-two", roots: ["IMAD"], apply: powerOfTwo },
  { name: "shift-of-shift", roots: shifts, inner: shifts, apply: shiftOfShift },
  { name: "no-carry", roots: ["IADD3.X"], apply: noCarry },
  { name: "unread-carry", roots: ["IADD3"], apply: unreadCarry },
];
