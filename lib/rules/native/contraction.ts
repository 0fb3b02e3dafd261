/**
 * Products and sums that PTX lets be rounded once (`{contract}`, set where neither says how to round): they become one instruction if all
 * that reads the product is such a sum in its block, on numbers that are flushed alike, and the product is not saturated. As ptxas
 * 13.0.88 does it at -O1 and above unless `-fmad false` is given; of two products in a sum the first goes.
 *
 *     FMUL %R4, %R1, %R2 {contract}
 *     FADD %R5, %R4, -%R3 {contract}      →      FFMA %R5, %R1, %R2, -%R3
 */
import { form as theForm, tryForm } from "../../isa/form.js";
import { clone, imm, isZeroReg, register } from "../../ori/operand.js";
import { File, type Func, type Inst, Kind, Mod, type Operand } from "../../ori/types.js";
import { type Apply, type CombineRule, type Combining, plainReg } from "../combining.js";

const MOV = theForm("MOV");

const sums: readonly string[] = [
  ...["FADD", "DADD", "HADD2", "HADD2.BF16_V2"].flatMap((op) => ["", ".FTZ", ".SAT", ".FTZ.SAT"].map((s) => op + s)),
];
const fused: Readonly<Record<string, string>> = { FADD: "FFMA", DADD: "DFMA", HADD2: "HFMA2" };
const product: Readonly<Record<string, string>> = { FADD: "FMUL", DADD: "DMUL", HADD2: "HMUL2" };

/** The factors of a product, its form's words after the opcode; null: it is none, or must stay. */
function factors(inst: Inst, sum: Inst): readonly [Operand, Operand] | null {
  if (inst.said !== "contract") return null;
  const { op, mods } = inst.form;
  const third = inst.srcs[2];
  const plain = op === product[sum.form.op];
  // As lib/rules/texts/floats.ts writes it: a product is a sum with −0.
  const withZero = op === "HFMA2" && third !== undefined && isZeroReg(third) && third.mods === Mod.Neg;
  if (!plain && !withZero) return null;
  const flushes = (words: readonly string[]): string => words.filter((m) => m !== "SAT" && m !== "MMA").join(".");
  if (mods.includes("SAT") || flushes(mods) !== flushes(sum.form.mods)) return null;
  return [inst.srcs[0] as Operand, inst.srcs[1] as Operand];
}

/** How often each register is read by sums that may be fused, and in which of their operands it may be. */
const readers = new WeakMap<Combining, Map<number, number>>();

function sumsReading(c: Combining): Map<number, number> {
  let counts = readers.get(c);
  if (counts === undefined) {
    counts = countReads(c.func);
    readers.set(c, counts);
  }
  return counts;
}

function countReads(func: Func): Map<number, number> {
  const counts = new Map<number, number>();
  for (const block of func.blocks) {
    const made = new Map<number, Inst>();
    for (const inst of block.insts) {
      const [x, y] = inst.srcs;
      if (
        inst.said === "contract" &&
        inst.guard === null &&
        sums.includes(inst.form.name) &&
        x !== undefined &&
        y !== undefined
      )
        for (const [o, other] of [
          [x, y],
          [y, x],
        ] as const) {
          if (!plainReg({ ...o, mods: 0, part: "" }) || (o.mods & Mod.Abs) !== 0 || o.id === other.id) continue;
          const from = made.get(o.id);
          if (from !== undefined && factors(from, inst) !== null) counts.set(o.id, (counts.get(o.id) ?? 0) + o.width);
        }
      for (const d of inst.dsts) if (inst.said === "contract" && d.sub === 0) made.set(d.id, inst);
    }
  }
  return counts;
}

const contract: Apply = (c, root, at) => {
  if (root.said !== "contract" || root.guard !== null) return false;
  const [x, y] = root.srcs as [Operand, Operand];
  for (const [o, addend] of [
    [x, y],
    [y, x],
  ] as const) {
    const read = { ...clone(o), mods: 0, part: "" };
    if ((o.mods & Mod.Abs) !== 0 || (o.part !== "" && o.part !== ".H0_H0") || !plainReg(read)) continue;
    const inner = c.inner(read, at, productNames(root));
    const of = inner === null ? null : factors(inner, root);
    if (inner === null || of === null || c.defs.usesOf(read) > (sumsReading(c).get(o.id) ?? 0)) continue;
    const mma = inner.form.mods.includes("MMA") ? ".MMA" : "";
    const form = tryForm(root.form.name.replace(/^\w+/, `${fused[root.form.op]}${mma}`));
    const [a, b] = of[0].kind === Kind.Reg ? of : [of[1], of[0]];
    const first = { ...clone(a), mods: a.mods ^ (o.mods & Mod.Neg) };
    if (form === null) continue;
    if (c.write(at, form, root.dsts, [first, clone(b), clone(addend)])) return true;
    // Two literals: one goes into a register.
    if (b.kind !== Kind.Imm || b.width !== 1 || b.mods !== 0) continue;
    const value = register(File.R, c.func.values.add(File.R, 1), 1);
    if (!c.write(at, form, root.dsts, [first, value, clone(addend)])) continue;
    c.insertBefore(root, [{ form: MOV, dsts: [clone(value)], srcs: [clone(b), imm(15)] }]);
    return true;
  }
  return false;
};

/** What a factor after the product makes of it, by the literal's bits. */
const scales: ReadonlyMap<number, string> = new Map([
  [0x40000000, "M2"],
  [0x40800000, "M4"],
  [0x41000000, "M8"],
  [0x3f000000, "D2"],
  [0x3e800000, "D4"],
  [0x3e000000, "D8"],
]);

/** A product whose rounding is open, times a power of two: `FMUL d, (FMUL x, y {contract}), 0.5` → `FMUL.D2 d, x, y`; the factor may be rounded as it likes. */
const scaledProduct: Apply = (c, root, at) => {
  if (root.guard !== null || root.form.mods.some((m) => m !== "FTZ" && m !== "SAT")) return false;
  const [x, k] = root.srcs as [Operand, Operand];
  const scale = k.kind === Kind.Imm && k.mods === 0 ? scales.get(k.value >>> 0) : undefined;
  if (scale === undefined || !plainReg(x) || !c.once(x)) return false;
  // A sum that takes the product in comes first.
  const d = root.dsts[0] as Operand;
  if (root.said === "contract" && (sumsReading(c).get(d.id) ?? 0) >= Math.max(1, c.defs.usesOf(d))) return false;
  const ftz = root.form.mods.includes("FTZ") ? ".FTZ" : "";
  const inner = c.inner(x, at, [`FMUL${ftz}`]);
  const form = tryForm(`FMUL${ftz}.${scale}${root.form.mods.includes("SAT") ? ".SAT" : ""}`);
  if (inner === null || inner.said !== "contract" || form === null) return false;
  return c.write(at, form, root.dsts, inner.srcs);
};

function productNames(root: Inst): string[] {
  const words = root.form.mods
    .filter((m) => m !== "SAT")
    .map((m) => `.${m}`)
    .join("");
  const plain = `${product[root.form.op]}${words}`;
  return root.form.op === "HADD2" ? [plain, `HFMA2${words}`, `HFMA2.MMA${words}`] : [plain];
}

export const contractionRules: readonly CombineRule[] = [
  { name: "contraction", roots: sums, apply: contract },
  {
    name: "scaled-product",
    roots: ["FMUL", "FMUL.FTZ", "FMUL.SAT", "FMUL.FTZ.SAT"],
    inner: ["FMUL", "FMUL.FTZ"],
    apply: scaledProduct,
  },
];
