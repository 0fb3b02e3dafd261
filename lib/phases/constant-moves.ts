/**
 * Words of constant banks as operands, on the SMs whose arithmetic reads them (sm_75 to 89): loads of known words become MOVs, which copy
 * propagation puts into their readers; what is left is a MOV of fixed latency, as in ptxas's code.
 *
 *     LDC.64 %R2, c[0x0][0x160]                 MOV %R2:0, c[0x0][0x160]; MOV %R2:1, c[0x0][0x164]
 *     IADD3 %R4, %R0, %R2:0, RZ         →       IADD3 %R4, %R0, c[0x0][0x160], RZ
 */
import { form } from "../isa/form.js";
import { insertAt, rewriteBlock } from "../ori/editor.js";
import { newInst } from "../ori/func.js";
import { altered, clone, imm, isReg, isZeroReg, part, register } from "../ori/operand.js";
import { slotDefault } from "../ori/slots.js";
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, type Operand } from "../ori/types.js";

/** Returns whether anything changed. */
export function constantsAsOperands(func: Func): boolean {
  if (!func.target.has("constantOperands")) return false;
  const mov = form("MOV");
  let changed = false;
  for (const block of func.blocks) {
    changed =
      rewriteBlock(func, block, (inst, out) => {
        const words = wordsOf(inst);
        if (words === null) out.push(inst);
        for (let k = 0; k < (words?.width ?? 0); k++) {
          const from = altered(words as Operand, { width: 1, value: (words as Operand).value + 4 * k });
          const srcs = [from, ...mov.srcs.slice(1).map(slotDefault)];
          out.push(newInst(func, mov, [part(inst.dsts[0] as Operand, k)], srcs, null, inst.loc, inst.id));
        }
      }) || changed;
  }
  return shareFactors(func) || changed;
}

/**
 * `IMAD.WIDE` takes a literal or a word of a bank, not both: the factors of products that wait for their sum come from
 * registers, one for each literal, as in ptxas's code.
 */
function shareFactors(func: Func): boolean {
  const pool = new Map<number, Operand>();
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      const [, factor, addend] = inst.srcs;
      if (!isWideProduct(inst) || factor?.kind !== Kind.Imm || addend === undefined || !isZeroReg(addend)) continue;
      const known = pool.get(factor.value) ?? register(File.R, func.values.add(File.R));
      pool.set(factor.value, known);
      inst.srcs[1] = clone(known);
    }
  }
  if (pool.size === 0) return false;
  const mov = form("MOV");
  const moves = [...pool].map(([value, to]) =>
    newInst(func, mov, [clone(to)], [imm(value), ...mov.srcs.slice(1).map(slotDefault)]),
  );
  insertAt(func, func.blocks[0] as Block, 0, ...moves);
  return true;
}

/** Products that keep their factor in a register, since a word of a bank may be added to them. */
export function isWideProduct(inst: Inst): boolean {
  return inst.form.name === "IMAD.WIDE" || inst.form.name === "IMAD.WIDE.U32";
}

/** The words of a constant bank that the instruction loads as they are; null: it does something else. */
function wordsOf(inst: Inst): Operand | null {
  if ((inst.form.name !== "LDC" && inst.form.name !== "LDC.64") || inst.guard !== null) return null;
  const d = inst.dsts[0] as Operand;
  const from = inst.srcs.find((o) => o.kind === Kind.Const);
  if (from === undefined || from.index !== NO_INDEX || from.id < 0 || !isReg(d)) return null;
  return altered(from, { width: d.width });
}
