/**
 * node tools/run-ts.cjs tools/sim-figures.ts memory | endless | threads [N] | races | reported | start | estimate | told: figures of the simulator for docs/status.md.
 * `memory`: bytes that a resident thread takes in the memory of translated code, and beside its registers. `endless`: the largest memory of the process while
 * endless kernels end by their budgets. `threads`: one thread against N (default: the cores), after npm run build, and N processes of one thread each against one. `races`: planted
 * races that are found (PTXLAB_RACES=N random programs); `reported`: races that are told of the corpus and of the programs. `told`: a profile, races and unwritten registers, in translated code and in closures.
 */
import { execFile } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { runLaunchFile, simulate } from "../lib/sim/index.js";
import { WARP_WORDS } from "../lib/sim/state.js";
import { WARP_BYTES } from "../lib/sim/wasm/layout.js";
import { estimate } from "../lib/timing/index.js";
import { corpus, corpusPtx } from "../test/corpus/cases.js";
import { programs } from "../test/programs/programs.js";
import { racyProgram } from "../test/sim/racy-programs.js";

function compiled(ptx: string): Uint8Array {
  const { cubin, diagnostics } = compile(ptx, { target: "sm_90" });
  if (cubin === null) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return cubin;
}

const head = ".version 8.0\n.target sm_90\n.address_size 64\n";

/** By the layout of a warp's state; a block that has ended leaves its memory to the next. */
function memory(): void {
  const registers = (4 * (WARP_WORDS.I + WARP_WORDS.P + WARP_WORDS.U + WARP_WORDS.B)) / 32;
  const all = WARP_BYTES / 32;
  console.log(
    `a resident thread: ${all} bytes, of them ${registers} for registers (R, P, UR, B), ${all - registers} beside`,
  );
}

function endless(): void {
  const cubin = compiled(`${head}.visible .entry k() {\n.reg .b32 %r<2>;\nagain: add.u32 %r1, %r1, 1;\nbra again; }`);
  const told = (what: string, message: string | undefined): void => {
    console.log(
      `${what}: ${message}; largest memory of the process ${(process.resourceUsage().maxRSS / 1000).toFixed(0)} MB`,
    );
  };
  const run = simulate(cubin, { grid: 4, block: 256 });
  told("simulate", run.ok ? run.value.fault?.message : "?");
  const made = estimate(cubin, { grid: 4, block: 256 });
  told("estimate", made.ok ? made.value.run.fault?.message : "?");
}

/** The product that `threads` measures, on so many threads. */
function product(of: number): { rate: number; used: number } {
  const n = 512;
  const array = (): Float32Array => new Float32Array(n * n).map((_, i) => i % 7);
  const params = [{ s32: n }, { s32: n }, { s32: n }, array(), array(), new Float32Array(n * n)];
  const from = performance.now();
  const before = process.cpuUsage();
  const run = simulate(sgemm(), { grid: [n / 16, n / 16], block: [16, 16], params, threads: of });
  if (!run.ok) throw new Error(run.diagnostics[0]!.message);
  if (run.value.threadsUsed !== of) throw new Error("not built: npm run build");
  const { user, system } = process.cpuUsage(before);
  return { rate: run.value.threadInstructions / (performance.now() - from) / 1000, used: user + system };
}

let sgemmCubin: Uint8Array | null = null;
function sgemm(): Uint8Array {
  sgemmCubin ??= compiled(corpusPtx("sgemm", "sm_90"));
  return sgemmCubin;
}

const PROCESS_MS = 4000;

/** The median rate of a process that runs the product on one thread for a while, from the same moment as its like. */
function alone(from: number): void {
  product(1);
  product(1);
  while (Date.now() < from);
  const rates: number[] = [];
  while (Date.now() < from + PROCESS_MS) rates.push(product(1).rate);
  rates.sort((a, b) => a - b);
  console.log(rates[rates.length >> 1]);
}

