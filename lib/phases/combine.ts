/**
 * Instructions put together in the SSA window (the second part of the GeneralOptimize bundles): sums of three, products with
 * their sum, shifts with theirs, logic of up to three inputs, 64-bit addresses, constant offsets of addresses. What ptxas 13.0.88 makes of
 * each is measured (facts on its optimizer: single use of the inner value, except for addresses, which it makes once per sum).
 *
 * A rule looks at one instruction, the root, and at the definitions of its operands. It writes the root anew in place; the
 * inner instruction stays for its other readers, or dies. All are exact: integers modulo 2^32 or 2^64, and truth tables.
 */
import { Definitions, unitOf } from "../analysis/index.js";
import { form } from "../isa/form.js";
import type { Form } from "../isa/types.js";
import { rewriteBlock } from "../ori/editor.js";
import { clone, imm, isReg, isZeroReg, PT, RZ, register, sameOperand } from "../ori/operand.js";
import { slotDefault } from "../ori/slots.js";
import { type Func, type Inst, Kind, Mod, type Operand } from "../ori/types.js";
import { alignmentOf } from "../ori/verify/physical.js";
import { encodes } from "./encodable.js";

/** Tries the rule at the instruction with this index in `defs.flat.insts`. */
type Apply = (c: Combining, root: Inst, at: number) => boolean;

export interface CombineRule {
  readonly name: string;
  /** Names of the forms of the root. */
  readonly roots: readonly string[];
  readonly apply: Apply;
}

/** One run over a function: definitions, kept right under the edits, and what is left out in the end. */
class Combining {
  readonly func: Func;
  readonly defs: Definitions;
  readonly dropped: Set<Inst> = new Set();

  constructor(func: Func) {
    this.func = func;
    this.defs = new Definitions(func);
  }

  /** The unguarded instruction of one of the forms that alone defines the operand, whose sources hold the same at `at`; null: none. */
  inner(o: Operand, at: number, names: readonly string[]): Inst | null {
    if (!isReg(o)) return null;
    const inst = this.defs.definition(o);
    if (inst === null || inst.guard !== null || !names.includes(inst.form.name) || this.dropped.has(inst)) return null;
    return this.defs.before(this.defs.indexOf(o), at) && inst.srcs.every((s) => this.stays(s, at)) ? inst : null;
  }

  /** What the operand holds is the same wherever the code that reads it stands, from `at` on. */
  stays(o: Operand, at: number): boolean {
    return o.kind === Kind.None || this.defs.holds(o, at);
  }

  once(o: Operand): boolean {
    return this.defs.usesOf(o) === o.width;
  }

  /** Writes the instruction anew, when it has an encoding. */
  write(at: number, f: Form, dsts: Operand[], srcs: Operand[]): boolean {
    const inst = this.defs.flat.insts[at] as Inst;
    if (!encodes(this.func, f, dsts, srcs)) return false;
    this.count(inst.srcs, -1);
    inst.form = f;
    inst.dsts = dsts;
    inst.srcs = srcs.map(clone);
    this.count(inst.srcs, 1);
    for (const d of dsts)
      if (isReg(d)) this.defs.def.fill(at, unitOf(this.defs.units, d), unitOf(this.defs.units, d) + d.width);
    return true;
  }

  drop(inst: Inst): void {
    this.dropped.add(inst);
    this.count(inst.srcs, -1);
  }

  private count(srcs: readonly Operand[], by: number): void {
    const { uses, units } = this.defs;
    for (const o of srcs) {
      if (!isReg(o)) continue;
      const u = unitOf(units, o);
      for (let k = u; k < u + o.width; k++) uses[k] = (uses[k] as number) + by;
    }
  }
}

const isZero = (o: Operand): boolean => (isZeroReg(o) && o.mods === 0) || (o.kind === Kind.Imm && o.value === 0);
const plainReg = (o: Operand): boolean => isReg(o) && o.mods === 0 && o.part === "";
const unused = (o: Operand | undefined): boolean => o === undefined || o.kind === Kind.None || isZeroReg(o);
/** No carry comes out of a sum. */
const carries = (inst: Inst): boolean => inst.dsts.slice(1).some((o) => !unused(o));

