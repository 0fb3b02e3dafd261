import { type Diagnostic, renderDiagnostic } from "./diagnostics.js";

/** What a stage returns: its value, or the diagnostics that say why there is none. Warnings travel with the value. */
export type Result<T> =
  | {
      readonly ok: true;
      /** What came of it. */
      readonly value: T;
      /** Messages that stop nothing. */
      readonly diagnostics: readonly Diagnostic[];
    }
  | {
      readonly ok: false;
      /** Why nothing came of it. */
      readonly diagnostics: readonly Diagnostic[];
    };

/** A result that there is, with messages that stop nothing. */
export function ok<T>(value: T, diagnostics: readonly Diagnostic[] = []): Result<T> {
  return { ok: true, value, diagnostics };
}

/** No result: the messages say why. */
export function fail<T>(diagnostics: readonly Diagnostic[]): Result<T> {
  return { ok: false, diagnostics };
}

/**
 * The value of a result; throws an Error that tells the diagnostics, one per line, where there is none. For scripts and
 * notebook cells, where one does not want to look at `ok` after every stage. `file` is the input's name in the text.
 */
export function unwrap<T>(result: Result<T>, file = "<text>"): T {
  if (result.ok) return result.value;
  throw new Error(result.diagnostics.map((d) => renderDiagnostic(d, file)).join("\n"));
}
