/**
 * Random CUDA C++ beside its host twin:
 *
 *   node tools/run-ts.cjs tools/random-cuda.ts COUNT [--from SEED] [--unit N] [--sm 75,90,100] [-O 0,3] [--plain] [--ptxas] [--shrink]
 *
 * makes programs N to a unit (default 10), compiles each unit with .oracle's nvcc and with g++, and runs nvcc's PTX in the PTX
 * interpreter and, compiled for the SMs at the levels, in the simulator; `--ptxas` also ptxas's code at -O3. `--plain`: nvcc's front
 * end does not optimize. What differs is printed with its seed; `--shrink` makes the program smaller as long as it differs, and
 * writes it to out/random-cuda/SEED.cu. Long runs in parts: tools/random-programs.ts.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isTargetName, type TargetName } from "../lib/target/index.js";
import { numberOf, readArguments, usage } from "./arguments.js";
import {
  compiled,
  findings,
  interpreted,
  isRefusal,
  type Member,
  madeByPtxas,
  type Runner,
  type Unit,
} from "./random-cuda/compare.js";
import { type CudaProgram, generateCuda } from "./random-cuda/generate.js";
import { smaller } from "./random-cuda/shrink.js";
import { unitText } from "./random-cuda/text.js";

const { values, positionals } = readArguments({
  from: { type: "string", default: "0" },
  unit: { type: "string", default: "10" },
  sm: { type: "string", default: "75,90,100" },
  opt: { type: "string", short: "O", default: "0,3" },
  plain: { type: "boolean", default: false },
  ptxas: { type: "boolean", default: false },
  shrink: { type: "boolean", default: false },
});
if (positionals.length !== 1) usage("usage: random-cuda.ts COUNT [options]");

const levels = values.opt.split(",").map(numberOf);
const targets = values.sm.split(",").map((n): TargetName => {
  const name = `sm_${n}`;
  return isTargetName(name) ? name : usage(`no target ${name}`);
});

function runnersOf(unit: Unit): readonly Runner[] {
  return [
    interpreted(unit),
    ...targets.flatMap((target) => levels.map((opt) => compiled(unit, target, opt))),
    ...(values.ptxas ? targets.map((target) => madeByPtxas(unit, target)) : []),
  ];
}

/** What is refused on the way is no smaller case of the same. */
function shrink(member: Member, who: string, refused: boolean): Member {
  const fails = (program: CudaProgram): boolean => {
    try {
      const found = findings([{ ...member, program }], values.plain, runnersOf);
      return found.some((f) => f.who === who && isRefusal(f.what) === refused);
    } catch {
      return false;
    }
  };
  return { ...member, program: smaller(member.program, fails) };
}

const [count, from, size] = [numberOf(positionals[0]!), numberOf(values.from), numberOf(values.unit)];
let wrong = 0;
for (let first = from; first < from + count; first += size) {
  const members = Array.from({ length: Math.min(size, from + count - first) }, (_, k) => {
    const seed = first + k;
    return { seed, id: `${seed}`, program: generateCuda(seed, `${seed}`) };
  });
  const found = findings(members, values.plain, runnersOf);
  for (const { member, who, what } of found) console.log(`seed ${member.seed}: ${who}: ${what}`);
  for (const member of new Set(found.map((f) => f.member))) {
    wrong++;
    if (!values.shrink) continue;
    const first = found.find((f) => f.member === member)!;
    const least = shrink(member, first.who, isRefusal(first.what));
    const dir = join(__dirname, "../out/random-cuda");
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, `${member.seed}.cu`), unitText([least]));
    console.log(`  shrunk: out/random-cuda/${member.seed}.cu`);
  }
}
console.log(`${count - wrong} of ${count} programs the same everywhere`);
process.exitCode = wrong === 0 ? 0 : 1;
