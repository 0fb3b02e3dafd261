/**
 * Tensor maps: 128 bytes that describe a tensor to bulk copies. How a driver lays them out is not documented; these are the simulator's own
 * words. Only it makes and reads them, programs take their addresses.
 */
import type { TensorMap } from "./types.js";

/** Bytes of a map. */
export const MAP_BYTES = 128;
const MAGIC = 0x544d4150;
/** Words: magic, dimensions | bytes of an element << 8 | log2 of the swizzle's chunks << 16, address (2), sizes (5), box (5), strides (4 × 2). */
const [KIND, ADDRESS, DIMS, BOX, STRIDES] = [1, 2, 4, 9, 14] as const;

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
  const row = m.box[0]! * m.elementBytes;
  if (row % 16 !== 0) return `rows of a box have a multiple of 16 bytes, not ${row}`;
  if (m.swizzle && row > m.swizzle) return `rows of ${row} bytes are wider than the swizzle of ${m.swizzle}`;
  return "";
}

/** The bytes of a map of a tensor at a device address. */
export function encodeMap(m: TensorMap, address: number): Uint8Array {
  const words = new Uint32Array(MAP_BYTES / 4);
  const swizzle = m.swizzle ? Math.log2(m.swizzle / 16) : 0;
  words[0] = MAGIC;
  words[KIND] = m.dims.length | (m.elementBytes << 8) | (swizzle << 16);
  put(words, ADDRESS, address);
  let plain = m.elementBytes;
  m.dims.forEach((d, i) => {
    words[DIMS + i] = d;
    words[BOX + i] = m.box[i]!;
    plain *= d;
    if (i + 1 < m.dims.length) put(words, STRIDES + 2 * i, m.strides?.[i] ?? plain);
  });
  return new Uint8Array(words.buffer);
}

function put(words: Uint32Array, at: number, x: number): void {
  words[at] = x >>> 0;
  words[at + 1] = Math.floor(x / 2 ** 32);
}

/** Reads a map of so many dimensions; null where there is none. */
export function decodeMap(words: Int32Array, dimensions: number): Box | null {
  const kind = words[KIND]!;
  if (words[0] !== MAGIC || (kind & 0xff) !== dimensions) return null;
  const wide = (at: number): number => (words[at]! >>> 0) + (words[at + 1]! >>> 0) * 2 ** 32;
  const elementBytes = (kind >>> 8) & 0xff;
  const each = <T>(f: (i: number) => T): T[] => Array.from({ length: dimensions }, (_, i) => f(i));
  return {
    address: wide(ADDRESS),
    elementBytes,
    swizzle: (kind >>> 16) & 0xff,
    dims: each((i) => words[DIMS + i]!),
    box: each((i) => words[BOX + i]!),
    strides: each((i) => (i === 0 ? elementBytes : wide(STRIDES + 2 * (i - 1)))),
  };
}
