import { type Chart, chart, compactData } from "./chart.js";
import type { VegaLiteSpec } from "./render.js";
import { accent, fileColors } from "./theme.js";

/** Warps that an SM holds when a resource is used so much. */
export type OccupancyPoint = {
  /** Registers per thread, bytes of shared memory, or threads per CTA. */
  readonly amount: number;
  /** Warps at once on an SM. */
  readonly warps: number;
};

/** Warps per SM as one resource varies and the others stay those of the kernel. */
export interface OccupancyCurve {
  /** Axis title with its unit: `registers per thread`, `shared bytes per block`, `threads per block`. */
  readonly resource: string;
  /** The curve's steps, ascending. */
  readonly points: readonly OccupancyPoint[];
  /** What the kernel uses. */
  readonly amount: number;
}

/** What a view of occupancy shows. */
export interface OccupancyView {
  /** One curve per resource. */
  readonly curves: readonly OccupancyCurve[];
  /** Warps per SM that the kernel reaches. */
  readonly warps: number;
  /** Warps that an SM can hold. */
  readonly maxWarps: number;
  /** Resources that stop the next block, in words. */
  readonly limitedBy?: readonly string[];
  /** Title above the chart. */
  readonly title?: string;
}

function panel(curve: OccupancyCurve, view: OccupancyView, first: boolean): VegaLiteSpec {
  const x = { field: "amount", type: "quantitative", title: curve.resource, axis: { grid: false, tickCount: 6 } };
  const y = {
    field: "warps",
    type: "quantitative",
    title: first ? "warps per SM" : null,
    scale: { domain: [0, view.maxWarps] },
    axis: { values: [0, 0.25, 0.5, 0.75, 1].map((f) => f * view.maxWarps), labels: first },
  };
  const here = { values: [{ amount: curve.amount, warps: view.warps }] };
  const right = curve.amount > 0.6 * Math.max(...curve.points.map((p) => p.amount));
  const label = {
    type: "text",
    align: right ? "right" : "left",
    dx: right ? -8 : 8,
    y: "height",
    dy: -8,
    fontSize: 11,
    fontWeight: "bold",
    color: accent,
    text: curve.amount.toLocaleString("en-US"),
  };
  return {
    width: 200,
    height: 170,
    layer: [
      {
        data: compactData(curve.points),
        mark: {
          type: "area",
          interpolate: "step-after",
          color: fileColors.R,
          opacity: 0.12,
          line: { color: fileColors.R, strokeWidth: 1.6, interpolate: "step-after" },
        },
        encoding: { x, y, tooltip: [{ field: "amount", title: curve.resource }, { field: "warps" }] },
      },
      { data: here, mark: { type: "rule", color: accent, strokeDash: [3, 3] }, encoding: { x } },
      { data: here, mark: { type: "point", filled: true, size: 70, color: accent, opacity: 1 }, encoding: { x, y } },
      { data: here, mark: label, encoding: { x } },
    ],
  };
}

/** How many warps fit on an SM as registers, shared memory and block size vary, with the kernel's own point marked. */
export function occupancyChart(view: OccupancyView): Chart {
  const percent = Math.round((100 * view.warps) / view.maxWarps);
  const limited = view.limitedBy?.length ? `, limited by ${view.limitedBy.join(" and ")}` : "";
  const summary = `${view.warps} of ${view.maxWarps} warps per SM (${percent} %)${limited}`;
  return chart(
    {
      title: { text: view.title ?? "Occupancy", subtitle: summary },
      hconcat: view.curves.map((c, i) => panel(c, view, i === 0)),
      spacing: 24,
    },
    `occupancy: ${summary}`,
  );
}
