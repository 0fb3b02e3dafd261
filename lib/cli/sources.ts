/**
 * Several PTX files compiled as one module, as ptxas takes them: the texts are joined, the header directives of the
 * later ones blanked out, and positions led back to the file they came from.
 */
import type { Diagnostic, Span } from "../diagnostics.js";
import { analyze, parse } from "../ptx/index.js";

export interface Source {
  /** Name in messages. */
  readonly name: string;
  readonly text: string;
}

export interface Located {
  /** The file that a position lies in, and the line there. */
  readonly locate: (span: Span) => { readonly name: string; readonly line: number };
}

export interface Joined extends Located {
  readonly text: string;
}

/**
 * What is wrong with several files, each read on its own, where one does not parse: joined, one without a header would be
 * taken for a part of the file before it. ptxas reads each up to
 * what is fatal before it gives up (measured). Of files that parse, and
 * of a single one, the compiler tells.
 */
export function misread(
  sources: readonly Source[],
  target: string,
): { readonly diagnostics: readonly Diagnostic[]; readonly located: Located }[] {
  if (sources.length < 2 || sources.every((s) => parse(s.text, { file: s.name }).ok)) return [];
  return sources.flatMap((s) => {
    const parsed = analyze(s.text, { target, file: s.name });
    const located: Located = { locate: (span) => ({ name: s.name, line: span.line }) };
    if (parsed.ok) return [];
    const end = parsed.diagnostics.findIndex((d) => d.severity === "fatal");
    return [{ diagnostics: end < 0 ? parsed.diagnostics : parsed.diagnostics.slice(0, end + 1), located }];
  });
}

export function join(sources: readonly Source[]): Joined {
  const starts: number[] = [];
  let lines = 0;
  const texts = sources.map((s, i) => {
    starts.push(lines);
    const text = i === 0 ? s.text : withoutHeader(s);
    const whole = i + 1 < sources.length && !text.endsWith("\n") ? `${text}\n` : text;
    lines += whole.split("\n").length - 1;
    return whole;
  });
  const locate = (span: Span): { name: string; line: number } => {
    let i = starts.length - 1;
    while (i > 0 && span.line <= starts[i]!) i--;
    return { name: sources[i]?.name ?? "", line: span.line - (starts[i] ?? 0) };
  };
  return { text: texts.join(""), locate };
}

/** The text with `.version`, `.target` and `.address_size` turned to blanks; unchanged when it does not parse. */
function withoutHeader(source: Source): string {
  const parsed = parse(source.text, { file: source.name });
  if (!parsed.ok) return source.text;
  let { text } = source;
  for (const d of [parsed.value.version, parsed.value.target, parsed.value.addressSize]) {
    if (d === null) continue;
    const { start, end } = d.span;
    text = text.slice(0, start) + text.slice(start, end).replace(/[^\n]/g, " ") + text.slice(end);
  }
  return text;
}
