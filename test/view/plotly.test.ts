/**
 * Figures for plotly.js: their numbers against a plain recount, the picture beside them, and what plotly.js itself makes of them
 * in Chromium, with the file that Python's package `plotly` brings (JupyterLab draws with the same).
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { compile, watchAllocation } from "../../lib/index.js";
import {
  type AllocationAttempt,
  displaySymbol,
  type GanttBar,
  type LiveFigure,
  metadataSymbol,
  parallelCoordinates,
  type RegisterUse,
  registerMap,
  zoomableGantt,
} from "../../lib/view/index.js";
import { launch } from "./browser.js";

jest.setTimeout(60_000);

interface Packed {
  readonly dtype: "i2" | "i4" | "f4" | "f8";
  readonly bdata: string;
  readonly shape?: string;
}
const types = { i2: Int16Array, i4: Int32Array, f4: Float32Array, f8: Float64Array };

/** The numbers of a trace. */
function unpacked(value: unknown): number[] {
  const { dtype, bdata } = value as Packed;
  const bytes = Uint8Array.from(Buffer.from(bdata, "base64"));
  return [...new types[dtype](bytes.buffer)];
}

const use = (value: number, register: number, from: number, to: number, accesses = 2): RegisterUse => ({
  value,
  register,
  from,
  to,
  accesses,
});
const crowded: AllocationAttempt = {
  name: "first",
  points: 20,
  registers: 2,
  uses: [
    use(1, 0, 1, 8, 100),
    use(2, 1, 3, 19),
    use(3, 0, 9, 9),
    use(4, -1, 2, 6),
    use(5, -1, 6, 12),
    use(6, -1, 7, 7),
  ],
};
const fits: AllocationAttempt = { name: "second", points: 12, registers: 2, uses: [use(7, 1, 0, 11)] };

const bars = Array.from(
  { length: 10_000 },
  (_, i): GanttBar => ({
    lane: `warp ${i % 24}`,
    group: ["ALU", "LSU", "FMA"][(i * 31) % 3]!,
    start: 3 * i + ((i * 7919) % 13),
    end: 3 * i + 20 + ((i * 104729) % 40),
    text: `instruction ${i}`,
  }),
);
const rows = Array.from({ length: 40 }, (_, i) => ({
  policy: ["b", "a"][i % 2]!,
  limit: [24, 32][i % 3 === 0 ? 0 : 1]!,
  cycles: i === 7 ? null : 1000 + ((i * 17) % 90),
}));

const figures: Readonly<Record<string, () => LiveFigure>> = {
  "register map": () => registerMap([crowded, fits]),
  "register map of one attempt": () => registerMap([fits]),
  "Gantt chart": () => zoomableGantt(bars, { lanes: "warp" }),
  "parallel coordinates": () => parallelCoordinates(rows),
};

test.each(Object.keys(figures))("%s: plain JSON, a picture and words", async (name) => {
  const figure = figures[name]!();
  const bundle = await figure[displaySymbol]();
  expect(Object.keys(bundle)).toEqual(["application/vnd.plotly.v1+json", "image/png", "text/plain"]);
  expect(JSON.parse(JSON.stringify(figure.figure))).toEqual(figure.figure);
  const { width, height } = (await figure[metadataSymbol]!())["image/png"] as { width: number; height: number };
  const png = Buffer.from(bundle["image/png"] as string, "base64");
  const pixels = name === "parallel coordinates" ? 1 : 2;
  expect(Math.abs(png.readUInt32BE(16) - pixels * width)).toBeLessThan(2);
  expect(height).toBeGreaterThan(30);
  expect(bundle["text/plain"]).toBe(figure.text);
});

