/** How a function develops from phase to phase, in a few numbers. */
import { type Chart, chart } from "./chart.js";
import type { PipelineMoment } from "./pipeline/data.js";
import { pipelineData } from "./pipeline/data.js";
import { fileColor } from "./pressure.js";
import type { VegaLiteSpec } from "./render.js";
import { faint, fileColors, palette } from "./theme.js";

/** One phase of a compilation, in a few numbers. */
export interface PhaseRow {
  /** Name of the phase. */
  readonly phase: string;
  /** Instructions after it. */
  readonly instructions: number;
  /** Highest number of live registers per file. */
  readonly peak: Readonly<Record<string, number>>;
  /** Warps per SM that the registers leave room for. */
  readonly warps?: number;
  /** Static latency: cycles of one warp. */
  readonly cycles?: number;
}

/**
 * Pressure, occupancy, static latency and instructions from phase to phase, of a compilation (of its function of that name,
 * else the first). Throws RangeError when there is none.
 */
export async function phases(
  from: object,
  options: {
    /** Name of the function, for the title. */
    readonly function?: string;
    /** Title above the table. */
    readonly title?: string;
  } = {},
): Promise<Chart> {
  const data = await pipelineData(from, options.function === undefined ? {} : { functions: [options.function] });
  const f = data.functions[0];
  if (f === undefined) throw new RangeError("the compilation has no function");
  const title = options.title ?? `${f.name} from phase to phase: ${data.subtitle}`;
  return phaseChart(f.moments.map(rowOf), { title, mostWarps: f.mostWarps });
}

function rowOf({ phase, blocks, figures }: PipelineMoment): PhaseRow {
  const most = (k: 0 | 1 | 2): number =>
    Math.max(0, ...blocks.map((b) => Math.max(0, ...b.insts.map((i) => i.live[k]))));
  const { instructions, warps, cycles } = figures;
  return { phase, instructions, peak: { R: most(0), UR: most(1), P: most(2) }, warps, cycles };
}

/** How the highest pressure, the number of instructions and, where rows have them, occupancy and latency develop from phase to phase. */
export function phaseChart(
  rows: readonly PhaseRow[],
  options: {
    /** Title above the chart. */
    readonly title?: string;
    /** Warps that an SM can hold. */
    readonly mostWarps?: number;
  } = {},
): Chart {
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
    axis: { labelAngle: rows.length > 6 ? -50 : 0, labelLimit: 260, grid: false },
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
        ...panelOf(rows, "warps", "warps per SM", peakX, width, options.mostWarps),
        ...panelOf(rows, "cycles", "latency (cycles)", peakX, width),
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
    last === undefined ? "no phases" : inWords(rows, last, files),
  );
}

function inWords(rows: readonly PhaseRow[], last: PhaseRow, files: readonly string[]): string {
  const parts = [
    `${last.instructions} instructions`,
    `peak ${files.map((f) => `${f} ${last.peak[f] ?? 0}`).join(", ")}`,
    ...(last.warps === undefined ? [] : [`${last.warps} warps per SM`]),
    ...(last.cycles === undefined ? [] : [`${last.cycles} cycles`]),
  ];
  return `${rows.length} phases; at the end ${parts.join(", ")}`;
}

/** One more quantity on the same axis; none where no row has it. */
function panelOf(
  rows: readonly PhaseRow[],
  key: "warps" | "cycles",
  title: string,
  x: VegaLiteSpec,
  width: number,
  most?: number,
): VegaLiteSpec[] {
  const values = rows.flatMap((r) => (r[key] === undefined ? [] : [{ phase: r.phase, value: r[key] }]));
  if (values.length === 0) return [];
  const y = {
    field: "value",
    type: "quantitative",
    title,
    scale: { zero: true, ...(most !== undefined && { domain: [0, most] }) },
  };
  const last = values.at(-1) as (typeof values)[number];
  return [
    {
      width,
      height: 90,
      data: { values },
      layer: [
        {
          mark: {
            type: "line",
            interpolate: "linear",
            point: { size: 34, filled: true, color: panelColors[key] },
            strokeWidth: 1.6,
            color: panelColors[key],
          },
          encoding: { x, y, tooltip: [{ field: "phase" }, { field: "value", title }] },
        },
        {
          data: { values: [{ ...last, label: String(last.value) }] },
          mark: { type: "text", align: "left", dx: 9, fontSize: 11, color: faint },
          encoding: { x, y, text: { field: "label" } },
        },
      ],
    },
  ];
}

const panelColors = { warps: palette[2], cycles: palette[3] } as const;
