/**
 * Comparisons of floats as ptxas 13.0.88 has them in the end: less, and equal, become the opposite, and whoever reads the predicate reads it
 * inverted. Only comparisons that are joined with no other predicate.
 *
 *     FSETP.LT.AND %P0, PT, %R1, %R2, PT            FSETP.GEU.AND %P0, PT, %R1, %R2, PT
 *     FSEL %R3, %R4, %R5, %P0                 →     FSEL %R3, %R4, %R5, !%P0
 */
import { Definitions } from "../analysis/index.js";
import { tryForm } from "../isa/form.js";
import { touch } from "../ori/editor.js";
import { isPhi } from "../ori/flow.js";
import { isReg, isZeroReg } from "../ori/operand.js";
import { File, type Func, type Inst, Kind, Mod, type Operand } from "../ori/types.js";
import { floatOpposites } from "../rules/evaluate.js";

/** Comparisons that ptxas turns. */
const turned: ReadonlySet<string> = new Set(["LT", "EQ"]);

/** Returns how many comparisons became their opposites. */
export function turnCompares(func: Func): number {
  const defs = new Definitions(func);
  const found = new Map<number, Inst>();
  defs.flat.insts.forEach((inst) => {
    const p = inst.dsts[0];
    if (p !== undefined && turns(inst) && defs.definition(p) === inst) found.set(p.id, inst);
  });
  if (found.size === 0) return 0;
  // A predicate that a phi or a mask of predicates reads stays as it is.
  for (const inst of defs.flat.insts)
    if (isPhi(inst) || inst.form.op === "P2R" || inst.form.op === "R2P")
      for (const o of inst.srcs) if (o.kind === Kind.Reg && o.file === File.P) found.delete(o.id);
  for (const inst of found.values()) inst.form = opposite(inst) ?? inst.form;
  for (const inst of defs.flat.insts) {
    for (const o of inst.srcs) if (o.kind === Kind.Reg && o.file === File.P && found.has(o.id)) o.mods ^= Mod.Not;
    const g = inst.guard;
    if (g !== null && g.file === File.P && found.has(g.id)) inst.guard = { ...g, not: !g.not };
  }
  touch(func);
  return found.size;
}

function turns(inst: Inst): boolean {
  if (inst.form.op !== "FSETP" || inst.guard !== null || !turned.has(inst.form.mods[0] ?? "")) return false;
  const [p, q] = inst.dsts as [Operand, Operand];
  const pin = inst.srcs[2] as Operand;
  return isReg(p) && isZeroReg(q) && isZeroReg(pin) && pin.mods === 0 && opposite(inst) !== null;
}

function opposite(inst: Inst): Inst["form"] | null {
  const [cmp, ...rest] = inst.form.mods as [string, ...string[]];
  if (!rest.includes("AND")) return null;
  return tryForm(["FSETP", floatOpposites[cmp] ?? "", ...rest].join("."));
}
