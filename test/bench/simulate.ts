/**
 * npm run bench -- simulate: thread-instructions per second of the simulator on one core, by kind of kernel, for our code and for
 * that of the real ptxas -O3.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../../lib/compile.js";
import { Device, type LaunchOptions } from "../../lib/sim/index.js";
import type { TargetName } from "../../lib/target/index.js";
import { corpusPtx } from "../corpus/cases.js";
import { random } from "../corpus/random.js";
import { available, tool } from "../oracle/tools.js";
import { type BlockForm, blockForms, blockPtx, targetOf, tensorForms, wordsOf } from "../sim/wasm/block-kernels.js";
import { EXTRA, type RowsForm, roomOf, rowsForms, rowsPtx } from "../sim/wasm/tensor-kernels.js";
import { row } from "./measure.js";

const TARGET = "sm_90";
const CONSUMER = "sm_120a";
/** Processor time of one measurement, seconds, after a run that warms up. */
const SECONDS = 1;

interface Case {
  readonly name: string;
  readonly ptx: string;
  /** Default: sm_90. */
  readonly target?: TargetName;
  readonly launch: LaunchOptions;
}

const s32 = (n: number): { s32: number } => ({ s32: n });

function floats(n: number): Float32Array {
  const r = random(n);
  return Float32Array.from({ length: n }, () => r.below(2001) / 1000 - 1);
}

/** Of two f16: 1 and 2, 1/2 and -3, or random ones between 2^-14 and 8. Of other types the same, or f64 and bytes of all bits, f32 between 2^-64 and 2^64. */
function factors(type: string, few: boolean): Uint32Array | Float64Array {
  const n = 128;
  const r = random(n);
  const half = (): number => (r.below(2) << 15) | (0x0400 + r.below(0x4400));
  const single = (): number => (r.below(2) << 31) | ((63 + r.below(128)) << 23) | (r.below(0x10000) << 7);
  if (type === "f64")
    return Float64Array.from({ length: n }, (_, i) => (few ? (i % 7) - 3 : (r.below(2001) - 1000) / 997));
  if (type.startsWith("f16"))
    return Uint32Array.from({ length: n }, (_, i) =>
      few ? (i & 1 ? 0xc2003800 : 0x40003c00) : half() | (half() << 16),
    );
  if (type === "bf16" || type === "tf32")
    return Uint32Array.from({ length: n }, (_, i) => (few ? (i & 1 ? 0xc0403f00 : 0x40003f80) : single()));
  // Of e4m3 no NaN.
  return Uint32Array.from(
    { length: n },
    () => (few ? 0x38b840c0 : r.below(0x10000) | (r.below(0x10000) << 16)) & 0xbfbfbfbf,
  );
}

interface Matrix {
  readonly shape: string;
  readonly a: number;
  readonly b: number;
  readonly d: number;
  /** Bits of a register. */
  readonly bits: 32 | 64;
  readonly target: TargetName;
  /** A is sparse. */
  readonly sparse?: true;
  /** Four scales of both factors. */
  readonly scales?: number;
}

/** Each warp multiplies two fragments 64 times. Blocks read the same factors. */
function mmaPtx({ shape, a, b, d, bits, target, sparse, scales }: Matrix): string {
  const list = (name: string, n: number): string =>
    `{${Array.from({ length: n }, (_, i) => `%${name}${i}`).join(", ")}}`;
  const copies = [...Array(a).keys()].slice(1).map((i) => `mov.b${bits} %a${i}, %a0;`);
  for (let i = 0; i < b; i++) copies.push(`mov.b${bits} %b${i}, %a0;`);
  for (let i = 0; i < d; i++) copies.push(`mov.b${bits} %d${i}, 0;`);
  const order = sparse === undefined ? "" : target === CONSUMER ? ".sp::ordered_metadata" : ".sp";
  const more = scales === undefined ? "" : ", %s, {0,0}, %s, {0,0}";
  return `.version 9.0
.target ${target}
.address_size 64
.visible .entry mma(.param .u64 in, .param .u64 out) {
  .reg .b${bits} %a<8>, %b<4>, %d<8>; .reg .b32 %i<3>, %e, %s; .reg .b64 %p<4>; .reg .pred %q;
  ld.param.u64 %p1, [in];
  ld.param.u64 %p3, [out];
  mov.u32 %i1, %tid.x;
  mul.wide.u32 %p2, %i1, ${bits / 8};
  add.s64 %p1, %p1, %p2;
  add.s64 %p3, %p3, %p2;
  ld.global.b${bits} %a0, [%p1];
  ${copies.join(" ")}
  mov.u32 %i2, 0;
  and.b32 %e, %i1, 0x44444444;
  or.b32 %e, %e, 0x88888888;
  mov.u32 %s, ${scales ?? 0};
again:
  mma${order}.sync.aligned.${shape} ${list("d", d)}, ${list("a", a)}, ${list("b", b)}, ${list("d", d)}${sparse ? ", %e, 0" : ""}${more};
  add.s32 %i2, %i2, 1;
  setp.lt.s32 %q, %i2, 64;
  @%q bra again;
  st.global.b${bits} [%p3], %d0;
  ret;
}`;
}

