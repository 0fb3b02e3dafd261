import path from "node:path";
import { Resvg } from "@resvg/resvg-js";
import type { TopLevelSpec } from "vega-lite";
import { compile } from "vega-lite";
import {
  allocationCurve,
  type Chart,
  displaySymbol,
  fatpointChart,
  ganttChart,
  heatChart,
  metadataSymbol,
  mixChart,
  occupancyChart,
  paretoChart,
  phaseChart,
  pressureChart,
  reasonChart,
  timesChart,
} from "../../lib/view/index.js";
import { fontFolder, type TextLook, textWidth } from "../../lib/view/text-width.js";

const live = (f: (i: number) => number, n = 50): number[] => Array.from({ length: n }, (_, i) => f(i));
const scan = (value: string, slot: number, takenSlots: readonly number[]) => ({
  value,
  slot,
  occupied: Uint8Array.from({ length: 16 }, (_, i) => (takenSlots.includes(i) ? 1 : 0)),
  primary: Int32Array.from({ length: 16 }, (_, i) => i),
});

const charts: Readonly<Record<string, () => Chart>> = {
  gantt: () =>
    ganttChart([
      { lane: "ALU", start: 0, end: 4, group: "ALU", text: "IADD3" },
      { lane: "LSU", start: 2, end: 40, group: "LSU", text: "LDG.E" },
    ]),
  reasons: () =>
    reasonChart([
      { name: "a", reason: "wait", cycles: 10 },
      { name: "a", reason: "barrier", cycles: 5 },
      { name: "b", reason: "wait", cycles: 7 },
    ]),
  pareto: () =>
    paretoChart(
      [
        { name: "small", x: 1, y: 9, group: "g" },
        { name: "beaten", x: 2, y: 9, group: "g" },
        { name: "fast", x: 3, y: 4, group: "h" },
        { name: "as fast", x: 3, y: 4, group: "g" },
      ],
      { x: "registers", y: "cycles" },
    ),
  heat: () =>
    heatChart(
      [
        { x: "a", y: "one", value: -120.04 },
        { x: "b", y: "one", value: 3 },
      ],
      { title: "Heat", unit: "%", scale: 50 },
    ),
  "heat of counts": () =>
    heatChart([{ x: "a", y: "one", value: 8 }], {
      title: "Counts",
      subtitle: "of one",
      unit: "times",
      scale: "counts",
    }),
  pressure: () =>
    pressureChart(
      [
        { file: "R", live: live((i) => i % 7) },
        { file: "P", live: live(() => 1) },
      ],
      { limit: 20, blocks: [0, 9] },
    ),
  "pressure per phase": () =>
    pressureChart(["a", "b", "c"].map((phase, k) => ({ phase, file: "R", live: live((i) => (i * k) % 9) }))),
  phases: () =>
    phaseChart([
      { phase: "One", instructions: 5, peak: { R: 4, UR: 1 } },
      { phase: "Two", instructions: 7, peak: { R: 5 } },
    ]),
  occupancy: () =>
    occupancyChart({
      curves: [
        {
          resource: "registers per thread",
          amount: 40,
          points: live((i) => i).map((i) => ({ amount: i, warps: 64 - i })),
        },
      ],
      warps: 24,
      maxWarps: 64,
      limitedBy: ["registers"],
    }),
  fatpoint: () => fatpointChart([scan("%r1", 0, []), scan("%r2", 1, [0]), scan("%r3", 3, [0, 1, 2])]),
  "allocation curve": () => allocationCurve([scan("%r1", 0, []), scan("%r2", 5, [0])]),
  mix: () =>
    mixChart([
      { name: "FFMA", count: 3, group: "float" },
      { name: "LDS", count: 1, group: "memory" },
    ]),
  times: () =>
    timesChart([
      { stage: "parse", ms: 1, series: "ours" },
      { stage: "parse", ms: 2, series: "theirs" },
    ]),
};

/** Width and height from the header of a PNG. */
function pngSize(bytes: Uint8Array): [number, number] {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}

