/**
 * node tools/run-ts.cjs test/gpu/export.ts DIR [sm_90]: the corpus as cubins and launch files for run.py on a machine with
 * a GPU, and beside each cubin ptxas's of the same PTX when the real tools are installed.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { compile } from "../../lib/compile.js";
import { type CorpusTarget, corpus, corpusPtx, corpusTargets } from "../corpus/cases.js";
import { available, tool } from "../oracle/tools.js";

const [dir, name = "sm_90"] = process.argv.slice(2);
if (dir === undefined || !(corpusTargets as readonly string[]).includes(name)) {
  console.error(`usage: export.ts DIR [${corpusTargets.join("|")}]`);
  process.exit(2);
}
const target = name as CorpusTarget;
mkdirSync(dir, { recursive: true });

const cases = corpus.map((c) => {
  const text = corpusPtx(c.name, target);
  const made = compile(text, { target, opt: 0 });
  if (made.cubin === null) throw new Error(`${c.name}: ${made.diagnostics[0]?.message}`);
  writeFileSync(join(dir, `${c.name}.cubin`), made.cubin);
  writeFileSync(join(dir, `${c.name}.json`), JSON.stringify(c.launch));
  let real: string | null = null;
  if (available) {
    const ptx = resolve(__dirname, "../corpus/ptx", target, `${c.name}.ptx`);
    real = `${c.name}.ptxas-O0.cubin`;
    const ran = tool("ptxas", [`-arch=${target}`, "-O0", ptx, "-o", join(dir, real)]);
    if (ran.status !== 0) throw new Error(ran.stderr);
  }
  return { name: c.name, cubin: `${c.name}.cubin`, launch: `${c.name}.json`, ptxas: real };
});
writeFileSync(join(dir, "cases.json"), JSON.stringify({ target, cases }, null, 1));
const { version } = JSON.parse(readFileSync(resolve(__dirname, "../../package.json"), "utf8")) as { version: string };
console.log(`${cases.length} kernels for ${target}, ptxlab ${version}, in ${dir}`);
