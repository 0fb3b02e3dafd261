/**
 * The launch file as data: checked and normalized. Every message says where in the file it applies (`buffers.x.fill`).
 */
import { isScalarType, scalarBytes, writeScalar } from "./arguments.js";
import { Bad, bad, count, type Json, list, number, object, text } from "./launch-json.js";
import { type LaunchObject, surfaceOf, textureOf } from "./launch-objects.js";
import { Random } from "./random.js";
import type { ScalarType, ScalarValue } from "./types.js";

/** Bytes of a buffer with their type. */
export interface Buffer {
  /** Type of its elements. */
  readonly type: ScalarType;
  /** Its bytes, little endian. */
  readonly bytes: Uint8Array;
}

/** A parameter of a launch. */
export type LaunchParam =
  | {
      readonly kind: "scalar";
      /** Type that the number is stored as: `u32`, `f64` … */
      readonly type: ScalarType;
      /** The number; 64-bit integers as bigint. */
      readonly value: ScalarValue;
    }
  | {
      readonly kind: "buffer";
      /** Name of the buffer whose address it is. */
      readonly name: string;
      /** Bytes added to that address. */
      readonly offset: number;
    }
  | {
      readonly kind: "object";
      /** Name of the texture or surface whose handle it is. */
      readonly name: string;
    }
  | {
      readonly kind: "bytes";
      /** The parameter's bytes, little endian. */
      readonly bytes: Uint8Array;
    };

/** A launch of a file. */
export interface LaunchStep {
  /** Name of the kernel; left out where the cubin has one only. */
  readonly kernel: string | undefined;
  /** CTAs along x, y, z. */
  readonly grid: readonly [number, number, number];
  /** Threads of a CTA along x, y, z. */
  readonly block: readonly [number, number, number];
  /** CTAs of a cluster along x, y, z; what the kernel says when left out. */
  readonly cluster: readonly [number, number, number] | undefined;
  /** Bytes of dynamic shared memory per CTA. */
  readonly sharedBytes: number;
  /** When asynchronous operations end: a seed, or at once. */
  readonly completion: number | "at-once" | undefined;
  /** Parameters in their order. */
  readonly params: readonly LaunchParam[];
}

/** What a buffer or global must hold at the end. */
export interface Expectation {
  /** Name of the buffer or global. */
  readonly name: string;
  /** The expected elements as bytes of the type; null when only `type` is known later (a global). */
  readonly values: readonly ScalarValue[] | null;
  /** The same as bytes; null as above. */
  readonly bytes: Uint8Array | null;
  /** Type of the elements; null: that of the buffer. */
  readonly type: ScalarType | null;
  /** Difference that is allowed; null for none. */
  readonly abs: number | null;
  /** Share of the expected value by which it may differ; null for none. */
  readonly rel: number | null;
  /** NaNs must agree bit for bit. */
  readonly nanBits: boolean;
}

/** A launch file, read. */
export interface LaunchFile {
  /** Memory that launches work on, by name. */
  readonly buffers: ReadonlyMap<string, Buffer>;
  /** Textures and surfaces of launches, by name. */
  readonly objects: ReadonlyMap<string, LaunchObject>;
  /** Names of textures and surfaces that stand for what kernels name, by these names. */
  readonly references: ReadonlyMap<string, string>;
  /** What variables of the module are set to first, by name. */
  readonly globals: ReadonlyMap<string, Buffer>;
  /** Launches in their order. */
  readonly launches: readonly LaunchStep[];
  /** Names of the buffers to print at the end. */
  readonly print: readonly string[];
  /** What must come out. */
  readonly expect: readonly Expectation[];
  /** Warp-instructions of a launch, at most. */
  readonly maxInstructions: number | undefined;
}

/** The bytes of a file by its path; null where there is none. */
export type ReadFile = (path: string) => Uint8Array | null;

function scalarType(value: unknown, where: string): ScalarType {
  const name = text(value, where);
  return isScalarType(name)
    ? name
    : bad(where, `"${name}" is no type; there are: ${Object.keys(scalarBytes).join(", ")}`);
}

function scalar(value: unknown, where: string): ScalarValue {
  if (typeof value === "number" || typeof value === "string") return value;
  return bad(where, "a number or a string is expected");
}

function hexBytes(value: unknown, where: string): Uint8Array {
  const digits = text(value, where).replace(/^0x/, "").replace(/[\s_]/g, "");
  if (!/^([0-9a-fA-F]{2})*$/.test(digits)) bad(where, "pairs of hexadecimal digits are expected");
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}

function read(path: unknown, where: string, readFile: ReadFile): Uint8Array {
  const name = text(path, where);
  let bytes: Uint8Array | null = null;
  try {
    bytes = readFile(name);
  } catch {
    bytes = null;
  }
  return bytes ?? bad(where, `cannot read "${name}"`);
}

/** The elements of a list as bytes of a type. */
export function packValues(values: readonly ScalarValue[], type: ScalarType): Uint8Array | string {
  const size = scalarBytes[type];
  const bytes = new Uint8Array(values.length * size);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < values.length; i++) {
    const error = writeScalar(view, i * size, type, values[i]!);
    if (error !== "") return `[${i}]: ${error}`;
  }
  return bytes;
}

