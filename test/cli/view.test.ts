/** `ptxlab view`, and the options that it shares with `compile`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ptxlab } from "../../lib/cli/index";
import { compileWatched } from "../../lib/compile";
import { compile, schedulePolicies } from "../../lib/index";
import { PipelineRecorder } from "../../lib/present/pipeline";
import { pipeline } from "../../lib/view/index";
import { corpus } from "../corpus/cases";
import { fakeHost } from "./fake-host";

const kernel = (name: string): string => readFileSync(join(__dirname, `../corpus/ptx/sm_90/${name}.ptx`), "latin1");
const text = kernel("saxpy");
const files = { "k.ptx": text, "k.cu": "line one\nline two\n", "bad.ptx": text.replace("ld.param", "ldd.param") };

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString("utf8");

test("the page is written, with the CUDA source beside the PTX when asked", async () => {
  const host = fakeHost(files);
  expect(await ptxlab(["view", "k.ptx"], host)).toBe(0);
  const page = textOf(host.written.get("k.html"));
  expect(page).toContain("Content-Security-Policy");
  expect(page).toContain("AllocateRegisters");
  expect(page).not.toContain("line one");
  expect(await ptxlab(["view", "k.ptx", "--cuda", "k.cu", "-o", "x.html"], host)).toBe(0);
  expect(textOf(host.written.get("x.html"))).toContain("line one");
});

test.each(["saxpy", "sgemm", "bitonic"])(
  "watched while %s is compiled: the cubin and the page are those of a compilation shown afterwards",
  async (name) => {
    const options = { target: "sm_90", file: "k.ptx" } as const;
    const recorder = new PipelineRecorder({});
    const watched = compileWatched(kernel(name), options, recorder.watch);
    const afterwards = compile(kernel(name), options);
    expect(Buffer.from(watched.cubin ?? [])).toEqual(Buffer.from(afterwards.cubin ?? [0]));
    expect(JSON.stringify(watched.functions[0]?.allocation?.spills)).toBe(
      JSON.stringify(afterwards.functions[0]?.allocation?.spills),
    );
    const host = fakeHost({ "k.ptx": kernel(name) });
    expect(await ptxlab(["view", "k.ptx"], host)).toBe(0);
    expect(textOf(host.written.get("k.html")) === (await pipeline(afterwards)).html).toBe(true);
  },
);

test("--why: rules that did not apply; --times: what phases took; by default neither", async () => {
  const host = fakeHost(files);
  const noteOf = async (...more: string[]): Promise<{ texts: string[]; milliseconds: (number | null)[] }> => {
    expect(await ptxlab(["view", "k.ptx", "-o", "x.html", ...more], host)).toBe(0);
    const json = /id="data">([^<]*)</.exec(textOf(host.written.get("x.html")))![1]!;
    const { texts, functions } = JSON.parse(json);
    return { texts, milliseconds: functions[0].phases.map((p: { milliseconds: number | null }) => p.milliseconds) };
  };
  const [plain, why, times] = [await noteOf(), await noteOf("--why"), await noteOf("--times")];
  const refusals = (n: { texts: string[] }): number =>
    n.texts.filter((t) => / is defined by \S+, not by /.test(t)).length;
  expect(refusals(plain)).toBe(0);
  expect(refusals(why)).toBeGreaterThan(0);
  expect(plain.milliseconds.every((ms) => ms === null)).toBe(true);
  expect(times.milliseconds.some((ms) => ms !== null)).toBe(true);
});

test("PTX with mistakes: the status says so, the page shows what was reached", async () => {
  const host = fakeHost(files);
  expect(await ptxlab(["view", "bad.ptx", "-o", "x.html"], host)).toBe(1);
  expect(textOf(host.written.get("x.html"))).toContain("ldd.param");
});

test("--policy: that of both scheduling phases; an unknown name lists them all", async () => {
  const host = fakeHost(files);
  expect(await ptxlab(["compile", "k.ptx", "--policy", "source-order", "-o", "x"], host)).toBe(0);
  const policy = schedulePolicies.find((p) => p.name === "source-order")!;
  const phases = { schedule: { pre: policy, post: policy } };
  expect(new Uint8Array(host.written.get("x")!)).toEqual(
    compile(text, { target: "sm_90", file: "k.ptx", phases }).cubin,
  );
  expect(new Uint8Array(host.written.get("x")!)).not.toEqual(compile(text, { target: "sm_90", file: "k.ptx" }).cubin);
  expect(await ptxlab(["compile", "k.ptx", "--policy", "source-odrer"], host)).toBe(2);
  expect(host.stderr).toContain("unknown policy 'source-odrer' (did you mean source-order");
  for (const p of schedulePolicies) expect(host.stderr).toContain(p.name);
});

test("knobs of the scheduler hold beside a policy", async () => {
  const host = fakeHost({ "k.ptx": kernel("sgemm") });
  const run = async (...more: string[]): Promise<string> => {
    expect(await ptxlab(["compile", "k.ptx", "--policy", "critical-path", "--emit", "sass", ...more], host)).toBe(0);
    const out = host.stdout;
    host.stdout = "";
    return out;
  };
  expect(await run("--knob", "SchedResBusyFMA=40")).not.toBe(await run());
});

test("knobs: all of them, those that act, those that speak of something", async () => {
  const host = fakeHost({});
  const said = async (...args: string[]): Promise<string[]> => {
    host.stdout = "";
    expect(await ptxlab(["knobs", ...args], host)).toBe(0);
    return host.stdout.trimEnd().split("\n").slice(1);
  };
  expect(await said()).toHaveLength(376);
  const acting = await said("--acting");
  expect(acting).toHaveLength(153);
  expect(await said("SchedLDSLatency")).toEqual([
    expect.stringMatching(
      /^ *757 +SchedLDSLatency +int +by its reader's rule \(ours\) +sched: ldsLatency +.*\(page 63\)$/,
    ),
  ]);
  expect((await said("spill", "--acting")).length).toBeGreaterThan(1);
  expect((await said("437"))[0]).toMatch(/^ *437 +LoopUnroll /);
  expect(await said("7")).toEqual(expect.arrayContaining([expect.stringMatching(/^ +7 +7 .*no page names it/)]));
  expect(await ptxlab(["knobs", "Nosuch"], host)).toBe(2);
  expect(host.stderr).toContain("no named knob has 'Nosuch' in its name or meaning (numbers go to 1293)");
});

test("estimate --html writes a page of its own, without a script, with every launch on it", async () => {
  const { launch } = corpus.find((k) => k.name === "saxpy")!;
  const twice = { ...launch, launches: [...launch.launches, ...launch.launches] };
  const cubin = compile(text, { target: "sm_90" }).cubin!;
  const host = fakeHost({ "k.cubin": cubin, "k.json": JSON.stringify({ ...twice, expect: {} }) });
  expect(await ptxlab(["estimate", "k.cubin", "--launch", "k.json", "--html", "x.html"], host)).toBe(0);
  const page = textOf(host.written.get("x.html"));
  expect(page.match(/saxpy on sm_90/g)).toHaveLength(2);
  expect(page).toContain("FFMA");
  expect(page).not.toContain("<script");
});
