/**
 * The starter corpus: for each kernel of `kernels/` its launch, its inputs and what must come out, computed here
 * without any part of ptxlab. Inputs are chosen so that float results are exact wherever the kernel allows it; where it
 * does not (nbody), the tolerance stands beside the values.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { random, table } from "./random.js";

type Scalar = "u8" | "s8" | "u16" | "s16" | "u32" | "s32" | "f32" | "u64" | "s64" | "f64";
interface BufferSpec {
  readonly type: Scalar;
  readonly values?: readonly (number | string)[];
  readonly length?: number;
}
interface Expectation {
  readonly values: readonly (number | string)[];
  readonly abs?: number;
  readonly rel?: number;
}
/** The part of the launch-file format that the corpus uses; `JSON.stringify` of it is a launch file. */
export interface LaunchFile {
  readonly buffers: Readonly<Record<string, BufferSpec>>;
  readonly globals?: Readonly<Record<string, BufferSpec>>;
  readonly launches: readonly {
    readonly kernel: string;
    readonly grid: readonly number[];
    readonly block: readonly number[];
    readonly sharedBytes?: number;
    readonly params: readonly (
      | { readonly buffer: string }
      | { readonly bytes: string }
      | Readonly<Partial<Record<Scalar, number>>>
    )[];
  }[];
  readonly expect: Readonly<Record<string, Expectation>>;
}

export const corpusTargets = ["sm_75", "sm_90", "sm_100"] as const;
export type CorpusTarget = (typeof corpusTargets)[number];

export interface CorpusCase {
  readonly name: string;
  readonly launch: LaunchFile;
}

/** nvcc's PTX of a kernel. */
export function corpusPtx(name: string, target: CorpusTarget): string {
  return readFileSync(join(__dirname, "ptx", target, `${name}.ptx`), "utf8");
}

/** Its launch file, `launch/NAME.json` (`tools/make-corpus-launches.ts`). */
export const launchText = (c: CorpusCase): string => `${JSON.stringify(c.launch)}\n`;

const f32 = Math.fround;
const values = (type: BufferSpec["type"], list: (number | string)[]): BufferSpec => ({ type, values: list });
const zeros = (type: BufferSpec["type"], length: number): BufferSpec => ({ type, length });
const is = (list: (number | string)[], tolerance: { rel?: number } = {}): Expectation => ({ values: list, ...tolerance });
const buffer = (name: string): { buffer: string } => ({ buffer: name });
const s32 = (v: number): { s32: number } => ({ s32: v });
const u32 = (v: number): { u32: number } => ({ u32: v });
const fl = (v: number): { f32: number } => ({ f32: v });

function saxpy(): LaunchFile {
  const n = 1000;
  const x = table(n, (i) => (i % 37) - 18);
  const y = table(n, (i) => i % 11);
  return {
    buffers: { x: values("f32", x), y: values("f32", y) },
    launches: [{ kernel: "saxpy", grid: [8], block: [128], params: [s32(n - 3), fl(2.5), buffer("x"), buffer("y")] }],
    expect: { y: is(y.map((v, i) => (i < n - 3 ? 2.5 * x[i]! + v : v))) },
  };
}

function reduction(): LaunchFile {
  const n = 1300;
  const r = random(1);
  const input = table(n, () => r.below(201) - 100);
  const sums = [0, 1, 2].map((b) => input.slice(b * 512, (b + 1) * 512).reduce((a, v) => a + v, 0));
  return {
    buffers: { in: values("f32", input), out: zeros("f32", 3) },
    launches: [{ kernel: "reduction", grid: [3], block: [256], params: [buffer("in"), buffer("out"), u32(n)] }],
    expect: { out: is(sums) },
  };
}

function transpose(): LaunchFile {
  const [w, h] = [70, 45];
  const input = table(w * h, (i) => i * 7 - 1000);
  return {
    buffers: { in: values("s32", input), out: zeros("s32", w * h) },
    launches: [
      { kernel: "transpose", grid: [3, 2], block: [32, 8], params: [buffer("in"), buffer("out"), s32(w), s32(h)] },
    ],
    expect: { out: is(table(w * h, (i) => input[(i % h) * w + Math.floor(i / h)]!)) },
  };
}

function product(m: number, n: number, k: number, a: number[], b: number[]): number[] {
  return table(m * n, (i) => {
    let sum = 0;
    for (let j = 0; j < k; j++) sum += a[Math.floor(i / n) * k + j]! * b[j * n + (i % n)]!;
    return sum;
  });
}

