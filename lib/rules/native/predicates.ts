/** Predicates: comparisons with a predicate operand, tests for zero, selections of 0 and 1. Exact. */
import { form, tryForm } from "../../isa/form.js";
import { imm, isReg, isZeroReg, PT, RZ, sameOperand } from "../../ori/operand.js";
import { File, type Inst, Kind, Mod, type Operand, ZERO_REG } from "../../ori/types.js";
import { type Apply, type CombineRule, type Combining, plainReg, unused } from "../combining.js";
import { comparisons, floatOpposites } from "../evaluate.js";
import { integerCompares } from "./constants.js";

const isPredicate = (o: Operand): boolean => o.kind === Kind.Reg && o.file === File.P;
const negated = (o: Operand): boolean => (o.mods & Mod.Not) !== 0;

/** Words that PLOP3 may have become with two inputs x and y as they are: which of them are inverted, and what joins them. */
const joints: readonly { table: number; x: boolean; y: boolean; word: "AND" | "OR" | "XOR" }[] = [
  { table: 0b1000, x: false, y: false, word: "AND" },
  { table: 0b0100, x: false, y: true, word: "AND" },
  { table: 0b0010, x: true, y: false, word: "AND" },
  { table: 0b0001, x: true, y: true, word: "AND" },
  { table: 0b1110, x: false, y: false, word: "OR" },
  { table: 0b1101, x: false, y: true, word: "OR" },
  { table: 0b1011, x: true, y: false, word: "OR" },
  { table: 0b0111, x: true, y: true, word: "OR" },
  { table: 0b0110, x: false, y: false, word: "XOR" },
  { table: 0b1001, x: true, y: false, word: "XOR" },
];

/** The truth table of a PLOP3 over two registers x and y, bit 2x + y; null: it is none. */
function tableOf(inst: Inst, x: number, y: number): number {
  const lut = inst.srcs[3]!.value;
  let table = 0;
  for (let k = 0; k < 4; k++) {
    let index = 0;
    for (const o of inst.srcs.slice(0, 3)) {
      const value = o.id === ZERO_REG || (o.id === x && (k & 2) !== 0) || (o.id === y && (k & 1) !== 0);
      index = (index << 1) | (value !== negated(o) ? 1 : 0);
    }
    table |= ((lut >> index) & 1) << k;
  }
  return table;
}

/** The form of a comparison with another joint, and where `inverted` with the opposite comparison. */
function compareForm(inst: Inst, word: string, inverted: boolean): string | null {
  const { op, mods } = inst.form;
  const [cmp, ...rest] = mods as [string, ...string[]];
  if (!rest.includes("AND")) return null;
  const turned = op === "ISETP" ? comparisons[cmp]?.opposite : floatOpposites[cmp];
  if (turned === undefined) return null;
  return [op, inverted ? turned : cmp, ...rest.map((m) => (m === "AND" ? word : m))].join(".");
}

/** `PLOP3 p, (ISETP.c.AND t, a, b, PT), y` → `ISETP.c.OR p, a, b, y`. */
const joinCompare: Apply = (c, root, at) => {
  const [p, q] = root.dsts as [Operand, Operand];
  const ins = root.srcs.slice(0, 3);
  if (!unused(q) || !ins.every(isPredicate) || root.srcs[3]!.kind !== Kind.Imm) return false;
  const ids = [...new Set(ins.filter(isReg).map((o) => o.id))];
  if (ids.length !== 2) return false;
  const orders = [ids, [ids[1]!, ids[0]!]] as [number, number][];
  const read = (id: number): Operand => ins.find((i) => i.id === id)!;
  // A comparison that others read as well is made a second time, where no other will do. What asks whether logic gives 0 stays by
  // itself where it can: LOP3 tells it along with the logic (ptxas 13.0.88, whatever joins them, in either order).
  const ranks = orders.map(([x, y]) => ({
    x,
    y,
    rank: (c.defs.usesOf(read(x)) === 1 ? 0 : 2) + (ofLogic(c, read(x)) ? 1 : 0),
  }));
  for (const { x, y } of ranks.sort((s, t) => s.rank - t.rank)) {
    const o = read(x);
    const other = { ...read(y), mods: 0 };
    if (ins.filter((i) => i.id === x).length !== 1) continue;
    const inner = comparing(c, { ...o, mods: 0 }, at);
    const joint = joints.find((j) => j.table === tableOf(root, x, y));
    if (inner === null || joint === undefined || !isZeroReg(inner.srcs[2]!) || negated(inner.srcs[2]!)) continue;
    const name = compareForm(inner, joint.word, joint.x);
    const f = name === null ? null : tryForm(name);
    if (f === null) continue;
    if (joint.y) other.mods = Mod.Not;
    // The lower halves' result of a 64-bit comparison comes last; the opposite of the whole is one of it, too.
    const low = inner.srcs.slice(3).map((o) => (joint.x ? { ...o, mods: o.mods ^ Mod.Not } : o));
    if (c.write(at, f, [p, PT()], [inner.srcs[0]!, inner.srcs[1]!, other, ...low])) return true;
  }
  return false;
};

/** Whether the predicate says if logic that nobody else reads gives 0. */
function ofLogic(c: Combining, o: Operand): boolean {
  const inst = c.made({ ...o, mods: 0 });
  const test = inst?.form.op === "ISETP" ? testOfZero(c, inst) : null;
  if (test === null || !c.once(test.x)) return false;
  const logic = c.made(test.x);
  return logic?.form.op === "LOP3" && unused(logic.dsts[0]) && unused(logic.srcs[4]);
}

