/** The timing model on the launches that a GPU measured: the corpus's own ("small") and those that fill a GPU ("large"). */
import { runLaunchFile } from "../../lib/sim/index.js";
import { type EstimateOptions, estimateLaunch } from "../../lib/timing/index.js";
import { corpus } from "../corpus/cases.js";
import { type LargeCase, largeCases } from "./timing-large.js";

export const launchSets = ["small", "large"] as const;
export type LaunchSet = (typeof launchSets)[number];

export interface Modelled {
  readonly cycles: number;
  readonly microseconds: number;
  /** Warp-instructions that were executed. */
  readonly instructions: number;
}

let large: ReadonlyMap<string, LargeCase> | null = null;

/** Throws when the results are not as expected. Of large grids only the blocks that are played back are run. */
export function modelled(
  cubin: Uint8Array,
  kernel: string,
  set: LaunchSet,
  parameters: NonNullable<EstimateOptions["parameters"]> = {},
): Modelled {
  const partial = set === "large";
  if (partial) large ??= new Map(largeCases().map((c) => [c.name, c]));
  const of = large?.get(kernel);
  const launch = partial ? of?.launch : corpus.find((c) => c.name === kernel)?.launch;
  let [cycles, microseconds, instructions] = [0, 0, 0];
  const ran = runLaunchFile(cubin, launch, {
    readFile: (path) => of?.files.get(path) ?? null,
    launch: (device, module, options) => {
      const made = estimateLaunch(device, module, { ...options, partial, parameters });
      if (!made.ok) return made;
      cycles += made.value.cycles;
      microseconds += made.value.microseconds;
      instructions += made.value.run.warpInstructions;
      return { ok: true, value: made.value.run, diagnostics: [] };
    },
  });
  if (ran.status !== 0) throw new Error(`${kernel}: ${ran.lines.join("\n")}`);
  return { cycles, microseconds, instructions };
}
