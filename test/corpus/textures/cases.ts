/**
 * Kernels over textures and surfaces from CUDA C++ (the `.ptx` beside each `.cu` is nvcc's), with what they must compute: in plain arithmetic, with weights of full
 * precision where a filter's have 8 bits (the tolerance is what that makes).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Dim3, LaunchOptions, Surface, Texture } from "../../../lib/sim/index.js";
import type { TargetName } from "../../../lib/target/index.js";
import { random } from "../random.js";

export interface Prepared {
  readonly params: NonNullable<LaunchOptions["params"]>;
  /** What is wrong afterwards, or "". */
  readonly check: () => string;
}

export interface TextureKernel {
  readonly file: string;
  readonly kernel: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly prepare: () => Prepared;
}

export const targets: readonly TargetName[] = ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"];
export const textOf = (k: TextureKernel): string => readFileSync(join(__dirname, `${k.file}.sm_75.ptx`), "utf8");

function differs(found: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number = 0): string {
  for (let i = 0; i < expected.length; i++)
    if (!(Math.abs(found[i]! - expected[i]!) <= tolerance)) return `[${i}]: ${found[i]}, expected ${expected[i]}`;
  return "";
}

const clamp = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x));
const list = <T>(n: number, f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i));

/** Random floats from 0 to 16. */
function floats(seed: number, count: number): Float32Array {
  const r = random(seed);
  return Float32Array.from({ length: count }, () => r.below(256) / 16);
}

/** f between its values at whole numbers. */
function between(f: (i: number) => number, x: number): number {
  const i = Math.floor(x);
  return f(i) + (x - i) * (f(i + 1) - f(i));
}

// ------------------------------------------------------------------------------------------------ images

function resize(): Prepared {
  const [w, h, width, height] = [20, 14, 37, 23];
  const data = floats(1, w * h);
  const y = new Float32Array(width * height);
  const texel = (i: number, j: number): number => data[((j + h) % h) * w + ((i + w) % w)]!;
  const expected = list(width * height, (e) => {
    const [u, v] = [((e % width) + 0.5) / width, (Math.floor(e / width) + 0.5) / height];
    return between((j) => between((i) => texel(i, j), u * w - 0.5), v * h - 0.5);
  });
  const texture: Texture = { data, shape: "2d", size: [w, h], type: "f32", channels: 1, filter: "linear", normalized: true, address: "wrap" };
  return { params: [{ texture }, y, { s32: width }, { s32: height }], check: () => differs(y, expected, 16 / 256) };
}

function turn(): Prepared {
  const [n, shift] = [24, 3];
  const r = random(2);
  const data = Uint8Array.from({ length: n * n * 4 }, () => r.below(256));
  const border = [0.25, 0.5, 0.75, 1];
  const y = new Float32Array(n * n * 4);
  const expected = list(n * n * 4, (e) => {
    const [i, j] = [(e >> 2) % n, Math.floor(e / 4 / n)];
    const x = n - 1 - j + shift;
    const channel = 3 - (e & 3);
    return x < n ? data[(i * n + x) * 4 + channel]! / 255 : border[channel]!;
  });
  const texture: Texture = { data, shape: "2d", size: [n, n], type: "u8", channels: 4, read: "normalized", address: "border", border };
  return { params: [{ texture }, y, { s32: n }, { f32: shift }], check: () => differs(y, expected, 1e-7) };
}

function edges(): Prepared {
  const n = 17;
  const data = floats(3, n * n * 2);
  const y = new Float32Array(n * n * 2);
  const at = (i: number, j: number): number => data[(Math.min(j, n - 1) * n + Math.min(i, n - 1)) * 2 + 1]!;
  const expected = list(n * n * 2, (e) => {
    const [i, j] = [(e >> 1) % n, Math.floor(e / 2 / n)];
    const [a, b, c, d] = [at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)];
    return e % 2 === 0 ? b + d - a - c : c + d - a - b;
  });
  const texture: Texture = { data, shape: "2d", size: [n, n], type: "f32", channels: 2 };
  return { params: [{ texture }, y, { s32: n }], check: () => differs(y, expected) };
}

function sparse(): Prepared {
  const n = 70;
  const r = random(4);
  const rows = new Int32Array(n + 1);
  for (let i = 0; i < n; i++) rows[i + 1] = rows[i]! + r.below(6);
  const count = rows[n]!;
  const columns = Int32Array.from({ length: count }, () => r.below(n));
  const [values, x] = [floats(5, count), floats(6, n)];
  const y = new Float32Array(n);
  const expected = list(n, (i) => {
    let sum = 0;
    for (let k = rows[i]!; k < rows[i + 1]!; k++) sum += values[k]! * x[columns[k]!]!;
    return sum;
  });
  const linear = (data: Float32Array | Int32Array, type: "f32" | "s32"): { texture: Texture } => ({
    texture: { data, shape: "linear", size: [data.length], type, channels: 1 },
  });
  const params = [linear(columns, "s32"), linear(values, "f32"), linear(x, "f32"), rows, y, { s32: n }];
  return { params, check: () => differs(y, expected) };
}

