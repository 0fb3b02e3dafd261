/**
 * The kernels of the corpus on launches that fill a large GPU: the same code, inputs by rule, no expectations (the
 * results of one code are compared with those of another). Buffers are files, so that a GPU and the simulator get the
 * same bytes.
 */
import { corpus, type LaunchFile } from "../corpus/cases.js";
import { random } from "../corpus/random.js";

export interface LargeCase {
  readonly name: string;
  /** A launch file whose buffers name files. */
  readonly launch: {
    readonly buffers: Readonly<
      Record<string, { readonly type: string; readonly file?: string; readonly length?: number }>
    >;
    readonly globals?: LaunchFile["globals"];
    readonly launches: LaunchFile["launches"];
  };
  readonly files: ReadonlyMap<string, Uint8Array>;
}

type Params = LaunchFile["launches"][number]["params"];
type Numbers = Uint8Array | Int16Array | Int32Array | Uint32Array | Float32Array | Float64Array | BigUint64Array;
interface Shape {
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly sharedBytes?: number;
  readonly params: Params;
  readonly buffers: Readonly<Record<string, readonly [string, Numbers]>>;
}

const f32 = (n: number, at: (i: number) => number): readonly [string, Numbers] => [
  "f32",
  Float32Array.from({ length: n }, (_, i) => at(i)),
];
const s32 = (n: number, at: (i: number) => number): readonly [string, Numbers] => [
  "s32",
  Int32Array.from({ length: n }, (_, i) => at(i)),
];
const u32 = (n: number, at: (i: number) => number): readonly [string, Numbers] => [
  "u32",
  Uint32Array.from({ length: n }, (_, i) => at(i)),
];
const zero = (): number => 0;
const b = (name: string): { buffer: string } => ({ buffer: name });
const int = (v: number): { s32: number } => ({ s32: v });
const float = (v: number): { f32: number } => ({ f32: v });

/** Blocks: eight for each SM of a GPU of 132 SMs where one number says it all. */
const BLOCKS = 1056;

