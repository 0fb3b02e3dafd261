/**
 * Matrices in shared memory behind descriptors of warp-group products (PTX ISA 9.7.15.5.1.2: canonical layouts, strides, descriptor
 * format). A piece of 16 bytes is what the layouts are made of: 16 bytes along k where k is the fast direction (K-major), along the
 * other direction otherwise (MN-major, 16-bit elements only).
 */
import type { Step, Warp } from "./state.js";

/** Bytes of a piece. */
const PIECE = 16;
/** Width of the swizzled rows by mode, in pieces: none, 128, 64, 32 bytes. */
const WIDTHS: readonly number[] = [1, 8, 4, 2];
/** Address bits 4… that are changed by those from 7 on, by mode. */
const SWIZZLES: readonly number[] = [0, 7, 3, 1];

const halves: Uint16Array = new Uint16Array(256 * 16);
const words: Int32Array = new Int32Array(halves.buffer);

/** Every product reads 256 bits along k of each row: this many words. */
export const WORDS_PER_ROW = 8 as const;

/**
 * Reads `count` rows from row `first` on, eight words each, into `out`. `lo` and `hi` are the descriptor. A fault: what was noted; null otherwise.
 */
export function readMatrix(
  w: Warp,
  lo: number,
  hi: number,
  first: number,
  count: number,
  transposed: boolean,
  out: Int32Array,
): Step | null {
  const start = (lo & 0x3fff) * PIECE;
  const leading = ((lo >>> 16) & 0x3fff) * PIECE;
  const stride = (hi & 0x3fff) * PIECE;
  const mode = hi >>> 30;
  if (mode !== 0 && ((hi >>> 17) & 7) !== 0)
    return w.fault("not-supported", w.active, "not supported by the simulator: a matrix descriptor with a base offset");
  const width = WIDTHS[mode]!;
  const swizzle = SWIZZLES[mode]!;
  const { shared } = w.cta;
  const at = (offset: number): number => {
    const address = (start + offset) & 0x3ffff;
    return address ^ (((address >> 7) & swizzle) << 4);
  };
  const outside = (address: number): Step =>
    w.fault(
      "out-of-bounds",
      w.active,
      `16 bytes at shared address 0x${address.toString(16)} are outside the memory of the program`,
      BigInt(address),
    );
  if (!transposed) {
    for (let i = 0; i < count; i++) {
      const row = first + i;
      const offset = (row & 7) * width * PIECE + (row >> 3) * stride;
      for (let piece = 0; piece < 2; piece++) {
        const address = at(offset + (mode === 0 ? piece * leading : piece * PIECE));
        if (address + PIECE > shared.size) return outside(address);
        for (let k = 0; k < 4; k++) out[i * WORDS_PER_ROW + 4 * piece + k] = shared.words[(address >> 2) + k]!;
      }
    }
    return null;
  }
  for (let piece = first >> 3; piece < (first + count) >> 3; piece++)
    for (let k = 0; k < 16; k++) {
      const along = mode === 0 ? piece * stride : (piece % width) * PIECE + Math.floor(piece / width) * leading;
      const across = (k & 7) * width * PIECE + (k >> 3) * (mode === 0 ? leading : stride);
      const address = at(along + across);
      if (address + PIECE > shared.size) return outside(address);
      for (let i = 0; i < 8; i++) halves[(8 * piece - first + i) * 16 + k] = shared.half[(address >> 1) + i]!;
    }
  out.set(words.subarray(0, count * WORDS_PER_ROW));
  return null;
}