describe("register map", () => {
  /** The value at a register and point, by the uses alone. */
  const valueAt = (a: AllocationAttempt, register: number, point: number): number =>
    a.uses.find((u) => u.register === register && u.from <= point && point <= u.to)?.value ?? -1;

  test("each cell is what the uses say, and rows above hold what has no register, none over another", () => {
    const trace = registerMap([crowded]).figure.data[0]!;
    const edges = unpacked(trace.x);
    const values = unpacked(trace.customdata);
    const heat = unpacked(trace.z);
    const columns = edges.length - 1;
    expect(edges.at(-1)).toBe(crowded.points);
    for (let point = 0; point < crowded.points; point++) {
      const column = edges.findLastIndex((e) => e <= point);
      for (const register of [0, 1])
        expect(values[register * columns + column]).toBe(valueAt(crowded, register, point));
      const homeless = [];
      for (let row = 2; row * columns < values.length; row++) homeless.push(values[row * columns + column]!);
      const expected = crowded.uses.filter((u) => u.register < 0 && u.from <= point && point <= u.to);
      expect(homeless.filter((v) => v >= 0).sort()).toEqual(expected.map((u) => u.value).sort());
    }
    expect(heat.map(Number.isNaN)).toEqual(values.map((v) => v < 0));
    expect(heat[edges.indexOf(1)]).toBe(2);
  });

  test("one attempt is seen at a time, the last first; the slider has a step for each", () => {
    const { data, layout } = registerMap([crowded, fits]).figure;
    expect(data.map((t) => t.visible)).toEqual([false, true]);
    const [slider] = layout.sliders as { steps: { label: string; args: { visible: boolean[] }[] }[] }[];
    expect(slider!.steps.map((s) => [s.label, s.args[0]!.visible])).toEqual([
      ["first", [true, false]],
      ["second", [false, true]],
    ]);
  });

  test("many attempts and long functions stay within the cells that are asked for", () => {
    const uses = Array.from({ length: 3000 }, (_, i) => use(i, i % 60, i, i + 30));
    const long = Array.from({ length: 50 }, (_, i) => ({ name: `${i}`, points: 3040, registers: 60, uses }));
    const { data } = registerMap(long, { maxAttempts: 5, maxCells: 30_000 }).figure;
    expect(data.map((t) => t.name)).toEqual(["0", "12", "25", "37", "49"]);
    expect(data.reduce((n, t) => n + unpacked(t.z).length, 0)).toBeLessThanOrEqual(30_000);
  });

  test("the allocator's attempts on a kernel: no two values in a register at once, and the last has all", () => {
    const watch = watchAllocation();
    const ptx = readFileSync(path.join(__dirname, "../corpus/ptx/sm_90/dgemm.ptx"), "utf8");
    const options = { target: "sm_90", maxRegisters: 25 } as const;
    const seen = compile(ptx, { ...options, allocation: { observe: watch.observe } });
    const unseen = compile(ptx, options);
    if (!seen.ok || !unseen.ok) throw new Error("no cubin");
    expect(Buffer.from(seen.cubin)).toEqual(Buffer.from(unseen.cubin));
    expect(watch.attempts.length).toBeGreaterThan(1);
    for (const { uses, points, registers, name } of watch.attempts) {
      const taken = new Set<number>();
      for (const { register, from, to } of uses)
        for (let p = from; register >= 0 && p <= to; p++) {
          expect(taken.has(register * points + p)).toBe(false);
          taken.add(register * points + p);
        }
      const homeless = new Set(uses.filter((u) => u.register < 0).map((u) => u.value)).size;
      const left =
        homeless === 0 ? "all values placed" : `${homeless} value${homeless > 1 ? "s" : ""} without a register`;
      expect(name).toContain(left);
      expect(uses.every((u) => u.register < registers && u.to < points)).toBe(true);
    }
    expect(watch.attempts.at(-1)!.name).toContain("all values placed");
  });
});

test("ten thousand bars are all there, in less than a megabyte", () => {
  const figure = zoomableGantt(bars, { lanes: "warp" });
  const starts = figure.figure.data.flatMap((t) => unpacked(t.base));
  const lengths = figure.figure.data.flatMap((t) => unpacked(t.x));
  expect([...starts].sort((a, b) => a - b)).toEqual(bars.map((b) => b.start).sort((a, b) => a - b));
  const ends = starts.map((s, i) => s + lengths[i]!);
  expect(ends.sort((a, b) => a - b)).toEqual(bars.map((b) => b.end).sort((a, b) => a - b));
  expect(JSON.stringify(figure.figure).length).toBeLessThan(1_000_000);
  expect(figure.text).toMatch(/^10000 instructions in 24 rows/);
});

