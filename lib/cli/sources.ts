/**
 * Several PTX files compiled as one module, as ptxas takes them: the texts are joined, the header directives of the
 * later ones blanked out, and positions led back to the file they came from.
 */
import type { Span } from "../diagnostics.js";
import { parse } from "../ptx/index.js";

export interface Source {
  /** Name in messages. */
  readonly name: string;
  readonly text: string;
}

export interface Joined {
  readonly text: string;
  /** The file that a position of the joined text lies in, and the line there. */
  readonly locate: (span: Span) => { readonly name: string; readonly line: number };
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
