/** Kernels of products in tensor memory, and what they must compute, plainly. */
import { random } from "../random.js";
import { differsFromProduct, HALVES, type MatrixKernel, type Params, type Prepared } from "./inputs.js";

const small = (seed: number, count: number, below: number): number[] => {
  const r = random(seed);
  return Array.from({ length: count }, () => r.below(below));
};

const halves = (values: readonly number[]): Uint16Array => Uint16Array.from(values, (x) => HALVES[x]!);

/** Pairs of CTAs: A and B as maps of boxes of 64 columns, of so many rows. */
function pairs(): Prepared {
  const [m, n, k] = [512, 128, 192];
  const [a, b] = [small(31, m * k, 5), small(32, n * k, 5)];
  const out = new Float32Array(m * n);
  const map = (values: readonly number[], rows: number, box: number): Params[number] => ({
    tensorMap: { data: halves(values), elementBytes: 2, dims: [k, rows], box: [64, box], swizzle: 128 },
  });
  return {
    params: [{ s32: n }, { s32: k }, map(a, m, 64), map(b, n, 32), out],
    check: () => differsFromProduct(out, a, b, { m, n, k }),
  };
}

/** 0 … 3 as e4m3, as e2m1. */
const E4M3 = [0, 0x38, 0x40, 0x44];
const E2M1 = [0, 2, 4, 5];
/** Scales: 2^0 … 2^2 by their exponents; 1, 2, 3 as e4m3. */
const POWERS = [127, 128, 129];
const SCALES = [0x38, 0x40, 0x44];

/** 128 × 64, rows of 128 bytes; `block` elements have a scale of their own. */
const scaled = (fp4: boolean) => (): Prepared => {
  const [m, n, k, block] = fp4 ? [128, 64, 256, 16] : [128, 64, 128, 32];
  const [a, b] = [small(33, m * k, 4), small(34, n * k, 4)];
  const blocks = k / block;
  const [ofA, ofB] = [small(35, m * blocks, 3), small(36, n * blocks, 3)];
  const bytes = (values: readonly number[]): Uint8Array =>
    fp4
      ? Uint8Array.from({ length: values.length / 2 }, (_, i) => E2M1[values[2 * i]!]! | (E2M1[values[2 * i + 1]!]! << 4))
      : Uint8Array.from(values, (x) => E4M3[x]!);
  /** Four blocks to a word; for each word, row r is at byte 16 · (r mod 32) + 4 · (r / 32). */
  const scales = (values: readonly number[], rows: number): Uint8Array => {
    const to = new Uint8Array((blocks / 4) * 512);
    for (let r = 0; r < rows; r++)
      for (let i = 0; i < blocks; i++)
        to[(i >> 2) * 512 + (r % 32) * 16 + (r >> 5) * 4 + (i & 3)] = (fp4 ? SCALES : POWERS)[values[r * blocks + i]!]!;
    return to;
  };
  const factor = (x: number): number => (fp4 ? x + 1 : 2 ** x);
  const out = new Float32Array(m * n);
  const whole = (values: readonly number[], of: readonly number[]): number[] =>
    values.map((x, i) => x * factor(of[Math.floor(i / block)]!));
  return {
    params: [bytes(a), bytes(b), scales(ofA, m), scales(ofB, n), out],
    check: () => differsFromProduct(out, whole(a, ofA), whole(b, ofB), { m, n, k }),
  };
};

const stationary = (rows: number) => (): Prepared => {
  const [m, n, k] = [2 * rows, 128, 64];
  const [a, b] = [small(37, m * k, 5), small(38, n * k, 5)];
  const out = new Float32Array(m * n);
  return { params: [halves(a), halves(b), out], check: () => differsFromProduct(out, a, b, { m, n, k }) };
};

function streamK(): Prepared {
  const [m, n, k] = [256, 128, 192];
  const [a, b] = [small(39, m * k, 5), small(40, n * k, 5)];
  const [out, taken] = [new Float32Array(m * n), new Uint32Array(1)];
  const check = (): string =>
    differsFromProduct(out, a, b, { m, n, k }) || (taken[0]! > 0 ? "" : "no block took the work of another");
  return { params: [{ s32: n }, { s32: k }, halves(a), halves(b), out, taken], check };
}

export const tensorMemory: readonly MatrixKernel[] = [
  { file: "gemm_tcgen05_pair.sm_100a", kernel: "gemm", targets: ["sm_100a"], grid: 8, block: 192, sharedBytes: 40960, prepare: pairs },
  { file: "gemm_scaled_tcgen05.sm_100a", kernel: "fp8", targets: ["sm_100a"], grid: 1, block: 128, prepare: scaled(false) },
  { file: "gemm_scaled_tcgen05.sm_100a", kernel: "fp4", targets: ["sm_100a"], grid: 1, block: 128, prepare: scaled(true) },
  { file: "gemm_tcgen05_ws.sm_100a", kernel: "rows32", targets: ["sm_100a"], grid: 1, block: 128, prepare: stationary(32) },
  { file: "gemm_tcgen05_ws.sm_100a", kernel: "rows64", targets: ["sm_100a"], grid: 1, block: 128, prepare: stationary(64) },
  { file: "stream_k.sm_100a", kernel: "gemm", targets: ["sm_100a"], grid: [3, 2, 2], block: 128, prepare: streamK },
];
