/**
 * node tools/run-ts.cjs tools/sim-census.ts [sm_NN]: which instructions the simulator runs in closures although all code is translated, over the corpus and
 * the programs of test/programs, by our compiler at its default level. A line for each mnemonic with its modifiers: its share of all
 * warp-instructions, and the kernels that have most of it.
 */
import { compile } from "../lib/compile.js";
import { build } from "../lib/sim/build.js";
import { type LaunchOptions, runLaunchFile } from "../lib/sim/index.js";
import type { Loaded } from "../lib/sim/load.js";
import { isTargetName } from "../lib/target/index.js";
import { corpus, corpusPtx } from "../test/corpus/cases.js";
import { programs } from "../test/programs/programs.js";

const [target = "sm_90"] = process.argv.slice(2);
if (!isTargetName(target)) throw new Error(`no target ${target}`);

const byName = new Map<string, Map<string, number>>();
let issued = 0;

function noteRuns(name: string, module: object): void {
  const { program } = (module as { readonly loaded: Loaded }).loaded;
  program.insts.forEach((inst, i) => {
    if (!inst) return;
    const { op, mods } = inst.form;
    const what = [op, ...mods].join(".");
    const exec = build(program, i);
    program.exec[i] = (w, mask) => {
      const kernels = byName.get(what) ?? new Map<string, number>();
      byName.set(what, kernels);
      kernels.set(name, (kernels.get(name) ?? 0) + 1);
      return exec(w, mask);
    };
  });
}

function run(name: string, ptx: string, launch: (typeof corpus)[number]["launch"]): void {
  const { cubin } = compile(ptx, { target: target as "sm_90" });
  if (cubin === null) return;
  const seen = new Set<object>();
  runLaunchFile(cubin, launch, {
    readFile: () => null,
    launch: (device, module, options: LaunchOptions) => {
      if (!seen.has(module)) noteRuns(name, module);
      seen.add(module);
      const ran = device.launch(module, { ...options, engine: "wasm" });
      if (ran.ok) issued += ran.value.warpInstructions;
      return ran;
    },
  });
}

for (const c of corpus) run(c.name, corpusPtx(c.name as never, "sm_90"), c.launch);
for (const p of programs) run(p.name, p.ptx, p.launch);

const total = (m: ReadonlyMap<string, number>): number => [...m.values()].reduce((a, b) => a + b, 0);
const sorted = [...byName].sort((a, b) => total(b[1]) - total(a[1]));
for (const [what, kernels] of sorted) {
  const most = [...kernels].sort((a, b) => b[1] - a[1]).slice(0, 4);
  console.log(
    `${((100 * total(kernels)) / issued).toFixed(3)} %  ${total(kernels)}  ${what}  (${most.map(([k, n]) => `${k} ${n}`).join(", ")})`,
  );
}
const all = sorted.reduce((sum, [, kernels]) => sum + total(kernels), 0);
console.log(`${all} of ${issued} warp-instructions in closures: ${((100 * all) / issued).toFixed(2)} %`);
