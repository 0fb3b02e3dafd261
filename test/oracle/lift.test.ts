/** ptxas's code, lifted: sound IR, the same words back. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readCubin } from "../../lib/elf/index.js";
import { encodeLifted, liftCubin } from "../../lib/lift/index.js";
import { renderFinding, verify } from "../../lib/ori/index.js";
import { unwrap } from "../../lib/result.js";
import { corpusTargets } from "../corpus/cases.js";
import { describeOracle, inScratch, tool } from "./tools.js";

const ptx = resolve(__dirname, "../corpus/ptx");

/** Cubins of the corpus by file name. */
function compiled(target: string, level: string): Map<string, Uint8Array> {
  const cubins = new Map<string, Uint8Array>();
  inScratch((dir) => {
    for (const file of readdirSync(join(ptx, target)).sort()) {
      const out = join(dir, `${file}.cubin`);
      const ran = tool("ptxas", [`-arch=${target}`, level, join(ptx, target, file), "-o", out]);
      if (ran.status !== 0) throw new Error(ran.stderr);
      cubins.set(file, new Uint8Array(readFileSync(out)));
    }
  });
  return cubins;
}

describeOracle("lift of ptxas's code", () => {
  for (const target of corpusTargets)
    for (const level of ["-O0", "-O1", "-O3"])
      test(`the corpus on ${target} ${level}`, () => {
        for (const [file, bytes] of compiled(target, level))
          for (const l of unwrap(liftCubin(unwrap(readCubin(bytes))))) {
            const findings = verify(l.func, "controlled", { skipDefinedness: true });
            expect([file, ...findings.map(renderFinding)]).toEqual([file]);
            expect(encodeLifted(l).words).toEqual(l.source.words);
          }
      });
});
