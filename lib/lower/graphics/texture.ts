/**
 * `tex` and `tld4` through texture objects (bindless handles), as ptxas makes them (facts/ptx-to-sass, and its code of each form with operands
 * that can be told apart, on sm_75, 80, 86, 89, 90, 100, 120):
 *
 * - coordinates of floats: TEX. Kernels have no derivatives, so the level is the least one (−32, .LL) unless one is given; on sm_120 TEX alone does that;
 * - integers: TLD, of level 0 or the one that is given; samples (.MS) have a number after it;
 * - gradients: TXD, with the derivatives of each coordinate beside each other;
 * - 1D with floats is 2D with y = 0; the layer of an array stands first (after the coordinates in TXD) and ends at 0xffff; directions into a cube are
 *   scaled so that their longest component is 1;
 * - results are in two pairs; the predicate is the opposite of PTX's.
 *
 * How words are given to the instruction is in `words.ts`.
 */
import { abs, imm, not, notPT, part, RZ } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Instruction, Operand as PtxOperand } from "../../ptx/ast.js";
import type { Context } from "../context.js";
import { at, type Family, type Lowering } from "../family.js";
import { roundToHalves } from "../half.js";
import type { Modifiers } from "../modifiers.js";
import { elementOf } from "../move.js";
import { Refusal } from "../refusal.js";
import { PRED, type PtxType, typeNamed } from "../types.js";
import { callGradient } from "./gradient-routine.js";
import { B32, type Handle, object, read32 } from "./handle.js";
import { isUnread } from "./unread.js";
import { type Fetched, fetch, type Words } from "./words.js";

interface Geometry {
  /** Number of the dimension in the instruction, of floats and of integers. */
  readonly float: number | null;
  readonly integer: number | null;
  /** Coordinates that count, and those that PTX names. */
  readonly used: number;
  readonly named: readonly number[];
  readonly array: boolean;
  readonly cube: boolean;
  /** The first coordinate is the number of a sample. */
  readonly samples: boolean;
}

const plain = { array: false, cube: false, samples: false };
const layered = { ...plain, array: true };
const geometries: Readonly<Record<string, Geometry>> = {
  "1d": { float: 1, integer: 0, used: 1, named: [1], ...plain },
  "2d": { float: 1, integer: 1, used: 2, named: [2], ...plain },
  "3d": { float: 2, integer: 2, used: 3, named: [3, 4], ...plain },
  a1d: { float: 4, integer: 4, used: 2, named: [2], ...layered },
  a2d: { float: 5, integer: 5, used: 3, named: [3, 4], ...layered },
  cube: { float: 3, integer: null, used: 3, named: [3, 4], ...plain, cube: true },
  acube: { float: 7, integer: null, used: 4, named: [4], ...layered, cube: true },
  "2dms": { float: null, integer: 1, used: 3, named: [4], ...plain, samples: true },
  a2dms: { float: null, integer: 5, used: 4, named: [4], ...layered, samples: true },
};

/** Coordinates within a layer. */
const within = (g: Geometry): number => g.used - (g.array ? 1 : 0) - (g.samples ? 1 : 0);

/** A level below all: −32. */
const LEAST_LEVEL = 0xc2000000;
const LAST_LAYER = 0xffff;

function layer(c: Context, o: Operand): Operand {
  const beyond = c.predicate();
  c.emit("ISETP.GT.U32.AND", [beyond], [o, imm(LAST_LAYER)]);
  return c.op("SEL", [o, imm(LAST_LAYER), not(beyond)]);
}

/** A direction, scaled. */
function direction(c: Context, xyz: readonly Operand[]): Operand[] {
  const [x, y, z] = xyz as [Operand, Operand, Operand];
  const longest = c.target.has("fmnmx3")
    ? c.op("FMNMX3", [abs(x), abs(y), abs(z), notPT()])
    : c.op("FMNMX", [abs(z), c.op("FMNMX", [abs(x), abs(y), notPT()]), notPT()]);
  const scale = c.op("MUFU.RCP", [longest]);
  return xyz.map((v) => c.op("FMUL", [v, scale]));
}

