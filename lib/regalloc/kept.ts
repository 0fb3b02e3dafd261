/**
 * What a called function owes its caller (lib/isa/abi.ts): registers that it keeps, and the stack pointer.
 *
 *     IADD3 R1, R1, -frame            BMOV.32.CLEAR R16, B6
 *     STL [R1+n], R16 …               …
 *     …                               BMOV.32 B6, R16
 *     LDL R16, [R1+n] …
 *     IADD3 R1, R1, frame
 *     RET
 */
import { FIRST_KEPT_BARRIER, INCOMING, isKept, RETURN_ADDRESS, STACK_REGISTER, STACK_STEP } from "../isa/abi.js";
import { insertAt, rewriteBlock } from "../ori/index.js";
import { breg, reg } from "../ori/operand.js";
import { type Block, File, type Func, Kind, type Operand, ZERO_REG } from "../ori/types.js";
import { alignStack, barrierMove, type Cause, loadLocal, lowerStack, storeLocal } from "./machine.js";

/** Bytes: what a frame with variables or spilled quads in it starts at a multiple of. */
export const FRAME_ALIGN = 16;

/** General registers that the code changes and must give back. The return address is in its registers when the function returns. */
export function keptRegisters(func: Func): number[] {
  const written = new Set<number>();
  for (const block of func.blocks)
    for (const inst of block.insts)
      for (const o of inst.dsts) {
        if (o.kind !== Kind.Reg || o.file !== File.R || o.id === ZERO_REG) continue;
        for (let k = 0; k < o.width; k++) written.add(o.id + k);
      }
  const own = [STACK_REGISTER, RETURN_ADDRESS, RETURN_ADDRESS + 1];
  return [...written].filter((n) => isKept(n) && !own.includes(n)).sort((a, b) => a - b);
}

/** Blocks that end in a return. */
function returning(func: Func): Block[] {
  return func.blocks.filter((b) => b.insts[b.insts.length - 1]?.form.flow === "return");
}

/** Whether code of other units may call it: it returns to an absolute address. */
export function calledFromOutside(func: Func): boolean {
  return returning(func).some((b) => b.insts[b.insts.length - 1]?.form.name.startsWith("RET.ABS"));
}

/** Stores the registers at the entry, after the lowered stack pointer, and loads them before each return; `offset`: of the first. */
export function saveRegisters(func: Func, registers: readonly number[], offset: number, frame: number): void {
  const cause: Cause = { func, loc: null, origin: -1 };
  const sp = (): Operand => reg(STACK_REGISTER);
  const entry = func.blocks[0] as Block;
  let at = 0;
  insertAt(func, entry, at++, lowerStack(cause, sp(), frame));
  registers.forEach((n, k) => {
    insertAt(func, entry, at++, storeLocal(cause, sp(), offset + 4 * k, reg(n)));
  });
  for (const b of returning(func)) {
    let last = b.insts.length - 1;
    registers.forEach((n, k) => {
      insertAt(func, b, last++, loadLocal(cause, reg(n), sp(), offset + 4 * k));
    });
    insertAt(func, b, last, lowerStack(cause, sp(), -frame));
  }
}

/**
 * The same where the stack pointer has to become a multiple of 16 and comes as one of 8, for code of other units keeps no more. It goes down by
 * `frame`, or by 8 more; the old one lies at `old` of the new frame, from which it is taken back. Without a register to spare it is stored in both
 * places that may become this one.
 *
 *     STL [R1-frame+old], R1
 *     STL [R1-frame-8+old], R1
 *     IADD3 R1, R1, -frame
 *     LOP3.LUT R1, R1, -16, RZ, 0xc0
 */
export function saveAligned(
  func: Func,
  registers: readonly number[],
  offset: number,
  frame: number,
  old: number,
): void {
  const cause: Cause = { func, loc: null, origin: -1 };
  const sp = (): Operand => reg(STACK_REGISTER);
  const start = [
    storeLocal(cause, sp(), old - frame, sp()),
    storeLocal(cause, sp(), old - frame - STACK_STEP, sp()),
    lowerStack(cause, sp(), frame),
    alignStack(cause, sp(), FRAME_ALIGN),
    ...registers.map((n, k) => storeLocal(cause, sp(), offset + 4 * k, reg(n))),
  ];
  start.forEach((inst, at) => {
    insertAt(func, func.blocks[0] as Block, at, inst);
  });
  for (const b of returning(func)) {
    let last = b.insts.length - 1;
    registers.forEach((n, k) => {
      insertAt(func, b, last++, loadLocal(cause, reg(n), sp(), offset + 4 * k));
    });
    insertAt(func, b, last, loadLocal(cause, sp(), sp(), old));
  }
}

/** Parameters on the stack lie above the old stack pointer, which is loaded from `old` into the register that the parameter goes to. */
export function findIncomingAligned(func: Func, old: number): void {
  for (const block of func.blocks)
    rewriteBlock(func, block, (inst, out) => {
      const d = inst.dsts[0];
      const far = inst.form.op === "LDL" && inst.srcs.some((o) => o.kind === Kind.Imm && (o.value | 0) >= INCOMING);
      if (!far || d === undefined) {
        out.push(inst);
        return;
      }
      const first = loadLocal({ func, loc: inst.loc, origin: inst.origin }, reg(d.id), reg(STACK_REGISTER), old);
      first.guard = inst.guard;
      for (const o of inst.srcs) {
        if (o.kind === Kind.Imm && (o.value | 0) >= INCOMING) o.value -= INCOMING;
        if (o.kind === Kind.Reg && o.file === File.R && o.id === STACK_REGISTER) o.id = d.id;
      }
      out.push(first, inst);
    });
}

/** Parameters on the stack lie above the frame: gives their loads the offsets from the lowered stack pointer. */
export function findIncoming(func: Func, frame: number): void {
  for (const block of func.blocks)
    for (const inst of block.insts) {
      if (inst.form.op !== "LDL") continue;
      // Offsets below the base may be kept as unsigned numbers.
      for (const o of inst.srcs) if (o.kind === Kind.Imm && (o.value | 0) >= INCOMING) o.value += frame - INCOMING;
    }
}

/**
 * Saves the convergence barriers that the function uses and must keep in general registers, while those are still virtual.
 * Returns whether there were any.
 */
export function keepBarriers(func: Func, places: Int16Array): boolean {
  if (func.kind !== "func") return false;
  const used = new Set<number>();
  for (const block of func.blocks)
    for (const inst of block.insts)
      for (const o of inst.dsts) if (o.kind === Kind.Reg && o.file === File.B) used.add(places[o.id] as number);
  const kept = [...used].filter((n) => n >= FIRST_KEPT_BARRIER).sort((a, b) => a - b);
  const entry = func.blocks[0] as Block;
  const cause: Cause = { func, loc: null, origin: -1 };
  for (const n of kept) {
    const barrier = func.values.add(File.B, 1, "", n);
    const home = func.values.add(File.R);
    insertAt(func, entry, 0, barrierMove(cause, "BMOV.32.CLEAR", reg(home), breg(barrier)));
    for (const b of returning(func))
      insertAt(func, b, b.insts.length - 1, barrierMove(cause, "BMOV.32", breg(barrier), reg(home)));
  }
  return kept.length > 0;
}
