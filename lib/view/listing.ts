/** Code as a table: each machine instruction beside the PTX line it came from, with what is live and how it is timed. */
import { type HtmlView, htmlView } from "./display.js";
import { type CodeWord, highlighted } from "./highlight.js";
import { alignColumns, border, element, escapeHtml, heading, monospace, scrolling } from "./html.js";

/** An instruction of a listing. */
export interface ListingRow {
  /** The instruction's text. */
  readonly sass: string;
  /** Byte offset in the function. */
  readonly address?: number;
  /** Label printed above the instruction. */
  readonly label?: string;
  /** Line of the PTX, from 1, and its text. */
  readonly ptxLine?: number | null;
  /** PTX that it comes from. */
  readonly ptx?: string;
  /** Line of the CUDA C++ that the PTX came from, from 1, and its text. */
  readonly cudaLine?: number | null;
  /** CUDA C++ that it comes from. */
  readonly cuda?: string;
  /** Registers live after it. */
  readonly live?: number;
  /** Control word in words: `W:02 R- B0 S04`. */
  readonly control?: string;
  /** Times executed. */
  readonly count?: number;
}

/** How a listing is shown. */
export interface ListingOptions {
  /** Title above it. */
  readonly title?: string;
  /** Rows shown; the rest is counted. Default 400. */
  readonly maxRows?: number;
  /** CSS pixels before it scrolls. Default 480. */
  readonly height?: number;
  /** What the words of a line are, by language: they are shown in colours. Default: plain. */
  readonly words?: Readonly<Partial<Record<"cuda" | "ptx" | "sass", (line: string) => readonly CodeWord[]>>>;
}

interface Column {
  readonly header: string;
  readonly right: boolean;
  readonly text: (row: ListingRow, previous: ListingRow | null) => string;
  readonly style?: (row: ListingRow) => string;
  /** Language of the text. */
  readonly language?: "cuda" | "ptx" | "sass";
}

const hex = (n: number): string => n.toString(16).padStart(4, "0");
/** Long lines of source end in an ellipsis, so that the columns after them are seen. */
const NARROW = ";max-width:23em;overflow:hidden;text-overflow:ellipsis";
/** Indentation and tabs cost width that the other columns want. */
const oneSpace = (text = ""): string => text.trim().replace(/\s+/g, " ");
const samePtx = (a: ListingRow, b: ListingRow | null): boolean => b !== null && a.ptxLine === b.ptxLine;
const sameCuda = (a: ListingRow, b: ListingRow | null): boolean => b !== null && a.cudaLine === b.cudaLine;

/** A bar after a number, as wide as its share of the largest. */
function bar(value: number | undefined, largest: number, colour: string): string {
  if (value === undefined || largest === 0) return "";
  const share = Math.round((100 * value) / largest);
  return `;background:linear-gradient(to right,${colour} ${share}%,transparent ${share}%)`;
}

function columnsFor(rows: readonly ListingRow[]): Column[] {
  const has = (key: keyof ListingRow): boolean => rows.some((r) => r[key] !== undefined && r[key] !== null);
  const largest = (key: "live" | "count"): number => Math.max(0, ...rows.map((r) => r[key] ?? 0));
  const [mostLive, mostCount] = [largest("live"), largest("count")];
  const columns: (Column | null)[] = [
    has("cudaLine")
      ? { header: "line", right: true, text: (r, p) => (sameCuda(r, p) ? "" : String(r.cudaLine ?? "")) }
      : null,
    has("cuda")
      ? {
          header: "CUDA",
          right: false,
          language: "cuda" as const,
          text: (r, p) => (sameCuda(r, p) ? "" : oneSpace(r.cuda)),
          style: () => NARROW,
        }
      : null,
    has("ptxLine")
      ? { header: "line", right: true, text: (r, p) => (samePtx(r, p) ? "" : String(r.ptxLine ?? "")) }
      : null,
    has("ptx")
      ? {
          header: "PTX",
          right: false,
          language: "ptx" as const,
          text: (r, p) => (samePtx(r, p) ? "" : oneSpace(r.ptx)),
        }
      : null,
    has("address")
      ? { header: "address", right: true, text: (r) => (r.address === undefined ? "" : hex(r.address)) }
      : null,
    { header: "SASS", right: false, language: "sass", text: (r) => r.sass },
    has("live")
      ? {
          header: "live",
          right: true,
          text: (r) => String(r.live ?? ""),
          style: (r) => bar(r.live, mostLive, "rgba(59,102,196,.28)"),
        }
      : null,
    has("control") ? { header: "control", right: false, text: (r) => r.control ?? "" } : null,
    has("count")
      ? {
          header: "executed",
          right: true,
          text: (r) => r.count?.toLocaleString("en-US") ?? "",
          style: (r) => bar(r.count, mostCount, "rgba(224,122,31,.28)"),
        }
      : null,
  ];
  return columns.filter((c) => c !== null);
}

