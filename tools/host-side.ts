/**
 * CUDA programs with their host side, without a GPU: sorting, scans, reductions, selection, histograms of CCCL (tools/host-side/units).
 *
 *   node tools/run-ts.cjs tools/host-side.ts [UNIT.cu …] [--sm 75] [-O 3] [--ptxas] [--bisect]
 *
 * .oracle's nvcc compiles a unit for the SM and makes its PTX, which we compile (`--ptxas`: ptxas does); the host's half is linked with a runtime
 * of our own (runtime.cpp), and what it launches runs in the simulator (serve.ts). The programs themselves check their results.
 * `--bisect`: of a unit that is wrong, the first phase after which what the host reads is not what it reads with our code of -O0 (the host asks for
 * the same again: where it would ask for something else, this says nothing).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { compile } from "../lib/compile.js";
import { bisect } from "../lib/experiment/validation.js";
import { isTargetName, type TargetName } from "../lib/target/index.js";
import { numberOf, readArguments, usage } from "./arguments.js";
import { replay, serve } from "./host-side/serve.js";

const { values, positionals } = readArguments({
  sm: { type: "string", default: "75" },
  opt: { type: "string", short: "O", default: "3" },
  ptxas: { type: "boolean", default: false },
  bisect: { type: "boolean", default: false },
});
const root = join(__dirname, "..");
const own = join(__dirname, "host-side/units");
const units =
  positionals.length > 0
    ? positionals.map((p) => resolve(p))
    : readdirSync(own).flatMap((f) => (f.endsWith(".cu") ? [join(own, f)] : []));
const named = `sm_${values.sm}`;
const target: TargetName = isTargetName(named) ? named : usage(`no target ${named}`);
const work = mkdtempSync(join(tmpdir(), "ptxlab-host-"));
process.on("exit", () => {
  rmSync(work, { recursive: true });
});

function ran(command: string, args: readonly string[]): string {
  const r = spawnSync(command, args, { encoding: "utf8", cwd: work, maxBuffer: 1 << 28 });
  if (r.status !== 0) throw new Error(`${basename(command)}: ${(r.stderr || String(r.signal)).slice(0, 1500)}`);
  return r.stdout;
}

const oracle = (name: string): string => join(root, ".oracle/bin", name);
/** Where the headers of the package are: nvcc says so. */
const headers = /-I(\S+\/include)/.exec(
  spawnSync(oracle("nvcc"), ["--dryrun", "-c", "x.cu"], { encoding: "utf8" }).stderr.replace(/"/g, ""),
)?.[1];
if (headers === undefined) usage("nvcc does not say where its headers are");
const include = [`-I${headers}`, `-I${headers}/cccl`];

/** The cubin of a unit's PTX; a text says why there is none. */
function cubinOf(ptx: string, opt: number): Uint8Array | string {
  if (values.ptxas && opt > 0) {
    writeFileSync(join(work, "k.ptx"), ptx);
    ran(oracle("ptxas"), [`-arch=${target}`, "k.ptx", "-o", "k.cubin"]);
    return new Uint8Array(readFileSync(join(work, "k.cubin")));
  }
  const made = compile(ptx, { target, opt });
  return made.cubin ?? `refused: ${made.diagnostics[0]?.message}`;
}

async function run(unit: string): Promise<string> {
  const name = basename(unit, ".cu");
  const options = [`-arch=${target}`, "--cudart", "none", "-w", "--keep", "--keep-dir", work, ...include];
  ran(oracle("nvcc"), [...options, "-c", unit, "-o", `${name}.o`]);
  ran("g++", [`${name}.o`, "runtime.o", "-o", name]);
  const ptx = readFileSync(join(work, `${name}.ptx`), "utf8");
  const cubin = cubinOf(ptx, numberOf(values.opt));
  if (typeof cubin === "string") return cubin;
  const { status, launches, stderr } = await serve(join(work, name), cubin, numberOf(values.sm));
  if (status === 0) return `right, ${launches.length} launches`;
  const found = values.bisect ? `; ${await culprit(name, ptx)}` : "";
  return `wrong (${status}): ${stderr.slice(0, 400)}${found}`;
}

async function culprit(name: string, ptx: string): Promise<string> {
  const plain = cubinOf(ptx, 0);
  if (typeof plain === "string") return plain;
  const { requests } = await serve(join(work, name), plain, numberOf(values.sm));
  const found = bisect(ptx, { target, opt: numberOf(values.opt) }, (cubin) => replay(cubin, requests));
  return JSON.stringify(found).slice(0, 600);
}

async function all(): Promise<void> {
  ran("g++", ["-O1", "-c", ...include, join(__dirname, "host-side/runtime.cpp"), "-o", "runtime.o"]);
  let right = 0;
  for (const unit of units) {
    const what = await run(unit).catch((error: unknown) => String(error));
    if (what.startsWith("right")) right++;
    console.log(`${basename(unit, ".cu")}: ${what}`);
  }
  console.log(`${right} of ${units.length} right (${target}, ${values.ptxas ? "ptxas" : `-O${values.opt}`})`);
  process.exitCode = right === units.length ? 0 : 1;
}

void all();
