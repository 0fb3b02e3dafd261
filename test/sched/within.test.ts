/** Scheduling within the register budget: what fits stays within it, and the budget is what occupancy can use. */
import { readFileSync } from "node:fs";
import { compile } from "../../lib/compile.js";
import { readCubin } from "../../lib/elf/index.js";
import { parseFunc } from "../../lib/ori/parse.js";
import type { Func } from "../../lib/ori/types.js";
import { unwrap } from "../../lib/result.js";
import { registerLimits, toEndOfUnit, warpsAtOnce } from "../../lib/sched/budget.js";
import {
  type BlockReport,
  backendA,
  type Policy,
  policyNamed,
  type SchedulePolicy,
  scheduleFunc,
  within,
} from "../../lib/sched/index.js";
import { windowed } from "../../lib/sched/policies.js";
import { defaultParameters } from "../../lib/sched/policy.js";

const named = (name: string): SchedulePolicy => policyNamed(name) as SchedulePolicy;
const func = (...lines: string[]): Func =>
  unwrap(parseFunc([`func "k" entry sm_90 virtual scheduled`, "b0", ...lines, "EXIT"].join("\n")));

/** `n` times: two loads from shared memory, their sum stored. In this order three registers are live at once. */
function sums(n: number): Func {
  const lines = ["S2R %R0, SR_TID.X"];
  for (let k = 0; k < n; k++) {
    const [a, b, c] = [3 * k + 1, 3 * k + 2, 3 * k + 3];
    lines.push(`LDS %R${a}, [%R0+${8 * k}]`, `LDS %R${b}, [%R0+${8 * k + 4}]`);
    lines.push(`IADD3 %R${c}, %R${a}, %R${b}, RZ`, `STS [%R0+${4096 + 4 * k}], %R${c}`);
  }
  return func(...lines);
}

const report = (f: Func, policy: Policy, registerTarget: number): BlockReport =>
  scheduleFunc(f, policy, { parameters: { registerTarget } }).blocks[0]!;

test("a budget between the order given and the fastest one is used, not exceeded", () => {
  const fastest = report(sums(8), backendA, 0).after;
  expect(fastest.maxLive[0]).toBe(10);
  let last = report(sums(8), named("source-order"), 3).after.drain;
  for (const budget of [5, 7, 9]) {
    const { after } = report(sums(8), backendA, budget);
    expect([budget, after.maxLive[0]! <= budget]).toEqual([budget, true]);
    expect([budget, after.drain < last]).toEqual([budget, true]);
    last = after.drain;
  }
});

test("a budget that no order meets costs no register more than the order given", () => {
  const { before, after } = report(sums(8), within(named("critical-path")), 1);
  expect(after.maxLive[0]).toBeLessThanOrEqual(before.maxLive[0]!);
});

test("every forward policy keeps within it, also where the lookahead does not reach the next of the order given", () => {
  for (const name of ["critical-path", "balanced", "long-latency-first", "ilp", "dyn-batch"]) {
    for (const lookahead of [1, 3, 96]) {
      const made = scheduleFunc(sums(40), within(named(name)), { parameters: { registerTarget: 12, lookahead } });
      const { before, after } = made.blocks[0]!;
      expect([name, lookahead, after.maxLive[0]! <= 12]).toEqual([name, lookahead, true]);
      if (lookahead > 3) expect([name, after.drain < before.drain]).toEqual([name, true]);
    }
  }
});

test("a backward policy cannot be kept within the limits", () => {
  expect(() => report(sums(2), within(named("reduce-reg")), 9)).toThrow("only forward passes");
});

