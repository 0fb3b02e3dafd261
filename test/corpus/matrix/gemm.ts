/** Matrix products of kernels that TMA feeds. */
import { random } from "../random.js";
import { differsFromProduct, HALVES, type MatrixKernel, type Params, type Prepared } from "./inputs.js";

/** A of m × k and B of n × k, by rows, in binary16, as maps of boxes of 64 columns; C in f32. Small integers: every order of the sums gives the same. */
const mapped =
  (m: number, n: number, k: number, told: readonly number[], rowsA: number, rowsB: number) => (): Prepared => {
    const r = random(9);
    const matrix = (count: number): number[] => Array.from({ length: count }, () => r.below(5));
    const [a, b] = [matrix(m * k), matrix(n * k)];
    const out = new Float32Array(m * n);
    const map = (values: readonly number[], rows: number, box: number): Params[number] => ({
      tensorMap: {
        data: Uint16Array.from(values, (x) => HALVES[x]!),
        elementBytes: 2,
        dims: [k, rows],
        box: [64, box],
        swizzle: 128,
      },
    });
    const check = (): string => differsFromProduct(out, a, b, { m, n, k });
    return { params: [...told.map((x) => ({ s32: x })), map(a, m, rowsA), map(b, n, rowsB), out], check };
  };

export const products: readonly MatrixKernel[] = [
  { file: "gemm_wgmma_tma.sm_90a", kernel: "gemm", targets: ["sm_90a"], grid: [1, 2], block: 384, sharedBytes: 73728, prepare: mapped(256, 64, 320, [64, 320], 128, 64) },
  { file: "gemm_cluster.sm_90a", kernel: "gemm", targets: ["sm_90a"], grid: 4, block: 160, sharedBytes: 49152, prepare: mapped(256, 128, 256, [256, 128, 256], 64, 32) },
  { file: "gemm_tcgen05_tma.sm_100a", kernel: "gemm", targets: ["sm_100a"], grid: 2, block: 192, sharedBytes: 73728, prepare: mapped(256, 192, 192, [256, 192, 192], 128, 64) },
];
