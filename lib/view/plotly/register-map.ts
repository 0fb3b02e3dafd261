/**
 * Physical registers over program points, as each attempt of the allocator left them: which value stands where, and how often
 * it is accessed. What is pale and long is what a spill would take; what found no register lies over the file's last one.
 */
import { compactData } from "../chart.js";
import type { VegaLiteSpec } from "../render.js";
import { axis, type LiveFigure, liveFigure, type PackedNumbers, packed } from "./figure.js";

/** A stretch of program points for which a value has a register. Two points per instruction: it reads at 2i, writes at 2i + 1. */
export interface RegisterUse {
  /** The value's number in the IR's text: 12 for `%12`. */
  readonly value: number;
  /** Physical register, −1: the attempt found none. */
  readonly register: number;
  /** First program point. */
  readonly from: number;
  /** Last program point. */
  readonly to: number;
  /** Operands that mention the value, weighted by how often their blocks run. */
  readonly accesses: number;
}

/** An attempt to give all values of a register file a register. */
export interface AllocationAttempt {
  /** What it is called: `round 0, attempt 1: 3 values without a register`. */
  readonly name: string;
  /** Program points of the function, two per instruction. */
  readonly points: number;
  /** Registers that may be used. */
  readonly registers: number;
  /** Every stretch of every register. */
  readonly uses: readonly RegisterUse[];
}

/** How register maps are shown. */
export interface RegisterMapOptions {
  /** Title above the map. Default "Registers over program points". */
  readonly title?: string;
  /** Register file, for the rows' names. Default `R`. */
  readonly file?: string;
  /** Attempts kept; first, last and some between when there are more. Default 12. */
  readonly maxAttempts?: number;
  /** Cells of all maps together; where there are more, columns that stand for several points. Default 100,000. */
  readonly maxCells?: number;
}

/** Rows of an attempt: registers up to the highest in use, then what has none, in as few rows as it needs. */
interface Rows {
  readonly attempt: AllocationAttempt;
  readonly inUse: number;
  readonly count: number;
  /** Row of each use. */
  readonly of: readonly number[];
}

function rowsOf(attempt: AllocationAttempt): Rows {
  const inUse = attempt.uses.reduce((n, u) => Math.max(n, u.register + 1), 1);
  const ends: number[] = [];
  const homeless = attempt.uses.map((u, k) => ({ u, k })).filter(({ u }) => u.register < 0);
  const of = attempt.uses.map((u) => u.register);
  for (const { u, k } of homeless.sort((a, b) => a.u.from - b.u.from || a.k - b.k)) {
    const free = ends.findIndex((end) => end < u.from);
    const row = free < 0 ? ends.length : free;
    ends[row] = u.to;
    of[k] = inUse + row;
  }
  return { attempt, inUse, count: inUse + ends.length, of };
}

/** First points of columns: those at which something begins, or the one after something ends; fewer where there are too many. */
function columnsOf({ points, uses }: AllocationAttempt, most: number): number[] {
  const all = new Set([0]);
  for (const { from, to } of uses) for (const p of [from, to + 1]) if (p < points) all.add(p);
  const starts = [...all].sort((a, b) => a - b);
  if (starts.length <= most) return starts;
  const step = points / most;
  return Array.from({ length: most }, (_, k) => Math.floor(k * step));
}

const heatOf = (accesses: number): number => Math.log10(Math.max(1, accesses));

interface Map {
  readonly z: PackedNumbers;
  readonly values: PackedNumbers;
  readonly edges: PackedNumbers;
}

function mapOf({ attempt, count, of }: Rows, maxCells: number): Map {
  const starts = columnsOf(attempt, Math.max(1, Math.floor(maxCells / count)));
  const columns = starts.length;
  const z = new Float32Array(count * columns).fill(Number.NaN);
  const values = new Int32Array(count * columns).fill(-1);
  attempt.uses.forEach((u, k) => {
    const first = Math.max(
      0,
      starts.findLastIndex((s) => s <= u.from),
    );
    for (let c = first; c < columns && starts[c]! <= u.to; c++) {
      z[of[k]! * columns + c] = heatOf(u.accesses);
      values[of[k]! * columns + c] = u.value;
    }
  });
  return {
    z: packed("f4", z, columns),
    values: packed("i4", values, columns),
    edges: packed("i4", [...starts, attempt.points]),
  };
}

/** The first, the last, and some between. */
function kept<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, k) => all[Math.round((k * (all.length - 1)) / Math.max(1, most - 1))]!);
}

/** Colours by the number of accesses: pale is seldom. */
const scale: readonly (readonly [number, string])[] = [
  [0, "#dfe8f6"],
  [0.35, "#7f9bd6"],
  [0.7, "#8a5fb5"],
  [1, "#c0392b"],
];

const rowName = (file: string, row: number, inUse: number): string => (row < inUse ? `${file}${row}` : "none");

/** Names for some of the rows. */
function ticks(file: string, { inUse, count }: Rows): { readonly at: number[]; readonly names: string[] } {
  const step = Math.max(1, Math.ceil(inUse / 16));
  const at = Array.from({ length: Math.ceil(inUse / step) }, (_, k) => k * step);
  if (count > inUse) at.push(inUse + (count - inUse - 1) / 2);
  return { at, names: at.map((row) => rowName(file, Math.ceil(row), inUse)) };
}

