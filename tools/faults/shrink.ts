/** The fewest lines of a text on which a fault shows (run by tools/faults/run.cjs, with the fault behind a switch). */

import type { PhaseName } from "../../lib/phases/table.js";
import { afterWith, normalize } from "../../test/phases/texts.js";

export interface Asked {
  readonly fault: number;
  readonly text: string;
  readonly phase: PhaseName;
}

/** `on` switches the fault on; −2 is none. */
export function answer({ fault, text, phase }: Asked, on: (n: number) => void): object {
  const made = (lines: readonly string[], n: number): string => {
    on(n);
    try {
      return afterWith(lines.join("\n"), {}, phase);
    } catch (e) {
      return `! ${e instanceof Error ? e.message : e}`;
    } finally {
      on(-2);
    }
  };
  const tells = (lines: readonly string[]): boolean => {
    const right = made(lines, -2);
    return !right.startsWith("!") && made(lines, fault) !== right;
  };
  const [head = "", ...rest] = normalize(text).split("\n");
  let lines = rest;
  if (tells([head, ...lines]))
    for (let size = lines.length >> 1; size >= 1; size = size === 1 ? 0 : size >> 1)
      for (let again = true; again; ) {
        again = false;
        for (let k = lines.length - size; k >= 0; k -= size) {
          const fewer = [...lines.slice(0, k), ...lines.slice(k + size)];
          if (!tells([head, ...fewer])) continue;
          lines = fewer;
          again = true;
        }
      }
  const all = [head, ...lines];
  return {
    text: `${all.map((l, k) => (k === 0 || /^b\d+/.test(l) ? l : `  ${l}`)).join("\n")}\n`,
    after: made(all, -2),
    wrong: made(all, fault),
  };
}
