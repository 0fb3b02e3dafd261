/** Values of a launch file's JSON by type: each says where it is wrong. */

/** Something wrong with the file. `parseLaunchFile` turns it into a text. */
export class Bad extends Error {}

export type Json = Readonly<Record<string, unknown>>;
export function bad(where: string, what: string): never {
  throw new Bad(`${where}: ${what}`);
}

export function object(value: unknown, where: string, keys: readonly string[] | null): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) bad(where, "an object is expected");
  const o = value as Json;
  if (keys !== null)
    for (const k of Object.keys(o))
      if (!keys.includes(k)) bad(where, `unknown key "${k}"; there are: ${keys.join(", ")}`);
  return o;
}

export function list(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) bad(where, "a list is expected");
  return value as readonly unknown[];
}

export function text(value: unknown, where: string): string {
  return typeof value === "string" ? value : bad(where, "a string is expected");
}

export function count(value: unknown, where: string): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0)
    return bad(where, "an integer of at least 0 is expected");
  return value;
}

export function number(value: unknown, where: string): number {
  return typeof value === "number" ? value : bad(where, "a number is expected");
}
