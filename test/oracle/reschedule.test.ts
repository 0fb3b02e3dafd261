/**
 * ptxas's code of the corpus in another order, with our control words, back in its cubin: it computes what it should. A
 * second judge of dependences besides the interpreter of test/sched.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCubin } from "../../lib/elf/index.js";
import { liftCubin, replaceCode } from "../../lib/lift/index.js";
import { unwrap } from "../../lib/result.js";
import { assignControl, best, type Policy, scheduleFunc } from "../../lib/sched/index.js";
import { runLaunchFile } from "../../lib/sim/index.js";
import { corpus, corpusPtx, corpusTargets } from "../corpus/cases.js";
import { describeOracle, inScratch, tool } from "./tools.js";

/** Any legal order: choices that follow no reason. */
const chaos: Policy = {
  name: "chaos",
  does: "anything",
  direction: "forward",
  ladder: [{ why: "chance", by: (c) => Math.imul(c.node + 1, 0x9e3779b1) >>> 0 }],
};

const optionsOfTest = { maxInstructions: 5_000_000 };

describeOracle("ptxas's code of the corpus, scheduled anew", () => {
  const runs = [...corpusTargets.map((target) => [target, best] as const), ["sm_90", chaos] as const].map(
    ([target, policy]) => [target, policy.name, policy] as const,
  );
  test.each(runs)("%s, %s", (target, _, policy) => {
    inScratch((dir) => {
      for (const c of corpus) {
        writeFileSync(join(dir, "k.ptx"), corpusPtx(c.name, target));
        const made = tool("ptxas", [`-arch=${target}`, "-O3", "-o", "k.cubin", "k.ptx"], { cwd: dir });
        expect(made.stderr).toBe("");
        const bytes = new Uint8Array(readFileSync(join(dir, "k.cubin")));
        const lifted = unwrap(liftCubin(unwrap(readCubin(bytes))));
        for (const l of lifted) {
          scheduleFunc(l.func, policy);
          assignControl(l.func);
        }
        const changed = unwrap(replaceCode(bytes, lifted));
        const result = runLaunchFile(changed, { ...c.launch, ...optionsOfTest }, { readFile: () => null });
        expect([c.name, result.status === 0 ? "" : result.lines.join("\n")]).toEqual([c.name, ""]);
      }
    });
  });
});
