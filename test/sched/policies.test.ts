/** One small text per policy, and what observers are told. */
import { knobs } from "../../lib/knobs/index.js";
import { parseFunc } from "../../lib/ori/parse.js";
import { unwrap } from "../../lib/result.js";
import {
  Bit,
  bitOrder,
  bytePolicy,
  type Choice,
  type PriorityMemory,
  policyNamed,
  priorityByte,
  type SchedulePolicy,
  type ScheduleStrategy,
  scheduleFunc,
  schedulePolicies,
  settingsOfKnobs,
  tieOrder,
  twoWay,
  weighted,
} from "../../lib/sched/index.js";
import { batchTarget } from "../../lib/sched/policies.js";
import { orderOf, physical } from "./texts.js";

const named = (name: string): SchedulePolicy => policyNamed(name) as SchedulePolicy;

/** A load that something waits for, after arithmetic that nothing waits for. */
const late = `IADD3 R10, R20, R21, RZ
  IADD3 R11, R20, R21, RZ
  LDG.E R0, desc[UR4][R2.64]
  IADD3 R1, R0, R1, RZ`;

test("source-order", () => {
  expect(orderOf(late, named("source-order"))).toEqual([0, 1, 2, 3]);
});

test("first-touch: sectors that nothing has asked for come first, where registers allow it", () => {
  const loads = (last: string): string => `LDG.E R8, desc[UR4][R12.64]
  LDG.E R10, desc[UR4][R12.64+0x10]
  LDG.E R9, desc[UR4][R2.64]
  LDG.E R11, desc[UR4][R2.64+0x1c]
  LDG.E ${last}, desc[UR4][R12.64+0x20]
  IADD3 R30, R31, R32, RZ
  LDG.E R16, desc[UR4][R14.64]`;
  expect(orderOf(loads("R17"), named("first-touch"))).toEqual([0, 2, 4, 1, 3, 5, 6]);
  // What the last load writes is the base of one before it.
  expect(orderOf(loads("R2"), named("first-touch"))).toEqual([0, 2, 1, 3, 4, 5, 6]);
});

test("first-touch: a load whose address comes late waits for it in its place", () => {
  const code = `IMAD.WIDE R14, R20, 0x4, R22
  LDG.E R8, desc[UR4][R12.64]
  LDG.E R10, desc[UR4][R12.64+0x10]
  LDG.E R9, desc[UR4][R14.64]
  LDG.E R11, desc[UR4][R2.64]`;
  // R14 is there four cycles after its product, the first two loads take as long: in time for the third place, not for the second.
  expect(orderOf(code, named("first-touch"))).toEqual([0, 1, 3, 4, 2]);
  const late = code.replace("IMAD.WIDE R14, R20, 0x4, R22", "LDS.64 R14, [R20]");
  expect(orderOf(late, named("first-touch"))).toEqual([0, 1, 4, 2, 3]);
});

test("critical-path, balanced, long-latency-first, ilp: the load first, its reader last", () => {
  for (const name of ["critical-path", "balanced", "long-latency-first", "ilp", "backend-c", "best"]) {
    expect([name, orderOf(late, policyNamed(name)!)]).toEqual([name, [2, 0, 1, 3]]);
  }
});

test("post-schedule: a short block that runs once keeps its order unless much is gained", () => {
  expect(orderOf(late, policyNamed("post-schedule")!)).toEqual([0, 1, 2, 3]);
  const far = late.replace("LDG", `${"IADD3 R12, R12, R21, RZ\n".repeat(4)}LDG`);
  expect(orderOf(far, policyNamed("post-schedule")!)[0]).toBe(6);
});

test("fill: special registers apart, and uniform registers no earlier than those before them are read", () => {
  const code = `S2R R0, SR_TID.X
    ULDC UR4, c[0x0][0x0]
    S2R R8, SR_CTAID.X
    IMAD R6, R8, UR4, R0
    LDC.64 R2, c[0x0][0x210]
    IMAD.WIDE R2, R6, 0x40, R2
    ULDC.64 UR6, c[0x0][0x208]
    LDG.E R4, desc[UR6][R2.64]`;
  expect(orderOf(code, policyNamed("fill")!)).toEqual([0, 4, 1, 2, 3, 6, 5, 7]);
});

