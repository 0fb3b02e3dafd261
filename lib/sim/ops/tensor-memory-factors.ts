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
  /** Elements of a whole row. */
  readonly depth: number;
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

/** Puts the kept elements, half of each row, where they belong. */
export function spreadRows(words: Int32Array, s: Sparse, kept: Float64Array): Float64Array {
  const { rows, depth, bits } = s;
  const out = new Float64Array(rows * depth);
  const size = bits === 32 ? 2 : bits === 4 ? 8 : 4;
  for (let row = 0; row < rows; row++)
    for (let chunk = 0; chunk < depth / size; chunk++) {
      const at = metadata(words, s, row, chunk);
      const [to, from] = [row * depth + chunk * size, (row * depth + chunk * size) / 2];
      if (bits === 32) out[to + (at >> 3)] = kept[from]!;
      else if (bits === 4)
        for (let e = 0; e < 4; e++) out[to + 2 * ((at >> (2 * (e >> 1))) & 3) + (e & 1)] = kept[from + e]!;
      else for (let e = 0; e < 2; e++) out[to + ((at >> (2 * e)) & 3)] = kept[from + e]!;
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

/** Multiplies the blocks of rows by their scales; of `parts`, the row's part and the row in it. */
export function scaleRows(
  words: Int32Array,
  s: Scales,
  values: Float64Array,
  depth: number,
  placeOf: (row: number) => readonly [lanes: number, row: number],
): void {
  const run = depth / s.blocks;
  for (let row = 0; row * depth < values.length; row++) {
    const [lanes, r] = placeOf(row);
    const word = wordAt(words, s.address, lanes + (r & 31), r >> 5);
    for (let b = 0; b < s.blocks; b++) {
      const byte = (word >>> (8 * (s.byte + b))) & 255;
      const factor = s.powers ? powerValue(byte) : float8Value(byte & 0x7f, E4M3);
      for (let k = 0; k < run; k++) values[row * depth + b * run + k]! *= factor;
    }
  }
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
