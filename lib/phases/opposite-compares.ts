/**
 * Comparisons of floats as ptxas 13.0.88 has them in the end: less, less or equal, equal, and "both are numbers" become the opposite, and whoever reads the
 * predicate reads it inverted. Only comparisons that are joined with no other predicate, and not those of `set` (`straight`).
 *
 *     FSETP.LT.AND %P0, PT, %R1, %R2, PT            FSETP.GEU.AND %P0, PT, %R1, %R2, PT
 *     FSEL %R3, %R4, %R5, %P0                 →     FSEL %R3, %R4, %R5, !%P0
 *
 * A test whether logic gives 0 becomes one whether it gives anything, which LOP3 tells by itself.
 *
 *     LOP3.LUT %R3, %R1, %R2, RZ, 0xc0              LOP3.LUT %P0, RZ, %R1, %R2, RZ, 0xc0
 *     ISETP.EQ.AND %P0, PT, %R3, RZ, PT       →
 */
import { Definitions } from "../analysis/index.js";
import { tryForm } from "../isa/form.js";
import { touch } from "../ori/editor.js";
import { isPhi } from "../ori/flow.js";
import { clone, isReg, isZeroReg, RZ } from "../ori/operand.js";
import { File, type Func, type Inst, Kind, Mod, type Operand } from "../ori/types.js";
import { floatOpposites } from "../rules/evaluate.js";
import { saying } from "./notes.js";

/** Comparisons that ptxas turns. */
const turned: ReadonlySet<string> = new Set(["LT", "LE", "EQ", "LTU", "LEU", "EQU", "NUM"]);

/** Returns how many comparisons became their opposites. */
export function turnCompares(func: Func): number {
  const defs = new Definitions(func);
  const found = new Map<number, Inst>();
  const logic = new Map<Inst, Inst>();
  defs.flat.insts.forEach((inst, at) => {
    const p = inst.dsts[0];
    if (p === undefined || defs.definition(p) !== inst) return;
    const tested = testedLogic(defs, inst, at);
    if (tested !== null) logic.set(inst, tested);
    if (tested !== null || turns(inst)) found.set(p.id, inst);
  });
  if (found.size === 0) return 0;
  // A predicate that a phi or a mask of predicates reads stays as it is.
  for (const inst of defs.flat.insts)
    if (isPhi(inst) || inst.form.op === "P2R" || inst.form.op === "R2P")
      for (const o of inst.srcs) if (o.kind === Kind.Reg && o.file === File.P) found.delete(o.id);
  const say = saying(func);
  for (const inst of found.values()) {
    const tested = logic.get(inst);
    if (tested === undefined) say?.("comparison turned", inst, "its readers read the predicate inverted");
    else say?.("test joined with its logic", inst, "LOP3 tells by itself whether the result is 0", tested);
    if (tested === undefined) inst.form = opposite(inst) ?? inst.form;
    else {
      inst.form = tested.form;
      inst.dsts = [inst.dsts[0]!, RZ()];
      inst.srcs = tested.srcs.map(clone);
    }
  }
  for (const inst of defs.flat.insts) {
    for (const o of inst.srcs) if (o.kind === Kind.Reg && o.file === File.P && found.has(o.id)) o.mods ^= Mod.Not;
    const g = inst.guard;
    if (g !== null && g.file === File.P && found.has(g.id)) inst.guard = { ...g, not: !g.not };
  }
  touch(func);
  return found.size;
}

/** The logic of which the instruction asks, alone, whether it is 0; null: it does not. */
function testedLogic(defs: Definitions, inst: Inst, at: number): Inst | null {
  if (inst.form.name !== "ISETP.EQ.AND" && inst.form.name !== "ISETP.EQ.U32.AND") return null;
  if (inst.said === "straight") return null;
  const [x, zero, pin] = inst.srcs as [Operand, Operand, Operand];
  if (inst.guard !== null || !isZeroReg(inst.dsts[1]!) || !isZeroReg(pin) || pin.mods !== 0 || x.mods !== 0)
    return null;
  if (!isReg(x) || defs.usesOf(x) !== 1 || !(isZeroReg(zero) || (zero.kind === Kind.Imm && zero.value === 0)))
    return null;
  const made = defs.definition(x);
  if (made?.form.name !== "LOP3.LUT" || made.guard !== null || !isZeroReg(made.dsts[0]!)) return null;
  const join = made.srcs[4];
  const plain = join === undefined || join.kind === Kind.None || isZeroReg(join);
  return plain && made.srcs.every((o) => o.kind === Kind.None || defs.holds(o, at)) ? made : null;
}

/** Comparisons of floats of all widths. */
const compares: ReadonlySet<string> = new Set(["FSETP", "DSETP", "HSETP2"]);

const comparisonOf = (inst: Inst): string => inst.form.mods.find((m) => floatOpposites[m] !== undefined) ?? "";

function turns(inst: Inst): boolean {
  if (!compares.has(inst.form.op) || inst.guard !== null || inst.said === "straight") return false;
  if (!turned.has(comparisonOf(inst))) return false;
  const [p, q] = inst.dsts as [Operand, Operand];
  const pin = inst.srcs[2] as Operand;
  return isReg(p) && isZeroReg(q) && isZeroReg(pin) && pin.mods === 0 && opposite(inst) !== null;
}

function opposite({ form }: Inst): Inst["form"] | null {
  if (!form.mods.includes("AND")) return null;
  return tryForm([form.op, ...form.mods.map((m) => floatOpposites[m] ?? m)].join("."));
}
