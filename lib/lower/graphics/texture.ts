/**
 * `tex` and `tld4` through texture objects (bindless handles), as ptxas makes them on sm_90 to 121 (facts/ptx-to-sass, and its code of each form with operands
 * that can be told apart):
 *
 * - coordinates of floats: TEX. Kernels have no derivatives, so the level is the least one (−32, .LL) unless one is given; on sm_120 TEX alone does that;
 * - integers: TLD, of level 0 or the one that is given;
 * - 1D with floats is 2D with y = 0; the layer of an array stands first and ends at 0xffff; directions into a cube are scaled so that their longest
 *   component is 1;
 * - results are in two pairs; the predicate is the opposite of PTX's.
 */

import { tryForm } from "../../isa/form.js";
import { abs, imm, not, notPT, part, RZ } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import type { Context } from "../context.js";
import { at, type Family, type Lowering } from "../family.js";
import type { Modifiers } from "../modifiers.js";
import { Refusal } from "../refusal.js";
import { PRED } from "../types.js";
import { B32, needHandles, noSampler, object, read32, row, uniformHandle } from "./handle.js";

interface Geometry {
  /** Number of the dimension in the instruction, of floats and of integers. */
  readonly float: number | null;
  readonly integer: number | null;
  /** Coordinates that count, and those that PTX names. */
  readonly used: number;
  readonly named: readonly number[];
  readonly array: boolean;
  readonly cube: boolean;
}

const plain = { array: false, cube: false };
const geometries: Readonly<Record<string, Geometry>> = {
  "1d": { float: 1, integer: 0, used: 1, named: [1], ...plain },
  "2d": { float: 1, integer: 1, used: 2, named: [2], ...plain },
  "3d": { float: 2, integer: 2, used: 3, named: [3, 4], ...plain },
  a1d: { float: 4, integer: 4, used: 2, named: [2], array: true, cube: false },
  a2d: { float: 5, integer: 5, used: 3, named: [3, 4], array: true, cube: false },
  cube: { float: 3, integer: null, used: 3, named: [3, 4], array: false, cube: true },
  acube: { float: 7, integer: null, used: 4, named: [4], array: true, cube: true },
};

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

function coordinates(c: Context, g: Geometry, isFloat: boolean, list: readonly PtxOperand[]): Operand {
  if (!g.named.includes(list.length)) throw new Refusal();
  const words = list.slice(0, g.used).map((o) => c.materialize(read32(c, o)));
  const first = g.array ? 1 : 0;
  if (g.array) words[0] = layer(c, words[0] as Operand);
  const rest = g.cube ? direction(c, words.slice(first)) : words.slice(first);
  const all = [...words.slice(0, first), ...rest];
  return row(c, isFloat && all.length === 1 ? [...all, RZ()] : all);
}

/** Where results go: `{d…}` with a predicate after `|`, or without. */
function results(o: PtxOperand): { readonly to: readonly PtxOperand[]; readonly p: PtxOperand | null } {
  const [value, p] = o.kind === "pair" ? [o.first, o.second] : [o, null];
  if (value.kind !== "vector" || value.elements.length !== 4) throw new Refusal();
  return { to: value.elements, p };
}

interface Fetch {
  readonly name: string;
  readonly dim: number;
  readonly a: Operand;
  /** What stands in b: level, offsets, value to compare with. */
  readonly b: readonly Operand[];
}

function emit(c: Context, f: Fetch, handle: PtxOperand, to: PtxOperand): void {
  const form = tryForm(f.name);
  if (form === null) throw new Refusal();
  const { to: elements, p } = results(to);
  const ur = uniformHandle(c, handle, 2);
  const [d, d2] = [c.temp(2), c.temp(2)];
  const missing = p === null ? null : c.predicate();
  const b = f.b.length === 0 ? RZ() : row(c, f.b);
  const dsts = { ...(missing === null ? {} : { p: missing }), d2, d };
  c.builder.emit(form, dsts, { a: f.a, b, ur, sampler: noSampler(c), dim: imm(f.dim), mask: imm(15) });
  elements.forEach((e, k) => {
    c.move(c.inPlace(e, B32), part(k < 2 ? d : d2, k & 1));
  });
  if (p !== null && missing !== null) c.move(c.inPlace(p, PRED), not(missing));
}

