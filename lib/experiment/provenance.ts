/** Who made the figures of a notebook: a cell that says so. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { arch, cpus, platform } from "node:os";
import { dirname, join, resolve } from "node:path";
import { shownAs } from "../inspect.js";
import { table } from "../view/table.js";
import type { Manifest } from "./manifest.js";
import { version } from "./point.js";

/** What a result was made with. */
export interface Provenance {
  /** Version of ptxlab. */
  readonly ptxlab: string;
  /** Commit of the checkout; null outside of one. */
  readonly commit: string | null;
  /** Version of Node. */
  readonly node: string;
  /** Operating system and architecture. */
  readonly system: string;
  /** Name of the processor. */
  readonly processor: string;
  /** Of the tables that were named: file, SHA-256, rows, version of ptxlab. */
  readonly tables: readonly {
    /** Path of the table. */
    readonly table: string;
    /** SHA-256 of its bytes. */
    readonly sha256: string;
    /** How many rows the table has. */
    readonly rows: number;
    /** Version of ptxlab that made it. */
    readonly ptxlab: string;
  }[];
}

/** What ran here, and, for tables of sweeps (`OUT` or `OUT.parquet`), what their manifests say. Shows itself as a table. */
export function provenance(...tables: readonly string[]): Provenance {
  const value: Provenance = {
    ptxlab: version,
    commit: commitOf(resolve(__dirname, "../..")),
    node: process.version,
    system: `${platform()} ${arch()}`,
    processor: cpus()[0]?.model ?? "unknown",
    tables: tables.map((t) => {
      const file = `${t.replace(/\.parquet$/, "")}.manifest.json`;
      const { table, tableHash, rows, ptxlab } = JSON.parse(readFileSync(file, "utf8")) as Manifest;
      return { table, sha256: tableHash, rows, ptxlab };
    }),
  };
  const view = () => {
    const { tables: made, ...rest } = value;
    const here = Object.entries(rest).map(([what, which]) => ({ what, which }));
    return table([
      ...here,
      ...made.map((m) => ({ what: m.table, which: `${m.rows} rows by ptxlab ${m.ptxlab}, SHA-256 ${m.sha256}` })),
    ]);
  };
  return shownAs(
    value,
    () => view().text,
    () => `ptxlab ${version}`,
    () => ({ "text/html": view().html, "text/plain": view().text }),
  );
}

/** The folder of Git's files; in a worktree a file names it. */
function gitFolder(dot: string): string | null {
  if (!existsSync(dot)) return null;
  if (statSync(dot).isDirectory()) return dot;
  const [, named] = /^gitdir: (.*)$/m.exec(readFileSync(dot, "utf8")) ?? [];
  return named === undefined ? null : resolve(dirname(dot), named);
}

/** Read from the files of Git, which need not be installed. */
export function commitOf(folder: string): string | null {
  try {
    const own = gitFolder(join(folder, ".git"));
    if (own === null) return null;
    const head = readFileSync(join(own, "HEAD"), "utf8").trim();
    const [, ref] = /^ref: (.*)$/.exec(head) ?? [];
    if (ref === undefined) return head;
    // A worktree has its branches where the clone has them.
    const shared = join(own, "commondir");
    const common = existsSync(shared) ? resolve(own, readFileSync(shared, "utf8").trim()) : own;
    const file = join(common, ref);
    if (existsSync(file)) return readFileSync(file, "utf8").trim();
    const packed = readFileSync(join(common, "packed-refs"), "utf8");
    return (
      packed
        .split("\n")
        .find((l) => l.endsWith(` ${ref}`))
        ?.slice(0, 40) ?? null
    );
  } catch {
    return null;
  }
}
