/** Kernels around one copy of a box of a tensor, its modes and its reductions, and what must come out, by plain TypeScript. */
import { unwrap } from "../../lib/result";
import type { Argument, TensorMap } from "../../lib/sim/index";
import { simulate } from "../../lib/sim/index";

const head = (arch: string): string => `.version 9.0
.target ${arch}
.address_size 64
`;

/** Words of the box. */
export const WORDS = 512;

/**
 * The first thread of the block of rank `by` brings a box into shared memory of the CTAs, each of which writes it to its part of `to`. `load`: the instruction,
 * which has `%s`, `%b`, `%map`, `%x`, `%y`, `%z` (coordinates), `%h` and `%i` (16 bits), `%peer` and `%peerbar` (the other block's).
 */
export function loader(arch: string, load: string, bytes: number, words: number = WORDS): string {
  return `${head(arch)}.visible .entry k(.param .align 128 .b8 map[128], .param .u64 to, .param .u32 x, .param .u32 y, .param .u32 z, .param .u16 h, .param .u16 i, .param .u32 by)
{
  .shared .align 1024 .b8 s[${4 * words}]; .shared .align 8 .b64 bar;
  .reg .b64 %map, %to, %d; .reg .b32 %b, %s, %t, %u, %x, %y, %z, %rank, %other, %peer, %peerbar, %by; .reg .b16 %h, %i; .reg .pred %p, %q;
  mov.b64 %map, map; cvta.param.u64 %map, %map; ld.param.u64 %to, [to]; cvta.to.global.u64 %to, %to;
  ld.param.u32 %x, [x]; ld.param.u32 %y, [y]; ld.param.u32 %z, [z]; ld.param.u16 %h, [h]; ld.param.u16 %i, [i]; ld.param.u32 %by, [by];
  mov.u32 %b, bar; mov.u32 %s, s; mov.u32 %t, %tid.x; mov.u32 %rank, %cluster_ctarank; xor.b32 %other, %rank, 1;
  mapa.shared::cluster.u32 %peer, %s, %other; mapa.shared::cluster.u32 %peerbar, %b, %other;
  setp.ne.u32 %q, %t, 0;
  @%q bra START;
  mbarrier.init.shared.b64 [%b], 1; fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared.b64 _, [%b], ${bytes};
START:
  barrier.cluster.arrive; barrier.cluster.wait;
  setp.ne.or.u32 %q, %rank, %by, %q;
  @%q bra WAIT;
  ${load}
WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%b], 0; @!%p bra WAIT;
COPY:
  mad.lo.u32 %u, %rank, ${words}, %t; mul.wide.u32 %d, %u, 4; add.s64 %d, %to, %d;
  mad.lo.u32 %u, %t, 4, %s; ld.shared.u32 %u, [%u]; st.global.u32 [%d], %u;
  add.u32 %t, %t, 128; setp.lt.u32 %p, %t, ${words}; @%p bra COPY;
  barrier.cluster.arrive; barrier.cluster.wait;
  ret;
}
`;
}

/** The block puts \`from\` (words) into shared memory and hands it on by `store`, which has `%s`, `%map`, `%x`, `%y`, `%z`. */
export function storer(arch: string, store: string, words: number = WORDS): string {
  return `${head(arch)}.visible .entry k(.param .align 128 .b8 map[128], .param .u64 from, .param .u32 x, .param .u32 y, .param .u32 z)
{
  .shared .align 1024 .b8 s[${4 * words}];
  .reg .b64 %map, %from, %d; .reg .b32 %s, %t, %u, %v, %x, %y, %z; .reg .pred %p, %q;
  mov.b64 %map, map; cvta.param.u64 %map, %map; ld.param.u64 %from, [from]; cvta.to.global.u64 %from, %from;
  ld.param.u32 %x, [x]; ld.param.u32 %y, [y]; ld.param.u32 %z, [z];
  mov.u32 %s, s; mov.u32 %t, %tid.x; setp.ne.u32 %q, %t, 0;
COPY:
  mul.wide.u32 %d, %t, 4; add.s64 %d, %from, %d; ld.global.u32 %u, [%d];
  mad.lo.u32 %v, %t, 4, %s; st.shared.u32 [%v], %u;
  add.u32 %t, %t, 128; setp.lt.u32 %p, %t, ${words}; @%p bra COPY;
  fence.proxy.async.shared::cta; bar.sync 0;
  @%q bra END;
  ${store}
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
END: ret;
}
`;
}

