/** Kernels over boxes of tensors that are no tiles: columns of a convolution's image, rows that numbers name. */
import { random } from "../random.js";
import { type MatrixKernel, noise, type Prepared, same } from "./inputs.js";

/** Images of 10 × 9 pixels with 8 channels, 3 × 3 filters with a border of zeros, 4 results. */
function convolution(): Prepared {
  const [images, height, width, channels, results] = [3, 9, 10, 8, 4];
  const r = random(51);
  const numbers = (n: number): Int32Array => Int32Array.from({ length: n }, () => r.below(41) - 20);
  const [image, weights] = [numbers(images * height * width * channels), numbers(9 * channels * results)];
  const count = images * height * width;
  const to = new Int32Array(count * results);
  const expected = to.map((_, e) => {
    const [k, x, y, n] = [
      e % results,
      Math.floor(e / results) % width,
      Math.floor(e / (results * width)) % height,
      Math.floor(e / (results * width * height)),
    ];
    let sum = 0;
    for (let tap = 0; tap < 9; tap++) {
      const [row, column] = [y + Math.floor(tap / 3) - 1, x + (tap % 3) - 1];
      if (row < 0 || row >= height || column < 0 || column >= width) continue;
      for (let c = 0; c < channels; c++)
        sum += image[((n * height + row) * width + column) * channels + c]! * weights[(tap * channels + c) * results + k]!;
    }
    return sum;
  });
  const map = {
    tensorMap: {
      data: image,
      elementBytes: 4,
      dims: [channels, width, height, images],
      box: [channels, 64],
      im2col: { lower: [-1, -1], upper: [-1, -1] },
    },
  };
  const params = [map, weights, to, { s32: width }, { s32: height }, { s32: count }];
  return { params, check: () => same(new Uint32Array(to.buffer), new Uint32Array(expected.buffer)) };
}

/** 32 rows, each from one place to another. */
function rows(): Prepared {
  const [count, width] = [32, 32];
  const r = random(52);
  const shuffled = (): Int32Array => {
    const list = Array.from({ length: count }, (_, i) => [r.below(1 << 20), i] as const).sort((a, b) => a[0] - b[0]);
    return Int32Array.from(list, ([, i]) => i);
  };
  const [from, to, input, output] = [shuffled(), shuffled(), noise(53, count * width), new Uint32Array(count * width)];
  const expected = new Uint32Array(count * width);
  from.forEach((row, i) => {
    for (let x = 0; x < width; x++) expected[to[i]! * width + x] = 3 * input[row * width + x]!;
  });
  const map = (data: Uint32Array) => ({ tensorMap: { data, elementBytes: 4, dims: [width, count], box: [width, 1] } });
  return { params: [map(input), map(output), from, to], check: () => same(output, expected) };
}

export const boxKernels: readonly MatrixKernel[] = [
  ...(["sm_90", "sm_120"] as const).map((t): MatrixKernel => ({
    file: `convolution.${t}`,
    kernel: "convolution",
    targets: t === "sm_90" ? ["sm_90", "sm_100"] : ["sm_120"],
    grid: 5,
    block: 64,
    prepare: convolution,
  })),
  { file: "permute_rows.sm_100a", kernel: "permute_rows", targets: ["sm_100a"], grid: 8, block: 128, prepare: rows },
];
