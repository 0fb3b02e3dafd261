/** Kernel arguments to the bytes of constant bank 0, and numbers to and from the bytes of every scalar type. */
import { type Diagnostic, diagnostic } from "../diagnostics.js";
import type { CubinParam } from "../elf/index.js";
import { fail, ok, type Result } from "../result.js";
import { BF16, bf16Value, F16, f16Value, shortBits } from "./number/half.js";
import { Rounding } from "./number/rounding.js";
import type { TypedArray } from "./scalar.js";
import { encodeMap, MAP_BYTES, mapError } from "./tensor-map.js";
import { type Image, type Surface, surfaceError, type Texture, textureError } from "./texture/object.js";
import { surfaceRecord, textureRecord } from "./texture/record.js";
import type { Argument, ScalarType, ScalarValue } from "./types.js";

export const scalarBytes: Readonly<Record<ScalarType, number>> = {
  u8: 1,
  s8: 1,
  u16: 2,
  s16: 2,
  f16: 2,
  bf16: 2,
  u32: 4,
  s32: 4,
  f32: 4,
  u64: 8,
  s64: 8,
  f64: 8,
};

export function isScalarType(name: string): name is ScalarType {
  return Object.hasOwn(scalarBytes, name);
}

export function inputError(message: string): Diagnostic {
  return diagnostic("error", message);
}

function isFloat(type: ScalarType): boolean {
  return type === "f16" || type === "bf16" || type === "f32" || type === "f64";
}

const words: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  "+inf": Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
};

/** Writes a number at `at`; an error text, or "". */
export function writeScalar(view: DataView, at: number, type: ScalarType, value: ScalarValue): string {
  if (typeof value === "string" && /^0x[0-9a-f]+$/i.test(value)) return writeBits(view, at, type, BigInt(value));
  return isFloat(type) ? writeFloat(view, at, type, value) : writeInteger(view, at, type, value);
}

function writeBits(view: DataView, at: number, type: ScalarType, bits: bigint): string {
  const n = scalarBytes[type];
  if (bits >> BigInt(n * 8) !== 0n) return `0x${bits.toString(16)} has more than ${n * 8} bits (${type})`;
  for (let i = 0; i < n; i++) view.setUint8(at + i, Number((bits >> BigInt(i * 8)) & 255n));
  return "";
}

function writeFloat(view: DataView, at: number, type: ScalarType, value: ScalarValue): string {
  const x = typeof value === "string" ? (words[value.toLowerCase()] ?? Number(value)) : Number(value);
  if (Number.isNaN(x) && !(typeof value === "number" || String(value).toLowerCase() === "nan"))
    return `"${value}" is no number`;
  // The machine's own NaN, so that a NaN that was given equals one that was computed.
  if (type === "f64") {
    if (Number.isNaN(x)) view.setBigUint64(at, 0xfff8000000000000n, true);
    else view.setFloat64(at, x, true);
  } else if (type === "f32") {
    if (Number.isNaN(x)) view.setUint32(at, 0x7fffffff, true);
    else view.setFloat32(at, x, true);
  } else view.setUint16(at, shortBits(x, 0, type === "f16" ? F16 : BF16, Rounding.RN), true);
  return "";
}

function writeInteger(view: DataView, at: number, type: ScalarType, value: ScalarValue): string {
  let v: bigint;
  if (typeof value === "number" && !Number.isInteger(value)) return `${value} is no integer (${type})`;
  try {
    v = BigInt(value);
  } catch {
    return `"${value}" is no integer (${type})`;
  }
  const bits = BigInt(scalarBytes[type] * 8);
  const signed = type.startsWith("s");
  const low = signed ? -(1n << (bits - 1n)) : 0n;
  const top = signed ? (1n << (bits - 1n)) - 1n : (1n << bits) - 1n;
  if (v < low || v > top) return `${v} is outside ${type}`;
  return writeBits(view, at, signed ? (`u${bits}` as ScalarType) : type, BigInt.asUintN(Number(bits), v));
}

/** Reads a number; 64-bit integers are bigints. */
export function readScalar(view: DataView, at: number, type: ScalarType): number | bigint {
  switch (type) {
    case "u8":
      return view.getUint8(at);
    case "s8":
      return view.getInt8(at);
    case "u16":
      return view.getUint16(at, true);
    case "s16":
      return view.getInt16(at, true);
    case "f16":
      return f16Value(view.getUint16(at, true));
    case "bf16":
      return bf16Value(view.getUint16(at, true));
    case "u32":
      return view.getUint32(at, true);
    case "s32":
      return view.getInt32(at, true);
    case "f32":
      return view.getFloat32(at, true);
    case "u64":
      return view.getBigUint64(at, true);
    case "s64":
      return view.getBigInt64(at, true);
    default:
      return view.getFloat64(at, true);
  }
}

