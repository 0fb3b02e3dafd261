/** What a launch file says of a cubin: its results in the simulator, and the cycles of the timing model. */
import { readFileSync, statSync } from "node:fs";
import { fail } from "../result.js";
import { inputError, isScalarType, scalarBytes } from "../sim/arguments.js";
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
  const { memory } = budget;
  if (memory !== undefined && bufferBytes(file, launch, place) > memory * 2 ** 20)
    return notRun(`budget: more than ${memory} MiB`);
  const estimates: Estimate[] = [];
  let left = budget.cycles ?? Number.POSITIVE_INFINITY;
  const ran = runLaunchFile(cubin, file, {
    readFile: (p) => readFileSync(pathIn(place, besides(launch, p))),
    launch: (device, module, options) => {
      const made = estimateLaunch(device, module, {
        ...options,
        ...(budget.instructions !== undefined && { maxInstructions: budget.instructions }),
        maxCycles: left,
      });
      if (!made.ok) return made;
      left -= made.value.cycles;
      if (left < 0) return fail([inputError("budget")]);
      estimates.push(made.value);
      return { ok: true, value: made.value.run, diagnostics: made.diagnostics };
    },
  });
  if (left < 0) return notRun(`budget: more than ${budget.cycles} cycles`);
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

/** Bytes of the buffers that a launch file asks for; what is no launch file asks for none, and is told by who reads it. */
function bufferBytes(file: unknown, launch: string, place: Place): number {
  const buffers = (file as { readonly buffers?: unknown } | null)?.buffers;
  if (typeof buffers !== "object" || buffers === null) return 0;
  let sum = 0;
  for (const b of Object.values(buffers) as (Readonly<Record<string, unknown>> | null)[]) {
    if (typeof b?.file === "string") sum += fileBytes(pathIn(place, besides(launch, b.file)));
    else if (typeof b?.type === "string" && isScalarType(b.type))
      sum += scalarBytes[b.type] * (Array.isArray(b.values) ? b.values.length : Number(b.length));
  }
  return sum;
}

function fileBytes(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
