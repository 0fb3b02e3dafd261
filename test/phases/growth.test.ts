/**
 * Phases on functions of 4n steps do about four times the work of n. Work is counted, not timed: reads of `dsts` and
 * `srcs` of instructions, and of the elements of lists of blocks and instructions.
 */

import { analysis, dominators, type Liveness } from "../../lib/analysis/index.js";
import { compile } from "../../lib/compile.js";
import { newFunc } from "../../lib/ori/func.js";
import { register } from "../../lib/ori/operand.js";
import { type Block, File, type Func, type Inst, type Operand } from "../../lib/ori/types.js";
import { convertAllMovPhiToMov } from "../../lib/phases/convert-mov-phi.js";
import { removeDeadCode } from "../../lib/phases/dead-code.js";
import { generateMovPhi } from "../../lib/phases/generate-mov-phi.js";
import { type Copy, sequentialize } from "../../lib/phases/parallel-copy.js";
import { target } from "../../lib/target/index.js";
import { shapes } from "../bench/growth.js";

/** The function with its lists and instructions counting how often they are read. */
function counting(func: Func): { func: Func; reads: () => number } {
  let reads = 0;
  const list = <T>(items: T[]): T[] =>
    new Proxy(items, {
      get(target, key, receiver): unknown {
        if (typeof key === "string" && /^\d/.test(key)) reads++;
        return Reflect.get(target, key, receiver);
      },
    });
  const operands = (inst: Inst, which: "dsts" | "srcs"): void => {
    let now = inst[which];
    Object.defineProperty(inst, which, {
      get: () => {
        reads++;
        return now;
      },
      set: (next) => {
        now = next;
      },
    });
  };
  for (const b of func.blocks as Block[]) {
    for (const inst of b.insts) {
      operands(inst, "dsts");
      operands(inst, "srcs");
    }
    b.insts = list(b.insts);
    b.preds = list(b.preds);
    b.succs = list(b.succs);
  }
  func.blocks = list(func.blocks);
  return { func, reads: () => reads };
}

function lowered(text: string): Func {
  const c = compile(text, { target: "sm_90", opt: 0 });
  return c.functions[0]!.lowered;
}

const phases: readonly [string, (func: Func) => unknown][] = [
  ["GenerateMovPhi", generateMovPhi],
  ["removal of dead code", removeDeadCode],
  ["ConvertAllMovPhiToMov", convertAllMovPhiToMov],
];

test.each(Object.entries(shapes))("%s: four times the steps, four times the work", (_, make) => {
  const work = (n: number): number[] => {
    const func = lowered(make(n));
    func.milestone = "ssa";
    return phases.map(([, body]) => {
      const { reads } = counting(func);
      body(func);
      return reads();
    });
  };
  const [small, large] = [work(100), work(400)];
  phases.forEach(([name], k) => {
    expect([name, (large[k] as number) / (small[k] as number) < 4.5]).toEqual([name, true]);
  });
});

test.each(Object.entries(shapes))("%s: analyses of four times the steps are four times as large", (_, make) => {
  const sizes = (n: number): Record<string, number> => {
    const func = lowered(make(n));
    const live = analysis(func, "liveness");
    generateMovPhi(func);
    func.milestone = "ssa";
    const onEdges = analysis(func, "livenessOnEdges");
    const { joins } = analysis(func, "names");
    const total = ({ liveIn, liveOut }: Liveness): number =>
      func.blocks.reduce((sum, _, b) => sum + liveIn.count(b) + liveOut.count(b), 0);
    return {
      "live at the ends of blocks": total(live),
      "in the SSA window": total(onEdges),
      "names that meet": [...joins.values()].reduce((sum, list) => sum + list.length, 0),
    };
  };
  const [small, large] = [sizes(100), sizes(400)];
  for (const what of Object.keys(small)) expect([what, large[what]! <= 4.5 * small[what]!]).toEqual([what, true]);
});

test("a dominator is found on a short way up, whatever way leads to the block", () => {
  const steps = (n: number): number => {
    let reads = 0;
    const cfg = analysis(lowered(shapes.joins!(n)), "cfg");
    const counted = (list: Int32Array): Int32Array =>
      new Proxy(list, {
        get(of, key): unknown {
          if (typeof key === "string" && /^\d/.test(key)) reads++;
          const value: unknown = Reflect.get(of, key, of);
          return typeof value === "function" ? value.bind(of) : value;
        },
      });
    dominators({ ...cfg, pred: counted(cfg.pred), succ: counted(cfg.succ), order: counted(cfg.order) });
    return reads;
  };
  expect(steps(400) / steps(100)).toBeLessThan(4.5);
});

test.each([
  ["a chain, each copy waiting for the one after it", (i: number, n: number) => Math.min(i + 1, n)],
  ["one cycle", (i: number, n: number) => (i + 1) % n],
  ["swaps", (i: number) => i ^ 1],
])("parallel copies: %s", (_, source) => {
  const work = (n: number): number => {
    const func = newFunc("k", target("sm_90"));
    const ids = Array.from({ length: n + 1 }, () => func.values.add(File.R));
    let reads = 0;
    const unit = (k: number): Operand =>
      Object.defineProperty(register(File.R, 0), "id", {
        enumerable: true,
        get: () => {
          reads++;
          return ids[k] as number;
        },
      });
    const copies = ids.slice(1).map((_, i): Copy => ({ dst: unit(i), src: unit(source(i, n)) }));
    sequentialize(func, copies);
    return reads;
  };
  expect(work(800) / work(200)).toBeLessThan(4.5);
});
