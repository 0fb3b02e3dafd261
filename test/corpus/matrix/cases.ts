/**
 * Kernels that people write with matrix, asynchronous and cluster instructions, from CUDA C++ (the `.ptx` beside each `.cu` is nvcc's), with what they
 * must compute, plainly.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { random } from "../random.js";
import { fragments } from "./fragments.js";
import { products } from "./gemm.js";
import { boxKernels } from "./boxes.js";
import { handedOn } from "./copies.js";
import { tensorMemory } from "./tensor-memory.js";
import { typed } from "./product-types.js";
import { HALVES, type MatrixKernel, noise, type Params, type Prepared, product, quarters, same } from "./inputs.js";

export { launchOf, type MatrixKernel, type Prepared } from "./inputs.js";

function wmma(): Prepared {
  const [m, n, k] = [64, 128, 96];
  const r = random(11);
  const matrix = (count: number): number[] => Array.from({ length: count }, () => r.below(5));
  const [a, b] = [matrix(m * k), matrix(n * k)];
  const out = new Float32Array(m * n);
  const halves = (values: readonly number[]): Uint16Array => Uint16Array.from(values, (x) => HALVES[x]!);
  const check = (): string => {
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let x = 0; x < k; x++) sum += a[i * k + x]! * b[j * k + x]!;
        if (out[i * n + j] !== sum / 2) return `(${i}, ${j}): ${out[i * n + j]}, expected ${sum / 2}`;
      }
    return "";
  };
  return { params: [{ s32: n }, { s32: k }, halves(a), halves(b), out], check };
}

function attention(): Prepared {
  const length = 128;
  const r = random(5);
  const [q, k, v] = [quarters(r, length * 32), quarters(r, length * 32), quarters(r, length * 32)];
  const out = new Float32Array(length * 32);
  const check = (): string => {
    for (let i = 0; i < length; i++) {
      const scores = Array.from({ length }, (_, j) => {
        let s = 0;
        for (let x = 0; x < 32; x++) s += q.values[i * 32 + x]! * k.values[j * 32 + x]!;
        return Math.exp(s * 0.25);
      });
      const all = scores.reduce((x, y) => x + y, 0);
      for (let x = 0; x < 32; x++) {
        const expected = scores.reduce((sum, s, j) => sum + s * v.values[j * 32 + x]!, 0) / all;
        // Weights are rounded to binary16, of 11 bits.
        if (!(Math.abs(out[i * 32 + x]! - expected) < 1e-3)) return `(${i}, ${x}): ${out[i * 32 + x]}, expected ${expected}`;
      }
    }
    return "";
  };
  return { params: [{ s32: length }, { f32: 0.25 }, q.bits, k.bits, v.bits, out], check };
}

function histogram(): Prepared {
  const r = random(3);
  const data = Uint32Array.from({ length: 1000 }, () => r.below(1 << 20));
  const [bins, expected] = [new Uint32Array(64), new Uint32Array(64)];
  for (const x of data) expected[x & 63]!++;
  return { params: [{ s32: 1000 }, data, bins], check: () => (bins.join() === expected.join() ? "" : bins.join()) };
}

function ring(): Prepared {
  const n = 11;
  const r = random(8);
  const from = Uint32Array.from({ length: 64 * n }, () => r.below(1 << 20));
  const sums = new Uint32Array(n);
  const expected = Array.from({ length: n }, (_, i) => from.subarray(64 * i, 64 * i + 64).reduce((x, y) => x + y, 0));
  return { params: [{ s32: n }, from, sums], check: () => (sums.join() === expected.join() ? "" : sums.join()) };
}

function scale(): Prepared {
  const n = 5;
  const [from, to] = [noise(21, 256 * n), new Uint32Array(256 * n)];
  return { params: [{ s32: n }, from, to], check: () => same(to, from.map((x) => 3 * x + 1)) };
}

function exchange(): Prepared {
  const rounds = 4;
  const [from, to] = [noise(22, 256), new Uint32Array(256)];
  const check = (): string => {
    let x = from.slice();
    for (let i = 0; i < rounds; i++) x = x.map((v, t) => v * 5 + x[(t ^ 64) ^ 1]!);
    return same(to, x);
  };
  return { params: [{ s32: rounds }, from, to], check };
}

function smooth(): Prepared {
  const rows = 9;
  const [from, to] = [noise(23, 128 * rows), new Uint32Array(128 * rows)];
  const at = (i: number, t: number): number => from[128 * i + ((t + 128) % 128)]!;
  const check = (): string =>
    same(to, from.map((_, e) => at(e >> 7, (e % 128) - 1) + 2 * at(e >> 7, e % 128) + at(e >> 7, (e % 128) + 1)));
  return { params: [{ s32: rows }, from, to], check };
}

function transpose(): Prepared {
  const [rows, columns] = [72, 100];
  const [from, to] = [noise(24, rows * columns), new Uint32Array(rows * columns)];
  const map = (data: Uint32Array, dims: readonly number[]): Params[number] => ({
    tensorMap: { data, elementBytes: 4, dims, box: [32, 32] },
  });
  const check = (): string => same(to, to.map((_, e) => from[(e % rows) * columns + Math.floor(e / rows)]!));
  return { params: [map(from, [columns, rows]), map(to, [rows, columns])], check };
}

function sums(): Prepared {
  const [from, to] = [noise(25, 3 * 4 * 256), new Uint32Array(256)];
  const expected = new Uint32Array(256);
  from.forEach((x, i) => {
    expected[i % 256]! += x ^ 5;
  });
  return { params: [from, to], check: () => same(to, expected) };
}

/** Neither m nor n nor k fills its tiles. */
const odd = product(72, 88, 104, [72, 88, 104]);

