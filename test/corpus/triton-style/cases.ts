/**
 * Kernels in the style of Triton's code generator, with launches and what must come out, computed here without any part of
 * ptxlab. Their PTX is written by hand. Sums are exact by the choice of inputs; where ex2.approx, div.full or
 * rsqrt.approx take part, the tolerance stands beside the values.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CorpusCase, LaunchFile } from "../cases.js";
import { random, table } from "../random.js";

/** The PTX of a kernel, for all SMs from sm_75 on. */
export function tritonStylePtx(name: string): string {
  return readFileSync(join(__dirname, `${name}.ptx`), "utf8");
}

/** A program is 128 threads. */
const BLOCK = [128];
/** Bytes of `global_smem` that a reduction over four warps takes. */
const SMEM = 16;

/** The last program is half masked. */
function add(): LaunchFile {
  const n = 2600;
  const r = random(21);
  const x = table(n, () => r.below(4001) - 2000);
  const y = table(n, () => r.below(4001) / 4);
  const length = 3072;
  return {
    buffers: { x: { type: "f32", values: x }, y: { type: "f32", values: y }, out: { type: "f32", length } },
    launches: [
      {
        kernel: "add_kernel",
        grid: [3],
        block: BLOCK,
        params: [{ buffer: "x" }, { buffer: "y" }, { buffer: "out" }, { u32: n }],
      },
    ],
    expect: { out: { values: table(length, (i) => (i < n ? x[i]! + y[i]! : 0)) } },
  };
}

/** Programs that walk the columns in a loop, and one atomic each. */
function sum(): LaunchFile {
  const n = 5000;
  const programs = 3;
  const r = random(22);
  const x = table(n, () => r.below(201) - 100);
  return {
    buffers: { x: { type: "f32", values: x }, out: { type: "f32", values: [7] } },
    launches: [
      {
        kernel: "sum_kernel",
        grid: [programs],
        block: BLOCK,
        sharedBytes: SMEM,
        params: [{ buffer: "x" }, { buffer: "out" }, { u32: n }, { u32: 512 * programs }],
      },
    ],
    expect: { out: { values: [x.reduce((a, v) => a + v, 7)] } },
  };
}

const rows = <T>(count: number, columns: number, make: (row: number, column: number) => T): T[][] =>
  table(count, (i) => table(columns, (j) => make(i, j)));

/** A row for each program; after the columns each row has unused places, which stay 0. */
function softmax(): LaunchFile {
  const [height, columns, stride] = [5, 300, 304];
  const r = random(23);
  const x = rows(height, stride, () => (r.below(2001) - 1000) / 128);
  const out = x.map((row) => {
    const used = row.slice(0, columns);
    const powers = used.map((v) => Math.exp(v - Math.max(...used)));
    const total = powers.reduce((a, v) => a + v, 0);
    return table(stride, (j) => (j < columns ? powers[j]! / total : 0));
  });
  return {
    buffers: { out: { type: "f32", length: height * stride }, x: { type: "f32", values: x.flat() } },
    launches: [
      {
        kernel: "softmax_kernel",
        grid: [height],
        block: BLOCK,
        sharedBytes: SMEM,
        params: [{ buffer: "out" }, { buffer: "x" }, { u32: stride }, { u32: columns }],
      },
    ],
    // The exponent is rounded to f32 (up to 2^-20 of it), ex2.approx and div.full are good to 2 ulp.
    expect: { out: { values: out.flat(), rel: 1e-5 } },
  };
}

function layerNorm(): LaunchFile {
  const [height, columns, eps] = [4, 420, 2 ** -16];
  const r = random(24);
  const x = rows(height, columns, () => (r.below(2001) - 900) / 64);
  const w = table(columns, () => (r.below(33) - 16) / 8);
  const b = table(columns, () => (r.below(33) - 16) / 4);
  const y = x.map((row) => {
    const mean = row.reduce((a, v) => a + v, 0) / columns;
    const variance = row.reduce((a, v) => a + (v - mean) ** 2, 0) / columns;
    return row.map((v, j) => ((v - mean) / Math.sqrt(variance + eps)) * w[j]! + b[j]!);
  });
  return {
    buffers: {
      x: { type: "f32", values: x.flat() },
      y: { type: "f32", length: height * columns },
      w: { type: "f32", values: w },
      b: { type: "f32", values: b },
    },
    launches: [
      {
        kernel: "layer_norm",
        grid: [height],
        block: BLOCK,
        sharedBytes: SMEM,
        params: [
          { buffer: "x" },
          { buffer: "y" },
          { buffer: "w" },
          { buffer: "b" },
          { u32: columns },
          { u32: columns },
          { f32: eps },
        ],
      },
    ],
    // Values up to 8 whose two terms may cancel: a few ulp of 8, absolute.
    expect: { y: { values: y.flat(), rel: 1e-5, abs: 1e-5 } },
  };
}

/** The bits of an f16 for k / 8, |k| ≤ 2047: exact, never subnormal. */
function half(k: number): number {
  if (k === 0) return 0;
  const e = Math.floor(Math.log2(Math.abs(k)));
  return (k < 0 ? 0x8000 : 0) | ((e - 3 + 15) << 10) | ((Math.abs(k) * 2 ** (10 - e)) & 0x3ff);
}

/** Eight halves a thread; halving is exact, too. */
function reluF16(): LaunchFile {
  const n = 1400;
  const length = 2048;
  const r = random(25);
  const k = table(length, () => 2 * (r.below(1023) - 511));
  return {
    buffers: { x: { type: "u16", values: k.map(half) }, out: { type: "u16", length } },
    launches: [
      {
        kernel: "relu_f16",
        grid: [2],
        block: BLOCK,
        params: [{ buffer: "x" }, { buffer: "out" }, { f32: 0.5 }, { u32: n }],
      },
    ],
    expect: { out: { values: k.map((v, i) => (i < n && v > 0 ? half(v / 2) : 0)) } },
  };
}

export const tritonStyle: readonly CorpusCase[] = [
  { name: "add_kernel", launch: add() },
  { name: "sum_kernel", launch: sum() },
  { name: "softmax_kernel", launch: softmax() },
  { name: "layer_norm", launch: layerNorm() },
  { name: "relu_f16", launch: reluF16() },
];