/** Names of attempts are long: only the one that is shown stands over the slider. */
const slider = {
  pad: { t: 48 },
  font: { color: "rgba(0,0,0,0)" },
  ticklen: 0,
  minorticklen: 0,
  currentvalue: { font: { color: "#444444" } },
};

/** Width and height of a row in the picture, pixels. */
const WIDTH = 700;
const ROW = { few: 12, many: 5, more: 24 };
/** Attempts in the picture: the first and the last. */
const PANELS = 2;

function panel(rows: Rows, file: string, hottest: number): VegaLiteSpec {
  const { attempt, count, of, inUse } = rows;
  const { at, names } = ticks(file, rows);
  const labels = `{${at.map((row, k) => `'${row}':'${names[k]}'`).join(",")}}[datum.value]`;
  const y = { type: "quantitative", scale: { domain: [-0.5, count - 0.5], nice: false, zero: false } };
  const boxes = attempt.uses.map((u, k) => ({
    from: u.from,
    to: u.to + 1,
    low: of[k]! - 0.45,
    high: of[k]! + 0.45,
    heat: Math.round(100 * heatOf(u.accesses)) / 100,
  }));
  return {
    title: { text: attempt.name, fontSize: 11, fontWeight: "normal" },
    width: WIDTH,
    height: count * (count > ROW.more ? ROW.many : ROW.few),
    layer: [
      {
        data: compactData(boxes),
        mark: "rect",
        encoding: {
          x: { field: "from", type: "quantitative", title: "program point", scale: { domain: [0, attempt.points] } },
          x2: { field: "to" },
          y: { field: "low", ...y, title: null, axis: { values: at, labelExpr: labels, grid: false } },
          y2: { field: "high" },
          color: {
            field: "heat",
            type: "quantitative",
            scale: { domain: [0, hottest], range: scale.map(([, c]) => c) },
            legend: { title: "accesses, weighted (log10)", titleFontWeight: "normal", titleLimit: 0 },
          },
        },
      },
      ...(count > inUse
        ? [
            {
              data: { values: [{ at: inUse - 0.5 }] },
              mark: { type: "rule", strokeDash: [4, 3], color: "#c0392b" },
              encoding: { y: { field: "at", ...y } },
            },
          ]
        : []),
    ],
  };
}

/** A heat map for every attempt, a slider over them; the picture shows the first and the last. */
export function registerMap(all: readonly AllocationAttempt[], options: RegisterMapOptions = {}): LiveFigure {
  const file = options.file ?? "R";
  const shown = kept(all, options.maxAttempts ?? 12).map(rowsOf);
  const hottest = shown.reduce(
    (most, { attempt }) => attempt.uses.reduce((n, u) => Math.max(n, Math.ceil(heatOf(u.accesses))), most),
    1,
  );
  const decades = Array.from({ length: hottest + 1 }, (_, k) => k);
  const cells = (options.maxCells ?? 100_000) / Math.max(1, shown.length);
  const data = shown.map((rows, k) => {
    const { z, values, edges } = mapOf(rows, cells);
    return {
      type: "heatmap",
      name: rows.attempt.name,
      visible: k === shown.length - 1,
      x: edges,
      z,
      customdata: values,
      zmin: 0,
      zmax: hottest,
      colorscale: scale,
      hoverongaps: false,
      hovertemplate: `point %{x}, %{y}: value %%{customdata}<extra></extra>`,
      colorbar: {
        title: { text: "accesses, weighted" },
        tickvals: decades,
        ticktext: decades.map((d) => String(10 ** d)),
      },
    };
  });
  const yAxis = (rows: Rows): Readonly<Record<string, unknown>> => {
    const { at, names } = ticks(file, rows);
    return { tickvals: at, ticktext: names, range: [-0.5, rows.count - 0.5] };
  };
  const line = ({ inUse, count }: Rows): readonly unknown[] =>
    count > inUse
      ? [
          {
            type: "line",
            xref: "paper",
            x0: 0,
            x1: 1,
            y0: inUse - 0.5,
            y1: inUse - 0.5,
            line: { dash: "dash", color: "#c0392b" },
          },
        ]
      : [];
  const steps = shown.map((rows, k) => {
    const visible = shown.map((_, i) => i === k);
    const { tickvals, ticktext, range } = yAxis(rows);
    const axes = { "yaxis.tickvals": tickvals, "yaxis.ticktext": ticktext, "yaxis.range": range, shapes: line(rows) };
    return { label: rows.attempt.name, method: "update", args: [{ visible }, axes] };
  });
  const last = shown.at(-1);
  const layout = {
    height: 560,
    xaxis: axis("program point (an instruction reads at an even one, writes at the next)"),
    yaxis: axis("physical register", last === undefined ? {} : yAxis(last)),
    shapes: last === undefined ? [] : line(last),
    ...(steps.length > 1 && { sliders: [{ ...slider, active: steps.length - 1, steps }] }),
  };
  const panels = kept(shown, PANELS).map((rows) => panel(rows, file, hottest));
  const left = all.length > shown.length ? ` (${shown.length} of ${all.length} attempts)` : "";
  const text = all.length === 0 ? "no attempt" : `${all.map((a) => a.name).join("; ")}${left}`;
  return liveFigure(options.title ?? "Registers over program points", { data, layout }, { vconcat: panels }, text);
}