interface Place {
  readonly layer: Operand | null;
  readonly sample: Operand | null;
  /** Coordinates within the layer. */
  readonly rest: readonly Operand[];
}

function place(c: Context, g: Geometry, isFloat: boolean, list: readonly PtxOperand[]): Place {
  if (!g.named.includes(list.length)) throw new Refusal();
  const words = list.slice(0, g.used).map((o) => c.materialize(read32(c, o)));
  const sample = g.samples ? (words.shift() as Operand) : null;
  const where = g.array ? layer(c, words.shift() as Operand) : null;
  const rest = g.cube ? direction(c, words) : words;
  return { layer: where, sample, rest: isFloat && rest.length === 1 && !g.array ? [...rest, RZ()] : rest };
}

// ------------------------------------------------------------------------------------------------ results

const HALVES = typeNamed("f16x2") as PtxType;
const HALF = typeNamed("f16") as PtxType;

/** Where results go: `{d…}` with a predicate after `|`, or without. */
interface Results {
  readonly to: readonly PtxOperand[];
  /** f32, s32, u32, or f16 for halves of either kind. */
  readonly name: string;
  readonly type: PtxType;
  readonly p: PtxOperand | null;
}

function results(m: Modifiers, o: PtxOperand, types: readonly string[]): Results {
  const count = m.need(["v4", "v2"]) === "v4" ? 4 : 2;
  const name = m.need(types);
  const type = name === "f16x2" ? HALVES : name === "f16" ? HALF : B32;
  const [value, p] = o.kind === "pair" ? [o.first, o.second] : [o, null];
  if (value.kind !== "vector" || value.elements.length !== count || (count === 2) !== (type === HALVES))
    throw new Refusal();
  return { to: value.elements, name: name === "f16x2" ? "f16" : name, type, p };
}

function rounded(c: Context, pair: Operand): Operand {
  const d = c.temp();
  roundToHalves(c, d, part(pair, 0), part(pair, 1));
  return d;
}

const ALL = 15;

/** Components that the kernel reads: ptxas has no others fetched (measured at -O0, 1 and 3). At least one. */
function maskOf(c: Context, r: Results): number {
  if (r.type !== B32) return ALL;
  const mask = r.to.reduce((m, e, k) => (e.kind === "name" && isUnread(c, e.name) ? m : m | (1 << k)), 0);
  return mask === 0 ? 1 : mask;
}

/** Puts what the instruction gave where PTX wants it. */
function deliver(c: Context, r: Results, mask: number, { d, d2, halves }: Fetched): void {
  const pairs = [d, d2];
  let values: readonly (Operand | null)[];
  if (r.type === B32) {
    let next = 0;
    values = r.to.map((_, k) => {
      if (((mask >> k) & 1) === 0) return null;
      const at = next++;
      return part(at < 2 ? d : d2, at % 2);
    });
  } else {
    const packed = halves ? pairs : pairs.map((x) => rounded(c, x));
    values = r.type === HALVES ? packed : packed.flatMap((x) => [0, 1].map((k) => elementOf(c, x, k, 16)));
  }
  r.to.forEach((e, k) => {
    const value = values[k];
    if (value !== null) c.move(c.inPlace(e, r.type), value as Operand);
  });
}

function emit(c: Context, handle: Handle, w: Omit<Words, "half" | "mask">, r: Results): void {
  const missing = r.p === null ? null : c.predicate();
  const mask = maskOf(c, r);
  deliver(c, r, mask, fetch(c, handle, { ...w, mask, half: r.type !== B32 }, missing));
  if (r.p !== null && missing !== null) c.move(c.inPlace(r.p, PRED), not(missing));
}

// ------------------------------------------------------------------------------------------------ what follows the coordinates