function sgemm(): LaunchFile {
  const [m, n, k] = [33, 40, 50];
  const r = random(2);
  const a = table(m * k, () => r.below(9) - 4);
  const b = table(k * n, () => r.below(9) - 4);
  return {
    buffers: { a: values("f32", a), b: values("f32", b), c: zeros("f32", m * n) },
    launches: [
      {
        kernel: "sgemm",
        grid: [3, 3],
        block: [16, 16],
        params: [s32(m), s32(n), s32(k), buffer("a"), buffer("b"), buffer("c")],
      },
    ],
    expect: { c: is(product(m, n, k, a, b)) },
  };
}

function dgemm(): LaunchFile {
  const [m, n, k] = [17, 19, 23];
  const r = random(3);
  const a = table(m * k, () => (r.below(65) - 32) / 8);
  const b = table(k * n, () => (r.below(65) - 32) / 8);
  const c = table(m * n, () => r.below(17) - 8);
  const [alpha, beta] = [1.5, -0.5];
  return {
    buffers: { a: values("f64", a), b: values("f64", b), c: values("f64", c) },
    launches: [
      {
        kernel: "dgemm",
        grid: [3, 3],
        block: [8, 8],
        params: [s32(m), s32(n), s32(k), { f64: alpha }, buffer("a"), buffer("b"), { f64: beta }, buffer("c")],
      },
    ],
    expect: { c: is(product(m, n, k, a, b).map((v, i) => alpha * v + beta * c[i]!)) },
  };
}

function histogram(): LaunchFile {
  const n = 5000;
  const r = random(4);
  const data = table(n, () => (r.below(256) & r.below(256)) % 251);
  const bins = new Array<number>(256).fill(0);
  for (const v of data) bins[v]!++;
  return {
    buffers: { data: values("u8", data), bins: zeros("u32", 256) },
    launches: [{ kernel: "histogram", grid: [4], block: [128], params: [buffer("data"), u32(n), buffer("bins")] }],
    expect: { bins: is(bins) },
  };
}

function scan(): LaunchFile {
  const n = 700;
  const r = random(5);
  const input = table(n, () => r.below(2001) - 1000);
  const out: number[] = [];
  input.forEach((v, i) => {
    out.push((i % 256 === 0 ? 0 : out[i - 1]!) + v);
  });
  return {
    buffers: { in: values("s32", input), out: zeros("s32", n) },
    launches: [{ kernel: "scan", grid: [3], block: [256], params: [buffer("in"), buffer("out"), s32(n)] }],
    expect: { out: is(out) },
  };
}

function stencil(): LaunchFile {
  const [nx, ny] = [50, 37];
  const input = table(nx * ny, (i) => ((i * 29) % 101) - 50);
  const out = input.map((v, i) => {
    const [x, y] = [i % nx, Math.floor(i / nx)];
    if (x === 0 || y === 0 || x === nx - 1 || y === ny - 1) return v;
    return 0.5 * v + 0.125 * (input[i - 1]! + input[i + 1]! + input[i - nx]! + input[i + nx]!);
  });
  return {
    buffers: { in: values("f32", input), out: zeros("f32", nx * ny) },
    launches: [
      {
        kernel: "stencil",
        grid: [4, 5],
        block: [16, 8],
        params: [buffer("in"), buffer("out"), s32(nx), s32(ny), fl(0.5), fl(0.125)],
      },
    ],
    expect: { out: is(out) },
  };
}

function nbody(): LaunchFile {
  const n = 100;
  const r = random(6);
  const pos = table(4 * n, (i) => (i % 4 === 3 ? 1 + r.below(8) : (r.below(2001) - 1000) / 64));
  const soft = f32(0.01);
  const acc: number[] = [];
  for (let i = 0; i < n; i++) {
    const a = [0, 0, 0];
    for (let j = 0; j < n; j++) {
      const d = [0, 1, 2].map((c) => pos[4 * j + c]! - pos[4 * i + c]!);
      const s = pos[4 * j + 3]! / (d[0]! ** 2 + d[1]! ** 2 + d[2]! ** 2 + soft) ** 1.5;
      for (let c = 0; c < 3; c++) a[c]! += d[c]! * s;
    }
    acc.push(...a, Math.hypot(...a) / (pos[4 * i + 3]! + 1));
  }
  return {
    buffers: { pos: values("f32", pos), acc: zeros("f32", 4 * n) },
    launches: [{ kernel: "nbody", grid: [2], block: [64], params: [s32(n), fl(soft), buffer("pos"), buffer("acc")] }],
    // rsqrt.approx is good to 2 ulp, the sums of 100 terms cancel: 1e-4 of the value and 1e-5 absolute.
    expect: { acc: { values: acc, rel: 1e-4, abs: 1e-5 } },
  };
}

