/** What the kernels of this folder get, and what must come out, for several of them. */
import type { simulate } from "../../../lib/sim/index.js";
import type { TargetName } from "../../../lib/target/index.js";
import { random } from "../random.js";

export type Params = NonNullable<Parameters<typeof simulate>[1]["params"]>;

export interface Prepared {
  readonly params: Params;
  /** What is wrong afterwards, or "". */
  readonly check: () => string;
}

export interface MatrixKernel {
  readonly file: string;
  readonly kernel: string;
  readonly targets: readonly TargetName[];
  readonly grid: readonly [number, number] | readonly [number, number, number] | number;
  readonly block: number;
  /** Dynamic shared memory, bytes. */
  readonly sharedBytes?: number;
  readonly prepare: () => Prepared;
}

/** 0 … 4 as binary16. */
export const HALVES = [0, 0x3c00, 0x4000, 0x4200, 0x4400];

/** Small values that binary16 holds: quarters from −1 to 1. */
export function quarters(r: { below: (n: number) => number }, count: number): { readonly values: number[]; readonly bits: Uint16Array } {
  const bitsOf = [0xbc00, 0xba00, 0xb800, 0xb400, 0, 0x3400, 0x3800, 0x3a00, 0x3c00];
  const picked = Array.from({ length: count }, () => r.below(9));
  return { values: picked.map((x) => (x - 4) / 4), bits: Uint16Array.from(picked, (x) => bitsOf[x]!) };
}

/** Where a matrix of m × n is not the product of a (m × k) and b (n × k), row by row; empty where it is. */
export function differsFromProduct(
  out: ArrayLike<number>,
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  { m, n, k }: { readonly m: number; readonly n: number; readonly k: number },
): string {
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let x = 0; x < k; x++) sum += a[i * k + x]! * b[j * k + x]!;
      if (out[i * n + j] !== sum) return `(${i}, ${j}): ${out[i * n + j]}, expected ${sum}`;
    }
  return "";
}

/** A of m × k and B of n × k, both by rows, in binary16; C in f32. Small integers, so that every order of the sums gives the same. */
export const product =
  (m: number, n: number, k: number, told: readonly number[]) =>
  (): Prepared => {
    const r = random(7);
    const matrix = (count: number): number[] => Array.from({ length: count }, () => r.below(5));
    const [a, b] = [matrix(m * k), matrix(n * k)];
    const out = new Float32Array(m * n);
    const halves = (values: number[]): Uint16Array => Uint16Array.from(values, (x) => HALVES[x]!);
    const check = (): string => differsFromProduct(out, a, b, { m, n, k });
    return { params: [...told.map((x) => ({ s32: x })), halves(a), halves(b), out], check };
  };

export const same = (a: Uint32Array, b: Uint32Array): string => {
  const i = a.findIndex((x, at) => x !== b[at]);
  return i < 0 ? "" : `word ${i}: ${a[i]}, expected ${b[i]}`;
};

export const noise = (seed: number, count: number): Uint32Array => {
  const r = random(seed);
  return Uint32Array.from({ length: count }, () => r.below(1 << 24));
};

/** How a kernel is launched, without its arguments. */
export const launchOf = ({ kernel, grid, block, sharedBytes }: MatrixKernel) => ({
  kernel,
  grid,
  block,
  ...(sharedBytes !== undefined && { sharedBytes }),
});
