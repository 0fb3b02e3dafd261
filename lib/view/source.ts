/**
 * Where the cycles of a launch go, beside its source: CUDA, PTX and SASS with live registers, cycles and the reasons why warps wait as heat;
 * totals by reason, by line and by source. What belongs together lights up under the pointer, by style rules alone: there is no script.
 */
import { type HtmlView, htmlView } from "./display.js";
import { alignColumns, border, element, escapeHtml, heading, monospace } from "./html.js";

/** An instruction and what warps spent at it. */
export interface SourceRow {
  /** Byte offset in the function. */
  readonly address: number;
  /** The instruction as nvdisasm prints it. */
  readonly sass: string;
  /** Registers live after it; null where that is not known. */
  readonly live: number | null;
  /** Warp-cycles. */
  readonly cycles: number;
  /** Times a warp issued it. */
  readonly issues: number;
  /** Warp-cycles by reason. */
  readonly reasons: Readonly<Partial<Record<string, number>>>;
  /** Lines that it came from, from 1; null: from none. */
  readonly ptxLine: number | null;
  /** Line of the CUDA C++ that it came from, from 1; null: from none. */
  readonly cudaLine: number | null;
}

/** How a source page is shown. */
export interface SourceOptions {
  /** Title above it. */
  readonly title: string;
  /** The PTX's text; left out, its column is. */
  readonly ptx?: string;
  /** The CUDA C++. */
  readonly cuda?: string;
  /** What reasons mean, for the pointer. */
  readonly reasonTexts?: Readonly<Record<string, string>>;
  /** CSS pixels before columns scroll. Default 480. */
  readonly height?: number;
  /** Lines of the text in terminals. Default 12. */
  readonly top?: number;
}

const percent = (x: number): string => `${(100 * x).toFixed(1)} %`;
/** Of heat as a share of the hottest. */
const heat = (share: number): string =>
  share === 0 ? "" : `background:rgba(224,96,31,${(0.08 + 0.62 * Math.sqrt(share)).toFixed(2)})`;

/** The reasons that take most, after those of which a warp is not to blame: issuing itself. */
function worst(reasons: SourceRow["reasons"], count: number): readonly (readonly [string, number])[] {
  return Object.entries(reasons)
    .flatMap(([name, n]) => (name !== "selected" && n !== undefined && n > 0 ? [[name, n] as const] : []))
    .sort((a, b) => b[1] - a[1])
    .slice(0, count);
}

/** Reasons that have a column of their own. */
const REASON_COLUMNS = 6;
/** Lines of each source among the totals. */
const TOP_LINES = 5;

/** Warp-cycles by reason over all rows, the greatest first. */
function reasonTotals(rows: readonly SourceRow[]): readonly (readonly [string, number])[] {
  const [sums] = [...totalsBy(rows, () => 0).values()];
  return Object.entries(sums?.reasons ?? {})
    .filter(([, n]) => n > 0)
    .sort((a, b) => b[1] - a[1]);
}

/** Names the lines of one text in the page: the rules that light them up use it. */
type Kind = "c" | "p";

interface Totals {
  readonly cycles: number;
  readonly reasons: Readonly<Record<string, number>>;
}

function totalsBy(rows: readonly SourceRow[], line: (r: SourceRow) => number | null): ReadonlyMap<number, Totals> {
  const totals = new Map<number, { cycles: number; reasons: Record<string, number> }>();
  for (const row of rows) {
    const at = line(row);
    if (at === null) continue;
    const sum = totals.get(at) ?? { cycles: 0, reasons: {} };
    sum.cycles += row.cycles;
    for (const [name, n] of Object.entries(row.reasons)) sum.reasons[name] = (sum.reasons[name] ?? 0) + (n ?? 0);
    totals.set(at, sum);
  }
  return totals;
}

