/** Logic of up to three inputs in one LOP3. Exact: truth tables. */
import { form } from "../../isa/form.js";
import { imm, RZ, sameOperand } from "../../ori/operand.js";
import { slotDefault } from "../../ori/slots.js";
import { type Inst, Kind, type Operand } from "../../ori/types.js";
import { type Apply, type CombineRule, type Combining, isZero, orders, plainReg, unused } from "../combining.js";

const TABLES = [0xf0, 0xcc, 0xaa] as const;

/**
 * Logic over logic with at most three inputs together: the truth tables composed. As in ptxas 13.0.88 not into logic of three inputs, where both
 * inputs of logic of two go into it at once, and not into an inversion alone.
 */
const logicOfThree: Apply = (c, root, at) => {
  const [a, b, d, lut, pin] = root.srcs as [Operand, Operand, Operand, Operand, Operand];
  if (!unused(root.dsts[0]) || !unused(pin) || lut.kind !== Kind.Imm) return false;
  if ([a, b, d].filter((o) => !isZero(o)).length !== 2) return false;
  const logic = [a, b, d].map((o) => innerLogic(c, o, at));
  const [s, t] = [0, 1, 2].filter((k) => logic[k] !== null);
  if (s === undefined) return false;
  for (const chosen of t === undefined ? [[s]] : [[s, t], [s], [t]]) {
    const inputs: Operand[] = [];
    /** The truth table of an operand over the inputs, 0 for RZ; −1: a fourth input. */
    const tableOf = (o: Operand): number => {
      if (isZero(o)) return 0;
      let k = inputs.findIndex((i) => sameOperand(i, o));
      if (k < 0) k = inputs.push(o) - 1;
      return TABLES[k] ?? -1;
    };
    const tables = [a, b, d].map((o, k) => {
      const inner = chosen.includes(k) ? logic[k] : null;
      return inner ? select(inner.srcs[3]!.value, inner.srcs.slice(0, 3).map(tableOf)) : tableOf(o);
    });
    if (inputs.length > 3 || inputs.some((o) => o.mods !== 0)) continue;
    const table = select(lut.value, tables);
    while (inputs.length < 3) inputs.push(RZ());
    for (const srcs of orders(inputs)) {
      // The table over the inputs in their new places.
      const places = inputs.map((o) => TABLES[srcs.indexOf(o)] as number);
      if (c.write(at, root.form, root.dsts, [...srcs, imm(select(table, places)), pin])) return true;
    }
  }
  return false;
};

/** The logic that alone makes the operand, for this reader. */
function innerLogic(c: Combining, o: Operand, at: number): Inst | null {
  if (!plainReg(o) || !c.once(o)) return null;
  const inner = c.inner(o, at, ["LOP3.LUT"]);
  const plain = inner !== null && unused(inner.dsts[0]) && unused(inner.srcs[4]) && inner.srcs[3]!.kind === Kind.Imm;
  return plain ? inner : null;
}

/** The truth table of a table over inputs that are tables themselves. */
function select(lut: number, inputs: readonly number[]): number {
  let out = 0;
  for (let i = 0; i < 8; i++) {
    const index = inputs.reduce((n, t) => (n << 1) | ((t >> i) & 1), 0);
    out |= ((lut >> index) & 1) << i;
  }
  return out;
}

/** Literals 0 and −1 and inputs without influence are no inputs; a table of one input as it is, or of none, is a copy. */
const fewerInputs: Apply = (c, root, at) => {
  const [pout, d] = root.dsts as [Operand, Operand];
  const [a, b, e, lut, pin] = root.srcs as [Operand, Operand, Operand, Operand, Operand];
  if (lut.kind !== Kind.Imm || [a, b, e].some((o) => o.mods !== 0)) return false;
  const inputs: Operand[] = [];
  const tables = [a, b, e].map((o) => {
    const v = o.kind === Kind.Const ? null : c.literal(o);
    if (v === 0) return 0;
    if (v === 0xffffffff) return 0xff;
    let k = inputs.findIndex((i) => sameOperand(i, o));
    if (k < 0) k = inputs.push(o) - 1;
    return TABLES[k] as number;
  });
  let table = select(lut.value, tables);
  // An input of which the result does not depend.
  const depends = (t: number, k: number): boolean => {
    const step = 4 >> k;
    for (let i = 0; i < 8; i++) if ((i & step) === 0 && ((t >> i) & 1) !== ((t >> (i | step)) & 1)) return true;
    return false;
  };
  const kept = inputs.filter((_, k) => depends(table, k));
  // Registers alone are left as they are, as in ptxas 13.0.88, but one twice where there is no third.
  const known = [a, b, e].some(
    (o, k) =>
      o.kind !== Kind.Const && /* of influence */ depends(lut.value, k) && [0, 0xffffffff].includes(c.literal(o) ?? 1),
  );
  if (!known && !(isZero(e) && sameOperand(a, b))) return false;
  if (unused(pout) && unused(pin)) {
    const mov = form("MOV");
    const rest = mov.srcs.slice(1).map(slotDefault);
    if (kept.length === 0) return c.write(at, mov, [d], [imm(table === 0 ? 0 : 0xffffffff), ...rest]);
    const [only] = kept;
    if (kept.length === 1 && plainReg(only!) && table === TABLES[inputs.indexOf(only!)])
      return c.write(at, mov, [d], [only!, ...rest]);
  }
  if (kept.length === [a, b, e].filter((o) => !isZero(o)).length) return false;
  table = select(
    table,
    inputs
      .map((o) => (kept.includes(o) ? (TABLES[kept.indexOf(o)] as number) : 0))
      .concat([0, 0, 0])
      .slice(0, 3),
  );
  const padded = [...kept];
  while (padded.length < 3) padded.push(RZ());
  for (const srcs of orders(padded)) {
    const places = padded.map((o) => TABLES[srcs.indexOf(o)] as number);
    if (c.write(at, root.form, root.dsts, [...srcs, imm(select(table, places)), pin])) return true;
  }
  return false;
};

export const logicRules: readonly CombineRule[] = [
  { name: "fewer-inputs", roots: ["LOP3.LUT"], apply: fewerInputs },
  { name: "logic-of-three", roots: ["LOP3.LUT"], inner: ["LOP3.LUT"], apply: logicOfThree },
];
