/**
 * `tex`, `tld4`, `txq`, `suq` through handles. What the unit computes is the definition in `texture/sample.ts`, which the simulator of machine code uses,
 * too (an independent reference in the tests judges both); which operand means what is read from the tree here.
 */
import type { Operand } from "../../../ptx/index.js";
import { F16, shortBits } from "../../number/half.js";
import { Rounding } from "../../number/rounding.js";
import { shapes, sizeAt, type TextureShape } from "../../texture/object.js";
import { SAMPLER_SHIFT, type Sampled, type Stored, SURFACE_PART } from "../../texture/record.js";
import { fetchTexel, gather, lodOf, sample } from "../../texture/sample.js";
import { floatOf } from "../../texture/texel.js";
import type { Build, Read, Site, Step, Write } from "../code.js";
import { load, locate, take } from "../memory.js";
import type { Thread } from "../state.js";
import { Faulted, type Type, typeNamed } from "../types.js";

export const B32: Type = typeNamed("b32")!;
const B16: Type = typeNamed("b16")!;
const PRED: Type = typeNamed("pred")!;

const NUMBER = 0xffffffffn;

interface Geometry {
  readonly shape: TextureShape;
  /** Coordinates within the layer. */
  readonly within: number;
  readonly array: boolean;
  readonly samples: boolean;
}

const geometries: Readonly<Record<string, Geometry>> = {
  "1d": { shape: "1d", within: 1, array: false, samples: false },
  "2d": { shape: "2d", within: 2, array: false, samples: false },
  "3d": { shape: "3d", within: 3, array: false, samples: false },
  a1d: { shape: "1d-layered", within: 1, array: true, samples: false },
  a2d: { shape: "2d-layered", within: 2, array: true, samples: false },
  cube: { shape: "cube", within: 3, array: false, samples: false },
  acube: { shape: "cube-layered", within: 3, array: true, samples: false },
  "2dms": { shape: "2d", within: 2, array: false, samples: true },
  a2dms: { shape: "2d-layered", within: 2, array: true, samples: true },
};

/** Memory of the device, as a texture reads it. */
export function readMemory(t: Thread): (address: number, bytes: number) => number {
  return (address, bytes) => {
    locate(t, "global", BigInt(address), bytes);
    return Number(take(bytes));
  };
}

/** `[handle, coordinates]`, `[texture, sampler, coordinates]` or `[handle]`; a sampler's number comes to stand above that of the texture. */
export function objectOf(s: Site, o: Operand): { readonly handle: Read; readonly coordinates: readonly Operand[] } {
  if (o.kind !== "address" || o.base === null || o.rest.length > 2) return s.refuse("this operand");
  const own = o.rest.length === 2 ? o.rest[0] : undefined;
  const where = o.rest.at(-1);
  const texture = s.address({ ...o, rest: [] });
  const sampler = own === undefined ? null : s.read(own, typeNamed("b64")!);
  const handle: Read =
    sampler === null ? texture : (t) => texture(t) | ((sampler(t) & NUMBER) << BigInt(SAMPLER_SHIFT));
  return { handle, coordinates: where === undefined ? [] : where.kind === "vector" ? where.elements : [where] };
}

export function objectAt(t: Thread, handle: bigint): Sampled | Stored {
  const found = t.cta.launch.objects.find(Number(handle & 0xffffffffn));
  if (found !== null) return found;
  throw new Faulted("illegal-instruction", `there is no texture or surface of the handle 0x${handle.toString(16)}`);
}

function textureAt(t: Thread, handle: bigint, g: Geometry): Sampled {
  const found = objectAt(t, handle);
  const fits = found.shape === g.shape || (g.shape === "1d" && found.shape === "linear");
  if (found.kind === "texture" && fits) return found;
  throw new Faulted(
    "illegal-instruction",
    `the instruction reads a texture of shape ${g.shape}, there is a ${found.kind} of ${found.shape}`,
  );
}

