/** `suld`, `sust`, `sured` through handles; where an access goes is the definition in `texture/surface.ts`. */
import type { Operand } from "../../../ptx/index.js";
import { channelBytes, type TextureShape } from "../../texture/object.js";
import type { Stored } from "../../texture/record.js";
import { type Outside, surfacePlace } from "../../texture/surface.js";
import { writeTexel } from "../../texture/texel.js";
import type { Build, Read, Site } from "../code.js";
import { load, locate, put, store } from "../memory.js";
import type { Thread } from "../state.js";
import { Faulted, integerOf, type Type, typeNamed, type Value } from "../types.js";
import { B32, objectAt, objectOf } from "./texture.js";

interface Geometry {
  readonly shapes: readonly TextureShape[];
  /** Coordinates as the surface has them, by their place in PTX. */
  readonly order: readonly number[];
}

const geometries: Readonly<Record<string, Geometry>> = {
  "1d": { shapes: ["1d"], order: [0] },
  "2d": { shapes: ["2d"], order: [0, 1] },
  "3d": { shapes: ["3d"], order: [0, 1, 2] },
  a1d: { shapes: ["1d-layered"], order: [1, 0] },
  a2d: { shapes: ["2d-layered", "cube", "cube-layered"], order: [1, 2, 0] },
};

interface Access {
  readonly outside: Outside;
  /** The surface, and the address of so many bytes; null: none is touched. */
  readonly find: (t: Thread, bytes: number | null) => { readonly surface: Stored; readonly address: number | null };
}

const texelBytes = (s: Stored): number => channelBytes(s.type) * s.channels;

/** Takes geometry and clamping; `raw`: x counts bytes. */
function access(s: Site, o: Operand, raw: boolean): Access {
  const g = geometries[s.words.need(...Object.keys(geometries))]!;
  const outside = s.words.need("trap", "clamp", "zero");
  const { handle, coordinates } = objectOf(s, o);
  if (coordinates.length < g.order.length) s.refuse("too few coordinates");
  const reads = g.order.map((k) => s.read(coordinates[k]!, B32));
  const find: Access["find"] = (t, bytes) => {
    const surface = objectAt(t, handle(t));
    if (surface.kind !== "surface" || !g.shapes.includes(surface.shape))
      throw new Faulted(
        "illegal-instruction",
        `the instruction names ${g.shapes[0]}, there is a ${surface.kind} of ${surface.shape}`,
      );
    const at = reads.map((r) => Number(r(t)) | 0);
    const size = bytes ?? texelBytes(surface);
    const place = surfacePlace(surface, at, raw, size, outside);
    if (place === "outside")
      throw new Faulted("out-of-bounds", `surface coordinates [${at.join(", ")}] are outside of it`);
    if (place === "misaligned")
      throw new Faulted("misaligned", `surface coordinates [${at.join(", ")}] are not a multiple of ${size} bytes`);
    return { surface, address: place === "skipped" ? null : place };
  };
  return { outside, find };
}

interface Elements {
  readonly list: readonly Operand[];
  readonly type: Type;
  readonly bytes: number;
}

/** The elements of the data, and their type. */
function elements(s: Site, o: Operand, types: readonly string[]): Elements {
  const count = Number((s.words.oneOf("v2", "v4") ?? "v1")[1]);
  const type = typeNamed(s.words.need(...types))!;
  const list = o.kind === "vector" ? o.elements : [o];
  if (list.length !== count) s.refuse(`${list.length} elements`);
  return { list, type, bytes: type.bits / 8 };
}

const CACHES = /^(?:ca|cg|cs|cv|wb|wt)$/;

const suld: Build = (s) => {
  s.words.need("b");
  s.words.drop(CACHES);
  const { list, type, bytes } = elements(s, s.operand(0), ["b8", "b16", "b32", "b64"]);
  const a = access(s, s.operand(1), true);
  s.words.done();
  const writes = list.map((o) => s.write(o, type));
  return (t) => {
    const { address } = a.find(t, bytes * writes.length);
    const values = writes.map((_, k) =>
      address === null ? 0n : load(t, "global", BigInt(address + k * bytes), bytes),
    );
    writes.forEach((write, k) => {
      write(t, values[k]!);
    });
  };
};

const sust: Build = (s) => {
  const raw = s.words.need("b", "p") === "b";
  s.words.drop(CACHES);
  const { list, type, bytes } = elements(
    s,
    s.operand(1),
    raw ? ["b8", "b16", "b32", "b64"] : ["b32", "u32", "s32", "f32"],
  );
  const a = access(s, s.operand(0), raw);
  s.words.done();
  const reads = list.map((o) => s.read(o, type));
  return (t) => {
    const { surface, address } = a.find(t, raw ? bytes * reads.length : null);
    const values = reads.map((r) => r(t));
    if (address === null) return;
    if (raw)
      values.forEach((v, k) => {
        store(t, "global", BigInt(address + k * bytes), bytes, v);
      });
    else
      writeTexel(surface, address, values.map(Number), (at, size, v) => {
        locate(t, "global", BigInt(at), size);
        put(size, BigInt(v >>> 0));
      });
  };
};

function least(a: Value, b: Value): Value {
  if (a < b) return a;
  return b;
}

const operations: Readonly<Record<string, (a: Value, b: Value) => Value>> = {
  add: (a, b) => a + b,
  min: least,
  max: (a, b) => (least(a, b) === a ? b : a),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
};

const sured: Build = (s) => {
  const raw = s.words.need("b", "p") === "b";
  const operation = operations[s.words.need(...Object.keys(operations))]!;
  const type = typeNamed(s.words.need(...(raw ? ["u32", "s32", "b32", "u64", "s64"] : ["b32"])))!;
  const a = access(s, s.operand(0), raw);
  s.words.done();
  const read: Read = s.read(s.operand(1), type);
  const bytes = type.bits / 8;
  return (t) => {
    const { surface, address } = a.find(t, bytes);
    if (address === null) return;
    const own = raw ? type : typeNamed(surface.type.startsWith("s") ? "s32" : "u32")!;
    const old = load(t, "global", BigInt(address), bytes);
    const value = operation(integerOf(old, own), integerOf(read(t), own));
    store(t, "global", BigInt(address), bytes, BigInt.asUintN(type.bits, value));
  };
};

export const surfaces: Readonly<Record<string, Build>> = { suld, sust, sured };