/** A block-scaled product; its scales lie near 1. */
function block(name: string, kind: string, rest: string, sparse = false, scales = 0x3c383a36): Record<string, Matrix> {
  const shape = `${kind}.block_scale.scale_vec::${rest}`;
  const b = sparse ? 4 : 2;
  return { [name]: { shape, a: 4, b, d: 4, bits: 32, target: CONSUMER, scales, ...(sparse ? { sparse } : {}) } };
}

const products: Readonly<Record<string, Matrix>> = {
  "f16, f32": { shape: "m16n8k16.row.col.f32.f16.f16.f32", a: 4, b: 2, d: 4, bits: 32, target: TARGET },
  "f16, f16": { shape: "m16n8k16.row.col.f16.f16.f16.f16", a: 4, b: 2, d: 2, bits: 32, target: TARGET },
  bf16: { shape: "m16n8k16.row.col.f32.bf16.bf16.f32", a: 4, b: 2, d: 4, bits: 32, target: TARGET },
  tf32: { shape: "m16n8k8.row.col.f32.tf32.tf32.f32", a: 4, b: 2, d: 4, bits: 32, target: TARGET },
  s8: { shape: "m16n8k32.row.col.s32.s8.s8.s32", a: 4, b: 2, d: 4, bits: 32, target: TARGET },
  s4: { shape: "m16n8k64.row.col.s32.s4.s4.s32", a: 4, b: 2, d: 4, bits: 32, target: "sm_80" },
  b1: { shape: "m16n8k256.row.col.s32.b1.b1.s32.and.popc", a: 4, b: 2, d: 4, bits: 32, target: TARGET },
  e4m3: { shape: "m16n8k32.row.col.f32.e4m3.e4m3.f32", a: 4, b: 2, d: 4, bits: 32, target: "sm_89" },
  "f16, sparse": {
    shape: "m16n8k32.row.col.f32.f16.f16.f32",
    a: 4,
    b: 4,
    d: 4,
    bits: 32,
    target: TARGET,
    sparse: true,
  },
  "s8, sparse": { shape: "m16n8k64.row.col.s32.s8.s8.s32", a: 4, b: 4, d: 4, bits: 32, target: TARGET, sparse: true },
  "e4m3, sparse": {
    shape: "m16n8k64.row.col.f32.e4m3.e4m3.f32",
    a: 4,
    b: 4,
    d: 4,
    bits: 32,
    target: "sm_89",
    sparse: true,
  },
  ...block("mxf8", "m16n8k32.row.col.kind::mxf8f6f4", "1X.f32.e4m3.e4m3.f32.ue8m0"),
  ...block("mxf8, sparse", "m16n8k64.row.col.kind::mxf8f6f4", "1X.f32.e4m3.e4m3.f32.ue8m0", true),
  ...block("mxf4", "m16n8k64.row.col.kind::mxf4", "2X.f32.e2m1.e2m1.f32.ue8m0"),
  ...block("mxf4, scales of all sizes", "m16n8k64.row.col.kind::mxf4", "2X.f32.e2m1.e2m1.f32.ue8m0", false, 0xf0384010),
  ...block("mxf4, sparse", "m16n8k128.row.col.kind::mxf4", "2X.f32.e2m1.e2m1.f32.ue8m0", true),
  ...block("nvf4", "m16n8k64.row.col.kind::mxf4nvf4", "4X.f32.e2m1.e2m1.f32.ue4m3"),
  ...block("nvf4, sparse", "m16n8k128.row.col.kind::mxf4nvf4", "4X.f32.e2m1.e2m1.f32.ue4m3", true),
  "f16, 884": { shape: "m8n8k4.row.col.f32.f16.f16.f32", a: 2, b: 2, d: 8, bits: 32, target: "sm_75" },
  "f16, 884, f16": { shape: "m8n8k4.row.col.f16.f16.f16.f16", a: 2, b: 2, d: 4, bits: 32, target: "sm_75" },
  f64: { shape: "m16n8k16.row.col.f64.f64.f64.f64", a: 8, b: 4, d: 4, bits: 64, target: TARGET },
};

