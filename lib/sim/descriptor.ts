/**
 * Matrices in shared memory after descriptors of warp-group products (PTX ISA 9.7.15.5.1.2: canonical layouts, strides, descriptor
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

/** Every product reads 256 bits along k of each row, of B beside a sparse A twice that: this many pieces. */
export const ALONG = { dense: 2, sparse: 4 } as const;
export type Along = (typeof ALONG)[keyof typeof ALONG];

export const WORDS_PER_PIECE = 4 as const;

const halves: Uint16Array = new Uint16Array(256 * 8 * ALONG.sparse);
const words: Int32Array = new Int32Array(halves.buffer);

/** A matrix after a descriptor: where its pieces are, in the order in which `readMatrix` takes them. */
export interface Pieces {
  readonly at: Int32Array;
  readonly count: number;
  readonly along: Along;
  /** Least and greatest of the offsets, and bytes at each. */
  readonly low: number;
  readonly high: number;
  readonly size: number;
}

const places: Int32Array = new Int32Array(256 * ALONG.sparse);

/** Pieces with what they were made of: programs use few descriptors, in turn. */
interface Known extends Pieces {
  readonly lo: number;
  readonly hi: number;
  readonly first: number;
  readonly transposed: boolean;
}

const KNOWN = 1024;
const known: (Known | undefined)[] = new Array(KNOWN);

/**
 * The pieces of `count` rows from row `first` on: `along` of them along k of each row, or, transposed, eight times as many along k of every eight rows.
 * `lo` and `hi` are the descriptor. A fault: what was noted.
 */
export function piecesOf(
  w: Warp,
  lo: number,
  hi: number,
  first: number,
  count: number,
  transposed: boolean,
  along: Along = ALONG.dense,
): Pieces | Step {
  const mode = hi >>> 30;
  if (mode !== 0 && ((hi >>> 17) & 7) !== 0)
    return w.fault("not-supported", w.active, "not supported by the simulator: a matrix descriptor with a base offset");
  // The canonical layouts say where the pieces of a swizzled row are, and nothing of those after it.
  if (mode !== 0 && !transposed && along > WIDTHS[mode]!)
    return w.fault("not-supported", w.active, "not supported by the simulator: swizzled rows shorter than the product");
  const asked = hi ^ (first << 8) ^ (along << 16) ^ count;
  const index = (Math.imul(lo ^ Math.imul(asked, 0x2545f491), 0x9e3779b1) >>> 16) % KNOWN;
  let p = known[index];
  const isKnown =
    p?.lo === lo &&
    p.hi === hi &&
    p.first === first &&
    p.count === count &&
    p.transposed === transposed &&
    p.along === along;
  if (p === undefined || !isKnown) {
    p = placed(lo, hi, first, count, transposed, along);
    known[index] = p;
  }
  const { high } = p;
  if (high + PIECE <= w.cta.shared.size) return p;
  const text = `16 bytes at shared address 0x${high.toString(16)} are outside the memory of the program`;
  return w.fault("out-of-bounds", w.active, text, BigInt(high));
}

function placed(lo: number, hi: number, first: number, count: number, transposed: boolean, along: Along): Known {
  const start = (lo & 0x3fff) * PIECE;
  const leading = ((lo >>> 16) & 0x3fff) * PIECE;
  const stride = (hi & 0x3fff) * PIECE;
  const mode = hi >>> 30;
  const width = WIDTHS[mode]!;
  const swizzle = SWIZZLES[mode]!;
  let n = 0;
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  const add = (offset: number): void => {
    const address = (start + offset) & 0x3ffff;
    const at = address ^ (((address >> 7) & swizzle) << 4);
    places[n++] = at;
    low = Math.min(low, at);
    high = Math.max(high, at);
  };
  if (!transposed)
    for (let row = first; row < first + count; row++) {
      const offset = (row & 7) * width * PIECE + (row >> 3) * stride;
      for (let k = 0; k < along; k++) add(offset + k * (mode === 0 ? leading : PIECE));
    }
  else
    for (let piece = first >> 3; piece < (first + count) >> 3; piece++) {
      const across = mode === 0 ? piece * stride : (piece % width) * PIECE + Math.floor(piece / width) * leading;
      for (let k = 0; k < 8 * along; k++)
        add(across + (k & 7) * width * PIECE + (k >> 3) * (mode === 0 ? leading : stride));
    }
  return { at: places.slice(0, n), count, along, low, high, size: PIECE, lo, hi, first, transposed };
}

/** Reads a matrix: the words of its pieces along k of each row, into `out`. */
export function readMatrix(w: Warp, { at, count, along }: Pieces, transposed: boolean, out: Int32Array): void {
  const { shared } = w.cta;
  if (!transposed) {
    for (let i = 0; i < at.length; i++) for (let k = 0; k < 4; k++) out[4 * i + k] = shared.words[(at[i]! >> 2) + k]!;
    return;
  }
  const depth = 8 * along;
  for (let n = 0; n < at.length; n++)
    for (let i = 0; i < 8; i++)
      halves[(8 * Math.floor(n / depth) + i) * depth + (n % depth)] = shared.half[(at[n]! >> 1) + i]!;
  out.set(words.subarray(0, count * along * WORDS_PER_PIECE));
}
