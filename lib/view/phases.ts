/** How a function develops from phase to phase, in a few numbers. */
import { type Chart, chart } from "./chart.js";
import { fileColor } from "./pressure.js";
import { faint, fileColors } from "./theme.js";

/** One phase of a compilation, in a few numbers. */
export interface PhaseRow {
  readonly phase: string;
  readonly instructions: number;
  /** Highest number of live registers per file. */
  readonly peak: Readonly<Record<string, number>>;
}

/** How the highest pressure and the number of instructions develop from phase to phase. */
export function phaseChart(rows: readonly PhaseRow[], options: { readonly title?: string } = {}): Chart {
  const files = Object.keys(fileColors).filter((f) => rows.some((r) => (r.peak[f] ?? 0) > 0));
  const order = rows.map((r) => r.phase);
  const peaks = rows.flatMap((r) => files.map((file) => ({ phase: r.phase, file, live: r.peak[file] ?? 0 })));
  // Files with the same number at the end share a point there, so the numbers are written beside it.
  const last = rows.at(-1);
  const numbers = [...new Set(files.map((f) => last?.peak[f] ?? 0))].map((live) => ({
    phase: last?.phase ?? "",
    live,
    label: `${files.filter((f) => (last?.peak[f] ?? 0) === live).join(", ")} ${live}`,
  }));
  const count = rows.map((r) => ({ phase: r.phase, instructions: r.instructions }));
  const x = {
    field: "phase",
    type: "ordinal",
    sort: order,
    title: null,
    axis: { labelAngle: rows.length > 6 ? -50 : 0, labelLimit: 180, grid: false },
  };
  const width = Math.min(760, Math.max(440, rows.length * 28));
  const y = { field: "live", type: "quantitative", title: "peak live registers", axis: { tickMinStep: 1 } };
  const peakX = { ...x, axis: { ...x.axis, labels: false, ticks: false } };
  return chart(
    {
      title: options.title ?? "From phase to phase",
      vconcat: [
        {
          width,
          height: 150,
          data: { values: peaks },
          layer: [
            {
              mark: { type: "line", interpolate: "linear", point: { size: 40, filled: true }, strokeWidth: 1.6 },
              encoding: {
                x: peakX,
                y,
                color: fileColor(files),
                tooltip: [{ field: "phase" }, { field: "file" }, { field: "live" }],
              },
            },
            {
              data: { values: numbers },
              mark: { type: "text", align: "left", dx: 9, fontSize: 11, color: faint },
              encoding: { x: peakX, y, text: { field: "label" } },
            },
          ],
        },
        {
          width,
          height: 90,
          data: { values: count },
          mark: { type: "bar", color: "#b9c7e6", size: Math.min(18, (width / rows.length) * 0.7) },
          encoding: {
            x,
            y: { field: "instructions", type: "quantitative", title: "instructions" },
            tooltip: [{ field: "phase" }, { field: "instructions" }],
          },
        },
      ],
      spacing: 8,
    },
    last === undefined
      ? "no phases"
      : `${rows.length} phases; at the end ${last.instructions} instructions, peak ${files.map((f) => `${f} ${last.peak[f] ?? 0}`).join(", ")}`,
  );
}
