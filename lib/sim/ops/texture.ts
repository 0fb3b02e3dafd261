/**
 * TEX, TLD, TLD4, TXD, TXQ: textures through their objects. Where words stand is ptxas's (lib/lower/graphics/words.ts has it, and its test): layer and
 * coordinates in a; in b level, sample, offsets, comparison; a handle in a register is the first of b (of TXD and TXQ: of a); .SCR halves all
 * words between a and b. Results that the mask names are packed: two into d, the others into d2. The predicate is false: all texels are resident.
 */

import { F16, shortBits } from "../number/half.js";
import { Rounding } from "../number/rounding.js";
import type { Makers, Site } from "../site.js";
import { type Exec, LANES, Step, type Warp } from "../state.js";
import { type HandleOf, LaneMemory, namedHandle, objectAt } from "../texture/lane.js";
import { shapes, sizeAt, type TextureShape } from "../texture/object.js";
import type { Sampled } from "../texture/record.js";
import { fetchTexel, gather, lodOf, type Sample, sample } from "../texture/sample.js";
import { floatOf } from "../texture/texel.js";

interface Dimension {
  readonly name: string;
  /** Coordinates within a layer. */
  readonly within: number;
  readonly array: boolean;
  readonly shapes: readonly TextureShape[];
}

/** By the number in the instruction. 1D textures are read as 2D ones, y is 0. */
const dimensions: readonly (Dimension | null)[] = [
  { name: "1D", within: 1, array: false, shapes: ["1d", "linear"] },
  { name: "2D", within: 2, array: false, shapes: ["2d", "1d"] },
  { name: "3D", within: 3, array: false, shapes: ["3d"] },
  { name: "CUBE", within: 3, array: false, shapes: ["cube"] },
  { name: "ARRAY_1D", within: 1, array: true, shapes: ["1d-layered"] },
  { name: "ARRAY_2D", within: 2, array: true, shapes: ["2d-layered"] },
  null,
  { name: "ARRAY_CUBE", within: 3, array: true, shapes: ["cube-layered"] },
];

/** Rows of the words of an instruction, by what they mean. */
interface Words {
  readonly dimension: Dimension;
  readonly handle: HandleOf;
  readonly layer: number | null;
  readonly coordinates: readonly number[];
  readonly level: number | null;
  readonly sample: number | null;
  readonly offsets: number | null;
  readonly reference: number | null;
}

const rowHandle =
  (row: number): HandleOf =>
  (w, l) =>
    w.I[row + l]! >>> 0;

function dimensionOf(s: Site): Dimension {
  return dimensions[s.imm("dim")] ?? s.unsupported("dimension");
}

/** Modifiers that say which words there are, then the words in their order. */
function wordsOf(s: Site): Words {
  const dimension = dimensionOf(s);
  const [scattered, level, samples, offsets, compares] = ["SCR", "LL", "MS", "AOFFI", "DC"].map((m) => s.has(m));
  for (const m of ["LZ", "NODEP", "B"]) s.has(m);
  const named = namedHandle(s);
  const count = dimension.within + (dimension.array ? 1 : 0);
  const after = [named === null, level, samples, offsets, compares].filter((x) => x).length;
  const [a, b] = [s.operand("a"), s.operand("b")];
  const half = scattered ? Math.ceil((count + after) / 2) : count;
  const rows = Array.from({ length: count + after }, (_, k) => (k < half ? s.row(a, k) : s.row(b, k - half)));
  const take = (there: boolean | undefined): number | null => (there ? rows.shift()! : null);
  const layer = take(dimension.array);
  const coordinates = rows.splice(0, dimension.within);
  const handle = take(named === null);
  return {
    dimension,
    handle: named ?? rowHandle(handle!),
    layer,
    coordinates,
    level: take(level),
    sample: take(samples),
    offsets: take(offsets),
    reference: take(compares),
  };
}

/** Puts the words that the mask names where they belong. */
function delivery(s: Site): (w: Warp, lane: number, words: Uint32Array) => void {
  const mask = s.imm("mask", 15);
  const halves = s.has("F16");
  if (halves && s.choose<Rounding>(Rounding, Rounding.RN) !== Rounding.RN) s.unsupported("rounding");
  const chosen = [0, 1, 2, 3].filter((k) => (mask >>> k) & 1);
  const [d, d2] = [s.operand("d"), s.operand("d2")];
  if (!halves) {
    const rows = chosen.map((_, i) => (i < 2 ? s.dstRow(d, i) : s.dstRow(d2, i - 2)));
    return (w, l, words) => {
      for (let i = 0; i < rows.length; i++) w.I[rows[i]! + l] = words[chosen[i]!]!;
    };
  }
  const half = (word: number): number => shortBits(floatOf(word), 0, F16, Rounding.RN);
  const rows = [s.dstRow(d), s.dstRow(d2)];
  return (w, l, words) => {
    for (let i = 0; i < chosen.length; i += 2) {
      const upper = i + 1 < chosen.length ? half(words[chosen[i + 1]!]!) : 0;
      w.I[rows[i >> 1]! + l] = half(words[chosen[i]!]!) | (upper << 16);
    }
  };
}

/** Signed fields of so many bits, `step` apart. */
function fields(word: number, count: number, bits: number, step: number): number[] {
  return Array.from({ length: count }, (_, k) => (word << (32 - bits - step * k)) >> (32 - bits));
}

const memory: LaneMemory = new LaneMemory();
const words: Uint32Array = new Uint32Array(4);

function textureAt(w: Warp, handle: number, lane: number, dimension: Dimension): Sampled | null {
  const t = objectAt(w, handle, lane, "texture");
  if (t === null || dimension.shapes.includes(t.shape)) return t;
  w.fault("illegal-instruction", 1 << lane, `the texture is ${t.shape}, the instruction reads ${dimension.name}`);
  return null;
}

