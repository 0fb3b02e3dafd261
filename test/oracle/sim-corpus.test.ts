import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runLaunchFile } from "../../lib/sim/index.js";
import { corpus, corpusPtx, corpusTargets } from "../corpus/cases.js";
import { describeOracle, inScratch, tool } from "./tools.js";

/** The starter corpus as the real ptxas compiles it, in the simulator: results as expected (cases.ts computes them). */
describeOracle("ptxas's cubins of the corpus in the simulator", () => {
  const runs = corpus.flatMap((c) => [
    ...corpusTargets.flatMap((target) =>
      [0, 1, 3].map((level) => ({ c, target: target as string, from: target, level })),
    ),
    // The 64-bit and uniform instructions of sm_120.
    ...[0, 3].map((level) => ({ c, target: "sm_120", from: corpusTargets[1], level })),
  ]);
  test.each(runs.map((r) => [r.c.name, r.target, r.level, r.c.launch, r.from] as const))(
    "%s: %s -O%i",
    (name, target, level, launch, from) => {
      const cubin = inScratch((dir) => {
        writeFileSync(join(dir, "k.ptx"), corpusPtx(name, from));
        const made = tool("ptxas", [`-arch=${target}`, `-O${level}`, "-o", "k.cubin", "k.ptx"], { cwd: dir });
        if (made.status !== 0) throw new Error(made.stderr);
        return new Uint8Array(readFileSync(join(dir, "k.cubin")));
      });
      const result = runLaunchFile(cubin, { ...launch, maxInstructions: 5_000_000 }, { readFile: () => null });
      expect(result.status === 0 ? "" : result.lines.join("\n")).toBe("");
    },
  );
});
