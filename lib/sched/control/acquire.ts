/**
 * Acquires, as ptxas has them (13.0.88, -O3, sm_75 to 120): CCTL.IVALL, which throws the first-level cache away, waits for the
 * strong load or atomic in front of it, so that what is loaded behind it is loaded afterwards. Behind MEMBAR.SC, which ends
 * the access itself, it waits for nothing, else (MEMBAR.ALL, nothing in the block) for every scoreboard.
 */
import { memoryEffect, Place } from "../../analysis/index.js";
import type { Inst } from "../../ori/types.js";
import { SCOREBOARDS } from "./types.js";

export const Role = {
  None: 0,
  /** A strong access that gives a result. */
  Acquires: 1,
  /** A fence: strong accesses in front of it are done. */
  Ends: 2,
  /** Waits for the last strong access. */
  Invalidates: 3,
  /** Waits for everything. */
  InvalidatesAll: 4,
} as const;

/** All scoreboards, whether under way or not. */
export const EVERY: number = (1 << SCOREBOARDS) - 1;

/** Roles of a function's instructions; `first` and `insts` as in `Flat`. */
export function acquireRoles(insts: readonly Inst[], first: Int32Array): Uint8Array {
  const roles = new Uint8Array(insts.length);
  for (let b = 0; b + 1 < first.length; b++) {
    let next: number = Role.InvalidatesAll;
    for (let i = first[b]!; i < first[b + 1]!; i++) {
      const { op, mods, memory } = insts[i]!.form;
      if (op === "MEMBAR") {
        roles[i] = Role.Ends;
        next = mods.includes("SC") ? Role.None : Role.InvalidatesAll;
      } else if (op === "CCTL" && mods.includes("IVALL")) roles[i] = next;
      else if (memory !== null && acquires(insts[i]!)) {
        roles[i] = Role.Acquires;
        next = Role.Invalidates;
      }
    }
  }
  return roles;
}

function acquires({ form }: Inst): boolean {
  const effect = memoryEffect(form);
  return effect.acquires && (effect.reads & Place.Global) !== 0;
}
