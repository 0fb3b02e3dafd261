/** Matrix products of one warp in every type of element: dense, sparse, and with scales of blocks. Elements are chosen so that sums are exact. */
import { random } from "../random.js";
import type { MatrixKernel, Prepared } from "./inputs.js";

interface Coding {
  readonly bits: number;
  /** Patterns that are drawn, and what each stands for. */
  readonly codes: readonly (readonly [pattern: number, value: number])[];
}

const f32 = (x: number): number => new Uint32Array(Float32Array.of(x).buffer)[0]!;
const integers = [-3, -2, -1, 0, 1, 2, 3, 4];
const small = [0, 0.5, 1, 1.5, 2, 3, 4, 6];
const codings = {
  f16: { bits: 16, codes: [[0, 0], [0x3c00, 1], [0x4000, 2], [0x4200, 3], [0xbc00, -1], [0xb800, -0.5]] },
  bf16: { bits: 16, codes: integers.map((x) => [f32(x) >>> 16, x]) },
  tf32: { bits: 32, codes: integers.map((x) => [f32(x), x]) },
  s8: { bits: 8, codes: [-128, -77, -1, 0, 1, 50, 127].map((x) => [x & 255, x]) },
  u8: { bits: 8, codes: [0, 1, 100, 200, 255].map((x) => [x, x]) },
  e4m3: { bits: 8, codes: [[0, 0], [0x38, 1], [0x40, 2], [0x44, 3], [0xb8, -1], [0x30, 0.5], [0x58, 16]] },
  e5m2: { bits: 8, codes: [[0, 0], [0x3c, 1], [0x40, 2], [0x42, 3], [0xbc, -1], [0x38, 0.5]] },
  s4: { bits: 4, codes: [-8, -5, -1, 0, 1, 3, 7].map((x) => [x & 15, x]) },
  e2m1: { bits: 4, codes: [...small.map((x, i) => [i, x] as const), ...small.map((x, i) => [i + 8, -x] as const)] },
} satisfies Record<string, Coding>;

interface Matrix {
  readonly words: Uint32Array;
  readonly values: readonly number[];
}

function draw(r: { below: (n: number) => number }, count: number, { bits, codes }: Coding): Matrix {
  const words = new Uint32Array((count * bits) / 32);
  const values = Array.from({ length: count }, (_, i) => {
    const [pattern, value] = codes[r.below(codes.length)]!;
    words[(i * bits) >> 5]! |= pattern << ((i * bits) & 31);
    return value;
  });
  return { words, values };
}

/** What is wrong with C = A · B, both by rows of k. */
function wrong(c: ArrayLike<number>, n: number, k: number, a: (i: number, x: number) => number, b: (j: number, x: number) => number): string {
  for (let i = 0; i < c.length / n; i++)
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let x = 0; x < k; x++) sum += a(i, x) * b(j, x);
      if (c[i * n + j] !== sum) return `(${i}, ${j}): ${c[i * n + j]}, expected ${sum}`;
    }
  return "";
}

const [M, N] = [32, 32];

const dense = (first: Coding, second: Coding, k: number, out: () => Float32Array | Int32Array) => (): Prepared => {
  const r = random(31);
  const [a, b] = [draw(r, M * k, first), draw(r, N * k, second)];
  const c = out();
  const check = (): string => wrong(c, N, k, (i, x) => a.values[i * k + x]!, (j, x) => b.values[j * k + x]!);
  return { params: [{ s32: N }, { s32: (k * first.bits) / 32 }, a.words, b.words, c], check };
};

const floats = (): Float32Array => new Float32Array(M * N);
const counts = (): Int32Array => new Int32Array(M * N);

function doubles(): Prepared {
  const [m, n, k] = [16, 16, 24];
  const r = random(32);
  const matrix = (count: number): Float64Array => Float64Array.from({ length: count }, () => r.below(2 ** 20) / 1024);
  const [a, b, c] = [matrix(m * k), matrix(n * k), new Float64Array(m * n)];
  const check = (): string => wrong(c, n, k, (i, x) => a[i * k + x]!, (j, x) => b[j * k + x]!);
  return { params: [{ s32: n }, { s32: k }, a, b, c], check };
}

/** Bits that two rows of bits have in common. */
function bits(): Prepared {
  const words = 16;
  const r = random(33);
  const matrix = (count: number): Uint32Array => Uint32Array.from({ length: count }, () => r.below(2 ** 30) * 4 + r.below(4));
  const [a, b, c] = [matrix(M * words), matrix(N * words), counts()];
  const bit = (of: Uint32Array, line: number, x: number): number => (of[line * words + (x >> 5)]! >>> (x & 31)) & 1;
  const check = (): string => wrong(c, N, 32 * words, (i, x) => bit(a, i, x), (j, x) => bit(b, j, x));
  return { params: [{ s32: N }, { s32: words }, a, b, c], check };
}

const ascending = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
/** Without (2, 1), which ptxas does not bring in order. */
const anyOrder = [...ascending, [1, 0], [2, 0], [3, 0], [3, 1], [3, 2]];

