/**
 * Random PTX kernels through the whole road and in the simulator, against an evaluator that shares nothing with it.
 * PTXLAB_FUZZ=5000 runs that many seeds (PTXLAB_FUZZ_FROM: the first). A failure prints the PTX: make it a test of its own.
 */
import { corpusTargets } from "../corpus/cases.js";
import { misread, trouble } from "./check.js";

const seeds = Number(process.env.PTXLAB_FUZZ ?? 200);
const first = Number(process.env.PTXLAB_FUZZ_FROM ?? 0);
const PER_TEST = 40;
const targetOf = (seed: number): (typeof corpusTargets)[number] => corpusTargets[seed % corpusTargets.length]!;

test("100 random kernels in the PTX interpreter", () => {
  for (let seed = first; seed < first + 100; seed++) expect(misread(seed, targetOf(seed))).toBe("");
});

describe("random kernels against an evaluator", () => {
  const starts = Array.from({ length: Math.ceil(seeds / PER_TEST) }, (_, i) => first + i * PER_TEST);
  test.each(starts)("seeds from %i on", (start) => {
    for (let s = start; s < Math.min(start + PER_TEST, first + seeds); s++)
      for (const opt of [0, 2]) expect(trouble(s, targetOf(s), opt)).toBe("");
  });
});
