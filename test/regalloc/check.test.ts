import { snapshot } from "../../lib/ori/index.js";
import { allocate, checkAllocation } from "../../lib/regalloc/index.js";
import { type FaultKind, faultKinds, plant } from "./faults.js";
import { differs } from "./interpret.js";
import { random, randomFunc } from "./random.js";

/** Paths walked to see whether a planted fault matters. */
const PATHS = 12;

describe("seeded faults", () => {
  const planted: Record<string, number> = {};
  const missed: string[] = [];
  const perKind = 12;
  for (const kind of faultKinds) planted[kind] = 0;

  for (let seed = 1; seed < 4000 && faultKinds.some((k) => (planted[k] as number) < perKind); seed++) {
    const pick = random(seed);
    const kind = faultKinds[seed % faultKinds.length] as FaultKind;
    if ((planted[kind] as number) >= perKind) continue;
    const func = randomFunc({ seed, blocks: 1 + pick(5), length: 4 + pick(10), values: 8 + pick(16), defined: true });
    const before = snapshot(func);
    if (!allocate(func, { ceilings: { R: 18, UR: 8, P: 5, UP: 4 } }).ok) continue;
    const known = new Set(before.blocks.flatMap((b) => b.insts.map((i) => i.id)));
    if (!plant(func, kind, known, pick)) continue;
    // A fault counts when it changes what some instruction reads on some path walked with made-up values.
    let real = false;
    for (let path = 1; path <= PATHS && !real; path++) real = differs(before, func, path);
    if (!real) continue;
    planted[kind] = (planted[kind] as number) + 1;
    if (checkAllocation(before, func).length === 0) missed.push(`${kind}, seed ${seed}`);
  }

  test("of every kind there are enough", () => {
    expect(Object.values(planted).every((n) => n === perKind)).toBe(true);
  });
  test("all of them are caught", () => {
    expect(missed).toEqual([]);
  });
});

test("what the allocator makes reads the same on random paths", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const func = randomFunc({ seed, blocks: 5, length: 12, values: 20, defined: seed % 2 === 0 });
    const before = snapshot(func);
    expect(allocate(func, { maxRegisters: 24 }).ok).toBe(true);
    for (let path = 1; path <= 5; path++) expect(differs(before, func, path)).toBe(false);
  }
});
