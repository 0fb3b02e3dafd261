/** Textures and surfaces with random texels, and numbers in the bits of their texels. */
import type { TexelType, Texture, TextureShape } from "../../lib/sim/texture/object";

export class Random {
  constructor(private state: number) {}
  /** 0 … n − 1. */
  below(n: number): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return Math.floor(((this.state ^ (this.state >>> 13)) >>> 0) % n);
  }
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

const scratch = new DataView(new ArrayBuffer(4));
export const bits = (x: number): number => {
  scratch.setFloat32(0, x);
  return scratch.getUint32(0);
};
export const real = (word: number): number => {
  scratch.setUint32(0, word);
  return scratch.getFloat32(0);
};

/** Halves of numbers that they hold exactly, or of the nearest one, ties to even. */
export function half(x: number): number {
  if (x === 0) return Object.is(x, -0) ? 0x8000 : 0;
  const sign = x < 0 ? 0x8000 : 0;
  const e = Math.max(-14, Math.floor(Math.log2(Math.abs(x))));
  const scaled = Math.abs(x) / 2 ** (e - 10);
  const low = Math.floor(scaled);
  const m = scaled - low > 0.5 || (scaled - low === 0.5 && low % 2 === 1) ? low + 1 : low;
  return sign | (((e + 14) << 10) + m);
}

export const SIZE: Readonly<Record<string, readonly number[]>> = {
  "1d": [13],
  "2d": [13, 9],
  "3d": [7, 5, 6],
  a1d: [13],
  a2d: [9, 6],
  cube: [8, 8],
  acube: [8, 8],
  "2dms": [7, 5],
  a2dms: [5, 4],
};
export const SHAPE: Readonly<Record<string, TextureShape>> = {
  "1d": "1d",
  "2d": "2d",
  "3d": "3d",
  a1d: "1d-layered",
  a2d: "2d-layered",
  cube: "cube",
  acube: "cube-layered",
  "2dms": "2d",
  a2dms: "2d-layered",
};

/** Random texels whose sums are exact: floats are small multiples of 1/16. */
export function texels(bytes: number, type: TexelType, random: Random): Uint8Array {
  const out = new Uint8Array(bytes);
  const view = new DataView(out.buffer);
  const small = (): number => (random.below(512) - 256) / 16;
  if (type === "f32") for (let i = 0; i < bytes; i += 4) view.setFloat32(i, small(), true);
  else if (type === "f16") for (let i = 0; i < bytes; i += 2) view.setUint16(i, half(small()), true);
  else for (let i = 0; i < bytes; i++) out[i] = random.below(256);
  return out;
}

type Look = Omit<Texture, "data" | "shape" | "size" | "layers">;
export const looks: Readonly<Record<string, readonly Look[]>> = {
  filtered: [
    { type: "f32", channels: 4, filter: "linear", normalized: true, address: "wrap", levels: 3, mipFilter: "linear" },
    {
      type: "u8",
      channels: 4,
      filter: "linear",
      read: "normalized",
      address: ["clamp", "border", "clamp"],
      border: [1, 2, 3, 4],
    },
    { type: "f16", channels: 2, filter: "point", address: "border", border: [0.5, 1, -2, 4] },
    {
      type: "s16",
      channels: 1,
      filter: "linear",
      read: "normalized",
      normalized: true,
      address: "mirror",
      levels: 2,
      minLevel: 0.25,
    },
  ],
  halves: [
    { type: "f32", channels: 4, normalized: true, address: "wrap", levels: 3 },
    { type: "f16", channels: 2, filter: "point", address: "border", border: [0.5, 1, -2, 4] },
  ],
  integers: [
    { type: "s32", channels: 4, normalized: true, address: ["mirror", "wrap", "clamp"], levels: 2 },
    { type: "u8", channels: 4 },
    { type: "s16", channels: 2, address: "border", border: [1, 2, 3, 4] },
    { type: "u32", channels: 1, address: "clamp" },
  ],
};

export function textureOf(g: string, look: Look, samples: number): Texture {
  const cube = g.endsWith("cube");
  const base: Texture = {
    ...look,
    data: { address: 0, bytes: 0 },
    shape: SHAPE[g]!,
    size: SIZE[g]!,
    ...(g.startsWith("a") ? { layers: 3 } : {}),
    ...(samples > 1 ? { samples: 4, levels: 1 } : {}),
    ...(cube && !look.normalized ? { normalized: true } : {}),
  };
  return base;
}

export function bytesOf(t: Texture): number {
  let total = 0;
  const texel = t.channels * ({ "8": 1, "6": 2, "2": 4 } as Record<string, number>)[t.type.at(-1)!]!;
  for (let l = 0; l < (t.levels ?? 1); l++)
    total +=
      t.size.reduce((n, x) => n * Math.max(1, x >> l), 1) * (t.layers ?? 1) * (t.shape.startsWith("cube") ? 6 : 1);
  return total * texel * (t.samples ?? 1);
}
