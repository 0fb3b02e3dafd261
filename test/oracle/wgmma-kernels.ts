/**
 * Kernels of one product of a warp group each, and what they should compute by plain products. Where the elements lie in shared memory comes from the
 * canonical layouts of the PTX ISA (9.7.15.5.1.2.1.3), evaluated as the CuTe layouts that they are written as.
 */
import type { Device } from "../../lib/sim/index";
import { random, types } from "./mma-kernels";

/** Sizes and strides of the two modes of a layout, each from the fastest on: `((a,b),(c,d)):((sa,sb),(sc,sd))`. */
type Mode = readonly (readonly [size: number, stride: number])[];

function offset(mode: Mode, index: number): number {
  let [rest, sum] = [index, 0];
  for (const [size, stride] of mode) {
    sum += (rest % size) * stride;
    rest = Math.floor(rest / size);
  }
  return sum;
}

/** Swizzle<B,4,3> of a byte address. */
const swizzled = (b: number, address: number): number => address ^ (((address >> 7) & (2 ** b - 1)) << 4);

interface Storage {
  readonly swizzle: 0 | 1 | 2 | 3;
  readonly mnMajor: boolean;
}

interface Stored {
  /** Byte offset of element (mn, k). */
  readonly at: (mn: number, k: number) => number;
  readonly leading: number;
  readonly stride: number;
}

/** The canonical layout for elements of `bits` and `rows` × `depth` of them, with strides that leave no room between the atoms. */
function canonical({ swizzle: b, mnMajor }: Storage, bits: number, rows: number, depth: number): Stored {
  const T = 128 / bits;
  const bytes = (elements: number): number => (elements * bits) / 8;
  const many = 1 << 20;
  const w = 2 ** b;
  let [leading, stride]: [number, number] = [0, 0];
  let modes: [Mode, Mode];
  if (!mnMajor) {
    stride = 8 * w * T;
    leading = (rows / 8) * 8 * T;
    modes = [
      [
        [8, w * T],
        [many, stride],
      ],
      b === 0
        ? [
            [T, 1],
            [many, leading],
          ]
        : [
            [T, 1],
            [many, T],
          ],
    ];
  } else if (b === 0) {
    stride = 8 * T;
    leading = (rows / T) * 8 * T;
    modes = [
      [
        [T, 1],
        [many, stride],
      ],
      [
        [8, T],
        [many, leading],
      ],
    ];
  } else {
    stride = 8 * w * T;
    leading = (depth / 8) * stride;
    modes = [
      [
        [T, 1],
        [w, T],
        [many, leading],
      ],
      [
        [8, w * T],
        [many, stride],
      ],
    ];
  }
  return {
    at: (mn, k) => swizzled(b, Math.floor(bytes(offset(modes[0], mn) + offset(modes[1], k)))),
    leading: bytes(leading),
    stride: bytes(stride),
  };
}

export interface Case {
  readonly n: number;
  readonly d: "f32" | "f16" | "s32";
  readonly a: string;
  readonly b: string;
  readonly storeA: Storage | "registers";
  readonly storeB: Storage;
  readonly negA?: boolean;
  readonly negB?: boolean;
  readonly keep?: boolean;
  readonly saturates?: boolean;
  /** Of two elements of A four along k (of tf32: one of two) are kept; metadata come from this pair of each four threads, or from all (0). */
  readonly selector?: 0 | 1;
}

const kMajor = (swizzle: Storage["swizzle"]): Storage => ({ swizzle, mnMajor: false });
const mnMajor = (swizzle: Storage["swizzle"]): Storage => ({ swizzle, mnMajor: true });
const modes = [0, 1, 2, 3] as const;
const f16 = { d: "f32", a: "f16", b: "f16" } as const;

