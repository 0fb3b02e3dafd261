/** `ptxlab merge`: one table of the shards of a sweep. */
import { dirname, resolve } from "node:path";
import { mergeShards, objectiveOf, readSweep } from "../experiment/index.js";
import { counted } from "../inspect.js";
import { readCommandLine } from "./command-line.js";
import { printAll } from "./cubins.js";
import type { Host } from "./host.js";
import { jsonOf, UNUSABLE, UsageError } from "./usage.js";

/** Exit status: 0 done, 1 points are missing, 2 the description is unusable. */
export async function mergeCommand(args: readonly string[], host: Host): Promise<number> {
  const { file: path, values } = readCommandLine("merge", args);
  const folder = dirname(resolve(path));
  const spec = readSweep(jsonOf(path, host), folder);
  if (typeof spec === "string") throw new UsageError(`${path}: ${spec}`);
  const out = resolve(values.out ?? path.replace(/\.json$/, ""));
  const key = await keyOfSpec(spec, path, host);
  if (key === undefined) return UNUSABLE;
  const merged = await mergeShards(spec, { folder, out, key, ...(values.journal && { journals: values.journal }) });
  const from = counted(merged.journals.length, "journal");
  if (merged.missing > 0) {
    host.err(`ptxlab: ${from}: no row of ${merged.missing} of ${counted(merged.points, "point")}\n`);
    return 1;
  }
  host.out(`${counted(merged.points, "point")} of ${from}; table: ${out}.parquet\n`);
  return 0;
}

/** What tells the sweep's objective in the ids of points; undefined where it cannot judge here. */
async function keyOfSpec(
  spec: Parameters<typeof objectiveOf>[0],
  path: string,
  host: Host,
): Promise<string | null | undefined> {
  if ((spec.objective ?? "model") === "model") return null;
  const objective = objectiveOf(spec);
  try {
    const opened = await objective.open();
    if (opened.ok) return opened.value;
    printAll(opened.diagnostics, path, host);
    return undefined;
  } finally {
    await objective.close();
  }
}
