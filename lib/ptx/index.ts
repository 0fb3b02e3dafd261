import { type Diagnostic, isFailure } from "../diagnostics.js";
import { shownAs } from "../inspect.js";
import { fail, ok, type Result } from "../result.js";
import type { Module } from "./ast.js";
import { checkModule } from "./check.js";
import { describeModule, headOf } from "./describe.js";
import { parseModule } from "./parser.js";
import { printModule } from "./printer.js";

export type * from "./ast.js";
export { equalModules } from "./equal.js";
export { type Constant, evaluate, floatBits, floatValue } from "./expressions.js";
export { OperandPlaces } from "./locate.js";
export { printInstruction, printOperand } from "./printer.js";

/** Text to tree. `file` is the name in messages. Bad input gives diagnostics, never an exception. */
export function parse(
  text: string,
  options: {
    /** Name of the text in messages. */
    file?: string;
  } = {},
): Result<Module> {
  const { module, diagnostics } = parseModule(text, options.file ?? null);
  if (diagnostics.some(isFailure)) return fail(diagnostics);
  return ok(
    shownAs(module, describeModule, (m) => `[Module: ${headOf(m)}]`),
    diagnostics,
  );
}

/** The tree as PTX text; `parse(print(m))` equals `m` apart from spans. */
export function print(module: Module): string {
  return printModule(module);
}

/** Names, types, version and target rules; ptxas's wording. `target` is the -arch name; its rules apply beside the module's own .target; `relocatable` is `-c`. */
export function check(
  module: Module,
  options: {
    /** The SM whose gates count: `sm_90`. */
    target: string;
    /** Name of the text in messages. */
    file?: string;
    /** Compiled to be linked (-c): functions may be missing. Default false. */
    relocatable?: boolean;
  },
): readonly Diagnostic[] {
  return checkModule(module, options);
}

/**
 * Both at once, with the findings in ptxas's order: what the checks say about the text before the first syntax error, then the syntax errors.
 * The module is the value when nothing failed.
 */
export function analyze(
  text: string,
  options: {
    /** The SM whose gates count: `sm_90`. */
    target: string;
    /** Name of the text in messages. */
    file?: string;
  },
): Result<Module> {
  const { module, diagnostics, unfinished } = parseModule(text, options.file ?? null);
  const findings = checkModule(module, options, diagnostics, unfinished);
  const syntax = diagnostics.findIndex((d) => d.severity === "fatal");
  if (syntax >= 0) {
    const before = beforeSyntaxError(module, findings, diagnostics[syntax]?.span?.start ?? 0);
    return fail([...merge(diagnostics.slice(0, syntax), before), ...diagnostics.slice(syntax)]);
  }
  const all = merge(diagnostics, findings);
  return all.some(isFailure) ? fail(all) : ok(module, all);
}

function beforeSyntaxError(module: Module, findings: readonly Diagnostic[], at: number): readonly Diagnostic[] {
  const broken = module.items.find((i) => i.span.start <= at && at <= i.span.end);
  return findings.filter((d) => {
    if (d.span === null || d.span.start >= at) return false;
    return broken === undefined || d.span.start < broken.span.start || !d.message.startsWith("Unknown symbol");
  });
}

/** Findings of the parser among those of the checks: before the first that stands on the same line or below. */
function merge(parsed: readonly Diagnostic[], checked: readonly Diagnostic[]): readonly Diagnostic[] {
  const out: Diagnostic[] = [];
  let next = 0;
  for (const c of checked) {
    while (next < parsed.length && (parsed[next]?.span?.line ?? 0) <= (c.span?.line ?? Number.POSITIVE_INFINITY))
      out.push(parsed[next++] as Diagnostic);
    out.push(c);
  }
  return [...out, ...parsed.slice(next)];
}