/** The sum of the rates of so many processes that share nothing but the machine. */
async function together(count: number): Promise<number> {
  const from = String(Date.now() + 3000);
  const rates = Array.from(
    { length: count },
    () =>
      new Promise<number>((resolve, reject) => {
        execFile(process.execPath, [join(__dirname, "run-ts.cjs"), __filename, "alone", from], (error, out) => {
          if (error === null) resolve(Number(out));
          else reject(error);
        });
      }),
  );
  return (await Promise.all(rates)).reduce((x, y) => x + y, 0);
}

/** One thread against several. Processor time tells on a loaded machine, too, what they would do on cores of their own: blocks are claimed one by one, so none waits. */
async function threads(count: number): Promise<void> {
  // In turn, so that both see the same load; the first of each loads and compiles.
  const runs = Array.from({ length: 8 }, () => [product(1), product(count)] as const).slice(2);
  const best = (k: 0 | 1): number => Math.max(...runs.map((r) => r[k].rate));
  const used = (k: 0 | 1): number => Math.min(...runs.map((r) => r[k].used));
  const factor = best(1) / best(0);
  console.log(
    `sgemm 512: ${best(0).toFixed(0)} M thread-instructions per second on one thread, ${best(1).toFixed(0)} on ${count}: ` +
      `${factor.toFixed(2)} times, ${(factor / count).toFixed(2)} × threads; by processor time ${(used(0) / used(1)).toFixed(2)} × threads; ` +
      `${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)}`,
  );
  const [one, all] = [await together(1), await together(count)];
  console.log(`${count} processes of one thread: ${(all / one / count).toFixed(2)} × processes (medians)`);
}

/** A kernel of a hundred instructions on one block: with translated code where it pays, and in closures. */
function start(): void {
  const sums = Array.from({ length: 97 }, (_, i) => `add.u32 %r${1 + (i % 7)}, %r${1 + ((i + 3) % 7)}, ${i + 1};`);
  const registers = Array.from({ length: 7 }, (_, i) => `mov.u32 %r${i + 1}, %tid.x;`);
  const ptx = `${head}.visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>; .reg .b64 %l<3>;\nld.param.u64 %l1, [p];
${registers.join("\n")}\n${sums.join("\n")}\nst.global.u32 [%l1], %r3;\nret; }`;
  const { cubin } = compile(ptx, { target: "sm_90", opt: 0 });
  const engines = ["auto", "closures"] as const;
  const times: Record<(typeof engines)[number], number[]> = { auto: [], closures: [] };
  for (let i = 0; i < 600; i++)
    for (const engine of i & 1 ? engines : [...engines].reverse()) {
      const from = performance.now();
      const run = simulate(cubin!, { block: 32, params: [new Uint32Array(32)], engine });
      if (!run.ok) throw new Error(run.diagnostics[0]!.message);
      if (i >= 100) times[engine].push(1000 * (performance.now() - from));
    }
  for (const engine of engines) {
    const sorted = times[engine].sort((a, b) => a - b);
    const at = (share: number): string => sorted[Math.floor(share * sorted.length)]!.toFixed(0);
    console.log(`${engine}: ${at(0)} µs at least, ${at(0.1)} a tenth, ${at(0.5)} half of the launches`);
  }
}

/** The estimate of a matrix product in a process that has simulated nothing, and again. */
function estimates(): void {
  const n = 256;
  const array = (): Float32Array => new Float32Array(n * n).map((_, i) => i % 7);
  const cubin = compiled(corpusPtx("sgemm", "sm_90"));
  const params = [{ s32: n }, { s32: n }, { s32: n }, array(), array(), new Float32Array(n * n)];
  for (let i = 0; i < 4; i++) {
    const before = process.cpuUsage();
    const from = performance.now();
    const made = estimate(cubin, { grid: [n / 16, n / 16], block: [16, 16], params });
    if (!made.ok) throw new Error(made.diagnostics[0]!.message);
    const { user, system } = process.cpuUsage(before);
    console.log(
      `estimate of sgemm ${n}: ${((user + system) / 1e6).toFixed(3)} s of processor time, ${((performance.now() - from) / 1000).toFixed(3)} s`,
    );
  }
}

