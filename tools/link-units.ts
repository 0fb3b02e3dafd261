/**
 * Random programs in several units (tools/random-cuda/units.ts), each made by us or by ptxas in every combination, linked by nvlink:
 *
 *   node tools/run-ts.cjs tools/link-units.ts COUNT [--from SEED] [--units 2,3] [--sm 75,90,100] [-O 0,3]
 *
 * runs what comes out in the simulator and compares it with the program's host twin (.oracle's nvcc, nvlink, and g++). One point for each
 * program, SM, level and combination; SM, level and number of units change from program to program unless all are asked for by `--all`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { runLaunchFile } from "../lib/sim/index.js";
import type { TargetName } from "../lib/target/index.js";
import { numberOf, readArguments, usage } from "./arguments.js";
import { generateCuda, THREADS } from "./random-cuda/generate.js";
import { unitText } from "./random-cuda/text.js";
import { cutIntoUnits, virtualResults } from "./random-cuda/units.js";

const { values, positionals } = readArguments({
  from: { type: "string", default: "0" },
  units: { type: "string", default: "2,3" },
  sm: { type: "string", default: "75,80,90,100,120" },
  opt: { type: "string", short: "O", default: "0,3" },
  all: { type: "boolean", default: false },
});
if (positionals.length !== 1) usage("usage: link-units.ts COUNT [options]");
const root = join(__dirname, "..");
const work = mkdtempSync(join(tmpdir(), "ptxlab-link-"));
const include = ["-I", join(root, "test/programs")];

interface Point {
  readonly units: number;
  readonly sm: number;
  readonly opt: number;
}

function ran(command: string, args: readonly string[]): string {
  const r = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (r.status !== 0) throw new Error(`${command.split("/").pop()}: ${(r.stderr || String(r.signal)).slice(0, 2000)}`);
  return r.stdout;
}

const tool = (name: string): string => join(root, ".oracle/bin", name);

/** What the host's half says: buffers, and what must stand in them. */
function twin(text: string): Record<string, Record<string, unknown>> & { launches: { params: unknown[] }[] } {
  const [source, binary] = [join(work, "twin.cu"), join(work, "twin")];
  writeFileSync(source, text);
  ran("g++", [
    "-x",
    "c++",
    "-std=c++17",
    "-O1",
    "-fwrapv",
    "-ffp-contract=off",
    "-w",
    ...include,
    source,
    "-o",
    binary,
  ]);
  const launch = JSON.parse(ran(binary, []));
  launch.buffers.virtuals = { type: "u32", length: THREADS };
  launch.launches[0].params.push({ buffer: "virtuals" });
  launch.expect.virtuals = { values: virtualResults(THREADS) };
  return launch;
}

/** The objects of a unit: ours and ptxas's. */
function objects(text: string, u: number, { sm, opt }: Point): readonly [ours: string, theirs: string] {
  const [source, ptx, ours, theirs] = ["cu", "ptx", "ours.cubin", "theirs.cubin"].map((e) =>
    join(work, `u${u}.${e}`),
  ) as [string, string, string, string];
  writeFileSync(source, text);
  ran(tool("nvcc"), ["-arch=sm_75", "-rdc=true", "-fmad=false", "-w", ...include, "-ptx", source, "-o", ptx]);
  ran(tool("ptxas"), [`-arch=sm_${sm}`, `-O${opt}`, "-c", ptx, "-o", theirs]);
  const made = compile(readFileSync(ptx, "utf8"), {
    target: `sm_${sm}` as TargetName,
    opt,
    relocatable: true,
    verify: true,
  });
  if (made.cubin === null) throw new Error(`refused: ${made.diagnostics[0]?.message}`);
  writeFileSync(ours, made.cubin);
  return [ours, theirs];
}

/** What is wrong with each combination of makers, by the units that are ours; empty where all is right. */
function combinations(seed: number, point: Point): { count: number; wrong: string[] } {
  const program = generateCuda(seed, `${seed}`);
  const launch = twin(unitText([{ program, id: `${seed}`, seed }]));
  const made = cutIntoUnits(program, `${seed}`, seed, point.units).map((text, u) => objects(text, u, point));
  const wrong: string[] = [];
  for (let which = 0; which < 1 << point.units; which++) {
    const name = `units of ours: ${made.flatMap((_, u) => ((which >> u) & 1 ? [u] : [])).join(" ") || "none"}`;
    const linked = join(work, "linked.cubin");
    const files = made.map((pair, u) => pair[(which >> u) & 1 ? 0 : 1]);
    try {
      const said = ran(tool("nvlink"), [`-arch=sm_${point.sm}`, "-o", linked, ...files]);
      if (said.trim() !== "") wrong.push(`${name}: nvlink says ${said.trim().slice(0, 200)}`);
      const r = runLaunchFile(new Uint8Array(readFileSync(linked)), launch, { readFile: () => null });
      if (r.status !== 0) wrong.push(`${name}: ${r.lines.slice(0, 2).join(" | ").slice(0, 300)}`);
    } catch (e) {
      wrong.push(`${name}: ${(e as Error).message.slice(0, 300)}`);
    }
  }
  return { count: 1 << point.units, wrong };
}

const [counts, sms, levels] = [values.units, values.sm, values.opt].map((v) => v.split(",").map(Number)) as [
  number[],
  number[],
  number[],
];
const points: Point[] = sms.flatMap((sm) => levels.flatMap((opt) => counts.map((units) => ({ units, sm, opt }))));
const [count, from] = [numberOf(positionals[0]!), numberOf(values.from)];
let [right, linkedCount, programsRight] = [0, 0, 0];
for (let seed = from; seed < from + count; seed++) {
  const chosen = values.all ? points : [points[(seed * 7) % points.length]!];
  let clean = true;
  for (const point of chosen) {
    const where = `seed ${seed}, sm_${point.sm} -O${point.opt}, ${point.units} units`;
    try {
      const { count: n, wrong } = combinations(seed, point);
      linkedCount += n;
      right += n - wrong.length;
      for (const w of wrong) console.log(`${where}: ${w}`);
      clean &&= wrong.length === 0;
    } catch (e) {
      console.log(`${where}: ${(e as Error).message.slice(0, 400)}`);
      clean = false;
    }
  }
  if (clean) programsRight++;
}
console.log(
  `${programsRight} of ${count} programs right in every combination; ${right} of ${linkedCount} linked cubins`,
);
rmSync(work, { recursive: true });
process.exitCode = programsRight === count ? 0 : 1;
