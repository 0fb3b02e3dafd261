import type { Diagnostic } from "../diagnostics.js";
import { InternalError } from "../errors.js";
import type { Result } from "../result.js";
import type { Module } from "./ast.js";

export type * from "./ast.js";

/** Text to tree. `file` is the name in messages. Bad input gives diagnostics, never an exception. */
export function parse(text: string, options: { file?: string } = {}): Result<Module> {
  throw new InternalError("not built", { detail: `${text.length} ${options.file}` });
}

/** The tree as PTX text; `parse(print(m))` equals `m` apart from spans. */
export function print(module: Module): string {
  throw new InternalError("not built", { detail: module.kind });
}

/** Names, types, version and target rules; ptxas's wording. `target` is the -arch name; its rules apply beside the module's own .target. */
export function check(module: Module, options: { target: string; file?: string }): readonly Diagnostic[] {
  throw new InternalError("not built", { detail: `${module.kind} ${options.target}` });
}
