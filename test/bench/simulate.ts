/**
 * npm run bench -- simulate: thread-instructions per second of the simulator on one core, by kind of kernel, for our code and for
 * that of the real ptxas -O3.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../../lib/compile.js";
import { Device, type LaunchOptions } from "../../lib/sim/index.js";
import { corpusPtx } from "../corpus/cases.js";
import { random } from "../corpus/random.js";
import { available, tool } from "../oracle/tools.js";
import { row } from "./measure.js";

const TARGET = "sm_90";
/** Processor time of one measurement, seconds, after a run that warms up. */
const SECONDS = 1;

interface Case {
  readonly name: string;
  readonly ptx: string;
  readonly launch: LaunchOptions;
}

const s32 = (n: number): { s32: number } => ({ s32: n });

function floats(n: number): Float32Array {
  const r = random(n);
  return Float32Array.from({ length: n }, () => r.below(2001) / 1000 - 1);
}

/** Words of two f16: 1 and 2, 1/2 and -3, or random ones between 2^-14 and 8. */
function halves(n: number, few: boolean): Uint32Array {
  const r = random(n);
  const half = (): number => (r.below(2) << 15) | (0x0400 + r.below(0x4400));
  return Uint32Array.from({ length: n }, (_, i) => (few ? (i & 1 ? 0xc2003800 : 0x40003c00) : half() | (half() << 16)));
}

/** Each warp multiplies two fragments 64 times: m16n8k16, f16 to f32. Blocks read the same factors. */
const mmaPtx = `.version 8.0
.target sm_90
.address_size 64
.visible .entry mma(.param .u64 in, .param .u64 out) {
  .reg .b32 %a<5>; .reg .b32 %b<3>; .reg .f32 %d<5>; .reg .b32 %i<3>; .reg .b64 %p<4>; .reg .pred %q;
  ld.param.u64 %p1, [in];
  ld.param.u64 %p3, [out];
  mov.u32 %i1, %tid.x;
  mul.wide.u32 %p2, %i1, 4;
  add.s64 %p1, %p1, %p2;
  add.s64 %p3, %p3, %p2;
  ld.global.b32 %a1, [%p1];
  mov.b32 %a2, %a1; mov.b32 %a3, %a1; mov.b32 %a4, %a1; mov.b32 %b1, %a1; mov.b32 %b2, %a1;
  mov.f32 %d1, 0f00000000; mov.f32 %d2, %d1; mov.f32 %d3, %d1; mov.f32 %d4, %d1;
  mov.u32 %i2, 0;
again:
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d1, %d2, %d3, %d4}, {%a1, %a2, %a3, %a4}, {%b1, %b2}, {%d1, %d2, %d3, %d4};
  add.s32 %i2, %i2, 1;
  setp.lt.s32 %q, %i2, 64;
  @%q bra again;
  add.f32 %d1, %d1, %d2;
  st.global.f32 [%p3], %d1;
  ret;
}`;

export function benchCases(): Case[] {
  const n = 256;
  const square = { grid: [n / 16, n / 16], block: [16, 16] } as const;
  const long = 1 << 18;
  const words = BigUint64Array.from({ length: 4096 }, (_, i) => BigInt(i + 1) * 0x9e3779b97f4a7c15n);
  return [
    {
      name: "sgemm 256³",
      ptx: corpusPtx("sgemm", TARGET),
      launch: { ...square, params: [s32(n), s32(n), s32(n), floats(n * n), floats(n * n), new Float32Array(n * n)] },
    },
    {
      name: "stream",
      ptx: corpusPtx("saxpy", TARGET),
      launch: { grid: long / 256, block: 256, params: [s32(long), { f32: 2.5 }, floats(long), floats(long)] },
    },
    {
      name: "divergent loop",
      ptx: corpusPtx("mandelbrot", TARGET),
      launch: {
        grid: [8, 8],
        block: [16, 16],
        params: [
          s32(128),
          s32(128),
          { f32: -2 },
          { f32: -1.25 },
          { f32: 2.5 / 128 },
          s32(256),
          new Int32Array(128 * 128),
        ],
      },
    },
    {
      name: "f64 (dgemm 64³)",
      ptx: corpusPtx("dgemm", TARGET),
      launch: {
        grid: [4, 4],
        block: [16, 16],
        params: [
          s32(64),
          s32(64),
          s32(64),
          { f64: 1.5 },
          Float64Array.from(floats(4096)),
          Float64Array.from(floats(4096)),
          { f64: 0.5 },
          Float64Array.from(floats(4096)),
        ],
      },
    },
    {
      name: "integer hash",
      ptx: corpusPtx("mix64", TARGET),
      launch: { grid: 16, block: 256, params: [words, new BigUint64Array(4 * 4096), s32(4096), s32(256)] },
    },
    ...["numbers of few bits", "of all sizes"].map((kind, i) => ({
      name: `mma, ${kind}`,
      ptx: mmaPtx,
      launch: { grid: 64, block: 128, params: [halves(128, i === 0), new Float32Array(128)] },
    })),
  ];
}

/** Million thread-instructions per second of processor time. */
export function rate(cubin: Uint8Array, options: LaunchOptions): number {
  const device = new Device();
  const module = device.load(cubin);
  if (!module.ok) throw new Error(module.diagnostics.map((d) => d.message).join("; "));
  const once = (): number => {
    const run = device.launch(module.value, options);
    if (!run.ok) throw new Error(run.diagnostics.map((d) => d.message).join("; "));
    if (run.value.fault !== null) throw new Error(run.value.fault.message);
    return run.value.threadInstructions;
  };
  const used = (): number => process.cpuUsage().user / 1e6;
  for (const start = used(); used() - start < SECONDS / 2; ) once();
  const start = used();
  let done = 0;
  while (used() - start < SECONDS) done += once();
  return done / (used() - start) / 1e6;
}

export function realCubin(ptx: string): Uint8Array {
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-bench-"));
  try {
    writeFileSync(join(dir, "k.ptx"), ptx);
    const made = tool("ptxas", [`-arch=${TARGET}`, "-O3", "-o", join(dir, "k.cubin"), join(dir, "k.ptx")]);
    if (made.status !== 0) throw new Error(made.stderr);
    return new Uint8Array(readFileSync(join(dir, "k.cubin")));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export function benchSimulate(): void {
  console.log(`\nsimulator: million thread-instructions per second, one core, ${TARGET}`);
  const makers: [string, (ptx: string) => Uint8Array | null][] = [
    ["ours", (ptx) => compile(ptx, { target: TARGET }).cubin],
  ];
  if (available) makers.push(["ptxas -O3", realCubin]);
  row(["kernel", "code", "closures", "wasm", "ratio"]);
  for (const c of benchCases().filter((c) => c.name.includes(process.env.ONLY ?? "")))
    for (const [code, make] of makers) {
      const cubin = make(c.ptx);
      // Null: not supported by our compiler.
      if (cubin === null) continue;
      const [closures, wasm] = (["closures", "auto"] as const).map((engine) => rate(cubin, { ...c.launch, engine }));
      row([c.name, code, closures!.toFixed(0), wasm!.toFixed(0), (wasm! / closures!).toFixed(1)]);
    }
}
