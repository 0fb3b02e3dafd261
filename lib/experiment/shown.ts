/** How results of sweeps and searches show themselves in notebooks: a sentence and a table, not field by field. */
import { counted, shownAs } from "../inspect.js";
import { type HtmlView, type Row as TableRow, table } from "../view/index.js";
import { movesText } from "./moves.js";
import { scoreOf } from "./objective.js";
import type { SearchResult } from "./search.js";
import type { Halving, StudyResult, Trial } from "./study.js";
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
  ["knobs that nobody read", (r) => r.knobsNotRead ?? null],
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

const shownBy = <T extends object>(value: T, headline: (v: T) => string, view: (v: T) => HtmlView): T =>
  shownAs(
    value,
    (v) => view(v).text.trimEnd(),
    (v) => `[${headline(v)}]`,
    (v) => {
      const { html, text } = view(v);
      return { "text/html": html, "text/plain": text };
    },
  );

const shown = <T extends object>(value: T, headline: (v: T) => string, rows: (v: T) => readonly Row[]): T =>
  shownBy(value, headline, (v) => rowTable(rows(v), headline(v)));

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

const endings: Readonly<Record<StudyResult["end"], string>> = {
  trials: "all trials made",
  patience: "no better one for long",
  seconds: "its time is spent",
  aborted: "interrupted",
};

const trialRow = ({ number, setting, figures }: Trial): TableRow => {
  const named = (figures ?? []).map((f, i, all) => [all.length === 1 ? "figure" : `figure ${i + 1}`, f] as const);
  return { trial: number, ...Object.fromEntries(named), ...setting };
};

/** What no other trial beats. */
export const shownStudy = (result: StudyResult): StudyResult => {
  const headline = ({ trials, best, resumed, end }: StudyResult): string => {
    const known = resumed > 0 ? `, ${resumed} known before` : "";
    return `Study: ${counted(trials.length, "trial")}${known}; ${endings[end]}; best: ${best.length}`;
  };
  return shownBy(result, headline, (v) => table(v.best.map(trialRow), { title: headline(v), maxRows: MOST }));
};

/** A line for each round. */
export const shownHalving = <C>(result: Halving<C>): Halving<C> => {
  const headline = ({ best, rounds }: Halving<C>): string => {
    const won =
      best === null ? "none could be judged" : `best: ${typeof best === "object" ? JSON.stringify(best) : best}`;
    return `Successive halving: ${counted(rounds.length, "round")}; ${won}`;
  };
  const lines = ({ rounds }: Halving<C>): TableRow[] =>
    rounds.map(({ effort, figures }) => {
      const known = figures.flatMap(({ figure }) => (figure === null ? [] : [figure]));
      return { effort, candidates: figures.length, "best figure": known.length === 0 ? null : Math.min(...known) };
    });
  return shownBy(result, headline, (v) => table(lines(v), { title: headline(v) }));
};