/** Operands in every order that the form may take; the slots of literals differ. */
function orders(ops: readonly Operand[]): Operand[][] {
  const [a, b, c] = ops as [Operand, Operand, Operand];
  return [
    [a, b, c],
    [a, c, b],
    [b, a, c],
    [c, a, b],
    [b, c, a],
    [c, b, a],
  ];
}

/** `IADD3 d, (IADD3 t, a, b, RZ), c, RZ` → `IADD3 d, a, b, c`; literals that meet are added. */
const sumOfThree: Apply = (c, root, at) => {
  if (carries(root)) return false;
  for (let s = 0; s < 3; s++) {
    const t = root.srcs[s] as Operand;
    if (!plainReg(t) || !c.once(t)) continue;
    const inner = c.inner(t, at, ["IADD3"]);
    if (inner === null || carries(inner)) continue;
    const all = [...inner.srcs.slice(0, 3), ...root.srcs.slice(0, 3).filter((_, k) => k !== s)].filter(
      (o) => !isZero(o),
    );
    const literals = all.filter((o) => o.kind === Kind.Imm && o.mods === 0);
    const terms = all.filter((o) => !literals.includes(o));
    const sum = literals.reduce((n, o) => (n + o.value) >>> 0, 0);
    if (sum !== 0) terms.push(imm(sum));
    if (terms.length > 3 || terms.filter((o) => (o.mods & Mod.Neg) !== 0).length > 1) continue;
    while (terms.length < 3) terms.push(RZ());
    for (const srcs of orders(terms)) if (c.write(at, root.form, root.dsts, srcs)) return true;
  }
  return false;
};

/** `IADD3 d, (IMAD t, a, b, RZ), c, RZ` → `IMAD d, a, b, c`. */
const productAndSum: Apply = (c, root, at) => {
  if (carries(root)) return false;
  for (let s = 0; s < 3; s++) {
    const t = root.srcs[s] as Operand;
    const rest = root.srcs.slice(0, 3).filter((_, k) => k !== s && !isZero(root.srcs[k] as Operand));
    if (!plainReg(t) || !c.once(t) || rest.length !== 1 || !plainReg(rest[0] as Operand)) continue;
    const inner = c.inner(t, at, ["IMAD"]);
    if (inner === null || !isZero(inner.srcs[2] as Operand)) continue;
    if (c.write(at, inner.form, [root.dsts[0] as Operand], [inner.srcs[0]!, inner.srcs[1]!, rest[0]!])) return true;
  }
  return false;
};

/** `IADD3 d, (SHF.L.U32 t, x, n, RZ), y, RZ` → `LEA d, x, y, n`. */
const shiftAndSum: Apply = (c, root, at) => {
  if (carries(root)) return false;
  for (let s = 0; s < 3; s++) {
    const t = root.srcs[s] as Operand;
    const rest = root.srcs.slice(0, 3).filter((_, k) => k !== s && !isZero(root.srcs[k] as Operand));
    if (!plainReg(t) || !c.once(t) || rest.length !== 1) continue;
    const inner = c.inner(t, at, ["SHF.L.U32"]);
    const n = inner?.srcs[1];
    if (inner === null || n?.kind !== Kind.Imm || n.value > 31 || !plainReg(inner.srcs[0] as Operand)) continue;
    const lea = form("LEA");
    if (c.write(at, lea, [root.dsts[0]!, PT()], [inner.srcs[0]!, rest[0]!, imm(n.value)])) return true;
  }
  return false;
};

const TABLES = [0xf0, 0xcc, 0xaa] as const;

