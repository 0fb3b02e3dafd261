import { type HtmlView, htmlView } from "./display.js";
import { alignColumns, border, element, escapeHtml, heading, scrolling } from "./html.js";

/** A value of a table. */
export type Cell = string | number | boolean | bigint | null | undefined;
/** A row, by name of the column. */
export type Row = Readonly<Record<string, Cell>>;

/** How a table is shown. */
export interface TableOptions {
  /** Title above it. */
  readonly title?: string;
  /** Keys of the columns in order. Default: the keys of the rows, in the order in which they appear. */
  readonly columns?: readonly string[];
  /** Headers that differ from the keys. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Digits after the point for numbers that are not integers. Default 3. */
  readonly digits?: number;
  /** Rows shown; the rest is counted. Default 200. */
  readonly maxRows?: number;
  /** CSS pixels before it scrolls. Default 420. */
  readonly height?: number;
}

function columnsOf(rows: readonly Row[]): string[] {
  const keys = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key);
  return [...keys];
}

export function formatCell(value: Cell, digits: number): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return Math.abs(value) >= 1e5 ? value.toLocaleString("en-US") : String(value);
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  return size !== 0 && (size < 10 ** -digits || size >= 1e7) ? value.toExponential(digits) : value.toFixed(digits);
}

const isNumeric = (v: Cell): boolean => typeof v === "number" || typeof v === "bigint";

/** A table of plain rows. A column is aligned to the right when all of its values are numbers. */
export function table(rows: readonly Row[], options: TableOptions = {}): HtmlView {
  const { title, headers = {}, digits = 3, maxRows = 200, height = 420 } = options;
  const columns = options.columns ?? columnsOf(rows);
  const shown = rows.slice(0, maxRows);
  const right = columns.map((c) => shown.every((r) => r[c] === null || r[c] === undefined || isNumeric(r[c])));
  const names = columns.map((c) => headers[c] ?? c);
  const cells = shown.map((r) => columns.map((c) => formatCell(r[c], digits)));
  const more = rows.length > maxRows ? `… ${rows.length - maxRows} more rows` : "";

  const align = (i: number): string =>
    `text-align:${right[i] ? "right" : "left"};padding:2px 10px;white-space:pre-wrap`;
  const head = names.map((n, i) => element("th", `${align(i)};border-bottom:${border}`, escapeHtml(n))).join("");
  const body = cells.map((row) =>
    element("tr", "", row.map((c, i) => element("td", align(i), escapeHtml(c))).join("")),
  );
  const grid = `<table style="border-collapse:collapse;font-size:12.5px;margin:0"><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table>`;
  const html = [
    title === undefined ? "" : heading(title),
    shown.length > 15 ? scrolling(grid, height) : grid,
    more === "" ? "" : element("div", "opacity:.7;padding:2px 10px", more),
  ].join("");
  const text = [title, alignColumns([names, ...cells], right), more]
    .filter((s) => s !== undefined && s !== "")
    .join("\n");
  return htmlView(html, text);
}
