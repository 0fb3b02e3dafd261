/** Constants: operations whose operands are literals, and carries that are none. Exact. */
import { form } from "../../isa/form.js";
import { imm, isZeroReg, notPT, PT } from "../../ori/operand.js";
import { slotDefault } from "../../ori/slots.js";
import { File, type Inst, Mod, type Operand } from "../../ori/types.js";
import { type Apply, type CombineRule, type Combining, carries, unused } from "../combining.js";
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
  { name: "fold-compare", roots: integerCompares, apply: foldCompare },
  { name: "no-carry", roots: ["IADD3.X"], apply: noCarry },
  { name: "unread-carry", roots: ["IADD3"], apply: unreadCarry },
];