/** Logic over logic with at most three inputs together: the truth tables composed. */
const logicOfThree: Apply = (c, root, at) => {
  const [a, b, d, lut, pin] = root.srcs as [Operand, Operand, Operand, Operand, Operand];
  if (!unused(root.dsts[0]) || !unused(pin) || lut.kind !== Kind.Imm) return false;
  for (const [s, t] of [a, b, d].entries()) {
    if (!plainReg(t) || !c.once(t)) continue;
    const inner = c.inner(t, at, ["LOP3.LUT"]);
    if (inner === null || !unused(inner.dsts[0]) || !unused(inner.srcs[4]) || inner.srcs[3]!.kind !== Kind.Imm)
      continue;
    const inputs: Operand[] = [];
    /** The truth table of an operand over the inputs, 0 for RZ; −1: a fourth input. */
    const tableOf = (o: Operand): number => {
      if (isZero(o)) return 0;
      let k = inputs.findIndex((i) => sameOperand(i, o));
      if (k < 0) k = inputs.push(o) - 1;
      return TABLES[k] ?? -1;
    };
    const tables = inner.srcs.slice(0, 3).map(tableOf);
    const outer = [a, b, d].map((o, k) => (k === s ? 0 : tableOf(o)));
    if (inputs.length > 3 || inputs.some((o) => o.mods !== 0)) continue;
    outer[s] = select(inner.srcs[3]!.value, tables);
    const table = select(lut.value, outer);
    while (inputs.length < 3) inputs.push(RZ());
    for (const srcs of orders(inputs)) {
      // The table over the inputs in their new places.
      const places = inputs.map((o) => TABLES[srcs.indexOf(o)] as number);
      if (c.write(at, root.form, root.dsts, [...srcs, imm(select(table, places)), pin])) return true;
    }
  }
  return false;
};

/** The truth table of a table over inputs that are tables themselves. */
function select(lut: number, inputs: readonly number[]): number {
  let out = 0;
  for (let i = 0; i < 8; i++) {
    const index = inputs.reduce((n, t) => (n << 1) | ((t >> i) & 1), 0);
    out |= ((lut >> index) & 1) << i;
  }
  return out;
}

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

/** Two operands as one of width 2: consecutive registers that hold the same at `at`; null: they are not. */
function pairOf(c: Combining, lo: Operand, hi: Operand, at: number): Operand | null {
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
    const product = pairOf(c, lo, hi, sum.at);
    const other = lo === p ? q : p;
    const otherHigh = hi === root.srcs[0] ? root.srcs[1]! : root.srcs[0]!;
    const addend = pairOf(c, other, otherHigh, sum.at);
    if (product === null || addend === null) continue;
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

export const combineRules: readonly CombineRule[] = [
  { name: "add-wide", roots: ["IADD3.X"], apply: addWide },
  { name: "sum-of-three", roots: ["IADD3"], apply: sumOfThree },
  { name: "product-and-sum", roots: ["IADD3"], apply: productAndSum },
  { name: "shift-and-sum", roots: ["IADD3"], apply: shiftAndSum },
  { name: "logic-of-three", roots: ["LOP3.LUT"], apply: logicOfThree },
];

const byRoot = new Map<string, CombineRule[]>();
for (const rule of combineRules) for (const r of rule.roots) byRoot.set(r, [...(byRoot.get(r) ?? []), rule]);

/** Applies the rules until none applies; returns how often each did. */
export function combine(func: Func, hits: Map<string, number> = new Map()): number {
  const c = new Combining(func);
  let total = 0;
  c.defs.flat.insts.forEach((inst, at) => {
    for (let again = inst.guard === null; again; ) {
      again = false;
      if (c.dropped.has(inst)) break;
      for (const rule of byRoot.get(inst.form.name) ?? []) {
        if (!rule.apply(c, inst, at)) continue;
        hits.set(rule.name, (hits.get(rule.name) ?? 0) + 1);
        total++;
        again = true;
        break;
      }
    }
  });
  if (total > 0) {
    func.generation++;
    for (const block of func.blocks)
      rewriteBlock(func, block, (inst, out) => (c.dropped.has(inst) ? 0 : out.push(inst)));
  }
  return total;
}
