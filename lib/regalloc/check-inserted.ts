/**
 * What an instruction that only the allocator can have inserted does to the places of values: a handful of copies, read
 * off the instruction itself. Anything else is refused.
 */
import { File, type Guard, type Inst, Kind, Mod, type Operand, ZERO_REG } from "../ori/types.js";
import type { Locations } from "./check-locations.js";

export interface Move {
  /** −1: nothing that stands for a value. */
  readonly from: number;
  readonly to: number;
  /** The copy turns a predicate into a number or back: only predicates survive it. */
  readonly predicatesOnly: boolean;
}

export interface Effect {
  readonly moves: readonly Move[];
  /** Bytes by which it lowers the stack pointer, 0 if it does not. */
  readonly lowersBy: number;
  readonly usesStack: boolean;
  readonly fault: string;
}

const STACK_POINTER = 1;

function unguarded(g: Guard | null): boolean {
  return g === null || (g.id === ZERO_REG && !g.not);
}

function isReg(o: Operand | undefined, file: File): o is Operand {
  return o !== undefined && o.kind === Kind.Reg && o.file === file && o.id !== ZERO_REG && o.mods === 0;
}

function isZero(o: Operand | undefined): boolean {
  return o !== undefined && o.kind === Kind.Reg && o.id === ZERO_REG && o.mods === 0;
}

/** `MOV d, s` between registers of one file, unguarded and unmodified: the only instruction that may be dropped. */
export function isPlainCopy(inst: Inst): boolean {
  if ((inst.form.name !== "MOV" && inst.form.name !== "UMOV") || !unguarded(inst.guard)) return false;
  const [d] = inst.dsts;
  const [s, mask] = inst.srcs;
  if (d === undefined || s === undefined || s.part !== "" || d.part !== "") return false;
  if (mask !== undefined && !writesAllBytes(inst)) return false;
  return isReg(d, d.file) && isReg(s, d.file) && s.width === d.width;
}

/** The second source of a MOV says which bytes it writes. */
function writesAllBytes(inst: Inst): boolean {
  return inst.srcs[1]?.kind === Kind.Imm && inst.srcs[1].value === 15;
}

function moves(to: Operand, from: Operand, at: Locations, predicatesOnly = false): Effect {
  const list: Move[] = [];
  for (let k = 0; k < to.width; k++) {
    list.push({ to: at.register(to.file, to.id + k), from: at.register(from.file, from.id + k), predicatesOnly });
  }
  return { moves: list, lowersBy: 0, usesStack: false, fault: "" };
}

function refuse(inst: Inst, at: Locations): Effect {
  const list: Move[] = [];
  for (const d of inst.dsts) {
    if (d.kind !== Kind.Reg || d.id === ZERO_REG) continue;
    for (let k = 0; k < d.width; k++) list.push({ to: at.register(d.file, d.id + k), from: -1, predicatesOnly: false });
  }
  return {
    moves: list,
    lowersBy: 0,
    usesStack: false,
    fault: `${inst.form.name} is neither of the program nor a copy`,
  };
}

/** Effect of an inserted instruction. */
export function inserted(inst: Inst, at: Locations): Effect {
  const d = inst.dsts[0];
  const regs = inst.srcs.filter((o) => o.kind === Kind.Reg && o.id !== ZERO_REG);
  const [s] = regs;
  switch (inst.form.op) {
    case "LDL":
    case "STL":
      return local(inst, at);
    case "IADD3":
      return frame(inst) ?? refuse(inst, at);
    case "LDC":
    case "MOV":
      if (loadsStackPointer(inst)) return { moves: [], lowersBy: 0, usesStack: false, fault: "" };
      return d !== undefined &&
        isReg(d, File.R) &&
        (isReg(s, File.R) || isReg(s, File.UR)) &&
        inst.form.name === "MOV" &&
        writesAllBytes(inst)
        ? moves(d, s, at)
        : refuse(inst, at);
    case "BMOV":
      return d !== undefined && s !== undefined ? moves(d, s, at) : refuse(inst, at);
    case "R2UR":
      return toUniform(inst, at);
    case "SEL":
    case "USEL":
      return select(inst, at);
    case "ISETP":
    case "UISETP":
      return test(inst, at);
    default:
      return refuse(inst, at);
  }
}

function loadsStackPointer(inst: Inst): boolean {
  const [d] = inst.dsts;
  return d !== undefined && isReg(d, File.R) && d.id === STACK_POINTER && inst.srcs.some((o) => o.kind === Kind.Const);
}

