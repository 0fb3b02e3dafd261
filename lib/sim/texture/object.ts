/**
 * Textures and surfaces as a launch names them: plain data, and what is wrong with it. Words are those of the CUDA runtime (cudaResourceDesc,
 * cudaTextureDesc), texels lie in memory without gaps: x fastest, then y, z; then faces and layers; then levels.
 */
import type { TypedArray } from "../scalar.js";

/** Geometries; `linear` is memory read by integer coordinates alone (cudaResourceTypeLinear). */
export type TextureShape = "linear" | "1d" | "2d" | "3d" | "1d-layered" | "2d-layered" | "cube" | "cube-layered";

/** What a channel of a texel is. */
export type TexelType = "u8" | "s8" | "u16" | "s16" | "u32" | "s32" | "f16" | "f32";

/** What a coordinate outside of the texture means. */
export type AddressMode = "wrap" | "mirror" | "clamp" | "border";

/** Texel by texel, or between neighbours. */
export type FilterMode = "point" | "linear";

/** When a depth texture's texel passes: how the value that the instruction gives stands to it. */
export type CompareMode = "never" | "less" | "equal" | "lessEqual" | "greater" | "notEqual" | "greaterEqual" | "always";

/** Texels in memory. */
export interface Image {
  /** The texels, as a buffer of the launch or at an address. */
  readonly data:
    | TypedArray
    | {
        /** Address of the first texel in the device's memory. */
        readonly address: number;
        /** Bytes that are there. */
        readonly bytes: number;
      };
  /** Geometry. */
  readonly shape: TextureShape;
  /** Texels along x, y and z, as many as the shape has. */
  readonly size: readonly number[];
  /** Layers of a layered shape (cubes, not faces, of `cube-layered`). */
  readonly layers?: number;
  /** Type of a channel. */
  readonly type: TexelType;
  /** Channels of a texel: 1, 2 or 4. */
  readonly channels: 1 | 2 | 4;
}

/** A texture object. */
export interface Texture extends Image {
  /** Levels of detail, each half the size of the one before. Default 1. */
  readonly levels?: number;
  /** Samples of a texel, beside each other in memory: 2d shapes, integer coordinates. Default 1. */
  readonly samples?: 1 | 2 | 4 | 8;
  /** Bytes from a row of `2d` to the next (cudaResourceTypePitch2D); without gaps when left out. */
  readonly rowBytes?: number;
  /** Default point. */
  readonly filter?: FilterMode;
  /** Between levels of detail. Default point. */
  readonly mipFilter?: FilterMode;
  /** Of all dimensions, or of each. Default clamp. */
  readonly address?: AddressMode | readonly AddressMode[];
  /** Colour outside of the texture where the mode is border: red, green, blue, alpha. Default zeros. */
  readonly border?: readonly number[];
  /** Coordinates go from 0 to 1 over the texture. Default false. */
  readonly normalized?: boolean;
  /** `normalized`: integers are read as floats from 0 (−1 for signed ones) to 1. Default element. */
  readonly read?: "element" | "normalized";
  /** 8-bit red, green and blue are sRGB. Default false. */
  readonly srgb?: boolean;
  /** Least level of detail that is read. Default 0. */
  readonly minLevel?: number;
  /** Greatest level of detail that is read. Default: the last. */
  readonly maxLevel?: number;
  /** For depth textures. Default lessEqual. */
  readonly compare?: CompareMode;
}

/** A surface object. */
export interface Surface extends Image {
  /** Formatted stores give floats that go from 0 (−1 for signed ones) to 1. Default false. */
  readonly normalized?: boolean;
}

export const texelTypes: readonly TexelType[] = ["u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"];
export const addressModes: readonly AddressMode[] = ["wrap", "mirror", "clamp", "border"];
export const compareModes: readonly CompareMode[] = [
  "never",
  "less",
  "equal",
  "lessEqual",
  "greater",
  "notEqual",
  "greaterEqual",
  "always",
];

