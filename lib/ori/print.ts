import type { Func } from "./types.js";

/** Text form of a function. */
export function printFunc(func: Func): string {
  return `func ${func.name}`;
}
