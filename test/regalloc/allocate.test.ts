import fc from "fast-check";
import { snapshot, verify } from "../../lib/ori/index.js";
import { File } from "../../lib/ori/types.js";
import { allocate, checkAllocation } from "../../lib/regalloc/index.js";
import { randomFunc, type Shape } from "./random.js";

const shapes: fc.Arbitrary<Shape> = fc.record({
  seed: fc.integer({ min: 1, max: 1 << 30 }),
  blocks: fc.integer({ min: 1, max: 8 }),
  length: fc.integer({ min: 1, max: 14 }),
  values: fc.integer({ min: 1, max: 30 }),
  defined: fc.boolean(),
});

describe("allocation of random functions passes the checker", () => {
  const limits = [
    { name: "without limit", options: {} },
    { name: "24 registers", options: { maxRegisters: 24 } },
    { name: "hardly any registers", options: { ceilings: { R: 16, UR: 6, P: 4, UP: 3 } } },
  ];
  for (const { name, options } of limits) {
    test(name, () => {
      fc.assert(
        fc.property(shapes, (shape) => {
          const func = randomFunc(shape);
          const before = snapshot(func);
          const r = allocate(func, options);
          expect(r.ok).toBe(true);
          expect(checkAllocation(before, func)).toEqual([]);
          expect(verify(func, "allocated", { skipDefinedness: !shape.defined })).toEqual([]);
        }),
        { seed: 1, numRuns: 150 },
      );
    });
  }
});

test("a large function that spills from every file", () => {
  const func = randomFunc({ seed: 3, blocks: 60, length: 30, values: 60, defined: true });
  const before = snapshot(func);
  const r = allocate(func, { maxRegisters: 64 });
  expect(new Set(r.ok ? r.value.spills.map((s) => s.file) : [])).toEqual(new Set([File.R, File.P, File.UP]));
  expect(checkAllocation(before, func)).toEqual([]);
});