test("vectors whose registers are read one by one are worked on side by side within the budget", () => {
  const bodies = (n: number): Func => {
    const values = ["  value %R0"];
    const lines = ["S2R %R0, SR_TID.X"];
    for (let k = 0; k < n; k++) {
      const [v, a, b] = [3 * k + 1, 3 * k + 2, 3 * k + 3];
      values.push(`  value %R${v} width 4`, `  value %R${a}`, `  value %R${b}`);
      lines.push(`LDS.128 %R${v}, [%R0+${16 * k}]`, `FADD %R${a}, %R${v}:0, %R${v}:1`, `FADD %R${b}, %R${v}:2, %R${a}`);
      lines.push(`FMUL %R${b}, %R${b}, %R${v}:3`, `STS [%R0+${4096 + 4 * k}], %R${b}`);
    }
    const text = [`func "k" entry sm_90 virtual scheduled`, ...values, "b0", ...lines, "EXIT"];
    return unwrap(parseFunc(text.join("\n")));
  };
  // One body has a vector and the sums, two at once have nine registers.
  const one = report(bodies(8), backendA, 6).after;
  const two = report(bodies(8), backendA, 9).after;
  expect([one.maxLive[0]! <= 6, two.maxLive[0]! <= 9]).toEqual([true, true]);
  expect(two.drain).toBeLessThan(0.7 * one.drain);
});

test("a window: what is near the front first, also where a longer path starts after it", () => {
  const code = [
    "S2R %R0, SR_TID.X",
    ...[1, 2, 3, 4].map((k) => `MOV %R${k}, ${k}`),
    "LDS %R5, [%R0]",
    "IADD3 %R6, %R5, %R1, %R2",
    "IADD3 %R7, %R6, %R3, %R4",
    "STS [%R0], %R7",
  ];
  const path: SchedulePolicy = {
    name: "path",
    does: "the longest path",
    direction: "forward",
    ladder: [{ why: "path", by: (c) => c.ahead }],
  };
  const place = (policy: SchedulePolicy): number => {
    const f = func(...code);
    scheduleFunc(f, policy);
    return f.blocks[0]!.insts.findIndex((i) => i.form.op === "LDS");
  };
  expect(place(path)).toBe(1);
  expect(place(windowed(path, 2) as SchedulePolicy)).toBe(3);
});

test("a value that is made in parts is live from the first part on, whichever it is", () => {
  const parts = `func "k" entry sm_90 virtual scheduled
  value %R0 width 4
b0
MOV %R0:0, 0x0
MOV %R0:1, 0x1
MOV %R0:2, 0x2
MOV %R0:3, 0x3
S2R %R1, SR_TID.X
IADD3 %R2, %R1, 0x1, RZ
STS [%R2], %R1
STS [%R2+0x10], %R0:0
STS [%R2+0x14], %R0:3
EXIT`;
  // Part 3 first: the four registers are taken from there on.
  const last: SchedulePolicy = {
    name: "last",
    does: "the last part first",
    direction: "forward",
    ladder: [{ why: "last part", by: (c) => (c.node === 3 ? 1 : c.node < 3 ? -1 : 0) }],
  };
  const live: number[] = [];
  scheduleFunc(unwrap(parseFunc(parts)), last, { observe: (c) => live.push(c.state.pressure.live[0]!) });
  expect(live.slice(0, 4)).toEqual([0, 4, 5, 6]);
});

describe("the budget: registers that let as many warps run as without any", () => {
  const budget = (sm: string, ntid: number | null, sharedBytes: number): number => {
    const f = unwrap(parseFunc(`func "k" entry ${sm} virtual scheduled\nb0\nEXIT`));
    f.limits.maxntid = ntid === null ? null : [ntid, 1, 1];
    f.sharedBytes = sharedBytes;
    return registerLimits(f, defaultParameters)[0]!;
  };
  // What ptxas -O3 -v says of dgemm with this `.maxntid` and so much shared memory more, less R1 and the two it adds.
  test.each([
    ["sm_90", null, 0, 32],
    ["sm_90", null, 49152, 32],
    ["sm_90", 1024, 49152, 32],
    ["sm_90", 768, 0, 40],
    ["sm_90", 128, 16384, 32],
    ["sm_90", 128, 32768, 80],
    ["sm_90", 256, 32768, 40],
    ["sm_90", 256, 49152, 64],
    ["sm_75", null, 0, 64],
    ["sm_75", 768, 0, 80],
    ["sm_75", 256, 16384, 64],
  ] as const)("%s, %s threads, %s bytes of shared memory", (sm, ntid, shared, registers) => {
    expect(budget(sm, ntid, shared)).toBe(registers - 3);
  });
});

