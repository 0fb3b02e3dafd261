/**
 * Live registers over the program. Pressure is a step function of the program point; only its steps are drawn, so even
 * large kernels make small charts and every peak stays.
 */
import { type Chart, chart, compactData } from "./chart.js";
import type { VegaLiteSpec } from "./render.js";
import { accent, faint, fileColors } from "./theme.js";

/** Live registers of one file at every program point, at one moment of the compilation. */
export interface PressureTrace {
  /** Register file: R, UR, P, UP or B. */
  readonly file: string;
  /** Index = program point in layout order. */
  readonly live: ArrayLike<number>;
  /** Name of the phase after which it was measured. Traces of one phase have the same name. Default "". */
  readonly phase?: string;
}

export interface PressureOptions {
  readonly title?: string;
  /** Registers available; drawn as a line. */
  readonly limit?: number;
  /** Phase shown first, by name. Default: the last. */
  readonly start?: string;
  /** Block boundaries to mark: program points. */
  readonly blocks?: readonly number[];
}

type Step = {
  readonly phase: number;
  readonly file: string;
  readonly point: number;
  readonly live: number;
};

/** Steps kept per trace; beyond it each stretch keeps only its peak. */
const MAX_STEPS = 600;

function stepsOf(trace: PressureTrace, phase: number): Step[] {
  const { live, file } = trace;
  const steps: Step[] = [];
  for (let i = 0; i < live.length; i++) {
    if (i === 0 || i === live.length - 1 || live[i] !== live[i - 1])
      steps.push({ phase, file, point: i, live: live[i]! });
  }
  if (steps.length <= MAX_STEPS) return steps;
  const stretch = Math.ceil(steps.length / MAX_STEPS);
  const kept: Step[] = [];
  for (let i = 0; i < steps.length; i += stretch) {
    const peak = steps.slice(i, i + stretch).reduce((a, b) => (b.live > a.live ? b : a));
    kept.push({ ...peak, point: steps[i]!.point });
  }
  return kept;
}

interface Peak {
  readonly live: number;
  readonly point: number;
}

function peakOf(live: ArrayLike<number>): Peak {
  let point = 0;
  for (let i = 1; i < live.length; i++) if (live[i]! > live[point]!) point = i;
  return { live: live[point] ?? 0, point };
}

function describe(traces: readonly PressureTrace[], phase: string): string {
  const peaks = traces
    .filter((t) => (t.phase ?? "") === phase)
    .map((t) => ({ file: t.file, ...peakOf(t.live) }))
    .filter((p) => p.live > 0);
  const words = peaks.map((p) => `${p.file} ${p.live} at point ${p.point}`).join(", ");
  return `live registers${phase === "" ? "" : ` after ${phase}`}: ${words === "" ? "none" : words}`;
}

const colour = (files: readonly string[]): VegaLiteSpec => ({
  field: "file",
  type: "nominal",
  scale: { domain: files, range: files.map((f) => fileColors[f] ?? faint) },
  // vega cannot lay out a legend without entries.
  legend: files.length === 0 ? null : { symbolType: "stroke", symbolOpacity: 1, symbolStrokeWidth: 3 },
});

