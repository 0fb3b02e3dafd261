/**
 * The clock with a libcuda in Python in place of the driver (test/gpu/stub): its kernels write what the plan says and take as long
 * as it says. Times here are the stub's, not measured.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { sweepCommand } from "../../lib/cli/sweep.js";
import { compile } from "../../lib/compile.js";
import { readCubin } from "../../lib/elf/index.js";
import {
  type Candidate,
  type ClockOptions,
  clock,
  type Judgement,
  model,
  type Objective,
  readSweep,
  readTable,
  reorderCubin,
  type SweepSpec,
  search,
  sweep,
} from "../../lib/experiment/index.js";
import { median, spread } from "../../lib/experiment/statistics.js";
import { unwrap } from "../../lib/result.js";
import { corpusPtx } from "../corpus/cases.js";
import { describePython, type StubPlan, saxpy, sha, stubEnvironment } from "../gpu/stub.js";

const script = resolve(__dirname, "../../lib/experiment/clock/clock.py");

// Processes are started, and some are waited for.
jest.setTimeout(30_000);

let folder: string;
let base: Uint8Array;
/** Codes that differ from the base and from each other. */
let codes: readonly Uint8Array[];
const open: Objective[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ptxlab-"));
  base = compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90", opt: 0 }).cubin!;
  writeFileSync(join(folder, "k.ptx"), corpusPtx("saxpy", "sm_90"));
  writeFileSync(join(folder, "k.cubin"), base);
  writeFileSync(join(folder, "k.json"), JSON.stringify(saxpy.launch));
  codes = [1, 2, 3].map((seed) => unwrap(reorderCubin(base, [{ shuffle: seed, reach: 8, share: 1 }])).bytes);
  expect(new Set([base, ...codes].map(sha)).size).toBe(4);
});
afterEach(async () => {
  for (const o of open.splice(0)) await o.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A clock on a stub of its own. */
function stubbed(plan: StubPlan, options: ClockOptions = {}): Objective {
  const env = stubEnvironment(folder, { ...plan, log: true });
  logs.set(options, `${env.PTXLAB_STUB}.log`);
  rmSync(`${env.PTXLAB_STUB}.log`, { force: true });
  const command = ["env", ...Object.entries(env).map(([k, v]) => `${k}=${v}`), "python3", "-B", script];
  const made = clock({ repetitions: 5, inARow: 4, command, ...options });
  open.push(made);
  return made;
}
/** A line for each process that was started. */
const logs = new Map<ClockOptions, string>();

const candidate = (cubin: Uint8Array, more: Partial<Candidate> = {}): Candidate => ({
  cubin,
  base,
  launch: "k.json",
  place: folder,
  hazards: null,
  ...more,
});
const inShort = ({ outcome, results, measured }: Judgement): unknown => [outcome, results, measured?.ratio ?? null];

describePython("clock", () => {
  test("times a code in turn with the base, so that drift leaves their ratio alone, and says who did", async () => {
    const gpu = stubbed({ drift: 0.001, codes: { [sha(codes[0]!)]: { us: 8 } } });
    const { outcome, results, measured, estimated } = await gpu.judge(candidate(codes[0]!));
    expect([outcome, results, estimated]).toEqual(["ok", "as expected", null]);
    expect(measured).toMatchObject({
      card: "Stub",
      driver: "580.1, CUDA 13.0",
      clockMhz: 1755,
      repetitions: 5,
      inARow: 4,
    });
    expect(measured!.baseHash).toBe(sha(base));
    expect(measured!.median!).toBeGreaterThan(measured!.least!);
    expect(Math.abs(measured!.ratio! - 0.8)).toBeLessThan(0.01);
    expect(measured!.spread!).toBeLessThan(0.02);
  });

  test("without a base there is no ratio", async () => {
    const { measured } = await stubbed({}).judge(candidate(codes[0]!, { base: null }));
    expect(measured).toMatchObject({ median: 10, least: 10, ratio: null, spread: 0, baseHash: null });
  });

  test("a code that is wrong, faults, hangs or does not load is told; the rest goes on, in a new process where need be", async () => {
    const bad = [{ wrong: true }, { fault: true }, { hang: true }];
    const unloadable = unwrap(reorderCubin(base, [{ shuffle: 4, reach: 8, share: 1 }])).bytes;
    const plan: Record<string, object> = { [sha(unloadable)]: { unloadable: true } };
    bad.forEach((how, i) => {
      plan[sha(codes[i]!)] = how;
    });
    const options = { seconds: 2 };
    const gpu = stubbed({ codes: plan }, options);
    const told: unknown[] = [];
    for (const c of [...codes, unloadable, base]) told.push(inShort(await gpu.judge(candidate(c))));
    expect(told).toEqual([
      ["ok", "different", null],
      ["cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS", "not run", null],
      ["no answer within 2 s", "not run", null],
      ["cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE", "not run", null],
      ["ok", "as expected", 1],
    ]);
    expect(readFileSync(logs.get(options)!, "utf8").trim().split("\n")).toHaveLength(3);
  });

  test("a base that cannot be one is told, and not tried again", async () => {
    const options = {};
    const gpu = stubbed({ codes: { [sha(base)]: { fault: true } } }, options);
    for (const c of codes.slice(0, 2))
      expect(inShort(await gpu.judge(candidate(c)))).toEqual([
        "the base: cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS",
        "not run",
        null,
      ]);
    expect(readFileSync(logs.get(options)!, "utf8").trim().split("\n")).toHaveLength(1);
  });

  test("codes with hazards are not sent", async () => {
    const options = {};
    const gpu = stubbed({}, options);
    // Stalls of one cycle and no waits: bits 105 to 125 of every instruction.
    const loose = Uint8Array.from(base);
    const words = new DataView(loose.buffer);
    const found = unwrap(readCubin(base)).functions[0]!;
    const text = Buffer.from(base).indexOf(
      Buffer.from(found.words.buffer, found.words.byteOffset, found.words.byteLength),
    );
    for (let i = 0; i < found.words.length / 4; i++) {
      const place = text + 16 * i + 12;
      words.setUint32(place, (words.getUint32(place, true) & 0x1ff) | (1 << 9), true);
    }
    expect(inShort(await gpu.judge(candidate(loose)))).toEqual([
      expect.stringMatching(/^\d+ findings of the hazard checker$/),
      "not run",
      null,
    ]);
    expect(existsSync(logs.get(options)!)).toBe(false);
  });

  test("launch files that cannot be used are named", async () => {
    writeFileSync(join(folder, "bad.json"), "{");
    const { expect: _, ...unknown } = saxpy.launch;
    writeFileSync(join(folder, "unknown.json"), JSON.stringify(unknown));
    const [l] = saxpy.launch.launches;
    writeFileSync(join(folder, "few.json"), JSON.stringify({ ...saxpy.launch, launches: [{ ...l, params: [] }] }));
    const gpu = stubbed({});
    const told: string[] = [];
    for (const launch of ["bad.json", "unknown.json", "few.json"])
      told.push((await gpu.judge(candidate(codes[0]!, { launch }))).outcome);
    expect(told).toEqual([
      expect.stringMatching(/^bad.json: /),
      "unknown.json: expect: the results of a code that runs on a GPU need to be known",
      expect.stringMatching(/^few.json: launches\[0\]: the kernel has \d parameters, 0 arguments were given$/),
    ]);
  });

  test("no library, no GPU, no Python: a diagnostic, and no row of the model in place", async () => {
    const none = [
      stubbed({ missing: true }),
      stubbed({}, { device: 7 }),
      clock({ command: ["no-such-python"] }),
      clock({ command: ["echo", "{ Welcome"] }),
    ];
    const told: string[] = [];
    for (const o of none) {
      const opened = await o.open();
      told.push(opened.ok ? "" : opened.diagnostics[0]!.message.replace(/^.*?: /, ""));
    }
    expect(told).toEqual([
      "libcuda.so.1: cannot open shared object file: No such file or directory",
      "cuDeviceGet: CUDA_ERROR_INVALID_DEVICE",
      "cannot start no-such-python: no such program",
      "no answer: { Welcome 0",
    ]);
    const spec: SweepSpec = { name: "s", inputs: [{ cubin: "k.cubin", launch: "k.json" }] };
    await expect(sweep(spec, { folder, threads: 0, objective: none[0]! })).rejects.toThrow("libcuda.so.1");
    const input = { cubin: "k.cubin", launch: "k.json" };
    await expect(search(input, { folder, threads: 0, seed: 1, steps: 0, objective: none[2]! })).rejects.toThrow(
      "python",
    );
  });

  test("a sweep by the clock: rows that say what measured them, ids of their own, resumed by them", async () => {
    const spec: SweepSpec = {
      name: "s",
      inputs: [
        { cubin: "k.cubin", launch: "k.json" },
        { ptx: "k.ptx", launch: "k.json" },
      ],
      policies: ["keep", "critical-path"],
      levels: [2],
    };
    const out = join(folder, "s");
    const byModel = await sweep({ ...spec, levels: [2] }, { folder, threads: 0, out });
    expect(byModel.rows.map((r) => [r.objective, r.card, r.ratio])).toEqual(Array(3).fill([null, null, null]));
    const gpu = stubbed({});
    const { rows, resumed } = await sweep(spec, { folder, threads: 0, out, objective: gpu });
    expect([resumed, rows.length]).toEqual([0, 3]);
    for (const r of rows) {
      expect([r.objective, r.card, r.results, r.ratio, r.cycles]).toEqual(["clock", "Stub", "as expected", 1, null]);
      expect(byModel.rows.map((m) => m.id)).not.toContain(r.id);
    }
    // The base of PTX is what it becomes by default.
    expect(rows[2]!.baseHash).toBe(sha(compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90", opt: 3 }).cubin!));
    expect((await sweep(spec, { folder, threads: 0, out, objective: gpu })).resumed).toBe(3);
    expect(await readTable(`${out}.parquet`)).toEqual(rows);
    expect(await sweep(spec, { folder, threads: 0, objective: model })).toEqual({ ...byModel, resumed: 0 });
  });

  test("a search by the clock ends with what beats the start by more than the spread, measured again", async () => {
    const input = { cubin: "k.cubin", launch: "k.json" };
    const how = {
      folder,
      threads: 0,
      seed: 7,
      steps: 0,
      width: 2,
      policies: ["critical-path"],
      finalists: 3,
    };
    const plain = await search(input, how);
    expect(plain.second).toEqual([]);
    // The model's best is slow on this GPU, another one of its best three is fast.
    const ranked = plain.rows
      .filter((r, i, all) => r.cubinHash !== sha(base) && all.findIndex((o) => o.cubinHash === r.cubinHash) === i)
      .sort((a, b) => a.cycles! - b.cycles! || (a.id < b.id ? -1 : 1));
    const [slow, fast] = ranked;
    const us = { [slow!.cubinHash]: { us: 11 }, [fast!.cubinHash]: { us: 9 } };
    const found = await search(input, { ...how, objective: stubbed({ codes: us }) });
    expect([found.best.cubinHash, found.best.ratio, found.best.objective]).toEqual([fast!.cubinHash, 0.9, "clock"]);
    expect([found.start.objective, found.start.ratio, found.start.cubinHash]).toEqual(["clock", 1, sha(base)]);
    expect(found.history).toEqual(plain.history);
    expect(found.rows.slice(0, plain.rows.length)).toEqual(plain.rows);
    expect(found.rows.length).toBe(plain.rows.length + 4);
    expect(found.second.map((r) => r.ratio)).toEqual([1, 0.9, 1]);
    // All alike: the code as it was.
    const none = await search(input, { ...how, objective: stubbed({}), screen: false });
    expect(none.best).toBe(none.start);
    expect(new Set(none.rows.map((r) => r.objective))).toEqual(new Set(["clock"]));
  });

  test("a person's own objective", async () => {
    const sizes: Objective = {
      name: "bytes",
      open: model.open,
      judge: async ({ cubin }) => ({
        outcome: "ok",
        results: "as expected",
        estimated: null,
        measured: { ...nothing, median: cubin.length },
      }),
      close: async () => {},
    };
    const nothing = {
      card: null,
      driver: null,
      clockMhz: null,
      repetitions: 1,
      inARow: 1,
      least: null,
      ratio: null,
      spread: 0,
      baseHash: null,
    };
    const spec: SweepSpec = { name: "s", inputs: [{ cubin: "k.cubin", launch: "k.json" }] };
    const { rows } = await sweep(spec, { folder, threads: 0, objective: sizes });
    expect(rows.map((r) => [r.objective, r.median])).toEqual([["bytes", base.length]]);
  });
});

describe("objectives", () => {
  test("a sweep file names its objective", () => {
    const with_ = (objective: unknown): unknown =>
      readSweep({ name: "s", inputs: [{ cubin: "k.cubin" }], objective }, folder);
    expect(with_({ clock: { device: 0, repetitions: 10 } })).toMatchObject({ name: "s" });
    expect(with_("fast")).toBe(
      'objective: wants "model", "clock" or { "clock": { device, repetitions, inARow, seconds } }',
    );
    expect(with_({ clock: { repetitions: 0 } })).toBe("objective: clock.repetitions: wants a whole number");
  });

  test("the command refuses a GPU that is not there", async () => {
    const path = join(folder, "sweep.json");
    const inputs = [{ cubin: "k.cubin", launch: "k.json" }];
    writeFileSync(path, JSON.stringify({ name: "s", inputs, objective: { clock: { device: 99 } } }));
    let said = "";
    const host = {
      read: (p: string) => readFileSync(p),
      write: () => true,
      isDirectory: () => false,
      out: () => {},
      err: (text: string) => {
        said += text;
      },
    };
    expect(await sweepCommand([path], host)).toBe(2);
    expect(said).toMatch(/error: the clock needs a GPU, its driver \(libcuda.so.1\) and python3: /);
    expect(existsSync(join(folder, "sweep.parquet"))).toBe(false);
  });

  test("the model answers as in a sweep", async () => {
    const { estimated, measured, results } = await model.judge(candidate(codes[0]!));
    expect([results, measured]).toEqual(["as expected", null]);
    expect(estimated!.cycles!).toBeGreaterThan(0);
  });

  test("summaries", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(spread([1, 2, 3, 4, 5])).toBe(2);
  });
});
