/** Who reports a fault of waiting in a kernel: the simulator, in one of several orders in which operations end, or the hazard checker. */
import { compile } from "../../../lib/compile.js";
import { readCubin } from "../../../lib/elf/index.js";
import { unwrap } from "../../../lib/result.js";
import { simulate } from "../../../lib/sim/index.js";
import type { TargetName } from "../../../lib/target/index.js";
import { verifyCubin } from "../../../lib/verify.js";
import { launchOf, type MatrixKernel } from "./cases.js";

export interface Verdict {
  /** `none`: nobody says anything. */
  readonly by: "fault" | "result" | "race" | "hazard" | "refused" | "none";
  readonly text: string;
}

/** Warp-instructions: a kernel that runs in circles has waited in vain. */
const BUDGET = 2_000_000;

export function judge(text: string, k: MatrixKernel, target: TargetName, seeds: number): Verdict {
  const made = compile(text, { target, opt: 2 });
  if (made.cubin === null) return { by: "refused", text: made.diagnostics[0]?.message ?? "" };
  for (let completion = 0; completion <= seeds; completion++) {
    const { params, check } = k.prepare();
    const run = unwrap(simulate(made.cubin, { ...launchOf(k), params, completion, maxInstructions: BUDGET }));
    if (run.fault !== null) return { by: "fault", text: `${run.fault.kind}: ${run.fault.message}` };
    const wrong = check();
    if (wrong !== "") return { by: "result", text: wrong };
  }
  const { params } = k.prepare();
  const run = unwrap(simulate(made.cubin, { ...launchOf(k), params, races: true, maxInstructions: BUDGET }));
  const race = run.findings?.races[0];
  if (race !== undefined) return { by: "race", text: `${race.first.instruction} and ${race.second.instruction}` };
  const hazard = (verifyCubin(unwrap(readCubin(made.cubin))) ?? [])[0];
  return hazard === undefined ? { by: "none", text: "" } : { by: "hazard", text: hazard.reason };
}
