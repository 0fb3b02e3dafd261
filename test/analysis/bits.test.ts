/** Bit sets against sets of numbers, and bits of a word counted one by one. */
import * as fc from "fast-check";
import {
  clearBit,
  clearRange,
  countBits,
  forEachBit,
  hasBit,
  popcount,
  setBit,
  setRange,
  wordsFor,
} from "../../lib/analysis/index.js";

const slowly = (x: number): number => [...(x >>> 0).toString(2)].filter((c) => c === "1").length;

test("bits of a word", () => {
  for (const x of [0, 1, 2, 3, 15, 16, 0xff, 0xf0f0, 0x0f0f0f0f, 0x55555555, 0x7fffffff, 0x80000000, 0xffffffff, -1])
    expect([x, popcount(x)]).toEqual([x, slowly(x)]);
  fc.assert(
    fc.property(fc.integer(), (x) => popcount(x) === slowly(x)),
    { seed: 1, numRuns: 500 },
  );
});

test("words that so many bits take", () => {
  expect([0, 1, 31, 32, 33, 64, 65].map(wordsFor)).toEqual([0, 1, 1, 1, 2, 2, 3]);
});

test("a row of a matrix is a set of numbers", () => {
  const edit = fc.record({ what: fc.nat(3), first: fc.nat(69), count: fc.nat(26) });
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 12 }), (edits) => {
      const words = wordsFor(96);
      const rows = new Uint32Array(3 * words).fill(0xffffffff, 0, words).fill(0xffffffff, 2 * words);
      const set = new Set<number>();
      for (const { what, first, count } of edits) {
        const range = Array.from({ length: count }, (_, k) => first + k);
        if (what === 0) setBit(rows, words, first);
        if (what === 1) clearBit(rows, words, first);
        if (what === 2) setRange(rows, words, first, count);
        if (what === 3) clearRange(rows, words, first, count);
        for (const b of what < 2 ? [first] : range) what % 2 === 0 ? set.add(b) : set.delete(b);
      }
      const found: number[] = [];
      forEachBit(rows, words, words, (b) => found.push(b));
      expect(found).toEqual([...set].sort((a, b) => a - b));
      expect(countBits(rows, words, words)).toBe(set.size);
      expect(Array.from({ length: 96 }, (_, b) => hasBit(rows, words, b))).toEqual(
        Array.from({ length: 96 }, (_, b) => set.has(b)),
      );
      // Its neighbours are as they were.
      expect(rows.filter((w, k) => (k < words || k >= 2 * words) && w !== 0xffffffff)).toHaveLength(0);
    }),
    { seed: 2, numRuns: 100 },
  );
});
