/** What a launch file says of a cubin: its results in the simulator, and the cycles of the timing model. */
import { readFileSync } from "node:fs";
import { runLaunchFile } from "../sim/index.js";
import { type Estimate, estimateLaunch } from "../timing/index.js";
import { besides, type Place, pathIn } from "./files.js";
import type { Budget, Row } from "./types.js";

/** Estimates and results of a launch file on a cubin. */
export function launched(
  cubin: Uint8Array,
  launch: string,
  place: Place,
  budget: Budget = {},
): Pick<Row, "results" | "cycles" | "microseconds" | "warpsPerSm"> & { outcome?: string } {
  const notRun = (outcome: string) =>
    ({ results: "not run", cycles: null, microseconds: null, warpsPerSm: null, outcome }) as const;
  let file: unknown;
  try {
    file = JSON.parse(readFileSync(pathIn(place, launch), "utf8"));
  } catch (e) {
    if (e instanceof SyntaxError) return notRun(`${launch}: ${e.message}`);
    throw e;
  }
  const estimates: Estimate[] = [];
  const ran = runLaunchFile(cubin, file, {
    readFile: (p) => readFileSync(pathIn(place, besides(launch, p))),
    launch: (device, module, options) => {
      const made = estimateLaunch(device, module, {
        ...options,
        ...(budget.instructions !== undefined && { maxInstructions: budget.instructions }),
      });
      if (!made.ok) return made;
      estimates.push(made.value);
      return { ok: true, value: made.value.run, diagnostics: made.diagnostics };
    },
  });
  const sum = (of: (e: Estimate) => number): number => estimates.reduce((n, e) => n + of(e), 0);
  const where = ran.about === "launch file" ? `${launch}: ` : "";
  if (ran.status > 1) return notRun(`${where}${ran.lines[0] ?? "fault"}`);
  return {
    results: ran.status === 0 ? "as expected" : "different",
    cycles: sum((e) => e.cycles),
    microseconds: sum((e) => e.microseconds),
    warpsPerSm: estimates.reduce((n, e) => Math.min(n, e.occupancy.warpsPerSm), Number.POSITIVE_INFINITY),
  };
}
