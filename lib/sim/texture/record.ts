/**
 * What memory holds of textures and surfaces: a table of records in device memory, one for each object; the handle's low word is the number of its
 * record. PTX queries read the first two parts of a record (places seen in ptxas's code for `txq` and `suq`, on sm_75, 80, 86, 89, 90, 100, 120 alike):
 *
 *     0    what `txq` reads: 0 force_unnormalized_coords, 12 to 20 addr_mode, 24 filter_mode, 28 normalized_coords, 32 channel_data_type,
 *          36 channel_order, 40 array_size, 44 num_mipmap_levels, 48 num_samples
 *     64   what `suq` reads: 12 channel_data_type, 16 channel_order, 20 memory_layout, 28 array_size
 *     128  what the units read: this simulator's own
 *     256  what `txq` of modules with samplers apart (`texmode_independent`) reads of a texture: 12 normalized_coords, 16 channel_data_type,
 *          20 channel_order, 24 array_size, 28 num_mipmap_levels, 32 num_samples
 *     320  and of a sampler: 0 to 8 addr_mode, 12 filter_mode, 16 force_unnormalized_coords
 *
 * The units take a sampler's number above that of the texture (20 bits), or beside it; without, the texture's own filter and modes count. Bit 31, which ptxas
 * sets in addresses of references before sm_90, says nothing here.
 *
 * Bits of the upper word of handles are what `istypep` asks for (ptxas's code): 29 a texture, 30 a sampler, 31 a surface.
 */
import { GLOBAL_BASE, type GlobalMemory } from "../memory.js";
import {
  type AddressMode,
  addressModes,
  type CompareMode,
  channelBytes,
  compareModes,
  type Image,
  imagesOf,
  isFloatType,
  modesOf,
  type Surface,
  shapeNames,
  sizeAt,
  type TexelType,
  type Texture,
  type TextureShape,
  texelTypes,
} from "./object.js";

export const RECORD_BYTES = 512;
/** Where in a record `suq` finds its part. */
export const SURFACE_PART = 64;
const UNIT_PART = 128;
/** Where `txq` finds its parts, with samplers apart. */
export const TEXTURE_PART = 256;
export const SAMPLER_PART = 320;
/** Bits of a texture's number; those above are the sampler's. */
export const SAMPLER_SHIFT = 20;
/** Objects at a time; number 0 is none. */
const RECORDS = 1024;
const TEXTURE = 0x54455831;
const SURFACE = 0x53555231;
const TEXTURE_BIT = 1 << 29;
const SURFACE_BIT = 1 << 31;

/** Texels as a unit finds them. */
export interface Texels {
  readonly shape: TextureShape;
  /** Device address of level 0. */
  readonly address: number;
  readonly type: TexelType;
  readonly channels: number;
  /** Texels along x, y, z. */
  readonly size: readonly [number, number, number];
  /** Layers; images of a level, which are six times as many for cubes. */
  readonly layers: number;
  readonly images: number;
  readonly levels: number;
  readonly samples: number;
  readonly rowBytes: number;
  /** Integers are floats from 0 or −1 to 1. */
  readonly normalizedTexels: boolean;
}

/** A texture as the unit finds it. */
export interface Sampled extends Texels {
  readonly kind: "texture";
  readonly linear: boolean;
  readonly mipLinear: boolean;
  readonly modes: readonly [AddressMode, AddressMode, AddressMode];
  readonly border: readonly number[];
  /** Coordinates go from 0 to 1. */
  readonly normalized: boolean;
  readonly srgb: boolean;
  readonly minLevel: number;
  readonly maxLevel: number;
  readonly compare: CompareMode;
}

/** A surface as the unit finds it. */
export interface Stored extends Texels {
  readonly kind: "surface";
}

/** Words of the unit's part, in their order. */
const fields = [
  "magic",
  "low",
  "high",
  "shape",
  "type",
  "channels",
  "x",
  "y",
  "z",
  "layers",
  "images",
  "levels",
  "samples",
  "rowBytes",
  "flags",
  "modeX",
  "modeY",
  "modeZ",
  "compare",
] as const;
type Field = (typeof fields)[number];
/** Floats after them: border colour, least and greatest level. */
const FLOATS = UNIT_PART / 4 + fields.length;

const NORMALIZED_TEXELS = 1;
const NORMALIZED = 2;
const LINEAR = 4;
const MIP_LINEAR = 8;
const SRGB = 16;

