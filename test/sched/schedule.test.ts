/** Any order that the scheduler gives computes the same: random blocks, every policy, judged by an interpreter of its own. */
import * as fc from "fast-check";
import type { Func, Inst } from "../../lib/ori/types.js";
import { verify } from "../../lib/ori/verify.js";
import { type Policy, scheduleFunc, schedulePolicies, weighted } from "../../lib/sched/index.js";
import { interpret, type Outcome } from "./interpret.js";
import { randomBlock, type Shape } from "./random.js";

const shapes: fc.Arbitrary<Shape> = fc.record({
  seed: fc.nat(1_000_000),
  length: fc.integer({ min: 1, max: 60 }),
  registers: fc.constantFrom(4, 8, 24),
  target: fc.constantFrom("sm_75" as const, "sm_90" as const, "sm_120" as const),
  memory: fc.constantFrom(10, 35, 80),
});

const insts = (func: Func): readonly Inst[] => func.blocks.flatMap((b) => b.insts);
const ids = (func: Func): number[] => insts(func).map((i) => i.id);

/** A policy that chooses at random, the same way each time. */
function chaos(seed: number, direction: "forward" | "backward"): Policy {
  return {
    name: "chaos",
    does: "anything",
    direction,
    ladder: [{ why: "chance", by: (c) => Math.imul(c.node + 1, seed | 1) ^ (seed >>> 3) }],
  };
}

const told = (x: Outcome): string => JSON.stringify([[...x.registers], [...x.memory], x.log]);

function same(shape: Shape, policy: Policy, window = 64): void {
  const func = randomBlock(shape);
  const before = interpret(insts(func));
  const order = ids(func);
  scheduleFunc(func, policy, { memoryWindow: window });
  expect(told(interpret(insts(func)))).toBe(told(before));
  expect([...ids(func)].sort((a, b) => a - b)).toEqual([...order].sort((a, b) => a - b));
  expect(verify(func, func.milestone, { skipDefinedness: true })).toEqual([]);
}

test.each(schedulePolicies.map((p) => [p.name, p] as const))("%s keeps every dependence", (_, policy) => {
  fc.assert(
    fc.property(shapes, (shape) => same(shape, policy)),
    { seed: 3, numRuns: 25 },
  );
});

test("random choices keep every dependence, in both directions, also with a narrow memory window", () => {
  fc.assert(
    fc.property(shapes, fc.integer(), fc.boolean(), fc.constantFrom(1, 2, 5, 64), (shape, seed, forward, window) =>
      same(shape, chaos(seed, forward ? "forward" : "backward"), window),
    ),
    { seed: 4, numRuns: 250 },
  );
});

test("the interpreter notices a wrong order", () => {
  // Of two neighbours that change places some must matter.
  let noticed = 0;
  for (let seed = 0; seed < 40; seed++) {
    const func = randomBlock({ seed, length: 12, registers: 4, memory: 60 });
    const list = [...insts(func)];
    const before = interpret(list);
    [list[5], list[6]] = [list[6]!, list[5]!];
    try {
      expect(interpret(list)).toEqual(before);
    } catch {
      noticed++;
    }
  }
  expect(noticed).toBeGreaterThan(10);
});

test("the same function and policy give the same order", () => {
  for (const policy of schedulePolicies) {
    const once = (): number[] => {
      const func = randomBlock({ seed: 7, length: 200, registers: 24 });
      scheduleFunc(func, policy);
      return ids(func);
    };
    expect(once()).toEqual(once());
  }
});

test("a lookahead of one keeps dependences too, and source order moves nothing", () => {
  const func = randomBlock({ seed: 9, length: 120, registers: 24 });
  const before = interpret(insts(func));
  scheduleFunc(func, weighted("w", { ahead: 1, stall: -1 }), { parameters: { lookahead: 1 } });
  expect(interpret(insts(func))).toEqual(before);
  const order = ids(func);
  const report = scheduleFunc(func, schedulePolicies[0]!);
  expect(ids(func)).toEqual(order);
  expect(report.moved).toBe(0);
});

test("live registers: the report's maximum is what counting by hand gives", () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const func = randomBlock(shape);
      const report = scheduleFunc(func, chaos(shape.seed, "backward"));
      const block = report.blocks[0]!;
      expect(block.after.maxLive[0]).toBe(maxLiveR(func.blocks[0]!.insts));
      expect(block.moved === 0 || block.policy === "chaos").toBe(true);
    }),
    { seed: 5, numRuns: 100 },
  );
});

/** R registers that are read later before a certain write, counted at each instruction with what it writes. */
function maxLiveR(list: readonly Inst[]): number {
  const names = (os: Inst["srcs"]): number[] =>
    os.flatMap((x) =>
      x.kind === 1 && x.file === 1 && x.id >= 0 ? Array.from({ length: x.width }, (_, k) => x.id + k) : [],
    );
  const live = new Set<number>();
  let most = 0;
  for (const inst of [...list].reverse()) {
    most = Math.max(most, new Set([...live, ...names(inst.dsts)]).size);
    if (inst.guard === null) for (const r of names(inst.dsts)) live.delete(r);
    for (const r of names(inst.srcs)) live.add(r);
    most = Math.max(most, live.size);
  }
  return most;
}
