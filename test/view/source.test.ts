/** The source page of an estimate, and how results show themselves. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import * as api from "../../lib/index";
import {
  allocate,
  allRulePlaces,
  compile,
  Device,
  disassemble,
  estimate,
  experiment,
  type FinishedCompilation,
  lower,
  policyNamed,
  readCubin,
  reschedule,
  ruleTexts,
  runPhases,
  scheduleFunc,
  simulate,
  sourcePage,
  target,
  unwrap,
  verifyCubin,
} from "../../lib/index";
import { snapshot } from "../../lib/ori/index";
import { sourcePage as page, type SourceRow } from "../../lib/view/index";
import { corpusPtx } from "../corpus/cases";

const x = new Float32Array(256).fill(1);
const options = { kernel: "saxpy", grid: 2, block: 128, params: [{ s32: 256 }, { f32: 2 }, x, x.slice()] };
let c: FinishedCompilation;
beforeAll(() => {
  const made = compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90" });
  if (!made.ok) throw new Error("not compiled");
  c = made;
});

const display = async (value: object): Promise<Record<string, string>> =>
  (value as Record<symbol, () => Promise<Record<string, string>>>)[Symbol.for("Jupyter.display")]!();

test("totals by line are the sums of their instructions; what belongs together has one name", () => {
  const row = (address: number, cycles: number, ptxLine: number | null, cudaLine: number | null): SourceRow => ({
    address,
    sass: `I${address}`,
    live: 1,
    cycles,
    issues: cycles === 0 ? 0 : 1,
    reasons: cycles === 0 ? {} : { selected: 1, wait: cycles - 1 },
    ptxLine,
    cudaLine,
  });
  const view = page([row(0, 30, 2, 1), row(16, 50, 3, 1), row(32, 20, null, null), row(48, 0, 3, 1)], {
    title: "t <b>",
    ptx: "first\n<second>\nthird",
    cuda: "all",
    reasonTexts: { wait: "a stall" },
  });
  expect(view.html).toMatch(/class="c1"><td[^>]*>1<\/td><td[^>]*title="wait 78 \(a stall\)"[^>]*>80.0 %/);
  expect(view.html).toMatch(/class="p2"><td[^>]*>2<\/td><td[^>]*>30.0 %<\/td><td[^>]*>&lt;second&gt;/);
  expect(view.html).toContain(":has(.p3:hover) .p3{");
  expect(view.html).not.toContain(".p1:hover");
  expect(view.html).not.toContain("<script");
  expect(view.html).toContain("not run");
  // The reason as a column with heat, totals by reason and by source.
  expect(view.html).toMatch(/<th[^>]*title="a stall">wait<\/th>/);
  expect(view.html).toMatch(
    />I16<\/td><td[^>]*>1<\/td><td[^>]*>50<\/td><td[^>]*>50.0 %<\/td><td[^>]*background:[^>]*title="wait 49[^>]*>98</,
  );
  expect(view.html).toMatch(/Warp-cycles by reason.*97.0 %<\/td><td[^>]*>wait<.*3.0 %<\/td><td[^>]*>issues</);
  expect(view.html).toContain("PTX: 80.0 % in 2 lines, 20.0 % without a line");
  expect(view.html).toMatch(/CUDA: 80.0 % in 1 lines.*class="c1"><td[^>]*>80.0 %<\/td><td[^>]*>1<\/td><td[^>]*>all</);
  expect(view.text.split("\n").slice(0, 3)).toEqual([
    "t <b>",
    "50.0 %  0010  I16  PTX 3  wait",
    "30.0 %  0000  I0   PTX 2  wait",
  ]);
});

test("an estimate shows itself as its source page: every instruction and all of its cycles", async () => {
  const e = unwrap(estimate(c, options));
  const shown = await display(e);
  expect(shown["text/plain"]).toMatch(/^saxpy on sm_90: \d+ cycles, .* us, \d+ warps per SM, /);
  const spent = e.instructions.reduce((n, i) => n + i.cycles, 0);
  const told = [
    ...shown["text/html"]!.matchAll(
      /class="[^"]*"><td[^>]*>[0-9a-f]{4}<\/td><td[^>]*>[^<]*<\/td><td[^>]*>\d*<\/td><td[^>]*>([\d,]*)</g,
    ),
  ];
  expect(told.reduce((n, m) => n + Number(m[1]!.replaceAll(",", "")), 0)).toBe(spent);
  expect(shown["text/html"]).toContain("ld.global");
  // The bytes alone: no texts, and no lines without -lineinfo.
  expect(sourcePage(c.cubin, e).html).not.toContain("ld.global");
});

test("runs, modules, cubins are a few words and a few kB", async () => {
  const run = unwrap(simulate(c, { ...options, profile: true }));
  const module = unwrap(new Device().load(c.cubin));
  const cubin = unwrap(readCubin(c.cubin));
  const all = await Promise.all([run, module, cubin].map(display));
  expect(all[0]!["text/plain"]).toMatch(
    /^Run: \d+ warp-instructions, \d+ thread-instructions, no fault\nfunction +address/,
  );
  expect(all[1]!["text/plain"]).toBe("Module: 1 kernel: saxpy");
  expect(all[2]!["text/plain"]).toMatch(
    /^Cubin for sm_90: executable, 1 function, \d+ bytes\nfunction +kind +instructions/,
  );
  for (const bundle of all) expect(JSON.stringify(bundle).length).toBeLessThan(16_000);
});

test("stages of the compiler: a title, a table, a few kB", async () => {
  const lowered = () => snapshot(c.functions[0]!.lowered);
  const window = lowered();
  unwrap(runPhases(window, { to: "GeneralOptimize" }));
  const before = lowered();
  unwrap(runPhases(before, { stopBefore: "AllocateRegisters" }));
  const run = unwrap(runPhases(lowered()));
  const cubin = unwrap(readCubin(c.cubin));
  const shown: [object, RegExp][] = [
    [run, /^Phases of saxpy: \d+ of 159 ran; now \d+ instructions, controlled\nphase +edits +instructions/],
    [run.records, /^159 phases, \d+ ran\nphase/],
    [c.program, /^Program for sm_90: 1 function\n {2}entry saxpy: \d+ blocks/],
    [unwrap(lower(c.module, { target: "sm_90" })), /^Program for sm_90: 1 function\n/],
    [target("sm_90"), /^Target sm_90, .*\n {2}registers per sm +65536\n/],
    [
      scheduleFunc(lowered(), policyNamed("critical-path")!),
      /^Schedule of saxpy by critical-path: .*\nblock +instructions/,
    ],
    [unwrap(allocate(before)), /^Allocation of saxpy: \d+ registers, \d+ values, nothing spilled/],
    [unwrap(allRulePlaces(window)), /^\d+ places where a rule's root stands, \d+ where it applies\nid +instruction/],
    [disassemble(cubin), /^\t\.target sm_90\n\nsaxpy: {2}\/\/ \d+ registers/],
    [verifyCubin(cubin)!, /^No hazards found/],
    [unwrap(reschedule(c.cubin)), /^Re-scheduled cubin for sm_90: \d+ bytes, 1 function\nfunction/],
  ];
  for (const [value, looks] of shown) {
    const bundle = await display(value);
    expect(bundle["text/plain"]).toMatch(looks);
    expect(inspect(value)).toMatch(looks);
    expect(JSON.stringify(bundle).length).toBeLessThan(16_000);
    expect(inspect({ in: { another: value } }).split("\n").length).toBeLessThan(6);
  }
  expect((await display(ruleTexts()))["text/plain"]).toMatch(/^\d+ rules that are texts\nrule/);
});

/** What a notebook prints of a value without looks of its own (kernel/outputs.cjs). */
const plainText = (value: unknown): string => inspect(value, { depth: 4, maxArrayLength: 200 });