export const cases: readonly Case[] = [
  ...[8, 24, 64, 256].flatMap((n) => modes.map((m): Case => ({ ...f16, n, storeA: kMajor(m), storeB: kMajor(m) }))),
  ...modes.flatMap((m): Case[] => [
    { ...f16, n: 128, storeA: mnMajor(m), storeB: kMajor(3) },
    { ...f16, n: 128, storeA: kMajor(1), storeB: mnMajor(m) },
    { n: 64, d: "f16", a: "f16", b: "f16", storeA: mnMajor(m), storeB: mnMajor(m) },
    { n: 192, d: "f32", a: "bf16", b: "bf16", storeA: "registers", storeB: mnMajor(m) },
  ]),
  { ...f16, n: 32, storeA: kMajor(3), storeB: kMajor(3), negA: true },
  { ...f16, n: 32, storeA: kMajor(3), storeB: kMajor(3), negB: true, keep: false },
  { ...f16, n: 32, storeA: "registers", storeB: kMajor(3), negA: true, negB: true },
  { n: 40, d: "f16", a: "f16", b: "f16", storeA: "registers", storeB: kMajor(2) },
  ...[8, 136].flatMap((n): Case[] => [
    { n, d: "f32", a: "tf32", b: "tf32", storeA: kMajor(3), storeB: kMajor(1) },
    { n, d: "f32", a: "tf32", b: "tf32", storeA: "registers", storeB: kMajor(0) },
    { n, d: "f32", a: "e4m3", b: "e5m2", storeA: kMajor(3), storeB: kMajor(2), negB: true },
    { n, d: "f16", a: "e5m2", b: "e4m3", storeA: "registers", storeB: kMajor(3) },
  ]),
  ...[16, 96].flatMap((n): Case[] => [
    { n, d: "s32", a: "s8", b: "u8", storeA: kMajor(3), storeB: kMajor(0) },
    { n, d: "s32", a: "u8", b: "s8", storeA: "registers", storeB: kMajor(1), saturates: true },
    { n, d: "s32", a: "s8", b: "s8", storeA: kMajor(2), storeB: kMajor(3), keep: false },
    { n, d: "s32", a: "b1", b: "b1", storeA: kMajor(3), storeB: kMajor(2) },
    { n, d: "s32", a: "b1", b: "b1", storeA: "registers", storeB: kMajor(0) },
  ]),
  ...([0, 1] as const).flatMap((selector): Case[] => [
    { ...f16, n: 24, storeA: kMajor(3), storeB: kMajor(selector === 0 ? 3 : 0), selector },
    { ...f16, n: 128, storeA: mnMajor(1), storeB: mnMajor(2), selector, negA: true },
    { n: 64, d: "f16", a: "f16", b: "f16", storeA: "registers", storeB: mnMajor(selector === 0 ? 0 : 3), selector },
    { n: 16, d: "f32", a: "bf16", b: "bf16", storeA: mnMajor(0), storeB: kMajor(2), selector, keep: false },
    { n: 8, d: "f32", a: "tf32", b: "tf32", storeA: kMajor(2), storeB: kMajor(3), selector },
    { n: 40, d: "f32", a: "tf32", b: "tf32", storeA: "registers", storeB: kMajor(0), selector },
  ]),
  { n: 8, d: "f32", a: "e4m3", b: "e5m2", storeA: kMajor(3), storeB: kMajor(2), selector: 0, negB: true },
  { n: 96, d: "f16", a: "e5m2", b: "e4m3", storeA: "registers", storeB: kMajor(3), selector: 0 },
  { n: 16, d: "s32", a: "s8", b: "u8", storeA: kMajor(1), storeB: kMajor(0), selector: 0, saturates: true },
  { n: 64, d: "s32", a: "u8", b: "s8", storeA: "registers", storeB: kMajor(3), selector: 0 },
];

/** Elements along k that A holds, and of the product. */
const heldOf = (c: Case): number => 256 / types[c.a]!.bits;
const depthOf = (c: Case): number => (c.selector === undefined ? 1 : 2) * heldOf(c);
const registersOf = (c: Case): number => c.n / (c.d === "f16" ? 4 : 2);
/** Bytes of shared memory, and where B begins. */
const [SHARED, B_AT] = [40960, 8192];

