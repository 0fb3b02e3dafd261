import { InternalError } from "../errors.js";
import type { Control, Func, MachineInst } from "../ori/types.js";
import type { Target } from "../target/types.js";

/** Chooses the control word of each instruction. Policies are values: `controlO0` is the only one so far. */
export interface ControlPolicy {
  readonly name: string;
  control(inst: MachineInst, target: Target): Control;
}

/** Sets `control` on every instruction of a function; the milestone becomes "controlled". */
export function control(_func: Func, _policy: ControlPolicy = controlO0): void {
  throw new InternalError("not built", { phase: "ProcessO0WaitsAndSBs" });
}

/** ptxas -O0's rule: wait for everything, all the time (digest E §2L.6). */
export const controlO0: ControlPolicy = {
  name: "O0",
  control: () => {
    throw new InternalError("not built", { phase: "ProcessO0WaitsAndSBs" });
  },
};
