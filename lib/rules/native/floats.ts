/**
 * Signs and absolute values of floats as modifiers of the operand, as ptxas has them. `FADD d, -x, -RZ` only turns the sign, but
 * for NaN, whose bits PTX leaves open.
 */
import { isZeroReg } from "../../ori/operand.js";
import { type Inst, Mod, type Operand } from "../../ori/types.js";
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

/** What HADD2 or, of one bf16 number, HFMA2 adds a zero to that changes nothing; null: the instruction does more. Absolute values of bf16 stay apart. */
function signed(inner: Inst): Operand | null {
  const [x, y, z] = inner.srcs as [Operand, Operand, Operand];
  if (inner.form.name === "HADD2") return isZeroReg(y) && y.mods === Mod.Neg ? x : null;
  const product = [x, y].every((o) => isZeroReg(o)) && x.mods === Mod.Neg && y.mods === 0;
  return product && z.part === ".H0_H0" && z.mods === Mod.Neg ? z : null;
}

/**
 * `HADD2 t, -x, -RZ; HADD2 d, t, y` → `HADD2 d, -x, y`: both halves, or the one that both were made of; nothing flushed, and no number stays
 * none.
 */
const halfSignAsModifier: Apply = (c, root, at) => {
  for (const [k, o] of root.srcs.entries()) {
    if (!plainReg({ ...o, mods: 0, part: "" })) continue;
    const bf16 = root.form.mods.includes("BF16_V2");
    const inner = c.inner({ ...o, mods: 0, part: "" }, at, [bf16 ? "HFMA2.BF16_V2" : "HADD2"]);
    const x = inner === null ? null : signed(inner);
    if (x === null || !plainReg({ ...x, mods: 0, part: "" }) || x.mods === 0) continue;
    if (!isHalf(o.part) || !isHalf(x.part)) continue;
    const mods = (o.mods & Mod.Abs) !== 0 ? Mod.Abs | (o.mods & Mod.Neg) : x.mods ^ (o.mods & Mod.Neg);
    const part = x.part === "" ? o.part : x.part;
    const srcs = root.srcs.map((s, n) => (n === k ? { ...x, mods, part } : s));
    if (c.write(at, root.form, root.dsts, srcs)) return true;
  }
  return false;
};

/** Instructions on halves that take signs and bars. */
const halfSignOps: readonly string[] = [
  ...["HADD2", "HADD2.F32", "HMUL2", "HFMA2", "HFMA2.MMA"].flatMap((op) =>
    ["", ".FTZ", ".SAT", ".FTZ.SAT"].map((m) => op + m),
  ),
  ...["HADD2", "HMUL2", "HFMA2", "HMNMX2"].map((op) => `${op}.BF16_V2`),
  ...["HMNMX2", "HMNMX2.NAN", "HMNMX2.BF16_V2.NAN"],
  ...["HSETP2", "HSETP2.FTZ", "HSETP2.BF16_V2"].flatMap(comparisonsOf),
];

const isHalf = (part: string): boolean => part === "" || part === ".H0_H0" || part === ".H1_H1";

export const floatRules: readonly CombineRule[] = [
  {
    name: "sign-as-modifier",
    roots: signOps,
    inner: ["FADD", "DADD"],
    apply: signAsModifier,
  },
  {
    name: "sign-of-halves-as-modifier",
    roots: halfSignOps,
    inner: ["HADD2", "HFMA2.BF16_V2"],
    apply: halfSignAsModifier,
  },
];
