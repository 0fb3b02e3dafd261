/** Bars with their numbers: instruction mix, times of stages. */
import { type Chart, chart } from "./chart.js";
import { faint, palette } from "./theme.js";

export interface MixEntry {
  /** Opcode, or any other name of a group of instructions. */
  readonly name: string;
  /** Instructions of the class. */
  readonly count: number;
  /** Class that colours the bar: `memory`, `float`, `integer`, `control` … */
  readonly group?: string;
}

export interface MixOptions {
  /** Title above the chart. */
  readonly title?: string;
  /** Bars shown; the rest is summed up as `other`. Default 20. */
  readonly top?: number;
  /** Unit of the counts. Default `instructions`. */
  readonly unit?: string;
}

const BAR_HEIGHT = 19;

/** How often each opcode occurs (or is executed), most frequent first. */
export function mixChart(entries: readonly MixEntry[], options: MixOptions = {}): Chart {
  const { top = 20, unit = "instructions" } = options;
  const sorted = [...entries].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  const total = sorted.reduce((n, e) => n + e.count, 0);
  const rest = sorted.slice(top).reduce((n, e) => n + e.count, 0);
  const shown = [
    ...sorted.slice(0, top),
    ...(rest > 0 ? [{ name: "other", count: rest, group: entries.some((e) => e.group) ? "other" : "" }] : []),
  ];
  const share = (n: number): string =>
    `${n.toLocaleString("en-US")} (${((100 * n) / Math.max(1, total)).toFixed(1)} %)`;
  const values = shown.map((e) => ({ name: e.name, count: e.count, group: e.group ?? "", label: share(e.count) }));
  const groups = [...new Set(values.map((v) => v.group))];
  const most = Math.max(1, ...shown.map((e) => e.count));
  const x = { field: "count", type: "quantitative", axis: null, scale: { domain: [0, most * 1.25] } };
  const y = {
    field: "name",
    type: "nominal",
    sort: null,
    title: null,
    axis: { domain: false, ticks: false, labelFont: "monospace" },
  };
  const color = {
    field: "group",
    type: "nominal",
    scale: { domain: groups, range: palette },
    ...(groups.length > 1 ? {} : { legend: null }),
  };
  const title = { text: options.title ?? "Instruction mix", subtitle: `${total.toLocaleString("en-US")} ${unit}` };
  return chart(
    {
      title,
      width: 480,
      height: { step: BAR_HEIGHT },
      data: { values },
      layer: [
        {
          mark: { type: "bar", cornerRadiusEnd: 2 },
          encoding: { x, y, color, tooltip: [{ field: "name" }, { field: "count" }] },
        },
        {
          mark: { type: "text", align: "left", dx: 4, fontSize: 11, color: faint },
          encoding: { x, y, text: { field: "label" } },
        },
      ],
    },
    `${total} ${unit}: ${sorted
      .slice(0, 6)
      .map((e) => `${e.name} ${e.count}`)
      .join(", ")}${sorted.length > 6 ? ", …" : ""}`,
  );
}

export interface StageTime {
  /** Name of the stage. */
  readonly stage: string;
  /** Milliseconds. */
  readonly ms: number;
  /** Whose time it is, when several are compared. */
  readonly series?: string;
}

/** Time per stage in the order given; series side by side when there are several. */
export function timesChart(
  times: readonly StageTime[],
  options: {
    /** Title above the chart. */
    readonly title?: string;
  } = {},
): Chart {
  const series = [...new Set(times.map((t) => t.series ?? ""))];
  const digits = (ms: number): string => (ms >= 10 ? ms.toFixed(1) : ms.toFixed(2));
  const values = times.map((t) => ({ stage: t.stage, ms: t.ms, series: t.series ?? "", label: `${digits(t.ms)} ms` }));
  const longest = Math.max(1e-9, ...times.map((t) => t.ms));
  const totals = series.map((s) => {
    const sum = times.filter((t) => (t.series ?? "") === s).reduce((n, t) => n + t.ms, 0);
    return `${s === "" ? "" : `${s} `}${digits(sum)} ms`;
  });
  const x = { field: "ms", type: "quantitative", axis: null, scale: { domain: [0, longest * 1.2] } };
  const y = { field: "stage", type: "nominal", sort: null, title: null, axis: { domain: false, ticks: false } };
  const color = {
    field: "series",
    type: "nominal",
    scale: { domain: series, range: palette },
    ...(series.length > 1 ? {} : { legend: null }),
  };
  const offset = series.length > 1 ? { yOffset: { field: "series", sort: series } } : {};
  const text = { type: "text", align: "left", dx: 4, fontSize: 11, color: faint };
  return chart(
    {
      title: { text: options.title ?? "Time per stage", subtitle: totals.join(" · ") },
      width: 480,
      height: { step: series.length > 1 ? 14 : BAR_HEIGHT },
      data: { values },
      layer: [
        { mark: { type: "bar", cornerRadiusEnd: 2 }, encoding: { x, y, color, ...offset } },
        { mark: text, encoding: { x, y, text: { field: "label" }, ...offset } },
      ],
    },
    `${totals.join("; ")}: ${times.map((t) => `${t.series ? `${t.series} ` : ""}${t.stage} ${digits(t.ms)} ms`).join(", ")}`,
  );
}