test.each(Object.keys(charts))("%s compiles without a warning and shows itself", async (name) => {
  const chart = charts[name]!();
  const warnings: unknown[] = [];
  const note = (...args: readonly unknown[]) => {
    warnings.push(...args);
    return logger;
  };
  const logger = { level: () => logger, warn: note, info: () => logger, debug: () => logger, error: note };
  compile(chart.spec as unknown as TopLevelSpec, { logger: logger as never });
  expect(warnings).toEqual([]);

  const bundle = await chart[displaySymbol]();
  expect(Object.keys(bundle).sort()).toEqual(["application/vnd.vegalite.v5+json", "image/png", "text/plain"]);
  expect(JSON.parse(JSON.stringify(chart.spec))).toEqual(chart.spec);
  const png = Buffer.from(bundle["image/png"] as string, "base64");
  const [width, height] = pngSize(png);
  const shown = ((await chart[metadataSymbol]!())["image/png"] ?? {}) as { width: number; height: number };
  expect(Math.abs(width - 2 * shown.width)).toBeLessThan(2);
  expect(Math.abs(height - 2 * shown.height)).toBeLessThan(2);
  expect(bundle["text/plain"]).toBe(chart.text);
});

test("text is drawn, from the font that comes with ptxlab", async () => {
  const size = async (title: string) => (await mixChart([{ name: "A", count: 1 }], { title }).png(1)).bytes.length;
  // A picture whose title has many more letters has more to compress; without a font both titles would be nothing.
  expect(await size("Q&W@8#Q&W@8#Q&W@8#Q&W@8#")).toBeGreaterThan((await size("i")) + 500);
});