export const matrixKernels: readonly MatrixKernel[] = [
  { file: "gemm_wmma.sm_75", kernel: "gemm", targets: ["sm_75"], grid: [2, 1], block: 128, prepare: wmma },
  { file: "gemm_wmma.sm_80", kernel: "gemm", targets: ["sm_80"], grid: [2, 1], block: 128, prepare: wmma },
  { file: "gemm_wmma.sm_90", kernel: "gemm", targets: ["sm_90", "sm_120"], grid: [2, 1], block: 128, prepare: wmma },
  { file: "attention.sm_80", kernel: "attention", targets: ["sm_80"], grid: 2, block: 128, prepare: attention },
  { file: "attention.sm_90", kernel: "attention", targets: ["sm_90", "sm_121"], grid: 2, block: 128, prepare: attention },
  { file: "histogram_dsm.sm_90", kernel: "histogram", targets: ["sm_90", "sm_100", "sm_120"], grid: 4, block: 128, prepare: histogram },
  { file: "ring.sm_90", kernel: "rows", targets: ["sm_90", "sm_100", "sm_110"], grid: 1, block: 64, prepare: ring },
  { file: "gemm_mma.sm_80", kernel: "gemm", targets: ["sm_80", "sm_86", "sm_89"], grid: [2, 2], block: 128, prepare: odd },
  { file: "gemm_mma.sm_90", kernel: "gemm", targets: ["sm_90", "sm_100", "sm_120"], grid: [2, 2], block: 128, prepare: odd },
  { file: "gemm_wgmma.sm_90a", kernel: "gemm", targets: ["sm_90a"], grid: [1, 2], block: 160, prepare: product(128, 64, 192, [64, 192]) },
  { file: "gemm_tcgen05.sm_100a", kernel: "gemm", targets: ["sm_100a"], grid: [1, 2], block: 128, prepare: product(256, 64, 192, [64, 192]) },
  { file: "bulk_scale.sm_90", kernel: "scale", targets: ["sm_90", "sm_100"], grid: 1, block: 64, prepare: scale },
  { file: "exchange.sm_90", kernel: "exchange", targets: ["sm_90", "sm_100"], grid: 4, block: 64, prepare: exchange },
  { file: "smooth.sm_80", kernel: "smooth", targets: ["sm_80", "sm_90", "sm_120"], grid: 1, block: 128, prepare: smooth },
  { file: "transpose_tma.sm_90", kernel: "transpose", targets: ["sm_90", "sm_100"], grid: [4, 3], block: 128, prepare: transpose },
  { file: "sum_tiles.sm_90", kernel: "sums", targets: ["sm_90", "sm_100"], grid: 3, block: 64, prepare: sums },
  ...products,
  ...fragments,
  ...handedOn,
  ...tensorMemory,
  ...boxKernels,
  ...typed,
];

export const matrixText = (k: MatrixKernel): string => readFileSync(join(__dirname, `${k.file}.ptx`), "utf8");

/** Kernels with operations that end late. */
export const asynchronousKernels: readonly MatrixKernel[] = matrixKernels.filter((k) =>
  /cp\.(reduce\.)?async|st\.async|wgmma|tcgen05\.mma/.test(matrixText(k)),
);
