/**
 * Random PTX modules (modules/generate.ts): what our code leaves in memory is what the PTX interpreter leaves. PTXLAB_FUZZ=1000 runs that
 * many seeds (PTXLAB_FUZZ_FROM: the first); tools/random-modules.ts also asks ptxas and shrinks what differs.
 */
import { targetNames } from "../../lib/target/index.js";
import { generateModule } from "./modules/generate.js";
import { compiled, difference, interpreted } from "./modules/run.js";
import { moduleText } from "./modules/text.js";

const seeds = Number(process.env.PTXLAB_FUZZ ?? 22);
const first = Number(process.env.PTXLAB_FUZZ_FROM ?? 0);
const PER_TEST = 10;

function trouble(seed: number): string {
  const target = targetNames[seed % targetNames.length]!;
  const text = moduleText(generateModule(seed, Number(/\d+/.exec(target)![0])), target);
  const wanted = interpreted(text, seed);
  const of = (opt: number): string => {
    const what = difference(compiled(text, seed, target, opt), wanted);
    return what === "" ? "" : `seed ${seed}, ${target} -O${opt}: ${what}\n${text}`;
  };
  return of(0) || of(3);
}

const starts = Array.from({ length: Math.ceil(seeds / PER_TEST) }, (_, i) => first + i * PER_TEST);
test.each(starts)("random modules of seeds from %i on", (start) => {
  for (let s = start; s < Math.min(start + PER_TEST, first + seeds); s++) expect(trouble(s)).toBe("");
});
