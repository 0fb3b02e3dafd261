/** What issues when: a Gantt chart of instructions over cycles, and bars of stall reasons. */
import { type Chart, chart } from "./chart.js";
import { manyColors, palette } from "./theme.js";

/** One instruction in time. */
export interface GanttBar {
  /** Row: a warp, a sub-core, a pipe. */
  readonly lane: string;
  /** Cycle of issue, and of its result (at least one later). */
  readonly start: number;
  /** Where it ends, in cycles. */
  readonly end: number;
  /** Colour. */
  readonly group: string;
  /** Shown on hovering. */
  readonly text: string;
}

/** How bars are shown. */
export interface GanttOptions {
  /** Title above the chart. */
  readonly title?: string;
  /** Title of the rows: `warp`, `pipe`. */
  readonly lanes?: string;
  /** CSS pixels. Default 760. */
  readonly width?: number;
}

/** Bars from issue to result, the issue itself marked. Dragging and the wheel move along the cycles. */
export function ganttChart(bars: readonly GanttBar[], options: GanttOptions = {}): Chart {
  const values = bars.map((b) => ({ ...b, end: Math.max(b.end, b.start + 1) }));
  const groups = [...new Set(values.map((v) => v.group))];
  const lanes = [...new Set(values.map((v) => v.lane))];
  const y = { field: "lane", type: "nominal", sort: lanes, title: options.lanes ?? null, axis: { grid: true } };
  // Rows that have their group's name need no legend.
  const legend = values.every((v) => v.group === v.lane) && { legend: null };
  const scale = { domain: groups, range: groups.length > palette.length ? manyColors : palette };
  const color = { field: "group", type: "nominal", title: null, scale, ...legend };
  const tooltip = [
    { field: "text", title: "instruction" },
    { field: "start", title: "issued" },
    { field: "end", title: "result" },
  ];
  const last = values.reduce((n, v) => Math.max(n, v.end), 0);
  return chart(
    {
      title: options.title ?? "Issue and results",
      width: options.width ?? 760,
      height: { step: lanes.length > 24 ? 10 : 18 },
      data: { values },
      layer: [
        {
          params: [{ name: "zoom", select: { type: "interval", encodings: ["x"] }, bind: "scales" }],
          mark: { type: "bar", opacity: 0.35, height: { band: 0.75 } },
          encoding: {
            x: { field: "start", type: "quantitative", title: "cycle" },
            x2: { field: "end" },
            y,
            color,
            tooltip,
          },
        },
        {
          mark: { type: "tick", thickness: 2 },
          encoding: { x: { field: "start", type: "quantitative" }, y, color, tooltip },
        },
      ],
    },
    `${values.length} instructions in ${lanes.length} rows, cycles 0 to ${last}`,
  );
}

/** Cycles by reason for several codes side by side. */
export interface ReasonRow {
  /** Row of the chart. */
  readonly name: string;
  /** Reason, part of the row's bar. */
  readonly reason: string;
  /** Length of the part, in cycles unless `unit` says otherwise. */
  readonly cycles: number;
}

/** Reasons that are less than this share of every bar are shown together. */
const SLIVER = 0.01;

function withoutSlivers(rows: readonly ReasonRow[]): ReasonRow[] {
  const whole = new Map<string, number>();
  for (const r of rows) whole.set(r.name, (whole.get(r.name) ?? 0) + r.cycles);
  const seen = new Set(rows.filter((r) => r.cycles >= SLIVER * whole.get(r.name)!).map((r) => r.reason));
  if (new Set(rows.map((r) => r.reason)).size <= seen.size + 1) return [...rows];
  const other = new Map<string, number>();
  for (const r of rows) if (!seen.has(r.reason)) other.set(r.name, (other.get(r.name) ?? 0) + r.cycles);
  return [
    ...rows.filter((r) => seen.has(r.reason)),
    ...[...other].map(([name, cycles]) => ({ name, reason: "other", cycles })),
  ];
}

/** Stacked bars: what each row's cycles went to. */
export function reasonChart(
  all: readonly ReasonRow[],
  options: {
    /** Title above the chart. */
    readonly title?: string;
    /** Unit of the lengths. Default warp-cycles. */
    readonly unit?: string;
  } = {},
): Chart {
  const rows = withoutSlivers(all);
  const names = [...new Set(rows.map((r) => r.name))];
  const total = new Map<string, number>();
  for (const r of rows) total.set(r.reason, (total.get(r.reason) ?? 0) + r.cycles);
  const reasons = [...total.keys()].sort((a, b) => total.get(b)! - total.get(a)!);
  return chart(
    {
      title: options.title ?? "Where cycles go",
      width: 620,
      height: { step: 24 },
      data: { values: rows.map((r) => ({ ...r, rank: reasons.indexOf(r.reason) })) },
      mark: { type: "bar" },
      encoding: {
        y: { field: "name", type: "nominal", sort: names, title: null, axis: { labelLimit: 260 } },
        x: { field: "cycles", type: "quantitative", title: options.unit ?? "warp-cycles" },
        color: {
          field: "reason",
          type: "nominal",
          title: null,
          legend: { columns: 4 },
          scale: { domain: reasons, range: manyColors },
        },
        // The longest first, in the order of the legend.
        order: { field: "rank", type: "quantitative" },
        tooltip: [{ field: "name" }, { field: "reason" }, { field: "cycles" }],
      },
    },
    names
      .map(
        (n) =>
          `${n}: ${rows.filter((r) => r.name === n).reduce((s, r) => s + r.cycles, 0)} ${options.unit ?? "warp-cycles"}`,
      )
      .join("; "),
  );
}