/** Where arguments that are no numbers go. */
export interface ArgumentDevice {
  /** The device address of a buffer. */
  readonly addressOf: (buffer: TypedArray) => number;
  /** The handle of a new object by its record; 0n: there is no room. */
  readonly addObject: (record: Uint8Array, kind: "texture" | "surface") => bigint;
}

/** Places the arguments in a copy of the parameter area. */
export function placeArguments(
  area: DataView,
  base: number,
  params: readonly CubinParam[],
  given: readonly Argument[],
  device: ArgumentDevice,
): Result<null> {
  const table = [...params].sort((a, b) => a.ordinal - b.ordinal);
  if (table.length !== given.length)
    return fail([inputError(`the kernel has ${table.length} parameters, ${given.length} arguments were given`)]);
  const errors: Diagnostic[] = [];
  table.forEach((param, i) => {
    const error = placeOne(area, base + param.offset, param.size, given[i]!, device);
    if (error !== "") errors.push(inputError(`argument ${i}: ${error}`));
  });
  return errors.length > 0 ? fail(errors) : ok(null);
}

function placeOne(area: DataView, at: number, size: number, given: Argument, device: ArgumentDevice): string {
  const { addressOf } = device;
  if (at + size > area.byteLength) return `the parameter lies outside the kernel's parameter area`;
  if (typeof given === "number" || typeof given === "bigint") return `a number needs its type, as in { s32: ${given} }`;
  if (typeof given !== "object" || given === null) return "neither a buffer nor { type: value }";
  if (ArrayBuffer.isView(given)) {
    if (size !== 8) return `a buffer's address has 8 bytes, the parameter has ${size}`;
    area.setBigUint64(at, BigInt(addressOf(given as TypedArray)), true);
    return "";
  }
  if ("address" in given) {
    if (size !== 8) return `an address has 8 bytes, the parameter has ${size}`;
    if (!Number.isInteger(given.address)) return `${given.address} is no address`;
    area.setBigUint64(at, BigInt(given.address), true);
    return "";
  }
  if ("bytes" in given) {
    if (given.bytes.length !== size) return `${given.bytes.length} bytes for a parameter of ${size}`;
    new Uint8Array(area.buffer, area.byteOffset + at, size).set(given.bytes);
    return "";
  }
  if ("tensorMap" in given) {
    if (size !== MAP_BYTES) return `a tensor map has ${MAP_BYTES} bytes, the parameter has ${size}`;
    const { tensorMap } = given;
    const error = mapError(tensorMap);
    if (error !== "") return error;
    new Uint8Array(area.buffer, area.byteOffset + at, size).set(encodeMap(tensorMap, addressOf(tensorMap.data)));
    return "";
  }
  if ("texture" in given || "surface" in given) {
    if (size !== 8) return `a handle has 8 bytes, the parameter has ${size}`;
    const handle = "texture" in given ? textureHandle(given.texture, device) : surfaceHandle(given.surface, device);
    if (typeof handle === "string") return handle;
    area.setBigUint64(at, handle, true);
    return "";
  }
  const entries = Object.entries(given) as [string, ScalarValue][];
  const [type, value] = entries[0] ?? ["", 0];
  if (entries.length !== 1 || !isScalarType(type))
    return `{ ${entries.map((e) => e[0]).join(", ")} } is no { type: value }`;
  if (scalarBytes[type] !== size) return `${type} has ${scalarBytes[type]} bytes, the parameter has ${size}`;
  return writeScalar(area, at, type, value);
}

const NO_ROOM = "there is no room for more textures and surfaces";
const placeOf = (i: Image, device: ArgumentDevice): number =>
  ArrayBuffer.isView(i.data) ? device.addressOf(i.data) : i.data.address;

/** The handle of a texture, or why it has none. */
export function textureHandle(t: Texture, device: ArgumentDevice): bigint | string {
  const error = textureError(t);
  if (error !== "") return `texture: ${error}`;
  return device.addObject(textureRecord(t, placeOf(t, device)), "texture") || NO_ROOM;
}

/** The handle of a surface, or why it has none. */
export function surfaceHandle(s: Surface, device: ArgumentDevice): bigint | string {
  const error = surfaceError(s);
  if (error !== "") return `surface: ${error}`;
  return device.addObject(surfaceRecord(s, placeOf(s, device)), "surface") || NO_ROOM;
}
