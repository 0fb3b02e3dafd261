/**
 * node tools/run-ts.cjs test/gpu/export.ts DIR [--set corpus|triton|programs|matrix] [--fuzz N] [--from SEED] [--variants NAME,…] [--target sm_90] [--simulate]
 *
 * A set of kernels, or random kernels of N seeds, by every maker of variants.ts, with launch files, for run.py on a machine with a GPU. With
 * --simulate each cubin also runs in the simulator. Exit status: 0 all made (and right), 1 not, 2 unusable arguments.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runLaunchFile } from "../../lib/sim/index.js";
import { corpusTargets } from "../corpus/cases.js";
import { randomKernels, sets } from "./inputs.js";
import { sourceOf, variants } from "./variants.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    set: { type: "string", default: "corpus" },
    fuzz: { type: "string" },
    from: { type: "string", default: "0" },
    variants: { type: "string" },
    target: { type: "string", default: "sm_90" },
    simulate: { type: "boolean", default: false },
  },
});
const [dir] = positionals;
const names = values.variants?.split(",") ?? Object.keys(variants);
const target = corpusTargets.find((t) => t === values.target);
const set = sets[values.set];
if (dir === undefined || target === undefined || set === undefined || names.some((n) => variants[n] === undefined)) {
  const targets = corpusTargets.join("|");
  const all = Object.keys(variants).join(",");
  console.error(
    `usage: export.ts DIR [--set ${Object.keys(sets).join("|")}] [--fuzz N] [--from SEED] [--variants ${all}] [--target ${targets}] [--simulate]`,
  );
  process.exit(2);
}
mkdirSync(dir, { recursive: true });

const inputs =
  values.fuzz === undefined ? set(target) : randomKernels(target, Number(values.from), Number(values.fuzz));
let wrong = 0;
const cases = inputs.map(({ name, launch, ptx, target }) => {
  writeFileSync(join(dir, `${name}.json`), JSON.stringify(launch));
  const cubins: Record<string, string> = {};
  const source = sourceOf(ptx, target);
  for (const variant of names) {
    // One maker's refusal leaves the others.
    try {
      const file = `${name}.${variant}.cubin`;
      const cubin = variants[variant]!(source);
      writeFileSync(join(dir, file), cubin);
      cubins[variant] = file;
      if (!values.simulate) continue;
      const ran = runLaunchFile(cubin, launch, { readFile: () => null });
      if (ran.status === 0) continue;
      wrong++;
      console.error(`${name}, ${variant}, simulated: ${ran.lines.slice(0, 4).join("; ")}`);
    } catch (error) {
      wrong++;
      console.error(`${name}, ${variant}: ${(error as Error).message}`);
    }
  }
  return { name, launch: `${name}.json`, cubins };
});
writeFileSync(join(dir, "cases.json"), JSON.stringify({ target, cases }, null, 1));
const count = cases.reduce((n, c) => n + Object.keys(c.cubins).length, 0);
console.log(`${count} cubins of ${cases.length} kernels for ${target} in ${dir}`);
process.exitCode = wrong > 0 ? 1 : 0;
