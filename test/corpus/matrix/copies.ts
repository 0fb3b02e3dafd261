/** Kernels whose blocks and warps hand data to each other: tensor boxes, bulk reductions, rings, clusters; attention by warp groups. */
import { random } from "../random.js";
import { type MatrixKernel, noise, type Params, type Prepared, quarters, same } from "./inputs.js";

const swizzledTranspose = (swizzle: 32 | 64 | 128) => (): Prepared => {
  const [rows, columns] = [64, swizzle / 2];
  const [from, to] = [noise(41, rows * columns), new Uint32Array(rows * columns)];
  const map = { tensorMap: { data: from, elementBytes: 4, dims: [columns, rows], box: [swizzle / 4, 32], swizzle } };
  const check = (): string => same(to, to.map((_, e) => from[(e % rows) * columns + Math.floor(e / rows)]!));
  return { params: [map, to, { s32: rows }], check };
};

function limits(): Prepared {
  const [rows, width] = [5, 128];
  const from = Int32Array.from(noise(42, rows * width), (x) => (x << 7) | 3);
  const [least, most] = [new Int32Array(width).fill(0x7fffffff), new Int32Array(width).fill(-0x80000000)];
  const [all, any] = [new Uint32Array(width).fill(0xffffffff), new Uint32Array(width)];
  const column = (j: number): number[] => Array.from({ length: rows }, (_, i) => from[i * width + j]!);
  const check = (): string => {
    for (let j = 0; j < width; j++) {
      const c = column(j);
      const expected = [Math.min(...c), Math.max(...c), c.reduce((a, b) => a & b) >>> 0, c.reduce((a, b) => a | b) >>> 0];
      const found = [least[j], most[j], all[j], any[j]];
      if (found.join() !== expected.join()) return `column ${j}: ${found}, expected ${expected}`;
    }
    return "";
  };
  return { params: [from, least, most, all, any], check };
}

/** Sums of what `per` blocks of a cluster give, `width` of each. */
const clusterSums = (width: number, given: number) => (): Prepared => {
  const [clusters, ranks] = [2, 4];
  const [from, to] = [noise(43, clusters * ranks * given), new Uint32Array(clusters * width)];
  const expected = new Uint32Array(clusters * width);
  from.forEach((x, i) => {
    expected[Math.floor(i / (ranks * given)) * width + (i % width)]! += x;
  });
  return { params: [from, to], check: () => same(to, expected) };
};

/** Boxes of 8 × 8 that overlap, and stand out of the matrix at its edges. */
const boxes = (reduce: (old: number, value: number) => number) => (): Prepared => {
  const [across, down, width, height] = [3, 4, 12, 14];
  const [from, to] = [noise(48, across * down * 64), noise(49, width * height)];
  const expected = to.slice();
  from.forEach((value, i) => {
    const [box, e] = [i >> 6, i & 63];
    const x = 4 * (box % across) - 2 + (e & 7);
    const y = 4 * Math.floor(box / across) - 2 + (e >> 3);
    if (x < 0 || x >= width || y < 0 || y >= height) return;
    expected[y * width + x] = reduce(expected[y * width + x]!, value);
  });
  const map = { tensorMap: { data: to, elementBytes: 4, dims: [width, height], box: [8, 8] } };
  return { params: [map, from], check: () => same(to, expected) };
};

function turns(): Prepared {
  const [n, width] = [10, 128];
  const [from, sums] = [noise(44, n * width), new Uint32Array(n)];
  const expected = sums.map((_, i) => {
    let sum = 0;
    for (let j = 0; j < width; j++) sum = (sum + Math.imul(from[i * width + j]!, j + 1)) >>> 0;
    return sum;
  });
  return { params: [{ s32: n }, from, sums], check: () => same(sums, expected) };
}

function sharedRows(): Prepared {
  const [n, width, threads] = [5, 256, 64];
  const [from, to] = [noise(45, n * width), new Uint32Array(8 * threads)];
  const expected = to.map((_, e) => {
    let x = 0;
    for (let i = 0; i < n; i++) for (let j = e % threads; j < width; j += threads) x = (Math.imul(x, 3) + from[i * width + j]!) >>> 0;
    return x + (Math.floor(e / threads) % 4);
  });
  return { params: [{ s32: n }, from, to], check: () => same(to, expected) };
}

