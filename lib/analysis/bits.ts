/**
 * Bit sets in Uint32Arrays. A matrix of sets is one array with `words` words per row; functions take the offset of the
 * row, so that no view is allocated in loops.
 */

export function wordsFor(bits: number): number {
  return (bits + 31) >>> 5;
}

/** Whether the bit is in the row that starts at word `offset`. */
export function hasBit(set: Uint32Array, offset: number, bit: number): boolean {
  return (((set[offset + (bit >>> 5)] as number) >>> (bit & 31)) & 1) !== 0;
}

/** Puts a bit into the row that starts at word `offset`. */
export function setBit(set: Uint32Array, offset: number, bit: number): void {
  const w = offset + (bit >>> 5);
  set[w] = (set[w] as number) | (1 << (bit & 31));
}

/** Takes a bit out of the row that starts at word `offset`. */
export function clearBit(set: Uint32Array, offset: number, bit: number): void {
  const w = offset + (bit >>> 5);
  set[w] = (set[w] as number) & ~(1 << (bit & 31));
}

/** Sets bits `first … first + count − 1`. */
export function setRange(set: Uint32Array, offset: number, first: number, count: number): void {
  for (let b = first; b < first + count; b++) setBit(set, offset, b);
}

/** Clears bits `first … first + count − 1` of the row. */
export function clearRange(set: Uint32Array, offset: number, first: number, count: number): void {
  for (let b = first; b < first + count; b++) clearBit(set, offset, b);
}

/** Number of set bits of a word. */
export function popcount(x: number): number {
  let v = x - ((x >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Number of set bits among `words` words. */
export function countBits(set: Uint32Array, offset: number, words: number): number {
  let n = 0;
  for (let w = offset; w < offset + words; w++) n += popcount(set[w] as number);
  return n;
}

/** Calls `visit` for every set bit, ascending. */
export function forEachBit(set: Uint32Array, offset: number, words: number, visit: (bit: number) => void): void {
  for (let w = 0; w < words; w++) {
    let x = set[offset + w] as number;
    while (x !== 0) {
      visit((w << 5) + 31 - Math.clz32(x & -x));
      x &= x - 1;
    }
  }
}
