/**
 * What notebooks show. A displayable value has a method under `Symbol.for("Jupyter.display")` that returns a MIME
 * bundle; ptxlab's kernel and Deno's ask for it. Nothing here knows a front end.
 */

/** Method of a value that returns its MIME bundle. */
export const displaySymbol: unique symbol = Symbol.for("Jupyter.display") as never;
/** Method that returns the metadata of the bundle, by MIME type, such as the size in which a PNG is shown. */
export const metadataSymbol: unique symbol = Symbol.for("ptxlab.display.metadata") as never;
/** Where the kernel and the notebook runner leave their way to show a value from within a cell. */
const hookSymbol: unique symbol = Symbol.for("ptxlab.display") as never;

/** MIME type → content: text, base64 of binary data, or a JSON value for types ending in `+json`. */
export type MimeBundle = Readonly<Record<string, unknown>>;

export interface Displayable {
  [displaySymbol](): MimeBundle | Promise<MimeBundle>;
  [metadataSymbol]?(): MimeBundle | Promise<MimeBundle>;
}

/** A table, listing or text: HTML and the same as plain text. */
export interface HtmlView extends Displayable {
  readonly html: string;
  readonly text: string;
}

export function htmlView(html: string, text: string): HtmlView {
  return { html, text, [displaySymbol]: () => ({ "text/html": html, "text/plain": text }) };
}

export interface DisplayOptions {
  /** A later `display` with the same id and `update` replaces what this one shows. */
  readonly id?: string;
  readonly update?: boolean;
}

type Hook = (value: unknown, options: DisplayOptions) => Promise<void>;

/** Shows a value below the running cell. Outside of a notebook it prints the value's plain text. */
export async function display(value: unknown, options: DisplayOptions = {}): Promise<void> {
  const hook = (globalThis as { [hookSymbol]?: Hook })[hookSymbol];
  if (hook) return hook(value, options);
  const bundle = await (value as Partial<Displayable> | null | undefined)?.[displaySymbol]?.();
  console.log(bundle?.["text/plain"] ?? value);
}
