/**
 * Bits from several places of a word as a number, and what is kept under such numbers: decoder and printer work out once
 * what follows from a few bits of a word.
 */
import type { Piece } from "./syntax.js";

export class Gather {
  /** Four numbers per piece: u32 of the word, shift, mask, place in the number. */
  private readonly ops: Int32Array;

  /** At most 32 bits in all, the first piece lowest; each within a u32 of the word. */
  constructor(pieces: readonly Piece[]) {
    const ops: number[] = [];
    let out = 0;
    for (const p of pieces) {
      ops.push(p.lo >> 5, p.lo & 31, p.width === 32 ? -1 : (1 << p.width) - 1, out);
      out += p.width;
    }
    this.ops = Int32Array.from(ops);
  }

  get(words: Uint32Array, at: number): number {
    const { ops } = this;
    let key = 0;
    for (let i = 0; i < ops.length; i += 4)
      key |= ((words[at + ops[i]!]! >>> ops[i + 1]!) & ops[i + 2]!) << ops[i + 3]!;
    return key;
  }
}

/** Pieces that stay within a u32 of the word. */
export function inWords(pieces: readonly Piece[]): Piece[] {
  return pieces.flatMap(({ lo, width }) => {
    const out: Piece[] = [];
    for (let at = lo; at < lo + width; ) {
      const n = Math.min(32 - (at & 31), lo + width - at);
      out.push({ lo: at, width: n });
      at += n;
    }
    return out;
  });
}

/** So many bits are the index of an array; of more a number of that size is made. */
const INDEX_BITS = 12;

/** Values by some bits of words; where these are many, those that were asked for last. */
export class Memo<T> {
  readonly values: (T | undefined)[];
  /** The bits that the value at an index belongs to; null where they are the index. */
  readonly low: Int32Array | null;
  readonly high: Int32Array | null;

  constructor(key: Key) {
    const size = 2 ** Math.min(INDEX_BITS, key.width);
    this.values = new Array<T | undefined>(size).fill(undefined);
    this.low = key.width <= INDEX_BITS ? null : new Int32Array(size);
    this.high = key.width <= INDEX_BITS ? null : new Int32Array(size);
  }
}

/** Which bits of a word a `Memo` goes by; several keys of the same width may share one. */
export class Key {
  readonly width: number;
  private readonly low: Gather;
  private readonly high: Gather;

  private constructor(low: readonly Piece[], high: readonly Piece[], width: number) {
    this.low = new Gather(low);
    this.high = new Gather(high);
    this.width = width;
  }

  /** Null for more than 64 bits. */
  static of(pieces: readonly Piece[]): Key | null {
    const [low, high]: [Piece[], Piece[]] = [[], []];
    let [inLow, inHigh] = [0, 0];
    for (const p of inWords(pieces)) {
      if (inLow + p.width <= 32) {
        low.push(p);
        inLow += p.width;
      } else {
        high.push(p);
        inHigh += p.width;
      }
    }
    return inHigh > 32 ? null : new Key(low, high, inLow + inHigh);
  }

  get<T>(memo: Memo<T>, words: Uint32Array, at: number): T | undefined {
    const low = this.low.get(words, at);
    if (memo.low === null) return memo.values[low];
    const high = this.high.get(words, at);
    const i = indexOf(low, high);
    return memo.low[i] === low && memo.high![i] === high ? memo.values[i] : undefined;
  }

  set<T>(memo: Memo<T>, words: Uint32Array, at: number, value: T): void {
    const low = this.low.get(words, at);
    if (memo.low === null) {
      memo.values[low] = value;
      return;
    }
    const high = this.high.get(words, at);
    const i = indexOf(low, high);
    memo.low[i] = low;
    memo.high![i] = high;
    memo.values[i] = value;
  }
}

/** Multiplicative hashing (Knuth, TAOCP 6.4). */
function indexOf(low: number, high: number): number {
  return Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1) >>> (32 - INDEX_BITS);
}
