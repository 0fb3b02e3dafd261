/**
 * Code made ready to run. All functions of a module lie in one index space, one index per instruction; an instruction is
 * decoded at load and turned into a function when it is first executed, so loading is quick and an instruction without
 * meaning faults only where it runs.
 */
import type { CubinFunction } from "../elf/index.js";
import { decodeCode } from "../sass/decode.js";
import { File, type MachineInst } from "../sass/isa/operand.js";
import type { Target } from "../target/types.js";
import { build } from "./build.js";
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
  /** null: the word is no instruction of the target. */
  readonly insts: readonly (MachineInst | null)[];
  readonly exec: Exec[];
  /** Index into `Warp.P` of the guard: 7 when there is none. */
  readonly guard: Uint8Array;
  /** −1 for `@!P`, else 0. */
  readonly invert: Int32Array;
}

export function makeProgram(target: Target, functions: readonly CubinFunction[]): Program {
  const placed: Placed[] = [];
  const insts: (MachineInst | null)[] = [];
  for (const cubin of functions) {
    const count = cubin.words.length >> 2;
    placed.push({ cubin, first: insts.length, count });
    for (const inst of decodeCode(cubin.words, target)) insts.push(inst);
  }
  return programOf(target, placed, insts);
}

/** A program of decoded instructions. */
export function programOf(
  target: Target,
  functions: readonly Placed[],
  insts: readonly (MachineInst | null)[],
): Program {
  const program: Program = {
    target,
    functions,
    insts,
    exec: new Array<Exec>(insts.length),
    guard: new Uint8Array(insts.length).fill(7),
    invert: new Int32Array(insts.length),
  };
  insts.forEach((inst, i) => {
    const guard = inst?.guard;
    if (guard) {
      program.guard[i] = (guard.file === File.UP ? 8 : 0) + (guard.id < 0 ? 7 : guard.id);
      program.invert[i] = guard.not ? -1 : 0;
    }
    program.exec[i] = lazily(program, i);
  });
  return program;
}

function lazily(program: Program, index: number): Exec {
  return (warp, mask) => {
    const exec = build(program, index);
    program.exec[index] = exec;
    return exec(warp, mask);
  };
}

/** The function that holds an instruction. */
export function functionAt(program: Program, index: number): Placed {
  let found = program.functions[0]!;
  for (const f of program.functions) if (f.first <= index) found = f;
  return found;
}