function nameOf(c: Case): string {
  const op = c.a === "b1" ? ".and.popc" : "";
  const sp = c.selector === undefined ? "" : ".sp";
  return `wgmma.mma_async${sp}.sync.aligned.m64n${c.n}k${depthOf(c)}${c.saturates ? ".satfinite" : ""}.${c.d}.${c.a}.${c.b}${op}`;
}

/** Registers before those of D: four of A, and metadata. */
const BEFORE_D = 5;

/** The buffer: shared memory, then the registers of A, of metadata and of D for 128 threads, word by word. */
export function kernel(name: string, c: Case): string {
  const n = registersOf(c);
  const type = c.d === "f32" ? "f32" : "b32";
  const list = (p: string, count: number): string => Array.from({ length: count }, (_, i) => `%${p}${i}`).join(",");
  const float = c.d !== "s32";
  const turn = (s: Storage | "registers"): string => (s === "registers" ? "" : `, ${s.mnMajor ? 1 : 0}`);
  const turns = c.a === "f16" || c.a === "bf16" ? `${turn(c.storeA)}${turn(c.storeB)}` : "";
  const signs = float ? `, ${c.negA ? -1 : 1}, ${c.negB ? -1 : 1}` : "";
  const a = c.storeA === "registers" ? `{${list("a", 4)}}` : "%da";
  const at = (i: number): number => SHARED + 512 * i;
  const all = (count: number, text: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => text(i)).join("\n");
  return `.visible .entry ${name}(.param .u64 p, .param .u64 da, .param .u64 db, .param .u32 keep)
{
  .shared .align 1024 .b8 s_${name}[${SHARED}];
  .reg .b64 %q, %r, %da, %db, %w; .reg .b32 %l, %s, %t, %u; .reg .pred %p, %k; .reg .b32 %a<4>, %e; .reg .${type} %d<${n}>;
  ld.param.u64 %q, [p]; ld.param.u64 %da, [da]; ld.param.u64 %db, [db]; ld.param.u32 %t, [keep]; setp.ne.u32 %k, %t, 0;
  mov.u32 %l, %tid.x; mad.wide.u32 %q, %l, 4, %q; mov.u32 %s, s_${name};
  and.b32 %t, %s, 0x3ffff; shr.u32 %t, %t, 4; cvt.u64.u32 %w, %t; add.u64 %da, %da, %w; add.u64 %db, %db, %w;
  mad.lo.u32 %s, %l, 4, %s; mov.u64 %r, %q; mov.u32 %u, 0;
COPY: ld.global.b32 %t, [%r]; st.shared.b32 [%s], %t; add.u64 %r, %r, 512; add.u32 %s, %s, 512; add.u32 %u, %u, 512;
  setp.lt.u32 %p, %u, ${SHARED}; @%p bra COPY;
  fence.proxy.async.shared::cta; bar.sync 0;
${all(4, (i) => `  ld.global.b32 %a${i}, [%q+${at(i)}];`)}
  ld.global.b32 %e, [%q+${at(4)}];
${all(n, (i) => `  ld.global.${type} %d${i}, [%q+${at(BEFORE_D + i)}];`)}
  wgmma.fence.sync.aligned;
  ${nameOf(c)} {${list("d", n)}}, ${a}, %db${c.selector === undefined ? "" : `, %e, ${c.selector}`}, %k${signs}${turns};
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
${all(n, (i) => `  st.global.${type} [%q+${at(BEFORE_D + i)}], %d${i};`)}
  ret;
}
`;
}

interface Data {
  readonly buffer: Uint32Array;
  readonly expected: Uint32Array;
  readonly da: bigint;
  readonly db: bigint;
}

const MODE_CODES = [0n, 3n, 2n, 1n];