test.each([
  ["AdvancedScoreboardsAndOpexes −3.5 % → ×", {}],
  ["Static latency, WWW iii", { fontSize: 20, fontWeight: "bold" }],
  ["LDG.E.128 R0", { fontSize: 14, font: "monospace" }],
])("the width of %s is that of the drawn picture", (text, look: TextLook) => {
  const family = look.font === undefined ? "DejaVu Sans" : "DejaVu Sans Mono";
  const style = `font-family="${family}" font-size="${look.fontSize ?? 11}" font-weight="${look.fontWeight ?? "normal"}"`;
  // Bars at both ends: the picture's width is then that of the advances, whatever the outer letters leave free.
  const widthOf = (line: string): number => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="40"><text x="5" y="25" ${style}>${line}</text></svg>`;
    const files = ["DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono"].map((f) => path.join(fontFolder(), `${f}.ttf`));
    return new Resvg(svg, { font: { fontFiles: files, loadSystemFonts: false } }).innerBBox()!.width;
  };
  const drawn = widthOf(`|${text}|`) - widthOf("||");
  expect(Math.abs(drawn - textWidth(text, look))).toBeLessThan(0.03 * drawn);
});

test("labels of a Pareto chart lie on no other", () => {
  const front = [
    { name: "ptxlab -O1, ptxlab -O1 limit 32, ptxlab -O1 limit 26", x: 24, y: 20766, group: "1" },
    { name: "ptxlab -O2 limit 26", x: 26, y: 20666, group: "2" },
    { name: "ptxas -O3", x: 32, y: 17562, group: "p" },
  ];
  const { spec } = paretoChart(front, { x: "registers", y: "cycles" });
  const texts = (spec.layer as { mark: { type: string; dy?: number }; data: { values: { name: string }[] } }[]).filter(
    (l) => l.mark.type === "text",
  );
  const above = texts.find((l) => l.data.values.some((v) => v.name === front[0]!.name))!;
  const below = texts.find((l) => l.data.values.some((v) => v.name === front[1]!.name))!;
  expect([above.mark.dy, below.mark.dy]).toEqual([-6, 11]);
});

test("pressure keeps every peak, however long the function", () => {
  const n = 40_000;
  const values = live((i) => (i === 31_337 ? 200 : 5 + (i % 2)), n);
  const chart = pressureChart([{ file: "R", live: values }]);
  expect(chart.text).toBe("live registers: R 200 at point 31337");
  expect(JSON.stringify(chart.spec)).toContain(",200");
  expect(JSON.stringify(chart.spec).length).toBeLessThan(100_000);
});

test("pressure draws steps, not points: what does not change costs nothing", () => {
  const flat = pressureChart([{ file: "R", live: live(() => 3, 10_000) }]);
  expect(JSON.stringify(flat.spec).length).toBeLessThan(6000);
});

test("a slider appears when there is more than one phase, and starts where it is told", () => {
  const traces = ["a", "b", "c"].map((phase) => ({ phase, file: "R", live: [1, 2] }));
  expect(pressureChart(traces.slice(0, 1)).spec.params).toBeUndefined();
  expect(pressureChart(traces).spec.params).toMatchObject([{ name: "phase", value: 2, bind: { min: 0, max: 2 } }]);
  expect(pressureChart(traces, { start: "b" }).spec.params).toMatchObject([{ value: 1 }]);
});

test("the mix sums up what it does not show", () => {
  const entries = ["A", "B", "C", "D"].map((name, i) => ({ name, count: 10 - i }));
  const { spec } = mixChart(entries, { top: 2 });
  const values = (spec.data as { values: { name: string; count: number }[] }).values;
  expect(values.map((v) => [v.name, v.count])).toEqual([
    ["A", 10],
    ["B", 9],
    ["other", 15],
  ]);
});

/** Colours of a chart by group. */
const coloursOf = (chart: Chart, color: unknown): Record<string, string> => {
  const { scale } = color as { scale: { domain: string[]; range: string[] } };
  expect(chart.text).not.toBe("");
  return Object.fromEntries(scale.domain.map((d, i) => [d, scale.range[i]!]));
};

test("more reasons than colours: the small ones are one, whose colour no other has", () => {
  const rows = Array.from({ length: 20 }, (_, i) => ({ name: "a", reason: `r${i}`, cycles: 100 - i }));
  const chart = reasonChart([...rows, { name: "a", reason: "tiny", cycles: 1 }]);
  const colours = coloursOf(chart, (chart.spec.encoding as { color: unknown }).color);
  expect(Object.keys(colours)).toEqual([...Array.from({ length: 12 }, (_, i) => `r${i}`), "other"]);
  expect(new Set(Object.values(colours)).size).toBe(13);
  const { values } = chart.spec.data as { values: { reason: string; cycles: number }[] };
  expect(values.reduce((n, v) => n + v.cycles, 0)).toBe(rows.reduce((n, r) => n + r.cycles, 1));
});

test("groups that are given keep their colours, also where one has no bar", () => {
  const chart = ganttChart([{ lane: "x", start: 0, end: 1, group: "b", text: "" }], { groups: ["a", "b"] });
  const layer = (chart.spec.layer as { encoding: { color: unknown } }[])[0]!;
  const both = ganttChart([
    { lane: "x", start: 0, end: 1, group: "a", text: "" },
    { lane: "x", start: 0, end: 1, group: "b", text: "" },
  ]);
  const other = (both.spec.layer as { encoding: { color: unknown } }[])[0]!;
  expect(coloursOf(chart, layer.encoding.color)).toEqual(coloursOf(both, other.encoding.color));
});

test.each([
  ["pressure", () => pressureChart([])],
  ["phases", () => phaseChart([])],
  ["fatpoint", () => fatpointChart([])],
  ["allocation curve", () => allocationCurve([])],
  ["mix", () => mixChart([])],
  ["times", () => timesChart([])],
])("nothing to show is no error: %s", async (_, make) => {
  expect((await make().png()).bytes.length).toBeGreaterThan(100);
});

test("the Pareto front holds what nothing beats; points in one place share a label", () => {
  expect(charts.pareto!().text).toBe("front: small (1, 9), fast, as fast (3, 4)");
});
