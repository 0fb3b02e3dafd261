/** `ptxlab run`: the launches of a launch file in the simulator. */
import { dirname, resolve } from "node:path";
import { runLaunchFile } from "../sim/index.js";
import { readCommandLine } from "./command-line.js";
import type { Host } from "./host.js";
import { bytesOf, jsonOf, UNUSABLE, UsageError } from "./usage.js";

/** Exit status 0 as expected, 1 not, 2 unusable input, 3 a kernel faulted. */
export function run(args: readonly string[], host: Host): number {
  const { file: path, values } = readCommandLine("run", args);
  if (values.launch === undefined) throw new UsageError("run needs --launch FILE");
  const launchPath = values.launch;
  const result = runLaunchFile(bytesOf(path, host), jsonOf(launchPath, host), {
    readFile: (p) => host.read(resolve(dirname(launchPath), p)),
  });
  if (values.json) host.out(`${JSON.stringify(result.json, null, 1)}\n`);
  else if (result.lines.length > 0) (result.status === UNUSABLE ? host.err : host.out)(`${result.lines.join("\n")}\n`);
  return result.status;
}