/** Descriptor of a matrix at an offset in shared memory, without the start of shared memory. */
function descriptor(at: number, s: Stored, { swizzle }: Storage): bigint {
  const field = (x: number): bigint => BigInt((x & 0x3ffff) >> 4);
  return field(at) | (field(s.leading) << 16n) | (field(s.stride) << 32n) | (MODE_CODES[swizzle]! << 62n);
}

/** A sparse matrix: its values, those that are kept, and metadata of a thread (PTX ISA 9.7.15.6: figures 171 to 181). */
interface Sparse {
  readonly whole: readonly number[];
  readonly kept: readonly number[];
  readonly metadata: (thread: number) => number;
}

function sparse(c: Case, kept: readonly number[], next: () => number): Sparse {
  const [depth, held] = [depthOf(c), heldOf(c)];
  const { bits } = types[c.a]!;
  const whole = new Array<number>(64 * depth).fill(0);
  // Places of the two kept of four neighbours (of tf32 the halves of the one kept of two), four bits each.
  const chunks = held / (bits === 32 ? 1 : 2);
  const places = Array.from({ length: 64 * chunks }, () => {
    const first = bits === 32 ? 2 * (next() & 1) : (next() >>> 8) % 3;
    const second = bits === 32 ? first + 1 : first + 1 + ((next() >>> 8) % (3 - first));
    return first | (second << 2);
  });
  for (let m = 0; m < 64; m++)
    for (let chunk = 0; chunk < chunks; chunk++) {
      const place = places[m * chunks + chunk]!;
      if (bits === 32) whole[m * depth + 2 * chunk + ((place & 3) >> 1)] = kept[m * held + chunk]!;
      else
        for (const i of [0, 1])
          whole[m * depth + 4 * chunk + ((place >> (2 * i)) & 3)] = kept[m * held + 2 * chunk + i]!;
    }
  const nibbles = (row: number, from: number, count: number): number =>
    Array.from({ length: count }, (_, i) => places[row * chunks + from + i]! << (4 * i)).reduce((x, y) => x | y, 0);
  const metadata = (thread: number): number => {
    const [row, lane] = [16 * (thread >> 5) + ((thread % 32) >> 2), thread % 4];
    // Bytes: all four threads, two of each half of k, one of them for row g + 8.
    if (bits === 8) return nibbles(row + 8 * (lane & 1), 8 * (lane >> 1), 8);
    const j = lane - 2 * c.selector!;
    if (j !== 0 && j !== 1) return next();
    return nibbles(row, 4 * j, 4) | (nibbles(row + 8, 4 * j, 4) << 16);
  };
  return { whole, kept, metadata };
}

