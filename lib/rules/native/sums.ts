/** Sums of three, with their literals. Exact: integers modulo 2^32. */
import { imm, isReg, isZeroReg, RZ } from "../../ori/operand.js";
import { Kind, Mod, type Operand } from "../../ori/types.js";
import { type Apply, type CombineRule, carries, isZero, orders, plainReg } from "../combining.js";

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
    if (terms.length > 3 || terms.filter((o) => (o.mods & Mod.Neg) !== 0).length > 2) continue;
    while (terms.length < 3) terms.push(RZ());
    for (const srcs of orders(terms)) if (c.write(at, root.form, root.dsts, srcs)) return true;
  }
  return false;
};

/** A register that holds a literal, subtracted, is a literal added. */
const negatedLiteral: Apply = (c, root, at) => {
  if (carries(root)) return false;
  const k = root.srcs.findIndex((o) => isReg(o) && !isZeroReg(o) && o.mods === Mod.Neg && c.literal(o) !== null);
  if (k < 0 || k > 2 || root.srcs.some((o) => o.kind === Kind.Imm)) return false;
  const others = root.srcs.slice(0, 3).filter((_, n) => n !== k);
  const terms = [...others, imm(c.literal(root.srcs[k]!)!)];
  return orders(terms).some((srcs) => c.write(at, root.form, root.dsts, [...srcs, ...root.srcs.slice(3)]));
};

export const sumRules: readonly CombineRule[] = [
  { name: "sum-of-three", roots: ["IADD3"], inner: ["IADD3"], apply: sumOfThree },
  { name: "negated-literal", roots: ["IADD3"], inner: ["MOV"], apply: negatedLiteral },
];
