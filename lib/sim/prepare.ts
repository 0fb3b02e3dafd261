/**
 * Makes programs: an instruction is decoded at load and turned into a function when it is first executed, so loading is
 * quick and an instruction without meaning faults only where it runs.
 */
import type { CubinFunction } from "../elf/index.js";
import { File, type MachineInst } from "../isa/operand.js";
import { decodeCode } from "../sass/decode.js";
import type { Target } from "../target/types.js";
import { isAsynchronous } from "./async/access-kind.js";
import { build } from "./build.js";
import { type Placed, type Program, registersOf } from "./program.js";
import type { Exec } from "./state.js";

export function makeProgram(
  target: Target,
  functions: readonly CubinFunction[],
  outside: readonly string[] = [],
): Program {
  const placed: Placed[] = [];
  const insts: (MachineInst | null)[] = [];
  for (const cubin of functions) {
    const count = cubin.words.length >> 2;
    placed.push({ cubin, first: insts.length, count });
    for (const inst of decodeCode(cubin.words, target)) insts.push(inst);
  }
  return programOf(target, placed, insts, outside);
}

/** A program of decoded instructions. */
export function programOf(
  target: Target,
  functions: readonly Placed[],
  insts: readonly (MachineInst | null)[],
  outside: readonly string[] = [],
): Program {
  const program: Program = {
    target,
    functions,
    outside,
    insts,
    exec: new Array<Exec>(insts.length),
    supported: new Int8Array(insts.length),
    guard: new Uint8Array(insts.length).fill(7),
    invert: new Int32Array(insts.length),
    registers: registersOf(insts),
    asynchronous: insts.some((inst) => inst !== null && isAsynchronous(inst.form.op)),
    engines: [],
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
