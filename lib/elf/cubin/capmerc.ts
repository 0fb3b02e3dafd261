/**
 * Capsule Mercury (`.nv.capmerc.text.NAME`, sm_100 on): what a finalizer needs to make the code of one SM run on another of its family.
 *
 * A word of the text tells most of what the compiler's own instruction (Mercury) was, but not all: `S2R`, `LDC c[0][0x360]` and
 * `CS2R` are one Mercury instruction, a NOP or the loop that closes a function are none, `WARPSYNC.COLLECTIVE SHFL ENDCOLLECTIVE`
 * are one. So the capsule says for every instruction whether its word stands for itself, and gives an item if not:
 *
 *     u32 index of the text section · u32 0xc0000001 · u32 n · n bits (1: the word stands for itself) · zeros to 4 bytes · items
 *
 * The first byte of an item: bits 3:0 the size of its record in units of 16 bytes, bits 6:4 the form
 *
 *     0  the whole record, 16 or 32 bytes
 *     4  four bytes of it, which name the instruction; the word tells the operands
 *     5  a u16: from bit 7 on the number of words that the instruction becomes; bits 3:0 are 1 and its record follows, or they are 0
 *        and the words are no Mercury instruction at all
 *
 * Measured: nvlink 13.0.88 finalizes sm_100 for sm_103 where `.nv.compat` does not excuse it (CAN_FASTPATH_FINALIZE bit 3), and
 * then drops words of loads from bank 0 and of S2R that are said to stand for themselves; with ptxas's items it gives ptxas's words.
 */
import { view } from "../elf64.js";

const MAGIC = 0xc0000001;
/** Form of an item of four bytes that name the instruction. */
export const CUT = 4;
/** Form of an item for several words. */
export const SEVERAL = 5;

export interface CapsuleUnit {
  /** The first word and how many there are. */
  readonly first: number;
  readonly words: number;
  /** Null where the word stands for itself. */
  readonly item: Uint8Array | null;
}

export interface Capsule {
  readonly textSection: number;
  readonly units: readonly CapsuleUnit[];
}

/** Bytes of the item at `at`, including the record after a count; 0 for a form that was never seen. */
function itemLength(bytes: Uint8Array, at: number): number {
  const head = bytes[at]!;
  const form = (head >> 4) & 7;
  const size = head & 15;
  if (form === 0) return size === 1 || size === 2 ? size * 16 : 0;
  if (form === CUT) return 4;
  if (form !== SEVERAL) return 0;
  if (size === 0) return 2;
  const rest = at + 2 < bytes.length && ((bytes[at + 2]! >> 4) & 7) !== SEVERAL ? itemLength(bytes, at + 2) : 0;
  return rest === 0 ? 0 : 2 + rest;
}

/** Null if the bytes are not what the head of this file describes. */
export function readCapsule(bytes: Uint8Array): Capsule | null {
  if (bytes.length < 12) return null;
  const v = view(bytes);
  if (v.getUint32(4, true) !== MAGIC) return null;
  const count = v.getUint32(8, true);
  let at = align4(12 + Math.ceil(count / 8));
  if (at > bytes.length) return null;
  const units: CapsuleUnit[] = [];
  let first = 0;
  for (let i = 0; i < count; i++) {
    let item: Uint8Array | null = null;
    let words = 1;
    if (((bytes[12 + (i >> 3)]! >> (i & 7)) & 1) === 0) {
      const length = at < bytes.length ? itemLength(bytes, at) : 0;
      if (length === 0 || at + length > bytes.length) return null;
      item = bytes.subarray(at, at + length);
      if (((item[0]! >> 4) & 7) === SEVERAL) words = (item[0]! | (item[1]! << 8)) >> 7;
      at += length;
    }
    units.push({ first, words, item });
    first += words;
  }
  return at === bytes.length ? { textSection: v.getUint32(0, true), units } : null;
}

export function writeCapsule(capsule: Capsule): Uint8Array {
  const { units } = capsule;
  const start = align4(12 + Math.ceil(units.length / 8));
  const out = new Uint8Array(units.reduce((sum, u) => sum + (u.item?.length ?? 0), start));
  const v = view(out);
  v.setUint32(0, capsule.textSection, true);
  v.setUint32(4, MAGIC, true);
  v.setUint32(8, units.length, true);
  let at = start;
  units.forEach((u, i) => {
    if (u.item === null) out[12 + (i >> 3)]! |= 1 << (i & 7);
    else {
      out.set(u.item, at);
      at += u.item.length;
    }
  });
  return out;
}

function align4(n: number): number {
  return (n + 3) & ~3;
}