function mandelbrot(): LaunchFile {
  const [w, h, x0, y0, step, limit] = [48, 32, -2, -1.25, 0.0625, 64];
  const out = table(w * h, (i) => {
    const cx = f32(x0 + f32((i % w) * step));
    const cy = f32(y0 + f32(Math.floor(i / w) * step));
    let [x, y, n] = [0, 0, 0];
    while (n < limit) {
      const [xx, yy] = [f32(x * x), f32(y * y)];
      if (f32(xx + yy) > 4) break;
      const xy = f32(x * y);
      x = f32(f32(xx - yy) + cx);
      y = f32(f32(xy + xy) + cy);
      n++;
    }
    return n;
  });
  return {
    buffers: { out: zeros("s32", w * h) },
    launches: [
      {
        kernel: "mandelbrot",
        grid: [3, 4],
        block: [16, 8],
        params: [s32(w), s32(h), fl(x0), fl(y0), fl(step), s32(limit), buffer("out")],
      },
    ],
    expect: { out: is(out) },
  };
}

function bitonic(): LaunchFile {
  const r = random(7);
  const keys = table(512, () => r.u32());
  const sorted = [0, 1].flatMap((b) => keys.slice(256 * b, 256 * (b + 1)).sort((a, c) => a - c));
  return {
    buffers: { keys: values("u32", keys) },
    launches: [{ kernel: "bitonic", grid: [2], block: [256], params: [buffer("keys")] }],
    expect: { keys: is(sorted) },
  };
}

const popcount = (v: number): number => v.toString(2).replaceAll("0", "").length;
const reversed = (v: number): number => Number.parseInt(v.toString(2).padStart(32, "0").split("").reverse().join(""), 2);

function switched(op: number, x: number, y: number): number {
  switch (op) {
    case 0:
      return (x + y) | 0;
    case 1:
      return (x - y) | 0;
    case 2:
      return Math.imul(x, y);
    case 3:
      return y === 0 ? -1 : Math.trunc(x / y) | 0;
    case 4:
      return y === 0 ? -2 : ((x >>> 0) % (y >>> 0)) | 0;
    case 5:
      return x << (y & 31);
    case 6:
      return x >> (y & 31);
    case 7:
      return popcount(x >>> 0) + Math.clz32(y);
    case 8:
      return Math.max(x, y) ^ Math.min(x, y);
    case 9:
      return (reversed(x >>> 0) + (y === 0 ? 0 : 32 - Math.clz32(y & -y))) | 0;
    case 10:
      return (Math.abs(x) - Math.abs(y)) | 0;
    default:
      return 0x7fffffff;
  }
}

function switchTable(): LaunchFile {
  const n = 300;
  const r = random(8);
  const op = table(n, (i) => (i % 50 === 49 ? -5 : r.below(13)));
  const a = table(n, () => r.u32() | 0);
  const b = table(n, (i) => (i % 3 === 0 ? r.below(9) - 4 : (r.u32() | 0) >> r.below(24)));
  return {
    buffers: { op: values("s32", op), a: values("s32", a), b: values("s32", b), out: zeros("s32", n) },
    launches: [
      {
        kernel: "switch_table",
        grid: [3],
        block: [128],
        params: [buffer("op"), buffer("a"), buffer("b"), buffer("out"), s32(n)],
      },
    ],
    expect: { out: is(op.map((o, i) => switched(o, a[i]!, b[i]!))) },
  };
}

