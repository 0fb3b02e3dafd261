/** Rules that hold once registers are physical: they exist, are aligned, and the counts of the function cover them. */
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../types.js";
import type { Findings } from "./finding.js";
import { fileNames } from "./operands.js";

/** Registers a program can name, the hard-wired one excluded. */
function fileSize(func: Func, file: File): number {
  switch (file) {
    case File.R:
      return 255;
    case File.UR:
      return func.target.limits.uniformRegisters;
    case File.B:
      return 16;
    default:
      return 7;
  }
}

function usedOf(func: Func, file: File): number {
  const { used } = func;
  switch (file) {
    case File.R:
      return used.R;
    case File.UR:
      return used.UR;
    case File.P:
      return used.P;
    case File.UP:
      return used.UP;
    default:
      return used.B;
  }
}

/** Registers of a group start at a multiple of this. */
export function alignmentOf(width: number): number {
  return width === 1 ? 1 : width === 2 ? 2 : 4;
}

export function checkPhysical(func: Func, out: Findings): void {
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      for (const o of inst.dsts) if (o.kind === Kind.Reg) checkRegister(func, block, inst, o, out);
      for (const o of inst.srcs) {
        if (o.kind === Kind.Reg) checkRegister(func, block, inst, o, out);
        else if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG) {
          checkRange(func, block, inst, o.file === File.None ? File.R : o.file, o.index, 1, out);
        }
      }
      const g = inst.guard;
      if (g !== null && g.id !== ZERO_REG) checkRange(func, block, inst, g.file, g.id, 1, out);
    }
  }
}

function checkRegister(func: Func, block: Block, inst: Inst, o: Operand, out: Findings): void {
  if (o.id === ZERO_REG) return;
  if (o.sub !== 0) out.add("mode", `${inst.form.name} names part ${o.sub} of a physical register`, block, inst, o.id);
  checkRange(func, block, inst, o.file, o.id, o.width, out);
  if (o.id % alignmentOf(o.width) !== 0) {
    const message = `${inst.form.name}: ${o.width} registers cannot start at ${fileNames[o.file]}${o.id}`;
    out.add("alignment", message, block, inst, o.id);
  }
}

function checkRange(func: Func, block: Block, inst: Inst, file: File, id: number, width: number, out: Findings): void {
  const name = `${fileNames[file]}${id + width - 1}`;
  if (!Number.isInteger(id) || id < 0 || id + width > fileSize(func, file)) {
    out.add("range", `${inst.form.name}: there is no register ${name}`, block, inst, id);
  } else if (id + width > usedOf(func, file)) {
    out.add("used", `${inst.form.name} names ${name}, the function counts ${usedOf(func, file)}`, block, inst, id);
  }
}