function shapes(): Record<string, Shape> {
  const r = random(77);
  const n128 = 128 * BLOCKS;
  const params = corpus.find((c) => c.name === "struct_param")!.launch.launches[0]!.params;
  return {
    saxpy: {
      grid: [8192],
      block: [128],
      params: [int(1 << 20), float(2.5), b("x"), b("y")],
      buffers: { x: f32(1 << 20, (i) => (i % 37) - 18), y: f32(1 << 20, (i) => i % 11) },
    },
    reduction: {
      grid: [2 * BLOCKS],
      block: [256],
      params: [b("in"), b("out"), { u32: 1024 * BLOCKS }],
      buffers: { in: f32(1024 * BLOCKS, (i) => (i % 201) - 100), out: f32(2 * BLOCKS, zero) },
    },
    transpose: {
      grid: [32, 32],
      block: [32, 8],
      params: [b("in"), b("out"), int(1024), int(1024)],
      buffers: { in: s32(1 << 20, (i) => i * 7 - 1000), out: s32(1 << 20, zero) },
    },
    sgemm: {
      grid: [32, 32],
      block: [16, 16],
      params: [int(512), int(512), int(64), b("a"), b("b"), b("c")],
      buffers: {
        a: f32(512 * 64, (i) => ((i * 5) % 9) - 4),
        b: f32(512 * 64, (i) => ((i * 7) % 11) - 5),
        c: f32(512 * 512, zero),
      },
    },
    dgemm: {
      grid: [32, 32],
      block: [8, 8],
      params: [int(256), int(256), int(64), { f64: 1.5 }, b("a"), b("b"), { f64: -0.5 }, b("c")],
      buffers: {
        a: ["f64", Float64Array.from({ length: 256 * 64 }, (_, i) => ((i * 5) % 65) / 8)],
        b: ["f64", Float64Array.from({ length: 256 * 64 }, (_, i) => ((i * 7) % 63) / 8)],
        c: ["f64", Float64Array.from({ length: 256 * 256 }, (_, i) => (i % 17) - 8)],
      },
    },
    histogram: {
      grid: [528],
      block: [128],
      params: [b("data"), { u32: 1 << 20 }, b("bins")],
      buffers: {
        data: ["u8", Uint8Array.from({ length: 1 << 20 }, () => r.below(256) & r.below(256))],
        bins: u32(256, zero),
      },
    },
    scan: {
      grid: [2 * BLOCKS],
      block: [256],
      params: [b("in"), b("out"), int(512 * BLOCKS)],
      buffers: { in: s32(512 * BLOCKS, (i) => (i % 2001) - 1000), out: s32(512 * BLOCKS, zero) },
    },
    stencil: {
      grid: [64, 128],
      block: [16, 8],
      params: [b("in"), b("out"), int(1024), int(1024), float(0.5), float(0.125)],
      buffers: { in: f32(1 << 20, (i) => ((i * 29) % 101) - 50), out: f32(1 << 20, zero) },
    },
    // Blocks beyond the bodies compute as much as the others and store nothing.
    nbody: {
      grid: [528],
      block: [64],
      params: [int(256), float(0.01), b("pos"), b("acc")],
      buffers: {
        pos: f32(1024, (i) => (i % 4 === 3 ? 1 + (i % 8) : ((i * 37) % 2001) / 64 - 15)),
        acc: f32(1024, zero),
      },
    },
    mandelbrot: {
      grid: [32, 64],
      block: [16, 8],
      params: [int(512), int(512), float(-2), float(-1.25), float(2.5 / 512), int(64), b("out")],
      buffers: { out: s32(1 << 18, zero) },
    },
    bitonic: {
      grid: [BLOCKS],
      block: [256],
      params: [b("keys")],
      buffers: { keys: u32(256 * BLOCKS, (i) => (i * 2654435761) % 4294967296) },
    },
    switch_table: {
      grid: [BLOCKS],
      block: [128],
      params: [b("op"), b("a"), b("b"), b("out"), int(n128)],
      buffers: {
        op: s32(n128, () => r.below(13)),
        a: s32(n128, (i) => i * 7919 - 500000),
        b: s32(n128, (i) => (i % 97) - 48),
        out: s32(n128, zero),
      },
    },
    local_array: {
      grid: [BLOCKS],
      block: [64],
      params: [b("in"), b("out"), int(20)],
      buffers: { in: s32(128, () => r.u32() | 0), out: s32(64 * BLOCKS, zero) },
    },
    // All blocks write the same results.
    struct_param: {
      grid: [BLOCKS],
      block: [32],
      params: params.map((p) => ("bytes" in p ? p : b("out"))),
      buffers: { out: ["f64", new Float64Array(32)] },
    },
    dynamic_shared: {
      grid: [BLOCKS],
      block: [128],
      sharedBytes: 800,
      params: [b("in"), b("out"), int(100)],
      buffers: { in: f32(100 * BLOCKS, (i) => (i % 1000) / 4 - 20), out: f32(100 * BLOCKS, zero) },
    },
    constant_memory: {
      grid: [BLOCKS],
      block: [128],
      params: [b("x"), b("y"), int(n128)],
      buffers: { x: f32(n128, (i) => ((i % 200) - 100) / 64), y: f32(n128, zero) },
    },
    mix64: {
      grid: [BLOCKS],
      block: [64],
      params: [b("in"), b("out"), int(64 * BLOCKS), int(9)],
      buffers: {
        in: ["u64", BigUint64Array.from({ length: 64 * BLOCKS }, (_, i) => BigInt(i + 1) * 0x9e3779b97f4a7c1n)],
        out: ["u64", new BigUint64Array(256 * BLOCKS)],
      },
    },
    warp_sum: {
      grid: [2 * BLOCKS],
      block: [64],
      params: [b("in"), b("sums"), b("ballots"), int(n128)],
      buffers: { in: s32(n128, (i) => (i * 31) % 105), sums: s32(n128, zero), ballots: u32(n128 / 32, zero) },
    },
    grid_stride: {
      grid: [528],
      block: [128],
      params: [b("in"), b("add"), b("out"), int(4 * n128)],
      buffers: {
        in: ["u8", Uint8Array.from({ length: 16 * n128 }, (_, i) => (i * 37) & 255)],
        add: ["s16", Int16Array.from({ length: 8 * n128 }, (_, i) => ((i * 997) & 65535) - 32768)],
        out: s32(16 * n128, zero),
      },
    },
    early_exit: {
      grid: [BLOCKS],
      block: [128],
      params: [b("start"), b("steps"), int(n128), int(60)],
      buffers: { start: u32(n128, (i) => (i % 17 === 3 ? 0 : (i * 37) % 1000)), steps: s32(n128, zero) },
    },
  };
}

export function largeCases(): readonly LargeCase[] {
  return Object.entries(shapes()).map(([name, { buffers, ...step }]) => {
    const files = new Map<string, Uint8Array>();
    const specs: Record<string, { type: string; file?: string; length?: number }> = {};
    for (const [buffer, [type, data]] of Object.entries(buffers)) {
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      const file = `${name}.${buffer}.bin`;
      if (bytes.every((v) => v === 0)) specs[buffer] = { type, length: data.length };
      else {
        files.set(file, bytes);
        specs[buffer] = { type, file };
      }
    }
    return { name, launch: { buffers: specs, launches: [{ kernel: name, ...step }] }, files };
  });
}