/** Bits of the offsets in their word: x in the lowest `step`, y and z above. Bits above them do not count. */
function offsets(c: Context, list: readonly PtxOperand[], g: Geometry, step: 4 | 8): Operand {
  const count = within(g);
  if (g.cube || g.samples || list.length !== (count === 3 ? 4 : count)) throw new Refusal();
  const [x, ...more] = list.slice(0, count).map((o) => c.materialize(read32(c, o))) as [Operand, ...Operand[]];
  const field = step === 4 ? 0xf : 0x3f;
  return more.reduce((sum, v, k) => {
    const at = step * (k + 1);
    return c.op("LOP3.LUT", [c.op("SHF.L.U32", [v, imm(at), RZ()]), imm(field << at), sum, imm(0xe2)]);
  }, x);
}

/** What stands last: offsets in braces, a value to compare with. */
interface Last {
  readonly offsets: Operand | null;
  readonly compare: Operand | null;
}

function last(c: Context, list: readonly PtxOperand[], g: Geometry, step: 4 | 8): Last {
  const rest = [...list];
  const shift = rest[0]?.kind === "vector" ? rest.shift() : undefined;
  const [compare] = rest;
  if (rest.length > 1 || compare?.kind === "vector" || g.samples) {
    if (list.length > 0) throw new Refusal();
  }
  if (compare !== undefined && within(g) === 3 && !g.cube) throw new Refusal();
  return {
    offsets: shift?.kind === "vector" ? offsets(c, shift.elements, g, step) : null,
    compare: compare === undefined ? null : c.materialize(read32(c, compare)),
  };
}

const geometry = (m: Modifiers): Geometry => geometries[m.need(Object.keys(geometries))] as Geometry;

const given = (list: readonly (Operand | null)[]): Operand[] => list.filter((o): o is Operand => o !== null);

// ------------------------------------------------------------------------------------------------ instructions

/** Level or none, where the instruction says it. */
function lod(
  c: Context,
  level: PtxOperand | null,
  isFloat: boolean,
): { readonly word: string; readonly level: Operand | null } {
  if (level !== null) return { word: "LL", level: c.materialize(read32(c, level)) };
  if (!isFloat) return { word: "LZ", level: null };
  return c.target.has("textureLeastLevel") ? { word: "", level: null } : { word: "LL", level: imm(LEAST_LEVEL) };
}

/** Words of a vector of four. */
const vectorWords = (c: Context, o: PtxOperand): Operand[] => {
  if (o.kind !== "vector") throw new Refusal();
  return o.elements.map((e) => c.materialize(read32(c, e)));
};

/** Three coordinates: the driver's routine. Before sm_90 ptxas makes four fetches of it, one for each lane of a quad. */
function gradientOfThree(c: Context, i: Instruction, g: Geometry, r: Results): void {
  if (!c.target.has("uniformHandles")) throw new Refusal();
  const { handle, coordinates } = object(c, at(i.operands, 1));
  const more = i.operands.slice(4);
  const shift = more[0]?.kind === "vector" ? (more.shift() as PtxOperand) : null;
  const [compare] = more;
  if (more.length > 1) throw new Refusal();
  const [resident, ...words] = callGradient(c, {
    handle,
    geometry: g.cube ? (g.array ? "acube" : "cube") : "3d",
    type: r.name,
    predicate: r.p !== null,
    coordinates: coordinates.map((o) => c.materialize(read32(c, o))),
    dx: vectorWords(c, at(i.operands, 2)),
    dy: vectorWords(c, at(i.operands, 3)),
    offsets: shift === null ? null : vectorWords(c, shift),
    compare: compare === undefined ? null : c.materialize(read32(c, compare)),
  });
  const values = r.type === HALF ? words.flatMap((x) => [0, 1].map((k) => elementOf(c, x, k, 16))) : words;
  r.to.forEach((e, k) => {
    c.move(c.inPlace(e, r.type), values[k] as Operand);
  });
  if (r.p === null) return;
  const p = c.predicate();
  c.emit("ISETP.NE.U32.AND", [p], [resident as Operand, RZ()]);
  c.move(c.inPlace(r.p, PRED), p);
}