/** Offsets of texels, four bits each; bits above them do not count. */
function offsets(c: Context, list: readonly PtxOperand[]): Operand {
  const [x, y] = list.map((o) => c.materialize(read32(c, o))) as [Operand, Operand];
  return c.op("LOP3.LUT", [c.op("SHF.L.U32", [y, imm(4), RZ()]), imm(0xf0), x, imm(0xe2)]);
}

/** What follows the coordinates: a level, offsets, or a value to compare with. */
interface More {
  readonly level: PtxOperand | null;
  readonly offsets: readonly PtxOperand[] | null;
  readonly compare: PtxOperand | null;
}

function more(list: readonly PtxOperand[], withLevel: boolean, g: Geometry): More {
  const rest = [...list];
  const level = withLevel ? (rest.shift() ?? null) : null;
  if (withLevel && level === null) throw new Refusal();
  const next = rest.shift();
  if (rest.length > 0) throw new Refusal();
  if (next === undefined) return { level, offsets: null, compare: null };
  if (next.kind !== "vector") return { level, offsets: null, compare: next };
  // Only two offsets are seen in ptxas's code.
  if (next.elements.length !== 2 || g.used !== 2 || g.array) throw new Refusal();
  return { level, offsets: next.elements, compare: null };
}

function geometry(m: Modifiers): Geometry {
  return geometries[m.need(Object.keys(geometries))] as Geometry;
}

const tex: Lowering = (c, i, m) => {
  needHandles(c);
  const kind = m.oneOf(["base", "level"]);
  const g = geometry(m);
  m.need(["v4"]);
  m.need(["f32", "s32", "u32"]);
  const isFloat = m.need(["f32", "s32"]) === "f32";
  const dim = isFloat ? g.float : g.integer;
  if (dim === null || i.operands.length < 2) throw new Refusal();
  const { handle, coordinates: where } = object(at(i.operands, 1));
  const extra = more(i.operands.slice(2), kind === "level", g);
  if (extra.compare !== null && (!isFloat || g.cube || g.used !== 2)) throw new Refusal();
  const a = coordinates(c, g, isFloat, where);
  const b: Operand[] = [];
  let name = isFloat ? "TEX" : "TLD";
  if (extra.level !== null) {
    name += isFloat ? ".LL" : ".LL.CL";
    b.push(c.materialize(read32(c, extra.level)));
  } else if (!isFloat) name += ".LZ";
  else if (!c.target.has("textureLeastLevel")) {
    name += ".LL";
    b.push(imm(LEAST_LEVEL));
  }
  if (extra.offsets !== null) {
    // TLD names offsets before .CL.
    name = name.endsWith(".CL") ? `${name.slice(0, -3)}.AOFFI.CL` : `${name}.AOFFI`;
    b.push(offsets(c, extra.offsets));
  }
  if (extra.compare !== null) {
    name += ".DC";
    b.push(c.materialize(read32(c, extra.compare)));
  }
  emit(c, { name, dim, a, b }, handle, at(i.operands, 0));
};

const tld4: Lowering = (c, i, m) => {
  needHandles(c);
  const component = m.need(["r", "g", "b", "a"]);
  const g = geometry(m);
  m.need(["v4"]);
  m.need(["f32", "s32", "u32"]);
  m.need(["f32"]);
  if (g.float === null || i.operands.length !== 2 || g.used < 2 || g.float === 2 || g.float === 4) throw new Refusal();
  const { handle, coordinates: where } = object(at(i.operands, 1));
  const a = coordinates(c, g, true, where);
  emit(c, { name: `TLD4.${component.toUpperCase()}`, dim: g.float, a, b: [] }, handle, at(i.operands, 0));
};

export const textureFamily: Family = { tex, tld4 };
