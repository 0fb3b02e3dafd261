/** One small text per policy, and what observers are told. */
import {
  Bit,
  type Choice,
  policyNamed,
  priorityByte,
  type SchedulePolicy,
  scheduleFunc,
  schedulePolicies,
  weighted,
} from "../../lib/sched/index.js";
import { batchTarget } from "../../lib/sched/policies.js";
import type { PriorityMemory } from "../../lib/sched/priority.js";
import { orderOf, physical } from "./texts.js";

const named = (name: string): SchedulePolicy => policyNamed(name) as SchedulePolicy;

/** A load that something waits for, behind arithmetic that nothing waits for. */
const late = `IADD3 R10, R20, R21, RZ
  IADD3 R11, R20, R21, RZ
  LDG.E R0, desc[UR4][R2.64]
  IADD3 R1, R0, R1, RZ`;

test("source-order", () => {
  expect(orderOf(late, named("source-order"))).toEqual([0, 1, 2, 3]);
});

test("critical-path, balanced, long-latency-first, ilp: the load first, its reader last", () => {
  for (const name of ["critical-path", "balanced", "long-latency-first", "ilp", "backend-c", "post-schedule", "best"]) {
    expect([name, orderOf(late, policyNamed(name)!)]).toEqual([name, [2, 0, 1, 3]]);
  }
});

test("critical-path fills the gap between dependent instructions", () => {
  const code = `IADD3 R0, R20, R21, RZ
    IADD3 R0, R0, R21, RZ
    FFMA R1, R22, R23, R24
    FFMA R2, R22, R23, R24`;
  expect(orderOf(code, named("critical-path"))).toEqual([0, 2, 3, 1]);
});

test("reduce-reg: each sum as soon as its two loads are there", () => {
  const code = `LDS R0, [R30]
    LDS R1, [R30+0x4]
    LDS R2, [R30+0x8]
    LDS R3, [R30+0xc]
    IADD3 R4, R0, R1, RZ
    IADD3 R5, R2, R3, RZ
    IADD3 R6, R4, R5, RZ
    STS [R30], R6`;
  const report = scheduleFunc(physical(code), named("reduce-reg"));
  expect(report.blocks[0]!.before.maxLive[0]).toBe(5);
  expect(report.blocks[0]!.after.maxLive[0]).toBe(4);
  expect(orderOf(code, named("reduce-reg"))).toEqual([0, 1, 4, 2, 3, 5, 6, 7]);
});

test("dyn-batch: loads stand together", () => {
  const code = `LDS R0, [R30]
    IADD3 R10, R20, R21, RZ
    LDS R1, [R30+0x4]
    IADD3 R11, R20, R21, RZ
    LDS R2, [R30+0x8]
    IADD3 R12, R0, R1, R2`;
  expect(orderOf(code, named("dyn-batch"))).toEqual([0, 2, 4, 1, 3, 5]);
});

test("a batch is never larger than allowed, and batches are even (digest E §2D.4)", () => {
  expect(batchTarget(16, 5, 3)).toBe(5);
  expect(batchTarget(16, 20, 3)).toBe(10);
  expect(batchTarget(16, 40, 3)).toBe(14);
});

test("a policy is a plain object, and a weighted sum is one", () => {
  const backwards: SchedulePolicy = {
    name: "backwards",
    does: "the last one that may",
    direction: "forward",
    ladder: [{ why: "position", by: (c) => c.position }],
  };
  expect(orderOf(late, backwards)).toEqual([2, 3, 1, 0]);
  expect(orderOf(late, weighted("w", { position: 1 }))).toEqual([2, 3, 1, 0]);
});

test("observers are told the candidates, the winner, the runner-up and the rung that decided", () => {
  const told: string[] = [];
  const observe = (c: Choice): void => {
    told.push(`${c.step}: ${c.ready.join()} -> ${c.winner}, not ${c.runnerUp}: ${c.why}`);
    expect(c.scores()).toHaveLength(c.ready.length);
    expect(c.scores()[0]).toHaveLength(c.policy.ladder.length);
  };
  scheduleFunc(physical(late), named("critical-path"), { observe });
  expect(told).toEqual([
    "0: 0,1,2 -> 2, not 0: critical path",
    "1: 0,1,3 -> 0, not 1: program order",
    "2: 1,3 -> 1, not 3: stall",
    "3: 3 -> 3, not -1: only candidate",
    "4: 4 -> 4, not -1: only candidate",
  ]);
});

test("observing changes nothing", () => {
  for (const policy of schedulePolicies) {
    expect(orderOf(late, policy, { observe: () => {} })).toEqual(orderOf(late, policy));
  }
});

test("the bits of page 37: a load that something waits for is hot and critical, the sums are neither", () => {
  const bytes: number[] = [];
  const byte = named("ilp") as SchedulePolicy<PriorityMemory>;
  const spy: SchedulePolicy<PriorityMemory> = {
    ...byte,
    ladder: [
      {
        why: "byte",
        by: (c, m) => {
          if (c.state.placed === 0) bytes[c.node] = priorityByte(c, m);
          return 0;
        },
      },
    ],
  };
  scheduleFunc(physical(late), spy);
  const sum = Bit.SameBlock | Bit.StallFree;
  expect(bytes).toEqual([sum, sum, sum | Bit.Hot | Bit.Critical]);
  expect(Object.values(Bit).reduce((x: number, y) => x | y, 0)).toBe(0xff);
});

test("an unknown name gives no policy, names are unique", () => {
  expect(policyNamed("nothing")).toBeUndefined();
  expect(new Set(schedulePolicies.map((p) => p.name)).size).toBe(schedulePolicies.length);
});
