/** Analyses on physical registers against the definitions, computed the slow way: reaching definitions, block frequencies. */
import * as fc from "fast-check";
import { analysis, LIVE_IN, reachingDefs } from "../../lib/analysis/index.js";
import { parseFunc } from "../../lib/ori/parse.js";
import type { Func } from "../../lib/ori/types.js";
import { allocate } from "../../lib/regalloc/index.js";
import { randomFunc } from "../regalloc/random.js";

function func(code: string): Func {
  const read = parseFunc(`func "k" entry sm_90 physical post-expanded\n${code}`);
  if (!read.ok) throw new Error(read.diagnostics.map((d) => d.message).join("\n"));
  return read.value;
}

/** Entries of `Flat.def*` that may have written what unit `unit` holds before instruction `at`: all ways back. */
function slowly(f: Func, at: number, unit: number): number[] {
  const flat = analysis(f, "flat");
  const cfg = analysis(f, "cfg");
  const found = new Set<number>();
  const seen = new Set<number>();
  const walk = (from: number): void => {
    const b = flat.block[from] ?? -1;
    back(from - 1, b);
  };
  const back = (last: number, b: number): void => {
    for (let i = last; i >= flat.first[b]!; i--) {
      for (let d = flat.defStart[i + 1]! - 1; d >= flat.defStart[i]!; d--) {
        if (unit < flat.defUnit[d]! || unit >= flat.defUnit[d]! + flat.defWidth[d]!) continue;
        found.add(d);
        if (flat.defKills[d] === 1) return;
      }
    }
    if (b === 0) found.add(LIVE_IN);
    for (let e = cfg.predStart[b]!; e < cfg.predStart[b + 1]!; e++) {
      const p = cfg.pred[e]!;
      if (seen.has(p) || cfg.order[p]! < 0) continue;
      seen.add(p);
      back(flat.first[p + 1]! - 1, p);
    }
  };
  walk(at);
  return [...found].sort((x, y) => x - y);
}

test("reaching definitions of every read, after allocation", () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.integer({ min: 2, max: 7 }), (seed, blocks) => {
      const f = randomFunc({ seed, blocks, length: 6, values: 8, defined: seed % 2 === 0 });
      const done = allocate(f);
      if (!done.ok) throw new Error("not allocated");
      const flat = analysis(f, "flat");
      const cfg = analysis(f, "cfg");
      const reaching = analysis(f, "reaching");
      for (let i = 0; i < flat.insts.length; i++) {
        if (cfg.order[flat.block[i]!]! < 0) continue;
        for (let u = flat.useStart[i]!; u < flat.useStart[i + 1]!; u++) {
          const expected = new Set<number>();
          for (let k = 0; k < flat.useWidth[u]!; k++)
            for (const d of slowly(f, i, flat.useUnit[u]! + k)) expected.add(d);
          expect([...reachingDefs(reaching, u)]).toEqual([...expected].sort((x, y) => x - y));
        }
      }
    }),
    { seed: 1, numRuns: 40 },
  );
});

test("liveness and pressure count all files on physical registers", () => {
  const f = func(`b0
    ISETP.GE.AND P0, PT, R2, R3, PT
    UMOV UR4, 0x1
    R2P PR, R5, 0x3
    @P1 IADD3 R0, R2, UR4, RZ
    EXIT`);
  const p = analysis(f, "pressure");
  // R2P writes the predicates of its mask and no others.
  expect([p.R.max, p.UR.max]).toEqual([3, 1]);
  expect(p.P.at[2]).toBe(2);
});

test("block frequencies: loops run ten times, branches share, the sum of what leaves is what came", () => {
  const f = func(`b0
    @P0 BRA b2
  b1
    NOP
  b2
    NOP
    @P1 BRA b2
  b3
    EXIT`);
  expect([...analysis(f, "frequencies")].map((x) => Number(x.toFixed(6)))).toEqual([1, 0.5, 10, 1]);
});