function gradient(c: Context, i: Instruction, g: Geometry, r: Results): void {
  const count = within(g);
  if (g.float === null || i.operands.length < 4) throw new Refusal();
  if (count === 3) {
    gradientOfThree(c, i, g, r);
    return;
  }
  const { handle, coordinates } = object(c, at(i.operands, 1));
  const where = place(c, g, true, coordinates);
  const [dx, dy] = [at(i.operands, 2), at(i.operands, 3)].map((o) => {
    if (o.kind !== "vector" || o.elements.length !== count) throw new Refusal();
    return o.elements.map((e) => c.materialize(read32(c, e)));
  }) as [Operand[], Operand[]];
  const { offsets: shift, compare } = last(c, i.operands.slice(4), g, 4);
  if (compare !== null) throw new Refusal();
  const derivatives = dx.flatMap((x, k) => [x, dy[k] as Operand]);
  // Offsets stand above the layer.
  const above =
    shift === null
      ? where.layer
      : c.op("LOP3.LUT", [c.op("SHF.L.U32", [shift, imm(16), RZ()]), imm(0xfff0000), where.layer ?? RZ(), imm(0xe2)]);
  const b = where.rest.length > derivatives.length / 2 ? [...derivatives, RZ(), RZ()] : derivatives;
  const words = shift === null ? [] : ["AOFFI"];
  emit(c, handle, { op: "TXD", words, dim: g.float, a: given([...where.rest, above]), b }, r);
}

const tex: Lowering = (c, i, m) => {
  const kind = m.oneOf(["base", "level", "grad"]);
  const g = geometry(m);
  if (i.operands.length < 2) throw new Refusal();
  const r = results(m, at(i.operands, 0), ["f32", "s32", "u32", "f16", "f16x2"]);
  const isFloat = m.need(["f32", "s32"]) === "f32";
  const dim = isFloat ? g.float : g.integer;
  if (dim === null) throw new Refusal();
  if (kind === "grad") {
    gradient(c, i, g, r);
    return;
  }
  const { handle, coordinates } = object(c, at(i.operands, 1));
  const rest = i.operands.slice(2);
  const level = kind === "level" ? at(rest, 0) : null;
  const where = place(c, g, isFloat, coordinates);
  const l = lod(c, level, isFloat);
  const more = last(c, level === null ? rest : rest.slice(1), g, 4);
  if (more.compare !== null && !isFloat) throw new Refusal();
  const words = [
    l.word,
    more.offsets === null ? "" : "AOFFI",
    more.compare === null ? "" : "DC",
    where.sample === null ? "" : "MS",
    !isFloat && level !== null ? "CL" : "",
  ];
  const a = given([where.layer, ...where.rest]);
  const b = given([l.level, where.sample, more.offsets, more.compare]);
  emit(c, handle, { op: isFloat ? "TEX" : "TLD", words, dim, a, b }, r);
};

const tld4: Lowering = (c, i, m) => {
  const component = m.need(["r", "g", "b", "a"]);
  const g = geometry(m);
  if (i.operands.length < 2) throw new Refusal();
  const r = results(m, at(i.operands, 0), ["f32", "s32", "u32"]);
  m.need(["f32"]);
  if (g.float === null || (!g.cube && within(g) !== 2)) throw new Refusal();
  const { handle, coordinates } = object(c, at(i.operands, 1));
  const where = place(c, g, true, coordinates);
  const more = last(c, i.operands.slice(2), g, 8);
  const words = [more.offsets === null ? "" : "AOFFI", more.compare === null ? "" : "DC"];
  const a = given([where.layer, ...where.rest]);
  const b = given([more.offsets, more.compare]);
  emit(c, handle, { op: "TLD4", component: component.toUpperCase(), words, dim: g.float, a, b }, r);
};

export const textureFamily: Family = { tex, tld4 };
