/** The runners in Python on a stub of libcuda: what they check, what they leave, and that one bad kernel does not end the rest. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { compile } from "../../lib/compile.js";
import { jobOf } from "../../lib/experiment/clock/job.js";
import { parseLaunchFile, runLaunchFile } from "../../lib/sim/index.js";
import { corpusPtx } from "../corpus/cases.js";
import { program, type Ran } from "../oracle/tools.js";
import { describePython, type StubPlan, saxpy, sha, stubEnvironment } from "./stub.js";

// Processes are started.
jest.setTimeout(60_000);

const code = (k: number): Uint8Array => Uint8Array.of(0x7f, k);
const plan: StubPlan = {
  codes: {
    [sha(code(2))]: { us: 20 },
    [sha(code(3))]: { wrong: true },
    [sha(code(4))]: { fault: true },
    [sha(code(5))]: { unloadable: true },
  },
};

describePython("expectations", () => {
  const same = (
    type: string,
    values: readonly (number | string)[],
    got: readonly (number | string)[],
    how: object = {},
  ) => ({
    ...{ type, values, got, how },
  });
  const table = [
    same("f32", [1, "nan", "inf", 0], [1, "nan", "inf", 0]),
    same("f32", [1], [1.0001], { rel: 1e-3 }),
    same("f32", [1], [1.01], { rel: 1e-3 }),
    same("f32", [1], [1.01], { rel: 1e-3, abs: 0.02 }),
    same("f32", [0], [-0]),
    same("f32", [0], [-0], { abs: 0 }),
    same("f32", ["nan"], ["0x7fc00001"]),
    same("f32", ["nan"], ["0x7fc00001"], { nanBits: true }),
    same("f32", ["nan"], [1], { abs: 1e9 }),
    same("f32", ["inf"], [1e30], { rel: 1 }),
    same("f32", ["inf"], ["-inf"], { rel: 1 }),
    same("f16", [1], [1.5], { abs: 0.5 }),
    same("bf16", [256], [258], { rel: 0.01 }),
    same("bf16", [256], [264], { rel: 0.01 }),
    same("f64", [1e300], [1e300], {}),
    same("s32", [-5], [-4], { abs: 1 }),
    same("u64", ["18446744073709551615"], ["18446744073709551614"]),
    same("u8", [255], [254], { rel: 0.01 }),
  ];

  test("are held against results by the simulator's rule", () => {
    // A launch that does nothing leaves the buffers as they are.
    const params = saxpy.launch.launches[0]!.params.map((p) => ("s32" in p ? { s32: 0 } : p));
    const buffers = Object.fromEntries(table.map(({ type, got }, i) => [`b${i}`, { type, values: got }]));
    const expected = Object.fromEntries(table.map(({ values, how }, i) => [`b${i}`, { values, ...how }]));
    const launch = {
      buffers: { ...saxpy.launch.buffers, ...buffers },
      launches: [{ ...saxpy.launch.launches[0]!, params }],
      expect: expected,
    };
    const cubin = compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90", opt: 0 }).cubin!;
    const ran = runLaunchFile(cubin, launch, { readFile: () => null });
    expect(ran.status).toBe(1);
    const file = parseLaunchFile(launch, () => null);
    const job = typeof file === "string" ? file : jobOf(file, []);
    const script = [
      "import json, sys",
      "from case import contents, differences",
      "job = json.load(sys.stdin)",
      "wrong = [k for k, e in job['expect'].items() if differences(k, e, e['type'], contents(e), contents(job['buffers'][k]))]",
      "print(json.dumps(wrong))",
    ];
    const folder = resolve(__dirname, "../../lib/experiment/clock");
    const env = [`PYTHONPATH=${folder}`, "PYTHONDONTWRITEBYTECODE=1"];
    const said = program("env", [...env, "python3", "-c", script.join("\n")], { input: JSON.stringify(job) });
    expect(said.stderr).toBe("");
    expect(JSON.parse(said.stdout)).toEqual(ran.json.differences.map((d) => d.name));
    expect(ran.json.differences.map((d) => Number(d.name.slice(1)))).toEqual([2, 4, 7, 8, 9, 10, 13, 16]);
  });
});

describePython("runners", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ptxlab-"));
    for (const k of [1, 2, 3, 4, 5]) writeFileSync(join(folder, `${k}.cubin`), code(k));
    writeFileSync(join(folder, "saxpy.json"), JSON.stringify(saxpy.launch));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function run(runner: string, args: readonly string[], how: StubPlan = plan): Ran {
    const env = Object.entries(stubEnvironment(folder, how)).map(([k, v]) => `${k}=${v}`);
    return program("env", [...env, "python3", resolve(__dirname, runner), ...args]);
  }
  const json = (...path: string[]) => JSON.parse(readFileSync(join(folder, ...path), "utf8"));
  const write = (name: string, what: unknown): void => writeFileSync(join(folder, name), JSON.stringify(what));

  test("run.py: right, wrong, faults; times beside ptxas -O3's", () => {
    const cubins = { "ptxas-O3": "1.cubin", new: "2.cubin" };
    const bad = { keep: "3.cubin", asm: "4.cubin", "ptxlab-O0": "5.cubin" };
    const cases = [
      { name: "good", launch: "saxpy.json", cubins },
      { name: "bad", launch: "saxpy.json", cubins: bad },
    ];
    write("cases.json", { target: "sm_90", cases });
    const ran = run("run.py", [folder, "--jobs", "2", "--repeat", "3", "--results", join(folder, "out.json")]);
    expect([ran.status, ran.stderr]).toEqual([1, ""]);
    expect(ran.stdout).toContain("2 passed, 3 failed on Stub");
    const { kernels } = json("out.json");
    expect(kernels.good).toEqual({ "ptxas-O3": { us: 10, ratio: 1 }, new: { us: 20, ratio: 2 } });
    expect(kernels.bad.keep.wrong[0]).toMatch(/^y\[0\]: expected /);
    expect(kernels.bad.asm.wrong).toEqual(["RuntimeError: cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS"]);
    expect(kernels.bad["ptxlab-O0"].wrong).toEqual(["RuntimeError: cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE"]);
    expect(run("run.py", [folder], { missing: true }).status).toBe(2);
  });

  test("all.py: steps in order, each recorded; what no time is left for is told", () => {
    const all = join(folder, "all");
    mkdirSync(join(all, "few"), { recursive: true });
    for (const file of ["all.py", "run.py"]) copyFileSync(resolve(__dirname, file), join(all, file));
    const clock = resolve(__dirname, "../../lib/experiment/clock");
    for (const file of ["case.py", "driver.py"]) copyFileSync(join(clock, file), join(all, file));
    copyFileSync(join(folder, "1.cubin"), join(all, "few/1.cubin"));
    copyFileSync(join(folder, "saxpy.json"), join(all, "few/saxpy.json"));
    const cases = [{ name: "good", launch: "saxpy.json", cubins: { "ptxas-O3": "1.cubin" } }];
    write("all/few/cases.json", { target: "sm_90", cases });
    const few = { name: "few", run: "run.py $DIR --repeat 2 --results $OUT.json", seconds: [1, 20] };
    write("all/all.json", [few, { name: "long", run: "run.py $DIR", seconds: [600, 900] }]);
    const ran = run(join(all, "all.py"), ["--minutes", "1", "--out", join(folder, "said")]);
    expect([ran.status, ran.stderr]).toEqual([1, ""]);
    const { steps } = json("said", "summary.json");
    expect(steps).toMatchObject([
      { step: "few", status: 0, said: "1 passed, 0 failed on Stub" },
      { step: "long", "left out": expect.stringMatching(/ s were left of 600$/) },
    ]);
    expect(json("said", "few.json").kernels.good["ptxas-O3"].us).toBe(10);
  });

  test("timing.py: checks and times what timing-export.ts lists", () => {
    const variants = { "ptxas-O3": "1.cubin", best: "2.cubin", keep: "3.cubin", same: "1.cubin" };
    const kernels = [{ name: "saxpy", variants, launches: { small: "saxpy.json", large: "large.json" } }];
    // Of large launches nothing is expected but what ptxas's code gives; buffers may be files.
    const { expect: _, ...large } = saxpy.launch;
    const zeros = { type: "f32", file: "x.bin" };
    const x = large.buffers.x!.values!;
    writeFileSync(join(folder, "x.bin"), new Uint8Array(4 * x.length));
    write("large.json", { ...large, buffers: { ...large.buffers, x: zeros } });
    write("plan.json", { target: "sm_90", kernels, probes: [] });
    mkdirSync(join(folder, "out"));
    expect(run("timing.py", [folder, join(folder, "out"), "60"]).status).toBe(0);
    const { results, errors } = json("out", "check.json");
    expect(errors).toEqual({});
    expect(Object.entries(results).map(([name, wrong]) => [name, (wrong as string[]).length > 0])).toEqual(
      ["small", "large"].flatMap((set) => ["1", "2", "3"].map((k) => [`${set}:${k}.cubin`, k === "3"])),
    );
    const times = json("out", "graphs.json");
    expect(Object.keys(times)).toEqual(["small:1.cubin", "small:2.cubin", "large:1.cubin", "large:2.cubin"]);
    expect(times["small:2.cubin"]).toEqual(Array(6).fill(20));
    expect(json("out", "device.json").card).toBe("Stub");
  });
});
