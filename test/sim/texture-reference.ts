/**
 * What texture and surface instructions give, written from the CUDA C++ Programming Guide (texture fetching) and the PTX ISA alone: texels as nested lists of
 * numbers, filters as interpolation dimension by dimension. Shares nothing with the simulator but the objects' type.
 */
import type { Surface, Texture } from "../../lib/sim/texture/object";

type Colour = readonly number[];

const SIZES: Readonly<Record<string, number>> = { u8: 1, s8: 1, u16: 2, s16: 2, f16: 2, u32: 4, s32: 4, f32: 4 };

function half(bits: number): number {
  const [sign, e, m] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (e === 31) return m ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (e === 0 ? m * 2 ** -24 : (1024 + m) * 2 ** (e - 25));
}

/** One channel as a number: the integer, or the float that is read. */
function channel(view: DataView, at: number, t: Texture): number {
  const norm = t.read === "normalized";
  switch (t.type) {
    case "u8":
      return norm ? Math.fround(view.getUint8(at) / 255) : view.getUint8(at);
    case "s8":
      return norm ? Math.fround(Math.max(-1, view.getInt8(at) / 127)) : view.getInt8(at);
    case "u16":
      return norm ? Math.fround(view.getUint16(at, true) / 65535) : view.getUint16(at, true);
    case "s16":
      return norm ? Math.fround(Math.max(-1, view.getInt16(at, true) / 32767)) : view.getInt16(at, true);
    case "f16":
      return half(view.getUint16(at, true));
    case "u32":
      return view.getUint32(at, true);
    case "s32":
      return view.getInt32(at, true);
    default:
      return view.getFloat32(at, true);
  }
}

const isCube = (t: Texture): boolean => t.shape.startsWith("cube");
const dimensionsOf = (t: Texture): number => ({ l: 1, "1": 1, "2": 2, "3": 3, c: 2 })[t.shape[0] as "l"];

export class Picture {
  /** [level][image][z][y][x][sample] */
  private readonly levels: Colour[][][][][][] = [];
  private readonly dimensions: number;
  private readonly layers: number;

  constructor(
    private readonly t: Texture,
    bytes: Uint8Array,
  ) {
    this.dimensions = dimensionsOf(t);
    this.layers = t.layers ?? 1;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const step = SIZES[t.type]!;
    const float = t.type.startsWith("f") || t.read === "normalized";
    let at = 0;
    let [w, h, d] = [t.size[0]!, t.size[1] ?? 1, t.size[2] ?? 1];
    const list = <T>(n: number, f: () => T): T[] => Array.from({ length: n }, f);
    const texel = (): Colour => {
      const c = list(t.channels, () => {
        const x = channel(view, at, t);
        at += step;
        return x;
      });
      return [c[0]!, c[1] ?? 0, c[2] ?? 0, c[3] ?? (float ? 1 : 1)];
    };
    for (let level = 0; level < (t.levels ?? 1); level++) {
      const images = this.layers * (isCube(t) ? 6 : 1);
      this.levels.push(list(images, () => list(d, () => list(h, () => list(w, () => list(t.samples ?? 1, texel))))));
      [w, h, d] = [Math.max(1, w >> 1), Math.max(1, h >> 1), Math.max(1, d >> 1)];
    }
  }

  private mode(k: number): string {
    const { address = "clamp" } = this.t;
    return typeof address === "string" ? address : address[k]!;
  }

  /** The index inside, null for the border. */
  private fold(i: number, n: number, k: number): number | null {
    switch (this.mode(k)) {
      case "clamp":
        return Math.min(n - 1, Math.max(0, i));
      case "wrap":
        return ((i % n) + n) % n;
      case "mirror": {
        let x = i;
        while (x < 0 || x >= n) x = x < 0 ? -1 - x : 2 * n - 1 - x;
        return x;
      }
      default:
        return i < 0 || i >= n ? null : i;
    }
  }

