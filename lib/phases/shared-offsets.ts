/** 32-bit addresses of shared memory as a register and a distance (fold-offsets.ts). */
import { Definitions, memoryEffect, unitOf } from "../analysis/index.js";
import { form } from "../isa/form.js";
import { rewriteBlock, touch } from "../ori/editor.js";
import { newInst } from "../ori/func.js";
import { altered, clone, isReg, isZeroReg, RZ } from "../ori/operand.js";
import { slotDefault } from "../ori/slots.js";
import { File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { fits, type Moved, type Split, split } from "./distances.js";
import type { RewriteCounter } from "./rewrites.js";

/** What the register is the sum of, through sums of sums; null: no sum with a constant. */
export function movedInShared(
  address: Operand,
  at: number,
  defs: Definitions,
  carried: ReadonlySet<number>,
): Moved | null {
  let found: Moved | null = null;
  for (let o = address; isWord(o) && !carried.has(o.id); ) {
    const parts = sumWithConstant(o, defs);
    if (parts === null || !isWord(parts.register) || !defs.holds(parts.register, at)) break;
    const distance: number = parts.constant + (found?.distance ?? 0);
    if (!fits(distance)) break;
    found = { base: parts.register, distance };
    o = parts.register;
  }
  return found;
}

function isWord(o: Operand): boolean {
  return isReg(o) && !isZeroReg(o) && o.file === File.R && o.width === 1 && o.mods === 0 && o.part === "";
}

const givesNoCarry = (sum: Inst): boolean => sum.dsts.slice(1).every((d) => !isReg(d) || isZeroReg(d));

/** `IADD3 d, a, c, RZ`. */
function sumWithConstant(o: Operand, defs: Definitions): Split | null {
  const sum = defs.definition(o);
  return sum?.form.name === "IADD3" && givesNoCarry(sum) ? split(sum) : null;
}

/** Two registers and a constant, added without a carry. */
function isSumOfThree(inst: Inst): boolean {
  if (inst.form.name !== "IADD3" || inst.guard !== null || inst.said !== undefined || !givesNoCarry(inst)) return false;
  const [d] = inst.dsts;
  const three = inst.srcs.slice(0, 3);
  const plain = three.filter((o) => isReg(o) && !isZeroReg(o) && o.file === File.R && o.part === "" && o.width === 1);
  return d !== undefined && isWord(d) && plain.length === 2 && three.some((o) => o.kind === Kind.Imm);
}

/** The registers of sums of three whose readers are all accesses of shared memory and sums with constants are added first. */
export function splitSums(func: Func, rewrites: RewriteCounter): void {
  const defs = new Definitions(func);
  const sums = new Map<number, Inst>();
  for (const inst of defs.flat.insts) {
    const u = isSumOfThree(inst) ? unitOf(defs.units, inst.dsts[0] as Operand) : -1;
    if (u >= 0 && (defs.def[u] as number) >= 0) sums.set(u, inst);
  }
  if (sums.size === 0) return;
  dropReadOtherwise(defs, sums);
  const chosen = new Set(sums.values());
  if (chosen.size === 0) return;
  for (const block of func.blocks)
    rewriteBlock(func, block, (inst, out) => {
      if (chosen.has(inst) && rewrites.open) {
        out.push(takeFirst(func, inst));
        rewrites.take("registers of a sum first", inst);
      }
      out.push(inst);
    });
  touch(func);
}

/** Leaves the sums that are read, and only as the address of an access of shared memory or by a sum with a constant. */
function dropReadOtherwise(defs: Definitions, sums: Map<number, Inst>): void {
  const { flat, units } = defs;
  const read = new Map<number, number>();
  const note = (o: Operand | undefined): void => {
    if (o === undefined || !isWord(o)) return;
    const u = unitOf(units, o);
    if (sums.has(u)) read.set(u, (read.get(u) ?? 0) + 1);
  };
  for (const inst of flat.insts) {
    const sum = inst.form.name === "IADD3" && givesNoCarry(inst) ? split(inst) : null;
    if (sum !== null) note(sum.register);
    else if (inst.form.memory?.space === "shared" || inst.form.op === "LDGSTS")
      note(inst.srcs[memoryEffect(inst.form).base]);
  }
  for (const u of sums.keys()) if (read.get(u) === undefined || read.get(u) !== defs.uses[u]) sums.delete(u);
}

/** Makes the sum one of a new register, the sum of its two, and its constant; returns what computes that. */
function takeFirst(func: Func, sum: Inst): Inst {
  const d = sum.dsts[0] as Operand;
  const both = altered(d, { id: func.values.add(File.R, 1, ""), sub: 0 });
  const three = sum.srcs.slice(0, 3);
  const [a, b] = three.filter((o) => o.kind !== Kind.Imm) as [Operand, Operand];
  const constant = three.find((o) => o.kind === Kind.Imm) as Operand;
  const add = form("IADD3");
  const dsts = sum.dsts.map((o, k) => clone(k === 0 ? both : o));
  const srcs = [a, b, RZ(), ...add.srcs.slice(3).map(slotDefault)];
  const first = newInst(func, add, dsts, srcs, null, sum.loc, sum.origin);
  sum.srcs = [both, constant, RZ(), ...sum.srcs.slice(3)];
  return first;
}
