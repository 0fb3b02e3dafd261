/**
 * Code in the form that runs. All functions of a module lie in one index space, one index per instruction.
 */
import type { CubinFunction } from "../elf/index.js";
import { File, Kind, type MachineInst, type Operand } from "../isa/operand.js";
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
  /** Whether the instruction has a meaning, once that is known: 1 yes, −1 no. */
  readonly supported: Int8Array;
  /** Index into `Warp.P` of the guard: 7 when there is none. */
  readonly guard: Uint8Array;
  /** −1 for `@!P`, else 0. */
  readonly invert: Int32Array;
  /** How many registers, from R0 on, its instructions can touch. */
  readonly registers: number;
  /** Has operations that work on shared memory after their issue: accesses to it must be seen. */
  readonly asynchronous: boolean;
  /** What translates it (wasm/engine.ts), once something has run: by variant of the code. */
  readonly engines: object[];
}

/** How many registers, from R0 on, instructions can touch. */
export function registersOf(insts: readonly (MachineInst | null)[]): number {
  let n = 0;
  const note = (o: Operand, width: number): void => {
    if (o.kind === Kind.Reg && o.file === File.R && o.id >= 0) n = Math.max(n, o.id + Math.max(width, o.width, 1));
    if (o.kind === Kind.Const && o.index >= 0) n = Math.max(n, o.index + 1);
  };
  for (const inst of insts) {
    if (!inst) continue;
    const { form, dsts, srcs } = inst;
    for (let i = 0; i < dsts.length; i++) note(dsts[i]!, form.dsts[i]?.width ?? 1);
    for (let i = 0; i < srcs.length; i++) note(srcs[i]!, form.srcs[i]?.width ?? 1);
  }
  // Some instructions have more registers than their slots say: none has more than 8 that are not theirs.
  return Math.min(255, n + 8);
}

/** The function that holds an instruction. */
export function functionAt(program: Program, index: number): Placed {
  let found = program.functions[0]!;
  for (const f of program.functions) if (f.first <= index) found = f;
  return found;
}
