/**
 * Tensor maps: 128 bytes that describe a tensor to bulk copies. Fields lie where `tensormap.replace` writes them (`isa/tensor-map.ts`), so that programs may
 * edit maps; the last word, which no program knows, tells maps from other memory, and words before it hold what im2col needs, as this simulator puts it.
 * Interleaving, other filling than with zeros and types below a byte are refused.
 */
import {
  boxField,
  dimensionField,
  elementStrideField,
  MAP_BYTES,
  type MapField,
  mapFields,
  strideFields,
} from "../isa/tensor-map.js";
import type { TensorMap } from "./types.js";

export { MAP_BYTES };

const MAGIC = 0x544d4150;
const MAGIC_WORD = MAP_BYTES / 4 - 1;

/** Types by the code of `elemtype` (PTX ISA), and their bytes; tf32 is held as f32. */
const TYPES = ["u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f32.ftz", "f64", "bf16"] as const;
const BYTES = [1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2] as const;
const codeOf = (m: TensorMap): number =>
  m.type === undefined ? BYTES.indexOf(m.elementBytes as 1 | 2 | 4 | 8) : TYPES.indexOf(m.type);

/** Where the simulator puts im2col's: pixels of a column (0: a map of tiles), then the corners. */
const PIXELS = 16;
const CORNERS = 3;
const LOWER: number = PIXELS + 1;
const UPPER: number = LOWER + CORNERS;
const MOST_PIXELS = 1024;
/** Signed bits of a corner for 3, 4 and 5 dimensions. */
const CORNER_BITS: readonly number[] = [16, 8, 5];

/** Of a map for im2col, along W, H, D: the corners of the pixels that filters begin at, and how many pixels a column has. */
export interface Columns {
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly pixels: number;
}

export interface Box {
  readonly address: number;
  readonly type: (typeof TYPES)[number];
  readonly elementBytes: number;
  /** 2^n chunks of 16 bytes change their places. */
  readonly swizzle: number;
  readonly dims: readonly number[];
  readonly box: readonly number[];
  /** Bytes along each dimension. */
  readonly strides: readonly number[];
  /** Elements from one that is taken to the next. */
  readonly steps: readonly number[];
  /** Null: a map of tiles. */
  readonly columns: Columns | null;
}

/** Why a map is no map; "" when it is one. */
export function mapError(m: TensorMap): string {
  const n = m.dims.length;
  if (n < 1 || n > 5) return `a tensor has 1 to 5 dimensions, not ${n}`;
  if (m.im2col === undefined && m.box.length !== n) return `a box of ${m.box.length} dimensions in a tensor of ${n}`;
  const columns = m.im2col === undefined ? "" : columnsError(m, m.im2col);
  if (columns !== "") return columns;
  if (m.type !== undefined && BYTES[codeOf(m)] !== m.elementBytes)
    return `elements of type ${m.type} and ${m.elementBytes} bytes`;
  if (m.elementStrides?.length !== undefined && m.elementStrides.length !== n)
    return `${m.elementStrides.length} element strides for ${n} dimensions`;
  if (m.elementStrides?.some((x) => !Number.isInteger(x) || x < 1 || x > 8)) return "element strides are 1 to 8";
  if (m.strides !== undefined && m.strides.length !== n - 1) return `${m.strides.length} strides for ${n} dimensions`;
  if (![1, 2, 4, 8].includes(m.elementBytes)) return `elements of ${m.elementBytes} bytes`;
  if (m.dims.some((d) => !Number.isInteger(d) || d < 1 || d > 2 ** 32)) return "dimensions are numbers of elements";
  const sides = m.im2col === undefined ? m.box : m.box.slice(0, 1);
  if (sides.some((b) => !Number.isInteger(b) || b < 1 || b > 256))
    return "a box has 1 to 256 elements along each dimension";
  let plain = m.elementBytes;
  for (let i = 0; i + 1 < n; i++) {
    plain *= m.dims[i]!;
    const stride = m.strides?.[i] ?? plain;
    if (stride % 16 !== 0) return `strides are multiples of 16 bytes, not ${stride}`;
  }
  const row = m.box[0]! * m.elementBytes;
  if (row % 16 !== 0) return `rows of a box have a multiple of 16 bytes, not ${row}`;
  if (m.swizzle && row > m.swizzle) return `rows of ${row} bytes are wider than the swizzle of ${m.swizzle}`;
  return "";
}