/** Live registers per program point, one curve per file; a slider moves through the phases when there are several. */
export function pressureChart(traces: readonly PressureTrace[], options: PressureOptions = {}): Chart {
  const phases = [...new Set(traces.map((t) => t.phase ?? ""))];
  const used = traces.filter((t) => peakOf(t.live).live > 0);
  const files = Object.keys(fileColors).filter((f) => used.some((t) => t.file === f));
  const values = used.flatMap((t) => stepsOf(t, phases.indexOf(t.phase ?? "")));
  const peaks = used.map((t) => ({ phase: phases.indexOf(t.phase ?? ""), file: t.file, ...peakOf(t.live) }));
  const start = options.start === undefined ? phases.length - 1 : phases.indexOf(options.start);
  const most = Math.max(1, options.limit ?? 0, ...peaks.map((p) => p.live));
  const x = {
    field: "point",
    type: "quantitative",
    title: "program point",
    axis: { grid: false, tickMinStep: 1 },
    scale: { nice: false },
  };
  const y = {
    field: "live",
    type: "quantitative",
    title: "live registers",
    scale: { domain: [0, Math.ceil(most * 1.12)] },
    axis: { tickMinStep: 1 },
  };
  const color = colour(files);
  const onlyPhase = phases.length > 1 ? [{ filter: "datum.phase == phase" }] : [];
  const layer: VegaLiteSpec[] = [
    ...(options.blocks === undefined ? [] : [blockRules(options.blocks)]),
    {
      mark: { type: "area", interpolate: "step-after", opacity: 0.1 },
      transform: onlyPhase,
      encoding: { x, y: { ...y, stack: null }, color },
    },
    {
      mark: { type: "line", interpolate: "step-after", strokeWidth: 1.6 },
      transform: onlyPhase,
      encoding: { x, y, color, tooltip: [{ field: "file" }, { field: "point" }, { field: "live" }] },
    },
    {
      data: { values: peaks },
      transform: onlyPhase,
      mark: { type: "point", filled: true, size: 45, opacity: 1 },
      encoding: { x, y, color },
    },
    {
      data: { values: peaks },
      transform: onlyPhase,
      mark: { type: "text", dy: -9, fontSize: 11, fontWeight: "bold" },
      encoding: { x, y, color, text: { field: "live" } },
    },
    ...(options.limit === undefined ? [] : limitRule(options.limit)),
  ];
  const slider = {
    name: "phase",
    value: start,
    bind: { input: "range", min: 0, max: phases.length - 1, step: 1, name: "phase " },
  };
  if (phases.length > 1) layer.push(phaseName(phases));
  const title = options.title ?? "Live registers per program point";
  return chart(
    {
      title,
      width: 660,
      height: 240,
      ...(phases.length > 1 ? { params: [slider] } : {}),
      data: compactData(values),
      layer,
    },
    describe(traces, phases[start] ?? ""),
  );
}

function limitRule(limit: number): VegaLiteSpec[] {
  const y = { datum: limit };
  return [
    { data: { values: [{}] }, mark: { type: "rule", color: accent, strokeDash: [5, 4] }, encoding: { y } },
    {
      data: { values: [{}] },
      mark: { type: "text", color: accent, align: "right", x: "width", dy: -6, fontSize: 11, text: `limit ${limit}` },
      encoding: { y },
    },
  ];
}

function blockRules(blocks: readonly number[]): VegaLiteSpec {
  const mark = { type: "rule", color: "#dddddd", strokeWidth: 1 };
  return {
    data: { values: blocks.map((point) => ({ point })) },
    mark,
    encoding: { x: { field: "point", type: "quantitative" } },
  };
}

function phaseName(phases: readonly string[]): VegaLiteSpec {
  return {
    data: { values: phases.map((name, phase) => ({ phase, label: `${phase}  ${name}` })) },
    transform: [{ filter: "datum.phase == phase" }],
    mark: {
      type: "text",
      align: "right",
      baseline: "bottom",
      x: "width",
      y: -6,
      fontSize: 12,
      color: faint,
      fontWeight: "bold",
    },
    encoding: { text: { field: "label", type: "nominal" } },
  };
}

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
  const count = rows.map((r) => ({ phase: r.phase, instructions: r.instructions }));
  const x = {
    field: "phase",
    type: "ordinal",
    sort: order,
    title: null,
    axis: { labelAngle: rows.length > 6 ? -50 : 0, labelLimit: 180, grid: false },
  };
  const width = Math.min(760, Math.max(440, rows.length * 28));
  const last = rows.at(-1);
  return chart(
    {
      title: options.title ?? "From phase to phase",
      vconcat: [
        {
          width,
          height: 150,
          data: { values: peaks },
          mark: { type: "line", interpolate: "linear", point: { size: 40, filled: true }, strokeWidth: 1.6 },
          encoding: {
            x: { ...x, axis: { ...x.axis, labels: false, ticks: false } },
            y: { field: "live", type: "quantitative", title: "peak live registers", axis: { tickMinStep: 1 } },
            color: colour(files),
            tooltip: [{ field: "phase" }, { field: "file" }, { field: "live" }],
          },
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