function scalars(value: unknown, where: string): readonly ScalarValue[] {
  return list(value, where).map((v, i) => scalar(v, `${where}[${i}]`));
}

function buffer(value: unknown, where: string, readFile: ReadFile): Buffer {
  const o = object(value, where, ["type", "length", "fill", "file", "values"]);
  const type = scalarType(o.type, `${where}.type`);
  const size = scalarBytes[type];
  const given = ["fill", "file", "values"].filter((k) => o[k] !== undefined);
  if (given.length > 1) bad(where, `only one of ${given.join(", ")} may be given`);
  const wanted = o.length === undefined ? null : count(o.length, `${where}.length`);
  let bytes: Uint8Array;
  if (o.file !== undefined) bytes = read(o.file, `${where}.file`, readFile).slice();
  else if (o.values !== undefined) {
    const packed = packValues(scalars(o.values, `${where}.values`), type);
    bytes = typeof packed === "string" ? bad(`${where}.values`, packed) : packed;
  } else {
    if (wanted === null) bad(where, "length, file or values is needed");
    if (wanted! * size > 0x8000_0000) bad(`${where}.length`, "more than 2 GiB");
    bytes = fill(o.fill, type, wanted!, `${where}.fill`);
  }
  if (bytes.length % size !== 0) bad(where, `${bytes.length} bytes are no whole number of ${type}`);
  if (wanted !== null && wanted * size !== bytes.length)
    bad(where, `length is ${wanted}, but ${bytes.length / size} elements are given`);
  return { type, bytes };
}

function fill(value: unknown, type: ScalarType, length: number, where: string): Uint8Array {
  const size = scalarBytes[type];
  const bytes = new Uint8Array(length * size);
  if (value === undefined) return bytes;
  const o = object(value, where, ["value", "arange", "random", "range"]);
  const view = new DataView(bytes.buffer);
  const element = elementOf(o, type, where);
  for (let i = 0; i < length; i++) {
    const error = writeScalar(view, i * size, type, element(i));
    if (error !== "") bad(where, `element ${i}: ${error}`);
  }
  return bytes;
}

const isFloat = (type: ScalarType): boolean => type === "f16" || type === "bf16" || type === "f32" || type === "f64";

/** Element i of a fill. */
function elementOf(o: Json, type: ScalarType, where: string): (i: number) => ScalarValue {
  if (o.value !== undefined) {
    const v = scalar(o.value, `${where}.value`);
    return () => v;
  }
  if (o.arange !== undefined) {
    const pair = list(o.arange, `${where}.arange`);
    const start = number(pair[0] ?? 0, `${where}.arange[0]`);
    const step = number(pair[1] ?? 1, `${where}.arange[1]`);
    return (i) => start + i * step;
  }
  if (o.random === undefined) bad(where, "value, arange or random is needed");
  const random = new Random(count(o.random, `${where}.random`));
  const range = o.range === undefined ? [0, 1] : list(o.range, `${where}.range`);
  if (range.length !== 2) bad(`${where}.range`, "[low, high] is expected");
  if (isFloat(type)) {
    const lo = number(range[0], `${where}.range[0]`);
    const hi = number(range[1], `${where}.range[1]`);
    return () => random.float(lo, hi);
  }
  const [lo, hi] = range.map((v, i) => whole(v, `${where}.range[${i}]`)) as [bigint, bigint];
  if (lo > hi) bad(`${where}.range`, "low is above high");
  return () => random.integer(lo, hi);
}

function whole(value: unknown, where: string): bigint {
  try {
    return BigInt(scalar(value, where));
  } catch {
    return bad(where, "an integer is expected");
  }
}

function dimensions(value: unknown, where: string): readonly [number, number, number] {
  if (value === undefined) return [1, 1, 1];
  const d = typeof value === "number" ? [value] : list(value, where);
  if (d.length < 1 || d.length > 3) bad(where, "one to three dimensions are expected");
  const [x = 1, y = 1, z = 1] = d.map((v, i) => count(v, `${where}[${i}]`));
  return [x, y, z];
}

type Known = Pick<LaunchFile, "buffers" | "objects">;

/** `{ "texture": name }` or `{ "surface": name }`; null for anything else. */
function objectNamed(value: unknown, where: string, { objects }: Known): string | null {
  const o = object(value, where, null);
  for (const kind of ["texture", "surface"] as const) {
    if (o[kind] === undefined) continue;
    object(value, where, [kind]);
    const name = text(o[kind], `${where}.${kind}`);
    if (objects.get(name)?.kind !== kind) bad(`${where}.${kind}`, `there is no ${kind} "${name}"`);
    return name;
  }
  return null;
}

const boundTo = (value: unknown, where: string, known: Known): string =>
  objectNamed(value, where, known) ?? bad(where, '{ "texture": name } or { "surface": name } is expected');

