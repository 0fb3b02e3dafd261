/**
 * Loads of two neighbouring words of a constant bank in one block become one, as ptxas 13.0.88 has them on every SM from sm_90 on
 * (measured; earlier ones have the words as operands). The cells of the launch, before the parameters, it loads one by one.
 *
 *     LDC %R4, c[0x0][0x218]                 LDC.64 %R8, c[0x0][0x218]
 *     LDC %R5, c[0x0][0x21c]          →      IMAD %R6, %R2, %R8:0, %R8:1
 *     IMAD %R6, %R2, %R4, %R5
 */
import { type Form, tryForm } from "../isa/form.js";
import { rewriteBlock, touch } from "../ori/editor.js";
import { newInst } from "../ori/func.js";
import { altered, isReg, register } from "../ori/operand.js";
import { File, type Func, type Inst, Kind, NO_INDEX, type Operand } from "../ori/types.js";
import { saying } from "./notes.js";

/** After the SSA window: what is loaded once is named by its value alone. */
export function pairLoads(func: Func): void {
  const wide = tryForm("LDC.64") as Form;
  const single = singles(func);
  const parts = new Map<number, Operand>();
  const say = saying(func);
  for (const block of func.blocks) {
    const at = new Map<number, number>();
    for (const [i, inst] of block.insts.entries()) if (single(inst)) at.set(word(inst), i);
    const second = new Set<Inst>();
    const first = new Map<Inst, Inst>();
    for (const [key, i] of at) {
      const k = key % 8 === 0 ? at.get(key + 4) : undefined;
      if (k === undefined) continue;
      const [low, high] = [block.insts[i] as Inst, block.insts[k] as Inst];
      const pair = func.values.add(File.R, 2, func.values.name((low.dsts[0] as Operand).id));
      parts.set((low.dsts[0] as Operand).id, register(File.R, pair, 1, 0));
      parts.set((high.dsts[0] as Operand).id, register(File.R, pair, 1, 1));
      const [early, late] = i < k ? [low, high] : [high, low];
      const from = altered(low.srcs[0] as Operand, { width: 2 });
      const made = newInst(func, wide, [register(File.R, pair, 2)], [from], null, low.loc, low.id);
      say?.("two loads at once", made, "they read the halves of 8 bytes", high);
      first.set(early, made);
      second.add(late);
    }
    if (first.size > 0)
      rewriteBlock(func, block, (inst, out) => void (second.has(inst) || out.push(first.get(inst) ?? inst)));
  }
  if (parts.size === 0) return;
  for (const block of func.blocks)
    for (const inst of block.insts)
      for (const o of inst.srcs) {
        const p = isReg(o) ? parts.get(o.id) : undefined;
        if (p === undefined) continue;
        o.id = p.id;
        o.sub = p.sub;
      }
  touch(func);
}

/** Bank and offset of a load in one number. */
const word = ({ srcs }: Inst): number => (srcs[0] as Operand).id * 0x1000000 + (srcs[0] as Operand).value;

/** Whether an instruction loads a word of a bank into a register that has no other definition and indexes no bank. */
function singles(func: Func): (inst: Inst) => boolean {
  const definitions = new Int32Array(func.values.count);
  for (const block of func.blocks)
    for (const inst of block.insts) {
      for (const o of inst.dsts) if (isReg(o)) definitions[o.id] = (definitions[o.id] as number) + 1;
      for (const o of inst.srcs)
        if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index >= 0) definitions[o.index] = 2;
    }
  return ({ form, guard, dsts, srcs }) => {
    const [d, from] = [dsts[0], srcs[0]];
    if (form.name !== "LDC" || guard !== null || d === undefined || !isReg(d) || from?.kind !== Kind.Const)
      return false;
    const plain = from.index === NO_INDEX && from.id >= 0 && from.sym === "";
    if (from.id === 0 && from.value < func.target.constants.paramBase) return false;
    return (
      plain &&
      d.file === File.R &&
      func.values.width(d.id) === 1 &&
      definitions[d.id] === 1 &&
      func.values.fixed(d.id) < 0
    );
  };
}