// ------------------------------------------------------------------------------------------------ volumes, layers, cubes, levels

function march(): Prepared {
  const [w, h, d, width, height, steps] = [10, 8, 6, 16, 12, 9];
  const data = floats(7, w * h * d);
  const y = new Float32Array(width * height);
  const texel = (i: number, j: number, k: number): number =>
    data[(clamp(k, 0, d - 1) * h + clamp(j, 0, h - 1)) * w + clamp(i, 0, w - 1)]!;
  const expected = list(width * height, (e) => {
    const [u, v] = [((e % width) + 0.5) / width, (Math.floor(e / width) + 0.5) / height];
    return list(steps, (s) =>
      between(
        (k) => between((j) => between((i) => texel(i, j, k), u * w - 0.5), v * h - 0.5),
        ((s + 0.5) / steps) * d - 0.5,
      ),
    ).reduce((a, b) => a + b);
  });
  const texture: Texture = { data, shape: "3d", size: [w, h, d], type: "f32", channels: 1, filter: "linear", normalized: true };
  const params = [{ texture }, y, { s32: width }, { s32: steps }];
  return { params, check: () => differs(y, expected, (steps * 16 * 3) / 512) };
}

function blend(): Prepared {
  const [w, h, layers] = [20, 4, 4];
  const r = random(8);
  const data = Int16Array.from({ length: w * h * layers * 4 }, () => r.below(400) - 200);
  const y = new Int32Array(w * (layers - 1) * 4);
  const at = (i: number, j: number, l: number, c: number): number => data[((l * h + j) * w + i) * 4 + c]!;
  const expected = list(y.length, (e) => {
    const [c, i, l] = [e & 3, (e >> 2) % w, Math.floor(e / 4 / w)];
    const [a, b] = [at(i, 1, l, c), at(i, 2, l + 1, c)];
    return [a + b, a - b, a * b, a ^ b][c]!;
  });
  const texture: Texture = { data, shape: "2d-layered", size: [w, h], layers, type: "s16", channels: 4 };
  return { params: [{ texture }, y, { s32: w }], check: () => differs(y, expected) };
}

function lines(): Prepared {
  const [w, layers] = [33, 5];
  const data = floats(9, w * layers);
  const shift = Float32Array.of(0.5, 1.25, -2.5, 0, 7.875);
  const y = new Float32Array(w * layers);
  const expected = list(w * layers, (e) => {
    const [i, l] = [e % w, Math.floor(e / w)];
    return between((k) => data[l * w + clamp(k, 0, w - 1)]!, i + shift[l]! - 0.5);
  });
  const texture: Texture = { data, shape: "1d-layered", size: [w], layers, type: "f32", channels: 1, filter: "linear" };
  return { params: [{ texture }, shift, y, { s32: w }], check: () => differs(y, expected, 1e-6) };
}

const DIRECTIONS = 128;

/** Directions that no two components of which are of one length. */
function directions(seed: number): Float32Array {
  const r = random(seed);
  return Float32Array.from({ length: 3 * DIRECTIONS }, (_, i) => ((r.below(2000) - 1000) * 8 + (i % 3) + 1) / 1024);
}

/** The face that a direction meets and the place on it (0 … 1), by intersecting it with the planes of a cube whose faces have the axes of OpenGL's table. */
function meet(d: readonly number[]): { face: number; s: number; t: number } {
  const across = [[2, -1], [2, 1], [0, 1], [0, 1], [0, 1], [0, -1]] as const;
  const down = [[1, -1], [1, -1], [2, 1], [2, -1], [1, -1], [1, -1]] as const;
  for (let face = 0; face < 6; face++) {
    const along = (face % 2 ? -1 : 1) * d[face >> 1]!;
    if (along <= 0) continue;
    const point = d.map((x) => x / along);
    if (point.some((x) => Math.abs(x) > 1 + 1e-12)) continue;
    const on = ([axis, sign]: readonly [number, number]): number => (sign * point[axis]! + 1) / 2;
    return { face, s: on(across[face]!), t: on(down[face]!) };
  }
  throw new Error("no face");
}

