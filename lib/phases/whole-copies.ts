/**
 * Asynchronous copies that bring all bytes or none (GeneralOptimize, before its rounds): no bytes at the end have to be told to be zero,
 * only the predicate says whether any come, as in ptxas 13.0.88's code (asked on sm_80, 90, 100 with sizes chosen by one and by two
 * predicates; a size that may be in between keeps the sum).
 *
 *     SEL %R4, RZ, 0x10, !%P0
 *     ISETP.NE.U32.AND %P1, PT, %R4, RZ, PT
 *     IADD3 %R5, -%R4, 0x10, RZ
 *     LOP3.LUT %R6, %R5, 0xf, RZ, 0xc0, !PT
 *     IADD3 %R8:0, %P2, %R2:0, %R6, RZ
 *     IADD3.X %R8:1, %R2:1, RZ, RZ, %P2, !PT
 *     LDGSTS.E.BYPASS.128.ZFILL [%R7], desc[%UR4][%R8.64], %P1   →   LDGSTS.E.BYPASS.128 [%R7], desc[%UR4][%R2.64], %P1
 */
import { analysis, Definitions, isWholeMove, unitOf } from "../analysis/index.js";
import { tryForm } from "../isa/form.js";
import { isPhi } from "../ori/flow.js";
import { altered, isReg, isZeroReg } from "../ori/operand.js";
import { type Func, type Inst, Kind, Mod, type Operand } from "../ori/types.js";
import type { RewriteCounter } from "./rewrites.js";

/** Definitions looked through for one size. */
const MOST = 16;

/** Returns how many copies changed. */
export function wholeCopies(func: Func, rewrites: RewriteCounter): number {
  if (func.milestone !== "ssa") return 0;
  let defs: Definitions | null = null;
  let count = 0;
  for (const [k, inst] of analysis(func, "flat").insts.entries()) {
    if (inst.form.op !== "LDGSTS" || !inst.form.mods.includes("ZFILL") || !rewrites.open) continue;
    defs ??= new Definitions(func);
    const at = inst.form.srcs.findIndex((s) => s.name === "addr");
    const base = inst.srcs[at] === undefined ? null : baseOf(inst.srcs[at], inst.form.memory?.bytes ?? 0, defs);
    const plain = tryForm(inst.form.name.replace(".ZFILL", ""));
    if (base === null || plain === null || !defs.holds(base, k)) continue;
    inst.form = plain;
    inst.srcs = inst.srcs.map((o, slot) => (slot === at ? base : o));
    rewrites.take("a copy of all bytes or none", inst);
    count++;
  }
  if (count > 0) func.generation++;
  return count;
}

/** What the missing bytes are added to, where there are none of a size that is copied at all; null: it is not known. */
function baseOf(address: Operand, bytes: number, defs: Definitions): Operand | null {
  if (!isReg(address) || address.width !== 2 || address.mods !== 0) return null;
  const { units, def, flat } = defs;
  const u = unitOf(units, address);
  const [low, high] = [flat.insts[def[u] as number], flat.insts[def[u + 1] as number]];
  if (low?.form.name !== "IADD3" || high?.form.name !== "IADD3.X") return null;
  const [x, missing] = low.srcs as [Operand, Operand];
  const [y] = high.srcs as [Operand];
  const pair = isReg(x) && isReg(y) && x.id === y.id && x.sub % 2 === 0 && x.sub + 1 === y.sub;
  if (!pair || x.mods !== 0 || y.mods !== 0 || ![low.srcs[2], ...high.srcs.slice(1, 3)].every(isZero)) return null;
  const masked = defs.definition(missing);
  const [rest, mask] = masked?.srcs ?? [];
  if (masked?.form.name !== "LOP3.LUT" || mask?.kind !== Kind.Imm || mask.value !== bytes - 1 || rest === undefined)
    return null;
  const difference = defs.definition(rest);
  const [size, whole] = difference?.srcs ?? [];
  const known =
    difference?.form.name === "IADD3" && size?.mods === Mod.Neg && whole?.kind === Kind.Imm && whole.value === bytes;
  if (!known || !allOrNone(altered(size, { mods: 0 }), bytes, defs, { left: MOST, seen: new Set() })) return null;
  return altered(address, { id: x.id, sub: x.sub });
}

const isZero = (o: Operand | undefined): boolean => o !== undefined && isZeroReg(o);

/** The size is a multiple of all bytes: literals that are chosen among. */
function allOrNone(o: Operand, bytes: number, defs: Definitions, walk: { left: number; seen: Set<Inst> }): boolean {
  if (o.kind === Kind.Imm) return o.value % bytes === 0;
  if (isZeroReg(o)) return true;
  const inst = o.mods === 0 && o.width === 1 ? defs.definition(o) : null;
  if (inst === null || inst.guard !== null || walk.left-- <= 0) return false;
  if (walk.seen.has(inst)) return true;
  walk.seen.add(inst);
  const of = (list: readonly Operand[]): boolean => list.every((s) => allOrNone(s, bytes, defs, walk));
  if (inst.form.name === "SEL") return of(inst.srcs.slice(0, 2));
  if (isWholeMove(inst)) return of(inst.srcs.slice(0, 1));
  return isPhi(inst) && of(inst.srcs);
}
