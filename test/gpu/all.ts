/**
 * node tools/run-ts.cjs test/gpu/all.ts DIR [--only NAME,…]: everything that waits for a GPU of sm_90, made here with the real tools. DIR is
 * all that the machine with the GPU needs:
 *
 *     python3 DIR/all.py --minutes N [--out OUT]
 *
 * runs the steps in order of their value as long as the minutes last, and records each when it ends. A step that cannot be made is told and
 * left out. Exit status: 0 all made, 1 not.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

/** What is made here and run there. */
interface Step {
  readonly name: string;
  /** The script of this folder that makes it, with `$DIR` for the step's folder. */
  readonly make: string;
  /** The runner with its arguments: `$DIR`, `$OUT` (a path for results, without an ending) and `$SECONDS`. */
  readonly run: string;
  /** Seconds below which it is not begun, and after which it is ended. */
  readonly seconds: readonly [least: number, most: number];
  readonly env?: Readonly<Record<string, string>>;
}

const kernels = (name: string, args: string, seconds: Step["seconds"], repeat: number): Step => ({
  name,
  make: `export.ts $DIR ${args}`,
  run: `run.py $DIR --repeat ${repeat} --results $OUT.json`,
  seconds,
});

/** Most valuable first. */
const steps: readonly Step[] = [
  kernels("corpus", "--set corpus", [20, 120], 20),
  kernels("matrix", "--set matrix", [15, 60], 20),
  kernels("programs", "--set programs", [20, 180], 5),
  kernels("triton", "--set triton", [10, 60], 20),
  kernels("fuzz", "--fuzz 200 --from 400000", [20, 180], 0),
  {
    name: "timing",
    make: "timing-export.ts $DIR",
    run: "timing.py $DIR $OUT $SECONDS",
    seconds: [120, 360],
  },
  {
    name: "instructions",
    make: "instructions.ts build $DIR",
    run: "instructions.py $DIR $OUT.tar.gz --seconds $SECONDS",
    seconds: [60, 300],
  },
  { name: "cuda", make: "programs.ts $DIR", run: "programs.py $DIR --results $OUT.json", seconds: [30, 240] },
  {
    name: "latency",
    make: "latency.ts $DIR",
    run: "latency.py $DIR $OUT.json",
    seconds: [60, 240],
    env: { LATENCY_SECONDS: "$SECONDS" },
  },
  {
    name: "pipes",
    make: "pipes.ts $DIR",
    run: "pipes.py $DIR $OUT.csv",
    seconds: [40, 120],
    env: { PIPES_SECONDS: "$SECONDS" },
  },
];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: "string" } } });
const only = values.only?.split(",");
const [dir] = positionals;
const unknown = only?.find((n) => !steps.some((s) => s.name === n));
if (dir === undefined || unknown !== undefined) {
  console.error(`usage: all.ts DIR [--only ${steps.map((s) => s.name).join(",")}]`);
  process.exit(2);
}
const root = resolve(__dirname, "../..");
mkdirSync(dir, { recursive: true });
for (const folder of [__dirname, join(root, "lib/experiment/clock")])
  for (const file of readdirSync(folder).filter((f) => f.endsWith(".py")))
    copyFileSync(join(folder, file), join(dir, file));
const made: Step[] = [];
for (const step of steps.filter((s) => only?.includes(s.name) ?? true)) {
  const folder = join(dir, step.name);
  const [script, ...args] = step.make.split(" ").map((word) => (word === "$DIR" ? folder : word));
  const command = [join(root, "tools/run-ts.cjs"), join(__dirname, script!), ...args];
  const ran = spawnSync(process.execPath, command, { stdio: ["ignore", "inherit", "inherit"] });
  // 1: some makers refused some kernels; what they made is there.
  if (ran.status === 0 || ran.status === 1) made.push(step);
  if (ran.status !== 0) {
    console.error(`${step.name}: status ${ran.status}`);
    process.exitCode = 1;
  }
}
writeFileSync(join(dir, "all.json"), JSON.stringify(made, null, 1));
console.log(`${made.length} steps in ${dir}: python3 ${join(dir, "all.py")} --minutes N`);
