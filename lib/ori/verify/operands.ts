/** Operands against the slots of the form, and against the value table while registers are virtual. */
import { type Form, rowOf, type SlotInfo } from "../../isa/form.js";
import { applyWidths } from "../../isa/widths.js";
import { kindName, slotAccepts } from "../slots.js";
import { type Block, File, type Func, type Inst, Kind, Mod, NO_INDEX, type Operand, ZERO_REG } from "../types.js";
import type { Findings } from "./finding.js";

export const fileNames: readonly string[] = ["", "R", "UR", "P", "UP", "B"];

export function checkOperands(func: Func, out: Findings): void {
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      checkList(func, block, inst, inst.form.dsts, inst.dsts, "definition", out);
      checkList(func, block, inst, inst.form.srcs, inst.srcs, "source", out);
      checkDefinitions(func.virtual, block, inst, out);
      checkGuard(func, block, inst, out);
    }
  }
}

function checkList(
  func: Func,
  block: Block,
  inst: Inst,
  slots: readonly SlotInfo[],
  operands: readonly Operand[],
  what: string,
  out: Findings,
): void {
  const { variadic } = inst.form;
  if (!variadic && slots.length !== operands.length) {
    const message = `${inst.form.name} has ${operands.length} ${what}s for ${slots.length} slots`;
    out.add("operand-count", message, block, inst);
  }
  for (let i = 0; i < operands.length; i++) {
    const o = operands[i] as Operand;
    const slot = slots[i];
    if (slot !== undefined && !variadic) checkSlot(block, inst, slot, o, out);
    if (o.kind === Kind.Reg) checkRegister(func, block, inst, o, out);
    else checkNumber(func, block, inst, o, out);
  }
}

function describe(form: Form, slot: SlotInfo): string {
  return `${form.name}, slot ${slot.name}`;
}

function checkSlot(block: Block, inst: Inst, slot: SlotInfo, o: Operand, out: Findings): void {
  // The common case first: a register of the slot's own file.
  if (!(o.kind === Kind.Reg && o.file === slot.file) && !slotAccepts(slot, o)) {
    const file = o.kind === Kind.Reg ? ` of file ${fileNames[o.file]}` : "";
    out.add("operand-kind", `${describe(inst.form, slot)} cannot hold ${kindName(o)}${file}`, block, inst);
    return;
  }
  // Beside a uniform register a base of 32 bits is an offset (`[R4.U32+UR4]`).
  const narrow = slot.name === "base" && o.width === 1 && hasUniformOffset(inst);
  if (o.kind === Kind.Reg && o.id !== ZERO_REG && o.width !== slot.width && !narrow) {
    const width = widthWithin(inst, o, slot);
    if (o.width === width) return;
    const message = `${describe(inst.form, slot)} takes ${width} registers, not ${o.width}`;
    out.add("operand-width", message, block, inst, o.id);
  }
}

/** Registers of an operand that other operands tell: coordinates by the dimension of a texture, results by a mask. */
function widthWithin(inst: Inst, o: Operand, slot: SlotInfo): number {
  const { widths } = rowOf(inst.form);
  if (!widths.open) return slot.width;
  const sized = (operands: readonly Operand[], slots: readonly SlotInfo[]): Operand[] =>
    operands.map((x, i) => ({ ...x, width: slots[i]?.width ?? x.width }));
  const [dsts, srcs] = [sized(inst.dsts, inst.form.dsts), sized(inst.srcs, inst.form.srcs)];
  applyWidths(widths, inst.form, dsts, srcs);
  const at = inst.srcs.indexOf(o);
  return (at >= 0 ? srcs[at] : dsts[inst.dsts.indexOf(o)])?.width ?? slot.width;
}

function hasUniformOffset(inst: Inst): boolean {
  const at = inst.form.srcs.findIndex((s) => s.name === "ur");
  return at >= 0 && inst.srcs[at]?.kind === Kind.Reg && inst.srcs[at].id !== ZERO_REG;
}