test("fill: a uniform register that only later blocks read is loaded while others are waited for", () => {
  const code = `func "k" entry sm_90 virtual scheduled
  value %R0
  value %R1
  value %UR2
  value %UR3
  value %R4
  value %UR5 width 2
  value %P6
  value %R7 width 2
b0 -> b1 b2
  S2R %R0, SR_TID.X
  LDC %R1, c[0x0][0x214]
  S2UR %UR2, SR_CTAID.X
  ISETP.GT.AND %P6, PT, %R1, RZ, PT
  USHF.L.U32 %UR3, %UR2, 0x4, URZ
  ULDC.64 %UR5, c[0x0][0x208]
  @%P6 BRA b2
b1 <- b0 -> b2
  LDC.64 %R7, c[0x0][0x210]
  IADD3 %R4, %R0, %UR3, RZ
  IMAD.WIDE %R7, %R4, 0x4, %R7
  STG.E desc[%UR5][%R7.64], %R1
b2 <- b1 b0
  EXIT`;
  const f = unwrap(parseFunc(code));
  scheduleFunc(f, policyNamed("fill")!);
  const order = f.blocks[0]!.insts.map((i) => i.form.op);
  expect(order.indexOf("ULDC")).toBeLessThan(order.indexOf("ISETP"));
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

test("a batch is never larger than allowed, and batches are even (wiki page 36)", () => {
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

/** The last of what may come, and: whatever stands first in the order that the pass starts from. */
const lastFirst = weighted("last first", { position: 1 });
const asItStands: SchedulePolicy = { name: "as it stands", does: "", direction: "forward", ladder: [] };

test("a pass of a strategy starts from what the one before left, unless it starts afresh", () => {
  const passes = (afresh: boolean): ScheduleStrategy => ({
    name: "s",
    does: "",
    passes: [{ policy: lastFirst }, { policy: asItStands, afresh }],
  });
  expect(orderOf(late, passes(false))).toEqual(orderOf(late, lastFirst));
  expect(orderOf(late, passes(true))).toEqual([0, 1, 2, 3]);
});

test("backend B's weights are a value, and its backward pass refines the forward one", () => {
  const strategy = twoWay({ pressure: 1, path: 1, name: "mine" });
  expect(strategy.passes.map((p) => p.policy.direction)).toEqual(["forward", "backward"]);
  // All three are equally long; the category of the forward pass is all that tells them apart.
  const code = `STG.E desc[UR4][R2.64], R20
    IADD3 R10, R20, R21, RZ
    LDG.E.CONSTANT R11, desc[UR4][R6.64]`;
  expect(orderOf(code, strategy.passes[0]!.policy)).toEqual([2, 1, 0]);
});

/** Nine comparisons, then nine selections: more predicates than there are. */
const predicates = unwrap(
  parseFunc(
    [
      `func "k" entry sm_90 virtual scheduled`,
      "b0",
      "S2R %R0, SR_TID.X",
      "S2R %R1, SR_CTAID.X",
      ...Array.from({ length: 9 }, (_, k) => `ISETP.GE.AND %P${k + 2}, PT, %R0, ${k}, PT`),
      ...Array.from({ length: 9 }, (_, k) => `SEL %R${k + 11}, %R0, %R1, %P${k + 2}`),
      ...Array.from({ length: 9 }, (_, k) => `STS [%R0+${4 * k}], %R${k + 11}`),
      "EXIT",
    ].join("\n"),
  ),
);

test("predicates run short as registers do: no more live than there are", () => {
  for (const name of ["reduce-reg", "backend-a", "ilp"]) {
    const report = scheduleFunc(predicates, policyNamed(name)!);
    expect([name, report.blocks[0]!.after.maxLive[2]! <= 7]).toEqual([name, true]);
  }
});

test("a target of no registers means no budget (SchedMaxRTarget 0)", () => {
  const seen: number[] = [];
  const look: SchedulePolicy = {
    ...asItStands,
    ladder: [{ why: "", by: (c) => seen.push(c.over) }],
  };
  for (const registerTarget of [0, 1]) scheduleFunc(physical(late), look, { parameters: { registerTarget } });
  expect([seen.slice(0, seen.length / 2).every((x) => x === 0), seen.some((x) => x > 0)]).toEqual([true, true]);
});

test("the order in which bits and ties are compared is data", () => {
  const base = { name: "b", does: "", direction: "forward", reduceReg: false } as const;
  const code = `IADD3 R10, R20, R21, RZ
    IADD3 R11, R10, R21, RZ
    IADD3 R12, R11, R21, RZ
    LDG.E R0, desc[UR4][R2.64]`;
  // The sums are the longer way, the load is hot.
  const [first] = orderOf(code, bytePolicy(base));
  const [hotFirst] = orderOf(code, bytePolicy({ ...base, bits: ["Hot"] }));
  expect(first).toBe(0);
  expect(hotFirst).toBe(3);
  const bare = bytePolicy({ ...base, bits: [], ties: [] });
  expect(bare.ladder.map((r) => r.why)).toEqual(["register pressure"]);
  // Two rungs more that knobs turn on.
  expect(bytePolicy(base).ladder).toHaveLength(1 + bitOrder.length + 2 + tieOrder.length);
});

test("every knob that names the scheduler as its reader changes its settings", () => {
  const read = knobs.flatMap((k) => (k.readBy?.startsWith("sched: ") ? [[k.readBy.slice(7), k.type] as const] : []));
  expect(read.length).toBeGreaterThan(25);
  const without = JSON.stringify(settingsOfKnobs({}));
  const idle = read.filter(([option, type]) => {
    // What is on by itself is turned off.
    const values = type === "flag" ? [true, false] : [type === "text" ? "FFMA,3" : 1];
    return values.every((v) => JSON.stringify(settingsOfKnobs({ [option]: v }), (_, x) => x ?? null) === without);
  });
  expect(idle).toEqual([]);
  expect(settingsOfKnobs({ crossBlock: 0 }).options?.crossBlock).toBe(false);
});

test("an unknown name gives no policy, names are unique", () => {
  expect(policyNamed("nothing")).toBeUndefined();
  expect(new Set(schedulePolicies.map((p) => p.name)).size).toBe(schedulePolicies.length);
});