/** OpenCL's numbers, which PTX names for these queries (PTX ISA 5.3.3). */
const CHANNEL_ORDER: Readonly<Record<number, number>> = { 1: 0x10b0, 2: 0x10b2, 4: 0x10b5 };
const NORM_TYPES: Readonly<Partial<Record<TexelType, number>>> = { s8: 0x10d0, s16: 0x10d1, u8: 0x10d2, u16: 0x10d3 };
const PLAIN_TYPES: Readonly<Record<TexelType, number>> = {
  s8: 0x10d7,
  s16: 0x10d8,
  s32: 0x10d9,
  u8: 0x10da,
  u16: 0x10db,
  u32: 0x10dc,
  f16: 0x10dd,
  f32: 0x10de,
};
/** `wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border` (PTX ISA, txq). */
const PTX_MODES: Readonly<Record<AddressMode, number>> = { wrap: 0, mirror: 1, clamp: 3, border: 4 };

const dataType = (type: TexelType, normalized: boolean): number =>
  (normalized ? NORM_TYPES[type] : undefined) ?? PLAIN_TYPES[type];

function unitPart(words: Int32Array, i: Image & Partial<Texture>, address: number, kind: number, flags: number): void {
  const [x = 1, y = 1, z = 1] = i.size;
  const modes = modesOf(i);
  const values: Readonly<Record<Field, number>> = {
    magic: kind,
    low: address,
    high: Math.floor(address / 2 ** 32),
    shape: shapeNames.indexOf(i.shape),
    type: texelTypes.indexOf(i.type),
    channels: i.channels,
    x,
    y,
    z,
    layers: i.layers ?? 1,
    images: imagesOf(i),
    levels: i.levels ?? 1,
    samples: i.samples ?? 1,
    rowBytes: i.rowBytes ?? 0,
    flags,
    modeX: addressModes.indexOf(modes[0]),
    modeY: addressModes.indexOf(modes[1]),
    modeZ: addressModes.indexOf(modes[2]),
    compare: compareModes.indexOf(i.compare ?? "lessEqual"),
  };
  fields.forEach((name, k) => {
    words[UNIT_PART / 4 + k] = values[name] | 0;
  });
}

/** The record of a texture whose texels are at a device address. */
export function textureRecord(t: Texture, address: number): Uint8Array {
  const words = new Int32Array(RECORD_BYTES / 4);
  const floats = new Float32Array(words.buffer);
  const normalizedTexels = t.read === "normalized" && !isFloatType(t.type);
  words.set(
    modesOf(t).map((m) => PTX_MODES[m]),
    3,
  );
  words[6] = t.filter === "linear" ? 1 : 0;
  words[7] = t.normalized ? 1 : 0;
  words[8] = dataType(t.type, normalizedTexels);
  words[9] = CHANNEL_ORDER[t.channels]!;
  words[10] = t.layers ?? 0;
  words[11] = (t.levels ?? 1) > 1 ? t.levels! : 0;
  words[12] = (t.samples ?? 1) > 1 ? t.samples! : 0;
  words.set([words[7]!, words[8]!, words[9]!, words[10]!, words[11]!, words[12]!], TEXTURE_PART / 4 + 3);
  words.set([words[3]!, words[4]!, words[5]!, words[6]!], SAMPLER_PART / 4);
  const flags =
    (normalizedTexels ? NORMALIZED_TEXELS : 0) |
    (t.normalized ? NORMALIZED : 0) |
    (t.filter === "linear" ? LINEAR : 0) |
    (t.mipFilter === "linear" ? MIP_LINEAR : 0) |
    (t.srgb ? SRGB : 0);
  unitPart(words, t, address, TEXTURE, flags);
  floats.set(t.border ?? [], FLOATS);
  floats[FLOATS + 4] = t.minLevel ?? 0;
  floats[FLOATS + 5] = t.maxLevel ?? (t.levels ?? 1) - 1;
  return new Uint8Array(words.buffer);
}

/** The record of a surface whose texels are at a device address. */
export function surfaceRecord(s: Surface, address: number): Uint8Array {
  const words = new Int32Array(RECORD_BYTES / 4);
  const part = SURFACE_PART / 4;
  words[part + 3] = dataType(s.type, s.normalized ?? false);
  words[part + 4] = CHANNEL_ORDER[s.channels]!;
  words[part + 7] = s.layers ?? 0;
  unitPart(words, s, address, SURFACE, s.normalized ? NORMALIZED_TEXELS : 0);
  return new Uint8Array(words.buffer);
}

