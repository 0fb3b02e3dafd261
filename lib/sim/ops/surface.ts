/**
 * SULD, SUST, SURED, SUATOM: texels of surfaces at integer coordinates in a (x, y, z, then the layer). .D moves bytes, .P goes through the format, .BA
 * counts x in bytes. Lanes act one after another in ascending order.
 */
import type { Combine } from "../async/transfer.js";
import type { Makers, Site } from "../site.js";
import { type Exec, LANES, Step, type Warp } from "../state.js";
import { type HandleOf, LaneMemory, namedHandle, objectAt } from "../texture/lane.js";
import { channelBytes, shapes, type TextureShape } from "../texture/object.js";
import type { Stored } from "../texture/record.js";
import { type Outside, surfacePlace } from "../texture/surface.js";
import { readTexel, writeTexel } from "../texture/texel.js";
import { combineOf } from "./atomic.js";

interface Geometry {
  readonly name: string;
  readonly words: number;
  readonly shapes: readonly TextureShape[];
}

/** Cubes are written as layered surfaces whose layers are faces. */
const geometries: Readonly<Record<string, Geometry>> = {
  "1D": { name: "1D", words: 1, shapes: ["1d"] },
  "1D_ARRAY": { name: "1D_ARRAY", words: 2, shapes: ["1d-layered"] },
  "2D": { name: "2D", words: 2, shapes: ["2d"] },
  "2D_ARRAY": { name: "2D_ARRAY", words: 3, shapes: ["2d-layered", "cube", "cube-layered"] },
  "3D": { name: "3D", words: 3, shapes: ["3d"] },
};

interface Access {
  readonly geometry: Geometry;
  readonly handle: HandleOf;
  /** Rows of the coordinates. */
  readonly rows: readonly number[];
  readonly inBytes: boolean;
  readonly outside: Outside;
}

function accessOf(s: Site): Access {
  const geometry = s.choose<Geometry | null>(geometries, null) ?? s.unsupported("geometry");
  const outside = s.choose<Outside>({ IGN: "zero", TRAP: "trap" }, "clamp");
  const a = s.operand("a");
  const own = s.find("handle");
  const named = namedHandle(s);
  const row = named === null && own !== null ? s.row(own) : null;
  if (named === null && (own === null || own.id < 0)) s.unsupported("no handle");
  return {
    geometry,
    handle: named ?? ((w, l) => w.I[row! + l]! >>> 0),
    rows: Array.from({ length: geometry.words }, (_, k) => s.row(a, k)),
    inBytes: s.has("BA"),
    outside,
  };
}

const memory: LaneMemory = new LaneMemory();

/** The address of a lane's access; −1: none, and nothing is wrong; null: a fault is noted. */
function addressOf(w: Warp, l: number, c: Access, surface: Stored, bytes: number): number | null {
  const at = c.rows.map((row) => w.I[row + l]!);
  const place = surfacePlace(surface, at, c.inBytes, bytes, c.outside);
  if (typeof place === "number") return place;
  if (place === "skipped") return -1;
  const where = `[${at.join(", ")}] of a surface of ${surface.size.slice(0, shapes[surface.shape].dimensions).join(" × ")}`;
  if (place === "outside") w.fault("out-of-bounds", 1 << l, `surface coordinates ${where} are outside of it`);
  else w.fault("misaligned", 1 << l, `surface coordinates ${where} are not a multiple of ${bytes} bytes`);
  return null;
}

function surfaceAt(w: Warp, l: number, c: Access): Stored | null {
  const surface = objectAt(w, c.handle(w, l), l, "surface");
  if (surface === null || c.geometry.shapes.includes(surface.shape)) return surface;
  w.fault("illegal-instruction", 1 << l, `the surface is ${surface.shape}, the instruction names ${c.geometry.name}`);
  return null;
}

/** Runs `body` where each lane's access goes: −1 where it goes nowhere. */
function eachLane(
  c: Access,
  bytesOf: (surface: Stored) => number,
  body: (w: Warp, lane: number, surface: Stored, address: number) => void,
): Exec {
  return (w, m) => {
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      const surface = surfaceAt(w, l, c);
      const address = surface === null ? null : addressOf(w, l, c, surface, bytesOf(surface));
      if (address === null) return Step.Fault;
      memory.of(w, l);
      body(w, l, surface!, address);
      if (memory.failed) return Step.Fault;
    }
    return Step.Next;
  };
}

interface Size {
  readonly bytes: number;
  readonly signed: boolean;
}

const sizes: Readonly<Record<string, Size>> = {
  U8: { bytes: 1, signed: false },
  S8: { bytes: 1, signed: true },
  U16: { bytes: 2, signed: false },
  S16: { bytes: 2, signed: true },
  "64": { bytes: 8, signed: false },
  "128": { bytes: 16, signed: false },
};
const WORD: Size = { bytes: 4, signed: false };
const channels: Readonly<Record<string, number>> = { R: 1, RG: 2 };

