import { InternalError } from "../errors.js";
import type { Func } from "../ori/types.js";

/** Something the allocation got wrong. `inst` is the instruction's id in the allocated function. */
export interface AllocationFinding {
  readonly message: string;
  readonly block: number;
  readonly inst: number;
}

/**
 * Proves that the allocated function `after` computes what `before` (a snapshot taken ahead of `allocate`) does: every
 * physical read sees, on all paths, the register of the virtual value that the same instruction named before.
 * Instructions correspond by id; instructions of `after` that `before` lacks must be copies, spills or reloads.
 */
export function checkAllocation(_before: Func, _after: Func): AllocationFinding[] {
  throw new InternalError("not built", { phase: "AllocateRegisters" });
}
