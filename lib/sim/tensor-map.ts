/**
 * Tensor maps: 128 bytes that describe a tensor to bulk copies. Fields lie where `tensormap.replace` writes them (`isa/tensor-map.ts`), so that programs may
 * edit maps; the last word, which no program knows, tells maps from other memory. Interleaving, element strides, other filling than with zeros and types
 * below a byte are refused.
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

/** Bytes of an element by the code of its type (PTX ISA, elemtype); tf32 is held as f32. */
const BYTES = [1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2] as const;
const codeOf = (bytes: number): number => BYTES.indexOf(bytes as 1 | 2 | 4 | 8);

export interface Box {
  readonly address: number;
  readonly elementBytes: number;
  /** 2^n chunks of 16 bytes change their places. */
  readonly swizzle: number;
  readonly dims: readonly number[];
  readonly box: readonly number[];
  /** Bytes along each dimension. */
  readonly strides: readonly number[];
}

/** Why a map is no map; "" when it is one. */
export function mapError(m: TensorMap): string {
  const n = m.dims.length;
  if (n < 1 || n > 5) return `a tensor has 1 to 5 dimensions, not ${n}`;
  if (m.box.length !== n) return `a box of ${m.box.length} dimensions in a tensor of ${n}`;
  if (m.strides !== undefined && m.strides.length !== n - 1) return `${m.strides.length} strides for ${n} dimensions`;
  if (![1, 2, 4, 8].includes(m.elementBytes)) return `elements of ${m.elementBytes} bytes`;
  if (m.dims.some((d) => !Number.isInteger(d) || d < 1 || d > 2 ** 32)) return "dimensions are numbers of elements";
  if (m.box.some((b) => !Number.isInteger(b) || b < 1 || b > 256))
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
  put(words, mapFields.elemtype, codeOf(m.elementBytes));
  put(words, mapFields.swizzle_mode, m.swizzle ? Math.log2(m.swizzle / 16) : 0);
  let plain = m.elementBytes;
  m.dims.forEach((d, i) => {
    put(words, dimensionField(i), d - 1);
    put(words, boxField(i), m.box[i]! - 1);
    plain *= d;
    if (i + 1 === m.dims.length) return;
    const sixteenths = (m.strides?.[i] ?? plain) / 16;
    const [low, high] = strideFields(i);
    put(words, low, (sixteenths % 2 ** 32) | 0);
    put(words, high, Math.floor(sixteenths / 2 ** 32));
  });
  return new Uint8Array(words.buffer);
}

/** Reads a map of so many dimensions; null where there is none, or one that is refused. */
export function decodeMap(words: Int32Array, dimensions: number): Box | null {
  const elementBytes = BYTES[get(words, mapFields.elemtype)];
  if (words[MAGIC_WORD] !== MAGIC || get(words, mapFields.rank) !== dimensions - 1) return null;
  if (elementBytes === undefined || get(words, mapFields.interleave_layout) || get(words, mapFields.fill_mode))
    return null;
  const each = <T>(f: (i: number) => T): T[] => Array.from({ length: dimensions }, (_, i) => f(i));
  if (each((i) => get(words, elementStrideField(i))).some((x) => x !== 0)) return null;
  const stride = (i: number): number => {
    const [low, high] = strideFields(i);
    return 16 * (get(words, low) + get(words, high) * 2 ** 32);
  };
  return {
    address: (words[0]! >>> 0) + (words[1]! >>> 0) * 2 ** 32,
    elementBytes,
    swizzle: get(words, mapFields.swizzle_mode),
    dims: each((i) => get(words, dimensionField(i)) + 1),
    box: each((i) => get(words, boxField(i)) + 1),
    strides: each((i) => (i === 0 ? elementBytes : stride(i - 1))),
  };
}