test("warps that run at once with so many registers", () => {
  const f = (sm: string): Func => {
    const made = unwrap(parseFunc(`func "k" entry ${sm} virtual scheduled\nb0\nEXIT`));
    made.limits.maxntid = [64, 1, 1];
    return made;
  };
  expect([32, 40, 64].map((registers) => warpsAtOnce(f("sm_100"), registers))).toEqual([64, 48, 32]);
  expect([32, 40, 48].map((registers) => warpsAtOnce(f("sm_120"), registers))).toEqual([48, 48, 40]);
});

test("a loop that fills its unit of registers whatever the order is given another one, where the warps left get more done", () => {
  // Six loads for each product beside 23 registers that stay: as ptxas -O3, 40 registers on sm_100. On sm_90, where three are left, 32 are enough.
  const registers = (sm: "sm_90" | "sm_100"): number => {
    const text = readFileSync(`test/corpus/matrix/product_types.${sm}.ptx`, "utf8");
    const { cubin } = compile(text, { target: sm, opt: 2 });
    return unwrap(readCubin(cubin!)).functions.find((f) => f.name === "of_bf16")!.registers;
  };
  expect(registers("sm_100")).toBeGreaterThan(32);
  expect(registers("sm_100")).toBeLessThanOrEqual(40);
  expect(registers("sm_90")).toBeLessThanOrEqual(32);
});

/** ptxas -O3 keeps no more loads in flight than cover their latency. */
test("where a block decides how many registers the function needs, it needs no more than its cycles do", () => {
  const { thrift, ...wasteful } = backendA;
  expect(thrift).toBeDefined();
  const before = report(sums(8), wasteful, 0).after;
  const { after, policy } = report(sums(8), backendA, 0);
  expect(after.maxLive[0]).toBeLessThan(before.maxLive[0]!);
  expect([after.cycles <= before.cycles, after.drain <= before.drain]).toEqual([true, true]);
  expect(policy).toBe("dyn-batch-within");
});

test("what one block needs anyway opens the rest of the unit of eight registers to all, as far as there are registers", () => {
  const plain = func("MOV %R0, RZ");
  const quads = func("LDG.E.128 %R0, [RZ]");
  expect(toEndOfUnit(plain, 29, 29)).toBe(29);
  expect(toEndOfUnit(plain, 29, 30)).toBe(37);
  expect(toEndOfUnit(plain, 29, 38)).toBe(45);
  expect(toEndOfUnit(plain, 29, 30, { maxRegisters: 36 })).toBe(33);
  expect(toEndOfUnit(plain, 29, 60, { maxRegisters: 36 })).toBe(33);
  // Up to three registers beside a group of four are counted in the limit: the unit is the same. Beyond it, room is left for them.
  expect(toEndOfUnit(quads, 26, 29)).toBe(26);
  expect(toEndOfUnit(quads, 26, 30)).toBe(33);
});

test("a block with more live registers than the budget: others fill the unit that the function is given", () => {
  // 20 values live through b2, whose loads overlap within the budget of 32. With 13 more at the end of b0, 40 registers are given to the function.
  const each = (n: number, of: (k: number) => string): string[] => Array.from({ length: n }, (_, k) => of(k));
  const most = (more: number): number => {
    const lines = [
      ...each(20 + more, (k) => `LDG.E %R${k}, [RZ+${4 * k}]`),
      "BRA b1",
      "b1",
      ...each(more, (k) => `STG.E [RZ], %R${20 + k}`),
      "BRA b2",
      "b2",
      ...each(16, (k) => `LDG.E %R${40 + k}, [RZ+${4 * k}]\nSTS [RZ+${4 * k}], %R${40 + k}`),
      ...each(20, (k) => `STG.E [RZ], %R${k}`),
      "EXIT",
    ];
    const f = unwrap(parseFunc([`func "k" entry sm_90 virtual scheduled`, "b0", ...lines].join("\n")));
    return scheduleFunc(f, backendA).blocks[2]!.after.maxLive[0]!;
  };
  expect(most(0)).toBe(29);
  expect(most(13)).toBeGreaterThan(29);
  expect(most(13)).toBeLessThanOrEqual(37);
});
