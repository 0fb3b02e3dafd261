import { Builder, newFunc, operand } from "../../../lib/ori/index.js";
import { type ControlPolicy, control, controlO0 } from "../../../lib/sched/index.js";
import { target } from "../../../lib/target/index.js";
import type { TargetName } from "../../../lib/target/types.js";

const { imm, reg, RZ, ureg } = operand;

/** Write and read scoreboard of one instruction at -O0. */
function scoreboards(arch: TargetName, emit: (b: Builder) => void): readonly [number, number] {
  const b = new Builder(newFunc("k", target(arch)));
  emit(b);
  const func = b.finish();
  control(func);
  const c = func.blocks[0]?.insts[0]?.control;
  if (c === undefined || c === null) throw new Error("no control word");
  expect({ stall: c.stall, yield: c.yield, wait: c.wait, reuse: c.reuse }).toEqual({
    stall: 15,
    yield: 0,
    wait: 3,
    reuse: 0,
  });
  expect(func.milestone).toBe("controlled");
  return [c.writeSb, c.readSb];
}

// Expected values: measured on ptxas 13.0.88.
describe("-O0 control words", () => {
  test("results of variable latency count on scoreboard 0, their operands on 1", () => {
    expect(scoreboards("sm_90", (b) => b.emit("LDG.E", { d: reg(0) }, { base: reg(2, 2), desc: ureg(4, 2) }))).toEqual([
      0, 1,
    ]);
    expect(scoreboards("sm_90", (b) => b.emit("MUFU.RCP", { d: reg(0) }, { b: reg(2) }))).toEqual([0, 1]);
    expect(scoreboards("sm_90", (b) => b.emit("S2R", { d: reg(0) }, { s: operand.sreg(0x21) }))).toEqual([0, 1]);
  });
  test("stores and barriers set the read scoreboard alone", () => {
    expect(scoreboards("sm_75", (b) => b.emit("STS", {}, { base: reg(2), data: reg(0) }))).toEqual([7, 1]);
    expect(scoreboards("sm_90", (b) => b.emit("BAR.SYNC.DEFER_BLOCKING", {}, { id: imm(0) }))).toEqual([7, 1]);
  });
  test("everything else sets none", () => {
    expect(scoreboards("sm_90", (b) => b.emit("IADD3", { d: reg(0) }, { a: reg(2), b: reg(3), c: RZ() }))).toEqual([
      7, 7,
    ]);
    expect(scoreboards("sm_90", (b) => b.emit("EXIT"))).toEqual([7, 7]);
  });
  test("double precision is fixed on sm_90 and sm_100, guarded elsewhere", () => {
    const dadd = (b: Builder): void => {
      b.emit("DADD", { d: reg(0, 2) }, { a: reg(2, 2), b: reg(4, 2) });
    };
    expect(["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"].map((a) => scoreboards(a as TargetName, dadd)[0])).toEqual([
      0, 0, 7, 7, 0,
    ]);
  });
  test("another policy is used when given", () => {
    const lazy: ControlPolicy = { name: "lazy", control: (i, t) => ({ ...controlO0.control(i, t), stall: 1 }) };
    const b = new Builder(newFunc("k", target("sm_90")));
    b.emit("EXIT");
    const func = b.finish();
    control(func, lazy);
    expect(func.blocks[0]?.insts[0]?.control?.stall).toBe(1);
  });
});
