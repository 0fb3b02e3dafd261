/**
 * node tools/run-ts.cjs test/gpu/timing-export.ts DIR [sm_90]: what timing.py measures on a GPU. Every code of every kernel
 * of the corpus (variants.ts) with its launch file, the large launches, and the probes. Needs the real tools.
 */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CorpusTarget, corpus, corpusPtx, corpusTargets } from "../corpus/cases.js";
import { largeCases } from "./timing-large.js";
import { probes } from "./timing-probes.js";
import { orders, sourceOf, timed } from "./variants.js";

const [dir, name = "sm_90"] = process.argv.slice(2);
if (dir === undefined || !(corpusTargets as readonly string[]).includes(name)) {
  console.error(`usage: timing-export.ts DIR [${corpusTargets.join("|")}]`);
  process.exit(2);
}
const target = name as CorpusTarget;
mkdirSync(join(dir, "cubins"), { recursive: true });
const found = orders(target);
const large = new Map(largeCases().map((c) => [c.name, c]));

const kernels = corpus.map((c) => {
  // The same code under two names is stored and measured once.
  const known = new Map<string, string>();
  const variants: Record<string, string> = {};
  const source = sourceOf(corpusPtx(c.name, target), target);
  for (const [variant, make] of Object.entries(timed(found[c.name]))) {
    const cubin = make(source);
    const hash = createHash("sha256").update(cubin).digest("hex");
    let file = known.get(hash);
    if (file === undefined) {
      file = `cubins/${c.name}.${variant}.cubin`;
      known.set(hash, file);
      writeFileSync(join(dir, file), cubin);
    }
    variants[variant] = file;
  }
  const launches: Record<string, string> = { small: `${c.name}.json` };
  writeFileSync(join(dir, launches.small!), JSON.stringify(c.launch));
  const more = large.get(c.name);
  if (more !== undefined) {
    launches.large = `${c.name}.large.json`;
    writeFileSync(join(dir, launches.large), JSON.stringify(more.launch));
    for (const [file, bytes] of more.files) writeFileSync(join(dir, file), bytes);
  }
  console.log(`${c.name}: ${known.size} codes of ${Object.keys(variants).length} variants`);
  return { name: c.name, variants, launches };
});
const made = probes(target).map(({ file, cubin, ...rest }) => {
  writeFileSync(join(dir, "cubins", file), cubin);
  return { ...rest, cubin: `cubins/${file}` };
});
writeFileSync(join(dir, "plan.json"), JSON.stringify({ target, kernels, probes: made }, null, 1));
