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

/** A JSON file: its text and the value in it. */
export interface JsonFile {
  readonly path: string;
  readonly text: string;
  readonly value: unknown;
}

export function jsonFile(path: string, host: Host): JsonFile {
  const text = Buffer.from(bytesOf(path, host)).toString("utf8");
  const at = jsonError(text);
  if (at < 0) return { path, text, value: JSON.parse(text) };
  const found =
    at === text.length ? "the text ends" : `unexpected ${JSON.stringify(String.fromCodePoint(text.codePointAt(at)!))}`;
  throw new UsageError(`${placeIn(path, text, at)}: not JSON: ${found}`);
}

/** The value in a JSON file. */
export function jsonOf(path: string, host: Host): unknown {
  return jsonFile(path, host).value;
}

/** `FILE:LINE:COLUMN` of an offset, both from 1. */
export function placeIn(path: string, text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  return `${path}:${before.length}:${before.at(-1)!.length + 1}`;
}

/** Writes a file; returns the exit status. */
export function save(path: string, bytes: Uint8Array, host: Host): number {
  if (host.write(path, bytes)) return 0;
  host.err(`ptxlab: cannot write '${path}'\n`);
  return UNUSABLE;
}
