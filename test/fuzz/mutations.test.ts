/** Damaged PTX through the whole compiler: always diagnostics, never an exception, never a hang. */
import { compile } from "../../lib/compile.js";
import { isFailure } from "../../lib/diagnostics.js";
import { corpus, corpusPtx, corpusTargets } from "../corpus/cases.js";
import { mutate } from "./mutate.js";

const cases = Number(process.env.PTXLAB_FUZZ_CASES ?? 10_000);
const first = Number(process.env.PTXLAB_FUZZ_SEED ?? 1);

test(`${cases} mutations of the corpus from seed ${first}`, () => {
  const texts = Object.fromEntries(corpusTargets.map((t) => [t, corpus.map((c) => corpusPtx(c.name, t))]));
  const crashes: string[] = [];
  let accepted = 0;
  for (let seed = first; seed < first + cases; seed++) {
    const target = corpusTargets[seed % corpusTargets.length]!;
    const text = mutate(texts[target]!, seed);
    try {
      const made = compile(text, { target, opt: 0 });
      if (made.ok) accepted++;
      if (made.ok === made.diagnostics.some(isFailure)) crashes.push(`seed ${seed}: ok and diagnostics disagree`);
      if (made.internalErrors.length > 0) crashes.push(`seed ${seed}: ${made.internalErrors[0]!.message}`);
    } catch (error) {
      crashes.push(`seed ${seed}: ${(error as Error).stack}`);
    }
  }
  expect(crashes).toEqual([]);
  // Some damage is harmless (comments, unused parameters), most is not.
  expect(accepted).toBeGreaterThan(0);
  expect(accepted).toBeLessThan(cases);
}, 900_000);
