/**
 * Masks that nobody sees: whoever reads only the low bits of a sum, product, shift or logic needs no mask on what goes into it. Exact: low bits
 * of these depend on the same low bits of their operands alone. And wide products of which one half is read.
 */

import { unitOf } from "../../analysis/index.js";
import { form } from "../../isa/form.js";
import { isReg, isZeroReg, RZ } from "../../ori/operand.js";
import { slotDefault } from "../../ori/slots.js";
import { type Inst, Kind, type Operand } from "../../ori/types.js";
import { type Apply, type CombineRule, type Combining, isZero, plainReg, unused } from "../combining.js";
import { partStores } from "./bytes.js";

/** Instructions looked through. */
const DEPTH = 3;

/** Of a source of the root only this many low bits are read; null: more, or it is not known. */
function lowBitsRead(c: Combining, root: Inst): { readonly slot: number; readonly bits: number } | null {
  if (partStores.includes(root.form.name))
    return {
      slot: root.form.srcs.findIndex((s) => s.name === "data"),
      bits: root.form.mods.some((m) => m === "U8" || m === "S8") ? 8 : 16,
    };
  const literal = root.srcs[1] === undefined ? null : c.literal(root.srcs[1]);
  if (literal === null) return null;
  switch (root.form.name) {
    case "LOP3.LUT": {
      const isAnd = root.srcs[3]!.kind === Kind.Imm && root.srcs[3]!.value === 0xc0;
      if (!isAnd || !isZeroReg(root.srcs[2]!) || !unused(root.dsts[0]) || literal === 0) return null;
      return { slot: 0, bits: 32 - Math.clz32(literal) };
    }
    case "SHF.L.U32":
      return literal > 0 && literal <= 31 && isZeroReg(root.srcs[2]!) ? { slot: 0, bits: 32 - literal } : null;
    case "SGXT":
    case "SGXT.U32":
      return literal >= 1 && literal <= 31 ? { slot: 0, bits: literal } : null;
    case "PRMT": {
      const isLow = isZeroReg(root.srcs[2]!) && (literal === 0x9910 || literal === 0x8880);
      return isLow ? { slot: 0, bits: literal === 0x8880 ? 8 : 16 } : null;
    }
    default:
      return null;
  }
}

/** Sources of which the low bits of the result need no more than the given number, each with that number. */
function neededOf(c: Combining, inst: Inst, bits: number): readonly (readonly [slot: number, bits: number])[] {
  if (inst.dsts.filter((d) => !unused(d)).length !== 1) return [];
  switch (inst.form.name) {
    case "IADD3":
    case "LOP3.LUT":
    case "IMAD":
      return [0, 1, 2].map((k) => [k, bits]);
    case "LEA.HI":
    case "LEA.HI.SX32":
      return [[1, bits]];
    case "SHF.L.U32": {
      const n = c.literal(inst.srcs[1]!);
      return n === null || n >= bits ? [] : [[0, bits - n]];
    }
    case "LEA": {
      const n = c.literal(inst.srcs[2]!);
      return n === null || n >= bits
        ? [[1, bits]]
        : [
            [0, bits - n],
            [1, bits],
          ];
    }
    default:
      return [];
  }
}

/** One mask less in what makes the operand; false: there is none. */
function unmask(c: Combining, o: Operand, at: number, bits: number, depth: number): boolean {
  if (!plainReg({ ...o, mods: 0 }) || !c.once(o)) return false;
  const inst = c.made({ ...o, mods: 0 });
  if (inst === null || inst.dsts.some((d) => !unused(d) && (d.width !== 1 || d.id !== o.id))) return false;
  const place = c.defs.indexOf({ ...o, mods: 0 });
  if (!c.defs.before(place, at)) return false;
  for (const [slot, needed] of neededOf(c, inst, bits)) {
    const source = inst.srcs[slot] as Operand;
    const from = maskedBy(c, source, place, needed);
    const srcs = inst.srcs.map((s, k) => (k === slot && from !== null ? { ...from, mods: s.mods } : s));
    if (from !== null && c.write(place, inst.form, inst.dsts, srcs)) return true;
    if (depth > 1 && unmask(c, source, place, needed, depth - 1)) return true;
  }
  return false;
}

/** What a mask that keeps these low bits is laid on; null: the operand is none such. */
function maskedBy(c: Combining, o: Operand, at: number, bits: number): Operand | null {
  if (!plainReg({ ...o, mods: 0 }) || isZeroReg(o)) return null;
  const and = c.inner({ ...o, mods: 0 }, at, ["LOP3.LUT"]);
  const literal = and === null ? null : c.literal(and.srcs[1]!);
  if (and === null || literal === null || !unused(and.dsts[0]) || !unused(and.srcs[4])) return null;
  if (and.srcs[3]!.kind !== Kind.Imm || and.srcs[3]!.value !== 0xc0 || !isZeroReg(and.srcs[2]!)) return null;
  const low = bits > 31 ? 0xffffffff : (1 << bits) - 1;
  return plainReg(and.srcs[0]!) && (literal & low) >>> 0 === low >>> 0 ? and.srcs[0]! : null;
}

const unseenMask: Apply = (c, root, at) => {
  const read = lowBitsRead(c, root);
  const o = read === null ? undefined : root.srcs[read.slot];
  return read !== null && o !== undefined && o.mods === 0 && unmask(c, o, at, read.bits, DEPTH);
};

/** A wide product of which one half is read: `IMAD.WIDE d, a, b, c` → `IMAD d.0, a, b, c.0`, `IMAD.HI d.1, a, b, RZ`. */
const halfOfProduct: Apply = (c, root, at) => {
  const [d, carry] = root.dsts as [Operand, Operand];
  const [a, b, z] = root.srcs as [Operand, Operand, Operand];
  if (!isReg(d) || isZeroReg(d) || !unused(carry)) return false;
  const unit = unitOf(c.defs.units, d);
  const [low, high] = [c.defs.uses[unit]!, c.defs.uses[unit + 1]!];
  if (high === 0 && low > 0) {
    const to = { ...d, width: 1 };
    if (isZero(z)) return c.write(at, form("IMAD"), [to], [a, b, RZ()]);
    return isReg(z) && z.mods === 0 && c.write(at, form("IMAD"), [to], [a, b, { ...z, width: 1 }]);
  }
  const factor = [a, b].map((o) => c.literal(o)).find((v) => v !== null) ?? 0;
  // As ptxas has it: where the upper half is a shift.
  if (low > 0 || high === 0 || !isZero(z) || factor === 0 || (factor & (factor - 1)) !== 0) return false;
  const f = form(root.form.mods.includes("U32") ? "IMAD.HI.U32" : "IMAD.HI");
  return c.write(at, f, [{ ...d, width: 1, sub: d.sub + 1 }, ...f.dsts.slice(1).map(slotDefault)], [a, b, RZ(2)]);
};

export const readBitRules: readonly CombineRule[] = [
  {
    name: "unseen-mask",
    roots: [...partStores, "LOP3.LUT", "SHF.L.U32", "SGXT", "SGXT.U32", "PRMT"],
    inner: ["IADD3", "LOP3.LUT", "IMAD", "SHF.L.U32", "LEA", "LEA.HI", "LEA.HI.SX32"],
    apply: unseenMask,
  },
  { name: "half-of-product", roots: ["IMAD.WIDE", "IMAD.WIDE.U32"], apply: halfOfProduct },
];