/** Runs `body` for each lane, which fills `words`. */
function eachLane(
  s: Site,
  handle: HandleOf,
  dimension: Dimension,
  body: (w: Warp, lane: number, t: Sampled) => void,
): Exec {
  const deliver = delivery(s);
  const missing = s.pred("p");
  return (w, m) => {
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      const t = textureAt(w, handle(w, l), l, dimension);
      if (t === null) return Step.Fault;
      memory.of(w, l);
      body(w, l, t);
      if (memory.failed) return Step.Fault;
      deliver(w, l, words);
    }
    if (missing !== 7) w.P[missing] = w.P[missing]! & ~m;
    return Step.Next;
  };
}

const float = (w: Warp, row: number | null, lane: number): number => (row === null ? 0 : w.F[row + lane]!);
const integer = (w: Warp, row: number | null, lane: number): number => (row === null ? 0 : w.I[row + lane]!);

function placeOf(c: Words, step: 4 | 8): (w: Warp, lane: number) => Sample {
  const bits = step === 4 ? 4 : 6;
  return (w, l) => ({
    at: c.coordinates.map((row) => w.F[row + l]!),
    offsets: c.offsets === null ? null : fields(w.I[c.offsets + l]!, c.dimension.within, bits, step),
    layer: integer(w, c.layer, l) & 0xffff,
    level: float(w, c.level, l),
    reference: c.reference === null ? null : w.F[c.reference + l]!,
  });
}

/** Floats for coordinates; without a level it is the least one, and 0 where .LZ says so (ptxas gives −32 before sm_120). */
function tex(s: Site): Exec {
  if (s.inst.form.mods.includes("LZ") && s.inst.form.mods.includes("LL")) s.unsupported("levels");
  const c = wordsOf(s);
  const place = placeOf(c, 4);
  return eachLane(s, c.handle, c.dimension, (w, l, t) => sample(t, place(w, l), memory.read, words));
}

/** Four texels. The component is the first of the modifiers R, G, B, A; .B after it says that the handle is in a register. */
function tld4(s: Site): Exec {
  const component = ["R", "G", "B", "A"].indexOf(s.inst.form.mods.find((m) => /^[RGBA]$/.test(m)) ?? "");
  for (const m of "RGA") s.has(m);
  const c = wordsOf(s);
  const place = placeOf(c, 8);
  return eachLane(s, c.handle, c.dimension, (w, l, t) => gather(t, place(w, l), component, memory.read, words));
}

/** Integers for coordinates; .CL: levels beyond the last are the last (they always are, here). */
function tld(s: Site): Exec {
  s.has("CL");
  const c = wordsOf(s);
  return eachLane(s, c.handle, c.dimension, (w, l, t) => {
    const shift = c.offsets === null ? null : fields(w.I[c.offsets + l]!, c.dimension.within, 4, 4);
    const at = c.coordinates.map((row, k) => w.I[row + l]! + (shift?.[k] ?? 0));
    const layer = integer(w, c.layer, l) & 0xffff;
    fetchTexel(t, at, layer, integer(w, c.level, l), integer(w, c.sample, l), memory.read, words);
  });
}

/** Derivatives of each coordinate beside each other; offsets above the layer. */
function txd(s: Site): Exec {
  const dimension = dimensionOf(s);
  const shifted = s.has("AOFFI");
  for (const m of ["NODEP", "B"]) s.has(m);
  const named = namedHandle(s);
  const [a, b] = [s.operand("a"), s.operand("b")];
  const first = named === null ? 1 : 0;
  const coordinates = Array.from({ length: dimension.within }, (_, k) => s.row(a, first + k));
  const above = dimension.array || shifted ? s.row(a, first + dimension.within) : null;
  const handle = named ?? rowHandle(s.row(a));
  const derivatives = coordinates.map((_, k) => [s.row(b, 2 * k), s.row(b, 2 * k + 1)] as const);
  return eachLane(s, handle, dimension, (w, l, t) => {
    const more = integer(w, above, l);
    const level = lodOf(
      t,
      derivatives.map(([x]) => w.F[x + l]!),
      derivatives.map(([, y]) => w.F[y + l]!),
    );
    const place: Sample = {
      at: coordinates.map((row) => w.F[row + l]!),
      offsets: shifted ? fields(more >>> 16, dimension.within, 4, 4) : null,
      layer: dimension.array ? more & 0xffff : 0,
      level,
      reference: null,
    };
    sample(t, place, memory.read, words);
  });
}

/** Width, height, depth (layers of arrays; 1 where there is none) and levels of textures and surfaces. */
function txq(s: Site): Exec {
  if (s.imm("what") !== 0) s.unsupported("this query");
  s.has("NODEP");
  s.has("B");
  const named = namedHandle(s);
  const a = s.operand("a");
  const handle = named ?? rowHandle(s.row(a));
  const level = s.row(a, named === null ? 1 : 0);
  const deliver = delivery(s);
  return (w, m) => {
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      const t = objectAt(w, handle(w, l), l, "any");
      if (t === null) return Step.Fault;
      const at = Math.max(0, w.I[level + l]!);
      const depth = shapes[t.shape].layered ? t.layers : sizeAt(t.size[2], at);
      words.set([sizeAt(t.size[0], at), sizeAt(t.size[1], at), depth, t.levels]);
      deliver(w, l, words);
    }
    return Step.Next;
  };
}

export const texture: Makers = { TEX: tex, TLD: tld, TLD4: tld4, TXD: txd, TXQ: txq };