/** Runs a kernel; a fault as text, else what `check` says. */
function outcome(cubin: Uint8Array, params: readonly Argument[], cluster: number, check: () => string): string {
  const run = unwrap(simulate(cubin, { grid: cluster, cluster, block: 128, params }));
  return run.fault === null ? check() : `${run.fault.message} ${run.fault.instruction}`;
}

function first(found: ArrayLike<number>, expected: ArrayLike<number>): string {
  const at = Array.from(found).findIndex((v, i) => !Object.is(v, expected[i]));
  return at < 0 ? "" : `element ${at} is ${found[at]}, expected ${expected[at]}`;
}

/** One way to ask for a box. */
export interface Case {
  readonly ptx: (arch: string) => string;
  readonly wrong: (cubin: Uint8Array) => string;
}

// ------------------------------------------------------------------------------------------------ columns of an image

const [CHANNELS, WIDTH, HEIGHT, IMAGES] = [8, 7, 6, 3];
const PIXELS = 64;
const image = Uint32Array.from({ length: CHANNELS * WIDTH * HEIGHT * IMAGES }, (_, i) => 0x10000 + i);

interface Filter {
  readonly pad: number;
  readonly taps: number;
  readonly step: number;
}

/** For each output pixel of a convolution, in order, what the tap (r, s) of the filter reads: the plain definition. */
function tapped({ pad, taps, step }: Filter, from: number, r: number, s: number): number[] {
  const outputs: number[][] = [];
  for (let n = 0; n < IMAGES; n++)
    for (let y = -pad; y + taps <= HEIGHT + pad; y += step)
      for (let x = -pad; x + taps <= WIDTH + pad; x += step) outputs.push([n, y, x]);
  return Array.from({ length: PIXELS }, (_, p) => {
    const [n, y, x] = outputs[from + p] ?? [IMAGES, 0, 0];
    const [row, column] = [y! + r, x! + s];
    const inside = n! < IMAGES && row >= 0 && row < HEIGHT && column >= 0 && column < WIDTH;
    const at = ((n! * HEIGHT + row) * WIDTH + column) * CHANNELS;
    return Array.from({ length: CHANNELS }, (_x, c) => (inside ? image[at + c]! : 0));
  }).flat();
}

const filterMap = ({ pad, taps, step }: Filter): TensorMap => ({
  data: image,
  elementBytes: 4,
  dims: [CHANNELS, WIDTH, HEIGHT, IMAGES],
  box: [CHANNELS, PIXELS],
  elementStrides: [1, step, step, 1],
  im2col: { lower: [-pad, -pad], upper: [pad - taps + 1, pad - taps + 1] },
});

const IM2COL = "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes";

/** Tap (r, s) for the output pixels from the one at row `y`, column `x` of image 0 on. */
export function columns(filter: Filter, [y, x]: readonly [number, number], [r, s]: readonly [number, number]): Case {
  const across = Math.floor((WIDTH + 2 * filter.pad - filter.taps) / filter.step) + 1;
  const params: Argument[] = [{ s32: x * filter.step - filter.pad }, { s32: y * filter.step - filter.pad }, { s32: 0 }];
  return {
    ptx: (arch) => loader(arch, `mov.b32 %u, 0; ${IM2COL} [%s], [%map, {%u, %x, %y, %z}], [%b], {%h, %i};`, 4 * WORDS),
    wrong: (cubin) => {
      const to = new Uint32Array(WORDS);
      const all = [{ tensorMap: filterMap(filter) }, to, ...params, { u16: s }, { u16: r }, { u32: 0 }];
      return outcome(cubin, all, 1, () => first(to, tapped(filter, y * across + x, r, s)));
    },
  };
}

// ------------------------------------------------------------------------------------------------ rows that numbers name

const matrix = Uint32Array.from({ length: 40 * 24 }, (_, i) => 7000 + i);
const [ROW, ROWS] = [16, [3, 23, 30, 0] as const];
const rowMap = (data: Uint32Array): TensorMap => ({ data, elementBytes: 4, dims: [40, 24], box: [ROW, 1] });
const rowCoordinates = "{%x, %y, 23, %z, 0}";

export const gather: Case = {
  ptx: (arch) =>
    loader(
      arch,
      `cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%s], [%map, ${rowCoordinates}], [%b];`,
      16 * ROW,
      128,
    ),
  wrong: (cubin) => {
    const to = new Uint32Array(128);
    const expected = to.map((_, e) => {
      const row = ROWS[e >> 4];
      const x = 30 + (e & 15);
      return row === undefined || row > 23 || x >= 40 ? 0 : matrix[row * 40 + x]!;
    });
    const numbers = [{ s32: 30 }, { s32: ROWS[0] }, { s32: ROWS[2] }, { u16: 0 }, { u16: 0 }, { u32: 0 }];
    return outcome(cubin, [{ tensorMap: rowMap(matrix) }, to, ...numbers], 1, () => first(to, expected));
  },
};

