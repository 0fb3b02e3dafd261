/** How results of sweeps and searches show themselves in notebooks: a sentence and a table, not field by field. */
import { counted, shownAs } from "../inspect.js";
import { type HtmlView, type Row as TableRow, table } from "../view/index.js";
import { movesText } from "./moves.js";
import { scoreOf } from "./objective.js";
import type { SearchResult } from "./search.js";
import type { SweepResult } from "./sweep.js";
import type { Row } from "./types.js";

/** Rows shown; a sweep may have a hundred thousand. */
const MOST = 40;

/** What a row may say, by column; a column that says the same in every row of many is left out. */
const columns: readonly (readonly [name: string, of: (r: Row) => string | number | null])[] = [
  ["input", (r) => r.input],
  ["target", (r) => r.target],
  ["level", (r) => (r.level === null ? null : `-O${r.level}`)],
  ["register limit", (r) => r.maxRegisters],
  ["knobs", (r) => (r.knobs === "{}" ? null : r.knobs)],
  ["order", (r) => (r.level === null ? movesText(JSON.parse(r.moves)) : null)],
  ["outcome", (r) => r.outcome.split("\n")[0]!],
  ["results", (r) => r.results],
  ["hazards", (r) => r.hazards],
  ["instructions", (r) => r.instructions],
  ["registers", (r) => r.registers],
  ["spill code (bytes)", (r) => r.spillBytes],
  ["cycles (model)", (r) => r.cycles],
  ["median (us)", (r) => r.median],
  ["ratio to the base", (r) => r.ratio],
];

function rowTable(rows: readonly Row[], title: string): HtmlView {
  const told = columns.filter(([name, of]) => {
    const values = new Set(rows.map(of));
    return name === "outcome" || (values.size > 1 && rows.length > 1) || (rows.length === 1 && !values.has(null));
  });
  const cells = rows.slice(0, MOST).map((r) => Object.fromEntries(told.map(([name, of]) => [name, of(r)])) as TableRow);
  const more = rows.length > MOST ? `; the first ${MOST}` : "";
  return table(cells, { title: `${title}${more}`, columns: told.map(([name]) => name), maxRows: MOST });
}

const shown = <T extends object>(value: T, headline: (v: T) => string, rows: (v: T) => readonly Row[]): T =>
  shownAs(
    value,
    (v) => rowTable(rows(v), headline(v)).text.trimEnd(),
    (v) => `[${headline(v)}]`,
    (v) => {
      const { html, text } = rowTable(rows(v), headline(v));
      return { "text/html": html, "text/plain": text };
    },
  );

/** Rows by themselves. */
export const shownRows = (rows: readonly Row[]): readonly Row[] =>
  shown(
    rows,
    (r) => counted(r.length, "row"),
    (r) => r,
  );

export const shownSweep = (result: SweepResult): SweepResult =>
  shown(
    { ...result, rows: shownRows(result.rows) },
    ({ rows, resumed, complete }) => {
      const ok = rows.filter((r) => r.outcome === "ok").length;
      const known = resumed > 0 ? `, ${resumed} known before` : "";
      return `Sweep: ${counted(rows.length, "row")}, ${ok} ok${known}${complete ? "" : ", not complete"}`;
    },
    (r) => r.rows,
  );

/** The best first. */
export const shownSearch = (result: SearchResult): SearchResult =>
  shown(
    { ...result, rows: shownRows(result.rows) },
    ({ start, best, rows }) => `Search: ${scoreOf(start)} → ${scoreOf(best)}, ${counted(rows.length, "order")} tried`,
    ({ rows }) => [...rows].sort((a, b) => (scoreOf(a) ?? Infinity) - (scoreOf(b) ?? Infinity)),
  );