function param(value: unknown, where: string, known: Known): LaunchParam {
  const o = object(value, where, null);
  const named = objectNamed(value, where, known);
  if (named !== null) return { kind: "object", name: named };
  const { buffers } = known;
  if (o.buffer !== undefined) {
    object(value, where, ["buffer", "offset"]);
    const name = text(o.buffer, `${where}.buffer`);
    if (!buffers.has(name)) bad(`${where}.buffer`, `there is no buffer "${name}"`);
    const offset = o.offset === undefined ? 0 : number(o.offset, `${where}.offset`);
    if (!Number.isSafeInteger(offset)) bad(`${where}.offset`, "an integer of at most 53 bits is expected");
    return { kind: "buffer", name, offset };
  }
  if (o.bytes !== undefined) {
    object(value, where, ["bytes"]);
    return { kind: "bytes", bytes: hexBytes(o.bytes, `${where}.bytes`) };
  }
  const keys = Object.keys(o);
  if (keys.length !== 1 || !isScalarType(keys[0]!))
    bad(
      where,
      '{ "<type>": value }, { "buffer": name }, { "texture": name }, { "surface": name } or { "bytes": hex } is expected',
    );
  const type = keys[0] as ScalarType;
  return { kind: "scalar", type, value: scalar(o[type], `${where}.${type}`) };
}

function step(value: unknown, where: string, known: Known): LaunchStep {
  const o = object(value, where, ["kernel", "grid", "block", "cluster", "sharedBytes", "completion", "params"]);
  return {
    kernel: o.kernel === undefined ? undefined : text(o.kernel, `${where}.kernel`),
    grid: dimensions(o.grid, `${where}.grid`),
    block: dimensions(o.block, `${where}.block`),
    cluster: o.cluster === undefined ? undefined : dimensions(o.cluster, `${where}.cluster`),
    sharedBytes: o.sharedBytes === undefined ? 0 : count(o.sharedBytes, `${where}.sharedBytes`),
    completion:
      o.completion === undefined || o.completion === "at-once"
        ? o.completion
        : count(o.completion, `${where}.completion`),
    params: list(o.params ?? [], `${where}.params`).map((p, i) => param(p, `${where}.params[${i}]`, known)),
  };
}

function tolerance(value: unknown, where: string): number | null {
  if (value === undefined) return null;
  const x = number(value, where);
  return x >= 0 ? x : bad(where, "a number of at least 0 is expected");
}

function expectation(name: string, value: unknown, where: string, readFile: ReadFile): Expectation {
  const o = object(value, where, ["type", "values", "file", "abs", "rel", "nanBits"]);
  if ((o.values === undefined) === (o.file === undefined)) bad(where, "one of values and file is needed");
  return {
    name,
    values: o.values === undefined ? null : scalars(o.values, `${where}.values`),
    bytes: o.file === undefined ? null : read(o.file, `${where}.file`, readFile),
    type: o.type === undefined ? null : scalarType(o.type, `${where}.type`),
    abs: tolerance(o.abs, `${where}.abs`),
    rel: tolerance(o.rel, `${where}.rel`),
    nanBits: o.nanBits === true,
  };
}

function named<T>(value: unknown, where: string, make: (name: string, v: unknown, where: string) => T): [string, T][] {
  if (value === undefined) return [];
  return Object.entries(object(value, where, null)).map(([k, v]) => [k, make(k, v, `${where}.${k}`)]);
}

/** Checks a launch file; a text says what is wrong with it. */
export function parseLaunchFile(value: unknown, readFile: ReadFile): LaunchFile | string {
  try {
    const keys = [
      "buffers",
      "textures",
      "surfaces",
      "references",
      "launches",
      "globals",
      "print",
      "expect",
      "maxInstructions",
    ];
    const o = object(value, "launch file", keys);
    const buffers = new Map(named(o.buffers, "buffers", (_, v, where) => buffer(v, where, readFile)));
    const sizes = new Map([...buffers].map(([name, b]) => [name, b.bytes.length]));
    const objects = new Map([
      ...named(o.textures, "textures", (_, v, where) => textureOf(v, where, sizes)),
      ...named(o.surfaces, "surfaces", (_, v, where) => surfaceOf(v, where, sizes)),
    ]);
    const launches = list(o.launches, "launches").map((v, i) => step(v, `launches[${i}]`, { buffers, objects }));
    if (launches.length === 0) bad("launches", "at least one launch is needed");
    return {
      buffers,
      objects,
      references: new Map(named(o.references, "references", (_, v, where) => boundTo(v, where, { buffers, objects }))),
      globals: new Map(named(o.globals, "globals", (_, v, where) => buffer(v, where, readFile))),
      launches,
      print: list(o.print ?? [], "print").map((v, i) => text(v, `print[${i}]`)),
      expect: named(o.expect, "expect", (name, v, where) => expectation(name, v, where, readFile)).map((e) => e[1]),
      maxInstructions: o.maxInstructions === undefined ? undefined : count(o.maxInstructions, "maxInstructions"),
    };
  } catch (e) {
    if (e instanceof Bad) return e.message;
    throw e;
  }
}
