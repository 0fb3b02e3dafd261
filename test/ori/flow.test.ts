/** Where instructions and blocks may lead. */
import {
  blockFallsThrough,
  branchTargets,
  connect,
  endsBlock,
  entersRoutine,
  fallsThrough,
  goesElsewhere,
  hasCondition,
  isConditional,
  mayNameBlock,
  terminator,
} from "../../lib/ori/flow.js";
import { parseFunc } from "../../lib/ori/parse.js";
import type { Block, Func, Inst } from "../../lib/ori/types.js";
import { unwrap } from "../../lib/result.js";

const read = (body: string, target = "sm_90"): Func =>
  unwrap(parseFunc(`func "k" entry ${target} physical post-expanded\n${body}`));

function inst(text: string, target = "sm_90"): Inst {
  const [first] = (read(`b0\n${text}\nb1\nEXIT`, target).blocks[0] as Block).insts;
  return first as Inst;
}

test.each([
  // Ends its block, on a condition, with a condition beside its guard.
  ["BRA b1", true, false, false],
  ["@P0 BRA b1", true, true, false],
  ["@!PT BRA b1", true, true, false],
  ["BRA P0, b1", true, true, true],
  ["BRA !PT, b1", true, true, true],
  ["EXIT", true, false, false],
  ["EXIT P1", true, true, true],
  ["@P0 EXIT", true, true, false],
  ["CALL.REL.NOINC b1", false, false, false],
  ["@P2 CALL.REL.NOINC b1", false, true, false],
  ["BSSY B0, b1", false, false, false],
  ["@P0 IADD3 R0, R1, R2, RZ", false, true, false],
  ["SEL R0, R1, R2, P0", false, false, true],
] as const)("%s", (text, ends, conditional, condition) => {
  const i = inst(text);
  expect([endsBlock(i), isConditional(i), hasCondition(i)]).toEqual([ends, conditional, condition]);
  expect(fallsThrough(i)).toBe(!ends || conditional);
});

test("blocks are named by branches, regions and calls; other operands cannot", () => {
  expect(["BRA b1", "BSSY B0, b1", "S2R R0, SR_TID.X"].map((t) => mayNameBlock(inst(t)))).toEqual([true, true, false]);
  expect(branchTargets(inst("BRA b1"))).toEqual([1]);
  expect(branchTargets(inst("BSSY B0, b1"))).toEqual([]);
});

test("the last instruction of a block transfers control, or there is none", () => {
  const { blocks } = read("b0\nNOP\nb1\n@P0 BRA b0\nb2\nNOP\nEXIT\nb3");
  expect(blocks.map((b) => terminator(b)?.form.op ?? "")).toEqual(["", "BRA", "EXIT", ""]);
  expect(blocks.map(blockFallsThrough)).toEqual([true, true, false, true]);
});

describe("calls whose edges are kept", () => {
  const kernel = (guard: string): Func => {
    const func = read(`b0\nNOP\n${guard}CALL.REL.NOINC b2\nb1\nEXIT\nb2\nNOP\nRET.REL.NODEC R20 b0`);
    func.callEdges = true;
    const [caller, after, routine] = func.blocks as [Block, Block, Block];
    caller.succs = [routine];
    routine.succs = [after];
    return func;
  };
  const edges = (func: Func): number[][] => func.blocks.map((b) => b.succs.map((s) => s.id));

  test("a call leads into its routine and not to the next block, unless it may be left out", () => {
    for (const [guard, enters] of [
      ["", true],
      ["@P0 ", false],
    ] as const) {
      const func = kernel(guard);
      expect(func.blocks.map((b) => entersRoutine(func, b))).toEqual([enters, false, false]);
      expect(func.blocks.map((b) => goesElsewhere(func, b))).toEqual([true, false, true]);
      connect(func);
      expect(edges(func)).toEqual(enters ? [[2], [], [1]] : [[1, 2], [], [1]]);
    }
  });

  test("without such edges it comes back", () => {
    const func = kernel("");
    func.callEdges = false;
    expect(func.blocks.map((b) => entersRoutine(func, b))).toEqual([false, false, false]);
    connect(func);
    expect(edges(func)).toEqual([[1], [], []]);
  });
});
