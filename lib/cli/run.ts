/** `ptxlab run`: the launches of a launch file in the simulator. */
import { readCommandLine } from "./command-line.js";
import type { Host } from "./host.js";
import { runLaunches } from "./launched.js";
import { UNUSABLE } from "./usage.js";

/** Exit status 0 as expected, 1 not, 2 unusable input, 3 a kernel faulted. */
export function run(args: readonly string[], host: Host): number {
  const { file, values } = readCommandLine("run", args);
  const result = runLaunches({ file, launch: values.launch, arch: values.arch }, host);
  if (result === null) return UNUSABLE;
  if (values.json) host.out(`${JSON.stringify(result.json, null, 1)}\n`);
  else if (result.json.error === null && result.lines.length > 0) host.out(`${result.lines.join("\n")}\n`);
  return result.status;
}
