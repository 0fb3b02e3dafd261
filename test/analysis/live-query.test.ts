/** Single questions of liveness against the whole analysis, on random functions. */
import * as fc from "fast-check";
import { analysis, LiveQuery, unitOf } from "../../lib/analysis/index.js";
import { isReg } from "../../lib/ori/operand.js";
import type { Block, Func, Operand } from "../../lib/ori/types.js";
import { build, plans } from "../ori/random.js";

const registers = (func: Func): Operand[] =>
  func.blocks.flatMap((b) => b.insts.flatMap((i) => [...i.dsts, ...i.srcs].filter(isReg)));

/** What the whole analysis says of each register at each block, in this order. */
function expected(func: Func, operands: readonly Operand[]): boolean[] {
  const { flat, liveIn } = analysis(func, "liveness");
  return func.blocks.flatMap((_, b) =>
    operands.map((o) =>
      Array.from({ length: o.width }, (__, k) => liveIn.has(b, unitOf(flat.units, o) + k)).includes(true),
    ),
  );
}

const answers = (query: LiveQuery, blocks: readonly Block[], operands: readonly Operand[]): boolean[] =>
  blocks.flatMap((b) => operands.map((o) => query.meets(b, o)));

test.each([
  ["few", false],
  ["many", true],
])("%s questions are answered as by the whole analysis", (_, many) => {
  fc.assert(
    fc.property(plans, (plan) => {
      const func = build(plan);
      const operands = registers(func);
      expect(answers(new LiveQuery(func, many), func.blocks, operands)).toEqual(expected(func, operands));
    }),
    { seed: 1, numRuns: 100 },
  );
});

test("blocks that were kept answer as they were before they changed", () => {
  fc.assert(
    fc.property(plans, fc.nat(), (plan, n) => {
      const func = build(plan);
      const operands = registers(func);
      const before = expected(func, operands);
      const query = new LiveQuery(func, false);
      const block = func.blocks[n % func.blocks.length] as Block;
      query.keep(block);
      for (const inst of block.insts) inst.guard = null;
      block.insts = block.insts.slice(0, -1).reverse();
      block.succs = [];
      expect(answers(query, func.blocks, operands)).toEqual(before);
    }),
    { seed: 2, numRuns: 100 },
  );
});
