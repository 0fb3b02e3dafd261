/**
 * Signs and absolute values of floats as modifiers of the operand, as ptxas has them. `FADD d, -x, -RZ` only turns the sign, but
 * for NaN, whose bits PTX leaves open.
 */
import { isZeroReg } from "../../ori/operand.js";
import { Mod, type Operand } from "../../ori/types.js";
import { type Apply, type CombineRule, plainReg } from "../combining.js";
import { floatOpposites } from "../evaluate.js";

const comparisonsOf = (op: string): string[] =>
  Object.keys(floatOpposites).flatMap((c) => ["AND", "OR", "XOR"].map((j) => `${op}.${c}.${j}`));

/** Instructions that take signs and bars on their float operands; some of the names no SM has. */
const signOps: readonly string[] = [
  ...["FADD", "FMUL", "FFMA"].flatMap((op) => ["", ".FTZ", ".SAT", ".FTZ.SAT"].map((m) => op + m)),
  ...["FMNMX", "FSEL", "DADD", "DMUL", "DFMA"],
  ...["RCP", "RSQ", "SQRT", "EX2", "LG2", "SIN", "COS"].map((f) => `MUFU.${f}`),
  ...["", ".FLOOR", ".CEIL", ".TRUNC"].flatMap((r) => [`FRND${r}`, `FRND.F64${r}`]),
  ...["F2F.F32.F64", "F2F.F64.F32"],
  ...["", ".FLOOR", ".CEIL", ".TRUNC"].flatMap((r) =>
    ["F2I", "F2I.U32", "F2I.FTZ", "F2I.FTZ.U32"].map((f) => `${f}${r}.NTZ`),
  ),
  ...comparisonsOf("FSETP"),
  ...comparisonsOf("DSETP"),
];

/** `FADD t, -x, -RZ; FMUL d, t, y` → `FMUL d, -x, y`. */
const signAsModifier: Apply = (c, root, at) => {
  for (const [k, o] of root.srcs.entries()) {
    if (!plainReg({ ...o, mods: 0 }) || o.part !== "") continue;
    const inner = c.inner({ ...o, mods: 0 }, at, [o.width === 2 ? "DADD" : "FADD"]);
    if (inner === null) continue;
    const isFirst = isZeroReg(inner.srcs[0] as Operand);
    const [x, zero] = (isFirst ? [inner.srcs[1], inner.srcs[0]] : inner.srcs) as [Operand, Operand];
    if (!isZeroReg(zero) || zero.mods !== Mod.Neg || !plainReg({ ...x, mods: 0 }) || x.mods === 0) continue;
    const mods = (o.mods & Mod.Abs) !== 0 ? Mod.Abs | (o.mods & Mod.Neg) : x.mods ^ (o.mods & Mod.Neg);
    const srcs = root.srcs.map((s, n) => (n === k ? { ...x, mods } : s));
    if (c.write(at, root.form, root.dsts, srcs)) return true;
  }
  return false;
};

/** `HADD2 t, -x, -RZ; HADD2 d, t, y` → `HADD2 d, -x, y`: both halves, nothing flushed, and no number stays none. */
const halfSignAsModifier: Apply = (c, root, at) => {
  for (const [k, o] of root.srcs.entries()) {
    if (!plainReg({ ...o, mods: 0 }) || o.part !== "") continue;
    const inner = c.inner({ ...o, mods: 0 }, at, ["HADD2"]);
    const [x, zero] = inner?.srcs ?? [];
    if (x === undefined || zero === undefined || !isZeroReg(zero) || zero.mods !== Mod.Neg || zero.part !== "")
      continue;
    if (!plainReg({ ...x, mods: 0 }) || x.part !== "" || x.mods === 0) continue;
    const mods = (o.mods & Mod.Abs) !== 0 ? Mod.Abs | (o.mods & Mod.Neg) : x.mods ^ (o.mods & Mod.Neg);
    const srcs = root.srcs.map((s, n) => (n === k ? { ...x, mods } : s));
    if (c.write(at, root.form, root.dsts, srcs)) return true;
  }
  return false;
};

export const floatRules: readonly CombineRule[] = [
  {
    name: "sign-as-modifier",
    roots: signOps,
    inner: ["FADD", "DADD"],
    apply: signAsModifier,
  },
  {
    name: "sign-of-halves-as-modifier",
    roots: ["HADD2", "HMUL2", "HFMA2", "HFMA2.MMA"],
    inner: ["HADD2"],
    apply: halfSignAsModifier,
  },
];
