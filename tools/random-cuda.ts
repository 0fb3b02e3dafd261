/**
 * Random CUDA C++ beside its host twin:
 *
 *   node tools/run-ts.cjs tools/random-cuda.ts COUNT [--from SEED] [--unit N] [--sm 75,90,100] [-O 0,3] [--plain] [--ptxas] [--shrink]
 *
 * makes programs N to a unit (default 10), compiles each unit with .oracle's nvcc and with g++, and runs nvcc's PTX in the PTX
 * interpreter and, compiled for the SMs at the levels, in the simulator; `--ptxas` also ptxas's code at -O3. `--plain`: nvcc's front
 * end does not optimize. What differs is printed with its seed; `--shrink` makes the program smaller as long as it differs, and
 * writes it to out/random-cuda/SEED.cu.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { runLaunchFile } from "../lib/sim/index.js";
import { interpretLaunchFile } from "../lib/sim/ptx/index.js";
import { isTargetName } from "../lib/target/index.js";
import { numberOf, readArguments, usage } from "./arguments.js";
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
const root = join(__dirname, "..");
const work = mkdtempSync(join(tmpdir(), "ptxlab-cuda-"));

interface Member {
  readonly program: CudaProgram;
  readonly id: string;
  readonly seed: number;
}

interface Unit {
  readonly ptx: string;
  readonly launch: LaunchJson;
}

interface LaunchJson {
  readonly buffers: Readonly<Record<string, unknown>>;
  readonly globals: Readonly<Record<string, unknown>>;
  readonly launches: readonly { readonly kernel: string }[];
  readonly expect: Readonly<Record<string, unknown>>;
}

function ran(command: string, args: readonly string[]): string {
  const r = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (r.status !== 0) throw new Error(`${command.split("/").pop()}: ${(r.stderr || String(r.signal)).slice(0, 2000)}`);
  return r.stdout;
}

/** Both halves of a unit compiled, the host's half run. */
function made(members: readonly Member[]): Unit {
  const [source, ptx, twin] = ["u.cu", "u.ptx", "twin"].map((n) => join(work, n)) as [string, string, string];
  writeFileSync(source, unitText(members));
  const include = ["-I", join(root, "test/programs")];
  const plain = values.plain ? ["-Xcicc", "-O0"] : [];
  ran(join(root, ".oracle/bin/nvcc"), [
    "-arch=sm_75",
    "-fmad=false",
    "-w",
    ...plain,
    ...include,
    "-ptx",
    source,
    "-o",
    ptx,
  ]);
  ran("g++", ["-x", "c++", "-std=c++17", "-O1", "-fwrapv", "-ffp-contract=off", "-w", ...include, source, "-o", twin]);
  return { ptx: readFileSync(ptx, "utf8"), launch: JSON.parse(ran(twin, [])) as LaunchJson };
}

/** The launch file of one program of the unit. */
function part(launch: LaunchJson, id: string): unknown {
  const own = (o: Readonly<Record<string, unknown>>): unknown =>
    Object.fromEntries(Object.entries(o).filter(([k]) => k.replace(/^[a-z]+/, "") === id));
  return {
    ...launch,
    buffers: own(launch.buffers),
    expect: own(launch.expect),
    launches: launch.launches.filter((l) => l.kernel === `k${id}`),
  };
}

const none = (): null => null;
const levels = values.opt.split(",").map(Number);
const targets = values.sm.split(",").map((n) => `sm_${n}`);

function ptxasMade(ptx: string, target: string): Uint8Array {
  const [source, cubin] = [join(work, "t.ptx"), join(work, "t.cubin")];
  writeFileSync(source, ptx);
  ran(join(root, ".oracle/bin/ptxas"), [`-arch=${target}`, source, "-o", cubin]);
  return new Uint8Array(readFileSync(cubin));
}

/** Who runs a unit, and how. */
function runners(unit: Unit): readonly (readonly [string, (launch: unknown) => string])[] {
  const cubin = (
    name: string,
    bytes: Uint8Array | null,
    why: string,
  ): readonly [string, (launch: unknown) => string] => [
    name,
    (launch) => {
      if (bytes === null) return why;
      const r = runLaunchFile(bytes, launch, { readFile: none });
      return r.status === 0 ? "" : r.lines.slice(0, 3).join(" | ");
    },
  ];
  const ours = targets.flatMap((target) =>
    levels.map((opt) => {
      if (!isTargetName(target)) return usage(`no target ${target}`);
      const c = compile(unit.ptx, { target, opt, verify: true });
      return cubin(`${target} -O${opt}`, c.cubin, `refused: ${c.diagnostics[0]?.message}`);
    }),
  );
  const theirs = values.ptxas ? targets.map((t) => cubin(`ptxas ${t}`, ptxasMade(unit.ptx, t), "")) : [];
  const interpreter = (launch: unknown): string => {
    const r = interpretLaunchFile(unit.ptx, launch, none);
    return r.status === 0 ? "" : r.lines.slice(0, 3).join(" | ");
  };
  return [["interpreter", interpreter], ...ours, ...theirs];
}

/** What differs of each program: its seed, who, what. */
function findings(members: readonly Member[]): { member: Member; who: string; what: string }[] {
  const unit = made(members);
  const all = runners(unit);
  return members.flatMap((member) =>
    all.flatMap(([who, run]) => {
      const what = run(part(unit.launch, member.id));
      return what === "" ? [] : [{ member, who, what }];
    }),
  );
}

/** A refusal is no wrong result: what is refused on the way is no smaller case of the same. */
const isRefusal = (what: string): boolean => what.startsWith("refused: ");

function shrink(member: Member, who: string, refused: boolean): Member {
  const fails = (program: CudaProgram): boolean => {
    try {
      return findings([{ ...member, program }]).some((f) => f.who === who && isRefusal(f.what) === refused);
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
  const found = findings(members);
  for (const { member, who, what } of found) console.log(`seed ${member.seed}: ${who}: ${what}`);
  for (const member of new Set(found.map((f) => f.member))) {
    wrong++;
    if (!values.shrink) continue;
    const first = found.find((f) => f.member === member)!;
    const least = shrink(member, first.who, isRefusal(first.what));
    const dir = join(root, "out/random-cuda");
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, `${member.seed}.cu`), unitText([least]));
    console.log(`  shrunk: out/random-cuda/${member.seed}.cu`);
  }
}
console.log(`${count - wrong} of ${count} programs the same everywhere`);
rmSync(work, { recursive: true });
process.exitCode = wrong === 0 ? 0 : 1;