const texelBytes = (s: Stored): number => channelBytes(s.type) * s.channels;

const texel: Uint32Array = new Uint32Array(4);

/** .P; else .D, bytes. */
function formatted(s: Site): boolean {
  s.has("D");
  return s.has("P");
}

function load(s: Site): Exec {
  const c = accessOf(s);
  if ((s.pred("p") & 7) !== 7) s.unsupported("a predicate result");
  const d = s.operand("d");
  if (formatted(s)) {
    const n = s.choose(channels, 4);
    const rows = Array.from({ length: n }, (_, k) => s.dstRow(d, k));
    return eachLane(c, texelBytes, (w, l, surface, address) => {
      if (address < 0) texel.fill(0);
      else readTexel(surface, address, memory.read, texel);
      for (let k = 0; k < n; k++) w.I[rows[k]! + l] = texel[k]!;
    });
  }
  const { bytes, signed } = s.choose(sizes, WORD);
  const rows = [0, 1, 2, 3].map((k) => s.dstRow(d, k));
  return eachLane(
    c,
    () => bytes,
    (w, l, _, address) => {
      for (let k = 0; k < Math.max(1, bytes / 4); k++) {
        const value = address < 0 ? 0 : memory.read(address + 4 * k, Math.min(4, bytes));
        const shift = signed ? 32 - 8 * bytes : 0;
        w.I[rows[k]! + l] = (value << shift) >> shift;
      }
    },
  );
}

function store(s: Site): Exec {
  const c = accessOf(s);
  const data = s.operand("data");
  if (formatted(s)) {
    const n = s.choose(channels, 4);
    const rows = Array.from({ length: n }, (_, k) => s.row(data, k));
    return eachLane(c, texelBytes, (w, l, surface, address) => {
      if (address < 0) return;
      const words = rows.map((row) => w.I[row + l]!);
      writeTexel(surface, address, words, memory.write);
    });
  }
  const { bytes } = s.choose(sizes, WORD);
  const rows = [0, 1, 2, 3].map((k) => s.row(data, k));
  return eachLane(
    c,
    () => bytes,
    (w, l, _, address) => {
      if (address < 0) return;
      for (let k = 0; k < Math.max(1, bytes / 4); k++)
        memory.write(address + 4 * k, Math.min(4, bytes), w.I[rows[k]! + l]!);
    },
  );
}

/** Least and greatest of numbers that have a sign where the surface's have one (.SD32). */
function byFormat(s: Site): (surface: Stored) => Combine {
  const least = s.has("MIN");
  if (!least && !s.has("MAX")) s.unsupported("this reduction of the format's numbers");
  const combine =
    (signed: boolean): Combine =>
    (to, operand) => {
      const [a, b] = [to, operand].map((x) => new DataView(x.buffer, x.byteOffset, 4)) as [DataView, DataView];
      const [x, y] = signed ? [a.getInt32(0, true), b.getInt32(0, true)] : [a.getUint32(0, true), b.getUint32(0, true)];
      a.setInt32(0, least ? Math.min(x, y) : Math.max(x, y), true);
    };
  const [plain, signed] = [combine(false), combine(true)];
  return (surface) => (surface.type.startsWith("s") ? signed : plain);
}

/** SURED and SUATOM: what is there and the data, combined; SUATOM gives what was there. */
function reduce(s: Site): Exec {
  s.has("D");
  const c = accessOf(s);
  const d = s.inst.form.op === "SUATOM" ? s.operand("d") : null;
  if (d !== null && (s.pred("p") & 7) !== 7) s.unsupported("a predicate result");
  const words = ["U64", "S64"].some((m) => s.inst.form.mods.includes(m)) ? 2 : 1;
  let combine: (surface: Stored) => Combine;
  if (s.has("SD32")) combine = byFormat(s);
  else {
    const plain = combineOf(s);
    combine = () => plain;
  }
  const data = s.operand("data");
  const rows = Array.from({ length: words }, (_, k) => s.row(data, k));
  const results = Array.from({ length: words }, (_, k) => s.dstRow(d, k));
  const [old, operand] = [new Int32Array(words), new Int32Array(words)];
  const [oldBytes, operandBytes] = [old, operand].map((x) => new Uint8Array(x.buffer)) as [Uint8Array, Uint8Array];
  return eachLane(
    c,
    () => 4 * words,
    (w, l, surface, address) => {
      for (let k = 0; k < words; k++) {
        old[k] = address < 0 ? 0 : memory.read(address + 4 * k, 4);
        operand[k] = w.I[rows[k]! + l]!;
        w.I[results[k]! + l] = old[k]!;
      }
      if (address < 0) return;
      combine(surface)(oldBytes, operandBytes);
      for (let k = 0; k < words; k++) memory.write(address + 4 * k, 4, old[k]!);
    },
  );
}

export const surface: Makers = {
  SULD: load,
  SUST: store,
  SUATOM: reduce,
  SURED: reduce,
};
