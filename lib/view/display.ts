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

/** What a notebook can show. */
export interface Displayable {
  /** What is shown, by MIME type. */
  [displaySymbol](): MimeBundle | Promise<MimeBundle>;
  /** What the notebook is told about it (sizes of pictures), by MIME type. */
  [metadataSymbol]?(): MimeBundle | Promise<MimeBundle>;
}

/** A table, listing or text: HTML and the same as plain text. */
export interface HtmlView extends Displayable {
  /** The page's part, without script. */
  readonly html: string;
  /** The same in words, where HTML is not shown. */
  readonly text: string;
}

/** A view of HTML with its text. */
export function htmlView(html: string, text: string): HtmlView {
  return { html, text, [displaySymbol]: () => ({ "text/html": html, "text/plain": text }) };
}

/** How a value is displayed. */
export interface DisplayOptions {
  /** A later `display` with the same id and `update` replaces what this one shows. */
  readonly id?: string;
  /** Replaces what was displayed under the same `id`. Default false. */
  readonly update?: boolean;
}

type Hook = (value: unknown, options: DisplayOptions) => Promise<void>;

/** Whether a cell of a notebook runs this, so that `display` shows things below it. */
export const inNotebook = (): boolean => (globalThis as { [hookSymbol]?: Hook })[hookSymbol] !== undefined;

/** Shows a value below the running cell. Outside of a notebook it prints the value's plain text. */
export async function display(value: unknown, options: DisplayOptions = {}): Promise<void> {
  const hook = (globalThis as { [hookSymbol]?: Hook })[hookSymbol];
  if (hook) return hook(value, options);
  const bundle = await (value as Partial<Displayable> | null | undefined)?.[displaySymbol]?.();
  console.log(bundle?.["text/plain"] ?? value);
}
