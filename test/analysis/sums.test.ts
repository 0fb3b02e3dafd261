/** Arithmetic of sums and of known bits, beside plain arithmetic. */
import { ANY, below, combinations, combine, lowest, MOST, spread } from "../../lib/analysis/sums.js";
import { random } from "../corpus/random.js";

test("rows of a truth table occur where all three operands allow them", () => {
  const known = (zeros: number, ones: number): { may: number; most: number; must: number } => ({
    may: ~zeros,
    most: MOST,
    must: ones,
  });
  // Bit 0: a is 1, b is 0, c is anything; bit 1: anything everywhere; bit 2: a is 0, b is 1, c is 1.
  const rows = combinations([known(0b100, 0b001), known(0b001, 0b100), known(0, 0b100)]);
  expect(rows.map((r) => r & 0b111)).toEqual([0b010, 0b010, 0b010, 0b110, 0b011, 0b011, 0b010, 0b010]);
  expect(combinations([ANY, ANY, ANY])).toEqual(new Array(8).fill(-1));
});

test("below: all bits up to the highest", () => {
  expect([0, 1, 2, 3, 5, 255, 256, 0x7fffffff, 0x80000000, MOST].map(below)).toEqual([
    0, 1, 3, 3, 7, 255, 511, 0x7fffffff, -1, -1,
  ]);
});

test("lowest: the lowest bit as an unsigned number", () => {
  expect([0, 1, 6, -1, -2, 0x80000000 | 0].map(lowest)).toEqual([0, 1, 2, 1, 2, 0x80000000]);
});

test("spread: nothing but which bits may be one", () => {
  expect(spread(-2)).toEqual({ may: -2, most: 0xfffffffe, must: 0 });
});

test("combine: a + factor · b, sorted, without zeros", () => {
  expect(combine([1, 2, 5, 3], [2, 4, 5, 1], -3)).toEqual([1, 2, 2, -12]);
  expect(combine([], [7, 2], 1)).toEqual([7, 2]);
  expect(combine([7, 2], [], 9)).toEqual([7, 2]);
  expect(combine([3, 0x7fffffff], [3, 1], 1)).toEqual([3, -0x80000000]);
  const r = random(11);
  for (let k = 0; k < 300; k++) {
    const terms = (): number[] =>
      [0, 1, 2, 3, 4]
        .filter(() => r.below(2) === 1)
        .flatMap((atom) => [atom, r.below(9) - 4])
        .filter((n, i, all) => (i % 2 === 0 ? all[i + 1] !== 0 : n !== 0));
    const [a, b, factor] = [terms(), terms(), r.below(7) - 3];
    const at = (list: readonly number[], atom: number): number => {
      for (let i = 0; i < list.length; i += 2) if (list[i] === atom) return list[i + 1] as number;
      return 0;
    };
    const sum = combine(a, b, factor);
    for (let atom = 0; atom < 5; atom++) expect(at(sum, atom)).toBe(at(a, atom) + factor * at(b, atom) + 0);
    for (let i = 0; i < sum.length; i += 2) expect(sum[i + 1]).not.toBe(0);
    for (let i = 2; i < sum.length; i += 2) expect(sum[i]).toBeGreaterThan(sum[i - 2] as number);
  }
});
