/** Looks of results that are a sentence and a table in notebooks, not field by field. */
import { shownAs } from "../inspect.js";
import { type HtmlView, table } from "../view/index.js";

/** A row of such a table, by name of the column. */
export type LooksRow = Readonly<Record<string, string | number | boolean>>;

/** Gives a value the looks of a table; inside of other values its title. */
export function asTable<T extends object>(value: T, title: (v: T) => string, rows: (v: T) => readonly LooksRow[]): T {
  const seen = (v: T): HtmlView => table(rows(v), { title: title(v) });
  return shownAs(
    value,
    (v) => seen(v).text.trimEnd(),
    (v) => `[${title(v)}]`,
    (v) => ({ "text/html": seen(v).html, "text/plain": seen(v).text }),
  );
}