/** What a matrix product takes with each of the tools on top, in closures and translated. */
function told(): void {
  const n = 128;
  const array = (): Float32Array => new Float32Array(n * n).map((_, i) => i % 7);
  const cubin = compiled(corpusPtx("sgemm", "sm_90"));
  for (const tool of ["profile", "races", "registers"] as const) {
    const rates = (["closures", "auto"] as const).map((engine) => {
      let best = 0;
      for (let i = 0; i < 3; i++) {
        const params = [{ s32: n }, { s32: n }, { s32: n }, array(), array(), new Float32Array(n * n)];
        const before = process.cpuUsage();
        const run = simulate(cubin, { grid: [n / 16, n / 16], block: [16, 16], params, engine, [tool]: true });
        if (!run.ok) throw new Error(run.diagnostics[0]!.message);
        const { user, system } = process.cpuUsage(before);
        best = Math.max(best, run.value.threadInstructions / (user + system));
      }
      return best;
    });
    const [closures, wasm] = rates as [number, number];
    console.log(
      `${tool}: ${closures.toFixed(1)} M thread-instructions per second in closures, ${wasm.toFixed(1)} translated`,
    );
  }
}

function races(): void {
  let [planted, found, clean, wrong] = [0, 0, 0, 0];
  const look = (ptx: string, grid: number, block: number): number => {
    const params = [new Uint32Array(512), new Uint32Array(256).map((_, i) => 5 * i)];
    const run = simulate(compiled(ptx), { grid, block, params, races: true, maxInstructions: 2_000_000 });
    if (!run.ok) throw new Error(run.diagnostics[0]!.message);
    return run.value.findings!.races.length;
  };
  for (let seed = 0; seed < Number(process.env.PTXLAB_RACES ?? 50); seed++) {
    const p = racyProgram(seed);
    clean++;
    if (look(p.ptx(null), p.grid, p.block) > 0) wrong++;
    for (let piece = 0; piece < p.pieces; piece++) {
      planted++;
      if (look(p.ptx(piece), p.grid, p.block) > 0) found++;
    }
  }
  console.log(`random programs: ${found} of ${planted} planted races found; races in ${wrong} of ${clean} without`);
}

/** The corpus, and the programs in CUDA C++, which have none. */
function racesReported(): void {
  for (const [name, kernels] of [
    ["corpus", corpus.map((c) => ({ name: c.name, ptx: corpusPtx(c.name, "sm_90"), launch: c.launch as unknown }))],
    ["programs", programs.filter((p) => p.sm <= 90)],
  ] as const) {
    let [launches, reported] = [0, 0];
    for (const k of kernels) {
      const made = compile(k.ptx, { target: "sm_90" });
      if (!made.ok) throw new Error(`${k.name}: ${made.diagnostics[0]?.message}`);
      const ran = runLaunchFile(made.cubin, k.launch, {
        readFile: () => null,
        launch: (device, module, options) => {
          const run = device.launch(module, { ...options, races: true });
          if (run.ok) launches++;
          const found = run.ok ? run.value.findings!.races : [];
          if (found.length > 0) {
            reported++;
            console.log(`${k.name}: ${found.length} races, the first at ${JSON.stringify(found[0])}`);
          }
          return run;
        },
      });
      if (ran.status !== 0) console.log(`${k.name}: ${ran.lines[0]}`);
    }
    console.log(`${name}: ${kernels.length} of sm_90 at -O3, ${launches} launches, races reported in ${reported}`);
  }
}

const [what, n] = process.argv.slice(2);
if (what === "memory") memory();
else if (what === "endless") endless();
else if (what === "threads") void threads(Number(n ?? availableParallelism()));
else if (what === "alone") alone(Number(n));
else if (what === "races") races();
else if (what === "reported") racesReported();
else if (what === "start") start();
else if (what === "estimate") estimates();
else if (what === "told") told();
else console.log("memory | endless | threads [N] | races | reported | start | estimate | told");
