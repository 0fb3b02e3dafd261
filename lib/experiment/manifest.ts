/** What makes a run again: a file beside its table, and the comparison of what comes out the second time. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { besides, contentOf, filesOfLaunch, sha } from "./files.js";
import { version } from "./point.js";
import { readTable } from "./table.js";
import type { Row, SweepSpec } from "./types.js";

/** Beside `OUT.parquet` as `OUT.manifest.json`. */
export interface Manifest {
  /** Version of ptxlab. */
  readonly ptxlab: string;
  /** The sweep as it was given. */
  readonly spec: SweepSpec;
  /** Folder that the paths of the sweep start at, from the manifest on. */
  readonly folder: string;
  /** SHA-256 of every file that was read, by its name in the sweep. */
  readonly files: Readonly<Record<string, string>>;
  /** The table beside the manifest, its SHA-256 and rows. */
  readonly table: string;
  /** SHA-256 of the table. */
  readonly tableHash: string;
  /** Rows of the table. */
  readonly rows: number;
}

/** SHA-256 of every file of a sweep. Throws where an input or a launch file cannot be read; what a launch file names may be missing. */
function filesOf(spec: SweepSpec, folder: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const { ptx, cubin, launch } of spec.inputs) {
    const input = ptx ?? cubin ?? "";
    files[input] = contentOf(folder, input).hash;
    if (launch === undefined) continue;
    const { bytes, hash } = contentOf(folder, launch);
    files[launch] = hash;
    for (const name of filesOfLaunch(bytes).map((f) => besides(launch, f)))
      if (existsSync(resolve(folder, name))) files[name] = contentOf(folder, name).hash;
  }
  return files;
}

/** Writes the manifest of a table that is complete. */
export function writeManifest(out: string, spec: SweepSpec, folder: string, rows: number): void {
  const manifest: Manifest = {
    ptxlab: version,
    spec,
    folder: relative(dirname(resolve(out)), resolve(folder)) || ".",
    files: filesOf(spec, folder),
    table: `${basename(out)}.parquet`,
    tableHash: sha(readFileSync(`${out}.parquet`)),
    rows,
  };
  writeFileSync(`${out}.manifest.json`, `${JSON.stringify(manifest, null, 1)}\n`);
}

/** What stands between a manifest and the same run: files that changed or are gone, another version. */
export function obstacles(
  manifest: Manifest,
  at: string,
): {
  /** Files that are missing or differ, by their names in the sweep. */
  readonly files: readonly string[];
  /** The version of ptxlab that made the table, where it is another one than this; else null. */
  readonly version: string | null;
} {
  const folder = resolve(at, manifest.folder);
  const files = Object.entries(manifest.files).flatMap(([name, hash]) => {
    const path = resolve(folder, name);
    if (!existsSync(path)) return [`${name} is gone`];
    return sha(readFileSync(path)) === hash ? [] : [`${name} is another one`];
  });
  return { files, version: manifest.ptxlab === version ? null : manifest.ptxlab };
}

/** A row that came out otherwise. */
export interface Disagreement {
  /** Number of the point, from 0. */
  readonly index: number;
  /** Name of its input. */
  readonly input: string;
  /** Columns whose values differ, with both. */
  readonly columns: readonly {
    /** Name of the column. */
    readonly name: string;
    /** Its value in the table. */
    readonly before: unknown;
    /** Its value now. */
    readonly now: unknown;
  }[];
}

/** A column that the table of an earlier version does not have. */
const isNew = (name: string, old: object | undefined): boolean => old !== undefined && !(name in old);

/** Holds rows against those of a table, in order; what is new in neither counts. `id` and `version` name the version and are left out. */
export async function disagreements(table: string, rows: Iterable<Row>): Promise<readonly Disagreement[]> {
  const before = await readTable(table);
  const found: Disagreement[] = [];
  let index = 0;
  for (const now of rows) {
    const old = before[index] as unknown as Readonly<Record<string, unknown>> | undefined;
    const columns = Object.entries(now).flatMap(([name, value]) =>
      name === "id" || name === "version" || isNew(name, old) || (old?.[name] ?? null) === (value ?? null)
        ? []
        : [{ name, before: old?.[name] ?? null, now: value }],
    );
    if (columns.length > 0) found.push({ index, input: now.input, columns });
    index++;
  }
  if (index < before.length)
    found.push({ index, input: "", columns: [{ name: "rows", before: before.length, now: index }] });
  return found;
}
