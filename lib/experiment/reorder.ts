/** New orders for the code of a cubin: moves replayed, control words assigned anew, the result checked for hazards. */
import { diagnostic } from "../diagnostics.js";
import { readCubin } from "../elf/index.js";
import { type Lifted, liftCubin, replaceCode } from "../lift/index.js";
import type { Func } from "../ori/types.js";
import { fail, ok, type Result } from "../result.js";
import { assignControl, policyNamed, type SchedulePolicy, scheduleFunc, schedulePolicies } from "../sched/index.js";
import { verifyCubin } from "../verify.js";
import { unit } from "./random.js";
import type { Move } from "./types.js";

export interface Reordered {
  readonly bytes: Uint8Array;
  /** Instructions that stand at another place than before. */
  readonly moved: number;
  /** Findings of the hazard checker on the new code. */
  readonly hazards: number;
}

/**
 * Replays moves on the order that a cubin's functions have, and gives them new control words. `only` names the functions
 * that are touched; all by default.
 */
export function reorderCubin(bytes: Uint8Array, moves: readonly Move[], only?: ReadonlySet<string>): Result<Reordered> {
  const read = readCubin(bytes);
  if (!read.ok) return read;
  const lifted = liftCubin(read.value);
  if (!lifted.ok) return lifted;
  const chosen = lifted.value.filter((l) => only?.has(l.func.name) ?? true);
  let moved = 0;
  for (const l of chosen) {
    for (const move of moves) {
      const done = apply(l, move);
      if (typeof done === "string") return fail([diagnostic("error", done)]);
      moved += done;
    }
    assignControl(l.func);
  }
  const replaced = replaceCode(bytes, chosen);
  if (!replaced.ok) return replaced;
  const again = readCubin(replaced.value);
  if (!again.ok) return again;
  const hazards = verifyCubin(again.value)?.length ?? 0;
  return ok({ bytes: replaced.value, moved, hazards }, replaced.diagnostics);
}

/** Number of instructions moved, or what is wrong with the move. */
function apply(l: Lifted, move: Move): number | string {
  if (!("policy" in move)) return shuffle(l.func, move.shuffle, move.reach, move.share);
  const policy = policyNamed(move.policy);
  if (policy === undefined)
    return `no scheduling policy ${move.policy}; there are ${schedulePolicies.map((p) => p.name).join(", ")}`;
  return scheduleFunc(l.func, policy).moved;
}

function shuffle(func: Func, seed: number, reach: number, share: number): number {
  const policy: SchedulePolicy = {
    name: "shuffle",
    does: "the present order, displaced at random",
    direction: "forward",
    ladder: [
      { why: "displaced place", by: (c) => -(c.position + reach * unit(seed, c.state.context.block, c.position)) },
    ],
  };
  const select = (block: Func["blocks"][number]): boolean => unit(seed, -1, block.id) < share;
  return scheduleFunc(func, policy, { select }).moved;
}