function surroundings(): Prepared {
  const n = 8;
  // Texels tell the face and their places, so that a filter gives the place that was asked for.
  const data = Float32Array.from({ length: 6 * n * n * 4 }, (_, e) => {
    const [c, i, j, face] = [e & 3, (e >> 2) % n, Math.floor(e / 4 / n) % n, Math.floor(e / 4 / n / n)];
    return [face, i, j, 64 * face + 8 * i + j][c]!;
  });
  const direction = directions(10);
  const y = new Float32Array(4 * DIRECTIONS);
  const expected = list(DIRECTIONS, (k) => {
    const { face, s, t } = meet([...direction.subarray(3 * k, 3 * k + 3)]);
    const [i, j] = [clamp(s * n - 0.5, 0, n - 1), clamp(t * n - 0.5, 0, n - 1)];
    return [face, i, j, 64 * face + 8 * i + j];
  }).flat();
  const texture: Texture = { data, shape: "cube", size: [n, n], type: "f32", channels: 4, filter: "linear", normalized: true };
  return { params: [{ texture }, direction, y], check: () => differs(y, expected, 9 / 512 + 1e-5) };
}

function many(): Prepared {
  const [n, cubes] = [4, 3];
  const data = Uint32Array.from({ length: cubes * 6 * n * n }, (_, i) => i * 7);
  const direction = directions(11);
  const y = new Uint32Array(DIRECTIONS);
  const expected = list(DIRECTIONS, (k) => {
    const { face, s, t } = meet([...direction.subarray(3 * k, 3 * k + 3)]);
    return 7 * ((((k % cubes) * 6 + face) * n + Math.floor(t * n)) * n + Math.floor(s * n));
  });
  const texture: Texture = { data, shape: "cube-layered", size: [n, n], layers: cubes, type: "u32", channels: 1, normalized: true };
  return { params: [{ texture }, direction, y], check: () => differs(y, expected) };
}

/** Levels of a square texture, texel by texel. */
function pyramid(n: number, levels: number, texel: (level: number, i: number) => number): Float32Array {
  return Float32Array.from(
    list(levels, (l) => list((n >> l) ** 2, (e) => texel(l, e % (n >> l)))).flat(),
  );
}

function floors(): Prepared {
  const [n, levels, width, height] = [32, 6, 24, 15];
  const data = pyramid(n, levels, (l, i) => 16 * l + i * 2 ** l);
  const y = new Float32Array(width * height);
  const expected = list(width * height, (e) => {
    const u = ((e % width) + 0.5) / width;
    const of = (level: number): number => {
      const l = Math.min(level, levels - 1);
      return 16 * l + clamp(u * (n >> l) - 0.5, 0, (n >> l) - 1) * 2 ** l;
    };
    return between(of, Math.min(levels - 1, Math.floor(e / width) * 0.375));
  });
  const texture: Texture = { data, shape: "2d", size: [n, n], type: "f32", channels: 1, levels, filter: "linear", mipFilter: "linear", normalized: true };
  return { params: [{ texture }, y, { s32: width }], check: () => differs(y, expected, (2 * 32 + 32) / 512) };
}

function slopes(): Prepared {
  const [n, levels, width, height] = [32, 6, 20, 7];
  const data = pyramid(n, levels, (l, i) => 100 * l + (i % 2));
  const y = new Float32Array(width * height);
  const expected = list(width * height, (e) => {
    // Twice the distance is the next level: 1/16 of 32 texels are two.
    const level = Math.min(levels - 1, 1 + Math.floor(e / width));
    return 100 * level + (Math.floor((((e % width) + 0.5) / width) * (n >> level)) % 2);
  });
  const texture: Texture = { data, shape: "2d", size: [n, n], type: "f32", channels: 1, levels, normalized: true };
  return { params: [{ texture }, y, { s32: width }], check: () => differs(y, expected) };
}

// ------------------------------------------------------------------------------------------------ surfaces

function stencil(): Prepared {
  const [w, h] = [40, 12];
  const [from, to] = [floats(12, w * h), new Float32Array(w * h)];
  const at = (i: number, j: number): number => from[clamp(j, 0, h - 1) * w + clamp(i, 0, w - 1)]!;
  const expected = list(w * h, (e) => {
    const [i, j] = [e % w, Math.floor(e / w)];
    return at(i, j) + 0.125 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * at(i, j));
  });
  const of = (data: Float32Array): { surface: Surface } => ({ surface: { data, shape: "2d", size: [w, h], type: "f32", channels: 1 } });
  return { params: [of(from), of(to), { s32: w }, { s32: h }], check: () => differs(to, expected) };
}

function transposed(): Prepared {
  const n = 21;
  const r = random(13);
  const from = Uint8Array.from({ length: n * n * 4 }, () => r.below(256));
  const to = new Uint8Array(n * n * 4);
  const expected = list(n * n * 4, (e) => {
    const [c, i, j] = [e & 3, (e >> 2) % n, Math.floor(e / 4 / n)];
    return from[(i * n + j) * 4 + ((c + 3) % 4)]!;
  });
  const of = (data: Uint8Array): { surface: Surface } => ({ surface: { data, shape: "2d", size: [n, n], type: "u8", channels: 4 } });
  return { params: [of(from), of(to), { s32: n }], check: () => differs(to, expected) };
}

