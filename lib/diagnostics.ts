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

/** Lines around a place before and after it that an excerpt shows. */
const AROUND = 1;

/** The line of a message with its neighbours and a caret below the place, `N | text`; nothing where the message has no place in the text. */
export function excerpt({ span }: Diagnostic, text: string): string[] {
  const lines = text.split("\n");
  if (span === null || span.line < 1 || span.line > lines.length) return [];
  const shown: string[] = [];
  for (let n = Math.max(1, span.line - AROUND); n <= Math.min(lines.length, span.line + AROUND); n++) {
    const line = (lines[n - 1] as string).replace(/\r$/, "");
    shown.push(`${n === span.line ? ">" : " "} ${String(n).padStart(4)} | ${line}`.trimEnd());
    // Tabs stay, so that the caret stands below its place whatever their width.
    if (n === span.line) shown.push(`       | ${line.slice(0, span.column - 1).replace(/[^\t]/g, " ")}^`);
  }
  return shown;
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
