/**
 * Callers of ptxas with `bin/ptxas` in its place, unchanged (needs `npm run build`):
 *
 *   node tools/run-ts.cjs tools/callers.ts [--setup]
 *
 * prints what each makes with it, and how many cases are right. `--setup` puts Triton into `.callers/` (1.1 GB) first.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readArguments } from "./arguments.js";
import { callers, workplace } from "./callers/callers.js";

const TRITON = "triton==3.9.0";

const { values } = readArguments({ setup: { type: "boolean", default: false } });
if (values.setup) {
  const home = join(__dirname, "../.callers");
  const run = (command: string, args: readonly string[]): void => {
    if (spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"] }).status !== 0) process.exit(1);
  };
  run("python3", ["-m", "venv", home]);
  run(join(home, "bin/python"), ["-m", "pip", "install", "--disable-pip-version-check", "-q", TRITON]);
}

let [right, all] = [0, 0];
for (const { name, missing, run } of callers()) {
  if (missing !== null) {
    console.log(`${name}: not here (${missing})`);
    continue;
  }
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-callers-"));
  try {
    for (const [what, trouble] of Object.entries(run(workplace(dir)))) {
      all++;
      if (trouble === "") right++;
      console.log(`${name}, ${what}: ${trouble || "right"}`);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
}
console.log(`${right} of ${all} right`);
process.exitCode = right === all ? 0 : 1;