function checkRegister(func: Func, block: Block, inst: Inst, o: Operand, out: Findings): void {
  if (o.id === ZERO_REG) {
    if (o.sub !== 0) out.add("zero-register", `${inst.form.name} names a part of the zero register`, block, inst);
    if (o.file === File.B) out.add("zero-register", `${inst.form.name}: there is no zero barrier`, block, inst);
    return;
  }
  if (func.virtual) checkValue(func, block, inst, o.file, o.id, o.sub, o.width, out);
}

function checkValue(
  func: Func,
  block: Block,
  inst: Inst,
  file: File,
  id: number,
  sub: number,
  width: number,
  out: Findings,
): void {
  const { values } = func;
  let wrong = "";
  if (!Number.isInteger(id) || id < 0 || id >= values.count) wrong = `there is no value ${id}`;
  else if (values.file(id) !== file) {
    wrong = `value ${id} lives in ${fileNames[values.file(id)]}, the operand says ${fileNames[file]}`;
  } else if (sub < 0 || width < 1 || sub + width > values.width(id)) {
    wrong = `value ${id} has ${values.width(id)} registers, the operand names ${width} from ${sub} on`;
  }
  if (wrong !== "") out.add("value", `${inst.form.name}: ${wrong}`, block, inst, id);
}

function checkNumber(func: Func, block: Block, inst: Inst, o: Operand, out: Findings): void {
  let wrong = "";
  if (o.kind === Kind.Imm) {
    if (o.value !== o.value >>> 0 || o.high !== o.high >>> 0) wrong = `${o.value} is no unsigned 32-bit pattern`;
  } else if (o.kind === Kind.Const) {
    if (!Number.isInteger(o.value)) wrong = `${o.value} is no offset`;
    if (!Number.isInteger(o.id) || o.id < indirectBank || o.id > 31) wrong = `there is no constant bank ${o.id}`;
    if (o.index !== NO_INDEX && o.index !== ZERO_REG && func.virtual) {
      checkValue(func, block, inst, o.file === File.None ? File.R : o.file, o.index, 0, 1, out);
    }
  }
  if (wrong !== "") out.add("operand-value", `${inst.form.name}: ${wrong}`, block, inst);
}

/** The bank of `cx[UR][…]`, named by the uniform register. */
const indirectBank = -1;

function checkDefinitions(virtual: boolean, block: Block, inst: Inst, out: Findings): void {
  for (let i = 0; i < inst.dsts.length; i++) {
    const o = inst.dsts[i] as Operand;
    if (o.kind === Kind.None) continue;
    if (o.kind !== Kind.Reg || (o.mods & ~Mod.Reuse) !== 0) {
      out.add("definition", `${inst.form.name} defines something that is no plain register`, block, inst);
      continue;
    }
    for (let k = 0; k < i && o.id !== ZERO_REG; k++) {
      if (!overlap(virtual, inst.dsts[k] as Operand, o)) continue;
      out.add("double-definition", `${inst.form.name} defines a register twice`, block, inst, o.id);
    }
  }
}

/** Parts of one value; on physical registers `sub` is 0 and the numbers themselves are the parts of the file. */
function overlap(virtual: boolean, a: Operand, b: Operand): boolean {
  if (a.kind !== Kind.Reg || a.id === ZERO_REG || a.file !== b.file || (virtual && a.id !== b.id)) return false;
  const p = virtual ? a.sub : a.id;
  const q = virtual ? b.sub : b.id;
  return p < q + b.width && q < p + a.width;
}

function checkGuard(func: Func, block: Block, inst: Inst, out: Findings): void {
  const g = inst.guard;
  if (g === null) return;
  if (g.file !== File.P && g.file !== File.UP) {
    out.add("guard", `${inst.form.name} is guarded by file ${fileNames[g.file]}`, block, inst);
  } else if (g.id !== ZERO_REG && func.virtual) checkValue(func, block, inst, g.file, g.id, 0, 1, out);
}
