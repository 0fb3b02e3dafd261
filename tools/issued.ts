/**
 * node tools/run-ts.cjs tools/issued.ts [sm_90 ...] [--kernel NAME] [--level N]: where the default level issues more than ptxas -O3.
 * Warp-instructions that whole grids issue in the simulator, by mnemonic, in % of all that ptxas's code issues: mean over the
 * kernels, largest excess first. With `--kernel` both listings of one kernel, or of one program in CUDA C++ (test/programs), each instruction with how often it was
 * issued.
 * Needs the real tools (npm run oracle:setup).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compile } from "../lib/compile.js";
import { type ProfileEntry, runLaunchFile } from "../lib/sim/index.js";
import { row } from "../test/bench/measure.js";
import { type CorpusTarget, corpus, corpusPtx, corpusTargets } from "../test/corpus/cases.js";
import { tritonStyle, tritonStylePtx } from "../test/corpus/triton-style/cases.js";
import { available, inScratch, tool } from "../test/oracle/tools.js";
import { programs } from "../test/programs/programs.js";

function ptxas(text: string, target: string): Uint8Array {
  return inScratch((dir) => {
    writeFileSync(join(dir, "k.ptx"), text);
    const ran = tool("ptxas", [`-arch=${target}`, "-O3", "k.ptx", "-o", "k.cubin"], { cwd: dir });
    if (ran.status !== 0) throw new Error(ran.stderr);
    return new Uint8Array(readFileSync(join(dir, "k.cubin")));
  });
}

function profileOf(cubin: Uint8Array, launch: unknown, name: string): ProfileEntry[] {
  const entries: ProfileEntry[] = [];
  const ran = runLaunchFile(cubin, launch, {
    readFile: () => null,
    launch: (device, module, options) => {
      const run = device.launch(module, { ...options, profile: true });
      if (run.ok) entries.push(...(run.value.profile ?? []));
      return run;
    },
  });
  if (ran.status !== 0) console.log(`WRONG ${name}: ${ran.lines.slice(0, 3).join(" | ")}`);
  return entries;
}

function mnemonic(text: string): string {
  const name = text.replace(/^@\S+ /, "").split(" ")[0] as string;
  if (/^IMAD\.MOV|^MOV|^HFMA2\.MMA.*-RZ/.test(name)) return "MOV";
  return (
    /^(IMAD\.WIDE|IMAD\.HI|IADD3\.X|LEA\.HI|WARPSYNC\.C|F2F|I2F|[US]*LDC)/.exec(name)?.[0] ??
    (name.split(".")[0] as string)
  );
}

const { values: asked, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kernel: { type: "string" },
    level: { type: "string", default: "3" },
    top: { type: "string", default: "28" },
  },
});

function report(target: CorpusTarget): void {
  const cases = [
    ...corpus.map((c) => ({ ...c, text: () => corpusPtx(c.name, target) })),
    ...tritonStyle.map((c) => ({ ...c, text: () => tritonStylePtx(c.name) })),
    ...programs.filter((p) => p.name === asked.kernel).map((p) => ({ ...p, text: () => p.ptx })),
  ];
  const excess = new Map<string, number>();
  const perKernel: string[] = [];
  let kernels = 0;
  for (const c of cases) {
    if (asked.kernel !== undefined && asked.kernel !== c.name) continue;
    const made = compile(c.text(), { target, opt: Number(asked.level) });
    if (made.cubin === null) {
      console.log(`${c.name}: refused`);
      continue;
    }
    const ours = profileOf(made.cubin, c.launch, c.name);
    const theirs = profileOf(ptxas(c.text(), target), c.launch, c.name);
    if (asked.kernel !== undefined) {
      for (const [who, list] of [
        ["ptxlab", ours],
        ["ptxas", theirs],
      ] as const) {
        console.log(`--- ${who}`);
        for (const e of list)
          console.log(String(e.warps).padStart(8), e.address.toString(16).padStart(5), e.instruction);
      }
      continue;
    }
    kernels++;
    const total = theirs.reduce((n, e) => n + e.warps, 0);
    const mine = ours.reduce((n, e) => n + e.warps, 0);
    perKernel.push(`${c.name} ${(mine / total).toFixed(2)}`);
    for (const e of ours)
      excess.set(mnemonic(e.instruction), (excess.get(mnemonic(e.instruction)) ?? 0) + e.warps / total);
    for (const e of theirs)
      excess.set(mnemonic(e.instruction), (excess.get(mnemonic(e.instruction)) ?? 0) - e.warps / total);
  }
  if (asked.kernel !== undefined) return;
  console.log(`\n${target}: ${kernels} kernels, excess in % of ptxas's warp-instructions`);
  const sorted = [...excess].sort((a, b) => b[1] - a[1]);
  for (const [name, n] of [...sorted.slice(0, Number(asked.top)), ...sorted.slice(-8)])
    row([name, ((100 * n) / kernels).toFixed(2)]);
  console.log(perKernel.join(", "));
}

if (!available) {
  console.error("the real tools are missing: npm run oracle:setup");
  process.exit(2);
}
for (const target of corpusTargets) if (positionals.length === 0 || positionals.includes(target)) report(target);
