/**
 * What a copy of a box touches (PTX ISA 5.5.3 to 5.5.5, cuTensorMapEncodeTiled, …Im2col): runs of elements along dimension 0, one for each "pixel"
 * of the other dimensions, in the order in which they lie in shared memory.
 *
 * - tiles: the box from the coordinates on, every step-th element;
 * - four rows: those that the coordinates name;
 * - im2col: so many pixels from the coordinates on through the box between the corners, W first, then H, D and N, each read at the offset;
 * - im2col::w: along W and N alone, corners and coordinate moved by the offset.
 *
 * Not here: the halo of im2col::w, of which the text does not say what it reads.
 */
import type { Box, Columns } from "../tensor-map.js";

export type Walk = "tile" | "rows" | "im2col" | "w" | "w128";

/** What the instruction says beside the map. */
export interface Wanted {
  readonly walk: Walk;
  readonly at: readonly number[];
  /** Of im2col; of im2col::w halo and offset. */
  readonly offsets: readonly number[];
}

/** Pixels of a column of im2col::w::128. */
const WIDE = 128;

/** Why the map does not go with the instruction; "" when it does. */
export function misfit(b: Box, wanted: Wanted): string {
  const columns = wanted.walk !== "tile" && wanted.walk !== "rows";
  if (columns !== (b.columns !== null))
    return columns ? "the tensor map is none of im2col" : "the tensor map is of im2col";
  if (wanted.walk === "rows" && b.box[1] !== 1) return "the boxes of four rows have one row";
  return "";
}

/** Coordinates of each pixel in dimensions 1 and above; the array is used again. */
export function* pixels(b: Box, wanted: Wanted): Generator<readonly number[]> {
  const { walk, at } = wanted;
  if (walk === "tile") yield* tile(b, at);
  else if (walk === "rows") for (const row of at.slice(1)) yield [row];
  else yield* columns(b, b.columns!, wanted);
}

function* tile(b: Box, at: readonly number[]): Generator<readonly number[]> {
  const index = at.slice(1);
  const n = index.length;
  for (;;) {
    yield index;
    let i = 0;
    for (; i < n; i++) {
      index[i]! += b.steps[i + 1]!;
      if (index[i]! < at[i + 1]! + b.box[i + 1]!) break;
      index[i] = at[i + 1]!;
    }
    if (i === n) return;
  }
}

function* columns(b: Box, c: Columns, { walk, at, offsets }: Wanted): Generator<readonly number[]> {
  const index = at.slice(1);
  const space = c.lower.length;
  const along = walk === "im2col" ? space : 1;
  const moved = walk === "im2col" ? 0 : offsets[1]!;
  index[0]! += moved;
  const count = walk === "w128" ? WIDE : c.pixels;
  for (let p = 0; p < count; p++) {
    yield walk === "im2col" ? index.map((x, i) => x + (offsets[i] ?? 0)) : index;
    let i = 0;
    for (; i < along; i++) {
      index[i]! += b.steps[i + 1]!;
      if (index[i]! <= b.dims[i + 1]! - 1 + c.upper[i]! + moved) break;
      index[i] = c.lower[i]! + moved;
    }
    if (i === along) index[space]! += 1;
  }
}

/** Elements of the whole box. */
export function elementsOf(b: Box, { walk }: Wanted): number {
  const [first, ...rest] = b.box;
  if (walk === "rows") return first! * 4;
  if (b.columns !== null) return first! * (walk === "w128" ? WIDE : b.columns.pixels);
  return rest.reduce((n, x, i) => n * Math.ceil(x / b.steps[i + 1]!), first!);
}

/** Global address of the pixel's element 0; NaN where the pixel lies outside of the tensor. */
export function pixelAddress(b: Box, pixel: readonly number[]): number {
  let from = b.address;
  for (let i = 0; i < pixel.length; i++) {
    const x = pixel[i]!;
    if (x < 0 || x >= b.dims[i + 1]!) return Number.NaN;
    from += x * b.strides[i + 1]!;
  }
  return from;
}

const CHUNK = 16;
const swizzled = (b: Box, address: number): number => address ^ (((address >>> 7) & (2 ** b.swizzle - 1)) << 4);

/**
 * Pieces of the box in order, of an element or of 16 bytes where both sides allow it: shared address, global address (−1: outside of the tensor), bytes.
 * False: `body` was.
 */
export function eachPiece(
  b: Box,
  wanted: Wanted,
  shared: number,
  body: (shared: number, global: number, bytes: number) => boolean,
): boolean {
  const size = b.elementBytes;
  const [first, count, width] = [wanted.at[0]!, b.box[0]!, b.dims[0]!];
  const many = CHUNK / size;
  let to = shared;
  for (const pixel of pixels(b, wanted)) {
    const from = pixelAddress(b, pixel);
    for (let k = 0; k < count; ) {
      const x = first + k;
      const inside = !Number.isNaN(from) && x >= 0 && x < width;
      const global = inside ? from + x * size : -1;
      const all = inside ? x + many <= width : Number.isNaN(from) || x >= width || x + many <= 0;
      const whole = all && k + many <= count && to % CHUNK === 0 && (global < 0 || global % CHUNK === 0);
      const n = whole ? many : 1;
      if (!body(swizzled(b, to), global, n * size)) return false;
      to += n * size;
      k += n;
    }
  }
  return true;
}
