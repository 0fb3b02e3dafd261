/** Zstandard's bit streams and its finite state entropy tables (RFC 8878 §4.1). */
import { need } from "./zstd-error.js";

/** Bits from the front, lowest first. */
export class ForwardBits {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  read(n: number): number {
    let v = 0;
    for (let i = 0; i < n; i++, this.at++) {
      need(this.at >> 3 < this.bytes.length);
      v |= ((this.bytes[this.at >> 3]! >> (this.at & 7)) & 1) << i;
    }
    return v;
  }

  back(n: number): void {
    this.at -= n;
  }

  bytesRead(): number {
    return (this.at + 7) >> 3;
  }
}

/** Bits from the end: the highest 1 of the last byte is a mark before the first of them. */
export class BackwardBits {
  /** Bits that are left; below 0 when more were asked for, which read as zeros. */
  private left: number;

  constructor(private readonly bytes: Uint8Array) {
    const last = bytes[bytes.length - 1] ?? 0;
    need(last !== 0);
    this.left = 8 * bytes.length - Math.clz32(last) + 24 - 1;
  }

  /** The next `n` ≤ 31 bits, the first the highest. */
  read(n: number): number {
    const v = this.peek(n);
    this.left -= n;
    return v;
  }

  peek(n: number): number {
    let v = 0;
    let from = this.left - n;
    for (let got = 0; got < n; ) {
      const bit = from & 7;
      const take = Math.min(8 - bit, n - got);
      const byte = from < 0 ? 0 : (this.bytes[from >> 3] ?? 0);
      v += ((byte >> bit) & ((1 << take) - 1)) * 2 ** got;
      got += take;
      from += take;
    }
    return v;
  }

  skip(n: number): void {
    this.left -= n;
  }

  /** Everything was read and no more. */
  finished(): boolean {
    return this.left === 0;
  }

  overrun(): number {
    return -this.left;
  }
}

/** By state: the symbol, and what the next state is made of. */
export interface Fse {
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
  readonly next: Uint16Array;
  /** The first state is a number of so many bits. */
  readonly log: number;
}

/** A described distribution of symbols 0 … `most`, with states of at most `log` bits. */
export function readFse(stream: ForwardBits, most: number, log: number): Fse {
  const accuracy = stream.read(4) + 5;
  need(accuracy <= log);
  const counts: number[] = [];
  let left = 2 ** accuracy + 1;
  while (left > 1) {
    need(counts.length <= most);
    const bits = 32 - Math.clz32(left);
    const value = stream.read(bits);
    // Small values take one bit less.
    const low = value & (2 ** (bits - 1) - 1);
    const short = 2 ** bits - 1 - left;
    let count = value;
    if (low < short) {
      stream.back(1);
      count = low;
    } else if (value >= 2 ** (bits - 1)) count = value - short;
    count--;
    left -= Math.abs(count);
    need(left >= 1);
    counts.push(count);
    if (count !== 0) continue;
    for (let repeat = 3; repeat === 3; ) {
      repeat = stream.read(2);
      for (let i = 0; i < repeat; i++) counts.push(0);
      need(counts.length <= most + 1);
    }
  }
  need(counts.length <= most + 1);
  return fseTable(counts, accuracy);
}

/** The states of a distribution; −1 stands for a symbol that is rarer than once. */
export function fseTable(counts: readonly number[], log: number): Fse {
  const size = 2 ** log;
  const symbols = new Uint8Array(size);
  let high = size - 1;
  counts.forEach((n, s) => {
    if (n === -1) symbols[high--] = s;
  });
  const step = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  counts.forEach((n, s) => {
    for (let i = 0; i < n; i++) {
      symbols[at] = s;
      do at = (at + step) & (size - 1);
      while (at > high);
    }
  });
  const bits = new Uint8Array(size);
  const next = new Uint16Array(size);
  const seen = counts.map((n) => Math.abs(n));
  for (let state = 0; state < size; state++) {
    const nth = seen[symbols[state]!]!++;
    bits[state] = log - (31 - Math.clz32(nth));
    next[state] = nth * 2 ** bits[state]! - size;
  }
  return { symbols, bits, next, log };
}
