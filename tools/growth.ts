/**
 * How the time and memory of `bin/ptxas` grow with a kernel, beside ptxas on the same text: processor time and peak memory of whole
 * processes, each shape of test/bench/growth.ts at a quarter of its largest size and at that. `power` is p where the time beyond the
 * start of the process grows as n^p (n·log n at these sizes: 1.1 to 1.2). PTX files in place of shapes: the same without growth.
 *
 *     node tools/run-ts.cjs tools/growth.ts [--arch sm_90] [--opt 3] [SHAPE… | FILE.ptx…]        needs `npm run build`
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { shapes } from "../test/bench/growth.js";
import { type Cost, costOf } from "./process-cost.js";

const root = join(__dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "ptxlab-growth-"));
const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: { arch: { type: "string", default: "sm_90" }, opt: { type: "string", default: "3" } },
  allowPositionals: true,
});
const options = [`-arch=${values.arch}`, `-O${values.opt}`, "-o", join(folder, "k.cubin")];

/** Steps of each shape: 50,000 instructions, 5,000 blocks, 20,000 values that meet in joins, 2,000 targets. */
const largest: Readonly<Record<string, number>> = {
  values: 50_000,
  joins: 5000,
  diamonds: 5000,
  arms: 2000,
  phis: 1000,
  loops: 2500,
  targets: 2000,
  calls: 400,
};

const ours = (file: string, more = options): Cost => costOf([join(root, "bin/ptxas"), file, ...more]);
const theirs = (file: string): Cost => costOf([join(root, ".oracle/bin/ptxas"), file, ...options]);

function line(cells: readonly string[]): void {
  console.log(cells.map((c, i) => (i === 0 ? c.padEnd(10) : c.padStart(9))).join(" "));
}

function compared(file: string): { us: Cost; cells: string[] } {
  const [us, them] = [ours(file), theirs(file)];
  const ratio = (key: keyof Cost): string => (us[key] / them[key]).toFixed(2);
  const whole = (n: number): string => n.toFixed(0);
  const cells = [whole(us.ms), whole(them.ms), ratio("ms"), whole(us.mib), whole(them.mib), ratio("mib")];
  return { us, cells };
}

try {
  line(["", "steps", "ms", "ptxas", "ratio", "MiB", "ptxas", "ratio", "power"]);
  const start = ours("--version", []).ms;
  for (const what of positionals.length === 0 ? Object.keys(largest) : positionals) {
    if (what.endsWith(".ptx")) {
      line([what.slice(-10), "", ...compared(what).cells]);
      continue;
    }
    const make = shapes[what];
    const most = largest[what];
    if (make === undefined || most === undefined)
      throw new Error(`no shape ${what}: ${Object.keys(largest).join(", ")}`);
    let before = 0;
    for (const n of [most / 4, most]) {
      const file = join(folder, "k.ptx");
      writeFileSync(file, make(n));
      const { us, cells } = compared(file);
      const spent = us.ms - start;
      line([what, String(n), ...cells, before === 0 ? "" : (Math.log(spent / before) / Math.log(4)).toFixed(2)]);
      before = spent;
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
