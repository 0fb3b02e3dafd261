/** Textures and surfaces for one-instruction kernels: what the handle in the parameter `th` names, made to fit the instruction. */
import type { Argument, Surface, TexelType, Texture, TextureShape } from "../../lib/sim/index.js";

/** Texels along each dimension: three levels of detail, and random coordinates meet them. */
const SIDE = 16;
const LAYERS = 3;
const LEVELS = 3;

const geometries: Readonly<Record<string, { shape: TextureShape; dimensions: number; samples?: 4 }>> = {
  "1d": { shape: "1d", dimensions: 1 },
  "2d": { shape: "2d", dimensions: 2 },
  "3d": { shape: "3d", dimensions: 3 },
  a1d: { shape: "1d-layered", dimensions: 1 },
  a2d: { shape: "2d-layered", dimensions: 2 },
  cube: { shape: "cube", dimensions: 2 },
  acube: { shape: "cube-layered", dimensions: 2 },
  "2dms": { shape: "2d", dimensions: 2, samples: 4 },
  a2dms: { shape: "2d-layered", dimensions: 2, samples: 4 },
};

const texels: Readonly<Record<string, TexelType>> = { u32: "u32", s32: "s32", f32: "f32", f16: "f16", f16x2: "f16" };

/** Six faces, layers, levels and samples of the largest texels fit below it. */
const BYTES = 0x10000;

function geometryOf(line: string): (typeof geometries)[string] {
  const name = /\.(a?[123]d(?:ms)?|a?cube)\b/.exec(line)?.[1] ?? "2d";
  return geometries[name]!;
}

function imageOf(line: string, at: number, type: TexelType, channels: 1 | 2 | 4): Surface {
  const { shape, dimensions } = geometryOf(line);
  return {
    data: { address: at, bytes: BYTES },
    shape,
    size: Array.from({ length: dimensions }, () => SIDE),
    ...(/layered/.test(shape) ? { layers: LAYERS } : {}),
    type,
    channels,
  };
}

function surfaceOf(line: string, at: number): Surface {
  const [, lanes = "1", bits = "32"] = /(?:\.v([24]))?(?:\.\w+)?\.[bus](8|16|32|64)\b/.exec(line) ?? [];
  // 64 bits are two channels.
  const channels = bits === "64" ? 2 * Number(lanes) : Number(lanes);
  const type: TexelType = bits === "8" ? "u8" : bits === "16" ? "u16" : "u32";
  return imageOf(line, at, type, channels === 4 ? 4 : channels === 2 ? 2 : 1);
}

function textureOf(line: string, at: number): Texture {
  const [, element = "f32", coordinate = "f32"] = /\.v[24]\.(\w+)\.([fs]32)\b/.exec(line) ?? [];
  const type = texels[element]!;
  const between = type.startsWith("f") && coordinate === "f32" ? "linear" : "point";
  const { samples } = geometryOf(line);
  return {
    ...imageOf(line, at, type, 4),
    filter: between,
    address: "mirror",
    normalized: coordinate === "f32",
    ...(samples !== undefined ? { samples } : coordinate === "f32" ? { levels: LEVELS, mipFilter: between } : {}),
  };
}

/** The argument for a line's handle, its texels at the address; null: the line uses no object. */
export function objectOf(line: string, at: number): Argument | null {
  if (/\b(suld|sust|sured|suq)\./.test(line)) return { surface: surfaceOf(line, at) };
  if (/\b(tex|tld4|txq)\./.test(line)) return { texture: textureOf(line, at) };
  return null;
}
