/** The orders in which the sources of an instruction may stand. */
import { type Form, tryForm } from "../isa/form.js";
import { altered } from "../ori/operand.js";
import { Kind, type Operand } from "../ori/types.js";

/** The comparison with its operands exchanged. */
export function mirrored(form: Form): Form | null {
  if (form.op !== "ISETP" || form.mods.includes("EX")) return null;
  const other: Readonly<Record<string, string>> = { LT: "GT", GT: "LT", LE: "GE", GE: "LE", EQ: "EQ", NE: "NE" };
  const words = form.name.split(".");
  const relation = other[words[1] as string];
  return relation === undefined ? null : tryForm([words[0], relation, ...words.slice(2)].join("."));
}

/** Sources in the orders that give the same result, the given one first. */
export function orders({ op }: Form, srcs: readonly Operand[]): Operand[][] {
  const [a, b, c, ...rest] = srcs as [Operand, Operand, Operand, ...Operand[]];
  if (op === "IADD3") {
    return [
      [a, b, c],
      [b, a, c],
      [a, c, b],
      [c, a, b],
      [b, c, a],
      [c, b, a],
    ].map((o) => [...o, ...rest]);
  }
  if (["IMAD", "FADD", "FMUL", "FFMA", "IMNMX", "VIMNMX", "FMNMX"].includes(op))
    return [srcs.slice(), [b, a, c, ...rest].filter((o) => o !== undefined)];
  if (op === "LOP3") return logicOrders(srcs);
  return [srcs.slice()];
}

/** A three-input function with its inputs in every order. */
function logicOrders(srcs: readonly Operand[]): Operand[][] {
  const table = srcs[3] as Operand;
  if (table.kind !== Kind.Imm) return [srcs.slice()];
  return [
    [0, 1, 2],
    [1, 0, 2],
    [0, 2, 1],
    [2, 1, 0],
    [1, 2, 0],
    [2, 0, 1],
  ].map((order) => {
    let value = 0;
    for (let row = 0; row < 8; row++) {
      // Row of the new table: bit 2 is the first input. `order[k]` says which old input stands k-th.
      let old = 0;
      for (let k = 0; k < 3; k++) if (((row >> (2 - k)) & 1) === 1) old |= 1 << (2 - (order[k] as number));
      value |= ((table.value >> old) & 1) << row;
    }
    return [...order.map((k) => srcs[k] as Operand), altered(table, { value }), ...srcs.slice(4)];
  });
}
