/**
 * Our control words beside ptxas's on ptxas's own order, and safe by the hazard checker: a sample of what
 * tools/control-fidelity.ts reports. Thresholds are the figures of the day, rounded down.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCubin } from "../../lib/elf/index.js";
import { findingText } from "../../lib/hazard/index.js";
import { liftCubin, replaceCode } from "../../lib/lift/index.js";
import { snapshot } from "../../lib/ori/func.js";
import type { Control } from "../../lib/ori/types.js";
import { unwrap } from "../../lib/result.js";
import { assignControl } from "../../lib/sched/index.js";
import { verifyCubin } from "../../lib/verify.js";
import { type CorpusTarget, corpus, corpusPtx } from "../corpus/cases.js";
import { describeOracle, inScratch, tool } from "./tools.js";

const fields = ["stall", "yield", "wait", "reuse"] as const;

/** SM, PTX of the corpus, least share of equal fields in percent. */
const rows: readonly (readonly [string, CorpusTarget, Readonly<Record<(typeof fields)[number], number>>])[] = [
  ["sm_75", "sm_75", { stall: 99, yield: 99, wait: 97, reuse: 99 }],
  ["sm_90", "sm_90", { stall: 99, yield: 99, wait: 98.5, reuse: 99 }],
  ["sm_120", "sm_100", { stall: 99, yield: 99, wait: 97, reuse: 99 }],
];

describeOracle("control words on ptxas's own order", () => {
  test.each(rows)("%s", (arch, source, least) => {
    let insts = 0;
    const same: Record<string, number> = { stall: 0, yield: 0, wait: 0, reuse: 0 };
    inScratch((dir) => {
      for (const c of corpus) {
        writeFileSync(join(dir, "k.ptx"), corpusPtx(c.name, source));
        const made = tool("ptxas", [`-arch=${arch}`, "-O3", "-o", "k.cubin", "k.ptx"], { cwd: dir });
        expect(made.stderr).toBe("");
        const bytes = new Uint8Array(readFileSync(join(dir, "k.cubin")));
        const lifted = unwrap(liftCubin(unwrap(readCubin(bytes))));
        for (const l of lifted) {
          const theirs = new Map<number, Control>();
          for (const b of snapshot(l.func).blocks) for (const i of b.insts) theirs.set(i.id, i.control!);
          assignControl(l.func);
          for (const b of l.func.blocks)
            for (const i of b.insts) {
              const t = theirs.get(i.id);
              if (t === undefined) continue;
              insts++;
              for (const f of fields) if (t[f] === i.control![f]) same[f] = same[f]! + 1;
            }
        }
        const found = verifyCubin(unwrap(readCubin(unwrap(replaceCode(bytes, lifted)))));
        expect([c.name, (found ?? []).map(findingText)]).toEqual([c.name, []]);
      }
    });
    expect(insts).toBeGreaterThan(1500);
    const low = fields
      .filter((f) => (100 * same[f]!) / insts < least[f])
      .map((f) => `${f} ${(100 * same[f]!) / insts}`);
    expect(low).toEqual([]);
  });
});
