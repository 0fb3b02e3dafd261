/** Ten thousand bars over time, to zoom into: a Gantt chart that plotly.js draws. */
import { compactData } from "../chart.js";
import type { GanttBar, GanttOptions } from "../gantt.js";
import type { VegaLiteSpec } from "../render.js";
import { manyColors, palette } from "../theme.js";
import { axis, type LiveFigure, liveFigure, type PackedNumbers, packed } from "./figure.js";

/** A bar as the pixels of the picture have it. */
type Strip = { readonly lane: number; readonly group: number; readonly from: number; readonly to: number };

/**
 * Bars of a row and group that meet within a pixel are one: a picture has no more pixels than it has, and ten thousand
 * rectangles would be drawn over each other.
 */
function strips(bars: readonly (readonly [lane: number, group: number, bar: GanttBar])[], pixel: number): Strip[] {
  const lists = new Map<string, { lane: number; group: number; from: number; to: number }[]>();
  const sorted = [...bars].sort((a, b) => a[2].start - b[2].start);
  for (const [lane, group, { start, end }] of sorted) {
    const key = `${lane} ${group}`;
    const list = lists.get(key) ?? [];
    lists.set(key, list);
    const last = list.at(-1);
    if (last !== undefined && start <= last.to + pixel) last.to = Math.max(last.to, end);
    else list.push({ lane, group, from: start, to: Math.max(end, start + pixel) });
  }
  return [...lists.values()].flat();
}

/** CSS pixels of a row. */
const ROW = { few: 18, many: 8, more: 24 };

const cycles = (numbers: readonly number[]): PackedNumbers =>
  packed(numbers.every((n) => n === (n | 0)) ? "i4" : "f8", numbers);

/** Bars from issue to result in rows; the wheel and dragging zoom along the cycles and the rows, a click in the legend hides a group. */
export function zoomableGantt(all: readonly GanttBar[], options: GanttOptions = {}): LiveFigure {
  const bars = all.map((b) => ({ ...b, end: Math.max(b.end, b.start + 1) }));
  const lanes = [...new Set(bars.map((b) => b.lane))];
  const groups = options.groups ?? [...new Set(bars.map((b) => b.group))];
  const colors = groups.length > palette.length ? manyColors : palette;
  const colorOf = (g: number): string => colors[g % colors.length]!;
  const laneOf = new Map(lanes.map((l, i) => [l, i]));
  const [first, last] = bars.reduce(([a, b], v) => [Math.min(a, v.start), Math.max(b, v.end)], [Infinity, -Infinity]);
  const data = groups.map((group, g) => {
    const own = bars.filter((b) => b.group === group);
    return {
      type: "bar",
      orientation: "h",
      name: group,
      y: packed(
        "i2",
        own.map((b) => laneOf.get(b.lane)!),
      ),
      base: cycles(own.map((b) => b.start)),
      x: cycles(own.map((b) => b.end - b.start)),
      hovertext: own.map((b) => b.text),
      // Of a bar with a base plotly.js tells its end as x.
      hovertemplate: "%{hovertext}<br>issued %{base}, result %{x}<extra></extra>",
      width: 0.8,
      marker: { color: colorOf(g), opacity: 0.7, line: { width: 0 } },
    };
  });
  const row = lanes.length > ROW.more ? ROW.many : ROW.few;
  const width = options.width ?? 760;
  const rows = {
    tickvals: lanes.map((_, i) => i),
    ticktext: lanes,
    // The first row above.
    range: [lanes.length - 0.5, -0.5],
  };
  const layout = {
    barmode: "overlay",
    dragmode: "zoom",
    margin: { l: 90, r: 30, t: 90, b: 50 },
    height: Math.max(320, 150 + lanes.length * row),
    xaxis: axis("cycle", { range: [first, last] }),
    yaxis: axis(options.lanes ?? "", rows),
    legend: { orientation: "h", y: 1.02, yanchor: "bottom" },
  };
  const groupOf = new Map(groups.map((g, i) => [g, i]));
  const placed = bars.map((b) => [laneOf.get(b.lane)!, groupOf.get(b.group) ?? 0, b] as const);
  const picture = pictureOf(strips(placed, (last - first) / width), {
    lanes,
    groups,
    width,
    row,
    colorOf,
    first,
    last,
  });
  const title = options.title ?? "Issue and results";
  const text = `${bars.length} instructions in ${lanes.length} rows${bars.length === 0 ? "" : `, cycles ${first} to ${last}`}`;
  return liveFigure(title, { data, layout }, picture, text);
}

interface Frame {
  readonly lanes: readonly string[];
  readonly groups: readonly string[];
  readonly width: number;
  readonly row: number;
  readonly colorOf: (group: number) => string;
  readonly first: number;
  readonly last: number;
}

function pictureOf(all: readonly Strip[], { lanes, groups, width, row, colorOf, first, last }: Frame): VegaLiteSpec {
  return {
    width,
    height: { step: row },
    data: compactData(all.map((s) => ({ lane: s.lane, group: s.group, from: s.from, to: s.to }))),
    mark: { type: "bar", opacity: 0.7, height: { band: 0.8 } },
    encoding: {
      x: { field: "from", type: "quantitative", title: "cycle", scale: { domain: [first, last], nice: false } },
      x2: { field: "to" },
      y: {
        field: "lane",
        type: "ordinal",
        scale: { domain: lanes.map((_, i) => i) },
        title: null,
        axis: { labelExpr: `${JSON.stringify(lanes)}[datum.value]`, labelLimit: 260, labelOverlap: true },
      },
      color: {
        field: "group",
        type: "nominal",
        scale: { domain: groups.map((_, i) => i), range: groups.map((_, i) => colorOf(i)) },
        legend: { title: null, labelExpr: `${JSON.stringify(groups)}[datum.value]` },
      },
    },
  };
}
