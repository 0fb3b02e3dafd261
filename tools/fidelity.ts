/**
 * npm run fidelity [-- sm_90 ... [-O LEVEL] [--programs]]: ptxlab's code beside ptxas's of the same PTX, -O0 beside -O0 and the default level beside
 * ptxas's default (-O3): instructions, warp-instructions that the whole grid issues in the simulator, cycles by the timing
 * model, registers, stack, how much of the text is the same, and whether all of it is, byte by byte; for the corpus of CUDA kernels and for kernels in Triton's
 * style. With -O only that level beside ptxas -O3. With --programs the default level on the programs in CUDA C++ (test/programs) instead: whole modules of
 * several kernels and functions, of which instructions are summed and the greatest register count and stack frame is taken. Needs the real tools (npm run oracle:setup).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { type CubinFunction, readCubin } from "../lib/elf/index.js";
import { decodeCode, renderInst } from "../lib/sass/index.js";
import { runLaunchFile } from "../lib/sim/index.js";
import { isTargetName, type Target, type TargetName, target as targetOf } from "../lib/target/index.js";
import { estimateLaunch } from "../lib/timing/index.js";
import { row } from "../test/bench/measure.js";
import { type CorpusTarget, corpus, corpusPtx, corpusTargets, type LaunchFile } from "../test/corpus/cases.js";
import { tritonStyle, tritonStylePtx } from "../test/corpus/triton-style/cases.js";
import { available, inScratch, tool } from "../test/oracle/tools.js";
import { programs } from "../test/programs/programs.js";

interface Facts {
  /** In the cubin, without the tail of each function. */
  readonly instructions: number;
  /** Warp-instructions that all blocks of all launches issue. */
  readonly issued: number;
  /** Of all launches, by the timing model. */
  readonly cycles: number;
  readonly registers: number;
  /** Bytes. */
  readonly stack: number;
  readonly mnemonics: ReadonlyMap<string, number>;
  /** The section's words, padding and control words included. */
  readonly words: readonly number[];
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
  const { functions } = read.value;
  const counts = new Map<string, number>();
  for (const f of functions) for (const [op, n] of mnemonics(f, target)) counts.set(op, (counts.get(op) ?? 0) + n);
  let [issued, cycles] = [0, 0];
  const ran = runLaunchFile(cubin, launch, {
    readFile: () => null,
    launch: (device, module, options) => {
      const made = estimateLaunch(device, module, options);
      if (!made.ok) return made;
      issued += made.value.run.warpInstructions;
      cycles += made.value.cycles;
      return { ok: true, value: made.value.run, diagnostics: made.diagnostics };
    },
  });
  return {
    instructions: [...counts.values()].reduce((a, b) => a + b, 0),
    issued,
    cycles,
    registers: Math.max(...functions.map((f) => f.registers)),
    stack: Math.max(...functions.map((f) => f.frameBytes)),
    mnemonics: counts,
    words: functions.flatMap((f) => [...f.words]),
    right: ran.status === 0,
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

/** What is compared, with its column. */
const columns = [
  ["instructions", "insts"],
  ["issued", "issued"],
  ["cycles", "cycles"],
  ["registers", "regs"],
] as const;

interface Pair {
  readonly ours: Facts;
  readonly theirs: Facts;
}

/** Geometric means over the kernels that both compilers have right. */
function means(what: string, pairs: readonly Pair[]): void {
  const used = pairs.filter((p) => p.ours.right && p.theirs.right);
  const text = columns.map(([of]) => `${of} ${geomean(used.map((p) => p.ours[of] / p.theirs[of])).toFixed(2)}`);
  console.log(`geometric means, ${what} (${used.length} kernels): ${text.join(", ")}`);
  const fewer = used.filter((p) => p.ours.registers <= p.theirs.registers).length;
  const equal = used.filter((p) => p.ours.words.join() === p.theirs.words.join()).length;
  console.log(`registers not above ptxas's: ${fewer} of ${used.length}; ptxas's bytes: ${equal} of ${used.length}`);
}

interface Kernels {
  readonly title: string;
  readonly cases: readonly { readonly name: string; readonly launch: LaunchFile }[];
  readonly ptx: (name: string, target: CorpusTarget) => string;
}

const collections: readonly Kernels[] = [
  { title: "CUDA kernels", cases: corpus, ptx: corpusPtx },
  { title: "kernels in Triton's style", cases: tritonStyle, ptx: tritonStylePtx },
];

const programNamed = new Map(programs.map((p) => [p.name, p]));

/** The programs that the SM runs. */
const programsOf = (sm: number): Kernels => ({
  title: "programs in CUDA C++",
  cases: programs.filter((p) => p.sm <= sm),
  ptx: (name) => programNamed.get(name)!.ptx,
});

/** The corpus's PTX that the SM takes: that of the greatest SM which is not above it. */
function sourceOf(name: TargetName): CorpusTarget {
  const number = (n: string): number => Number.parseInt(n.slice(3), 10);
  const found = corpusTargets.findLast((t) => number(t) <= number(name));
  if (found === undefined) throw new Error(`no corpus for ${name}`);
  return found;
}

/** Prints one level and returns what was compared, by kernel. */
function table(
  name: TargetName,
  { title, cases, ptx }: Kernels,
  level: number,
  theirLevel: number = level,
): Map<string, Pair> {
  const target = targetOf(name);
  console.log(`\n${name}, ${title}: ptxlab -O${level}, after each column ptxas -O${theirLevel}`);
  row(["kernel", ...columns.flatMap(([, title]) => [title, "ptxas"]), "stack", "ptxas", "common", "right"]);
  const pairs = new Map<string, Pair>();
  for (const c of cases) {
    const text = ptx(c.name, sourceOf(name));
    const made = compile(text, { target: name, opt: level });
    if (made.cubin === null) {
      row([c.name, "refused"]);
      continue;
    }
    const ours = factsOf(made.cubin, target, c.launch);
    const theirs = factsOf(ptxas(text, name, theirLevel), target, c.launch);
    pairs.set(c.name, { ours, theirs });
    const cells = columns.flatMap(([of]) => [ours[of], theirs[of]]);
    const right = `${ours.right ? "y" : "n"}${theirs.right ? "y" : "n"}`;
    const same = `${Math.round(100 * common(ours, theirs))} %`;
    row([c.name, ...[...cells, ours.stack, theirs.stack].map(String), same, right]);
  }
  means(`ptxlab -O${level} over ptxas -O${theirLevel}`, [...pairs.values()]);
  return pairs;
}

/** Level of both commands where none is asked for. */
const DEFAULT = 3;

function report(name: TargetName): void {
  for (const kernels of collections) {
    const plain = table(name, kernels, 0);
    const best = table(name, kernels, DEFAULT);
    const across = [...plain].flatMap(([kernel, { ours }]) => {
      const theirs = best.get(kernel)?.theirs;
      return theirs ? [{ ours, theirs }] : [];
    });
    means(`ptxlab -O0 over ptxas -O${DEFAULT}`, across);
  }
}

if (!available) {
  console.error("the real tools are missing: npm run oracle:setup");
  process.exit(2);
}
const asked = process.argv.slice(2);
const at = asked.indexOf("-O");
const [, level] = at < 0 ? [] : asked.splice(at, 2);
const whole = asked.indexOf("--programs");
if (whole >= 0) asked.splice(whole, 1);
for (const name of asked.length > 0 ? asked : corpusTargets) {
  if (!isTargetName(name)) throw new Error(`unknown SM: ${name}`);
  if (whole >= 0) table(name, programsOf(Number.parseInt(name.slice(3), 10)), Number(level ?? DEFAULT), DEFAULT);
  else if (level === undefined) report(name);
  else for (const kernels of collections) table(name, kernels, Number(level), DEFAULT);
}
