/**
 * Bytes and halves as f32: where they were loaded as such, or shifted down, the conversion of a whole word does, which on SMs with I2FP is
 * no work of the slow unit (asked on sm_86, 90, 100, 120; sm_80 converts them as they are). Exact.
 */
import { form } from "../../isa/form.js";
import { imm, RZ, register } from "../../ori/operand.js";
import { slotDefault } from "../../ori/slots.js";
import { File, type Inst, type Operand } from "../../ori/types.js";
import { type Apply, type CombineRule, plainReg } from "../combining.js";

const loads: readonly string[] = [
  ...["LDS", "LDS.U", "LDL", "LDC"].flatMap((op) => ["U8", "U16"].map((type) => `${op}.${type}`)),
  ...["LDG.E", "LD.E"].flatMap((op) =>
    ["U8", "U16"].flatMap((type) => ["", ".SYS", ".CONSTANT", ".CONSTANT.SYS"].map((how) => `${op}.${type}${how}`)),
  ),
];
const SHIFT = "SHF.R.U32.HI";

/** Bits above which the result has zeros; what is shifted is masked in any case, as in ptxas's code. */
const bitsOf = (inst: Inst): number => (inst.form.name === SHIFT ? 32 : inst.form.mods.includes("U8") ? 8 : 16);

const fromWord: Apply = (c, root, at) => {
  const x = root.srcs[0] as Operand;
  if (!c.func.target.has("i2fp") || !plainReg(x)) return false;
  const inner = c.inner(x, at, [...loads, SHIFT]);
  if (inner === null) return false;
  const bits = root.form.mods.includes("U8") ? 8 : 16;
  const convert = form(`I2FP.F32.U32${root.form.mods.includes("RZ") ? ".RZ" : ""}`);
  if (bitsOf(inner) <= bits) return c.write(at, convert, root.dsts, [x]);
  const masked = register(File.R, c.func.values.add(File.R, 1), 1);
  const and = form("LOP3.LUT");
  const dsts = and.dsts.map((s) => (s.name === "d" ? masked : slotDefault(s)));
  const srcs = and.srcs.map((s, k) => [x, imm(2 ** bits - 1), RZ(), imm(0xc0)][k] ?? slotDefault(s));
  if (!c.encodes(and, dsts, srcs) || !c.write(at, convert, root.dsts, [masked])) return false;
  c.insertBefore(root, [{ form: and, dsts, srcs }]);
  return true;
};

export const narrowSourceRules: readonly CombineRule[] = [
  {
    name: "float-of-word",
    roots: ["U8", "U16"].flatMap((type) => ["", ".RZ"].map((rounding) => `I2F.${type}${rounding}`)),
    inner: [...loads, SHIFT],
    apply: fromWord,
  },
];
