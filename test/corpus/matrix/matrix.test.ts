/**
 * Matrix products that people write, from CUDA C++ (the `.ptx` beside each `.cu` is nvcc's): our code on the SMs that have the instructions,
 * at all levels, against plain products; machine words judged by the hazard checker. Inputs are small integers, so every order of the sums
 * gives the same.
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

/** 0 … 4 as binary16. */
const HALVES = [0, 0x3c00, 0x4000, 0x4200, 0x4400];

interface Shape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** A m × k by rows, B n × k by rows. */
function problem({ m, n, k }: Shape): { a: Uint16Array; b: Uint16Array; expected: Float32Array } {
  const r = random(7);
  const matrix = (count: number): number[] => Array.from({ length: count }, () => r.below(5));
  const [a, b] = [matrix(m * k), matrix(n * k)];
  const expected = new Float32Array(m * n);
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let x = 0; x < k; x++) sum += a[i * k + x]! * b[j * k + x]!;
      expected[i * n + j] = sum;
    }
  const halves = (values: number[]): Uint16Array => Uint16Array.from(values, (x) => HALVES[x]!);
  return { a: halves(a), b: halves(b), expected };
}

interface Kernel {
  readonly file: string;
  readonly target: TargetName;
  readonly shape: Shape;
  readonly grid: readonly [number, number];
  readonly block: number;
  /** The kernel is told m, too. */
  readonly rows: boolean;
}

/** Neither m nor n nor k fills its tiles. */
const odd = { shape: { m: 72, n: 88, k: 104 }, grid: [2, 2], block: 128, rows: true } as const;

const kernels: readonly Kernel[] = [
  ...(["sm_80", "sm_86", "sm_89"] as const).map((target) => ({ file: "gemm_mma.sm_80", target, ...odd })),
  ...(["sm_90", "sm_100", "sm_120"] as const).map((target) => ({ file: "gemm_mma.sm_90", target, ...odd })),
  {
    file: "gemm_wgmma.sm_90a",
    target: "sm_90a",
    shape: { m: 128, n: 64, k: 192 },
    grid: [1, 2],
    block: 160,
    rows: false,
  },
];

const asked = kernels.flatMap((k) => [0, 1, 2].map((opt) => [k.file, k.target, opt, k] as const));

test.each(asked)("%s on %s -O%i", (file, target, opt, k) => {
  const made = compile(readFileSync(join(__dirname, `${file}.ptx`), "utf8"), { target, opt, verify: true });
  expect(made.diagnostics).toEqual([]);
  expect(verifyCubin(unwrap(readCubin(made.cubin!)))).toEqual([]);
  const { a, b, expected } = problem(k.shape);
  const out = new Float32Array(expected.length);
  const { m, n, k: depth } = k.shape;
  const sizes = (k.rows ? [m, n, depth] : [n, depth]).map((x) => ({ s32: x }));
  const run = unwrap(simulate(made.cubin!, { kernel: "gemm", grid: k.grid, block: k.block, params: [...sizes, a, b, out] }));
  expect(run.fault).toBeNull();
  expect(out.findIndex((x, i) => x !== expected[i])).toBe(-1);
});
