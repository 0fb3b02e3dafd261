import { type Diagnostic, isFailure } from "../diagnostics.js";
import { InternalError } from "../errors.js";
import { fail, ok, type Result } from "../result.js";
import type { Module } from "./ast.js";
import { parseModule } from "./parser.js";
import { printModule } from "./printer.js";

export type * from "./ast.js";
export { equalModules } from "./equal.js";
export { type Constant, evaluate, floatBits, floatValue } from "./expressions.js";
export { printInstruction, printOperand } from "./printer.js";

/** Text to tree. `file` is the name in messages. Bad input gives diagnostics, never an exception. */
export function parse(text: string, options: { file?: string } = {}): Result<Module> {
  const { module, diagnostics } = parseModule(text, options.file ?? null);
  return diagnostics.some(isFailure) ? fail(diagnostics) : ok(module, diagnostics);
}

/** The tree as PTX text; `parse(print(m))` equals `m` apart from spans. */
export function print(module: Module): string {
  return printModule(module);
}

/** Names, types, version and target rules; ptxas's wording. `target` is the -arch name; its rules apply beside the module's own .target. */
export function check(module: Module, options: { target: string; file?: string }): readonly Diagnostic[] {
  throw new InternalError("not built", { detail: `${module.kind} ${options.target}` });
}