/** Reads a record; null where there is none. */
export function readRecord(bytes: Uint8Array): Sampled | Stored | null {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, RECORD_BYTES / 4);
  const floats = new Float32Array(words.buffer, bytes.byteOffset, RECORD_BYTES / 4);
  const at = (name: Field): number => words[UNIT_PART / 4 + fields.indexOf(name)]!;
  const magic = at("magic");
  if (magic !== TEXTURE && magic !== SURFACE) return null;
  const flags = at("flags");
  const texels: Texels = {
    shape: shapeNames[at("shape")]!,
    address: (at("low") >>> 0) + at("high") * 2 ** 32,
    type: texelTypes[at("type")]!,
    channels: at("channels"),
    size: [at("x"), at("y"), at("z")],
    layers: at("layers"),
    images: at("images"),
    levels: at("levels"),
    samples: at("samples"),
    rowBytes: at("rowBytes"),
    normalizedTexels: (flags & NORMALIZED_TEXELS) !== 0,
  };
  if (magic === SURFACE) return { kind: "surface", ...texels };
  return {
    kind: "texture",
    ...texels,
    linear: (flags & LINEAR) !== 0,
    mipLinear: (flags & MIP_LINEAR) !== 0,
    modes: [addressModes[at("modeX")]!, addressModes[at("modeY")]!, addressModes[at("modeZ")]!],
    border: [...floats.subarray(FLOATS, FLOATS + 4)],
    normalized: (flags & NORMALIZED) !== 0,
    srgb: (flags & SRGB) !== 0,
    minLevel: floats[FLOATS + 4]!,
    maxLevel: floats[FLOATS + 5]!,
    compare: compareModes[at("compare")]!,
  };
}

/** Address of a texel: of an image (face or layer) of a level, at coordinates inside of it. */
export function texelAddress(t: Texels, level: number, image: number, x: number, y: number, z: number): number {
  const bytes = channelBytes(t.type) * t.channels;
  if (t.rowBytes > 0) return t.address + y * t.rowBytes + x * bytes;
  let before = 0;
  for (let l = 0; l < level; l++)
    before += sizeAt(t.size[0], l) * sizeAt(t.size[1], l) * sizeAt(t.size[2], l) * t.images;
  const [w, h, d] = t.size.map((n) => sizeAt(n, level)) as [number, number, number];
  return t.address + (before + ((image * d + z) * h + y) * w + x) * bytes * t.samples;
}

/** Records of a device. */
export class ObjectTable {
  /** Address of record 0; 0 before there is one. */
  address = 0;
  private readonly taken: Set<number> = new Set();

  constructor(private readonly global: GlobalMemory) {}

  /** The handle of a new object; 0n: there is no room. */
  add(record: Uint8Array, kind: "texture" | "surface"): bigint {
    if (this.address === 0) this.address = this.global.allocate(RECORDS * RECORD_BYTES);
    if (this.address === 0) return 0n;
    let number = 1;
    while (this.taken.has(number)) number++;
    if (number >= RECORDS) return 0n;
    this.taken.add(number);
    this.global.write(this.address + number * RECORD_BYTES, record);
    const bit = kind === "texture" ? TEXTURE_BIT : SURFACE_BIT;
    return (BigInt(bit >>> 0) << 32n) | BigInt(number);
  }

  remove(handle: bigint): void {
    const number = Number(handle & 0xffffffffn);
    if (!this.taken.delete(number)) return;
    this.global.write(this.address + number * RECORD_BYTES, new Uint8Array(RECORD_BYTES));
  }
}

/** A texture as the sampler of another reads it. */
function sampledBy(texture: Sampled, sampler: Sampled): Sampled {
  const { linear, mipLinear, modes, border, minLevel, maxLevel, compare } = sampler;
  return { ...texture, linear, mipLinear, modes, border, minLevel, maxLevel, compare };
}

/** Objects of a running grid by the low words of their handles, each read once. */
export class ObjectReader {
  private readonly known: Map<number, Sampled | Stored | null> = new Map();

  constructor(
    private readonly global: GlobalMemory,
    private readonly table: number,
  ) {}

  find(handle: number): Sampled | Stored | null {
    let object = this.known.get(handle);
    if (object === undefined) {
      object = this.read(handle);
      this.known.set(handle, object);
    }
    return object;
  }

  /** Where the record of a handle is, or would be. */
  address(handle: number): number {
    return this.table + handle * RECORD_BYTES;
  }

  private read(handle: number): Sampled | Stored | null {
    const sampler = (handle & 0x7fffffff) >>> SAMPLER_SHIFT;
    const object = this.record(handle & ((1 << SAMPLER_SHIFT) - 1));
    if (sampler === 0) return object;
    const by = this.record(sampler);
    return object?.kind === "texture" && by?.kind === "texture" ? sampledBy(object, by) : null;
  }

  private record(handle: number): Sampled | Stored | null {
    const at = this.address(handle) - GLOBAL_BASE;
    if (this.table === 0 || handle < 1 || handle >= RECORDS || !this.global.holds(at, RECORD_BYTES)) return null;
    return readRecord(this.global.bytes.slice(at, at + RECORD_BYTES));
  }
}
