/** AllocateRegisters: hands the function to the register allocator. */
import { snapshot } from "../ori/func.js";
import type { Func } from "../ori/types.js";
import { allocate, defaultKnobs } from "../regalloc/index.js";
import type { AllocationOptions, AllocationResult } from "../regalloc/types.js";
import type { Result } from "../result.js";
import { readerOf } from "./parameters.js";
import type { PhaseContext } from "./types.js";

/** With the first register count of the list that needs no spilling (RegTargetList); with the last where none does. */
function within(func: Func, options: AllocationOptions = {}): AllocationOptions {
  const { maxRegisters: most = Number.POSITIVE_INFINITY } = options;
  let narrow = options;
  for (const target of options.knobs?.targets ?? []) {
    narrow = { ...options, maxRegisters: Math.min(most, target) };
    const tried = allocate(snapshot(func), narrow);
    if (tried.ok && tried.value.rounds === 0) break;
  }
  return narrow;
}

/**
 * Allocates the function, in place, as AllocateRegisters does; `quiet`: who observes is not told. `enough`: registers, "as ptxas counts", of which
 * fewer are not looked for.
 */
export function allocationOf(
  func: Func,
  context: PhaseContext,
  quiet = false,
  enough?: number,
): Result<AllocationResult> {
  const { observe, ...rest } = context.options.allocation ?? {};
  const onKnob = quiet ? undefined : readerOf(context, "regalloc");
  const allocation: AllocationOptions = {
    numbering: context.level === 0 ? "lowest" : "banks",
    ...(onKnob && { onKnob }),
    ...rest,
    ...(!quiet && observe !== undefined && { observe }),
    ...(enough !== undefined && { enough }),
  };
  onKnob?.("targets", allocation.knobs?.targets, defaultKnobs.targets);
  return allocate(func, within(func, allocation));
}

export function allocateRegisters(func: Func, context: PhaseContext): void {
  const { onAllocation } = context.options;
  const result = allocationOf(func, context);
  for (const d of result.diagnostics) context.report(d);
  if (result.ok && onAllocation) onAllocation(result.value);
}
