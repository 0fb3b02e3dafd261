/**
 * The few instructions that the allocator itself writes: copies to and from local memory, and from one register file to
 * another. Everything is unguarded: a value that is spilled is complete at that point, and reading a slot early is
 * harmless.
 */
import type { Span } from "../diagnostics.js";
import { InternalError } from "../errors.js";
import { type Form, form, formsNamed } from "../isa/form.js";
import { fillSlots, newInst } from "../ori/index.js";
import { constBank, imm, not, PT, RZ, reg, register, upreg, ureg } from "../ori/operand.js";
import { File, type Func, type Inst, type Operand, ZERO_REG } from "../ori/types.js";

type Named = Readonly<Record<string, Operand | undefined>>;

function make(func: Func, name: string, dsts: Named, srcs: Named, loc: Span | null, origin: number): Inst {
  const f = form(name);
  return newInst(func, f, fillSlots(f, f.dsts, dsts), fillSlots(f, f.srcs, srcs), null, loc, origin);
}

/** Where an inserted instruction comes from. */
export interface Cause {
  readonly func: Func;
  readonly loc: Span | null;
  readonly origin: number;
}

function sized(name: string, registers: number): string {
  return registers === 1 ? name : `${name}.${registers * 32}`;
}

/** `STL [sp + offset], data`: 1, 2 or 4 registers, the offset a multiple of their size. */
export function storeLocal(c: Cause, sp: Operand, offset: number, data: Operand): Inst {
  return make(c.func, sized("STL", data.width), {}, { base: sp, off: imm(offset), data }, c.loc, c.origin);
}

export function loadLocal(c: Cause, d: Operand, sp: Operand, offset: number): Inst {
  return make(c.func, sized("LDL", d.width), { d }, { base: sp, off: imm(offset) }, c.loc, c.origin);
}

/** Lowers the stack pointer by the frame's size. */
export function lowerStack(c: Cause, sp: Operand, bytes: number): Inst {
  return make(c.func, "IADD3", { d: { ...sp } }, { a: sp, b: imm(-bytes), c: RZ() }, c.loc, c.origin);
}

/** Lowers the stack pointer to a multiple of a power of two. */
export function alignStack(c: Cause, sp: Operand, align: number): Inst {
  const srcs = { a: sp, b: imm(-align), c: RZ(), lut: imm(0xc0) };
  return make(c.func, "LOP3.LUT", { d: { ...sp } }, srcs, c.loc, c.origin);
}

/** Loads the stack pointer from bank 0, as every kernel does first. */
export function loadStack(c: Cause, sp: Operand): Inst {
  const { target } = c.func;
  const from = constBank(0, target.constants.stackPointer);
  const name = target.has("constantOperands") ? "MOV" : "LDC";
  const f = form(name);
  return newInst(c.func, f, fillSlots(f, f.dsts, [sp]), fillSlots(f, f.srcs, [from]), null, c.loc, c.origin);
}

/** Moves register `sub` of `value` to (`away`) or from register `k` of its home in another file. */
export function moveHome(
  c: Cause,
  file: File,
  value: number,
  sub: number,
  home: number,
  k: number,
  away: boolean,
): Inst {
  const here = register(file, value, 1, sub);
  switch (file) {
    case File.UR:
      return away
        ? make(c.func, "MOV", { d: reg(home, 1, k) }, { b: here }, c.loc, c.origin)
        : make(c.func, "R2UR", { d: here }, { a: reg(home, 1, k) }, c.loc, c.origin);
    case File.B:
      return away ? barrierMove(c, "BMOV.32.CLEAR", reg(home), here) : barrierMove(c, "BMOV.32", here, reg(home));
    case File.P:
      return away ? predicateToRegister(c, reg(home), here) : registerToPredicate(c, here, reg(home));
    case File.UP:
      return away ? predicateToRegister(c, ureg(home), here) : registerToPredicate(c, here, ureg(home));
    default:
      throw new InternalError(`register file ${file} cannot be spilled`, { func: c.func.name });
  }
}

/** BMOV from `b` to `d`, one of them a convergence barrier. */
export function barrierMove(c: Cause, name: string, d: Operand, b: Operand): Inst {
  const f = formsNamed(name).find((x) => x.dsts[0]!.file === d.file && x.srcs[0]!.file === b.file) as Form;
  return newInst(c.func, f, fillSlots(f, f.dsts, [d]), fillSlots(f, f.srcs, [b]), null, c.loc, c.origin);
}

/** `SEL d, RZ, 1, !p`: 1 where p holds. */
function predicateToRegister(c: Cause, d: Operand, p: Operand): Inst {
  const name = d.file === File.UR ? "USEL" : "SEL";
  return make(c.func, name, { d }, { a: register(d.file, ZERO_REG), b: imm(1), pin: not(p) }, c.loc, c.origin);
}

/** `ISETP.NE.U32.AND p, PT, a, RZ, PT`. */
function registerToPredicate(c: Cause, p: Operand, a: Operand): Inst {
  const name = a.file === File.UR ? "UISETP.NE.U32.AND" : "ISETP.NE.U32.AND";
  const always = a.file === File.UR ? upreg(ZERO_REG) : PT();
  return make(c.func, name, { p }, { a, b: register(a.file, ZERO_REG), pin: always }, c.loc, c.origin);
}
