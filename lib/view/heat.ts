/** A number for every pair of two names: a colour in a grid, and the number itself. */
import { type Chart, chart } from "./chart.js";
import { textWidth } from "./text-width.js";
import { ink } from "./theme.js";

/** A cell of a heat map. */
export interface HeatCell {
  /** Column and row. */
  readonly x: string;
  /** Row of the cell. */
  readonly y: string;
  /** What its colour stands for. */
  readonly value: number;
}

/** How a heat map is shown. */
export interface HeatOptions {
  /** Title above the chart. */
  readonly title: string;
  /** Second line of the title: what an empty cell means, what was left out. */
  readonly subtitle?: string;
  /** Unit of the numbers, over the colours. */
  readonly unit: string;
  /** Names of columns and rows; none by default. */
  readonly xTitle?: string;
  /** Name of the rows. */
  readonly yTitle?: string;
  /** Order of columns and rows. Default: as they come. */
  readonly xs?: readonly string[];
  /** Rows in their order. Default: as they come. */
  readonly ys?: readonly string[];
  /**
   * Changes, below and above 0 (default): the value of the darkest colours, beyond which the colour stays. Default: the largest.
   * `counts`: from pale to dark by the logarithm.
   */
  readonly scale?: number | "counts";
  /** Pixels of a column; default as wide as numbers need. */
  readonly column?: number;
}

/** From here on along the colours white letters are easier to read than dark ones. */
const DARK = 0.6;

/** A typographic minus, at most one digit after the point. */
const shown = (value: number): string => String(Math.round(10 * value) / 10).replace("-", "−");

/** A grid of coloured cells with their numbers. */
export function heatChart(cells: readonly HeatCell[], options: HeatOptions): Chart {
  const xs = options.xs ?? [...new Set(cells.map((c) => c.x))];
  const ys = options.ys ?? [...new Set(cells.map((c) => c.y))];
  const most = Math.max(1e-9, ...cells.map((c) => Math.abs(c.value)));
  const counts = options.scale === "counts";
  const end = typeof options.scale === "number" ? options.scale : most;
  const depth = (v: number): number =>
    counts ? Math.log(Math.max(1, v)) / Math.log(Math.max(2, most)) : Math.abs(v) / end;
  const values = cells.map((c) => ({ ...c, label: shown(c.value), dark: depth(c.value) > DARK }));
  const widest = Math.max(...xs.map((x) => textWidth(x)), 1);
  const column = options.column ?? Math.max(40, ...values.map((v) => textWidth(v.label, { fontSize: 10 }) + 12));
  const unit = !counts && end < most ? `${options.unit}, darkest from ±${shown(end)}` : options.unit;
  const color = counts
    ? { scale: { type: "log", scheme: "greens", domain: [1, Math.max(2, most)] } }
    : { scale: { scheme: "redblue", reverse: true, domainMid: 0, domain: [-end, end], clamp: true } };
  return chart(
    {
      title: { text: options.title, ...(options.subtitle !== undefined && { subtitle: options.subtitle }) },
      width: { step: column },
      height: { step: 22 },
      data: { values },
      encoding: {
        x: {
          field: "x",
          type: "nominal",
          sort: xs,
          title: options.xTitle ?? null,
          axis: { labelAngle: widest > column ? -40 : 0, labelLimit: 300 },
        },
        y: { field: "y", type: "nominal", sort: ys, title: options.yTitle ?? null, axis: { labelLimit: 360 } },
      },
      layer: [
        {
          mark: "rect",
          encoding: {
            color: {
              field: "value",
              type: "quantitative",
              title: unit,
              legend: { title: unit, titleFontWeight: "normal", titleLimit: 0 },
              ...color,
            },
            tooltip: [{ field: "x" }, { field: "y" }, { field: "value", title: options.unit }],
          },
        },
        {
          mark: { type: "text", fontSize: 10 },
          encoding: {
            text: { field: "label" },
            color: { condition: { test: "datum.dark", value: "#ffffff" }, value: ink },
          },
        },
      ],
    },
    `${ys.length} rows, ${xs.length} columns: ${shown(Math.min(...cells.map((c) => c.value)))} to ${shown(Math.max(...cells.map((c) => c.value)))} ${options.unit}`,
  );
}
