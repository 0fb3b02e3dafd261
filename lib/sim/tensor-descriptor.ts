/**
 * Matrices in shared memory after descriptors of products in tensor memory (PTX ISA 9.7.16.3 and 4: canonical layouts, strides, swizzles), of any
 * element width and in both directions. A piece of 16 bytes lies along k (K-major), or along the other direction (turned).
 * Swizzles of 32-byte atoms (mode 1) as CUTLASS has them (include/cute/arch/mma_sm100_desc.hpp, Swizzle<2,5,2> on rows of 128 bytes, four along k).
 */
import { type Source, sourceOf } from "./async/in-flight.js";
import type { Cta, Warp } from "./state.js";

const PIECE = 16;

interface Swizzle {
  /** Pieces of a swizzled row. */
  readonly width: number;
  /** Lines along k between strides, when turned. */
  readonly lines: number;
  /** Address bits from 7 on that change those from `shift` on. */
  readonly mask: number;
  readonly shift: number;
}

/** By the mode in the descriptor; others are invalid. */
const swizzles: Readonly<Record<number, Swizzle>> = {
  0: { width: 1, lines: 8, mask: 0, shift: 4 },
  1: { width: 8, lines: 4, mask: 3, shift: 5 },
  2: { width: 8, lines: 8, mask: 7, shift: 4 },
  4: { width: 4, lines: 8, mask: 3, shift: 4 },
  6: { width: 2, lines: 8, mask: 1, shift: 4 },
};

/** What is asked of a descriptor: rows (columns of B), bytes along k of each, bits of an element. */
export interface Extent {
  readonly rows: number;
  readonly bytes: number;
  readonly bits: number;
  /** Neighbours in a piece are rows. */
  readonly turned: boolean;
}

/** Where the pieces are: those along k of a row one after the other; turned: of each run of rows those along k. */
export interface Factor extends Extent, Source {}

interface Known extends Factor {
  readonly lo: number;
  readonly hi: number;
}

/** Programs use few descriptors, in turn. */
const KNOWN = 1024;
const known: (Known | undefined)[] = new Array(KNOWN);

/** Reads a descriptor; null: a fault is noted. */
export function factorOf(w: Warp, lo: number, hi: number, extent: Extent): Factor | null {
  const { rows, bytes, bits, turned } = extent;
  const asked = lo ^ Math.imul(hi ^ (rows << 8) ^ (bytes << 20) ^ bits ^ (turned ? 64 : 0), 0x2545f491);
  const index = (Math.imul(asked, 0x9e3779b1) >>> 16) % KNOWN;
  let f = known[index];
  if (f?.lo !== lo || f.hi !== hi || f.rows !== rows || f.bytes !== bytes || f.bits !== bits || f.turned !== turned) {
    const at = placesOf(lo, hi, extent);
    if (at === null) {
      w.fault("not-supported", w.active, "not supported by the simulator: this matrix descriptor");
      return null;
    }
    f = { rows, bytes, bits, turned, lo, hi, ...sourceOf(at, PIECE) };
    known[index] = f;
  }
  if (f.high + PIECE <= w.cta.shared.size) return f;
  const text = `16 bytes at shared address 0x${f.high.toString(16)} are outside the memory of the program`;
  w.fault("out-of-bounds", w.active, text, BigInt(f.high));
  return null;
}

/** Offsets of the pieces; null: there is no such descriptor. */
function placesOf(lo: number, hi: number, extent: Extent): Int32Array | null {
  const start = (lo & 0x3fff) * PIECE;
  const leading = ((lo >>> 16) & 0x3fff) * PIECE;
  const stride = (hi & 0x3fff) * PIECE;
  const mode = swizzles[hi >>> 29];
  const unusual = ((hi >>> 17) & 7) !== 0 || ((hi >>> 20) & 1) !== 0;
  if (mode === undefined || (unusual && mode.mask !== 0)) return null;
  const { width, lines, mask, shift } = mode;
  const perLine = Math.ceil(extent.turned ? (extent.rows * extent.bits) / (8 * PIECE) : extent.bytes / PIECE);
  const sources = new Int32Array((extent.turned ? (8 * extent.bytes) / extent.bits : extent.rows) * perLine);
  let count = 0;
  const add = (offset: number): void => {
    const address = (start + offset) & 0x3ffff;
    sources[count++] = address ^ (((address >> 7) & mask) << shift);
  };
  if (!extent.turned)
    for (let row = 0; row < extent.rows; row++)
      for (let p = 0; p < extent.bytes / PIECE; p++)
        add((row & 7) * width * PIECE + (row >> 3) * stride + p * (mask === 0 ? leading : PIECE));
  else {
    const perPiece = (8 * PIECE) / extent.bits;
    const depth = (8 * extent.bytes) / extent.bits;
    for (let p = 0; p < extent.rows / perPiece; p++) {
      const along = mask === 0 ? p * stride : (p % width) * PIECE + Math.floor(p / width) * leading;
      for (let k = 0; k < depth; k++)
        add(along + (k % lines) * width * PIECE + Math.floor(k / lines) * (mask === 0 ? leading : stride));
    }
  }
  return sources;
}

/** The bytes of all rows. */
export function readRows(cta: Cta, f: Factor): Uint8Array {
  const { bytes, words } = cta.shared;
  const out = new Uint8Array(f.rows * f.bytes);
  if (!f.turned) {
    const to = new Int32Array(out.buffer);
    for (let i = 0; i < f.at.length; i++)
      for (let k = 0; k < PIECE / 4; k++) to[(i * PIECE) / 4 + k] = words[(f.at[i]! >> 2) + k]!;
    return out;
  }
  const size = f.bits / 8;
  const perPiece = PIECE / size;
  const depth = f.bytes / size;
  f.at.forEach((at, i) => {
    const [first, k] = [Math.floor(i / depth) * perPiece, i % depth];
    for (let e = 0; e < perPiece; e++)
      for (let b = 0; b < size; b++) out[(first + e) * f.bytes + k * size + b] = bytes[at + e * size + b]!;
  });
  return out;
}

/** Sixteen elements of 4 or 6 bits at the start of each 16 bytes (padding follows) become bytes: of 4 bits in the middle, of 6 in the low bits. */
export function rowBytes(rows: Uint8Array, bits: number): Uint8Array {
  if (bits === 8) return rows;
  const out = new Uint8Array(rows.length);
  for (let at = 0; at < rows.length; at += PIECE) {
    if (bits === 4)
      for (let i = 0; i < PIECE / 2; i++) {
        const two = rows[at + i]!;
        out[at + 2 * i] = (two & 15) << 2;
        out[at + 2 * i + 1] = (two >> 4) << 2;
      }
    else
      for (let i = 0; i < PIECE / 4; i++) {
        const from = at + 3 * i;
        const four = rows[from]! | (rows[from + 1]! << 8) | (rows[from + 2]! << 16);
        for (let e = 0; e < 4; e++) out[at + 4 * i + e] = (four >> (6 * e)) & 63;
      }
  }
  return out;
}
