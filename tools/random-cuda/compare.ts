/** Units of random programs in CUDA C++: made by nvcc and by the host's compiler, and run in the PTX interpreter, in our code and in ptxas's. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../../lib/compile.js";
import { runLaunchFile } from "../../lib/sim/index.js";
import { interpretLaunchFile } from "../../lib/sim/ptx/index.js";
import type { TargetName } from "../../lib/target/index.js";
import type { CudaProgram } from "./generate.js";
import { unitText } from "./text.js";

export interface Member {
  readonly program: CudaProgram;
  readonly id: string;
  readonly seed: number;
}

export interface Unit {
  readonly ptx: string;
  readonly launch: LaunchJson;
}

interface LaunchJson {
  readonly buffers: Readonly<Record<string, unknown>>;
  readonly globals: Readonly<Record<string, unknown>>;
  readonly launches: readonly { readonly kernel: string }[];
  readonly expect: Readonly<Record<string, unknown>>;
}

/** Who runs a unit; what a launch of it does otherwise than the host's half, "" when nothing. */
export interface Runner {
  readonly who: string;
  readonly run: (launch: unknown) => string;
}

const root = join(__dirname, "../..");
const work = mkdtempSync(join(tmpdir(), "ptxlab-cuda-"));
process.on("exit", () => {
  rmSync(work, { recursive: true, force: true });
});

function ran(command: string, args: readonly string[]): string {
  const r = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (r.status !== 0) throw new Error(`${command.split("/").pop()}: ${(r.stderr || String(r.signal)).slice(0, 2000)}`);
  return r.stdout;
}

const hostOptions = ["-x", "c++", "-std=c++17", "-O1", "-fwrapv", "-ffp-contract=off", "-w"];

/** Both halves of a unit compiled, the host's half run; `plain`: nvcc's front end does not optimize. */
export function makeUnit(members: readonly Member[], plain: boolean): Unit {
  const [source, ptx, twin] = ["u.cu", "u.ptx", "twin"].map((n) => join(work, n)) as [string, string, string];
  writeFileSync(source, unitText(members));
  const include = ["-I", join(root, "test/programs")];
  const front = plain ? ["-Xcicc", "-O0"] : [];
  const nvcc = join(root, ".oracle/bin/nvcc");
  ran(nvcc, ["-arch=sm_75", "-fmad=false", "-w", ...front, ...include, "-ptx", source, "-o", ptx]);
  ran("g++", [...hostOptions, ...include, source, "-o", twin]);
  return { ptx: readFileSync(ptx, "utf8"), launch: JSON.parse(ran(twin, [])) as LaunchJson };
}

/** The launch file of one program of the unit. */
export function launchOf(launch: LaunchJson, id: string): unknown {
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
const told = (r: { readonly status: number; readonly lines: readonly string[] }): string =>
  r.status === 0 ? "" : r.lines.slice(0, 3).join(" | ");

export function interpreted(unit: Unit): Runner {
  return { who: "interpreter", run: (launch) => told(interpretLaunchFile(unit.ptx, launch, none)) };
}

const REFUSED = "refused: ";

/** A refusal is no wrong result. */
export const isRefusal = (what: string): boolean => what.startsWith(REFUSED);

export function compiled(unit: Unit, target: TargetName, opt: number): Runner {
  const { cubin, diagnostics } = compile(unit.ptx, { target, opt, verify: true });
  const run = (launch: unknown): string =>
    cubin === null ? `${REFUSED}${diagnostics[0]?.message}` : told(runLaunchFile(cubin, launch, { readFile: none }));
  return { who: `${target} -O${opt}`, run };
}

export function madeByPtxas(unit: Unit, target: TargetName): Runner {
  const [source, cubin] = [join(work, "t.ptx"), join(work, "t.cubin")];
  writeFileSync(source, unit.ptx);
  ran(join(root, ".oracle/bin/ptxas"), [`-arch=${target}`, source, "-o", cubin]);
  const bytes = new Uint8Array(readFileSync(cubin));
  return { who: `ptxas ${target}`, run: (launch) => told(runLaunchFile(bytes, launch, { readFile: none })) };
}

export interface Finding {
  readonly member: Member;
  readonly who: string;
  readonly what: string;
}

/** What the runners of a unit do otherwise, program by program. */
export function findings(
  members: readonly Member[],
  plain: boolean,
  runnersOf: (unit: Unit) => readonly Runner[],
): Finding[] {
  const unit = makeUnit(members, plain);
  const runners = runnersOf(unit);
  return members.flatMap((member) =>
    runners.flatMap(({ who, run }) => {
      const what = run(launchOf(unit.launch, member.id));
      return what === "" ? [] : [{ member, who, what }];
    }),
  );
}
