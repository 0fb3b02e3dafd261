/** What the commands that run kernels share: the cubin and its launch file. */
import { dirname, resolve } from "node:path";
import { type LaunchFileResult, type LaunchHost, runLaunchFile } from "../sim/index.js";
import { oneCubinOf } from "./cubins.js";
import type { Host } from "./host.js";
import { unusableText } from "./launch-errors.js";
import { jsonFile, UsageError } from "./usage.js";

/** Runs the launches of `launch` on the cubin in `file`; null where that is no cubin. What cannot be used is told on stderr. */
export function runLaunches(
  {
    file,
    launch,
    arch,
  }: { readonly file: string; readonly launch: string | undefined; readonly arch: string | undefined },
  host: Host,
  how: Pick<LaunchHost, "launch"> = {},
): LaunchFileResult | null {
  if (launch === undefined) throw new UsageError("the launches are missing: --launch FILE");
  const cubin = oneCubinOf(file, arch, host, ": choose with --arch");
  if (cubin === null) return null;
  const readFile = (path: string): Uint8Array | null => host.read(resolve(dirname(launch), path));
  const json = jsonFile(launch, host);
  const result = runLaunchFile(cubin.bytes, json.value, { ...how, readFile });
  if (result.json.error !== null) host.err(`ptxlab: ${unusableText(result, file, json)}\n`);
  return result;
}
