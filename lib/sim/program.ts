/**
 * Code in the form that runs. All functions of a module lie in one index space, one index per instruction.
 */
import type { CubinFunction } from "../elf/index.js";
import type { MachineInst } from "../isa/operand.js";
import type { Target } from "../target/types.js";
import type { Exec } from "./state.js";

/** A text section placed in the program. */
export interface Placed {
  readonly cubin: CubinFunction;
  /** Index of its first instruction. */
  readonly first: number;
  readonly count: number;
}

export interface Program {
  readonly target: Target;
  readonly functions: readonly Placed[];
  /** Names of functions that the module calls and does not hold; their indices follow the last instruction. */
  readonly outside: readonly string[];
  /** null: the word is no instruction of the target. */
  readonly insts: readonly (MachineInst | null)[];
  readonly exec: Exec[];
  /** Index into `Warp.P` of the guard: 7 when there is none. */
  readonly guard: Uint8Array;
  /** −1 for `@!P`, else 0. */
  readonly invert: Int32Array;
}

/** The function that holds an instruction. */
export function functionAt(program: Program, index: number): Placed {
  let found = program.functions[0]!;
  for (const f of program.functions) if (f.first <= index) found = f;
  return found;
}
