/**
 * ReplaceUniformsWithImm: words of constant banks at a known distance. nvcc takes the address of a large parameter once and loads its members from
 * there; ptxas 13.0.88 reads them as it reads any parameter (asked on sm_75, 86, 90, 120: `ld.param [%rd + n]` after `mov.b64 %rd, param`,
 * copies and sums of literals between them included).
 *
 *     MOV %R6, 0x10                              MOV %R6, 0x10          (dead now)
 *     LDC.64 %R28, c[0x0][%R6+0x398]      →      LDC.64 %R28, c[0x0][0x3a8]
 */
import { Definitions, isWholeMove } from "../analysis/index.js";
import { touch } from "../ori/editor.js";
import { altered, isReg, isZeroReg, register } from "../ori/operand.js";
import { File, type Func, type Inst, Kind, NO_INDEX, type Operand } from "../ori/types.js";
import { encodes } from "../rules/encodable.js";
import type { RewriteCounter } from "./rewrites.js";

/** Copies and sums that are followed from an index. */
const MOST_STEPS = 16;

/** Returns how many reads changed. */
export function settleIndices(func: Func, rewrites: RewriteCounter): number {
  const indexed = (o: Operand): boolean => o.kind === Kind.Const && o.index !== NO_INDEX;
  if (!func.blocks.some((b) => b.insts.some((i) => i.srcs.some(indexed)))) return 0;
  const defs = new Definitions(func);
  // No record of a load from another bank without an index is known for capsules of Mercury.
  const readable = (o: Operand): boolean => o.id === 0 || !func.target.has("capmerc");
  let count = 0;
  defs.flat.insts.forEach((inst, at) => {
    if (!inst.srcs.some(indexed) || !rewrites.open) return;
    const srcs = inst.srcs.map((o) => (indexed(o) && readable(o) ? (settled(o, at, defs) ?? o) : o));
    if (srcs.every((o, k) => o === inst.srcs[k]) || !encodes(func, inst.form, inst.dsts, srcs)) return;
    inst.srcs = srcs;
    rewrites.take("index of a constant bank known", inst);
    count++;
  });
  if (count > 0) touch(func);
  return count;
}

/** The word without its index; null: the index is not known. */
function settled(o: Operand, at: number, defs: Definitions): Operand | null {
  const index = isZeroReg(register(File.R, o.index)) ? 0 : numberIn(register(File.R, o.index), at, defs, MOST_STEPS);
  if (index === null) return null;
  const value = (o.value + index) | 0;
  return value < 0 ? null : altered(o, { index: NO_INDEX, value });
}

/** What a register of one definition holds, which is a literal, a copy of such a register or a sum of such; null: something else. */
function numberIn(o: Operand, at: number, defs: Definitions, steps: number): number | null {
  if (o.mods !== 0 || o.part !== "") return null;
  if (o.kind === Kind.Imm) return o.value | 0;
  if (!isReg(o)) return isZeroReg(o) ? 0 : null;
  const made = o.width === 1 && steps > 0 ? defs.indexOf(o) : -1;
  if (made < 0 || !defs.before(made, at)) return null;
  const inst = defs.flat.insts[made] as Inst;
  const { name } = inst.form;
  if (inst.guard !== null) return null;
  if (isWholeMove(inst)) return numberIn(inst.srcs[0] as Operand, made, defs, steps - 1);
  if (name !== "IADD3" || inst.dsts[0]?.id !== o.id) return null;
  let sum = 0;
  for (const term of inst.srcs.slice(0, 3)) {
    const value = numberIn(term, made, defs, steps - 1);
    if (value === null) return null;
    sum = (sum + value) | 0;
  }
  return sum;
}