interface Shape {
  readonly dimensions: number;
  readonly layered: boolean;
  readonly cube: boolean;
}

export const shapes: Readonly<Record<TextureShape, Shape>> = {
  linear: { dimensions: 1, layered: false, cube: false },
  "1d": { dimensions: 1, layered: false, cube: false },
  "2d": { dimensions: 2, layered: false, cube: false },
  "3d": { dimensions: 3, layered: false, cube: false },
  "1d-layered": { dimensions: 1, layered: true, cube: false },
  "2d-layered": { dimensions: 2, layered: true, cube: false },
  cube: { dimensions: 2, layered: false, cube: true },
  "cube-layered": { dimensions: 2, layered: true, cube: true },
};
export const shapeNames: readonly TextureShape[] = Object.keys(shapes) as TextureShape[];

export const channelBytes = (type: TexelType): number => Number(type.slice(1)) / 8;
export const isFloatType = (type: TexelType): boolean => type.startsWith("f");
/** Images of a level: layers, times six for cubes. */
export const imagesOf = (i: Image): number => (i.layers ?? 1) * (shapes[i.shape].cube ? 6 : 1);

/** Texels along a dimension of a level. */
export const sizeAt = (size: number, level: number): number => Math.max(1, Math.floor(size / 2 ** level));

export function bytesOfImage(i: Image & Pick<Texture, "levels" | "samples" | "rowBytes">): number {
  const [x = 1, y = 1, z = 1] = i.size;
  const texel = channelBytes(i.type) * i.channels;
  if (i.rowBytes !== undefined) return i.rowBytes * (y - 1) + x * texel;
  let texels = 0;
  for (let level = 0; level < (i.levels ?? 1); level++)
    texels += sizeAt(x, level) * sizeAt(y, level) * sizeAt(z, level) * imagesOf(i);
  return texels * texel * (i.samples ?? 1);
}

const isCount = (x: number, most: number): boolean => Number.isInteger(x) && x >= 1 && x <= most;

/** Limits of compute capability 7.5 to 12.x (CUDA C++ Programming Guide, technical specifications): linear memory 2^28, arrays 2^17 at most here. */
const MOST_LINEAR = 2 ** 28;
const MOST = 2 ** 17;
const MOST_LAYERS = 2048;

/** What is wrong with the shape of texels; "" when nothing is. */
function imageError(i: Image): string {
  const shape = shapes[i.shape];
  if (shape === undefined) return `"${i.shape}" is no shape; there are: ${shapeNames.join(", ")}`;
  if (!texelTypes.includes(i.type)) return `"${i.type}" is no type of texels; there are: ${texelTypes.join(", ")}`;
  if (![1, 2, 4].includes(i.channels)) return `texels have 1, 2 or 4 channels, not ${i.channels}`;
  if (i.size.length !== shape.dimensions)
    return `the size of ${i.shape} has ${shape.dimensions} numbers, not ${i.size.length}`;
  const most = i.shape === "linear" ? MOST_LINEAR : MOST;
  if (i.size.some((n) => !isCount(n, most))) return `sizes are numbers of texels from 1 to ${most}`;
  if (shape.cube && i.size[0] !== i.size[1]) return "the faces of a cube are squares";
  if (shape.layered ? !isCount(i.layers ?? 0, MOST_LAYERS) : i.layers !== undefined)
    return shape.layered ? `${i.shape} has 1 to ${MOST_LAYERS} layers` : `${i.shape} has no layers`;
  return "";
}

function roomError(i: Image): string {
  const given = ArrayBuffer.isView(i.data) ? i.data.byteLength : i.data.bytes;
  const wanted = bytesOfImage(i);
  return given < wanted ? `${given} bytes hold no image of ${wanted}` : "";
}

/** Why a texture is none; "" when it is one. */
export function textureError(t: Texture): string {
  const error = imageError(t);
  return error !== "" ? error : (formatError(t) ?? levelError(t) ?? addressError(t) ?? roomError(t));
}

