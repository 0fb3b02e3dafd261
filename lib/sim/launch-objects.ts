/** Textures and surfaces of a launch file: the fields of `Texture` and `Surface`, with the texels in a buffer that is named. */
import { bad, count, type Json, list, number, object, text } from "./launch-json.js";
import { type Image, type Surface, surfaceError, type Texture, textureError } from "./texture/object.js";

/** A texture or surface of a launch file; its texels are in a buffer. */
export type LaunchObject = {
  /** Name of the buffer that holds the texels. */
  readonly buffer: string;
  /** Bytes of that buffer before them. */
  readonly offset: number;
} & (
  | {
      readonly kind: "texture";
      /** All but where the texels are. */
      readonly of: Texture;
    }
  | {
      readonly kind: "surface";
      /** All but where the texels are. */
      readonly of: Surface;
    }
);

const imageKeys = ["buffer", "offset", "shape", "size", "layers", "type", "channels"] as const;
const textureKeys = [
  "levels",
  "samples",
  "rowBytes",
  "filter",
  "mipFilter",
  "address",
  "border",
  "normalized",
  "read",
  "srgb",
  "minLevel",
  "maxLevel",
  "compare",
  "maxAnisotropy",
] as const;

const flag = (value: unknown, where: string): boolean =>
  typeof value === "boolean" ? value : bad(where, "true or false is expected");

/** Reads a field that may be left out. */
function optional<K extends string, T>(
  o: Json,
  where: string,
  key: K,
  read: (v: unknown, where: string) => T,
): { [P in K]?: T } {
  return (o[key] === undefined ? {} : { [key]: read(o[key], `${where}.${key}`) }) as { [P in K]?: T };
}

const numbers = (value: unknown, where: string): number[] =>
  list(value, where).map((v, i) => number(v, `${where}[${i}]`));

interface Where {
  readonly buffer: string;
  readonly offset: number;
}

/** What textures and surfaces share. Words are judged by `textureError` and `surfaceError`, so that there is one place for their messages. */
function image(o: Json, where: string, sizes: ReadonlyMap<string, number>): Where & { readonly image: Image } {
  const buffer = text(o.buffer, `${where}.buffer`);
  const bytes = sizes.get(buffer) ?? bad(`${where}.buffer`, `there is no buffer "${buffer}"`);
  const offset = o.offset === undefined ? 0 : count(o.offset, `${where}.offset`);
  if (offset % 16 !== 0) bad(`${where}.offset`, "texels begin at a multiple of 16 bytes");
  const size = typeof o.size === "number" ? [o.size] : numbers(o.size, `${where}.size`);
  const fields = {
    data: { address: 0, bytes: bytes - offset },
    shape: text(o.shape, `${where}.shape`),
    size,
    ...optional(o, where, "layers", count),
    type: text(o.type, `${where}.type`),
    channels: count(o.channels, `${where}.channels`),
  };
  return { buffer, offset, image: fields as Image };
}

const modes = (value: unknown, where: string): string | string[] =>
  typeof value === "string" ? value : list(value, where).map((v, i) => text(v, `${where}[${i}]`));

/** Reads a texture. `sizes`: bytes of buffers. */
export function textureOf(value: unknown, where: string, sizes: ReadonlyMap<string, number>): LaunchObject {
  const o = object(value, where, [...imageKeys, ...textureKeys]);
  if (o.maxAnisotropy !== undefined && o.maxAnisotropy !== 0 && o.maxAnisotropy !== 1)
    bad(`${where}.maxAnisotropy`, "anisotropic filtering is not supported");
  const { image: base, ...place } = image(o, where, sizes);
  const fields = {
    ...base,
    ...optional(o, where, "levels", count),
    ...optional(o, where, "samples", count),
    ...optional(o, where, "rowBytes", count),
    ...optional(o, where, "filter", text),
    ...optional(o, where, "mipFilter", text),
    ...optional(o, where, "address", modes),
    ...optional(o, where, "border", numbers),
    ...optional(o, where, "normalized", flag),
    ...optional(o, where, "read", text),
    ...optional(o, where, "srgb", flag),
    ...optional(o, where, "minLevel", number),
    ...optional(o, where, "maxLevel", number),
    ...optional(o, where, "compare", text),
  };
  const texture = fields as Texture;
  const error = textureError(texture);
  return error === "" ? { kind: "texture", ...place, of: texture } : bad(where, error);
}

/** Reads a surface. `sizes`: bytes of buffers. */
export function surfaceOf(value: unknown, where: string, sizes: ReadonlyMap<string, number>): LaunchObject {
  const o = object(value, where, [...imageKeys, "normalized"]);
  const { image: base, ...place } = image(o, where, sizes);
  const surface: Surface = { ...base, ...optional(o, where, "normalized", flag) };
  const error = surfaceError(surface);
  return error === "" ? { kind: "surface", ...place, of: surface } : bad(where, error);
}