  private size(level: number, k: number): number {
    const image = this.levels[level]![0]!;
    return k === 0 ? image[0]![0]!.length : k === 1 ? image[0]!.length : image.length;
  }

  private texel(level: number, image: number, index: readonly number[]): Colour {
    const where = index.map((i, k) => this.fold(i, this.size(level, k), k));
    if (where.includes(null)) return this.t.border ?? [0, 0, 0, 0];
    const [x, y, z] = [where[0]!, where[1] ?? 0, where[2] ?? 0];
    return this.levels[level]![image]![z]![y]![x]![0]!;
  }

  private scaled(u: number, level: number, k: number): number {
    return this.t.normalized || isCube(this.t) ? u * this.size(level, k) : u;
  }

  /** Interpolates along the last dimension that is left. */
  private blend(
    level: number,
    image: number,
    at: readonly number[],
    offsets: readonly number[],
    done: readonly number[],
    see: (c: Colour) => Colour,
  ): Colour {
    const k = at.length - 1;
    if (k < 0) return see(this.texel(level, image, done));
    const before = at.slice(0, k);
    const x = this.scaled(at[k]!, level, k);
    const next = (i: number): Colour =>
      this.blend(level, image, before, offsets, [i + (offsets[k] ?? 0), ...done], see);
    if (this.t.filter !== "linear") return next(Math.floor(x));
    const i = Math.floor(x - 0.5);
    const alpha = Math.round((x - 0.5 - i) * 256) / 256;
    if (alpha === 0) return next(i);
    const [a, b] = [next(i), next(i + 1)];
    return a.map((c, n) => (1 - alpha) * c + alpha * b[n]!);
  }

  /** Image and coordinates on it. */
  private face(at: readonly number[], layer: number): { image: number; uv: readonly number[] } {
    const l = Math.min(layer, this.layers - 1);
    if (!isCube(this.t)) return { image: l, uv: at.slice(0, this.dimensions) };
    const [x, y, z] = at as [number, number, number];
    const m = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
    const table: readonly (readonly [number, number, number])[] = [
      [x, -z, -y],
      [-x, z, -y],
      [y, x, z],
      [-y, x, -z],
      [z, x, -y],
      [-z, -x, -y],
    ];
    const face = table.findIndex(([major]) => major === m);
    const [, s, t] = table[face]!;
    return { image: 6 * l + face, uv: [(s / m + 1) / 2, (t / m + 1) / 2] };
  }

  private see(reference: number | null): (c: Colour) => Colour {
    return reference === null ? (c) => c : (c) => [reference <= c[0]! ? 1 : 0, 0, 0, 1];
  }

  sample(
    at: readonly number[],
    layer: number,
    lod: number,
    offsets: readonly number[],
    reference: number | null,
  ): Colour {
    const { image, uv } = this.face(at, layer);
    const last = this.levels.length - 1;
    const level = Math.min(this.t.maxLevel ?? last, last, Math.max(this.t.minLevel ?? 0, lod));
    const of = (l: number): Colour => this.blend(l, image, uv, offsets, [], this.see(reference));
    if (this.t.mipFilter !== "linear") return of(Math.min(last, Math.floor(level + 0.5)));
    const low = Math.floor(level);
    const share = Math.round((level - low) * 256) / 256;
    if (share === 0) return of(low);
    const [a, b] = [of(low), of(Math.min(last, low + 1))];
    return a.map((c, n) => (1 - share) * c + share * b[n]!);
  }

  gradient(
    at: readonly number[],
    layer: number,
    dx: readonly number[],
    dy: readonly number[],
    offsets: readonly number[],
  ): Colour {
    const long = (d: readonly number[]): number =>
      Math.sqrt(
        d
          .slice(0, this.dimensions)
          .reduce((sum, x, k) => sum + (x * (this.t.normalized ? this.size(0, k) : 1)) ** 2, 0),
      );
    return this.sample(at, layer, Math.log2(Math.max(long(dx), long(dy))), offsets, null);
  }

