/**
 * Kernels that people write with matrix, asynchronous and cluster instructions, from CUDA C++ (the `.ptx` beside each `.cu` is nvcc's): our code on the SMs
 * that have the instructions, at all levels, against plain results; machine words judged by the hazard checker.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../../lib/compile.js";
import { readCubin } from "../../../lib/elf/index.js";
import { unwrap } from "../../../lib/result.js";
import { simulate } from "../../../lib/sim/index.js";
import type { TargetName } from "../../../lib/target/index.js";
import { verifyCubin } from "../../../lib/verify.js";
import { random } from "../random.js";

type Params = NonNullable<Parameters<typeof simulate>[1]["params"]>;

interface Prepared {
  readonly params: Params;
  /** What is wrong afterwards, or "". */
  readonly check: () => string;
}

interface Kernel {
  readonly file: string;
  readonly kernel: string;
  readonly targets: readonly TargetName[];
  readonly grid: readonly [number, number] | number;
  readonly block: number;
  readonly prepare: () => Prepared;
}

/** 0 … 4 as binary16. */
const HALVES = [0, 0x3c00, 0x4000, 0x4200, 0x4400];

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

/** Small values that binary16 holds: quarters from −1 to 1. */
function quarters(r: { below: (n: number) => number }, count: number): { readonly values: number[]; readonly bits: Uint16Array } {
  const bitsOf = [0xbc00, 0xba00, 0xb800, 0xb400, 0, 0x3400, 0x3800, 0x3a00, 0x3c00];
  const picked = Array.from({ length: count }, () => r.below(9));
  return { values: picked.map((x) => (x - 4) / 4), bits: Uint16Array.from(picked, (x) => bitsOf[x]!) };
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

const kernels: readonly Kernel[] = [
  { file: "gemm_wmma.sm_75", kernel: "gemm", targets: ["sm_75"], grid: [2, 1], block: 128, prepare: wmma },
  { file: "gemm_wmma.sm_80", kernel: "gemm", targets: ["sm_80"], grid: [2, 1], block: 128, prepare: wmma },
  { file: "gemm_wmma.sm_90", kernel: "gemm", targets: ["sm_90", "sm_120"], grid: [2, 1], block: 128, prepare: wmma },
  { file: "attention.sm_80", kernel: "attention", targets: ["sm_80"], grid: 2, block: 128, prepare: attention },
  { file: "attention.sm_90", kernel: "attention", targets: ["sm_90", "sm_121"], grid: 2, block: 128, prepare: attention },
  { file: "histogram_dsm.sm_90", kernel: "histogram", targets: ["sm_90", "sm_100", "sm_120"], grid: 4, block: 128, prepare: histogram },
  { file: "ring.sm_90", kernel: "rows", targets: ["sm_90", "sm_100", "sm_110"], grid: 1, block: 64, prepare: ring },
];

const asked = kernels.flatMap((k) => k.targets.flatMap((t) => [0, 1, 2].map((opt) => [k.file, t, opt, k] as const)));

test.each(asked)("%s on %s -O%i", (file, target, opt, k) => {
  const made = compile(readFileSync(join(__dirname, `${file}.ptx`), "utf8"), { target, opt, verify: true });
  expect(made.diagnostics).toEqual([]);
  expect(verifyCubin(unwrap(readCubin(made.cubin!)))).toEqual([]);
  const { params, check } = k.prepare();
  const run = unwrap(simulate(made.cubin!, { kernel: k.kernel, grid: k.grid, block: k.block, params }));
  expect(run.fault).toBeNull();
  expect(check()).toBe("");
});