/** Two of each four neighbours of A, with their places where the threads of a warp give them; neighbours are elements, or of 4 bits pairs of them. */
const sparse = (coding: Coding, length: number, out: () => Float32Array | Int32Array, orders: readonly number[][] = ascending) => (): Prepared => {
  const r = random(34);
  const per = coding.bits === 4 ? 2 : 1;
  const [a, b] = [draw(r, (M * length) / 2, coding), draw(r, N * length, coding)];
  const c = out();
  // From here on in neighbours.
  const [k, width] = [length / per, coding.bits * per];
  const step = 1024 / width / 2;
  const places = Array.from({ length: (M * k) / 4 }, () => orders[r.below(orders.length)]!);
  const full = new Float64Array(M * length);
  places.forEach((p, chunk) => {
    for (let i = 0; i < 2 * per; i++) full[per * (4 * chunk + p[Math.floor(i / per)]!) + (i % per)] = a.values[2 * per * chunk + i]!;
  });
  // A word of each thread for 16 rows and a step of k (PTX ISA, figures of metadata): with 16 bits two threads, each with both rows; with 8 bits all four.
  const e = new Uint32Array((M / 16) * (k / step) * 32);
  e.forEach((_, at) => {
    const [lane, s, tile] = [at & 31, (at >> 5) % (k / step), Math.floor((at >> 5) / (k / step))];
    const [g, t] = [lane >> 2, lane & 3];
    for (let nibble = 0; nibble < 8; nibble++) {
      const [row, first] = width === 16 ? [g + 8 * (nibble >> 2), 16 * (t & 1) + 4 * (nibble & 3)] : [g + 8 * (t & 1), 32 * (t >> 1) + 4 * nibble];
      const p = places[((16 * tile + row) * k + s * step + first) / 4]!;
      e[at]! |= (p[0]! | (p[1]! << 2)) << (4 * nibble);
    }
  });
  const check = (): string => wrong(c, N, length, (i, x) => full[i * length + x]!, (j, x) => b.values[j * length + x]!);
  return { params: [{ s32: N }, { s32: (k * width) / 64 }, a.words, b.words, e, c], check };
};

/** Scales: `perStep` blocks in each step of 256 bits of k. */
const scaled = (coding: Coding, k: number, perStep: number, scales: Coding["codes"]) => (): Prepared => {
  const r = random(35);
  const [a, b, c] = [draw(r, M * k, coding), draw(r, N * k, coding), floats()];
  const step = 256 / coding.bits;
  const factors = (rows: number): Matrix => {
    const words = new Uint32Array((rows * k) / step);
    const values: number[] = [];
    for (let i = 0; i < words.length; i++)
      for (let n = 0; n < perStep; n++) {
        const [pattern, value] = scales[r.below(scales.length)]!;
        words[i]! |= pattern << (8 * n);
        values.push(value);
      }
    return { words, values };
  };
  const [sa, sb] = [factors(M), factors(N)];
  const value = (m: Matrix, s: Matrix, i: number, x: number): number =>
    m.values[i * k + x]! * s.values[Math.floor(((i * k + x) * perStep) / step)]!;
  const check = (): string => wrong(c, N, k, (i, x) => value(a, sa, i, x), (j, x) => value(b, sb, j, x));
  return { params: [{ s32: N }, { s32: (k * coding.bits) / 32 }, a.words, b.words, sa.words, sb.words, c], check };
};

const powers: Coding["codes"] = [[126, 0.5], [127, 1], [128, 2], [129, 4]];
const bytes: Coding["codes"] = [[0x38, 1], [0x3c, 1.5], [0x40, 2], [0x30, 0.5]];
const { f16, bf16, tf32, s8, u8, s4, e4m3, e5m2, e2m1 } = codings;

const kernels = (file: string, targets: MatrixKernel["targets"], block: number, list: Readonly<Record<string, () => Prepared>>): MatrixKernel[] =>
  Object.entries(list).map(([kernel, prepare]) => ({ file, kernel, targets, grid: block === 64 ? [2, 2] : [4, 2], block, prepare }));

const types = {
  of_bf16: dense(bf16, bf16, 64, floats),
  of_tf32: dense(tf32, tf32, 40, floats),
  of_s8: dense(s8, s8, 96, counts),
  of_u8s8: dense(u8, s8, 64, counts),
  of_bits: bits,
};
const sparseTypes = {
  of_f16: sparse(f16, 64, floats),
  of_s8: sparse(s8, 128, counts),
  of_f16_any: sparse(f16, 64, floats, anyOrder),
  of_s8_any: sparse(s8, 128, counts, anyOrder),
  of_s4_any: sparse(s4, 256, counts, anyOrder),
};

const sparseBytes = { of_e4m3_any: sparse(e4m3, 128, floats, anyOrder) };

export const typed: readonly MatrixKernel[] = [
  ...kernels("product_types.sm_80", ["sm_80", "sm_86"], 64, types),
  ...kernels("product_types.sm_90", ["sm_90"], 64, types),
  ...kernels("product_types.sm_100", ["sm_100", "sm_120"], 64, types),
  { file: "product_types.sm_80", kernel: "of_f64", targets: ["sm_80", "sm_90", "sm_100"], grid: [2, 2], block: 32, prepare: doubles },
  ...kernels("product_bytes.sm_89", ["sm_89"], 64, { of_e4m3: dense(e4m3, e5m2, 64, floats) }),
  ...kernels("product_bytes.sm_120", ["sm_120"], 64, { of_e4m3: dense(e4m3, e5m2, 64, floats) }),
  ...kernels("product_sparse.sm_80", ["sm_80", "sm_89"], 32, sparseTypes),
  ...kernels("product_sparse.sm_90", ["sm_90"], 32, sparseTypes),
  ...kernels("product_sparse.sm_100", ["sm_100", "sm_120"], 32, sparseTypes),
  ...kernels("product_sparse.sm_90", ["sm_90"], 32, sparseBytes),
  ...kernels("product_sparse.sm_100", ["sm_100", "sm_120"], 32, sparseBytes),
  ...kernels("product_scaled.sm_120a", ["sm_120a"], 32, {
    of_mxf8: scaled(e4m3, 64, 1, powers),
    of_mxf4: scaled(e2m1, 128, 2, powers),
    of_nvf4: scaled(e2m1, 128, 4, bytes),
  }),
];
