/** `ptxlab repeat`: makes the run of a manifest again and says whether its rows agree. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  type Disagreement,
  disagreements,
  type Manifest,
  obstacles,
  readSweep,
  sweepToTable,
} from "../experiment/index.js";
import { counted } from "../inspect.js";
import { readCommandLine } from "./command-line.js";
import type { Host } from "./host.js";
import { jsonOf, UsageError } from "./usage.js";

/** Differences that are printed. */
const SHOWN = 10;

/** Exit status: 0 the rows agree, 1 they do not, 2 the run cannot be made again. */
export async function repeatCommand(args: readonly string[], host: Host): Promise<number> {
  const { file: path, values } = readCommandLine("repeat", args);
  const manifest = jsonOf(path, host) as Partial<Manifest> | null;
  if (typeof manifest?.folder !== "string" || typeof manifest.table !== "string" || typeof manifest.files !== "object")
    throw new UsageError(`${path}: not a manifest`);
  const at = dirname(resolve(path));
  const { files, version } = obstacles(manifest as Manifest, at);
  if (files.length > 0) throw new UsageError(`${path}: ${files.join("; ")}`);
  const folder = resolve(at, manifest.folder);
  const spec = readSweep(manifest.spec, folder);
  if (typeof spec === "string") throw new UsageError(`${path}: ${spec}`);
  if (version !== null) host.err(`ptxlab: the rows are of version ${version}\n`);
  const place = mkdtempSync(join(tmpdir(), "ptxlab-repeat-"));
  try {
    const { threads } = values;
    const done = await sweepToTable(spec, {
      folder,
      out: join(place, "again"),
      ...(threads !== undefined && { threads }),
    });
    const found = await disagreements(resolve(at, manifest.table), done.rows());
    host.out(
      found.length === 0
        ? `${counted(done.points, "row")}: all agree\n`
        : `${found.slice(0, SHOWN).map(textOf).join("")}${found.length} of ${counted(done.points, "row")} do not agree\n`,
    );
    return found.length === 0 ? 0 : 1;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

const textOf = ({ index, input, columns }: Disagreement): string =>
  `row ${index + 1}, ${input}: ${columns.map((c) => `${c.name} ${c.before} -> ${c.now}`).join(", ")}\n`;