/** Thread t leaves in round t, when those after it and before it have counted. */
function leaving(): Prepared {
  const to = new Uint32Array(32);
  const check = (): string => {
    let before = 0;
    for (let t = 0; t < 32; t++) {
      // Others of the same round may have counted already.
      if (to[t]! < before || to[t]! > before + 31 - t) return `thread ${t}: ${to[t]}`;
      before += 31 - t;
    }
    return "";
  };
  return { params: [to], check };
}

function softmax(): Prepared {
  const [rows, width] = [3, 128];
  const r = random(46);
  const from = Float32Array.from({ length: rows * width }, () => r.below(4000) / 500 - 4);
  const to = new Float32Array(rows * width);
  const check = (): string => {
    for (let i = 0; i < rows; i++) {
      const row = Array.from(from.subarray(i * width, (i + 1) * width), Math.exp);
      const all = row.reduce((a, b) => a + b, 0);
      for (let j = 0; j < width; j++)
        if (!(Math.abs(to[i * width + j]! / (row[j]! / all) - 1) < 1e-5)) return `(${i}, ${j}): ${to[i * width + j]}`;
    }
    return "";
  };
  return { params: [from, to], check };
}

function attention(): Prepared {
  const [length, width, factor] = [192, 64, 0.125];
  const r = random(47);
  const [q, k, v] = [quarters(r, length * width), quarters(r, length * width), quarters(r, length * width)];
  const out = new Float32Array(length * width);
  const map = (data: Uint16Array): Params[number] => ({
    tensorMap: { data, elementBytes: 2, dims: [width, length], box: [64, 64], swizzle: 128 },
  });
  const check = (): string => {
    for (let i = 0; i < length; i++) {
      const scores = Array.from({ length }, (_, j) => {
        let s = 0;
        for (let x = 0; x < width; x++) s += q.values[i * width + x]! * k.values[j * width + x]!;
        return Math.exp(s * factor);
      });
      const all = scores.reduce((x, y) => x + y, 0);
      for (let x = 0; x < width; x++) {
        const expected = scores.reduce((sum, s, j) => sum + s * v.values[j * width + x]!, 0) / all;
        // Weights are rounded to binary16, of 11 bits.
        if (!(Math.abs(out[i * width + x]! - expected) < 1e-3)) return `(${i}, ${x}): ${out[i * width + x]}, expected ${expected}`;
      }
    }
    return "";
  };
  return { params: [{ s32: length }, { f32: factor }, map(q.bits), map(k.bits), map(v.bits), out], check };
}

const hopperOn = (file: string, kernel: string, block: number, grid: MatrixKernel["grid"], prepare: () => Prepared): MatrixKernel[] => [
  { file: `${file}.sm_90`, kernel, targets: ["sm_90"], grid, block, prepare },
  { file: `${file}.sm_100`, kernel, targets: ["sm_100"], grid, block, prepare },
];

export const handedOn: readonly MatrixKernel[] = [
  ...([32, 64, 128] as const).flatMap((s) => hopperOn("transpose_swizzles", `by${s}`, 64, [2, 2], swizzledTranspose(s))),
  ...hopperOn("reductions", "limits", 64, 5, limits),
  ...hopperOn("reductions", "gather_rows", 64, 8, clusterSums(256, 256)),
  ...hopperOn("reductions", "send_words", 64, 8, clusterSums(16, 64)),
  ...hopperOn(
    "reductions",
    "add_boxes",
    64,
    [3, 4],
    boxes((x, y) => x + y),
  ),
  ...hopperOn("reductions", "max_boxes", 64, [3, 4], boxes(Math.max)),
  ...hopperOn("pipelines", "turns", 128, 1, turns),
  ...hopperOn("pipelines", "share_rows", 64, 8, sharedRows),
  ...hopperOn("pipelines", "leave", 32, 1, leaving),
  ...hopperOn("softmax_cluster", "softmax", 64, 6, softmax),
  { file: "softmax_cluster.sm_120", kernel: "softmax", targets: ["sm_120"], grid: 6, block: 64, prepare: softmax },
  { file: "attention_wgmma.sm_90a", kernel: "attention", targets: ["sm_90a"], grid: 3, block: 128, prepare: attention },
];
