/**
 * What happens to the factors of a product in tensor memory before it: a sparse A gets its zeros back, blocks of both get their scales, columns of B become zeros.
 *
 * Metadata and scales are in tensor memory. Where (PTX ISA 9.7.16.10.7 and 8, whose figures say what CUTLASS's fragments say:
 * include/cute/atom/mma_traits_sm100_frag.hpp, BSD-3-Clause):
 * - scales: row r in lane r mod 32 of each warp's part, column r / 32, a byte (of the selected ones) for each block along k; B's columns likewise, of halves of D in their part;
 * - metadata of 8-bit and 4-bit elements: lane of the row, four bits for each four (eight) elements, two columns; of 16 and 32 bits: rows r and r + 8 in the
 *   halves of a word, in lane r for the first half of k and r + 8 for the second. The selector counts columns: as 9.7.16.10.8.4 is read here.
 */
import { E4M3, float8Value } from "../number/float8.js";
import { powerValue } from "../number/tiny.js";
import type { ScaleValues } from "../wasm/tensor-rows.js";
import { COLUMNS } from "./tensor-columns.js";

/** A word of tensor memory by lane and column. */
export const wordAt = (words: Int32Array, address: number, lane: number, column: number): number =>
  words[((address >>> 16) + lane) * COLUMNS + (address & 0xffff) + column] ?? 0;

export interface Sparse {
  readonly address: number;
  readonly selector: number;
  /** Bits of an element as it is stored. */
  readonly bits: number;
  readonly rows: number;
  /** Lane of a row in a part of D. */
  readonly laneOf: (row: number) => number;
}

/** Four bits of metadata of a row, for four elements along k (two of 32 bits, eight of four). */
function metadata(words: Int32Array, s: Sparse, row: number, chunk: number): number {
  if (s.bits < 16) {
    const word = wordAt(words, s.address, s.laneOf(row), chunk >> 3);
    return (word >>> (4 * (chunk & 7))) & 15;
  }
  const second = chunk >> 2;
  const lane = s.laneOf((row & ~8) + 8 * second);
  const word = wordAt(words, s.address, lane, s.selector);
  return (word >>> (16 * ((row >> 3) & 1) + 4 * (chunk & 3))) & 15;
}

/** Puts the kept elements where they belong: rows of 32 bytes become rows of 64. Neighbours of which two are kept are bytes (of four bits: two elements), or elements of 16 bits. */
export function spreadRows(words: Int32Array, s: Sparse, kept: Uint8Array): Uint8Array {
  const { rows, bits } = s;
  const out = new Uint8Array(2 * kept.length);
  const { buffer } = kept;
  if (bits === 32) {
    const [from, to] = [new Int32Array(buffer), new Int32Array(out.buffer)];
    for (let i = 0; i < from.length; i++) to[2 * i + ((metadata(words, s, i >> 3, i & 7) >> 1) & 1)] = from[i]!;
    return out;
  }
  const [from, to] = bits === 16 ? [new Uint16Array(buffer), new Uint16Array(out.buffer)] : [kept, out];
  const chunks = from.length / rows / 2;
  for (let row = 0; row < rows; row++)
    for (let chunk = 0; chunk < chunks; chunk++) {
      const at = metadata(words, s, row, chunk);
      const i = row * chunks + chunk;
      to[4 * i + (at & 3)] = from[2 * i]!;
      to[4 * i + (at >> 2)] = from[2 * i + 1]!;
    }
  return out;
}

export interface Scales {
  readonly address: number;
  /** First byte of the words. */
  readonly byte: number;
  /** Blocks along k. */
  readonly blocks: number;
  /** Powers of two by their exponent, else e4m3 without sign. */
  readonly powers: boolean;
}

const bytes = Array.from({ length: 256 }, (_, byte) => byte);
const powersOfTwo: Float64Array = Float64Array.from(bytes, powerValue);
const fractions: Float64Array = Float64Array.from(bytes, (byte) => float8Value(byte & 0x7f, E4M3));

/** The scales of rows; `lanesOf`: the first lane of the part of a row. */
export function scalesOfRows(
  words: Int32Array,
  s: Scales,
  rows: number,
  lanesOf: (row: number) => number,
): ScaleValues {
  const { blocks } = s;
  const table = s.powers ? powersOfTwo : fractions;
  const values = new Float64Array(rows * blocks);
  let range = 0;
  for (let row = 0; row < rows; row++) {
    const word = wordAt(words, s.address, lanesOf(row) + (row & 31), row >> 5);
    let [least, most] = [255, 0];
    for (let b = 0; b < blocks; b++) {
      const byte = (word >>> (8 * (s.byte + b))) & 255;
      values[row * blocks + b] = table[byte]!;
      least = Math.min(least, byte);
      most = Math.max(most, byte);
    }
    range = Math.max(range, most - least);
  }
  return { values, range: s.powers ? range : 0 };
}

/** Multiplies the blocks of rows by their scales. */
export function scaleRows(values: Float64Array, scales: Float64Array, run: number): void {
  for (let block = 0; block < scales.length; block++)
    for (let k = 0; k < run; k++) values[block * run + k]! *= scales[block]!;
}

/** Columns that the descriptor of zero columns (9.7.16.4.3, its examples) makes zeros of. */
export function zeroColumns(lo: number, hi: number, columns: number, parts: number): boolean[] {
  const out: boolean[] = new Array(columns).fill(false);
  if (((hi >>> 7) & 1) === 0) return out;
  const [zeros, used] = [((hi >>> 8) & 255) + 1, ((hi >>> 16) & 255) + 1];
  const size = columns / parts;
  for (let part = 0; part < parts; part++) {
    const zerosFirst = ((hi >>> part) & 1) !== 0;
    const skip = (lo >>> (8 * part)) & 255;
    for (let j = 0; j < size; j++) {
      const at = (j + skip) % (zeros + used);
      out[part * size + j] = zerosFirst ? at < zeros : at >= used;
    }
  }
  return out;
}

/** Columns by which B is shifted. */
export const columnShift = (hi: number): number => (hi >>> 24) & 63;
