/** Fragments of matrices that are moved, and products by nvcuda::wmma in other types than f16. */
import { random } from "../random.js";
import { differsFromProduct, type MatrixKernel, noise, type Prepared, same } from "./inputs.js";

/** Matrices of 8 × 8 halves, each held by 32 threads in a word each; `each` words of a thread. */
const transposed = (each: 1 | 4) => (): Prepared => {
  const blocks = 2;
  const from = noise(51, blocks * 32 * each);
  const to = new Uint32Array(from.length);
  const half = (matrix: number, row: number, column: number): number => {
    const lane = 4 * row + (column >> 1);
    const word = from[(Math.floor(matrix / each) * 32 + lane) * each + (matrix % each)]!;
    return (word >>> (16 * (column & 1))) & 0xffff;
  };
  const expected = to.map((_, at) => {
    const [lane, matrix] = [Math.floor(at / each) % 32, Math.floor(at / (32 * each)) * each + (at % each)];
    const [row, column] = [lane >> 2, 2 * (lane & 3)];
    return half(matrix, column, row) | (half(matrix, column + 1, row) << 16);
  });
  return { params: [from, to], check: () => same(to, expected) };
};

const wmma = (bytes: 1 | 2) => (): Prepared => {
  const [m, n, k] = [32, 16, 48];
  const r = random(52);
  const draw = (count: number): number[] => Array.from({ length: count }, () => r.below(201) - 100);
  const [a, b] = [draw(m * k), draw(n * k)];
  const held = (x: readonly number[]): Int8Array | Uint16Array =>
    bytes === 1 ? Int8Array.from(x) : Uint16Array.from(x, (v) => new Uint32Array(Float32Array.of(v).buffer)[0]! >>> 16);
  const c = bytes === 1 ? new Int32Array(m * n) : new Float32Array(m * n);
  const check = (): string => differsFromProduct(c, a, b, { m, n, k });
  return { params: [{ s32: k }, held(a), held(b), c], check };
};

const kernels = { turn: transposed(1), through: transposed(4), wmma_s8: wmma(1), wmma_bf16: wmma(2) };

export const fragments: readonly MatrixKernel[] = (["sm_90", "sm_100", "sm_120"] as const).flatMap((target) =>
  Object.entries(kernels).map(([kernel, prepare]) => {
    const isProduct = kernel.startsWith("wmma");
    return { file: `fragments.${target}`, kernel, targets: [target], grid: isProduct ? 1 : 2, block: isProduct ? 64 : 32, prepare };
  }),
);