/** Values of a module that are no functions, those of the modules in it too. */
function constants(of: object, path = ""): [string, object][] {
  return Object.entries(of).flatMap(([name, value]): [string, object][] => {
    if (typeof value !== "object" || value === null) return [];
    const isModule = path === "" && Object.values(value).some((v) => typeof v === "function") && !("name" in value);
    return isModule ? constants(value, `${name}.`) : [[path + name, value]];
  });
}

test("no constant of the library is listed field by field", async () => {
  const all = constants(api);
  expect(all.length).toBeGreaterThan(50);
  const shown: string[] = [];
  for (const [name, value] of all) {
    const looks = Symbol.for("Jupyter.display") in value;
    if (looks) shown.push(name);
    const text = plainText(value);
    // What is short needs none.
    if (!looks) expect([name, text.length < 1000]).toEqual([name, true]);
    if (looks) expect([name, (await display(value))["text/plain"]]).toEqual([name, expect.stringMatching(/^\w+ \w+/)]);
  }
  expect(shown).toEqual(expect.arrayContaining(["phases.phases", "schedulePolicies", "knobs.knobs", "phases.bodies"]));
  expect((await display(api.phases.phases))["text/plain"]).toMatch(
    /^159 phases in true order, \d+ built\nplace +phase +about/,
  );
  expect((await display(policyNamed("best")!))["text/plain"]).toMatch(/^Policy best: .*\npass +policy/);
});

