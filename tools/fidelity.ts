/**
 * npm run fidelity [-- sm_90 ...]: ptxlab's code of the corpus beside ptxas's of the same PTX: instructions, registers, stack,
 * simulated warp-instructions, and how much of the text is the same. Needs the real tools (npm run oracle:setup).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { type CubinFunction, readCubin } from "../lib/elf/index.js";
import { decodeCode, renderInst } from "../lib/sass/index.js";
import { runLaunchFile } from "../lib/sim/index.js";
import { type Target, target as targetOf } from "../lib/target/index.js";
import { row } from "../test/bench/measure.js";
import { type CorpusTarget, corpus, corpusPtx, corpusTargets } from "../test/corpus/cases.js";
import { available, inScratch, tool } from "../test/oracle/tools.js";

interface Facts {
  readonly instructions: number;
  readonly registers: number;
  readonly stack: number;
  readonly mnemonics: ReadonlyMap<string, number>;
  readonly right: boolean;
}

function ptxas(text: string, target: string, level: number): Uint8Array {
  return inScratch((dir) => {
    writeFileSync(join(dir, "k.ptx"), text);
    const ran = tool("ptxas", [`-arch=${target}`, `-O${level}`, "k.ptx", "-o", "k.cubin"], { cwd: dir });
    if (ran.status !== 0) throw new Error(ran.stderr);
    return new Uint8Array(readFileSync(join(dir, "k.cubin")));
  });
}

/** Instructions up to the self-branch that closes a function, by mnemonic. */
function mnemonics(f: CubinFunction, target: Target): Map<string, number> {
  const insts = decodeCode(f.words, target);
  let end = insts.length;
  while (end > 0 && insts[end - 1]?.form.op === "NOP") end--;
  const counts = new Map<string, number>();
  for (const inst of insts.slice(0, end - 1)) {
    const op =
      inst === null
        ? "?"
        : renderInst(inst, { isa: target.isa })
            .replace(/^@\S+ /, "")
            .split(/[ .]/)[0]!;
    counts.set(op, (counts.get(op) ?? 0) + 1);
  }
  return counts;
}

function factsOf(cubin: Uint8Array, target: Target, launch: unknown): Facts {
  const read = readCubin(cubin);
  if (!read.ok) throw new Error(read.diagnostics[0]?.message);
  const f = read.value.functions[0]!;
  const counts = mnemonics(f, target);
  return {
    instructions: [...counts.values()].reduce((a, b) => a + b, 0),
    registers: f.registers,
    stack: f.frameBytes,
    mnemonics: counts,
    right: runLaunchFile(cubin, launch, { readFile: () => null }).status === 0,
  };
}

/** Instructions that both have, as multisets of mnemonics, over the longer of the two. */
function common(a: Facts, b: Facts): number {
  let shared = 0;
  for (const [op, n] of a.mnemonics) shared += Math.min(n, b.mnemonics.get(op) ?? 0);
  return shared / Math.max(a.instructions, b.instructions);
}

const geomean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length);

function report(name: CorpusTarget): void {
  const target = targetOf(name);
  console.log(
    `\n${name}: ptxlab -O0 beside ptxas -O0 and -O3 (instructions without the tail; common = same mnemonics)`,
  );
  row([
    "kernel",
    "insts",
    "ptxas-O0",
    "ptxas-O3",
    "regs",
    "ptxas-O0",
    "ptxas-O3",
    "stack",
    "ptxas-O0",
    "common",
    "right",
  ]);
  const ratios: [number, number, number, number][] = [];
  for (const c of corpus) {
    const text = corpusPtx(c.name, name);
    const made = compile(text, { target: name, opt: 0 });
    if (made.cubin === null) {
      row([c.name, "refused"]);
      continue;
    }
    const ours = factsOf(made.cubin, target, c.launch);
    const [o0, o3] = [0, 3].map((level) => factsOf(ptxas(text, name, level), target, c.launch)) as [Facts, Facts];
    ratios.push([
      ours.instructions / o0.instructions,
      ours.instructions / o3.instructions,
      ours.registers / o0.registers,
      ours.registers / o3.registers,
    ]);
    const cells = [ours.instructions, o0.instructions, o3.instructions, ours.registers, o0.registers, o3.registers];
    const right = `${ours.right ? "y" : "n"}${o0.right ? "y" : "n"}${o3.right ? "y" : "n"}`;
    row([c.name, ...[...cells, ours.stack, o0.stack].map(String), `${Math.round(100 * common(ours, o0))} %`, right]);
  }
  const mean = (i: 0 | 1 | 2 | 3): string => geomean(ratios.map((r) => r[i])).toFixed(2);
  console.log(
    `geometric means: instructions ${mean(0)} × ptxas -O0, ${mean(1)} × -O3; registers ${mean(2)} × -O0, ${mean(3)} × -O3`,
  );
}

if (!available) {
  console.error("the real tools are missing: npm run oracle:setup");
  process.exit(2);
}
const asked = process.argv.slice(2);
for (const name of corpusTargets) if (asked.length === 0 || asked.includes(name)) report(name);