test("groups keep their colours where one has no bar; no bar at all is a figure too", () => {
  const { data } = zoomableGantt([bars[0]!], { groups: ["LSU", "ALU"] }).figure;
  expect(data.map((t) => t.name)).toEqual(["LSU", "ALU"]);
  expect(unpacked(data[0]!.base)).toEqual([]);
  expect(zoomableGantt([]).text).toBe("0 instructions in 0 rows");
});

test("parallel coordinates: words in their order, numbers as they are, a row without a value left out and told", () => {
  const { figure, text } = parallelCoordinates(rows);
  const trace = figure.data[0] as { dimensions: { label: string; values: unknown; ticktext?: string[] }[] };
  const kept = rows.filter((r) => r.cycles !== null);
  expect(trace.dimensions.map((d) => d.label)).toEqual(["policy", "limit", "cycles"]);
  expect(trace.dimensions[0]!.ticktext).toEqual(["a", "b"]);
  expect(unpacked(trace.dimensions[0]!.values)).toEqual(kept.map((r) => (r.policy === "a" ? 0 : 1)));
  expect(unpacked(trace.dimensions[2]!.values)).toEqual(kept.map((r) => r.cycles));
  expect(text).toContain("39 rows over policy, limit, cycles; 1 without a value");
});

/** Packed numbers as lists: what plotly.js draws packed it does not validate. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if (!("bdata" in value)) return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]));
  const numbers = unpacked(value).map((n) => (Number.isNaN(n) ? null : n));
  const columns = Number((value as Packed).shape?.split(", ")[1] ?? 0);
  if (columns === 0) return numbers;
  return Array.from({ length: numbers.length / columns }, (_, r) => numbers.slice(r * columns, (r + 1) * columns));
}

/** plotly.js as JupyterLab has it: of the environment that `npm start` makes, or where PTXLAB_PLOTLY says. */
const python = path.join(__dirname, "../../.venv/lib");
const plotly = [
  process.env.PTXLAB_PLOTLY ?? "",
  ...(existsSync(python) ? readdirSync(python) : []).map((version) =>
    path.join(python, version, "site-packages/plotly/package_data/plotly.min.js"),
  ),
].find((file) => existsSync(file));

(plotly === undefined ? describe.skip : describe)("in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test.each(Object.keys(figures))("plotly.js draws the %s without a complaint", async (name) => {
    const page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
    const complaints: string[] = [];
    page.on("console", (m) => m.type() === "error" && complaints.push(m.text()));
    page.on("pageerror", (e) => complaints.push(e.message));
    await page.setContent("<div id=chart></div>");
    await page.addScriptTag({ path: plotly! });
    const { figure } = figures[name]!();
    const found = await page.evaluate(
      async (f) => {
        type Lib = {
          newPlot(id: string, data: unknown, layout: unknown, config: unknown): Promise<unknown>;
          validate(data: unknown, layout: unknown): readonly { code: string; msg: string }[] | undefined;
        };
        const { Plotly } = globalThis as unknown as { Plotly: Lib };
        // In the page: what the tests of Node have no types for.
        const { document } = globalThis as unknown as {
          document: { querySelectorAll(s: string): { length: number } };
        };
        await Plotly.newPlot("chart", f.data, f.layout, f.config);
        return {
          // What plotly.js makes of a value by its own defaults is no mistake.
          wrong: (Plotly.validate(f.plain, f.layout) ?? []).filter((w) => w.code !== "dynamic").map((w) => w.msg),
          bars: document.querySelectorAll(".bars .point").length,
        };
      },
      // Plain JSON, as the front end gets it.
      JSON.parse(JSON.stringify({ ...figure, plain: plain(figure.data.map((t) => ({ ...t, visible: true }))) })),
    );
    expect(found.wrong).toEqual([]);
    expect(complaints).toEqual([]);
    if (name === "Gantt chart") expect(found.bars).toBe(10_000);
    await page.close();
  });
});