/** Of a block: 128 products of a warp group, or in tensor memory, with factors of all sizes. */
function blockCase(form: BlockForm): Case {
  const { factors: count, sums } = wordsOf(form);
  const type = { bits: "s8", float8: "e4m3", half: form.text.includes("bf16") ? "bf16" : "f16", word: "tf32" }[form.of];
  const some = factors(type, false);
  const words = Uint32Array.from({ length: count }, (_, i) => Number(some[i % some.length]));
  const params = [words, new Uint32Array(sums), new Uint32Array(sums)];
  return {
    name: `${form.bits === null ? "wgmma" : "tcgen05"} ${form.text}${form.held ? ", A in registers" : ""}`,
    ptx: blockPtx(form, 32),
    target: targetOf(form),
    launch: { grid: 4, block: 128, params },
  };
}

/** The same of the other kinds of products in tensor memory; scales lie near 1. */
function rowsCase(form: RowsForm): Case {
  const wide = { ...form, columns: 128 };
  const { ctas, factors: count, cells } = roomOf(wide);
  const type = { bits: "s8", tiny: "s8", float8: "e4m3", half: "f16", word: "tf32" }[form.of];
  const some = factors(type, false);
  const cell = (i: number): number => {
    const beyond = ((i % cells) >> 7) - wide.columns;
    return beyond < 0 ? 0 : beyond < EXTRA / 2 ? 0x3c383a36 : Number(some[i % some.length]);
  };
  const params = [
    Uint32Array.from({ length: ctas * count }, (_, i) => Number(some[i % some.length])),
    Uint32Array.from({ length: ctas * cells }, (_, i) => cell(i)),
    new Uint32Array(ctas * cells),
  ];
  return {
    name: `tcgen05 ${form.name}`,
    ptx: rowsPtx(wide, 32),
    target: "sm_100a",
    launch: { grid: ctas, block: 128, params },
  };
}

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
    ...Object.entries(products).flatMap(([type, matrix]) =>
      (type === "f16, f32" ? [true, false] : [false]).map((few) => ({
        name: `mma ${type}, of ${few ? "few bits" : "all sizes"}`,
        ptx: mmaPtx(matrix),
        target: matrix.target,
        launch: { grid: 64, block: 128, params: [factors(type, few), new Float64Array(128)] },
      })),
    ),
    ...[...blockForms, ...tensorForms].filter((form) => form.columns >= 64).map(blockCase),
    ...rowsForms.map(rowsCase),
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

export function realCubin(ptx: string, target: TargetName = TARGET): Uint8Array {
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-bench-"));
  try {
    writeFileSync(join(dir, "k.ptx"), ptx);
    const made = tool("ptxas", [`-arch=${target}`, "-O3", "-o", join(dir, "k.cubin"), join(dir, "k.ptx")]);
    if (made.status !== 0) throw new Error(made.stderr);
    return new Uint8Array(readFileSync(join(dir, "k.cubin")));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export function benchSimulate(): void {
  console.log(`\nsimulator: million thread-instructions per second, one core, ${TARGET}`);
  const makers: [string, (ptx: string, target: TargetName) => Uint8Array | null][] = [
    ["ours", (ptx, target) => compile(ptx, { target }).cubin],
  ];
  if (available) makers.push(["ptxas -O3", realCubin]);
  row(["kernel", "code", "closures", "wasm", "ratio"]);
  for (const c of benchCases().filter((c) => c.name.includes(process.env.ONLY ?? "")))
    for (const [code, make] of makers) {
      const cubin = make(c.ptx, c.target ?? TARGET);
      // Null: not supported by our compiler.
      if (cubin === null) continue;
      const [closures, wasm] = (["closures", "auto"] as const).map((engine) => rate(cubin, { ...c.launch, engine }));
      row([c.name, code, closures!.toFixed(0), wasm!.toFixed(0), (wasm! / closures!).toFixed(1)]);
    }
}
