/** ptxas's cubins of the corpus with NOPs in every block: they compute what they should, and the tools take them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCubin } from "../../lib/elf/index.js";
import { liftCubin, replaceCode } from "../../lib/lift/index.js";
import { unwrap } from "../../lib/result.js";
import { runLaunchFile } from "../../lib/sim/index.js";
import { corpus, corpusPtx, corpusTargets } from "../corpus/cases.js";
import { insertNops } from "../lift/nops.js";
import { describeOracle, inScratch, tool } from "./tools.js";

describeOracle("ptxas's code of the corpus, moved", () => {
  // Kernels with tables, barriers, votes and local memory; all kernels: tools/lift-figures.ts.
  const some = corpus.filter((c) => /switch_table|reduction|warp_sum|local_array|bitonic|histogram/.test(c.name));
  const runs = corpusTargets.flatMap((target) => [0, 3].map((level) => [target, level] as const));
  test.each(runs)("%s -O%i", (target, level) => {
    inScratch((dir) => {
      for (const c of some) {
        writeFileSync(join(dir, "k.ptx"), corpusPtx(c.name, target));
        const made = tool("ptxas", [`-arch=${target}`, `-O${level}`, "-lineinfo", "-o", "k.cubin", "k.ptx"], {
          cwd: dir,
        });
        expect(made.stderr).toBe("");
        const bytes = new Uint8Array(readFileSync(join(dir, "k.cubin")));
        const lifted = unwrap(liftCubin(unwrap(readCubin(bytes))));
        expect(Buffer.from(unwrap(replaceCode(bytes, lifted))).equals(Buffer.from(bytes))).toBe(true);
        lifted.forEach(insertNops);
        const longer = unwrap(replaceCode(bytes, lifted));
        const result = runLaunchFile(longer, { ...c.launch, maxInstructions: 5_000_000 }, { readFile: () => null });
        expect([c.name, result.status === 0 ? "" : result.lines.join("\n")]).toEqual([c.name, ""]);
        writeFileSync(join(dir, "longer.cubin"), longer);
        const shown = tool("cuobjdump", ["-elf", "-sass", "longer.cubin"], { cwd: dir });
        expect([c.name, shown.status, shown.stderr]).toEqual([c.name, 0, ""]);
      }
    });
  });
});
