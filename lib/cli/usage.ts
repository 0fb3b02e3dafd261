/**
 * What commands share: mistakes of the user on the command line, reading what they name and
 * writing what they ask for.
 */
import type { Host } from "./host.js";
import { jsonError } from "./json-error.js";

/** Exit status where the input cannot be used. */
export const UNUSABLE = 2;

export class UsageError extends Error {}

export function bytesOf(path: string, host: Host): Uint8Array {
  const bytes = host.read(path);
  if (bytes === null) throw new UsageError(`cannot read '${path}'`);
  return bytes;
}

/** The value in a JSON file. */
export function jsonOf(path: string, host: Host): unknown {
  const text = Buffer.from(bytesOf(path, host)).toString("utf8");
  const at = jsonError(text);
  if (at < 0) return JSON.parse(text);
  const before = text.slice(0, at).split("\n");
  const place = `${path}:${before.length}:${before.at(-1)!.length + 1}`;
  const found =
    at === text.length ? "the text ends" : `unexpected ${JSON.stringify(String.fromCodePoint(text.codePointAt(at)!))}`;
  throw new UsageError(`${place}: not JSON: ${found}`);
}

/** Writes a file; returns the exit status. */
export function save(path: string, bytes: Uint8Array, host: Host): number {
  if (host.write(path, bytes)) return 0;
  host.err(`ptxlab: cannot write '${path}'\n`);
  return UNUSABLE;
}
