/**
 * Lowering a module: its variables, then each kernel. Functions are not lowered by themselves: they are inlined where they are
 * called (inline.ts), so a program holds one Func per .entry.
 */
import { type Diagnostic, isFailure, notSupported } from "../diagnostics.js";
import type { Func, Program } from "../ori/types.js";
import type { Declaration, FunctionItem, Module } from "../ptx/ast.js";
import { ok, type Result } from "../result.js";
import { target as targetOf } from "../target/index.js";
import type { Target, TargetName } from "../target/types.js";
import type { ModuleContext } from "./context.js";
import { lowerFunction } from "./function.js";
import { Refusal } from "./refusal.js";
import { Scope } from "./scope.js";
import { Symbols } from "./symbols.js";

export interface LowerOptions {
  /** What to compile for. */
  readonly target: Target | TargetName;
  /** Names of the entries to lower; all by default. */
  readonly entries?: readonly string[];
  /** The result is linked with others (`-c`): functions that others may call must be in it. */
  readonly relocatable?: boolean;
}

/**
 * One Func for every .entry, in source order, and the variables of the module. What is not lowered yet is reported as
 * `not supported yet: <instruction>` with its place; all of a function's are reported, and the program holds the functions
 * without errors: look at `diagnostics` before making a cubin of it.
 */
export function lower(module: Module, options: LowerOptions): Result<Program> {
  const target = typeof options.target === "string" ? targetOf(options.target) : options.target;
  const diagnostics: Diagnostic[] = [];
  const symbols = new Symbols();
  const scope = new Scope(null);
  const functions = new Map<string, FunctionItem>();
  for (const item of module.items) {
    if (item.kind === "declaration") declare(item, symbols, scope, diagnostics);
    else if (item.kind === "function" && item.body !== null) functions.set(item.name, item);
    else if (item.kind === "alias") diagnostics.push(notSupported(`.alias ${item.name}`, item.span));
  }
  const funcs: Func[] = [];
  for (const item of module.items) {
    if (item.kind !== "function" || item.body === null) continue;
    if (!item.entry) {
      // Callees are inlined, so that only a linker could miss them.
      if (options.relocatable && item.linkage !== null)
        diagnostics.push(notSupported(`.func ${item.name} in a relocatable object`, item.span));
      continue;
    }
    if (options.entries !== undefined && !options.entries.includes(item.name)) continue;
    const context: ModuleContext = {
      functions,
      use: (symbol) => symbols.use(symbol, item.name),
      declare: (d, v) => symbols.declare(d, v, item.name),
      outer: scope,
    };
    const lowered = lowerFunction(item, scope, context, target);
    diagnostics.push(...lowered.diagnostics);
    if (lowered.diagnostics.some(isFailure)) continue;
    lowered.func.sharedBytes = symbols.sharedBytes(item.name);
    funcs.push(lowered.func);
  }
  const program: Program = {
    target,
    ptxVersion: [module.version?.major ?? 1, module.version?.minor ?? 0],
    addressSize: module.addressSize?.bits ?? 64,
    funcs,
    symbols: symbols.list(),
  };
  return ok(program, diagnostics);
}

function declare(d: Declaration, symbols: Symbols, scope: Scope, diagnostics: Diagnostic[]): void {
  for (const v of d.variables) {
    try {
      scope.declare(v.name, symbols.declare(d, v, null));
    } catch (e) {
      if (!(e instanceof Refusal)) throw e;
      diagnostics.push(notSupported(`.${d.space} variable ${v.name}`, v.span));
    }
  }
}
