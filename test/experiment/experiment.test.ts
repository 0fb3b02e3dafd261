/** Sweeps and search in one thread; the kernel and the command run them on worker threads. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../../lib/compile.js";
import {
  disagreements,
  hash32,
  pointsOf,
  type Row,
  readSweep,
  readTable,
  reorderCubin,
  type SweepSpec,
  search,
  sweep,
  utilisation,
  type Work,
} from "../../lib/experiment/index.js";
import { load } from "../../lib/experiment/point.js";
import { corpus, corpusPtx } from "../corpus/cases.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ptxlab-"));
  const c = corpus.find((k) => k.name === "saxpy")!;
  writeFileSync(join(folder, "k.ptx"), corpusPtx("saxpy", "sm_90"));
  writeFileSync(join(folder, "k.json"), JSON.stringify(c.launch));
  writeFileSync(join(folder, "k.cubin"), compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90", opt: 2 }).cubin!);
});
afterAll(() => rmSync(folder, { recursive: true }));

const spec: SweepSpec = {
  name: "levels",
  inputs: [{ ptx: "k.ptx", launch: "k.json" }],
  targets: ["sm_75", "sm_90"],
  levels: [0, 2],
};

describe("sweep", () => {
  test("runs every combination and says what came of it", async () => {
    const { rows, complete } = await sweep({ ...spec, targets: ["sm_90"] }, { folder, threads: 0 });
    expect(complete).toBe(true);
    expect(rows.map((r) => [r.target, r.level, r.outcome, r.results, r.hazards])).toEqual([
      ["sm_90", 0, "ok", "as expected", 0],
      ["sm_90", 2, "ok", "as expected", 0],
    ]);
    expect(rows[1]!.cycles!).toBeLessThan(rows[0]!.cycles!);
  });

  test("tells what the threads did: as many as were asked for, no longer than the whole", async () => {
    const works: Work[] = [];
    await sweep({ ...spec, targets: ["sm_90"] }, { folder, threads: 0, onWork: (w) => works.push(w) });
    expect(works.map((w) => w.busy.length)).toEqual([1]);
    expect(utilisation(works[0]!)).toBeGreaterThan(0);
    expect(utilisation(works[0]!)).toBeLessThanOrEqual(1);
  });

  test("refuses a target that the PTX does not run on as a row, not as an exception", async () => {
    const { rows } = await sweep({ ...spec, targets: ["sm_75"], levels: [0] }, { folder, threads: 0 });
    expect(rows[0]!.outcome).toContain(".target");
    expect(rows[0]!.cycles).toBeNull();
  });

  test("a thread loads what its points need: no compiler for machine code, no simulator without a launch file", async () => {
    const parts = async (input: SweepSpec["inputs"][0], shuffle: boolean): Promise<string[]> => {
      const shuffles = { seeds: [1], reach: 2 };
      const [point] = pointsOf({ name: "", inputs: [input], ...(shuffle && { shuffles }) }, folder);
      return Object.entries(await load(point!)).flatMap(([name, part]) => (part === null ? [] : [name]));
    };
    expect(await parts({ cubin: "k.cubin" }, true)).toEqual(["reorder"]);
    expect(await parts({ cubin: "k.cubin", launch: "k.json" }, false)).toEqual(["launched"]);
    expect(await parts({ ptx: "k.ptx" }, false)).toEqual(["compile"]);
  });

  test("a launch file that cannot be used is named in the row", async () => {
    writeFileSync(join(folder, "bad.json"), "{");
    writeFileSync(join(folder, "odd.json"), '{ "launches": 3 }');
    const inputs = ["bad.json", "odd.json"].map((launch) => ({ cubin: "k.cubin", launch }));
    const { rows } = await sweep({ name: "", inputs }, { folder, threads: 0 });
    expect(rows.map((r) => [r.results, r.outcome.split(" ")[0]])).toEqual([
      ["not run", "bad.json:"],
      ["not run", "odd.json:"],
    ]);
  });

  test("goes on where it was interrupted, and ends with a table", async () => {
    const out = join(folder, "levels");
    const stop = new AbortController();
    const options = { folder, threads: 0, out };
    const first = await sweep(spec, { ...options, signal: stop.signal, onRow: (_, i) => i === 1 && stop.abort() });
    expect([first.rows.length, first.complete]).toEqual([2, false]);
    const seen: Row[] = [];
    const second = await sweep(spec, { ...options, onRow: (r) => seen.push(r) });
    expect([second.rows.length, second.resumed, seen.length, second.complete]).toEqual([4, 2, 2, true]);
    expect(readFileSync(`${out}.jsonl`, "utf8").trim().split("\n")).toHaveLength(4);
    expect(await readTable(`${out}.parquet`)).toEqual(second.rows);
    // Killed in the middle of a line: that row is run again, and the next one does not end up after the rest.
    const whole = readFileSync(`${out}.parquet`);
    const journal = readFileSync(`${out}.jsonl`, "utf8");
    writeFileSync(`${out}.jsonl`, journal.slice(0, -20));
    const third = await sweep(spec, options);
    expect([third.resumed, third.complete]).toEqual([3, true]);
    expect(readFileSync(`${out}.jsonl`, "utf8")).toBe(journal);
    expect(readFileSync(`${out}.parquet`).equals(whole)).toBe(true);
  });

  test("a row names the knobs of its point that nobody read, also in the table; a table without that column still agrees", async () => {
    const knobs = { SchedTexLatency: [5], RegAllocSortRegs: [1] };
    const out = join(folder, "unread");
    const { rows } = await sweep({ name: "", inputs: [{ ptx: "k.ptx" }], knobs }, { folder, threads: 0, out });
    expect(rows.map((r) => r.knobsNotRead)).toEqual(["SchedTexLatency"]);
    expect((await readTable(`${out}.parquet`)).map((r) => r.knobsNotRead)).toEqual(["SchedTexLatency"]);
    const { rows: plain } = await sweep({ name: "", inputs: [{ ptx: "k.ptx" }] }, { folder, threads: 0 });
    expect(plain[0]!.knobsNotRead).toBeNull();
    expect(
      await disagreements(
        `${out}.parquet`,
        [...rows].map((r) => ({ ...r, laterColumn: 1 })),
      ),
    ).toEqual([]);
    expect(await disagreements(`${out}.parquet`, [{ ...rows[0]!, knobsNotRead: null }])).toHaveLength(1);
  });

  test.each([
    [{ name: "a" }, "inputs: wants a list of objects"],
    [{ ...spec, what: 1 }, 'unknown field "what": a sweep has '],
    [{ ...spec, inputs: [{ ptx: "none.ptx" }] }, "inputs[0]: cannot read 'none.ptx'"],
    [{ ...spec, inputs: [{ ptx: "." }] }, "inputs[0]: cannot read '.'"],
    [{ ...spec, targets: ["sm_20"] }, "targets: no such target sm_20"],
    [{ ...spec, policies: ["x"] }, "policies: no policy x; there are keep, control, "],
    [{ ...spec, knobs: { NoSuchKnob: [1] } }, "knobs.NoSuchKnob: "],
  ])("a bad description is told: %#", (json, message) => {
    expect(readSweep(json, folder)).toContain(message);
  });

  test("a good description is taken, point by point", () => {
    const read = readSweep({ ...spec, maxRegisters: [0, 24] }, folder);
    expect(typeof read).toBe("object");
    expect(pointsOf(read as SweepSpec, folder)).toHaveLength(8);
  });
});

describe("orders", () => {
  test("a shuffle is legal, repeatable, and another one for another seed", () => {
    const bytes = readFileSync(join(folder, "k.cubin"));
    const code = (seed: number): string => {
      const made = reorderCubin(bytes, [{ shuffle: seed, reach: 8, share: 1 }]);
      if (!made.ok) throw new Error(made.diagnostics[0]?.message);
      expect(made.value.hazards).toBe(0);
      return Buffer.from(made.value.bytes).toString("hex");
    };
    expect(code(1)).toBe(code(1));
    expect(code(1)).not.toBe(code(2));
    // The file that was given (a Buffer) is not touched.
    expect(bytes.equals(readFileSync(join(folder, "k.cubin")))).toBe(true);
  });

  test("search only keeps orders that are safe and right, and repeats itself", async () => {
    const input = { cubin: "k.cubin", launch: "k.json" };
    const options = { folder, threads: 0, seed: 7, steps: 1, width: 1, children: 2, policies: ["critical-path"] };
    const [a, b] = [await search(input, options), await search(input, options)];
    expect(a.best.cycles!).toBeLessThanOrEqual(a.start.cycles!);
    expect([a.best.results, a.best.hazards]).toEqual(["as expected", 0]);
    expect(b.rows).toEqual(a.rows);
  });

  test("a search ends without progress, and when its time is spent", async () => {
    const input = { cubin: "k.cubin", launch: "k.json" };
    const options = { folder, threads: 0, seed: 7, steps: 6, width: 1, children: 1, policies: [] };
    const whole = await search(input, options);
    expect(whole.history).toHaveLength(2 + 6);
    const patient = await search(input, { ...options, patience: 2 });
    const still = whole.history.findIndex((h, i) => i >= 3 && whole.history[i - 2]! <= h);
    expect(patient.history).toEqual(whole.history.slice(0, still < 0 ? undefined : still + 1));
    expect((await search(input, { ...options, seconds: 0 })).history).toEqual(whole.history.slice(0, 3));
  });

  test("hashes spread", () => {
    const values = new Set(Array.from({ length: 1000 }, (_, i) => hash32(1, i)));
    expect(values.size).toBe(1000);
  });
});
