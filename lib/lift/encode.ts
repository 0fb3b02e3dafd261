/** Lifted code back to words, in whatever order its blocks and instructions stand now. */
import { InternalError } from "../errors.js";
import { type EncodeContext, encodeInst } from "../sass/index.js";
import type { Target } from "../target/types.js";
import type { Lifted } from "./types.js";

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
  const words = new Uint32Array(4 * codeLength(n, lifted));
  const context: EncodeContext = {
    label: (block) => {
      const at = labels[block]!;
      if (at < 0) throw new InternalError(`no block ${block}`, { func: func.name });
      return at;
    },
    // The lifted operand still holds what lay in the word; the relocations themselves are in `lifted.relocs`.
    reloc: (r) => {
      throw new InternalError(`symbol ${r.symbol} in lifted code`, { func: func.name });
    },
  };
  let at = 0;
  for (const b of func.blocks)
    for (const inst of b.insts) {
      if (inst.control === null) throw new InternalError(`${inst.form.name} has no control word`, { func: func.name });
      encodeInst(inst, func.target, words, 4 * at, 16 * at, context);
      at++;
    }
  writeTail(words, n, tail);
  return { words, offsets, labels, tailOffset: 16 * n };
}

/** Instructions with the tail: as long as it was when the body is; else filled up as ptxas does (digest G §2M.3). */
function codeLength(n: number, { func, tail, tailOffset }: Lifted): number {
  if (16 * n === tailOffset) return n + tail.length / 4;
  return tail.length === 0 ? n : paddedLength(n + 1, func.target);
}

/** Body and branch filled up to 128 bytes, from sm_80 on with at least eight NOPs. */
function paddedLength(n: number, target: Target): number {
  return 8 * Math.ceil((n + (target.has("nopTail") ? 8 : 0)) / 8);
}

/** The tail's words do not depend on where they stand; its last one (a NOP) is repeated or left out. */
function writeTail(words: Uint32Array, n: number, tail: Uint32Array): void {
  for (let at = 4 * n, from = 0; at < words.length; at += 4) {
    words.set(tail.subarray(from, from + 4), at);
    if (from + 4 < tail.length) from += 4;
  }
}
