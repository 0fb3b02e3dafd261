/** The source page of an estimate, and how results show themselves. */
import {
  compile,
  Device,
  estimate,
  type FinishedCompilation,
  readCubin,
  simulate,
  sourcePage,
  unwrap,
} from "../../lib/index";
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