function formatError(t: Texture): string | null {
  const { filter = "point", read = "element", samples = 1 } = t;
  if (!["point", "linear"].includes(filter)) return `"${filter}" is no filter; there are: point, linear`;
  if (!["element", "normalized"].includes(read)) return `"${read}" is no way to read; there are: element, normalized`;
  const floats = isFloatType(t.type);
  if (read === "normalized" && channelBytes(t.type) === 4 && !floats)
    return "integers of 32 bits are not read as normalized floats";
  const between = filter === "linear" || t.mipFilter === "linear";
  if (between && !floats && read === "element") return "integers are not filtered";
  if (filter === "linear" && t.shape === "linear") return "linear memory is not filtered";
  if (t.srgb && (t.type !== "u8" || t.channels !== 4 || read !== "normalized"))
    return "sRGB texels are four channels of u8, read as normalized floats";
  if (![1, 2, 4, 8].includes(samples)) return `texels have 1, 2, 4 or 8 samples, not ${samples}`;
  if (samples > 1 && !t.shape.startsWith("2d")) return `${t.shape} has no samples`;
  if (t.compare !== undefined && !compareModes.includes(t.compare))
    return `"${t.compare}" is no comparison; there are: ${compareModes.join(", ")}`;
  return null;
}

function levelError(t: Texture): string | null {
  const { levels = 1, minLevel = 0, maxLevel = levels - 1 } = t;
  const most = 1 + Math.floor(Math.log2(Math.max(...t.size)));
  if (!isCount(levels, most)) return `a texture of ${t.size.join(" × ")} has 1 to ${most} levels, not ${levels}`;
  if (levels > 1 && (t.shape === "linear" || (t.samples ?? 1) > 1 || t.rowBytes !== undefined))
    return "linear memory and texels of several samples have one level";
  if (levels > 1 && !(t.normalized ?? false)) return "textures of several levels have normalized coordinates";
  if (!["point", "linear"].includes(t.mipFilter ?? "point"))
    return `"${t.mipFilter}" is no filter; there are: point, linear`;
  if (!(minLevel >= 0 && maxLevel >= minLevel)) return `levels from ${minLevel} to ${maxLevel} are none`;
  if (t.rowBytes !== undefined) {
    const row = t.size[0]! * channelBytes(t.type) * t.channels;
    if (t.shape !== "2d" || t.rowBytes < row || t.rowBytes % 32 !== 0)
      return `rows of a 2d texture have at least ${row} bytes, a multiple of 32`;
  }
  return null;
}

/** Modes of x, y and z. */
export function modesOf(t: Texture): readonly [AddressMode, AddressMode, AddressMode] {
  const { address = "clamp" } = t;
  if (typeof address === "string") return [address, address, address];
  const [x = "clamp", y = x, z = y] = address;
  return [x, y, z];
}

function addressError(t: Texture): string | null {
  const modes = modesOf(t);
  const wrong = modes.find((m) => !addressModes.includes(m));
  if (wrong !== undefined) return `"${wrong}" is no address mode; there are: ${addressModes.join(", ")}`;
  if (!(t.normalized ?? false) && modes.some((m) => m === "wrap" || m === "mirror"))
    return "wrap and mirror need normalized coordinates";
  if (t.shape === "linear" && t.normalized) return "linear memory is read by integer coordinates";
  if (t.border !== undefined && t.border.length !== 4) return "a border colour has four numbers";
  return null;
}

/** Why a surface is none; "" when it is one. */
export function surfaceError(s: Surface): string {
  const error = imageError(s);
  if (error !== "") return error;
  if (s.shape === "linear") return "linear memory is no surface";
  if (s.normalized && (isFloatType(s.type) || channelBytes(s.type) === 4))
    return "floats and integers of 32 bits are not stored from normalized floats";
  return roomError(s);
}
