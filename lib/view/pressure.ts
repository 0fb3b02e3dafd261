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

/** How live registers are shown. */
export interface PressureOptions {
  /** Title above the chart. */
  readonly title?: string;
  /** Registers available; drawn as a line. */
  readonly limit?: number;
  /** What the line is called. Default "limit". */
  readonly limitName?: string;
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

/** Colour encoding by register file, the same in all charts. */
export function fileColor(files: readonly string[]): VegaLiteSpec {
  return {
    field: "file",
    type: "nominal",
    scale: { domain: files, range: files.map((f) => fileColors[f] ?? faint) },
    // vega cannot lay out a legend without entries.
    legend: files.length === 0 ? null : { symbolType: "stroke", symbolOpacity: 1, symbolStrokeWidth: 3 },
  };
}

interface Panel {
  readonly files: readonly string[];
  readonly values: readonly Step[];
  readonly height: number;
  readonly title: string;
  readonly limit: number | null;
  readonly limitName: string;
  readonly blocks: readonly number[];
  readonly last: boolean;
}

/** Curves of some files over a common axis of program points. */
function panel(
  p: Panel,
  color: VegaLiteSpec,
  peaks: readonly Step[],
  transform: readonly VegaLiteSpec[],
): VegaLiteSpec {
  const mine = peaks.filter((s) => p.files.includes(s.file));
  const most = Math.max(1, p.limit ?? 0, ...mine.map((s) => s.live));
  const axis = { grid: false, tickMinStep: 1, ...(p.last ? {} : { labels: false, ticks: false }) };
  const title = p.last ? "program point" : null;
  const x = { field: "point", type: "quantitative", title, axis, scale: { nice: false } };
  const scale = { domain: [0, most * 1.15 + 0.4] };
  const y = { field: "live", type: "quantitative", title: p.title, scale, axis: { tickMinStep: 1, format: "d" } };
  const curve = { interpolate: "step-after" };
  const tooltip = [{ field: "file" }, { field: "point" }, { field: "live" }];
  const number = { type: "text", dy: -9, fontSize: 11, fontWeight: "bold" };
  const text = { field: "live" };
  return {
    width: 660,
    height: p.height,
    data: compactData(p.values),
    layer: [
      ...(p.blocks.length === 0 ? [] : [blockRules(p.blocks)]),
      { mark: { type: "area", opacity: 0.1, ...curve }, transform, encoding: { x, y: { ...y, stack: null }, color } },
      { mark: { type: "line", strokeWidth: 1.6, ...curve }, transform, encoding: { x, y, color, tooltip } },
      ...(p.limit === null ? [] : limitRule(p.limit, p.limitName)),
      {
        data: { values: mine },
        transform,
        mark: { type: "point", filled: true, size: 45, opacity: 1 },
        encoding: { x, y, color },
      },
      // White around the number, where the line of the limit or another curve passes behind it.
      {
        data: { values: mine },
        transform,
        mark: { ...number, color: "#ffffff", stroke: "#ffffff", strokeWidth: 4, strokeJoin: "round" },
        encoding: { x, y, text },
      },
      { data: { values: mine }, transform, mark: number, encoding: { x, y, color, text } },
    ],
  };
}

/**
 * Live registers per program point, one curve per file: R above, the small files below on a scale of their own. A slider
 * moves through the phases when there are several.
 */
export function pressureChart(traces: readonly PressureTrace[], options: PressureOptions = {}): Chart {
  const phases = [...new Set(traces.map((t) => t.phase ?? ""))];
  const phaseOf = (t: PressureTrace): number => phases.indexOf(t.phase ?? "");
  const used = traces.filter((t) => peakOf(t.live).live > 0);
  const files = Object.keys(fileColors).filter((f) => used.some((t) => t.file === f));
  const peaks: Step[] = used.map((t) => ({ phase: phaseOf(t), file: t.file, ...peakOf(t.live) }));
  const start = options.start === undefined ? phases.length - 1 : phases.indexOf(options.start);
  const several = phases.length > 1;
  const color = fileColor(files);
  const transform = several ? [{ filter: "datum.phase == phase" }] : [];
  const small = files.filter((f) => f !== "R");
  const groups = files.includes("R") && small.length > 0 ? [["R"], small] : [files];
  const panels = groups.map((group, i) => {
    const values = used.filter((t) => group.includes(t.file)).flatMap((t) => stepsOf(t, phaseOf(t)));
    const first = i === 0;
    const limitName = options.limitName ?? "limit";
    const look = {
      limitName,
      ...(first ? { height: 200, limit: options.limit ?? null } : { height: 80, limit: null }),
    };
    const title = group.length === 1 ? `live ${group[0]}` : "live registers";
    const last = i === groups.length - 1;
    return panel({ files: group, values, title, blocks: options.blocks ?? [], last, ...look }, color, peaks, transform);
  });
  if (several) (panels[0]!.layer as VegaLiteSpec[]).push(phaseName(phases));
  const bind = { input: "range", min: 0, max: phases.length - 1, step: 1, name: "phase " };
  return chart(
    {
      title: options.title ?? "Live registers per program point",
      ...(several ? { params: [{ name: "phase", value: start, bind }] } : {}),
      vconcat: panels,
      spacing: 10,
      resolve: { scale: { color: "shared" } },
    },
    describe(traces, phases[start] ?? ""),
  );
}

function limitRule(limit: number, name: string): VegaLiteSpec[] {
  const y = { datum: limit };
  return [
    { data: { values: [{}] }, mark: { type: "rule", color: accent, strokeDash: [5, 4] }, encoding: { y } },
    {
      data: { values: [{}] },
      mark: { type: "text", color: accent, align: "right", x: "width", dy: -6, fontSize: 11, text: `${name} ${limit}` },
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
