/** Functions with the expected part of their control words before each instruction, for tests. */
import { parseFunc } from "../../../lib/ori/parse.js";
import type { Control, Func } from "../../../lib/ori/types.js";
import { unwrap } from "../../../lib/result.js";
import { type AssignOptions, assignControl } from "../../../lib/sched/index.js";

/** A function on physical registers. */
export function func(body: string, target = "sm_90"): Func {
  return unwrap(parseFunc(`func "k" entry ${target} physical post-expanded\n${body}`));
}

const board = (n: number): string => (n === 7 ? "-" : String(n));

/** Scoreboards set for result and operands, scoreboards waited for: `W0 R- 12`. */
export function boards(c: Control): string {
  const waits = [0, 1, 2, 3, 4, 5].filter((b) => (c.wait >> b) & 1).join("");
  return `W${board(c.writeSb)} R${board(c.readSb)} ${waits === "" ? "-" : waits}`;
}

export const stalls = (c: Control): string => String(c.stall);

/** Stall, and Y where the warp may be left: `4 Y`. */
export const yields = (c: Control): string => `${c.stall} ${c.yield === 0 ? "Y" : "-"}`;

/** Slots kept: `a`, `ab`, `-`. */
export function kept(c: Control): string {
  const slots = ["a", "b", "c"].filter((_, k) => (c.reuse >> k) & 1).join("");
  return slots === "" ? "-" : slots;
}

/**
 * Lines `EXPECTED | INSTRUCTION` (and block labels) through the pass; the same lines with what the pass says, to be equal to
 * the input.
 */
export function check(
  body: string,
  view: (c: Control) => string,
  options: AssignOptions & { readonly target?: string } = {},
): void {
  const lines = body
    .split("\n")
    .map((l) => l.trim())
    .filter((l) => l !== "");
  const f = func(lines.map((l) => l.slice(l.indexOf("|") + 1)).join("\n"), options.target);
  assignControl(f, options);
  const insts = f.blocks.flatMap((b) => b.insts);
  expect(insts.length).toBe(lines.filter((l) => l.includes("|")).length);
  let n = 0;
  const got = lines.map((l) =>
    l.includes("|") ? `${view(insts[n++]!.control!)} | ${l.slice(l.indexOf("|") + 1).trim()}` : l,
  );
  const tidy = (l: string): string => l.replace(/\s+/g, " ");
  expect(got.map(tidy).join("\n")).toBe(lines.map(tidy).join("\n"));
}
