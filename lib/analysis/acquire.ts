/**
 * Acquires, as ptxas has them (13.0.88, -O3, sm_75 to 121). An instruction after the strong load or atomic holds back what
 * follows until that is done: CCTL.IVALL, which throws the first-level cache away, or for the scope of a CTA, where that is not
 * needed, a NOP. After MEMBAR.SC, which ends the access itself, CCTL.IVALL waits for nothing, else (MEMBAR.ALL, nothing in
 * the block) for every scoreboard. A fence under a guard may not be executed: it ends nothing (ptxas writes none, it branches around).
 */
import type { Inst } from "../ori/types.js";
import { memoryEffect, Place } from "./memory.js";

/** What an instruction has to do with acquires, as numbers. */
export const AcquireRole = {
  /** Nothing to do with acquires. */
  None: 0,
  /** A strong access that gives a result. */
  Access: 1,
  /** A fence: strong accesses before it are done, if it is executed. */
  Fence: 2,
  /** Waits for the last strong access. */
  Wait: 3,
  /** Waits for everything. */
  WaitAll: 4,
} as const;

/** Roles of the instructions of one block. */
export function acquireRoles(insts: readonly Inst[]): Uint8Array {
  const roles = new Uint8Array(insts.length);
  let invalidation: number = AcquireRole.WaitAll;
  /** The last strong access has the scope of a CTA, and no NOP was after it yet. */
  let narrow = false;
  for (let i = 0; i < insts.length; i++) {
    const { op, mods, memory } = insts[i]!.form;
    if (op === "MEMBAR") {
      roles[i] = AcquireRole.Fence;
      const ends = insts[i]!.guard === null;
      if (!mods.includes("SC")) invalidation = AcquireRole.WaitAll;
      else if (ends) invalidation = AcquireRole.None;
      if (ends) narrow = false;
    } else if (op === "CCTL" && mods.includes("IVALL")) roles[i] = invalidation;
    else if (op === "NOP" && narrow) {
      roles[i] = AcquireRole.Wait;
      narrow = false;
    } else if (memory !== null && acquires(insts[i]!)) {
      roles[i] = AcquireRole.Access;
      invalidation = AcquireRole.Wait;
      narrow = mods.includes("SM") || mods.includes("CTA");
    }
  }
  return roles;
}

function acquires({ form }: Inst): boolean {
  const effect = memoryEffect(form);
  return effect.acquires && (effect.reads & Place.Global) !== 0;
}
