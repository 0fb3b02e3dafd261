/** Severities of ptxas, in its own words (measured on ptxas 13.0.88). `fatal` ends the run where it is found. */
export type Severity = "fatal" | "error" | "warning" | "info";

/** A range of the source text. `start` and `end` are offsets in UTF-16 code units, `line` and `column` count from 1. */
export interface Span {
  /** Offset of the first character in the text, from 0. */
  readonly start: number;
  /** Offset after the last character. */
  readonly end: number;
  /** Line of the first character, from 1. */
  readonly line: number;
  /** Column of the first character, from 1. */
  readonly column: number;
}

/** Something to tell the user about their input. */
export interface Diagnostic {
  /** How bad it is. */
  readonly severity: Severity;
  /** ptxas's wording where ptxas has one. */
  readonly message: string;
  /** Where it is; null for what concerns the whole file or the command line. */
  readonly span: Span | null;
  /** `unsupported` marks what ptxlab does not do yet though ptxas does; everything else is the user's input. */
  readonly kind: "input" | "unsupported";
}

/** A message, with its place in the text where it has one. */
export function diagnostic(severity: Severity, message: string, span: Span | null = null): Diagnostic {
  return { severity, message, span, kind: "input" };
}

/** The one wording for what is not done yet (an instruction, a modifier, a directive), with its place. */
export function notSupported(what: string, span: Span | null): Diagnostic {
  return { severity: "error", message: `not supported yet: ${what}`, span, kind: "unsupported" };
}

/** Whether a message says that nothing can come of the input. */
export function isFailure(d: Diagnostic): boolean {
  return d.severity === "error" || d.severity === "fatal";
}

/** One line as ptxas 13.0.88 prints it: `ptxas FILE, line N; error   : TEXT` (measured on ptxas 13.0.88; all severities 8 wide). */
export function renderDiagnostic(d: Diagnostic, file: string): string {
  const where = d.span === null ? "ptxas " : `ptxas ${file}, line ${d.span.line}; `;
  return `${where}${d.severity.padEnd(8)}: ${d.message}`;
}
