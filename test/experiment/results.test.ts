/** What is made of rows: queries, manifests, intervals, fronts, sensitivities, each against what is known of the answer. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processHost } from "../../lib/cli/host";
import { ptxlab } from "../../lib/cli/index";
import {
  type Factor,
  type Manifest,
  morris,
  morrisDesign,
  pairedBootstrap,
  paretoFront,
  provenance,
  sobol,
  sobolDesign,
  sweep,
  table,
  unit,
} from "../../lib/experiment/index.js";
import { corpus, corpusPtx } from "../corpus/cases.js";

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ptxlab-results-"));
  writeFileSync(join(folder, "k.ptx"), corpusPtx("saxpy", "sm_90"));
  writeFileSync(join(folder, "k.json"), JSON.stringify(corpus.find((k) => k.name === "saxpy")!.launch));
  const spec = { name: "s", inputs: [{ ptx: "k.ptx", launch: "k.json" }], levels: [0, 1, 2] };
  await sweep(spec, { folder, threads: 0, out: join(folder, "s") });
});
afterAll(() => rmSync(folder, { recursive: true }));

const said: string[] = [];
const host = { ...processHost, out: (t: string) => void said.push(t), err: (t: string) => void said.push(t) };

describe("queries", () => {
  test("rows of a table, joined with itself; integers are numbers, texts stay texts", async () => {
    const rows = await table(
      "SELECT a.level, b.cycles < a.cycles AS faster, count(*) AS n, '12' AS t, 9007199254740993 AS big, [1, 2] AS l FROM 's.parquet' a JOIN 's.parquet' b ON b.level = a.level + 2 GROUP BY ALL",
      { folder },
    );
    expect(rows).toEqual([{ level: 0, faster: true, n: 1, t: "12", big: "9007199254740993", l: "[1,2]" }]);
  });

  test("the command: text, JSON, CSV; what is wrong with a query", async () => {
    const file = join(folder, "s.parquet");
    const sql = `SELECT level, input || ',"' AS i FROM '${file}' ORDER BY level DESC LIMIT 1`;
    expect(await ptxlab(["query", sql], host)).toBe(0);
    expect(said.at(-1)).toMatch(/^level\s+i\s*\n\s*2\s+k.ptx,"\s*\n$/);
    expect(await ptxlab(["query", sql, "--json"], host)).toBe(0);
    expect(JSON.parse(said.at(-1)!)).toEqual([{ level: 2, i: 'k.ptx,"' }]);
    expect(await ptxlab(["query", sql, "--csv"], host)).toBe(0);
    expect(said.at(-1)).toBe('level,i\n2,"k.ptx,"""\n');
    expect(await ptxlab(["query", "SELECT nothing FROM nowhere"], host)).toBe(2);
    expect(said.at(-1)).toMatch(/^ptxlab: Catalog Error: .*nowhere/s);
  });
});

describe("repeat", () => {
  const path = (): string => join(folder, "s.manifest.json");
  const change = (of: (m: Manifest) => Manifest): string => {
    const file = join(folder, "changed.manifest.json");
    writeFileSync(file, JSON.stringify(of(JSON.parse(readFileSync(path(), "utf8")) as Manifest)));
    return file;
  };

  test("the same rows agree", async () => {
    expect(await ptxlab(["repeat", path(), "--threads", "0"], host)).toBe(0);
    expect(said.at(-1)).toBe("3 rows: all agree\n");
  });

  test("rows that do not agree are told; files that changed end it", async () => {
    const other = change((m) => ({ ...m, spec: { ...m.spec, levels: [0, 1, 0] } }));
    expect(await ptxlab(["repeat", other, "--threads", "0"], host)).toBe(1);
    expect(said.at(-1)).toMatch(/^row 3, k.ptx: .*level 2 -> 0.*\n1 of 3 rows do not agree\n$/);
    const gone = change((m) => ({ ...m, files: { ...m.files, "k.json": "0", "x.bin": "0" } }));
    expect(await ptxlab(["repeat", gone], host)).toBe(2);
    expect(said.at(-1)).toMatch(/: k.json is another one; x.bin is gone\n$/);
  });

  test("a notebook's cell says who made its figures", () => {
    const { tables, ptxlab: version } = provenance(join(folder, "s"));
    expect(tables).toMatchObject([{ table: "s.parquet", rows: 3, ptxlab: version }]);
  });
});

describe("statistics", () => {
  /** Normal by the sum of twelve. */
  const normal = (i: number): number => Array.from({ length: 12 }, (_, k) => unit(7, i, k)).reduce((a, b) => a + b) - 6;

  test("the interval of pairs is that of the normal distribution where logarithms are normal", () => {
    const pairs = Array.from({ length: 400 }, (_, i) => ({
      before: 1 + i,
      after: (1 + i) * Math.exp(0.1 * normal(i) - 0.05),
    }));
    const logs = pairs.map((p) => Math.log(p.after / p.before));
    const mean = logs.reduce((a, b) => a + b) / 400;
    const error = Math.sqrt(logs.reduce((s, x) => s + (x - mean) ** 2, 0) / 399 / 400);
    const found = pairedBootstrap(pairs, { samples: 2000 });
    expect(found.ratio).toBeCloseTo(Math.exp(mean), 12);
    expect(Math.log(found.low)).toBeCloseTo(mean - 1.96 * error, 3);
    expect(Math.log(found.high)).toBeCloseTo(mean + 1.96 * error, 3);
    expect(() => pairedBootstrap([])).toThrow("no pairs");
    expect(() => pairedBootstrap([{ before: 1, after: 0 }])).toThrow("above 0");
  });

  test("a front has what no other row beats", () => {
    const rows = Array.from({ length: 300 }, (_, i) => ({
      a: Math.floor(20 * unit(1, i)),
      b: Math.floor(20 * unit(2, i)),
    }));
    const found = paretoFront(rows, [
      { name: "a", of: (r) => r.a, want: "less" },
      { name: "b", of: (r) => r.b, want: "more" },
    ]);
    const beaten = (r: (typeof rows)[0]): boolean =>
      rows.some((q) => q.a <= r.a && q.b >= r.b && (q.a < r.a || q.b > r.b));
    expect(found).toEqual(rows.filter((r) => !beaten(r)));
    expect(paretoFront([{ x: null }], [{ name: "x", of: (r) => r.x, want: "less" }])).toEqual([]);
  });

  const steps = (name: string, n: number): Factor => ({
    name,
    values: Array.from({ length: n }, (_, i) => i / (n - 1)),
  });

  test("Morris: the effects of a linear function are its coefficients, of a product they vary", () => {
    const design = morrisDesign([steps("a", 4), steps("b", 5), steps("c", 2), steps("none", 3)], { trajectories: 8 });
    expect(design.points).toHaveLength(8 * 5);
    const linear = morris(
      design,
      design.points.map((p) => 3 * Number(p.a) - 5 * Number(p.b) + Number(p.c)),
    );
    expect(linear.map((e) => [e.name, e.meanSize.toFixed(6), e.mean.toFixed(6), e.deviation.toFixed(6)])).toEqual([
      ["b", "5.000000", "-5.000000", "0.000000"],
      ["a", "3.000000", "3.000000", "0.000000"],
      ["c", "1.000000", "1.000000", "0.000000"],
      ["none", "0.000000", "0.000000", "0.000000"],
    ]);
    const product = morris(
      design,
      design.points.map((p) => Number(p.a) * Number(p.c)),
    );
    expect(product.find((e) => e.name === "a")!.deviation).toBeGreaterThan(0.1);
    expect(() => morrisDesign([{ name: "x", values: [1] }])).toThrow("x: a factor has at least two values");
  });

  test("Sobol: the indices of Ishigami's function are those of the literature", () => {
    const angle = (name: string): Factor => ({
      name,
      values: Array.from({ length: 2000 }, (_, i) => Math.PI * ((2 * i + 1) / 2000 - 1)),
    });
    const design = sobolDesign([angle("x1"), angle("x2"), angle("x3")], { samples: 20_000 });
    const figures = design.points.map((p) => {
      const [x1, x2, x3] = [Number(p.x1), Number(p.x2), Number(p.x3)];
      return Math.sin(x1) + 7 * Math.sin(x2) ** 2 + 0.1 * x3 ** 4 * Math.sin(x1);
    });
    const known: Record<string, readonly [number, number]> = {
      x1: [0.3139, 0.5576],
      x2: [0.4424, 0.4424],
      x3: [0, 0.2437],
    };
    for (const { name, first, total } of sobol(design, figures)) {
      expect(Math.abs(first - known[name]![0])).toBeLessThan(0.02);
      expect(Math.abs(total - known[name]![1])).toBeLessThan(0.02);
    }
    expect(
      sobol(
        design,
        figures.map(() => 1),
      ),
    ).toContainEqual({ name: "x1", first: 0, total: 0 });
  });

  test("Sobol's indices of figures far from 0 are those of the same figures around it", () => {
    // 2 u + v: variances 5 and 1/4.
    const design = sobolDesign([
      { name: "u", values: [0, 1, 2, 3] },
      { name: "v", values: [0, 1] },
    ]);
    const figures = design.points.map((p) => 2 * Number(p.u) + Number(p.v));
    const near = sobol(
      design,
      figures.map((f) => f - 3.5),
    );
    const far = sobol(
      design,
      figures.map((f) => f + 10_000),
    );
    for (const [i, { name, first, total }] of near.entries()) {
      expect(far[i]!.name).toBe(name);
      expect(far[i]!.first).toBeCloseTo(first, 6);
      expect(far[i]!.total).toBeCloseTo(total, 6);
      expect(Math.abs(first - (name === "u" ? 5 : 0.25) / 5.25)).toBeLessThan(0.2);
    }
  });
});
