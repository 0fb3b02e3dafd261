/** Latencies along the edges between blocks: what a block leaves in flight, and what the next ones need soon. */
import { parseFunc } from "../../lib/ori/parse.js";
import { File, type Func, Kind } from "../../lib/ori/types.js";
import { unwrap } from "../../lib/result.js";
import { type Choice, type Policy, policyNamed, scheduleFunc } from "../../lib/sched/index.js";

const func = (body: string): Func => unwrap(parseFunc(`func "k" entry sm_90 physical post-expanded\n${body}`));
const policy = policyNamed("critical-path") as Policy;

/** Instructions of block b after scheduling: mnemonic and the R register written. */
function order(f: Func, b: number): string[] {
  return f.blocks[b]!.insts.map((i) =>
    `${i.form.op} ${i.dsts.find((d) => d.kind === Kind.Reg && d.file === File.R)?.id ?? ""}`.trim(),
  );
}

const loadThenUse = (before: string): string => `b0
${before}
BRA b1
b1
IADD3 R10, R0, R20, RZ
IADD3 R11, R21, R22, RZ
EXIT`;

test("entry: what a load of the block before brings is not read first", () => {
  const f = func(loadThenUse("LDG.E R0, desc[UR4][R2.64]"));
  scheduleFunc(f, policy);
  expect(order(f, 1)).toEqual(["IADD3 11", "IADD3 10", "EXIT"]);
  const alone = func(loadThenUse("LDG.E R0, desc[UR4][R2.64]"));
  scheduleFunc(alone, policy, { crossBlock: false });
  expect(order(alone, 1)).toEqual(["IADD3 10", "IADD3 11", "EXIT"]);
});

test("entry: the slowest of several ways counts, and what only passes through a block too", () => {
  const f = func(`b0
LDG.E R0, desc[UR4][R2.64]
@P0 BRA b2
b1
IADD3 R5, R6, R7, RZ
b2
IADD3 R10, R0, R20, RZ
IADD3 R11, R21, R22, RZ
EXIT`);
  const cycles: number[] = [];
  scheduleFunc(f, policy, {
    observe: (c: Choice) => {
      if (c.block === f.blocks[2]!.id && c.step === 0) cycles.push(...c.ready.map((n) => c.state.earliest[n]!));
    },
  });
  expect(cycles[0]).toBeGreaterThan(20);
  expect(cycles[1]).toBe(0);
  expect(order(f, 2)).toEqual(["IADD3 11", "IADD3 10", "EXIT"]);
});

test("exit: what the next block reads soon leaves early; what it overwrites first does not matter", () => {
  const body = (next: string): string => `b0
IADD3 R11, R21, R22, RZ
IADD3 R12, R21, R22, RZ
LDG.E R0, desc[UR4][R2.64]
BRA b1
b1
${next}
EXIT`;
  const soon = func(body("IADD3 R10, R0, R20, RZ"));
  scheduleFunc(soon, policy);
  expect(order(soon, 0)[0]).toBe("LDG 0");
  const dead = func(body("MOV R0, 0x1\nIADD3 R10, R0, R20, RZ"));
  scheduleFunc(dead, policy);
  expect(order(dead, 0)[0]).toBe("IADD3 11");
});

test("the report weighs blocks by how often they run", () => {
  const f = func(`b0
MOV R0, 0x0
b1
IADD3 R0, R0, 0x1, RZ
ISETP.GE.AND P0, PT, R0, R4, PT
@!P0 BRA b1
b2
EXIT`);
  const report = scheduleFunc(f, policy);
  expect(report.blocks.map((b) => b.frequency)).toEqual([1, 10, 1]);
  expect(report.after).toBeCloseTo(report.blocks.reduce((n, b) => n + b.frequency * b.after.drain, 0));
});
