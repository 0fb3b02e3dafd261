/**
 * What the texture unit computes, from the CUDA C++ Programming Guide's appendix on texture fetching:
 *
 * - coordinates of 0 … 1 are multiplied with the size; nearest point: T[floor(x)]; linear: with x − 0.5 = i + α, (1 − α) T[i] + α T[i+1] in each
 *   dimension, α in fixed point with 8 bits of fraction, so that 1 is among its values;
 * - cubes: the component of greatest magnitude m names the face, s and t of the guide's table are (s/m + 1)/2 and (t/m + 1)/2 on it;
 * - outside of the texture texels are those of the address mode, index by index.
 *
 * Assumed, since nothing says it: α is rounded to nearest; sums are exact and rounded to f32 once; texels of weight 0 are not read; of
 * components of equal magnitude z goes before y before x (Direct3D); levels of detail are rounded down from lod + 0.5, between levels weights are as
 * between texels; the lod of gradients is log2 of the longer one in texels (OpenGL), without anisotropy; coordinates that are no numbers are 0.
 */
import { type AddressMode, type CompareMode, shapes, sizeAt } from "./object.js";
import { type Sampled, texelAddress } from "./record.js";
import { bitsOf, floatOf, type ReadMemory, readTexel } from "./texel.js";

/** Where and how a texture is sampled. */
export interface Sample {
  /** Coordinates within the layer; a direction for cubes. */
  readonly at: readonly number[];
  /** Texels added to them. */
  readonly offsets: readonly number[] | null;
  readonly layer: number;
  readonly level: number;
  /** What a depth texture's texels are compared with. */
  readonly reference: number | null;
}

const STEPS = 256;
/** Beyond the size of any texture. */
const FAR = 2 ** 30;

const passes: Readonly<Record<CompareMode, (reference: number, texel: number) => boolean>> = {
  never: () => false,
  less: (r, x) => r < x,
  equal: (r, x) => r === x,
  lessEqual: (r, x) => r <= x,
  greater: (r, x) => r > x,
  notEqual: (r, x) => r !== x,
  greaterEqual: (r, x) => r >= x,
  always: () => true,
};

/** The index that a mode has for one outside of 0 … n − 1; −1: the border. */
function resolve(i: number, n: number, mode: AddressMode): number {
  if (i >= 0 && i < n) return i;
  switch (mode) {
    case "clamp":
      return i < 0 ? 0 : n - 1;
    case "border":
      return -1;
    case "wrap":
      return i - Math.floor(i / n) * n;
    default: {
      const turn = Math.floor(i / n);
      const rest = i - turn * n;
      return turn % 2 === 0 ? rest : n - 1 - rest;
    }
  }
}

/** Face and coordinates (0 … 1) of a direction. */
export function faceOf([x, y, z]: readonly [number, number, number]): {
  readonly face: number;
  readonly at: readonly [number, number];
} {
  const [ax, ay, az] = [Math.abs(x), Math.abs(y), Math.abs(z)];
  const [face, m, s, t] =
    az >= ax && az >= ay
      ? z >= 0
        ? [4, az, x, -y]
        : [5, az, -x, -y]
      : ay >= ax
        ? y >= 0
          ? [2, ay, x, z]
          : [3, ay, x, -z]
        : x >= 0
          ? [0, ax, -z, -y]
          : [1, ax, z, -y];
  return { face, at: [(s / m + 1) / 2, (t / m + 1) / 2] };
}

/** Index of the lower texel along each dimension, and α in 256ths. */
interface Footprint {
  readonly index: number[];
  readonly weight: number[];
}

function footprint(t: Sampled, s: Sample, at: readonly number[], level: number, between: boolean): Footprint {
  const cube = shapes[t.shape].cube;
  const index: number[] = [];
  const weight: number[] = [];
  at.forEach((u, k) => {
    const n = sizeAt(t.size[k]!, level);
    const x = t.normalized || cube ? u * n : u;
    const where = Number.isNaN(x) ? 0 : Math.max(-FAR, Math.min(FAR, x));
    const from = between ? where - 0.5 : where;
    const low = Math.floor(from);
    index.push(low + (s.offsets?.[k] ?? 0));
    weight.push(between ? Math.round((from - low) * STEPS) : 0);
  });
  return { index, weight };
}

const word: Uint32Array = new Uint32Array(4);

/** The words of the texel at indices that may be outside, into `word`. */
function texelAt(
  t: Sampled,
  reference: number | null,
  level: number,
  image: number,
  at: readonly number[],
  read: ReadMemory,
): void {
  const place = [0, 0, 0];
  let border = false;
  at.forEach((i, k) => {
    place[k] = resolve(i, sizeAt(t.size[k]!, level), t.modes[k]!);
    if (place[k]! < 0) border = true;
  });
  if (border) {
    const floats = t.normalizedTexels || t.type.startsWith("f");
    for (let k = 0; k < 4; k++) word[k] = floats ? bitsOf(t.border[k]!) : t.border[k]!;
  } else readTexel(t, texelAddress(t, level, image, place[0]!, place[1]!, place[2]!), read, word);
  if (reference === null) return;
  const passed = passes[t.compare](reference, floatOf(word[0]!));
  word.fill(0);
  word[0] = passed ? 0x3f800000 : 0;
  word[3] = 0x3f800000;
}

