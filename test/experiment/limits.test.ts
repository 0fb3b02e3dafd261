/** Points that do not end, threads that die, shards: every point is one row, and the table is that of one run. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processHost } from "../../lib/cli/host";
import { ptxlab } from "../../lib/cli/index";
import {
  execute,
  keepThreads,
  lacks,
  mergeShards,
  type Point,
  pointId,
  pointsOf,
  readJournal,
  readSweep,
  readTable,
  type SweepSpec,
  sweep,
  writeTable,
} from "../../lib/experiment/index.js";
import { corpus, corpusPtx } from "../corpus/cases.js";

const endless = `.version 8.0
.target sm_75
.address_size 64
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)
{
.reg .b32 %r<2>; .reg .b64 %rd<2>;
ld.param.u64 %rd1, [y];
L: ld.volatile.global.u32 %r1, [%rd1];
bra.uni L;
}
`;

jest.setTimeout(120_000);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ptxlab-"));
  writeFileSync(join(folder, "k.ptx"), corpusPtx("saxpy", "sm_90"));
  writeFileSync(join(folder, "endless.ptx"), endless);
  writeFileSync(join(folder, "damaged.ptx"), endless.replace("bra.uni L", "bra.uni"));
  writeFileSync(join(folder, "k.json"), JSON.stringify(corpus.find((k) => k.name === "saxpy")!.launch));
});
afterEach(() => rmSync(folder, { recursive: true }));

const inputs = (...names: string[]): SweepSpec["inputs"] => names.map((n) => ({ ptx: `${n}.ptx`, launch: "k.json" }));
const spec = (budget: SweepSpec["budget"], ...names: string[]): SweepSpec => ({
  name: "limits",
  inputs: inputs(...names),
  levels: [0, 2],
  ...(budget && { budget }),
});

test("an endless kernel and a damaged text are rows beside the others", async () => {
  const { rows, complete } = await sweep(spec({ instructions: 5000 }, "k", "endless", "damaged"), {
    folder,
    threads: 0,
  });
  expect(complete).toBe(true);
  expect(rows.map((r) => r.outcome.replace(/^.*?(fault: budget|error|ok).*$/s, "$1"))).toEqual([
    "ok",
    "ok",
    "fault: budget",
    "fault: budget",
    "error",
    "error",
  ]);
  expect(rows.map((r) => r.cycles !== null)).toEqual([true, true, false, false, false, false]);
});

test("a point may take so many cycles of the model, and its buffers so much memory", async () => {
  const one = async (budget: SweepSpec["budget"]): Promise<readonly (string | number | null)[]> => {
    const { rows } = await sweep({ ...spec(budget, "k"), levels: [0] }, { folder, threads: 0 });
    return rows.flatMap((r) => [r.outcome, r.results, r.cycles]);
  };
  const [, , cycles] = await one(undefined);
  expect(await one({ cycles: cycles as number })).toEqual(["ok", "as expected", cycles]);
  expect(await one({ cycles: (cycles as number) - 1 })).toEqual([
    `budget: more than ${(cycles as number) - 1} cycles`,
    "not run",
    null,
  ]);
  expect(await one({ cycles: 1 })).toEqual(["budget: more than 1 cycles", "not run", null]);
  const many = { type: "f32", length: 300_000 };
  const launch = corpus.find((k) => k.name === "saxpy")!.launch;
  writeFileSync(join(folder, "k.json"), JSON.stringify({ ...launch, buffers: { ...launch.buffers, many } }));
  expect(await one({ memory: 1 })).toEqual(["budget: more than 1 MiB", "not run", null]);
  expect((await one({ memory: 2 })).slice(0, 2)).toEqual(["ok", "as expected"]);
});

test("on a thread, a point may take so many seconds and so much memory; the next one has a thread again", async () => {
  const { rows } = await sweep({ ...spec({ seconds: 1 }, "endless", "k"), levels: [0] }, { folder, threads: 1 });
  expect(rows.map((r) => [r.outcome, r.results])).toEqual([
    ["budget: no end after 1 seconds", "not run"],
    ["ok", "as expected"],
  ]);
  const small = await sweep({ ...spec({ memory: 8 }, "k"), levels: [0] }, { folder, threads: 1 });
  expect(small.rows.map((r) => r.outcome)).toEqual(["budget: more than 8 MiB"]);
});

test("what is no PTX is told by the name of its file", async () => {
  writeFileSync(join(folder, "words.ptx"), "words");
  const { rows } = await sweep({ ...spec(undefined, "words"), levels: [0] }, { folder, threads: 0 });
  expect(rows[0]!.outcome).toMatch(/words\.ptx, line 1; .* at start of file 'words\.ptx'$/);
});

test("a budget is a part of what a point is; what a budget may say is checked", () => {
  expect(readSweep({ ...spec(undefined, "k"), budget: { instructions: 0 } }, folder)).toMatch(
    /^budget.instructions: wants/,
  );
  expect(readSweep({ ...spec(undefined, "k"), budget: { hours: 1 } }, folder)).toMatch(/^budget.hours: wants/);
  expect(pointsOf(spec({ seconds: 5 }, "k"), folder)[0]!.budget).toEqual({ seconds: 5 });
});

test("a sweep shows itself as a sentence and a table of what differs between its rows", async () => {
  const result = await sweep(spec({ instructions: 5000 }, "k", "damaged"), { folder, threads: 0 });
  const display = Symbol.for("Jupyter.display");
  const shown = (result as unknown as Record<symbol, () => Record<string, string>>)[display]!();
  const lines = shown["text/plain"]!.split("\n");
  expect(lines[0]).toBe("Sweep: 4 rows, 2 ok");
  expect(lines[1]).toMatch(/^input +target? *level +outcome +results +hazards/);
  expect(lines[2]).toMatch(/^k\.ptx .*-O0 .*as expected/);
  expect(shown["text/html"]).toContain("damaged.ptx");
  expect(JSON.parse(JSON.stringify(result)).complete).toBe(true);
});

test("what a machine must have is no part of what a point is; a machine that lacks it is told", async () => {
  const what: SweepSpec = { ...spec(undefined, "k"), levels: [0] };
  const needy: SweepSpec = { ...what, needs: { cores: 2 } };
  const [plain, wanting] = [what, needy].map((s) => pointsOf(s, folder)[0]!) as [Point, Point];
  expect(wanting.needs).toEqual({ cores: 2 });
  expect(pointId(wanting, folder)).toBe(pointId(plain, folder));
  const own = { ...needy, inputs: [{ ...what.inputs[0]!, needs: { gpu: "H100" } }] };
  expect(pointsOf(own, folder)[0]!.needs).toEqual({ gpu: "H100" });
  await expect(sweep({ ...what, needs: { cores: 100_000 } }, { folder, threads: 0 })).rejects.toThrow(
    "points need 100000 cores, which this machine does not have",
  );
  const has = { cores: 8, memory: 1000, gpus: ["NVIDIA H100 80GB HBM3"] };
  const lacking = [{ cores: 9 }, { memory: 1001, cores: 8 }, { gpu: "h100" }, { gpu: true }, { gpu: "A100" }] as const;
  expect(lacking.map((n) => lacks(n, has))).toEqual(["9 cores", "1001 MiB of memory", "", "", "a GPU named 'A100'"]);
  expect(readSweep({ ...what, needs: { cores: 0 } }, folder)).toMatch(/^needs: cores: wants/);
});

test("threads that are kept serve one run after the other", async () => {
  const pool = keepThreads(1);
  try {
    const points = pointsOf(spec(undefined, "k"), folder);
    const [first, second] = [await execute(points, { folder, pool }), await execute(points, { folder, pool })];
    expect(second).toEqual(first);
    expect(first.map((r) => r?.outcome)).toEqual(["ok", "ok"]);
    const stop = new AbortController();
    stop.abort();
    expect(await execute(points, { folder, pool, signal: stop.signal })).toEqual([null, null]);
  } finally {
    await pool.end();
  }
});

test("shards merged are one run, byte for byte; a missing shard is told", async () => {
  const what: SweepSpec = { ...spec({ instructions: 5000 }, "k", "endless"), maxRegisters: [0, 32, 40] };
  const [one, parts] = [join(folder, "one"), join(folder, "parts")];
  await sweep(what, { folder, threads: 0, out: one });
  for (const index of [3, 1]) await sweep(what, { folder, threads: 0, out: parts, shard: { index, of: 3 } });
  expect(await mergeShards(what, { folder, out: parts })).toMatchObject({ points: 12, missing: 4 });
  await sweep(what, { folder, threads: 0, out: parts, shard: { index: 2, of: 3 } });
  expect((await mergeShards(what, { folder, out: parts })).missing).toBe(0);
  expect(readFileSync(`${parts}.parquet`).equals(readFileSync(`${one}.parquet`))).toBe(true);
});

test("the commands: sweep --shard, merge", async () => {
  writeFileSync(join(folder, "s.json"), JSON.stringify({ name: "s", inputs: [{ ptx: "k.ptx" }], levels: [0, 1, 2] }));
  const said: string[] = [];
  const host = { ...processHost, out: (t: string) => void said.push(t), err: (t: string) => void said.push(t) };
  const file = join(folder, "s.json");
  expect(await ptxlab(["sweep", file, "--shard", "1/2", "--threads", "0"], host)).toBe(0);
  expect(said.at(-1)).toContain("2 points of shard 1 of 2; merge makes the table");
  expect(await ptxlab(["merge", file], host)).toBe(1);
  expect(said.at(-1)).toBe("ptxlab: 1 journal: no row of 1 of 3 points\n");
  expect(await ptxlab(["sweep", file, "--shard", "2/2", "--threads", "0"], host)).toBe(0);
  expect(await ptxlab(["merge", file], host)).toBe(0);
  expect((await readTable(join(folder, "s.parquet"))).map((r) => r.level)).toEqual([0, 1, 2]);
  expect(await ptxlab(["sweep", file, "--shard", "3/2"], host)).toBe(2);
});

test("a table of many row groups, and a journal longer than one read", async () => {
  const { rows } = await sweep({ ...spec(undefined, "k"), levels: [0] }, { folder, threads: 0 });
  const many = Array.from({ length: 25_001 }, (_, i) => ({ ...rows[0]!, id: `é${i}` }));
  await writeTable(join(folder, "t.parquet"), many);
  const read = await readTable(join(folder, "t.parquet"));
  expect([read.length, read[25_000]!.id, read[12_345]!.cycles]).toEqual([25_001, "é25000", rows[0]!.cycles]);
  writeFileSync(join(folder, "t.jsonl"), many.map((r) => JSON.stringify(r)).join("\n"));
  expect(readJournal(join(folder, "t.jsonl")).size).toBe(25_001);
});
