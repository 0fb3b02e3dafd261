/** The last steps of allocation: physical numbers into the operands, identity copies out, the frame set up. */
import { InternalError } from "../errors.js";
import { STACK_STEP } from "../isa/abi.js";
import { insertAt, rewriteBlock, touch } from "../ori/index.js";
import { reg } from "../ori/operand.js";
import { type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";
import { copyOf } from "./facts.js";
import { isGuarded } from "./flat.js";
import { type FileName, files, STACK_POINTER } from "./geometry.js";
import {
  calledFromOutside,
  FRAME_ALIGN,
  findIncoming,
  findIncomingAligned,
  keptRegisters,
  saveAligned,
  saveRegisters,
} from "./kept.js";
import { loadStack, lowerStack } from "./machine.js";

/** Renames every register of the function to its physical number and records how many of each file are used. */
export function toPhysical(func: Func, assignment: Int16Array): void {
  const used: Record<FileName, number> = { R: 0, UR: 0, P: 0, UP: 0, B: 0 };
  const nameOf: Record<number, FileName> = {};
  for (const f of files) nameOf[f.file] = f.name;
  const place = (value: number, sub: number, width: number): number => {
    const base = assignment[value] as number;
    if (base < 0)
      throw new InternalError(`value ${value} has no register`, { phase: "AllocateRegisters", func: func.name });
    const name = nameOf[func.values.file(value)] as FileName;
    used[name] = Math.max(used[name], base + sub + width);
    return base + sub;
  };
  const rename = (o: Operand): void => {
    if (o.kind === Kind.Reg && o.id !== ZERO_REG) {
      o.id = place(o.id, o.sub, o.width);
      o.sub = 0;
    } else if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG) o.index = place(o.index, 0, 1);
  };
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      for (const o of inst.dsts) rename(o);
      for (const o of inst.srcs) rename(o);
      for (const o of inst.passed?.uses ?? []) rename(o);
      for (const o of inst.passed?.defs ?? []) rename(o);
      if (inst.guard !== null && inst.guard.id !== ZERO_REG) {
        inst.guard = { file: inst.guard.file, id: place(inst.guard.id, 0, 1), not: inst.guard.not };
      }
    }
  }
  func.virtual = false;
  func.used = used;
  touch(func);
}

/** Removes copies of a register to itself, which coalescing leaves after. */
export function dropIdentityCopies(func: Func): void {
  for (const block of func.blocks) {
    rewriteBlock(func, block, (inst, out) => {
      const c = copyOf(inst);
      if (c === null || c.to.id !== c.from.id) out.push(inst);
    });
  }
}

function roundUp(n: number, to: number): number {
  return Math.ceil(n / to) * to;
}

/**
 * Rounds the frame up (its parts then add up to a multiple of 8, or of 16 where quads are kept in it) and lowers the
 * stack pointer right after its load in the entry block.
 */
export function setUpFrame(func: Func): void {
  const { frame } = func;
  if (func.kind === "func") {
    setUpCalled(func);
    return;
  }
  const total = frame.localBytes + frame.spillBytes;
  if (total === 0) return;
  const step = callsOthers(func) ? 16 : 8;
  if (frame.spillBytes === 0) frame.localBytes = roundUp(total, step);
  else frame.spillBytes = roundUp(total, frame.spillBytes >= 16 || frame.localBytes > 0 ? 16 : step) - frame.localBytes;
  const entry = func.blocks[0];
  if (entry === undefined) return;
  const cause = { func, loc: null, origin: -1 };
  let at = entry.insts.findIndex(loadsStackPointer);
  if (at < 0) {
    insertAt(func, entry, 0, loadStack(cause, reg(STACK_POINTER)));
    at = 0;
  }
  insertAt(func, entry, at + 1, lowerStack(cause, reg(STACK_POINTER), frame.localBytes + frame.spillBytes));
  func.used.R = Math.max(func.used.R, STACK_POINTER + 1);
}

/**
 * Functions that are called find the stack pointer at a multiple of 16, for variables that want it: who calls keeps it so. ptxas keeps multiples
 * of 8, and such functions of its align the pointer for themselves; so do ours that code of other units may call.
 */
function callsOthers(func: Func): boolean {
  return func.blocks.some((b) => b.insts.some((i) => i.form.flow === "call"));
}

/** The frame of a function that is called: what it must give back lies on top. */
function setUpCalled(func: Func): void {
  const { frame } = func;
  const kept = keptRegisters(func);
  const offset = roundUp(frame.localBytes + frame.spillBytes, 4);
  const quads = frame.localBytes % 16 === 0 && frame.localBytes > 0;
  if ((quads || frame.spillBytes >= FRAME_ALIGN) && calledFromOutside(func)) {
    setUpAligned(func, kept, offset);
    return;
  }
  const total = roundUp(offset + 4 * kept.length, quads || callsOthers(func) ? 16 : 8);
  if (kept.length > 0 || frame.spillBytes > 0) {
    frame.spillBytes = total - frame.localBytes;
    frame.spillStores += 4 * kept.length;
    frame.spillLoads += 4 * kept.length;
  } else frame.localBytes = total;
  findIncoming(func, total);
  if (total === 0) return;
  saveRegisters(func, kept, offset, total);
  func.used.R = Math.max(func.used.R, STACK_POINTER + 1);
}

/** Above what the function keeps lies the old stack pointer, in one of three places 8 bytes apart. */
function setUpAligned(func: Func, kept: readonly number[], offset: number): void {
  const { frame } = func;
  const old = roundUp(offset + 4 * kept.length, STACK_STEP) + STACK_STEP;
  const total = roundUp(old + STACK_STEP + 4, FRAME_ALIGN);
  saveAligned(func, kept, offset, total, old);
  findIncomingAligned(func, old);
  // What alignment may take counts as well.
  frame.spillBytes = total + FRAME_ALIGN - frame.localBytes;
  frame.spillStores += 4 * kept.length + 8;
  frame.spillLoads += 4 * kept.length + 4;
  func.used.R = Math.max(func.used.R, STACK_POINTER + 1);
}

function loadsStackPointer(inst: Inst): boolean {
  const d = inst.dsts[0];
  return d !== undefined && d.kind === Kind.Reg && d.id === STACK_POINTER && d.file === 1 && !isGuarded(inst.guard);
}