const number = (v: bigint): number => Number(v) | 0;
const real = (v: bigint): number => floatOf(Number(v));
const words: Uint32Array = new Uint32Array(4);

/** Where the four words go: as they are, or as halves. */
function results(s: Site, o: Operand): (t: Thread) => void {
  const size = s.words.need("v4", "v2") === "v4" ? 4 : 2;
  const type = s.words.need("f32", "s32", "u32", "f16", "f16x2");
  const [value, flag] = o.kind === "pair" ? [o.first, o.second] : [o, null];
  if (value.kind !== "vector" || value.elements.length !== size || (size === 2) !== (type === "f16x2"))
    return s.refuse("these results");
  const writes = value.elements.map((e) => s.write(e, type === "f16" ? B16 : B32));
  const resident: Write | null = flag === null ? null : s.write(flag, PRED);
  const half = (k: number): number => shortBits(floatOf(words[k]!), 0, F16, Rounding.RN);
  const value32: (k: number) => number =
    type === "f16" ? half : type === "f16x2" ? (k) => (half(2 * k) | (half(2 * k + 1) << 16)) >>> 0 : (k) => words[k]!;
  return (t) => {
    const out = writes.map((_, k) => BigInt(value32(k)));
    writes.forEach((write, k) => {
      write(t, out[k]!);
    });
    resident?.(t, 1n);
  };
}

/** The elements of a vector, or the one operand. */
const parts = (o: Operand): readonly Operand[] => (o.kind === "vector" ? o.elements : [o]);

interface Place {
  readonly handle: Read;
  readonly sample: Read | null;
  readonly layer: Read | null;
  readonly rest: readonly Read[];
}

function place(s: Site, g: Geometry): Place {
  const { handle, coordinates } = objectOf(s, s.operand(1));
  const reads = coordinates.map((o) => s.read(o, B32));
  const used = g.within + (g.array ? 1 : 0) + (g.samples ? 1 : 0);
  if (reads.length < used) s.refuse("too few coordinates");
  const sampleNumber = g.samples ? reads.shift()! : null;
  const layer = g.array ? reads.shift()! : null;
  return { handle, sample: sampleNumber, layer, rest: reads.slice(0, g.within) };
}

const LAST_LAYER = 0xffff;
const layerOf = (p: Place, t: Thread): number => (p.layer === null ? 0 : Math.min(LAST_LAYER, Number(p.layer(t))));

/** Offsets in braces, then a value to compare with. */
function last(
  s: Site,
  list: readonly Operand[],
): { readonly shift: readonly Read[] | null; readonly reference: Read | null } {
  const rest = [...list];
  const braces = rest[0]?.kind === "vector" ? rest.shift() : undefined;
  const [reference] = rest;
  if (rest.length > 1) s.refuse("these operands");
  return {
    shift: braces === undefined ? null : parts(braces).map((e) => s.read(e, B32)),
    reference: reference === undefined ? null : s.read(reference, B32),
  };
}

const fourBits = (v: bigint): number => (Number(v) << 28) >> 28;
const sixBits = (v: bigint): number => (Number(v) << 26) >> 26;

const tex: Build = (s) => {
  const mode = s.words.oneOf("base", "level", "grad");
  const g = geometries[s.words.need(...Object.keys(geometries))]!;
  const operands = s.ins.operands;
  const deliver = results(s, s.operand(0));
  const float = s.words.need("f32", "s32") === "f32";
  s.words.done();
  const p = place(s, g);
  const level = mode === "level" ? s.read(s.operand(2), B32) : null;
  const gradients = mode === "grad" ? [2, 3].map((i) => parts(s.operand(i)).map((o) => s.read(o, B32))) : null;
  const more = last(s, operands.slice(level ? 3 : gradients ? 4 : 2));
  return (t) => {
    const texture = textureAt(t, p.handle(t), g);
    const offsets = more.shift?.map((r) => fourBits(r(t))) ?? null;
    const read = readMemory(t);
    if (float) {
      const lod =
        gradients !== null
          ? lodOf(texture, ...(gradients.map((d) => d.map((r) => real(r(t)))) as [number[], number[]]))
          : level === null
            ? 0
            : real(level(t));
      const reference = more.reference === null ? null : real(more.reference(t));
      sample(
        texture,
        { at: p.rest.map((r) => real(r(t))), offsets, layer: layerOf(p, t), level: lod, reference },
        read,
        words,
      );
    } else {
      const at = p.rest.map((r, k) => number(r(t)) + (offsets?.[k] ?? 0));
      const sampleNumber = p.sample === null ? 0 : Number(p.sample(t));
      fetchTexel(texture, at, layerOf(p, t), level === null ? 0 : number(level(t)), sampleNumber, read, words);
    }
    deliver(t);
  };
};

