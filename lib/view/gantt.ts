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
  /** Groups in the order of legend and colours, also those without a bar: so charts beside each other agree. Default: as they come. */
  readonly groups?: readonly string[];
}

/** Bars from issue to result, the issue itself marked. Dragging and the wheel move along the cycles. */
export function ganttChart(bars: readonly GanttBar[], options: GanttOptions = {}): Chart {
  const values = bars.map((b) => ({ ...b, end: Math.max(b.end, b.start + 1) }));
  const groups = options.groups ?? [...new Set(values.map((v) => v.group))];
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

/** Reasons that are less than this share of every bar are shown together, and so are those for which no colour is left. */
const SLIVER = 0.01;
const OTHER = "other";
const OTHER_COLOR = "#c9c9c9";

/** The rows, small reasons summed up, and the reasons from the one with most cycles on; the sum of small ones is the last. */
function summedUp(rows: readonly ReasonRow[]): { rows: readonly ReasonRow[]; reasons: readonly string[] } {
  const sum = (key: "name" | "reason"): Map<string, number> => {
    const of = new Map<string, number>();
    for (const r of rows) of.set(r[key], (of.get(r[key]) ?? 0) + r.cycles);
    return of;
  };
  const [whole, total] = [sum("name"), sum("reason")];
  const seen = new Set(rows.filter((r) => r.cycles >= SLIVER * whole.get(r.name)!).map((r) => r.reason));
  const ranked = [...total.keys()].sort((a, b) => total.get(b)! - total.get(a)!);
  let kept = ranked.filter((r) => seen.has(r)).slice(0, manyColors.length);
  // One that would be alone stays what it is, where it has a colour.
  if (ranked.length <= Math.min(kept.length + 1, manyColors.length)) kept = ranked;
  if (kept.length === ranked.length) return { rows, reasons: ranked };
  const other = new Map<string, number>();
  for (const r of rows) if (!kept.includes(r.reason)) other.set(r.name, (other.get(r.name) ?? 0) + r.cycles);
  const rest = [...other].map(([name, cycles]) => ({ name, reason: OTHER, cycles }));
  return { rows: [...rows.filter((r) => kept.includes(r.reason)), ...rest], reasons: [...kept, OTHER] };
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
  const { rows, reasons } = summedUp(all);
  const names = [...new Set(rows.map((r) => r.name))];
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
          scale: { domain: reasons, range: reasons.map((r, i) => (r === OTHER ? OTHER_COLOR : manyColors[i])) },
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
