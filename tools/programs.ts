/**
 * `node tools/run-ts.cjs tools/programs.ts [NAMES|all] [SM:LEVEL,…]`: the programs of test/programs, compiled and run in
 * the simulator; prints what is refused or wrong, and the count. Without a list: every SM at -O0, -O1 and -O3.
 */
import { compile } from "../lib/compile.js";
import { runLaunchFile } from "../lib/sim/index.js";
import { sms, type TargetName } from "../lib/target/index.js";
import { programs, type UserProgram } from "../test/programs/programs.js";

function outcome(program: UserProgram, target: TargetName, opt: number): string {
  try {
    const made = compile(program.ptx, { target, opt, verify: true });
    if (made.diagnostics.length > 0) return `refused: ${made.diagnostics[0]!.message}`;
    const ran = runLaunchFile(made.cubin!, program.launch, { readFile: () => null });
    return ran.status === 0 ? "right" : `wrong: ${ran.lines[0]}`;
  } catch (e) {
    return `error: ${e instanceof Error ? e.message.split("\n")[0] : e}`;
  }
}

const [names = "all", list] = process.argv.slice(2);
const points =
  list?.split(",").map((p) => p.split(":").map(Number)) ?? sms.flatMap((sm) => [0, 1, 3].map((o) => [sm, o]));
const counts = new Map<string, number>();
for (const program of programs) {
  if (names !== "all" && !names.split(",").includes(program.name)) continue;
  for (const [sm, opt] of points) {
    if (sm! < program.sm) continue;
    const what = outcome(program, `sm_${sm}` as TargetName, opt!);
    const kind = what.split(":")[0]!;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (what !== "right") console.log(`${program.name} -O${opt} on sm_${sm}: ${what.slice(0, 200)}`);
  }
}
console.log(`${programs.length} programs: ${[...counts].map(([k, n]) => `${n} ${k}`).join(", ")}`);
