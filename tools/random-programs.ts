/**
 * Random programs by the thousand, in parts that go on from each other:
 *
 *   node tools/run-ts.cjs tools/random-programs.ts --state FILE [--seconds S] [--cuda SHARE] [--modules SHARE] [--from SEED]
 *
 * A program is a random PTX kernel (test/fuzz: interpreter and our code at -O0 and -O3, against its evaluator), a random PTX module
 * (test/fuzz/modules: our code at -O0, at -O3 and at -O1 or -O2, and ptxas's at -O0 and -O3, against the interpreter) or a random CUDA C++ program
 * (tools/random-cuda, ten to a unit: interpreter and our code at a level, against its host twin). Targets and levels change from one to the next.
 * SHARE is the part of the time that CUDA C++ gets (default 0.4), and modules (0.4), SEED where the lists begin when FILE does not exist yet. Each program counts
 * once, refused ones by their reason; prints the sums of all parts, and what differed. The status is 1 where anything did.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type TargetName, targetNames } from "../lib/target/index.js";
import { misread, trouble } from "../test/fuzz/check.js";
import { generateModule } from "../test/fuzz/modules/generate.js";
import { moduleText } from "../test/fuzz/modules/text.js";
import { numberOf, readArguments, usage } from "./arguments.js";
import { compiled, findings, interpreted, isRefusal } from "./random-cuda/compare.js";
import { generateCuda } from "./random-cuda/generate.js";
import { everybody, numberOfTarget } from "./random-modules/compare.js";

const { values } = readArguments({
  state: { type: "string" },
  seconds: { type: "string", default: "60" },
  cuda: { type: "string", default: "0.4" },
  modules: { type: "string", default: "0.4" },
  from: { type: "string", default: "0" },
});
const file = values.state ?? usage("usage: random-programs.ts --state FILE [options]");

const kinds = ["ptx", "cuda", "modules"] as const;
type Kind = (typeof kinds)[number];
interface Part {
  /** The next seed. */
  next: number;
  same: number;
  milliseconds: number;
}
interface State {
  readonly ptx: Part;
  readonly cuda: Part;
  readonly modules: Part;
  /** Refused programs by the compiler's first message. */
  readonly refused: Record<string, number>;
  readonly differences: string[];
}

const fresh = (): Part => ({ next: numberOf(values.from), same: 0, milliseconds: 0 });
const state: State = existsSync(file)
  ? Object.assign({ modules: fresh() }, JSON.parse(readFileSync(file, "utf8")) as State)
  : { ptx: fresh(), cuda: fresh(), modules: fresh(), refused: {}, differences: [] };

const UNIT = 10;
const KERNELS = 20;
const MODULES = 10;
const levels = [3, 0, 3, 1, 3, 2];
const targetOf = (n: number): TargetName => targetNames[n % targetNames.length]!;
const levelOf = (n: number): number => levels[n % levels.length]!;

function note(kind: Kind, what: string): void {
  if (what === "") state[kind].same++;
  else if (isRefusal(what)) state.refused[what] = (state.refused[what] ?? 0) + 1;
  else {
    state.differences.push(`${kind} ${what}`);
    console.log(`${kind} ${what}`);
  }
}

function caught(what: () => string): string {
  try {
    return what();
  } catch (error) {
    return String(error).slice(0, 500);
  }
}

function kernels(first: number): number {
  for (let seed = first; seed < first + KERNELS; seed++) {
    const target = targetOf(seed);
    const differs = caught(() => misread(seed, target) || trouble(seed, target, 0) || trouble(seed, target, 3));
    note("ptx", differs === "" ? "" : `seed ${seed}, ${target}: ${differs.split("\n")[0]}`);
  }
  return first + KERNELS;
}

function modules(first: number): number {
  for (let seed = first; seed < first + MODULES; seed++) {
    const target = targetOf(seed);
    const module = generateModule(seed, numberOfTarget(target));
    const levels = [0, 3, 1 + (seed & 1)];
    const found = everybody(moduleText(module, target), seed, target, levels, !module.ptxasErrs);
    const own = (found ?? []).find((v) => v.what !== "");
    note("modules", own === undefined ? "" : `seed ${seed}, ${target}: ${own.who}: ${own.what}`);
  }
  return first + MODULES;
}

function cudaUnit(first: number): number {
  const members = Array.from({ length: UNIT }, (_, k) => first + k).map((seed) => ({
    seed,
    id: `${seed}`,
    program: generateCuda(seed, `${seed}`),
  }));
  const [n, plain] = [Math.floor(first / UNIT), first % (4 * UNIT) === 0];
  try {
    const found = findings(members, plain, (unit) => [interpreted(unit), compiled(unit, targetOf(n), levelOf(n))]);
    for (const m of members) {
      const own = found.find((f) => f.member === m);
      note("cuda", own === undefined ? "" : isRefusal(own.what) ? own.what : `seed ${m.seed}, ${own.who}: ${own.what}`);
    }
  } catch (error) {
    note("cuda", `unit of seed ${first}, ${targetOf(n)} -O${levelOf(n)}: ${String(error).slice(0, 500)}`);
  }
  return first + UNIT;
}

const make: Readonly<Record<Kind, (first: number) => number>> = { ptx: kernels, cuda: cudaUnit, modules };
const [cudaShare, moduleShare] = [numberOf(values.cuda), numberOf(values.modules)];
const shares: Readonly<Record<Kind, number>> = {
  cuda: cudaShare,
  modules: moduleShare,
  ptx: 1 - cudaShare - moduleShare,
};
const start = performance.now();
while (performance.now() - start < 1000 * numberOf(values.seconds)) {
  // Whoever had least of its share.
  const had = (k: Kind): number => state[k].milliseconds / shares[k];
  const kind = kinds.filter((k) => shares[k] > 0).reduce((a, b) => (had(b) < had(a) ? b : a));
  const before = performance.now();
  state[kind].next = make[kind](state[kind].next);
  state[kind].milliseconds += performance.now() - before;
  writeFileSync(file, JSON.stringify(state, null, 1));
}
for (const [why, n] of Object.entries(state.refused)) console.log(`${n} ${why}`);
console.log(
  `${state.ptx.same} PTX kernels, ${state.modules.same} PTX modules and ${state.cuda.same} CUDA C++ programs the same, ${state.differences.length} different`,
);
process.exitCode = state.differences.length === 0 ? 0 : 1;
