/** Files of points: where they are, and the hashes of what they hold. */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** A folder that names start at, or for each name the path of the file that holds it. */
export type Place = string | Readonly<Record<string, string>>;

/** The path of a file. Throws where the place does not have it. */
export function pathIn(place: Place, name: string): string {
  if (typeof place === "string") return resolve(place, name);
  if (Object.hasOwn(place, name)) return place[name] as string;
  throw new Error(`no file '${name}'`);
}

/** The name of a file that a launch file names: relative to that. */
export const besides = (launch: string, name: string): string =>
  isAbsolute(name) ? name : join(dirname(launch), name);

/** SHA-256 of the parts in turn, as hexadecimal digits. */
export function sha(...parts: readonly (string | Uint8Array)[]): string {
  const h = createHash("sha256");
  for (const p of parts) h.update(p);
  return h.digest("hex");
}

interface Content {
  /** Size and time of the last change, which tell whether the file has to be read again. */
  readonly stamp: string;
  readonly bytes: Uint8Array;
  readonly hash: string;
}

/** Files read last: the points of a sweep share theirs. */
const known = new Map<string, Content>();
const KEPT = 64;

/** What a file holds, and its SHA-256. Throws when it cannot be read. */
export function contentOf(place: Place, name: string): Content {
  const path = pathIn(place, name);
  const { size, mtimeNs, ino } = statSync(path, { bigint: true });
  const stamp = `${ino} ${size} ${mtimeNs}`;
  const before = known.get(path);
  if (before?.stamp === stamp) return before;
  const bytes = readFileSync(path);
  const content = { stamp, bytes, hash: sha(bytes) };
  known.delete(path);
  if (known.size === KEPT) known.delete(known.keys().next().value as string);
  known.set(path, content);
  return content;
}

/** Files that a launch file names, relative to its folder; none where it is no JSON. */
export function filesOfLaunch(launch: Uint8Array): readonly string[] {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(launch).toString("utf8"));
  } catch {
    return [];
  }
  const { buffers, globals, expect } = (json ?? {}) as Readonly<Record<string, unknown>>;
  const named = [buffers, globals, expect].flatMap((part) => Object.values((part ?? {}) as object) as unknown[]);
  const files = named.flatMap((value) => {
    const { file } = (value ?? {}) as { readonly file?: unknown };
    return typeof file === "string" ? [file] : [];
  });
  return [...new Set(files)].sort();
}

/** SHA-256 of a launch file and of the files that it names. Throws when the launch file itself cannot be read. */
export function launchHashOf(place: Place, launch: string): string {
  const { bytes, hash } = contentOf(place, launch);
  const files = filesOfLaunch(bytes);
  if (files.length === 0) return hash;
  return sha(hash, ...files.map((f) => hashOrNone(place, besides(launch, f))));
}

function hashOrNone(place: Place, name: string): string {
  try {
    return contentOf(place, name).hash;
  } catch {
    return "none";
  }
}
