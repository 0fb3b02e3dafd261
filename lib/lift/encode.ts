/**
 * Lifted code back to words, in whatever order its blocks and instructions stand now. Addresses in the code that are data
 * (return addresses, relocated addresses of its own) are filled in anew.
 */
import { InternalError } from "../errors.js";
import { clone } from "../ori/operand.js";
import { type Inst, Kind, type MachineInst } from "../ori/types.js";
import { type EncodeContext, encodeInst, form } from "../sass/index.js";
import type { Target } from "../target/types.js";
import type { CodePoint, Lifted, LiftedReloc } from "./types.js";

export interface LiftedCode {
  /** Four u32 per instruction, the tail included. */
  readonly words: Uint32Array;
  /** Byte offset of each instruction by its id, −1 for ids that are not in the function. */
  readonly offsets: Int32Array;
  /** Byte offset of each block by its id, −1 for ids that are not in the function. */
  readonly labels: Int32Array;
  /** Byte offset of the tail. */
  readonly tailOffset: number;
}

/**
 * The words of the function as it stands. A function that was not changed gives back the words it came from. Throws
 * InternalError on an instruction that has no encoding or no control word.
 */
export function encodeLifted(lifted: Lifted): LiftedCode {
  const { func, tail } = lifted;
  if (func.virtual) throw new InternalError("the registers are still virtual", { func: func.name });
  const offsets = new Int32Array(func.nextInst).fill(-1);
  const labels = new Int32Array(func.nextBlock).fill(-1);
  let n = 0;
  for (const b of func.blocks) {
    labels[b.id] = 16 * n;
    for (const inst of b.insts) offsets[inst.id] = 16 * n++;
  }
  if (func.blocks[0]!.id !== lifted.entries[0]!.block)
    throw new InternalError("the first block of a lifted function must stay the first", { func: func.name });
  const words = new Uint32Array(4 * codeLength(n, lifted));
  const context: EncodeContext = {
    label: (block) => {
      const at = labels[block]!;
      if (at < 0) throw new InternalError(`no block ${block}`, { func: func.name });
      return at;
    },
    // Symbols of the original have been replaced by what lay in the word.
    reloc: (r) => {
      throw new InternalError(`symbol ${r.symbol} in lifted code: there is no relocation for it`, { func: func.name });
    },
  };
  let at = 0;
  for (const b of func.blocks)
    for (const inst of b.insts) {
      if (inst.control === null) throw new InternalError(`${inst.form.name} has no control word`, { func: func.name });
      encodeInst(plain(lifted, inst, offsets), func.target, words, 4 * at, 16 * at, context);
      at++;
    }
  writeTail(words, n, tail.subarray(0, words.length - 4 * n), func.target);
  return { words, offsets, labels, tailOffset: 16 * n };
}

/** The instruction with numbers for the symbols and code addresses that its operands stand for. */
function plain(lifted: Lifted, inst: Inst, offsets: Int32Array): MachineInst {
  const relocs = relocsOf(lifted, inst);
  const address = lifted.addresses.get(inst.id) ?? lifted.addresses.get(inst.origin);
  if (relocs.length === 0 && address === undefined) return inst;
  const srcs = inst.srcs.map(clone);
  for (const { operand } of relocs) {
    const o = operand === null ? undefined : srcs[operand.slot];
    if (operand === null || o === undefined || o.kind !== Kind.Sym) continue;
    o.kind = operand.kind;
    o.value = operand.value;
    o.high = operand.high;
    o.id = operand.kind === Kind.Label ? -1 : 0;
    o.part = "";
  }
  if (address !== undefined) srcs[address.slot]!.value = placeOf(address.target, offsets, lifted);
  return { form: inst.form, dsts: inst.dsts, srcs, guard: inst.guard, control: inst.control };
}

/** Relocations of an instruction, or of the one that it is a copy of. */
export function relocsOf(lifted: Lifted, inst: Inst): readonly LiftedReloc[] {
  return lifted.relocs.get(inst.id) ?? lifted.relocs.get(inst.origin) ?? [];
}

/** Byte offset of a code point in the new code. */
export function placeOf(point: CodePoint, offsets: Int32Array, lifted: Lifted): number {
  const at = offsets[point.inst] ?? -1;
  if (at < 0)
    throw new InternalError(`instruction ${point.inst} is gone, but its address is used`, { func: lifted.func.name });
  return at + (point.after ? 16 : 0);
}

/** Instructions with the tail: as long as it was when the body is; else filled up as ptxas does (measured on ptxas 13.0.88). */
function codeLength(n: number, { func, tail, tailOffset }: Lifted): number {
  if (16 * n === tailOffset) return n + tail.length / 4;
  return tail.length === 0 ? n : paddedLength(n + 1, func.target);
}

/** Body and branch filled up to 128 bytes, from sm_80 on with at least eight NOPs. */
function paddedLength(n: number, target: Target): number {
  return 8 * Math.ceil((n + (target.has("nopTail") ? 8 : 0)) / 8);
}

/** The tail's words do not depend on where they stand; NOPs without a control word's waits fill it up. */
function writeTail(words: Uint32Array, n: number, tail: Uint32Array, target: Target): void {
  for (let at = 4 * n, from = 0; at < words.length; at += 4, from += 4) {
    if (from < tail.length) words.set(tail.subarray(from, from + 4), at);
    else encodeInst(padding, target, words, at);
  }
}

/** As ptxas fills functions up (measured on ptxas 13.0.88). */
const padding: MachineInst = {
  form: form("NOP"),
  dsts: [],
  srcs: [],
  guard: null,
  control: { stall: 0, yield: 0, writeSb: 7, readSb: 7, wait: 0, reuse: 0 },
};
