/** New orders for the code of a cubin: moves replayed on the road that `reschedule` takes. */
import { type Diagnostic, diagnostic } from "../diagnostics.js";
import type { Block, Func } from "../ori/types.js";
import { rewriteCubin } from "../reschedule.js";
import { fail, ok, type Result } from "../result.js";
import {
  hoist,
  type Policy,
  policyNamed,
  type SchedulePolicy,
  scheduleFunc,
  schedulePolicies,
  weighted,
} from "../sched/index.js";
import { verifyCubin } from "../verify.js";
import { unit } from "./random.js";
import type { Chosen, Move } from "./types.js";

/** A cubin in another order. */
export interface Reordered {
  /** The new file. */
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
  const made = rewriteCubin(
    bytes,
    (func): Result<number> => {
      let moved = 0;
      for (const move of moves) {
        const done = apply(func, move);
        if (typeof done !== "number") return fail([done]);
        moved += done;
      }
      return ok(moved);
    },
    only === undefined ? {} : { functions: [...only] },
  );
  if (!made.ok) return made;
  const { after, functions } = made.value;
  const moved = functions.reduce((n, f) => n + f.done, 0);
  return ok({ bytes: made.value.bytes, moved, hazards: verifyCubin(after)?.length ?? 0 }, made.diagnostics);
}

/** Number of instructions moved, or what is wrong with the move. */
function apply(func: Func, move: Move): number | Diagnostic {
  if ("shuffle" in move) return shuffle(func, move.shuffle, move.reach, move.share, move.density ?? 1);
  if ("hoist" in move) {
    const { seed = 0, share = 1 } = move;
    return hoist(func, { what: move.hoist, select: (inst) => unit(seed, inst.id) < share });
  }
  if ("weights" in move) return inOrderOf(func, weighted("weights", move.weights, move), move);
  const policy = policyNamed(move.policy);
  return policy === undefined
    ? diagnostic(
        "error",
        `no scheduling policy ${move.policy}; there are ${schedulePolicies.map((p) => p.name).join(", ")}`,
      )
    : inOrderOf(func, policy, move);
}

function inOrderOf(func: Func, policy: Policy, { seed = 0, share = 1 }: Chosen): number {
  return scheduleFunc(func, policy, { select: (block) => unit(seed, -1, block.id) < share }).moved;
}

function shuffle(func: Func, seed: number, reach: number, share: number, density: number): number {
  const by = (block: number, position: number): number =>
    density === 1 || unit(seed, -2 - block, position) < density ? reach * unit(seed, block, position) : 0;
  const policy: SchedulePolicy = {
    name: "shuffle",
    does: "the present order, displaced at random",
    direction: "forward",
    ladder: [{ why: "displaced place", by: (c) => -(c.position + by(c.state.context.block, c.position)) }],
  };
  const select = (block: Block): boolean => unit(seed, -1, block.id) < share;
  return scheduleFunc(func, policy, { select }).moved;
}
