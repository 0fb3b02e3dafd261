/** What is kept of an analysis when a function is edited: what blocks and edges alone decide, as long as they stay. */
import * as fc from "fast-check";
import { analysis } from "../../lib/analysis/index.js";
import { addEdge, removeEdge, splitBlock, touch } from "../../lib/ori/editor.js";
import type { Block, Func } from "../../lib/ori/types.js";
import { build, plans } from "../ori/random.js";

const shape = ["cfg", "dominators", "postDominators", "loops", "frequencies"] as const;

const whole = (func: Func): unknown[] => shape.map((name) => analysis(func, name));

/** Edits of blocks and edges, some through the editor, some as passes make them by hand. */
const edits: readonly ((func: Func, a: Block, b: Block) => void)[] = [
  (func, a, b) => addEdge(func, a, b),
  (func, a) => a.succs.length > 0 && removeEdge(func, a, a.succs[0] as Block),
  (func, a) => void splitBlock(func, a, 0),
  (func, a) => {
    a.succs.reverse();
    touch(func);
  },
  (func) => {
    func.blocks = [func.blocks[0] as Block, ...func.blocks.slice(1).reverse()];
    touch(func);
  },
  (func) => {
    func.nextBlock++;
    touch(func);
  },
];

test("edits of the contents keep the shape's analyses and nothing else", () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const func = build(plan);
      const before = whole(func);
      const flat = analysis(func, "flat");
      touch(func);
      expect(whole(func).every((now, i) => now === before[i])).toBe(true);
      expect(analysis(func, "flat")).not.toBe(flat);
    }),
    { seed: 3, numRuns: 30 },
  );
});

test("edits of blocks and edges are seen, however they were made", () => {
  fc.assert(
    fc.property(plans, fc.nat(), fc.nat(), fc.nat(), (plan, x, y, which) => {
      const func = build(plan);
      whole(func);
      const pick = (n: number): Block => func.blocks[n % func.blocks.length] as Block;
      edits[which % edits.length]?.(func, pick(x), pick(y));
      const kept = whole(func);
      // A copy of the function object has no results of its own yet.
      expect(kept).toEqual(whole({ ...func }));
    }),
    { seed: 4, numRuns: 200 },
  );
});
