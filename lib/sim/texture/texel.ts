/**
 * Texels as words of registers, and back. Floats are f32: those of 8 and 16 bits that are read as normalized are v / (2^n − 1), or for signed ones
 * v / (2^(n−1) − 1) and not below −1, rounded once (Direct3D's and Vulkan's conversion: assumed; the CUDA guide names the ranges alone). Channels that a texel has not are 0, and alpha 1 (as in
 * graphics; assumed).
 */
import { F16, f16Value, shortBits } from "../number/half.js";
import { Rounding } from "../number/rounding.js";
import { channelBytes, isFloatType, type TexelType } from "./object.js";
import type { Texels } from "./record.js";

/** Reads so many bytes at a device address, as a number without sign. */
export type ReadMemory = (address: number, bytes: number) => number;
/** Writes the low bytes of a number. */
export type WriteMemory = (address: number, bytes: number, value: number) => void;

const single: Float32Array = new Float32Array(1);
const singleBits: Uint32Array = new Uint32Array(single.buffer);

export function bitsOf(x: number): number {
  single[0] = x;
  return Number.isNaN(x) ? 0x7fffffff : singleBits[0]!;
}

export function floatOf(bits: number): number {
  singleBits[0] = bits;
  return single[0]!;
}

/** Are the words of a texel floats? */
export const givesFloats = (t: Texels): boolean => t.normalizedTexels || isFloatType(t.type);

/** sRGB to linear (IEC 61966-2-1). */
function linearOf(x: number): number {
  return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
}

function channelWord(type: TexelType, normalized: boolean, srgb: boolean, raw: number): number {
  switch (type) {
    case "f32":
    case "u32":
    case "s32":
      return raw >>> 0;
    case "f16":
      return bitsOf(f16Value(raw));
    case "u8":
    case "u16": {
      if (!normalized) return raw;
      const x = raw / (type === "u8" ? 255 : 65535);
      return bitsOf(srgb ? linearOf(x) : x);
    }
    default: {
      const bits = 32 - 8 * channelBytes(type);
      const value = (raw << bits) >> bits;
      return normalized ? bitsOf(Math.max(-1, value / (type === "s8" ? 127 : 32767))) : value >>> 0;
    }
  }
}

/** Puts the four words of the texel at an address into `out`. */
export function readTexel(
  t: Texels & { readonly srgb?: boolean },
  address: number,
  read: ReadMemory,
  out: Uint32Array,
): void {
  const bytes = channelBytes(t.type);
  for (let k = 0; k < 4; k++) {
    if (k < t.channels) {
      const raw = read(address + k * bytes, bytes);
      out[k] = channelWord(t.type, t.normalizedTexels, (t.srgb ?? false) && k < 3, raw);
    } else out[k] = k < 3 ? 0 : givesFloats(t) ? 0x3f800000 : 1;
  }
}

/** Ties go to even (assumed). */
function nearest(x: number): number {
  const low = Math.floor(x);
  const rest = x - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low;
}

const clampTo = (x: number, low: number, high: number): number => (x > low ? Math.min(x, high) : low);

/** A word of a formatted store as the channel holds it: integers end at their least and greatest (assumed). */
function channelOf(type: TexelType, normalized: boolean, word: number): number {
  if (type === "f32" || type === "u32" || type === "s32") return word >>> 0;
  if (type === "f16") return shortBits(floatOf(word), 0, F16, Rounding.RN);
  const bits = 8 * channelBytes(type);
  const signed = type.startsWith("s");
  const top = signed ? 2 ** (bits - 1) - 1 : 2 ** bits - 1;
  const mask = 2 ** bits - 1;
  if (normalized) {
    const x = floatOf(word);
    return nearest(clampTo(Number.isNaN(x) ? 0 : x, signed ? -1 : 0, 1) * top) & mask;
  }
  return (signed ? clampTo(word | 0, -top - 1, top) : Math.min(word >>> 0, top)) & mask;
}

/** Stores words into the channels of the texel at an address; a texel's channels that have no word are left alone. */
export function writeTexel(t: Texels, address: number, words: readonly number[], write: WriteMemory): void {
  const bytes = channelBytes(t.type);
  for (let k = 0; k < Math.min(t.channels, words.length); k++)
    write(address + k * bytes, bytes, channelOf(t.type, t.normalizedTexels, words[k]!));
}