/** The instructions beside their sources, with heat by what warps spent there. */
export function sourcePage(rows: readonly SourceRow[], options: SourceOptions): HtmlView {
  const { title, ptx, cuda, height = 480 } = options;
  const all = Math.max(
    1,
    rows.reduce((n, r) => n + r.cycles, 0),
  );
  const hottest = Math.max(1, ...rows.map((r) => r.cycles));
  const reasons = reasonTotals(rows);
  const waits = reasons.flatMap(([name]) => (name === "selected" ? [] : [name])).slice(0, REASON_COLUMNS);
  const columns: string[] = [];
  const rules: string[] = [];
  const sums = [reasonTable(reasons, options)];
  for (const [kind, name, text] of [
    ["c", "CUDA", cuda],
    ["p", "PTX", ptx],
  ] as const) {
    if (text === undefined) continue;
    const totals = totalsBy(rows, (r) => (kind === "c" ? r.cudaLine : r.ptxLine));
    columns.push(column(name, linesOf(kind, text, totals, all, options), height));
    for (const line of totals.keys()) rules.push(lit(`${kind}${line}`));
    sums.push(lineTable(name, kind, text, totals, all));
  }
  const code = rows.map((r) => codeRow(r, { hottest, all, waits }, options));
  columns.push(column("SASS", [headRow(waits, options), ...code], height));
  const style = `<style>.ptxlab-source tr:hover{outline:1px solid currentColor}\n${rules.join("\n")}</style>`;
  // The code needs room for its columns.
  const grid = element(
    "div",
    `display:grid;gap:8px;grid-template-columns:${"minmax(0,1fr) ".repeat(columns.length - 1)}minmax(0,1.6fr)`,
    columns.join(""),
  );
  const totals = element("div", "display:flex;flex-wrap:wrap;gap:6px 28px;padding-bottom:8px", sums.join(""));
  const note = element(
    "div",
    "opacity:.7;font-size:90%;padding:4px 0",
    "cycles: warp-cycles of the blocks that were played back, and their share; under a reason: the share of the instruction's warp-cycles (%). Heat: share of the hottest instruction's warp-cycles (of all for lines). live: registers in use after the instruction.",
  );
  const page = element("div", "", totals + grid, 'class="ptxlab-source"');
  return htmlView(heading(title) + style + page + note, textOf(rows, all, options));
}

/** Everything of a line lights up while the pointer is on any of it. */
const lit = (name: string): string =>
  `.ptxlab-source:has(.${name}:hover) .${name}{box-shadow:inset 3px 0 #3b66c4;background-color:rgba(59,102,196,.25)}`;

function column(name: string, rows: readonly string[], height: number): string {
  const grid = `<table style="border-collapse:collapse;${escapeHtml(monospace)};margin:0;width:100%"><tbody>${rows.join("")}</tbody></table>`;
  const box = element("div", `max-height:${height}px;overflow:auto;border:${border};border-radius:4px`, grid);
  return element("div", "min-width:0", element("div", "font-weight:600;padding:2px 0", name) + box);
}

const td = (content: string, style = "", more = ""): string =>
  element("td", `padding:0 6px;white-space:pre;text-align:left;${style}`, escapeHtml(content), more);
const RIGHT = "text-align:right";

function linesOf(
  kind: Kind,
  text: string,
  totals: ReadonlyMap<number, Totals>,
  all: number,
  options: SourceOptions,
): string[] {
  return text.split("\n").map((line, i) => {
    const sum = totals.get(i + 1);
    const share = sum === undefined ? 0 : sum.cycles / all;
    const cells = [
      td(String(i + 1), `${RIGHT};opacity:.6`),
      td(sum === undefined ? "" : percent(share), `${RIGHT};${heat(share)}`, hover(sum?.reasons ?? {}, options)),
      td(line.replaceAll("\t", "  ")),
    ];
    return element("tr", "", cells.join(""), sum === undefined ? "" : `class="${kind}${i + 1}"`);
  });
}

function headRow(waits: readonly string[], { reasonTexts = {} }: SourceOptions): string {
  const th = (name: string, more = ""): string =>
    element("th", `padding:0 6px;text-align:left;vertical-align:bottom;border-bottom:${border}`, name, more);
  // A name of two words in two lines keeps the column narrow.
  const reasons = waits.map((name) =>
    th(escapeHtml(name).replace(/[ _]/g, "<br>"), `title="${escapeHtml(reasonTexts[name] ?? name)}"`),
  );
  return element(
    "tr",
    "",
    ["address", "SASS", "live", "cycles", ""].map((name) => th(name)).join("") + reasons.join(""),
  );
}

