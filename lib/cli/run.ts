/** `ptxlab run`: the launches of a launch file in the simulator. */
import type { LaunchOptions, Run } from "../sim/index.js";
import { readCommandLine } from "./command-line.js";
import type { Host } from "./host.js";
import { runLaunches } from "./launched.js";
import { countOf, findingLines, profileLines } from "./run-report.js";
import { UNUSABLE } from "./usage.js";

/** Exit status 0 as expected, 1 not (or with findings), 2 unusable input, 3 a kernel faulted. */
export function run(args: readonly string[], host: Host): number {
  const { file, values } = readCommandLine("run", args);
  const { races, registers, profile, threads, completion } = values;
  const [maxInstructions, maxSeconds] = [values["max-instructions"], values["max-seconds"]];
  const how: LaunchOptions = {
    ...(races && { races }),
    ...(registers && { registers }),
    ...(profile && { profile }),
    ...(maxInstructions !== undefined && { maxInstructions }),
    ...(completion !== undefined && { completion }),
    ...(threads !== undefined && { threads }),
    ...(maxSeconds !== undefined && { maxSeconds }),
  };
  const runs: Run[] = [];
  const result = runLaunches({ file, launch: values.launch, arch: values.arch }, host, {
    launch: (device, module, options) => {
      const made = device.launch(module, { ...options, ...how });
      if (made.ok) runs.push(made.value);
      return made;
    },
  });
  if (result === null) return UNUSABLE;
  const found = runs.some((r) => countOf(r.findings) > 0);
  const status = result.status === 0 && found ? 1 : result.status;
  if (values.json) {
    const more = {
      ...((races || registers) && { findings: runs.map((r) => r.findings) }),
      ...(profile && { profiles: profiles(runs) }),
    };
    host.out(`${JSON.stringify({ ...result.json, status, ...more }, null, 1)}\n`);
    return status;
  }
  if (result.json.error !== null) return status;
  const lines = [...result.lines, ...runs.flatMap((r) => [...findingLines(r), ...profileLines(r)])];
  if (lines.length > 0) host.out(`${lines.join("\n")}\n`);
  return status;
}

function profiles(runs: readonly Run[]): readonly Pick<Run, "profile" | "missed">[] {
  return runs.map(({ profile, missed }) => ({ profile, missed }));
}
