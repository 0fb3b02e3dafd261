/** Registers of machine code made virtual and allocated again. */
import { compile } from "../../lib/compile.js";
import { readCubin } from "../../lib/elf/index.js";
import { liftCubin, replaceCode } from "../../lib/lift/index.js";
import { makeVirtual } from "../../lib/lift/webs.js";
import { Builder, guardOn, newFunc, operand, renderFinding, snapshot, verify } from "../../lib/ori/index.js";
import { File, type Func } from "../../lib/ori/types.js";
import { allocate, checkAllocation } from "../../lib/regalloc/index.js";
import { unwrap } from "../../lib/result.js";
import { control } from "../../lib/sched/index.js";
import { runLaunchFile } from "../../lib/sim/index.js";
import { target } from "../../lib/target/index.js";
import { corpus, corpusPtx } from "../corpus/cases.js";

const { imm, reg, preg, RZ } = operand;

function physical(make: (b: Builder) => void): Func {
  const b = new Builder(newFunc("k", target("sm_90")));
  make(b);
  b.exit();
  const func = b.finish();
  func.virtual = false;
  return func;
}

describe("webs", () => {
  test("one register, two values", () => {
    const func = physical((b) => {
      b.emit("MOV", [reg(4)], [imm(1)]);
      b.emit("IADD3", { d: reg(5) }, { a: reg(4), b: imm(1), c: RZ() });
      b.emit("MOV", [reg(4)], [imm(2)]);
      b.emit("IADD3", { d: reg(5) }, { a: reg(4), b: reg(5), c: RZ() });
    });
    expect(makeVirtual(func)).toBeNull();
    const ids = func.blocks[0]!.insts.map((i) => i.dsts[0]?.id);
    expect(new Set(ids.slice(0, 4)).size).toBe(4);
    expect(verify(func, "scheduled").map(renderFinding)).toEqual([]);
  });

  test("a pair is one value, its halves keep their places", () => {
    const func = physical((b) => {
      b.emit("MOV", [reg(6)], [imm(1)]);
      b.emit("MOV", [reg(7)], [imm(2)]);
      b.emit("IMAD.WIDE", { d: reg(8, 2) }, { a: reg(6), b: imm(4), c: reg(6, 2) });
    });
    expect(makeVirtual(func)).toBeNull();
    const [low, high, wide] = func.blocks[0]!.insts;
    expect(high!.dsts[0]!.id).toBe(low!.dsts[0]!.id);
    expect([low!.dsts[0]!.sub, high!.dsts[0]!.sub]).toEqual([0, 1]);
    expect(func.values.width(low!.dsts[0]!.id)).toBe(2);
    expect(wide!.dsts[0]!.id).not.toBe(low!.dsts[0]!.id);
    expect(verify(func, "scheduled").map(renderFinding)).toEqual([]);
  });

  test("a guarded definition joins what it may leave", () => {
    const func = physical((b) => {
      b.emit("MOV", [reg(4)], [imm(1)]);
      b.emit("ISETP.NE.AND", { p: preg(0) }, { a: reg(4), b: imm(0) });
      b.emit("MOV", [reg(4)], [imm(2)], { guard: guardOn(File.P, 0) });
      b.emit("IADD3", { d: reg(5) }, { a: reg(4), b: imm(1), c: RZ() });
    });
    expect(makeVirtual(func)).toBeNull();
    const [one, , two, sum] = func.blocks[0]!.insts;
    expect(two!.dsts[0]!.id).toBe(one!.dsts[0]!.id);
    expect(sum!.srcs[0]!.id).toBe(one!.dsts[0]!.id);
  });

  test("P2R is refused with its name", () => {
    const func = physical((b) => b.emit("P2R", { d: reg(4) }, { a: RZ(), b: imm(127) }));
    expect(makeVirtual(func)?.message).toMatch(/it has P2R/);
    expect(func.virtual).toBe(false);
  });
});

describe("lifted, allocated again", () => {
  test.each(corpus.map((c) => [c.name, c] as const))("%s computes what it should", (name, c) => {
    const bytes = compile(corpusPtx(name, "sm_90"), { target: "sm_90" }).cubin!;
    const lifted = unwrap(liftCubin(unwrap(readCubin(bytes)), { registers: "virtual" }));
    for (const { func } of lifted) {
      expect(verify(func, "scheduled", { skipDefinedness: true }).map(renderFinding)).toEqual([]);
      const before = snapshot(func);
      expect(unwrap(allocate(func)).spills).toEqual([]);
      expect(checkAllocation(before, func)).toEqual([]);
      control(func);
    }
    const ran = runLaunchFile(
      unwrap(replaceCode(bytes, lifted)),
      { ...c.launch, maxInstructions: 5_000_000 },
      {
        readFile: () => null,
      },
    );
    expect(ran.status === 0 ? "" : ran.lines.join("\n")).toBe("");
  });
});
