/**
 * Every program on an SM of each generation at -O3, and at -O0 and -O1 on the lowest that it is for: it compiles, the
 * checkers find nothing, and the simulator gets what the host's compiler made of the same source. All SMs and levels:
 * tools/programs.ts.
 */
import { compile } from "../../lib/compile.js";
import { runLaunchFile } from "../../lib/sim/index.js";
import type { TargetName } from "../../lib/target/index.js";
import { programs, type UserProgram } from "./programs.js";

const host = { readFile: () => null };

function right(program: UserProgram, target: TargetName, opt: number): void {
  const made = compile(program.ptx, { target, opt, verify: true });
  expect(made.diagnostics.map((d) => d.message)).toEqual([]);
  const ran = runLaunchFile(made.cubin!, program.launch, host);
  expect(ran.lines.filter(() => ran.status !== 0)).toEqual([]);
  expect(ran.status).toBe(0);
}

describe.each(programs.map((p) => [p.name, p] as const))("%s", (_, program) => {
  const lowest: TargetName = `sm_${program.sm}` as TargetName;
  const targets = [...new Set<TargetName>([lowest, "sm_90", "sm_100", "sm_120"])];
  test.each(targets)("-O3 on %s", (target) => right(program, target, 3));
  test.each([0, 1])(`-O%i on ${lowest}`, (opt) => right(program, lowest, opt));
});
