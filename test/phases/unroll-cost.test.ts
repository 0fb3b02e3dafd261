/** How many trips of bodies of which size are unrolled, at the limits that ptxas was seen to have (lib/phases/unroll-cost.ts). */
import { fitsInFull, partialFactor, unrollLimits } from "../../lib/phases/unroll-cost.js";

test.each([
  [0.5, 3591],
  [1, 3591],
  [1.5, 1451],
  [2, 1451],
  [10, 182],
  [49, 9],
  [50, 9],
  [55, 9],
  [56, 8],
  [57, 8],
  [58, 7],
  [62, 7],
  [126, 3],
  [127, 2],
  [194, 2],
])("a body of %d: %d trips in full, not one more", (body, trips) => {
  expect([trips, trips + 1].map((t) => fitsInFull(body, t))).toEqual([true, false]);
});

test("one trip is always written out; what is too large never", () => {
  expect([0, 1].map((t) => fitsInFull(1e6, t))).toEqual([true, true]);
  expect(fitsInFull(195, 2)).toBe(false);
});

test("knobs", () => {
  const full = (body: number, trips: number, knobs: Partial<typeof unrollLimits>): boolean =>
    fitsInFull(body, trips, { ...unrollLimits, ...knobs });
  expect([4, 5].map((t) => full(1, t, { LoopUnrollFactor: 4 }))).toEqual([true, false]);
  expect([9, 10].map((b) => full(b, 2, { UnrollFullInstLimit: 9 }))).toEqual([true, false]);
  expect([60, 61].map((b) => full(b, 20, { UnrollSmallLoopLimit: 60 }))).toEqual([true, false]);
  expect([364, 365].map((t) => full(10, t, { UnrollFlexableFullLimit: 2 }))).toEqual([true, false]);
});

test("turns per round: as many as fit with what is left over", () => {
  const factor = (body: number, trips: number, knobs: Partial<typeof unrollLimits> = {}): number =>
    partialFactor(body, trips, { ...unrollLimits, UnrollInstLimit: 40, UnrollBudget: 100, ...knobs });
  expect([factor(10, 1000), factor(10, 1003), factor(10, 8), factor(25, 1000), factor(30, 1001)]).toEqual([
    10, 7, 7, 4, 2,
  ]);
  expect([factor(40, 1000), factor(41, 1000), factor(41, 1000, { LoopUnrollNumExtraInstBase: 1 })]).toEqual([2, 1, 2]);
  expect([factor(10, 3, { LoopUnrollFactor: 4 }), factor(10, 9, { LoopUnrollFactor: 4 })]).toEqual([2, 4]);
});