function localArray(): LaunchFile {
  const rounds = 20;
  const r = random(9);
  const input = table(128, () => r.u32() | 0);
  const out = table(128, (t) => {
    const stack = table(24, (i) => input[(t + i * 7) & 127]!);
    let p = t % 24;
    for (let round = 0; round < rounds; round++) {
      const q = (stack[p]! & 0x7fffffff) % 24;
      const v = stack[q]!;
      stack[q] = (stack[p]! + round) | 0;
      stack[p] = v ^ t;
      p = q;
    }
    return stack.reduce((sum, v) => (Math.imul(sum, 31) + v) | 0, 0);
  });
  return {
    buffers: { in: values("s32", input), out: zeros("s32", 128) },
    launches: [{ kernel: "local_array", grid: [2], block: [64], params: [buffer("in"), buffer("out"), s32(rounds)] }],
    expect: { out: is(out) },
  };
}

function structParam(): LaunchFile {
  const bytes = Buffer.alloc(72);
  const [c, s, i, f, d, l] = [-7, -1234, 100000, 1.25, -3.5, -(2 ** 40)];
  bytes.writeInt8(c, 0);
  bytes.writeInt16LE(s, 2);
  bytes.writeInt32LE(i, 4);
  bytes.writeFloatLE(f, 8);
  bytes.writeDoubleLE(d, 16);
  bytes.writeBigInt64LE(BigInt(l), 24);
  const small = [1, 20, 255, 128, 7];
  small.forEach((v, k) => bytes.writeUInt8(v, 32 + k));
  const ints = table(8, (k) => k * 1000 - 3500);
  ints.forEach((v, k) => bytes.writeInt32LE(v, 40 + 4 * k));
  const base = c + 2 * s + 3 * i + f + d + l;
  return {
    buffers: { out: zeros("f64", 32) },
    launches: [
      { kernel: "struct_param", grid: [1], block: [32], params: [{ bytes: bytes.toString("hex") }, buffer("out")] },
    ],
    expect: { out: is(table(32, (t) => base + small[t % 5]! + ints[t & 7]!)) },
  };
}

function dynamicShared(): LaunchFile {
  const n = 100;
  const input = table(2 * n, (i) => i / 4 - 20);
  return {
    buffers: { in: values("f32", input), out: zeros("f32", 2 * n) },
    launches: [
      {
        kernel: "dynamic_shared",
        grid: [2],
        block: [128],
        sharedBytes: 8 * n,
        params: [buffer("in"), buffer("out"), s32(n)],
      },
    ],
    expect: {
      out: is(table(2 * n, (k) => input[Math.floor(k / n) * n + (n - 1 - (k % n))]! + (n - 1 - (k % n)))),
    },
  };
}

function constantMemory(): LaunchFile {
  const n = 200;
  const coefficients = [1, -2, 0.5, 3, -0.25, 4, 1.5, -1];
  const weights = [1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8];
  const x = table(n, (i) => f32((i - 100) / 64));
  const y = x.map((v, i) => {
    let sum = 0;
    for (let k = 7; k >= 0; k--) sum = f32(f32(sum * v) + coefficients[(k * 3) & 7]!);
    return f32(sum + weights[i & 15]!);
  });
  return {
    buffers: { x: values("f32", x), y: zeros("f32", n) },
    globals: { calls: values("s32", [5]) },
    launches: [{ kernel: "constant_memory", grid: [2], block: [128], params: [buffer("x"), buffer("y"), s32(n)] }],
    expect: { y: is(y), calls: is([5 + n]) },
  };
}

function mix64(): LaunchFile {
  const [n, rounds] = [64, 9];
  const r = random(10);
  const input = table(n, () => (BigInt(r.u32()) << 32n) | BigInt(r.u32()));
  const u = (v: bigint): bigint => BigInt.asUintN(64, v);
  const i64 = (v: bigint): bigint => BigInt.asIntN(64, v);
  const out = input.flatMap((start, i) => {
    let h = start;
    let s = i64(start);
    for (let k = 0; k < rounds; k++) {
      h ^= h >> 33n;
      h = u(h * 0xff51afd7ed558ccdn);
      h = u(h << BigInt(k)) | (h >> BigInt((64 - k) & 63));
      s = i64(s > i64(h) ? s - i64(h >> 1n) : s + BigInt(k));
    }
    const d = (input[(i + 1) % n]! >> 7n) | 1n;
    const bits = BigInt(h.toString(2).replaceAll("0", "").length);
    const zerosAhead = BigInt(64 - d.toString(2).length);
    const last = ((h * d) >> 64n) + u(s / i64((d & 0xffffn) | 1n)) + bits + zerosAhead;
    return [h, u(s), u(h / d + (h % d)), u(last)].map(String);
  });
  return {
    buffers: { in: values("u64", input.map(String)), out: zeros("u64", 4 * n) },
    launches: [{ kernel: "mix64", grid: [1], block: [64], params: [buffer("in"), buffer("out"), s32(n), s32(rounds)] }],
    expect: { out: is(out) },
  };
}