function shifted(): Prepared {
  const [w, h, d] = [8, 6, 5];
  const [dx, dy, dz] = [2, -1, 1];
  const r = random(14);
  const from = Int16Array.from({ length: w * h * d * 2 }, () => r.below(1000) - 500);
  const to = new Int16Array(w * h * d * 2);
  const expected = list(w * h * d * 2, (e) => {
    const t = e >> 1;
    const [x, y, z] = [(t % w) - dx, (Math.floor(t / w) % h) - dy, Math.floor(t / w / h) - dz];
    const inside = x >= 0 && x < w && y >= 0 && y < h && z >= 0 && z < d;
    const v = (c: number): number => (inside ? from[((z * h + y) * w + x) * 2 + c]! : 0);
    return e % 2 === 0 ? v(1) : v(0) + 1;
  });
  const of = (data: Int16Array): { surface: Surface } => ({ surface: { data, shape: "3d", size: [w, h, d], type: "s16", channels: 2 } });
  // A block has a row and a plane too many: stores there are dropped.
  return { params: [of(from), of(to), { s32: dx }, { s32: dy }, { s32: dz }], check: () => differs(to, expected) };
}

function reversed(): Prepared {
  const [w, h, layers] = [6, 3, 4];
  const r = random(15);
  const from = Int32Array.from({ length: w * h * layers * 4 }, () => r.below(1 << 20));
  const to = new Int32Array(from.length);
  const expected = new Int32Array(from.length);
  for (let l = 0; l < layers; l++)
    for (let i = 0; i < w; i++)
      for (let c = 0; c < 4; c++)
        expected[((layers - 1 - l) * h * w + i) * 4 + c] = from[((l * h + 1) * w + i) * 4 + (3 - c)]!;
  const of = (data: Int32Array): { surface: Surface } => ({ surface: { data, shape: "2d-layered", size: [w, h], layers, type: "s32", channels: 4 } });
  return { params: [of(from), of(to), { s32: layers }], check: () => differs(to, expected) };
}

function counts(): Prepared {
  const n = 1000;
  const r = random(16);
  const data = Uint8Array.from({ length: n }, () => r.below(256));
  const bins = new Uint32Array(32);
  const expected = new Uint32Array(32);
  for (const x of data) expected[x & 31]!++;
  const texture: Texture = { data, shape: "linear", size: [n], type: "u8", channels: 1 };
  const surface: Surface = { data: bins, shape: "1d", size: [32], type: "u32", channels: 1 };
  return { params: [{ texture }, { surface }, { s32: n }], check: () => differs(bins, expected) };
}

function paint(): Prepared {
  const [w, h] = [8, 5];
  const r = random(17);
  const colours = Float32Array.from({ length: w * h * 4 }, () => (r.below(1400) - 200) / 1000);
  const data = new Uint8Array(w * h * 4);
  const expected = Array.from(colours, (c) => Math.round(clamp(c, 0, 1) * 255));
  const surface: Surface = { data, shape: "2d", size: [w, h], type: "u8", channels: 4, normalized: true };
  return { params: [{ surface }, colours, { s32: w }], check: () => differs(data, expected) };
}

export const textureKernels: readonly TextureKernel[] = [
  { file: "images", kernel: "resize", grid: [3, 6], block: [16, 4], prepare: resize },
  { file: "images", kernel: "turn", grid: 24, block: 24, prepare: turn },
  { file: "images", kernel: "edges", grid: 17, block: 17, prepare: edges },
  { file: "images", kernel: "sparse", grid: 3, block: 32, prepare: sparse },
  { file: "volumes", kernel: "march", grid: 12, block: 16, prepare: march },
  { file: "volumes", kernel: "blend", grid: 3, block: 20, prepare: blend },
  { file: "volumes", kernel: "lines", grid: 5, block: 33, prepare: lines },
  { file: "volumes", kernel: "surroundings", grid: 2, block: 64, prepare: surroundings },
  { file: "volumes", kernel: "many", grid: 2, block: 64, prepare: many },
  { file: "volumes", kernel: "floors", grid: 15, block: 24, prepare: floors },
  { file: "volumes", kernel: "slopes", grid: 7, block: 20, prepare: slopes },
  { file: "surfaces", kernel: "stencil", grid: [2, 3], block: [32, 4], prepare: stencil },
  { file: "surfaces", kernel: "transpose", grid: 21, block: 32, prepare: transposed },
  { file: "surfaces", kernel: "shifted", grid: 6, block: [8, 7], prepare: shifted },
  { file: "surfaces", kernel: "reverse", grid: 4, block: 6, prepare: reversed },
  { file: "surfaces", kernel: "counts", grid: 8, block: 128, prepare: counts },
  { file: "surfaces", kernel: "paint", grid: 5, block: 8, prepare: paint },
];