const tld4: Build = (s) => {
  const component = ["r", "g", "b", "a"].indexOf(s.words.need("r", "g", "b", "a"));
  const g = geometries[s.words.need("2d", "a2d", "cube", "acube")]!;
  const deliver = results(s, s.operand(0));
  s.words.need("f32");
  s.words.done();
  const p = place(s, g);
  const more = last(s, s.ins.operands.slice(2));
  return (t) => {
    const texture = textureAt(t, p.handle(t), g);
    const offsets = more.shift?.map((r) => sixBits(r(t))) ?? null;
    const reference = more.reference === null ? null : real(more.reference(t));
    const where = { at: p.rest.map((r) => real(r(t))), offsets, layer: layerOf(p, t), level: 0, reference };
    gather(texture, where, component, readMemory(t), words);
    deliver(t);
  };
};

/** What a record of the driver says (texture/record.ts): bytes before it. */
const recorded: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  txq: {
    force_unnormalized_coords: 0,
    addr_mode_0: 12,
    addr_mode_1: 16,
    addr_mode_2: 20,
    filter_mode: 24,
    normalized_coords: 28,
    channel_data_type: 32,
    channel_order: 36,
    array_size: 40,
    num_mipmap_levels: 44,
    num_samples: 48,
  },
  suq: { channel_data_type: 12, channel_order: 16, memory_layout: 20, array_size: 28 },
};

function property(s: Site, at: number): Step {
  s.words.need("b32");
  s.words.done();
  const { handle } = objectOf(s, s.operand(1));
  const write = s.write(s.operand(0), B32);
  return (t) => {
    const address = t.cta.launch.objects.address(Number(handle(t) & 0xffffffffn)) + at;
    write(t, load(t, "global", BigInt(address), 4));
  };
}

const query: Build = (s) => {
  const places = recorded[s.ins.opcode]!;
  const place = s.words.oneOf(...Object.keys(places));
  if (place !== null) return property(s, places[place]! + (s.ins.opcode === "suq" ? SURFACE_PART : 0));
  const withLevel = s.words.take("level");
  const k = ["width", "height", "depth"].indexOf(s.words.need("width", "height", "depth"));
  s.words.need("b32");
  s.words.done();
  const { handle } = objectOf(s, s.operand(1));
  const level = withLevel ? s.read(s.operand(2), B32) : null;
  const write = s.write(s.operand(0), B32);
  return (t) => {
    const o = objectAt(t, handle(t));
    const l = level === null ? 0 : Math.max(0, number(level(t)));
    write(t, BigInt(k === 2 && shapes[o.shape].layered ? o.layers : sizeAt(o.size[k]!, l)));
  };
};

const kinds: Readonly<Record<string, bigint>> = { texref: 29n, samplerref: 30n, surfref: 31n };

const istypep: Build = (s) => {
  const bit = 32n + kinds[s.words.need("texref", "samplerref", "surfref")]!;
  s.words.done();
  const write = s.write(s.operand(0), PRED);
  const read = s.read(s.operand(1), typeNamed("b64")!);
  return (t) => write(t, (read(t) >> bit) & 1n);
};

export const textures: Readonly<Record<string, Build>> = { tex, tld4, txq: query, suq: query, istypep };
