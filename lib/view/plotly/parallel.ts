/** Rows of a sweep as lines over parallel axes, one axis for each column: which settings lead where. */
import type { VegaLiteSpec } from "../render.js";
import type { Row } from "../table.js";
import { faint, ink } from "../theme.js";
import { type LiveFigure, liveFigure, packed } from "./figure.js";

/** How parallel coordinates are shown. */
export interface ParallelOptions {
  /** Title above the axes. */
  readonly title?: string;
  /** Columns in the order of the axes. Default: those of the first row. */
  readonly columns?: readonly string[];
  /** Column of numbers that gives the lines their colours. Default: the last of numbers. */
  readonly color?: string;
}

/** A column: numbers on their own axis, or words at equal distances. */
interface Axis {
  readonly name: string;
  readonly words: readonly string[] | null;
  /** Position of each row's value: the number, or the index of the word. */
  readonly at: readonly number[];
  readonly low: number;
  readonly high: number;
}

const isShown = (v: unknown): v is string | number | boolean =>
  typeof v === "string" || typeof v === "boolean" || (typeof v === "number" && Number.isFinite(v));

function axisOf(name: string, rows: readonly Row[]): Axis {
  const cells = rows.map((r) => r[name]);
  if (cells.every((c) => typeof c === "number")) {
    const at = cells as readonly number[];
    const low = at.reduce((a, b) => Math.min(a, b), Infinity);
    const high = at.reduce((a, b) => Math.max(a, b), -Infinity);
    return { name, words: null, at, low, high };
  }
  const words = [...new Set(cells.map(String))].sort((a, b) => (a < b ? -1 : 1));
  return { name, words, at: cells.map((c) => words.indexOf(String(c))), low: 0, high: words.length - 1 };
}

/** Colours from the least to the largest number. */
const scale: readonly (readonly [number, string])[] = [
  [0, "#2a9d8f"],
  [0.5, "#c9a400"],
  [1, "#c0392b"],
];
/** Height of the picture's axes and their distance, CSS pixels; lines that it holds at most. */
const SIZE = { height: 280, apart: 130, lines: 1500 };

/** Place along the axis, from 0 to 1. One value alone is in the middle. */
const share = ({ low, high }: Axis, at: number): number => (high > low ? (at - low) / (high - low) : 0.5);
const shown = (n: number): string => String(Number(n.toPrecision(3)));

/** Lines over parallel axes: dragging along an axis keeps the rows that cross it there, axes can be moved. Rows without a value on an axis are left out. */
export function parallelCoordinates(all: readonly Row[], options: ParallelOptions = {}): LiveFigure {
  const columns = options.columns ?? Object.keys(all[0] ?? {});
  const asked = options.color === undefined ? columns : [...columns, options.color];
  const rows = all.filter((r) => asked.every((c) => isShown(r[c])));
  const axes = columns.map((c) => axisOf(c, rows));
  const colored = options.color === undefined ? axes.findLast((a) => a.words === null) : axisOf(options.color, rows);
  const data = [
    {
      type: "parcoords",
      dimensions: axes.map((a) => ({
        label: a.name,
        values: packed("f8", a.at),
        ...(a.words !== null && { tickvals: a.words.map((_, i) => i), ticktext: a.words }),
      })),
      line:
        colored === undefined
          ? { color: scale[0]![1] }
          : {
              color: packed("f8", colored.at),
              colorscale: scale,
              cmin: colored.low,
              cmax: colored.high,
              showscale: true,
              colorbar: { title: { text: colored.name } },
            },
    },
  ];
  const title = options.title ?? "Settings and what came of them";
  const left = all.length - rows.length;
  const text = `${rows.length} rows over ${columns.join(", ")}${left > 0 ? `; ${left} without a value on some axis are left out` : ""}`;
  const layout = { height: 440, margin: { l: 80, r: 60, t: 100, b: 40 } };
  // Crossing lines of many colours hardly compress: one pixel per unit is enough beside the figure.
  return liveFigure(title, { data, layout }, pictureOf(title, axes, colored ?? null, text), text, 1);
}

/** Evenly taken from all, with the least and the largest of the colour among them. */
function some(count: number, colored: Axis | null): readonly number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  if (colored !== null) order.sort((a, b) => colored.at[a]! - colored.at[b]! || a - b);
  if (count <= SIZE.lines) return order;
  return Array.from({ length: SIZE.lines }, (_, k) => order[Math.round((k * (count - 1)) / (SIZE.lines - 1))]!);
}

function pictureOf(title: string, axes: readonly Axis[], colored: Axis | null, text: string): VegaLiteSpec {
  const names = axes.map((a) => a.name);
  const count = axes[0]?.at.length ?? 0;
  const taken = some(count, colored);
  // The least last, above the others.
  const lines = [...taken]
    .reverse()
    .flatMap((row, rank) =>
      axes.map((a) => ({ rank, axis: a.name, y: share(a, a.at[row]!), color: colored?.at[row] ?? 0 })),
    );
  const labels = axes.flatMap((a) =>
    a.words === null
      ? [...new Set([a.low, (a.low + a.high) / 2, a.high])].map((v) => ({
          axis: a.name,
          y: share(a, v),
          label: shown(v),
        }))
      : a.words.map((word, i) => ({ axis: a.name, y: share(a, i), label: word })),
  );
  const x = { field: "axis", type: "nominal", sort: names, title: null };
  const y = { field: "y", type: "quantitative", axis: null, scale: { domain: [0, 1] } };
  const drawn = taken.length < count ? `; ${taken.length} of them drawn` : "";
  return {
    title: { text: title, subtitle: text + drawn },
    width: { step: SIZE.apart },
    height: SIZE.height,
    layer: [
      {
        data: { values: lines },
        mark: { type: "line", strokeWidth: 1, opacity: 0.45 },
        encoding: {
          x: {
            ...x,
            axis: {
              orient: "top",
              labelAngle: 0,
              labelFontWeight: "bold",
              labelLimit: SIZE.apart,
              labelPadding: 12,
              domain: false,
              ticks: false,
              grid: false,
            },
          },
          y,
          detail: { field: "rank" },
          ...(colored !== null && {
            color: {
              field: "color",
              type: "quantitative",
              scale: { domain: [colored.low, colored.high], range: scale.map(([, c]) => c) },
              legend: { title: colored.name, orient: "right", titleFontWeight: "normal" },
            },
          }),
        },
      },
      { data: { values: names.map((axis) => ({ axis })) }, mark: { type: "rule", color: faint }, encoding: { x } },
      // Outside of the first axis, beside the others, as far as the next one.
      ...[names.slice(0, 1), names.slice(1)].map((of, k) => ({
        data: { values: labels.filter((l) => of.includes(l.axis)) },
        mark: {
          type: "text",
          ...(k === 0
            ? { align: "right", dx: -5, limit: 2 * SIZE.apart }
            : { align: "left", dx: 5, limit: SIZE.apart - 10 }),
          fontSize: 10,
          color: ink,
        },
        encoding: { x, y, text: { field: "label" } },
      })),
    ],
  };
}
