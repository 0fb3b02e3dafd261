/**
 * PTX instruction by PTX instruction: our code and ptxas's of the same kernel give the same results in the simulator. A part of the kernels of
 * test/gpu; `node tools/run-ts.cjs test/gpu/instructions.ts agree` runs all of them at all levels.
 */
import { agree, exceptions } from "../gpu/instruction-agree";
import { BLOCK, inputBytes } from "../gpu/instruction-inputs";
import { gpuKernels } from "../gpu/instruction-kernels";
import { describeOracle } from "./tools";

/** Every how many-th kernel. */
const EVERY = 32;

describeOracle("our code and ptxas's of single instructions", () => {
  test.each([
    [0, ["ours-O0", "ptxas-O3"]],
    [7, ["ours-O2", "ptxas-O0"]],
  ] as const)(
    "every 32nd kernel from %s on, %s",
    (from, variants) => {
      const kernels = gpuKernels().filter((k, i) => i % EVERY === from && !exceptions.some(([t]) => t.test(k.tested)));
      const results = agree(kernels, inputBytes(), variants, BLOCK);
      expect(results.filter((r) => r.ours).length).toBeGreaterThan(150);
      expect(results.flatMap((r) => r.differences.map((d) => `${r.kernel.tested} ${d}`))).toEqual([]);
      expect(results.flatMap((r) => (r.ours ? r.stopped : []))).toEqual([]);
    },
    120_000,
  );
});