/** Rows stored one by one. A reduction of this kind is none: ptxas's code stores, too. */
const scatter = (verb: string, op: string): Case => ({
  ptx: (arch) =>
    storer(
      arch,
      `cp.${verb}async.bulk.tensor.2d.global.shared::cta${op}.tile::scatter4.bulk_group [%map, ${rowCoordinates}], [%s];`,
      128,
    ),
  wrong: (cubin) => {
    const to = matrix.slice();
    const from = Uint32Array.from({ length: 128 }, (_, i) => 90 + i);
    const expected = matrix.slice();
    for (let e = 0; e < 4 * ROW; e++) {
      const [row, x] = [ROWS[e >> 4]!, 30 + (e & 15)];
      if (row < 24 && x < 40) expected[row * 40 + x] = from[e]!;
    }
    const numbers = [{ s32: 30 }, { s32: ROWS[0] }, { s32: ROWS[2] }];
    return outcome(cubin, [{ tensorMap: rowMap(to) }, from, ...numbers], 1, () => first(to, expected));
  },
});

// ------------------------------------------------------------------------------------------------ reductions by the map's type

type Numbers = Uint16Array | Int32Array | Uint32Array | Float32Array | BigInt64Array | BigUint64Array;

/** Small numbers as binary16 and bfloat16: whole numbers up to 16, exact in both. */
const shortOf = (x: number, bf: boolean): number => {
  if (x === 0) return 0;
  const e = Math.floor(Math.log2(Math.abs(x)));
  const m = Math.abs(x) / 2 ** e - 1;
  return (x < 0 ? 0x8000 : 0) | (bf ? ((e + 127) << 7) | (m * 128) : ((e + 15) << 10) | (m * 1024));
};

const makers: Readonly<Record<string, (x: readonly number[]) => Numbers>> = {
  u32: (x) => Uint32Array.from(x),
  s32: (x) => Int32Array.from(x),
  u64: (x) => BigUint64Array.from(x.map((v) => BigInt(v))),
  s64: (x) => BigInt64Array.from(x.map((v) => BigInt(v))),
  f32: (x) => Float32Array.from(x),
  f16: (x) => Uint16Array.from(x, (v) => shortOf(v, false)),
  bf16: (x) => Uint16Array.from(x, (v) => shortOf(v, true)),
};

const operations: Readonly<Record<string, (old: number, value: number) => number>> = {
  add: (a, b) => a + b,
  min: Math.min,
  max: Math.max,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  inc: (a, b) => (a >= b ? 0 : a + 1),
  dec: (a, b) => (a === 0 || a > b ? b : a - 1),
};

/** A box of 16 × 4 elements, part of it outside, onto a matrix of 24 × 6. */
export function reduction(op: string, type: string): Case {
  const signed = ["s32", "s64", "f16", "bf16", "f32"].includes(type);
  const numbers = (n: number, seed: number): number[] =>
    Array.from({ length: n }, (_, i) => ((i * 7 + seed) % 9) - (signed ? 4 : 0));
  const make = makers[type]!;
  return {
    ptx: (arch) =>
      storer(
        arch,
        `cp.reduce.async.bulk.tensor.2d.global.shared::cta.${op}.tile.bulk_group [%map, {%x, %y}], [%s];`,
        128,
      ),
    wrong: (cubin) => {
      const [before, box] = [numbers(24 * 6, 3), numbers(64, 5)];
      const to = make(before);
      const elementBytes = to.BYTES_PER_ELEMENT;
      const from = new Uint8Array(512);
      from.set(new Uint8Array(make(box).buffer));
      const after = before.slice();
      for (let e = 0; e < 64; e++) {
        const [x, y] = [12 + (e & 15), 4 + (e >> 4)];
        if (x < 24 && y < 6) after[y * 24 + x] = operations[op]!(before[y * 24 + x]!, box[e]!);
      }
      const map = { data: to, elementBytes, dims: [24, 6], box: [16, 4], type } as TensorMap;
      const params = [{ tensorMap: map }, new Uint32Array(from.buffer), { s32: 12 }, { s32: 4 }, { s32: 0 }];
      const [words, expected] = [to, make(after)].map((a) => new Uint8Array(a.buffer)) as [Uint8Array, Uint8Array];
      return outcome(cubin, params, 1, () => first(words, expected));
    },
  };
}