test("analyses, lifted code, latencies, graphs: a sentence and a table", async () => {
  const func = snapshot(c.functions[0]!.lowered);
  const cubin = unwrap(readCubin(c.cubin));
  const names = Object.keys({
    cfg: 0,
    dominators: 0,
    postDominators: 0,
    loops: 0,
    flat: 0,
    liveness: 0,
    livenessOnEdges: 0,
    defUse: 0,
    pressure: 0,
    pressureOnEdges: 0,
    reaching: 0,
    frequencies: 0,
    divergence: 0,
    routines: 0,
    names: 0,
    addresses: 0,
  } satisfies Record<keyof api.analysis.Analyses, 0>) as (keyof api.analysis.Analyses)[];
  const results = names.map((name): [string, object] => [name, api.analysis.analysis(func, name)]);
  const shown: [string, object][] = [
    ...results,
    ["phases", c.functions[0]!.phases],
    ["latency", api.staticLatency(func)],
    ["latency of words", api.staticLatency(cubin, cubin.functions[0]!)!],
    ["liftCubin", unwrap(api.liftCubin(cubin))],
    ["liftFunction", unwrap(api.liftFunction(cubin, cubin.functions[0]!))],
    ["buildDag", api.buildDag(func.blocks[0]!, func)],
    ["assemble", unwrap(api.assemble(api.assemblyText(cubin)))],
    ["functions", cubin.functions],
    ["function", cubin.functions[0]!],
    ["file", cubin.elf],
  ];
  for (const [name, value] of shown) {
    const bundle = await display(value);
    expect([name, bundle["text/plain"]!.split("\n")[0]]).toEqual([name, expect.stringMatching(/\w/)]);
    expect([name, JSON.stringify(bundle).length < 16_000]).toEqual([name, true]);
    expect([name, inspect({ in: { another: value } }).length < 200]).toEqual([name, true]);
  }
  const text = async (name: keyof api.analysis.Analyses): Promise<string> =>
    (await display(api.analysis.analysis(func, name)))["text/plain"]!;
  expect(await text("pressure")).toMatch(
    /^Live registers of saxpy: at most \d+ R, .*\nfile +most live +first at\nR +\d+ +\d+: \w/,
  );
  expect(await text("liveness")).toMatch(/\nb\d+ +%\w+/);
  expect((await display(api.staticLatency(func)))["text/plain"]).toMatch(
    /^Static latency of saxpy: \d+ cycles .*\nblock +instructions +executions per run +cycles each\n/,
  );
  // A result of a function that has changed since says so.
  const old = api.analysis.analysis(func, "cfg");
  unwrap(runPhases(func, { to: "GeneralOptimize" }));
  expect((await display(old))["text/plain"]).toBe("cfg of saxpy as it was: it has changed since");
});

test("rows of a sweep by themselves, and read from its table", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ptxlab-rows-"));
  try {
    writeFileSync(join(folder, "saxpy.ptx"), corpusPtx("saxpy", "sm_90"));
    const spec = { name: "s", inputs: [{ name: "saxpy", ptx: "saxpy.ptx" }], targets: ["sm_90"], levels: [0, 3] };
    const { rows } = await experiment.sweep(spec, { folder, threads: 0, out: join(folder, "out") });
    expect((await display(rows))["text/plain"]).toMatch(/^2 rows\nlevel +outcome/);
    expect((await display(await experiment.readTable(join(folder, "out.parquet"))))["text/plain"]).toMatch(/^2 rows\n/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