  /** Lower left, lower right, upper right, upper left. */
  gather(
    at: readonly number[],
    layer: number,
    component: number,
    offsets: readonly number[],
    reference: number | null,
  ): Colour {
    const { image, uv } = this.face(at, layer);
    const [i, j] = uv.map((u, k) => Math.floor(this.scaled(u, 0, k) - 0.5) + (offsets[k] ?? 0)) as [number, number];
    return [
      [i, j + 1],
      [i + 1, j + 1],
      [i + 1, j],
      [i, j],
    ].map((p) => this.see(reference)(this.texel(0, image, p))[reference === null ? component : 0]!);
  }

  fetch(at: readonly number[], layer: number, level: number, sampleNumber: number): Colour {
    const l = Math.min(this.levels.length - 1, Math.max(0, level));
    const [x, y, z] = [at[0]!, this.dimensions > 1 ? at[1]! : 0, this.dimensions > 2 ? at[2]! : 0];
    return this.levels[l]![layer]?.[z]?.[y]?.[x]?.[sampleNumber] ?? [0, 0, 0, 0];
  }
}

function least(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

/** Bytes of a surface, row by row. */
export class Canvas {
  private readonly texel: number;
  constructor(
    private readonly s: Surface,
    readonly bytes: Uint8Array,
  ) {
    this.texel = SIZES[s.type]! * s.channels;
  }

  /** Index of the first byte; null: nothing is touched. Coordinates x (in bytes), y, z or layer. */
  private at(place: readonly number[], bytes: number, clamp: string): number | null {
    const { size } = this.s;
    const limits = [...size, ...(this.s.layers === undefined ? [] : [this.s.layers])];
    limits[0] = size[0]! * this.texel - bytes + 1;
    let inside = true;
    const kept = limits.map((n, k) => {
      const x = place[k]!;
      if (x < 0 || x >= n) inside = false;
      return Math.min(n - 1, Math.max(0, x));
    });
    if (!inside && clamp !== "clamp") return null;
    const row = size[0]! * this.texel;
    let line = 0;
    for (let k = limits.length - 1; k > 0; k--) line = line * limits[k]! + kept[k]!;
    return line * row + kept[0]!;
  }

  load(place: readonly number[], bytes: number, clamp: string): Uint8Array {
    const at = this.at(place, bytes, clamp);
    return at === null ? new Uint8Array(bytes) : this.bytes.slice(at, at + bytes);
  }

  store(place: readonly number[], data: Uint8Array, clamp: string): void {
    const at = this.at(place, data.length, clamp);
    if (at !== null) this.bytes.set(data, at);
  }

  /** A texel of 32-bit channels. */
  storeTexel(place: readonly number[], words: readonly number[], clamp: string): void {
    const at = this.at([place[0]! * this.texel, ...place.slice(1)], this.texel, clamp);
    if (at === null) return;
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + at);
    words.slice(0, this.s.channels).forEach((w, k) => {
      view.setUint32(4 * k, w, true);
    });
  }

  reduce(place: readonly number[], op: string, type: string, operand: bigint, clamp: string): void {
    const bytes = type.endsWith("64") ? 8 : 4;
    const at = this.at(place, bytes, clamp);
    if (at === null) return;
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + at);
    const wrap = (x: bigint): bigint => (type[0] === "s" ? BigInt.asIntN : BigInt.asUintN)(8 * bytes, x);
    const old = wrap(bytes === 8 ? view.getBigUint64(0, true) : BigInt(view.getUint32(0, true)));
    const x = wrap(operand);
    const results: Readonly<Record<string, bigint>> = {
      add: old + x,
      min: least(old, x),
      max: least(old, x) === old ? x : old,
      and: old & x,
      or: old | x,
    };
    const result = BigInt.asUintN(8 * bytes, results[op]!);
    if (bytes === 8) view.setBigUint64(0, result, true);
    else view.setUint32(0, Number(result), true);
  }
}
