/** Lines of assembly for measuring kernels: instructions with control words that are chosen by hand. */

import { timingOf } from "../../lib/isa/latency.js";
import type { Target } from "../../lib/target/index.js";
import { instruction } from "./latency-pairs.js";

/** A wait for all scoreboards. */
export const all = "012345";

/** An instruction with stall, the scoreboards that it waits for, and those it sets. Stalls above 11 go with a yield. */
export function line(text: string, stall = 15, wait = "", write = "-", read = "-"): string {
  const mask = [0, 1, 2, 3, 4, 5].map((i) => (wait.includes(String(i)) ? i : "-")).join("");
  return `    B${mask} R${read} W${write} ${stall > 11 ? "Y" : "-"} S${String(stall).padStart(2, "0")} ${text} ;`;
}

/** With the scoreboards that the instruction needs: 0 for its results, 1 for its operands. */
export function scored(text: string, stall: number, wait: string, target: Target): string {
  const t = timingOf(instruction(text.replace(/`\(\w+\)/, "`(skip)"), target), target);
  return line(text, stall, wait, t.write ? "0" : "-", t.read ? "1" : "-");
}

/** Alone, and everything is there after it. */
export const apart = (text: string, wait: string, target: Target): string[] => [
  scored(text, 15, wait, target),
  line("NOP", 15, all),
  line("NOP"),
];