function data(c: Case, seed: number): Data {
  const next = random(seed);
  const [depth, held] = [depthOf(c), heldOf(c)];
  const matrix = (count: number, type: string): number[] =>
    Array.from({ length: count }, () => types[type]!.pick(next()));
  const [inA, B, C] = [matrix(64 * held, c.a), matrix(c.n * depth, c.b), matrix(64 * c.n, c.d)];
  const buffer = new Uint32Array(SHARED / 4 + (BEFORE_D + registersOf(c)) * 128);
  const made = c.selector === undefined ? null : sparse(c, inA, next);
  const A = made?.whole ?? inA;
  for (let t = 0; t < 128; t++) buffer[SHARED / 4 + 4 * 128 + t] = made?.metadata(t) ?? 0;
  const expected = new Uint32Array(registersOf(c) * 128);
  const bytes = new Uint8Array(buffer.buffer);
  const store = (
    s: Storage,
    first: number,
    type: string,
    rows: number,
    along: number,
    value: (mn: number, k: number) => number,
  ): Stored => {
    const { bits, bitsOf } = types[type]!;
    const stored = canonical(s, bits, rows, along);
    for (let mn = 0; mn < rows; mn++)
      for (let k = 0; k < along; k++) {
        const pattern = bitsOf(value(mn, k));
        const at = first + stored.at(mn, k);
        if (bits < 8) bytes[at]! |= pattern << ((k * bits) % 8);
        else for (let i = 0; i < bits / 8; i++) bytes[at + i] = (pattern >>> (8 * i)) & 255;
      }
    return stored;
  };
  /** Sets element i of those that a thread has from register `first` on. */
  const put = (into: Uint32Array, first: number, type: string, thread: number, i: number, x: number): void => {
    const { bits, bitsOf } = types[type]!;
    const at = (first + Math.floor((i * bits) / 32)) * 128 + thread;
    into[at]! |= bitsOf(x) << ((i * bits) % 32);
  };
  const sb = store(c.storeB, B_AT, c.b, c.n, depth, (n, k) => B[n * depth + k]!);
  let da = 0n;
  if (c.storeA !== "registers") {
    const sa = store(c.storeA, 0, c.a, 64, held, (m, k) => inA[m * held + k]!);
    da = descriptor(0, sa, c.storeA);
  } else
    for (let t = 0; t < 128; t++) {
      // As A of mma: four registers, rows of 16 by warp.
      const per = held / 8;
      for (let i = 0; i < 4 * per; i++) {
        const r = Math.floor(i / per);
        const m = 16 * (t >> 5) + ((t % 32) >> 2) + (r % 2 === 1 ? 8 : 0);
        put(buffer, SHARED / 512, c.a, t, i, inA[m * held + (t % 4) * per + (i % per) + (r >= 2 ? held / 2 : 0)]!);
      }
    }
  const sign = (c.negA ? -1 : 1) * (c.negB ? -1 : 1);
  for (let t = 0; t < 128; t++)
    for (let i = 0; i < c.n / 2; i++) {
      // CUTLASS, CLayout_64xN.
      const m = ((t >> 2) % 8) + 16 * (t >> 5) + 8 * ((i >> 1) % 2);
      const n = 2 * (t % 4) + (i % 2) + 8 * (i >> 2);
      let x = C[m * c.n + n]!;
      if (c.saturates) x = x < 0 ? -0x80000000 + (x & 0xff) : 0x7fffffff - (x & 0xff);
      put(buffer, SHARED / 512 + BEFORE_D, c.d, t, i, x);
      let sum = c.keep === false ? 0 : x;
      for (let k = 0; k < depth; k++) {
        const [p, q] = [A[m * depth + k]!, B[n * depth + k]!];
        sum += c.a === "b1" ? p & q : sign * p * q;
      }
      if (c.saturates) sum = Math.max(-0x80000000, Math.min(0x7fffffff, sum));
      put(expected, 0, c.d, t, i, c.d === "s32" ? Number(BigInt.asIntN(32, BigInt(sum))) : sum);
    }
  return { buffer, expected, da, db: descriptor(B_AT, sb, c.storeB) };
}

export const describeCase = (c: Case): string =>
  `${nameOf(c)} A ${c.storeA === "registers" ? c.storeA : JSON.stringify(c.storeA)} B ${JSON.stringify(c.storeB)}`;

/** What is wrong after a launch of kernel `name`; "" when all is right. */
export function problem(
  device: Device,
  module: Parameters<Device["launch"]>[0],
  name: string,
  c: Case,
  seed: number,
): string {
  const { buffer, expected, da, db } = data(c, seed);
  const params = [buffer, { u64: da }, { u64: db }, { u32: c.keep === false ? 0 : 1 }];
  const run = device.launch(module, { kernel: name, block: 128, params });
  if (!run.ok) return run.diagnostics.map((d) => d.message).join("; ");
  const { fault } = run.value;
  if (fault !== null) return `${describeCase(c)}: ${fault.message} ${fault.instruction}`;
  const got = buffer.subarray(buffer.length - expected.length);
  const at = got.findIndex((x, j) => x !== expected[j]);
  return at < 0 ? "" : `${describeCase(c)}: word ${at}`;
}