/** `LDL d, [R1+offset]`, `STL [R1+offset], data`, in the spill area. */
function local(inst: Inst, at: Locations): Effect {
  const bases = inst.srcs.filter((o) => o.kind === Kind.Reg && o.id !== ZERO_REG);
  const offset = inst.srcs.find((o) => o.kind === Kind.Imm)?.value ?? 0;
  const store = inst.form.op === "STL";
  const data = store ? bases[1] : inst.dsts[0];
  const [base] = bases;
  if (base === undefined || base.id !== STACK_POINTER || base.file !== File.R || !isReg(data, File.R))
    return refuse(inst, at);
  let fault = "";
  if (bases.length !== (store ? 2 : 1) || inst.form.memory?.bytes !== 4 * data.width)
    fault = `${inst.form.name} is not a spill`;
  if (offset % (4 * data.width) !== 0) fault = `${inst.form.name} at ${offset} is not aligned`;
  const list: Move[] = [];
  for (let k = 0; k < data.width; k++) {
    const word = at.stack(offset + 4 * k);
    const place = at.register(File.R, data.id + k);
    if (word < 0) fault = `[R1+${offset + 4 * k}] is outside the spill area`;
    if (store && word >= 0) list.push({ from: place, to: word, predicatesOnly: false });
    if (!store) list.push({ from: word, to: place, predicatesOnly: false });
  }
  return { moves: list, lowersBy: 0, usesStack: true, fault };
}

/** `IADD3 R1, R1, -bytes, RZ`. */
function frame(inst: Inst): Effect | null {
  const [d, ...others] = inst.dsts;
  const regs = inst.srcs.filter((o) => o.kind === Kind.Reg && o.file === File.R);
  const imms = inst.srcs.filter((o) => o.kind === Kind.Imm && o.value !== 0);
  const own = regs.filter((o) => o.id === STACK_POINTER && o.mods === 0);
  if (!isReg(d, File.R) || d.id !== STACK_POINTER || own.length !== 1 || imms.length !== 1) return null;
  if (
    regs.length - own.length !== regs.filter(isZero).length ||
    !others.every((o) => isZero(o) || o.kind === Kind.None)
  )
    return null;
  return { moves: [], lowersBy: -((imms[0] as Operand).value | 0), usesStack: false, fault: "" };
}

/** `R2UR d, a`. */
function toUniform(inst: Inst, at: Locations): Effect {
  const d = inst.dsts.find((o) => o.file === File.UR);
  const a = inst.srcs.find((o) => o.kind === Kind.Reg);
  const ok =
    inst.form.name === "R2UR" && isReg(d, File.UR) && isReg(a, File.R) && inst.dsts.every((o) => o === d || isZero(o));
  return ok ? moves(d, a, at) : refuse(inst, at);
}

/** `SEL d, RZ, 1, !p`: the predicate as 0 or 1. */
function select(inst: Inst, at: Locations): Effect {
  const [d] = inst.dsts;
  const uniform = inst.form.name === "USEL";
  const p = inst.srcs.find((o) => o.kind === Kind.Reg && (o.file === File.P || o.file === File.UP));
  const [zero, one] = inst.srcs;
  const ok =
    (uniform || inst.form.name === "SEL") &&
    isReg(d, uniform ? File.UR : File.R) &&
    isZero(zero) &&
    one?.kind === Kind.Imm &&
    one.value === 1 &&
    p !== undefined &&
    p.file === (uniform ? File.UP : File.P) &&
    p.mods === Mod.Not &&
    p.id !== ZERO_REG;
  return ok ? moves(d, p, at, true) : refuse(inst, at);
}

/** `ISETP.NE.U32.AND p, PT, a, RZ, PT`: back again. */
function test(inst: Inst, at: Locations): Effect {
  const [p, q] = inst.dsts;
  const [a, b, pin] = inst.srcs;
  const uniform = inst.form.op === "UISETP";
  const ok =
    inst.form.name === (uniform ? "UISETP.NE.U32.AND" : "ISETP.NE.U32.AND") &&
    isReg(p, uniform ? File.UP : File.P) &&
    isZero(q) &&
    isReg(a, uniform ? File.UR : File.R) &&
    isZero(b) &&
    isZero(pin);
  return ok ? moves(p, a, at, true) : refuse(inst, at);
}
