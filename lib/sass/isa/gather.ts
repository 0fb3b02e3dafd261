/**
 * Bits from several places of a word as one number: keys of the tables in which decoder and printer keep what they have
 * worked out.
 */
import type { Piece } from "./syntax.js";

/** Numbers stay exact and `|` and `<<` can make them: bits. */
const MOST_BITS = 31;

export class Gather {
  readonly width: number;
  /** Four numbers per piece: u32 of the word, shift, mask, place in the number. */
  private readonly ops: Int32Array;

  private constructor(pieces: readonly Piece[], width: number) {
    const ops: number[] = [];
    let out = 0;
    for (const p of pieces)
      for (let lo = p.lo; lo < p.lo + p.width; ) {
        const n = Math.min(32 - (lo & 31), p.lo + p.width - lo);
        ops.push(lo >> 5, lo & 31, n === 32 ? -1 : (1 << n) - 1, out);
        out += n;
        lo += n;
      }
    this.width = width;
    this.ops = Int32Array.from(ops);
  }

  /** Null when there are more bits than a key has. */
  static of(pieces: readonly Piece[]): Gather | null {
    const width = pieces.reduce((n, p) => n + p.width, 0);
    return width > MOST_BITS ? null : new Gather(pieces, width);
  }

  get(words: Uint32Array, at: number): number {
    const { ops } = this;
    let key = 0;
    for (let i = 0; i < ops.length; i += 4)
      key |= ((words[at + ops[i]!]! >>> ops[i + 1]!) & ops[i + 2]!) << ops[i + 3]!;
    return key;
  }
}
