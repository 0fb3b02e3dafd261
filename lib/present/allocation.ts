/** The attempts of the register allocator as plain data, for `view.registerMap`. */
import { File } from "../ori/types.js";
import type { AllocationEvent } from "../regalloc/index.js";
import type { AllocationAttempt } from "../view/index.js";

/** Gathers the attempts of the register allocator. */
export interface AllocationWatch {
  /** For the options of `compile`: `allocation: { observe: watch.observe }`. */
  readonly observe: (event: AllocationEvent) => void;
  /** What it saw so far, in the order of the attempts; functions of a module one after the other. */
  readonly attempts: AllocationAttempt[];
}

/** Watches the attempts at one register file (default R): what stands in which register at which program point. */
export function watchAllocation(file: keyof typeof File = "R"): AllocationWatch {
  const attempts: AllocationAttempt[] = [];
  const observe = (event: AllocationEvent): void => {
    if (event.kind !== "attempt" || event.file !== File[file]) return;
    const { round, attempt, failed, points, target } = event;
    const left =
      failed === 0 ? "all values placed" : `${failed} ${failed === 1 ? "value" : "values"} without a register`;
    const uses = event.placements().map(({ value, register, from, to }) => ({
      value: value.id,
      register,
      from,
      to,
      accesses: value.uses + value.defs,
    }));
    attempts.push({ name: `round ${round}, attempt ${attempt}: ${left}`, points, registers: target, uses });
  };
  return { observe, attempts };
}