function columnsError(m: TensorMap, { lower, upper }: NonNullable<TensorMap["im2col"]>): string {
  const n = m.dims.length;
  const pixels = m.box[1];
  if (n < 3) return `im2col has 3 to 5 dimensions, not ${n}`;
  if (m.box.length !== 2 || pixels === undefined || !Number.isInteger(pixels) || pixels < 1 || pixels > MOST_PIXELS)
    return `the box of im2col is channels and 1 to ${MOST_PIXELS} pixels`;
  if (lower.length !== n - 2 || upper.length !== n - 2) return `a corner of im2col has ${n - 2} numbers`;
  const half = 2 ** (CORNER_BITS[n - 3]! - 1);
  const outside = (x: number): boolean => !Number.isInteger(x) || x < -half || x >= half;
  if ([...lower, ...upper].some(outside)) return `corners of im2col are ${-half} to ${half - 1}`;
  const empty = lower.some((x, i) => m.dims[i + 1]! - 1 + upper[i]! < x);
  return empty ? "no pixel lies between the corners of im2col" : "";
}

const maskOf = (f: MapField): number => (f.bits === 32 ? -1 : (1 << f.bits) - 1);

function put(words: Uint32Array, f: MapField, x: number): void {
  const mask = maskOf(f) << f.shift;
  words[f.byte >> 2] = ((words[f.byte >> 2]! & ~mask) | ((x << f.shift) & mask)) >>> 0;
}

const get = (words: Int32Array, f: MapField): number => ((words[f.byte >> 2]! >>> f.shift) & maskOf(f)) >>> 0;

/** The bytes of a map of a tensor at a device address. */
export function encodeMap(m: TensorMap, address: number): Uint8Array {
  const words = new Uint32Array(MAP_BYTES / 4);
  words[MAGIC_WORD] = MAGIC;
  words[0] = address >>> 0;
  words[1] = Math.floor(address / 2 ** 32);
  put(words, mapFields.rank, m.dims.length - 1);
  put(words, mapFields.elemtype, codeOf(m));
  put(words, mapFields.swizzle_mode, m.swizzle ? Math.log2(m.swizzle / 16) : 0);
  let plain = m.elementBytes;
  m.dims.forEach((d, i) => {
    put(words, dimensionField(i), d - 1);
    if (m.im2col === undefined || i === 0) put(words, boxField(i), m.box[i]! - 1);
    put(words, elementStrideField(i), (m.elementStrides?.[i] ?? 1) - 1);
    plain *= d;
    if (i + 1 === m.dims.length) return;
    const sixteenths = (m.strides?.[i] ?? plain) / 16;
    const [low, high] = strideFields(i);
    put(words, low, (sixteenths % 2 ** 32) | 0);
    put(words, high, Math.floor(sixteenths / 2 ** 32));
  });
  if (m.im2col !== undefined) {
    words[PIXELS] = m.box[1]!;
    words.set(m.im2col.lower, LOWER);
    words.set(m.im2col.upper, UPPER);
  }
  return new Uint8Array(words.buffer);
}

/** Reads a map of so many dimensions; null where there is none, or one that is refused. */
export function decodeMap(words: Int32Array, dimensions: number): Box | null {
  const elementBytes = BYTES[get(words, mapFields.elemtype)];
  if (words[MAGIC_WORD] !== MAGIC || get(words, mapFields.rank) !== dimensions - 1) return null;
  if (elementBytes === undefined || get(words, mapFields.interleave_layout) || get(words, mapFields.fill_mode))
    return null;
  const each = <T>(f: (i: number) => T): T[] => Array.from({ length: dimensions }, (_, i) => f(i));
  const stride = (i: number): number => {
    const [low, high] = strideFields(i);
    return 16 * (get(words, low) + get(words, high) * 2 ** 32);
  };
  const pixels = words[PIXELS]!;
  const corner = (from: number): number[] => Array.from(words.subarray(from, from + dimensions - 2));
  return {
    type: TYPES[get(words, mapFields.elemtype)]!,
    // Without interleaving the first is ignored.
    steps: each((i) => (i === 0 ? 1 : get(words, elementStrideField(i)) + 1)),
    columns: pixels === 0 ? null : { pixels, lower: corner(LOWER), upper: corner(UPPER) },
    address: (words[0]! >>> 0) + (words[1]! >>> 0) * 2 ** 32,
    elementBytes,
    swizzle: get(words, mapFields.swizzle_mode),
    dims: each((i) => get(words, dimensionField(i)) + 1),
    box: each((i) => get(words, boxField(i)) + 1),
    strides: each((i) => (i === 0 ? elementBytes : stride(i - 1))),
  };
}