// ------------------------------------------------------------------------------------------------ the other block's memory

const BOX = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";

/** Blocks of a pair bring a box or bytes to each other, or to both. */
export function across(what: "box" | "bytes" | "columns", several: boolean, hinted: boolean): Case {
  const [hint, policy] = hinted ? [".L2::cache_hint", ", %d"] : ["", ""];
  const [cast, mask] = several ? [".multicast::cluster", ", %i"] : ["", ""];
  const [to, bar] = several ? ["%s", "%b"] : ["%peer", "%peerbar"];
  const start = "createpolicy.fractional.L2::evict_first.b64 %d, 1.0;";
  const words = what === "columns" ? WORDS : 128;
  const lines = {
    box: `${BOX}${cast}${hint} [${to}], [%map, {%x, %y}], [${bar}]${mask}${policy};`,
    columns: `mov.b32 %u, 0; ${IM2COL}${cast}${hint} [${to}], [%map, {%u, %x, %y, %z}], [${bar}], {%h, %h}${mask}${policy};`,
    bytes: `ld.u64 %map, [%map];
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes${cast}${hint} [${to}], [%map], 512, [${bar}]${mask}${policy};`,
  };
  return {
    ptx: (arch) => {
      const text = loader(arch, `${start} ${lines[what]}`, 4 * words, words);
      // From the one block to the other, or to both: of one that is told nothing, no wait is right.
      return several ? text : text.replace("START:", "START: mov.u32 %by, %rank;");
    },
    wrong: (cubin) => {
      const filter = { pad: 1, taps: 3, step: 1 };
      const tile: TensorMap = { data: matrix, elementBytes: 4, dims: [40, 24], box: [16, 8] };
      const map = what === "columns" ? filterMap(filter) : tile;
      const [x, y] = what === "columns" ? [-1, -1] : [4, 3];
      const one =
        what === "columns"
          ? tapped(filter, 0, 2, 2)
          : Array.from({ length: 128 }, (_, e) =>
              what === "bytes" ? matrix[e]! : matrix[(3 + (e >> 4)) * 40 + 4 + (e & 15)]!,
            );
      const to_ = new Uint32Array(2 * words);
      const params = [{ tensorMap: map }, to_, { s32: x }, { s32: y }, { s32: 0 }, { u16: 2 }, { u16: 3 }, { u32: 1 }];
      return outcome(cubin, params as Argument[], 2, () => first(to_, [...one, ...one]));
    },
  };
}

const THREE: Filter = { pad: 1, taps: 3, step: 1 };

/** By name: what is asked, and the SMs that have it. */
export const cases: Readonly<Record<string, readonly [Case, readonly string[]]>> = {
  "columns from the corner": [columns(THREE, [0, 0], [0, 0]), ["sm_90", "sm_100", "sm_120"]],
  "columns over images": [columns(THREE, [4, 3], [2, 1]), ["sm_90", "sm_100"]],
  "columns at every second pixel": [columns({ pad: 1, taps: 3, step: 2 }, [1, 1], [1, 2]), ["sm_90", "sm_120"]],
  "columns without padding, past the last image": [columns({ pad: 0, taps: 2, step: 1 }, [2, 1], [1, 0]), ["sm_100"]],
  gather: [gather, ["sm_100a"]],
  scatter: [scatter("", ""), ["sm_100a"]],
  "scatter with an operation": [scatter("reduce.", ".add"), ["sm_100a"]],
  ...Object.fromEntries(
    (
      [
        ["add", "u32 s32 u64 f16 bf16 f32"],
        ["min", "u32 s32 u64 s64 f16 bf16"],
        ["max", "u32 s32 u64 s64 f16 bf16"],
        ["inc", "u32"],
        ["dec", "u32"],
        ["and", "u32 u64"],
        ["or", "u32 u64"],
        ["xor", "u32 u64"],
      ] as const
    ).flatMap(([op, types]) => types.split(" ").map((t) => [`${op} of ${t}`, [reduction(op, t), ["sm_90"]]] as const)),
  ),
  ...Object.fromEntries(
    (["box", "bytes", "columns"] as const).flatMap((what) =>
      [false, true].flatMap((several) =>
        [false, true].map(
          (hinted) =>
            [
              `${what} ${several ? "to both blocks" : "to the other block"}${hinted ? " with a policy" : ""}`,
              [across(what, several, hinted), ["sm_90a", "sm_120"]],
            ] as const,
        ),
      ),
    ),
  ),
};
