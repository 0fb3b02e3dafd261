import { InternalError } from "../errors.js";
import type { Program } from "../ori/types.js";
import type { Module } from "../ptx/ast.js";
import type { Result } from "../result.js";
import type { Target } from "../target/types.js";

export interface LowerOptions {
  /** What to compile for; `targetOf(name)` gives it. */
  readonly target: Target;
  /** Names of the entries to lower; all by default. */
  readonly entries?: readonly string[];
}

/**
 * One Func for every .entry and .func with a body, in source order, and the variables of the module. What is not lowered yet
 * is reported as `not supported yet: <instruction>` with its place; all of a function's are reported, and the other
 * functions are lowered all the same.
 */
export function lower(module: Module, options: LowerOptions): Result<Program> {
  throw new InternalError("not built", { detail: `${module.kind} ${options.target.name}` });
}
