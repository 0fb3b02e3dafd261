/** Moves in a few words, for tables and reports. */
import type { Chosen, Move } from "./types.js";

/** `null` is the order and the control words of the file itself. `seeds`: with the numbers of the shuffles. */
export function movesText(moves: readonly Move[] | null, seeds = false): string {
  if (moves === null) return "as it is";
  return moves.length === 0 ? "new control words" : moves.map((m) => moveText(m, seeds)).join(", ");
}

const percent = (share: number): string => `${Number((100 * share).toFixed(1))} %`;
const where = (c: Chosen): string =>
  c.share === undefined || c.share === 1 ? "" : ` on ${percent(c.share)} of blocks`;

function moveText(move: Move, seeds: boolean): string {
  if ("policy" in move) return `${move.policy}${where(move)}`;
  if ("hoist" in move) return `hoist ${move.hoist}${where(move)}`;
  if ("weights" in move) return `weights ${move.direction}${where(move)}`;
  const density = move.density === undefined ? "" : `, ${percent(move.density)} of instructions`;
  return `shuffle ${seeds ? `${move.shuffle} ` : ""}by ${move.reach}${where(move)}${density}`;
}
