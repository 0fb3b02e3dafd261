import type { Func } from "../../lib/ori/types.js";

/** A function without cycles, so that comparing is quick: edges by id. Forms are interned and compared as objects. */
export function plain(func: Func): unknown {
  const { values, blocks, generation, ...rest } = func;
  expect(generation).toBeGreaterThanOrEqual(0);
  return {
    ...rest,
    values: Array.from({ length: values.count }, (_, v) => [
      values.file(v),
      values.width(v),
      values.name(v),
      values.fixed(v),
    ]),
    blocks: blocks.map((b) => ({ ...b, succs: b.succs.map((s) => s.id), preds: b.preds.map((p) => p.id) })),
  };
}