/** Adds `share` times the filtered texel of a level to `sum`. */
function addLevel(
  t: Sampled,
  s: Sample,
  at: readonly number[],
  image: number,
  level: number,
  share: number,
  read: ReadMemory,
  sum: Float64Array,
): void {
  const f = footprint(t, s, at, level, t.linear);
  const corners = t.linear ? 2 ** at.length : 1;
  const corner = [...f.index];
  for (let c = 0; c < corners; c++) {
    let weight = share;
    f.index.forEach((i, k) => {
      const upper = (c >> k) & 1;
      corner[k] = i + upper;
      if (t.linear) weight *= (upper ? f.weight[k]! : STEPS - f.weight[k]!) / STEPS;
    });
    if (weight === 0) continue;
    texelAt(t, s.reference, level, image, corner, read);
    for (let k = 0; k < 4; k++) sum[k]! += weight * floatOf(word[k]!);
  }
}

interface Levels {
  readonly low: number;
  readonly high: number;
  /** Of the higher one. */
  readonly share: number;
}

function levelsOf(t: Sampled, lod: number): Levels {
  const top = Math.min(t.maxLevel, t.levels - 1);
  const least = Math.min(t.minLevel, top);
  const level = Number.isNaN(lod) ? least : Math.min(top, Math.max(least, lod));
  if (!t.mipLinear) {
    const low = Math.min(t.levels - 1, Math.floor(level + 0.5));
    return { low, high: low, share: 0 };
  }
  const low = Math.floor(level);
  return { low, high: Math.min(low + 1, t.levels - 1), share: Math.round((level - low) * STEPS) / STEPS };
}

/** Coordinates on the image and its number. */
function imageOf(t: Sampled, s: Sample): { readonly image: number; readonly at: readonly number[] } {
  const layer = Math.min(s.layer, t.layers - 1);
  if (!shapes[t.shape].cube) return { image: layer, at: s.at.slice(0, shapes[t.shape].dimensions) };
  const { face, at } = faceOf(s.at as unknown as [number, number, number]);
  return { image: layer * 6 + face, at };
}

/** Four words: the texture filtered at a place. */
export function sample(t: Sampled, s: Sample, read: ReadMemory, out: Uint32Array): void {
  const { image, at } = imageOf(t, s);
  const { low, high, share } = levelsOf(t, s.level);
  if (!t.linear && share === 0) {
    texelAt(t, s.reference, low, image, footprint(t, s, at, low, false).index, read);
    out.set(word);
    return;
  }
  const sum = new Float64Array(4);
  addLevel(t, s, at, image, low, 1 - share, read, sum);
  if (share > 0) addLevel(t, s, at, image, high, share, read, sum);
  for (let k = 0; k < 4; k++) out[k] = bitsOf(sum[k]!);
}

/** Where the texels of a gather lie from the lower one of the filter: counter-clockwise from the lower left, y downwards (PTX ISA, tld4). */
const GATHERED = [
  [0, 1],
  [1, 1],
  [1, 0],
  [0, 0],
] as const;

/** Four words: one component of each texel that a linear filter would read, of level 0. */
export function gather(t: Sampled, s: Sample, component: number, read: ReadMemory, out: Uint32Array): void {
  const { image, at } = imageOf(t, s);
  const { low } = levelsOf(t, 0);
  const { index } = footprint(t, s, at, low, true);
  GATHERED.forEach(([x, y], k) => {
    texelAt(t, s.reference, low, image, [index[0]! + x, index[1]! + y], read);
    out[k] = word[s.reference === null ? component : 0]!;
  });
}

/** Level of detail of derivatives of each coordinate along x and y of the screen. */
export function lodOf(t: Sampled, dx: readonly number[], dy: readonly number[]): number {
  const length = (d: readonly number[]): number =>
    Math.hypot(...d.slice(0, shapes[t.shape].dimensions).map((x, k) => (t.normalized ? x * t.size[k]! : x)));
  return Math.log2(Math.max(length(dx), length(dy)));
}

/** Four words: the texel at integer coordinates, zeros outside of the texture (cudaResourceTypeLinear; assumed for the other shapes). */
export function fetchTexel(
  t: Sampled,
  at: readonly number[],
  layer: number,
  level: number,
  sampleNumber: number,
  read: ReadMemory,
  out: Uint32Array,
): void {
  const l = Math.min(Math.max(0, level), t.levels - 1);
  const place = [0, 0, 0];
  let inside = layer < t.layers && sampleNumber < t.samples;
  for (let k = 0; k < shapes[t.shape].dimensions; k++) {
    place[k] = at[k]!;
    if (!(place[k]! >= 0 && place[k]! < sizeAt(t.size[k]!, l))) inside = false;
  }
  if (!inside) {
    out.fill(0);
    return;
  }
  const address = texelAddress(t, l, layer, place[0]!, place[1]!, place[2]!);
  const bytes = (texelAddress(t, l, layer, 1, 0, 0) - texelAddress(t, l, layer, 0, 0, 0)) / t.samples;
  readTexel(t, address + sampleNumber * bytes, read, out);
}