/** Warp-cycles by reason, with what it means. */
function reasonTable(reasons: readonly (readonly [string, number])[], { reasonTexts = {} }: SourceOptions): string {
  const all = Math.max(
    1,
    reasons.reduce((n, r) => n + r[1], 0),
  );
  const rows = reasons.map(([name, n]) => {
    const cells = [
      td(percent(n / all), `${RIGHT};${name === "selected" ? "" : heat(n / all)}`),
      td(name === "selected" ? "issues" : name),
      td(reasonTexts[name] ?? "", "opacity:.7;white-space:normal;max-width:44ch"),
    ];
    return element("tr", "", cells.join(""));
  });
  return totalsTable("Warp-cycles by reason", rows);
}

/** What belongs to lines of a source in all, and its hottest lines. */
function lineTable(name: string, kind: Kind, text: string, totals: ReadonlyMap<number, Totals>, all: number): string {
  const lines = text.split("\n");
  const told = [...totals].reduce((n, [, t]) => n + t.cycles, 0);
  const top = [...totals].filter(([, t]) => t.cycles > 0).sort((a, b) => b[1].cycles - a[1].cycles || a[0] - b[0]);
  const rows = top.slice(0, TOP_LINES).map(([line, t]) => {
    const code = (lines[line - 1] ?? "").trim();
    const cells = [
      td(percent(t.cycles / all), `${RIGHT};${heat(t.cycles / all)}`),
      td(String(line), `${RIGHT};opacity:.6`),
      td(code.length > 60 ? `${code.slice(0, 59)}…` : code),
    ];
    return element("tr", "", cells.join(""), `class="${kind}${line}"`);
  });
  const without = told < all ? `, ${percent((all - told) / all)} without a line` : "";
  return totalsTable(`${name}: ${percent(told / all)} in ${totals.size} lines${without}`, rows);
}

const totalsTable = (title: string, rows: readonly string[]): string =>
  element(
    "div",
    "",
    element("div", "font-weight:600;padding:2px 0", escapeHtml(title)) +
      `<table style="border-collapse:collapse;${escapeHtml(monospace)};margin:0"><tbody>${rows.join("")}</tbody></table>`,
  );

/** What warps wait for, in words, under the pointer. */
function hover(reasons: SourceRow["reasons"], { reasonTexts = {} }: SourceOptions): string {
  const words = worst(reasons, 4).map(
    ([name, n]) => `${name} ${n}${reasonTexts[name] ? ` (${reasonTexts[name]})` : ""}`,
  );
  return words.length === 0 ? "" : `title="${escapeHtml(words.join("\n"))}"`;
}

/** What heat is a share of, and the reasons that have columns. */
interface Scale {
  readonly hottest: number;
  readonly all: number;
  readonly waits: readonly string[];
}

function codeRow(r: SourceRow, { hottest, all, waits }: Scale, options: SourceOptions): string {
  const names = [r.cudaLine === null ? "" : `c${r.cudaLine}`, r.ptxLine === null ? "" : `p${r.ptxLine}`];
  const cells = [
    td(r.address.toString(16).padStart(4, "0"), `${RIGHT};opacity:.6`),
    td(r.sass),
    td(r.live === null ? "" : String(r.live), RIGHT),
    td(
      r.issues === 0 ? "" : r.cycles.toLocaleString("en-US"),
      `${RIGHT};${heat(r.cycles / hottest)}`,
      hover(r.reasons, options),
    ),
    td(r.issues === 0 ? "not run" : percent(r.cycles / all), `${RIGHT}${r.issues === 0 ? ";opacity:.5" : ""}`),
    ...waits.map((name) => {
      const n = r.reasons[name] ?? 0;
      const text = n === 0 ? "" : String(Math.round((100 * n) / Math.max(1, r.cycles)));
      return td(text, `${RIGHT};${heat(n / hottest)}`, n === 0 ? "" : hover({ [name]: n }, options));
    }),
  ];
  return element("tr", "", cells.join(""), `class="${names.filter((n) => n !== "").join(" ")}"`);
}

function textOf(rows: readonly SourceRow[], all: number, { title, top = 12 }: SourceOptions): string {
  const most = [...rows].sort((a, b) => b.cycles - a.cycles || a.address - b.address).slice(0, top);
  const cells = most.map((r) => [
    percent(r.cycles / all),
    r.address.toString(16).padStart(4, "0"),
    r.sass,
    r.ptxLine === null ? "" : `PTX ${r.ptxLine}`,
    worst(r.reasons, 2)
      .map(([name]) => name)
      .join(", "),
  ]);
  return [title, alignColumns(cells, [true, true, false, false, false])].join("\n");
}
