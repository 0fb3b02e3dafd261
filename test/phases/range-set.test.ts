/** Sets of ranges against the same as sets of points. */
import fc from "fast-check";
import { RangeSet } from "../../lib/phases/range-set.js";

const POINTS = 4000;

/** Disjoint ranges in random order. */
const ranges = fc
  .uniqueArray(fc.integer({ min: 0, max: POINTS - 1 }), { maxLength: 700 })
  .map((cuts) => cuts.slice(0, cuts.length & ~1).sort((a, b) => a - b))
  .map((cuts) => Array.from({ length: cuts.length / 2 }, (_, k): [number, number] => [cuts[2 * k]!, cuts[2 * k + 1]!]));

const empty = (): RangeSet => new RangeSet(new Int32Array(0), 0, 0);

const pointsOf = (list: readonly [number, number][]): Set<number> =>
  new Set(list.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, k) => from + k)));

test("what is added is met, what is not is not, and joined sets are one", () => {
  fc.assert(
    fc.property(ranges, fc.infiniteStream(fc.boolean()), fc.integer(), (all, coins, seed) => {
      const [left, right] = [[] as [number, number][], [] as [number, number][]];
      for (const r of all) (coins.next().value ? left : right).push(r);
      const shuffled = [...left].sort(([a], [b]) => Math.imul(a + 1, seed | 1) - Math.imul(b + 1, seed | 1));
      const a = empty();
      for (const [from, to] of shuffled) a.add(from, to);
      const b = new RangeSet(Int32Array.from(right.flat()), 0, right.length);
      expect(a.meetsAny(b)).toBe(false);
      const points = pointsOf(left);
      for (let at = 0; at < POINTS; at += 37) {
        const some = [0, 1, 2, 3, 4].some((k) => points.has(at + k));
        expect(a.meets(at, at + 4)).toBe(some);
      }
      const [first] = left;
      if (first !== undefined) expect(b.meetsAny(new RangeSet(Int32Array.from(first), 0, 1))).toBe(false);
      const both = a.join(b);
      expect(both.size).toBe(all.length);
      for (const [from, to] of all) expect([both.meets(from, from), both.meets(to, to)]).toEqual([true, true]);
    }),
    { seed: 14, numRuns: 60 },
  );
});