/** The comparison that alone makes the predicate its first result. */
function comparing(c: Combining, o: Operand, at: number): Inst | null {
  const inst = c.defs.definition(o);
  if (inst === null || (inst.form.op !== "ISETP" && inst.form.op !== "FSETP")) return null;
  if (inst.dsts[0]!.id !== o.id || !unused(inst.dsts[1])) return null;
  return c.inner(o, at, [inst.form.name]);
}

/** A comparison for equality with 0 of a 32-bit value: `x != 0`, or `x == 0`. */
function testOfZero(c: Combining, root: Inst): { readonly x: Operand; readonly not: boolean } | null {
  const [a, b, pin] = root.srcs as [Operand, Operand, Operand];
  if (!unused(root.dsts[1]) || !isZeroReg(pin) || negated(pin) || !plainReg(a)) return null;
  const word = root.form.mods[0];
  const with0 = c.literal(b) === 0;
  if (with0 && (word === "NE" || word === "EQ")) return { x: a, not: word === "EQ" };
  // Unsigned, more than 0.
  if (with0 && word === "GT" && root.form.mods.includes("U32")) return { x: a, not: false };
  return null;
}

/** `(p ? 1 : 0) != 0` is p. */
const testOfSelect: Apply = (c, root, at) => {
  const test = testOfZero(c, root);
  const inner = test === null ? null : c.inner(test.x, at, ["SEL"]);
  if (test === null || inner === null) return false;
  const [yes, no] = [c.literal(inner.srcs[0]!), c.literal(inner.srcs[1]!)];
  if (yes === null || no === null || (yes !== 0) === (no !== 0)) return false;
  const p = { ...inner.srcs[2]! };
  if ((yes === 0) !== test.not) p.mods ^= Mod.Not;
  return c.write(at, form("PLOP3.LUT"), [root.dsts[0]!, PT()], [p, PT(), PT(), imm(0x80), imm(0)]);
};

/** `LOP3 t, …; ISETP.NE p, t, 0` → `LOP3 p, RZ, …`, which says whether any bit is set. */
const testOfLogic: Apply = (c, root, at) => {
  const test = testOfZero(c, root);
  if (test === null || test.not || !c.once(test.x)) return false;
  const inner = c.inner(test.x, at, ["LOP3.LUT"]);
  if (inner === null || !unused(inner.dsts[0]) || !unused(inner.srcs[4])) return false;
  return c.write(at, inner.form, [root.dsts[0]!, RZ()], inner.srcs);
};

/** What the upper halves must compare as where the lower halves are known to: the strict relation, or the one with equality. */
const upperHalves: Readonly<Record<string, readonly [lowFails: string | null, lowHolds: string | null]>> = {
  LT: ["LT", "LE"],
  LE: ["LT", "LE"],
  GT: ["GT", "GE"],
  GE: ["GT", "GE"],
  EQ: [null, "EQ"],
  NE: ["NE", null],
};

/** What a comparison of lower halves says: true, false; null: it depends. Nothing is below 0: ptxas 13.0.88 knows it of lower halves alone. */
function lowerHalf(c: Combining, low: Operand, at: number): boolean | null {
  if (isZeroReg(low)) return !negated(low);
  const inner = c.inner({ ...low, mods: 0 }, at, ["ISETP.LT.U32.AND", "ISETP.GE.U32.AND"]);
  if (inner === null || inner.dsts[0]!.id !== low.id || c.literal(inner.srcs[1]!) !== 0) return null;
  if (!isZeroReg(inner.srcs[2]!) || negated(inner.srcs[2]!)) return null;
  return (inner.form.mods[0] === "GE") !== negated(low);
}

/** A 64-bit comparison whose lower halves are known is one of the upper halves. */
const knownLowerHalf: Apply = (c, root, at) => {
  const [a, b, pin, low] = root.srcs as [Operand, Operand, Operand, Operand];
  const holds = unused(root.dsts[1]) ? lowerHalf(c, low, at) : null;
  if (holds === null) return false;
  const [cmp = "", ...rest] = root.form.mods;
  const word = upperHalves[cmp]?.[holds ? 1 : 0];
  if (word === undefined || word === null) return false;
  const f = tryForm(["ISETP", word, ...rest.filter((m) => m !== "EX")].join("."));
  return f !== null && c.write(at, f, root.dsts, [a, b, pin]);
};

/** A 64-bit comparison whose upper halves are the same is one of the lower halves. */
const knownUpperHalf: Apply = (c, root, at) => {
  const [p, q] = root.dsts as [Operand, Operand];
  const [a, b, pin, low] = root.srcs as [Operand, Operand, Operand, Operand];
  if (!unused(q) || !isZeroReg(pin) || negated(pin) || isZeroReg(low)) return false;
  const value = c.literal(a);
  if (!(plainReg(a) && sameOperand(a, b)) && (value === null || value !== c.literal(b))) return false;
  return c.write(at, form("PLOP3.LUT"), [p, PT()], [{ ...low }, PT(), PT(), imm(0x80), imm(0)]);
};

const longCompares = Object.keys(upperHalves).flatMap((cmp) => [`ISETP.${cmp}.AND.EX`, `ISETP.${cmp}.U32.AND.EX`]);

export const predicateRules: readonly CombineRule[] = [
  { name: "known-lower-half", roots: longCompares, apply: knownLowerHalf },
  { name: "known-upper-half", roots: longCompares, apply: knownUpperHalf },
  { name: "join-compare", roots: ["PLOP3.LUT"], apply: joinCompare },
  { name: "test-of-select", roots: integerCompares, inner: ["SEL"], apply: testOfSelect },
  { name: "test-of-logic", roots: integerCompares, inner: ["LOP3.LUT"], apply: testOfLogic },
];