function labelRow(label: string, columns: number): string {
  const style = "text-align:left;padding:4px 8px 0;font-weight:600";
  const cell = element("td", style, `${escapeHtml(label)}:`, `colspan="${columns}"`);
  return element("tr", "background:transparent", cell);
}

function codeRow(
  row: ListingRow,
  cells: readonly string[],
  columns: readonly Column[],
  shaded: boolean,
  words: ListingOptions["words"] = {},
): string {
  const shown = ({ language }: Column, text: string): string => {
    const split = language && words[language];
    return split ? highlighted(split(text)) : escapeHtml(text);
  };
  const tds = columns.map((c, i) => {
    const align = c.right ? "text-align:right;opacity:.85" : "text-align:left";
    return element("td", `padding:0 8px;white-space:pre;${align}${c.style?.(row) ?? ""}`, shown(c, cells[i]!));
  });
  return element("tr", `background:${shaded ? "rgba(128,128,128,.08)" : "transparent"}`, tds.join(""));
}

function headRow(columns: readonly Column[]): string {
  const align = (c: Column): string => (c.right ? "right" : "left");
  const th = (c: Column): string =>
    element("th", `text-align:${align(c)};padding:2px 8px;border-bottom:${border}`, c.header);
  return element("tr", "", columns.map(th).join(""));
}

/** The columns that the rows have values for; stretches of one PTX line share a background. */
export function listing(rows: readonly ListingRow[], options: ListingOptions = {}): HtmlView {
  const { title, maxRows = 400, height = 480 } = options;
  const shown = rows.slice(0, maxRows);
  const columns = columnsFor(shown);
  const body: string[] = [];
  const lines: string[][] = [columns.map((c) => c.header)];
  const labels = new Map<number, string>();
  let shaded = false;
  let previous: ListingRow | null = null;
  for (const row of shown) {
    if (row.label) {
      body.push(labelRow(row.label, columns.length));
      labels.set(lines.length, `${row.label}:`);
      previous = null;
    }
    if (!samePtx(row, previous)) shaded = !shaded;
    const before = previous;
    const cells = columns.map((c) => c.text(row, before));
    body.push(codeRow(row, cells, columns, shaded, options.words));
    lines.push(cells);
    previous = row;
  }
  const more = rows.length > maxRows ? `… ${rows.length - maxRows} more instructions` : "";
  const grid = `<table style="border-collapse:collapse;${monospace};margin:0"><thead>${headRow(columns)}</thead><tbody>${body.join("")}</tbody></table>`;
  const html = [
    title === undefined ? "" : heading(title),
    scrolling(grid, height),
    more === "" ? "" : element("div", "opacity:.7", more),
  ].join("");
  const right = columns.map((c) => c.right);
  const aligned = alignColumns(lines, right)
    .split("\n")
    .flatMap((l, i) => (labels.has(i) ? [labels.get(i)!, l] : [l]))
    .join("\n");
  return htmlView(html, [title, aligned, more].filter((t) => t !== undefined && t !== "").join("\n"));
}