function warpSum(): LaunchFile {
  const n = 200;
  const r = random(11);
  const input = table(n, (i) => (i >= 64 && i < 96 ? r.below(50) : r.below(105)));
  const sums: number[] = [];
  const ballots: number[] = [];
  for (let w = 0; w < 8; w++) {
    const lane = table(32, (l) => input[32 * w + l] ?? 0);
    const any = lane.some((v) => v > 90) ? 1000 : 0;
    const all = lane.every((v) => v < 100) ? 10000 : 0;
    let v = lane;
    for (let d = 16; d > 0; d >>= 1) v = v.map((own, l) => own + (l + d < 32 ? v[l + d]! : own));
    for (let l = 0; l < 32 && 32 * w + l < n; l++) {
      const extra = l === 31 ? v[30]! - v[31 ^ 5]! : 0;
      sums.push((v[0]! + extra + any + all) | 0);
    }
    if (32 * w < n) ballots.push(lane.reduce((m, x, l) => (x & 1 ? m | (1 << l) : m), 0) >>> 0);
  }
  return {
    buffers: { in: values("s32", input), sums: zeros("s32", n), ballots: zeros("u32", ballots.length) },
    launches: [
      { kernel: "warp_sum", grid: [4], block: [64], params: [buffer("in"), buffer("sums"), buffer("ballots"), s32(n)] },
    ],
    expect: { sums: is(sums), ballots: is(ballots) },
  };
}

function gridStride(): LaunchFile {
  const n = 500;
  const r = random(12);
  const bytes = table(4 * n, () => r.below(256));
  const add = table(2 * n, () => r.below(65536) - 32768);
  const out = table(n, (i) => {
    const [x, y, z, w] = bytes.slice(4 * i, 4 * i + 4) as [number, number, number, number];
    const [sx, sy] = [add[2 * i]!, add[2 * i + 1]!];
    return [x + sx, y - sy, z * sx, Math.trunc(((w << 24) >> 24) / 3)];
  }).flat();
  return {
    buffers: { in: values("u8", bytes), add: values("s16", add), out: zeros("s32", 4 * n) },
    launches: [
      { kernel: "grid_stride", grid: [2], block: [64], params: [buffer("in"), buffer("add"), buffer("out"), s32(n)] },
    ],
    expect: { out: is(out) },
  };
}

function earlyExit(): LaunchFile {
  const [n, limit] = [200, 60];
  const start = table(n, (i) => (i % 17 === 3 ? 0 : (i * 37) % 1000));
  const steps = start.map((v) => {
    if (v === 0) return -1;
    let [x, count] = [v, 0];
    while (x !== 1) {
      if (count === limit) return -2;
      x = x & 1 ? 3 * x + 1 : x >>> 1;
      count++;
    }
    return count;
  });
  return {
    buffers: { start: values("u32", start), steps: zeros("s32", n) },
    launches: [
      { kernel: "early_exit", grid: [2], block: [128], params: [buffer("start"), buffer("steps"), s32(n), s32(limit)] },
    ],
    expect: { steps: is(steps) },
  };
}

export const corpus: readonly CorpusCase[] = [
  { name: "saxpy", launch: saxpy() },
  { name: "reduction", launch: reduction() },
  { name: "transpose", launch: transpose() },
  { name: "sgemm", launch: sgemm() },
  { name: "dgemm", launch: dgemm() },
  { name: "histogram", launch: histogram() },
  { name: "scan", launch: scan() },
  { name: "stencil", launch: stencil() },
  { name: "nbody", launch: nbody() },
  { name: "mandelbrot", launch: mandelbrot() },
  { name: "bitonic", launch: bitonic() },
  { name: "switch_table", launch: switchTable() },
  { name: "local_array", launch: localArray() },
  { name: "struct_param", launch: structParam() },
  { name: "dynamic_shared", launch: dynamicShared() },
  { name: "constant_memory", launch: constantMemory() },
  { name: "mix64", launch: mix64() },
  { name: "warp_sum", launch: warpSum() },
  { name: "grid_stride", launch: gridStride() },
  { name: "early_exit", launch: earlyExit() },
];
