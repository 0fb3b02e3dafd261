import { InternalError } from "../errors.js";
import type { Func } from "../ori/types.js";
import type { Result } from "../result.js";
import type { AllocationOptions, AllocationResult } from "./types.js";

/**
 * Gives every virtual register of `func` a physical one, in place. Afterwards `func.virtual` is false, operands hold
 * physical numbers with `sub` 0, and `func.used` and `func.frame.spill*` are set. Values that find no register live in
 * local memory above `frame.localBytes`; when the frame is not empty the allocator lowers the stack pointer (the value
 * bound to R1) by the frame's size right after its load in the entry block, so lowering emits that load only.
 */
export function allocate(_func: Func, _options: AllocationOptions = {}): Result<AllocationResult> {
  throw new InternalError("not built", { phase: "AllocateRegisters" });
}
