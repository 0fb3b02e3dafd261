/** AllocateRegisters: hands the function to the register allocator. */
import type { Func } from "../ori/types.js";
import { allocate } from "../regalloc/index.js";
import type { PhaseContext } from "./types.js";

export function allocateRegisters(func: Func, context: PhaseContext): void {
  const { allocation, onAllocation } = context.options;
  const result = allocate(func, allocation);
  for (const d of result.diagnostics) context.report(d);
  if (result.ok && onAllocation) onAllocation(result.value);
}
