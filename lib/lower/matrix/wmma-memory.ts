/**
 * `wmma.load` and `wmma.store`: tiles between memory and fragments, in the ways of ptxas (its code on sm_75 to 120):
 *
 * - words that lie in memory as in the fragment: one access of a lane for each tile;
 * - 16-bit elements the other way round: the same for the transposed tile, and MOVM;
 * - factors in shared memory: LDSM, up to four tiles at once;
 * - everything else: element by element.
 *
 * Without a state space the address is a generic one. The lane's part of the address is computed once; tiles differ by multiples of the stride.
 */
import { hi, imm, lo, part, RZ, sreg } from "../../ori/operand.js";
import { Kind, type Operand } from "../../ori/types.js";
import type { AddressOperand, Operand as PtxOperand } from "../../ptx/ast.js";
import { memoryAddress } from "../address.js";
import type { Context } from "../context.js";
import { at, type Lowering, operands } from "../family.js";
import type { Modifiers } from "../modifiers.js";
import { skip } from "../place.js";
import { Refusal } from "../refusal.js";
import { type PtxType, typeNamed, U32 } from "../types.js";
import { elementsOf, readFragment } from "./fragment.js";
import { allTogether } from "./together.js";
import {
  bitsOf,
  depthOfTile,
  type Fragment,
  factor,
  type Matrix,
  shapeNames,
  sizeOf,
  sum,
  type Tile,
} from "./wmma-shapes.js";

const LANE_ID = 0;
type Space = "global" | "shared" | "generic";

interface Transfer {
  readonly matrix: Matrix;
  readonly type: string;
  readonly fragment: Fragment;
  readonly space: Space;
  /** Lines of the tiles lie one after the other in memory. */
  readonly natural: boolean;
  /** Elements from one line in memory to the next where none are given. */
  readonly stride: number;
}

function transfer(c: Context, matrix: Matrix, m: Modifiers): Transfer {
  m.need(["sync"]);
  m.flag("aligned");
  const row = m.need(["row", "col"]) === "row";
  const shape = m.need(shapeNames);
  const word = m.oneOf(["global", "shared", "shared::cta"]);
  const type = m.need(Object.keys(bitsOf));
  const size = sizeOf(shape);
  const isFactor = matrix === "a" || matrix === "b";
  const fragment = isFactor ? factor(shape, matrix, type) : sum(c, shape, type);
  const [rows, columns] = { a: [size.m, size.k], b: [size.k, size.n], c: [size.m, size.n], d: [size.m, size.n] }[
    matrix
  ];
  const narrow = (bitsOf[type] as number) < 8;
  const natural = matrix === "b" ? !row : row !== fragment.transposed;
  if (narrow && !natural) throw new Refusal();
  const space = word === null ? "generic" : word === "global" ? "global" : "shared";
  return { matrix, type, fragment, space, natural, stride: (row ? columns : rows) as number };
}

// ------------------------------------------------------------------------------------------------ addresses

/** Places of a matrix in memory as this lane sees it: `lines` and `bytes` beyond its own. */
class Places {
  private readonly c: Context;
  private readonly base: Operand;
  private readonly offset: number;
  private readonly stride: Operand;
  private readonly bits: number;
  private readonly known: Map<number, Operand> = new Map();

  constructor(c: Context, base: Operand, offset: number, stride: Operand, bits: number) {
    this.c = c;
    this.base = base;
    this.offset = offset;
    this.stride = stride;
    this.bits = bits;
  }

  /** Base register and offset. */
  at(lines: number, bytes: number): { readonly base: Operand; readonly offset: Operand } {
    const perElement = this.bits / 8;
    if (this.stride.kind === Kind.Imm)
      return { base: this.base, offset: imm(this.offset + lines * this.stride.value * perElement + bytes) };
    let base = lines === 0 ? this.base : this.known.get(lines);
    if (base === undefined) {
      base = this.further(imm(lines * perElement));
      this.known.set(lines, base);
    }
    return { base, offset: imm(this.offset + bytes) };
  }

  private further(bytes: Operand): Operand {
    const { c, base, stride } = this;
    return base.width === 2 ? c.op("IMAD.WIDE.U32", [stride, bytes, base], 2) : c.op("IMAD", [stride, bytes, base]);
  }
}

const log2 = (n: number): number => 31 - Math.clz32(n);

/** base + (line · stride + index) · 2^shift. */
function beyond(c: Context, base: Operand, line: Operand, stride: Operand, index: Operand, shift: number): Operand {
  if (base.width === 1) {
    const sum = c.op("IMAD", [line, stride, index]);
    return shift === 0 ? c.op("IADD3", [sum, base, RZ()]) : c.op("LEA", [sum, base, imm(shift)]);
  }
  const sum = c.op("IMAD.WIDE.U32", [line, stride, c.pair(index, RZ())], 2);
  const d = c.temp(2);
  const carry = c.predicate();
  if (shift === 0) {
    c.emit("IADD3", [lo(d), carry], [lo(sum), lo(base), RZ()]);
    c.emit("IADD3.X", [hi(d)], [hi(sum), hi(base), RZ(), carry]);
  } else {
    c.emit("LEA", [lo(d), carry], [lo(sum), lo(base), imm(shift)]);
    c.emit("LEA.HI.X", [hi(d)], [lo(sum), hi(base), hi(sum), imm(shift), carry]);
  }
  return d;
}

interface Given {
  readonly address: AddressOperand;
  readonly stride: PtxOperand | undefined;
}

/** The stride in units of 2^shift elements. */
function inUnits(c: Context, stride: Operand, shift: number): Operand {
  if (shift === 0) return stride;
  if (stride.kind === Kind.Imm) return imm(stride.value >>> shift);
  return c.op("SHF.R.U32.HI", [RZ(), imm(shift), stride]);
}

/** The matrix as a lane sees it that stands at `line` and reads `unit` elements from unit `index` of the line on. */
function placesOf(c: Context, t: Transfer, given: Given, line: Operand, index: Operand, unit: number): Places {
  const where = memoryAddress(c, given.address, t.space);
  const bits = bitsOf[t.type] as number;
  const stride = given.stride === undefined ? imm(t.stride) : c.read(given.stride, U32);
  const shift = log2((bits * unit) / 8);
  const perUnit = inUnits(c, stride, log2(unit));
  const base = beyond(c, where.base, line, perUnit, index, shift);
  // Whole units, as the first line: what an odd stride has left over is cut off in both.
  return unit === 1
    ? new Places(c, base, where.offset, stride, bits)
    : new Places(c, base, where.offset, perUnit, bits * unit);
}

const and = (c: Context, o: Operand, mask: number): Operand => c.op("LOP3.LUT", [o, imm(mask), RZ(), imm(0xc0)]);
const right = (c: Context, o: Operand, n: number): Operand => c.op("SHF.R.U32.HI", [RZ(), imm(n), o]);

/** Lane 4g + t. */
function groupAndThread(c: Context): [g: Operand, t: Operand] {
  const lane = c.op("S2R", [sreg(LANE_ID)]);
  return [right(c, lane, 2), and(c, lane, 3)];
}

// ------------------------------------------------------------------------------------------------ single accesses

const sizes: Readonly<Record<number, string>> = { 1: ".U8", 4: "", 8: ".64", 16: ".128" };

/** Name of the access and the operands that follow the offset. */
function access(
  c: Context,
  t: Transfer,
  store: boolean,
  bytes: number,
): { readonly name: string; readonly more: Operand[] } {
  const size = store && bytes === 1 ? ".8" : (sizes[bytes] as string);
  const old = !c.target.has("memoryDescriptor");
  if (t.space === "shared") return { name: store ? `STS${size}` : `LDS${old ? ".U" : ""}${size}`, more: [] };
  const op = `${store ? "ST" : "LD"}${t.space === "global" ? "G" : ""}`;
  return { name: `${op}.E${size}${old ? ".SYS" : ""}`, more: [c.descriptor] };
}

/** Something to be read or written: a place and the registers for it, in the order of the fragment. */
interface Piece {
  readonly base: Operand;
  readonly offset: Operand;
  readonly bytes: number;
}

function loadPiece(c: Context, t: Transfer, p: Piece): Operand {
  const { name, more } = access(c, t, false, p.bytes);
  const d = c.temp(Math.max(1, p.bytes / 4));
  c.emit(name, [d], [p.base, skip(), p.offset, ...more]);
  return d;
}

function storePiece(c: Context, t: Transfer, p: Piece, data: Operand): void {
  const { name, more } = access(c, t, true, p.bytes);
  c.emit(name, [], [p.base, skip(), p.offset, ...more, data]);
}

// ------------------------------------------------------------------------------------------------ tiles

const isFactor = (t: Transfer): boolean => t.matrix === "a" || t.matrix === "b";
const isShort = (t: Transfer): boolean => bitsOf[t.type] === 16;
/** Elements along a line that one lane holds of a tile. */
const perLane = (t: Transfer): number => (isFactor(t) ? depthOfTile(t.type) / 4 : 2);
/** Elements of a tile from one to the next along its line. */
const tileDepth = (t: Transfer): number => (isFactor(t) ? depthOfTile(t.type) : 8);

/** Line and place along it, in tiles, of the tile as it lies in memory. */
function inMemory(t: Transfer, { line, along }: Tile): readonly [line: number, along: number] {
  const asCounted = isFactor(t) ? t.natural : t.natural !== t.fragment.transposed;
  return asCounted ? [line, along] : [along, line];
}

/** Places of each tile: one, or one for every element that a lane has of it. */
function pieces(c: Context, t: Transfer, given: Given): Piece[][] {
  const [g, th] = groupAndThread(c);
  const bits = bitsOf[t.type] as number;
  const unit = perLane(t);
  const whole = t.natural || isShort(t);
  if (whole) {
    const places = placesOf(c, t, given, g, th, unit);
    return t.fragment.tiles.map((tile) => {
      const [line, along] = inMemory(t, tile);
      const size = t.natural ? tileDepth(t) : 8;
      return [{ ...places.at(8 * line, (along * size * bits) / 8), bytes: (unit * bits) / 8 }];
    });
  }
  const first = unit === 1 ? th : c.op("SHF.L.U32", [th, imm(log2(unit)), RZ()]);
  const places = placesOf(c, t, given, first, g, 1);
  return t.fragment.tiles.map((tile) => {
    const [line, along] = inMemory(t, tile);
    return Array.from({ length: unit }, (_, j) => ({
      ...places.at(line * tileDepth(t) + j, (along * 8 * bits) / 8),
      bytes: bits / 8,
    }));
  });
}

const turn = (c: Context, word: Operand): Operand => c.op("MOVM.16.MT88", [word]);

/** Four bytes as a word. */
function joinBytes(c: Context, bytes: readonly Operand[]): Operand {
  const [a, b, e, f] = bytes as [Operand, Operand, Operand, Operand];
  const low = c.op("LEA", [b, a, imm(8)]);
  const high = c.op("LEA", [f, e, imm(8)]);
  return c.op("PRMT", [low, imm(0x5410), high]);
}

/** Words of the tiles, as the fragment has them. */
function loadTiles(c: Context, t: Transfer, given: Given): Operand[] {
  const found = pieces(c, t, given);
  allTogether(c);
  const loaded = found.map((list) => list.map((p) => loadPiece(c, t, p)));
  return loaded.flatMap((list) => {
    if (bitsOf[t.type] === 8 && list.length > 1) return [joinBytes(c, list)];
    if (isShort(t) && !t.natural) return list.map((w) => turn(c, w));
    return list.flatMap((o) => Array.from({ length: o.width }, (_, k) => part(o, k)));
  });
}

// ------------------------------------------------------------------------------------------------ LDSM

/** Matrices of 16-byte rows in shared memory, up to four by one instruction. */
function loadMatrices(c: Context, t: Transfer, given: Given): Operand[] {
  const { tiles } = t.fragment;
  const count = Math.min(bitsOf[t.type] === 16 ? 4 : 2, tiles.length);
  const lane = c.op("S2R", [sreg(LANE_ID)]);
  const bits = bitsOf[t.type] as number;
  const size = t.natural ? tileDepth(t) : 8;
  // Lane 8i + r has the address of row r of matrix i: bits 3 and 4 of the lane choose the tile.
  const [p0, p1, p2] = [0, 1, 2].map((i) => inMemory(t, tiles[i] ?? (tiles[0] as Tile))) as [number, number][];
  let line = and(c, lane, 7);
  let along: Operand = RZ();
  const choose = (shift: number, to: readonly number[]): void => {
    const bit = and(c, right(c, lane, shift), 1);
    if (to[0] !== 0) line = c.op("LEA", [bit, line, imm(3)]);
    else along = c.op("LEA", [bit, along, imm(log2(size))]);
  };
  const from = p0 as [number, number];
  if (count >= 2)
    choose(
      3,
      (p1 as [number, number]).map((x, i) => x - (from[i] as number)),
    );
  if (count === 4)
    choose(
      4,
      (p2 as [number, number]).map((x, i) => x - (from[i] as number)),
    );
  const where = memoryAddress(c, given.address, "shared");
  const stride = given.stride === undefined ? imm(t.stride) : c.read(given.stride, U32);
  const unit = Math.max(1, 8 / bits);
  const perUnit = inUnits(c, stride, log2(unit));
  const shift = log2((bits * unit) / 8);
  const places = new Places(c, beyond(c, where.base, line, perUnit, along, shift), where.offset, perUnit, bits * unit);
  const found = Array.from({ length: tiles.length / count }, (_, i) => {
    const [l, a] = inMemory(t, tiles[i * count] as Tile);
    return places.at(8 * l, (a * size * bits) / 8);
  });
  allTogether(c);
  const name = `LDSM.16.${t.natural ? "M88" : "MT88"}${count === 1 ? "" : `.${count}`}`;
  return found.flatMap(({ base, offset }) => {
    const d = c.temp(count);
    c.emit(name, [d], [base, skip(), offset]);
    return Array.from({ length: count }, (_, k) => part(d, k));
  });
}

const byMatrices = (t: Transfer): boolean =>
  isFactor(t) && t.space === "shared" && (bitsOf[t.type] as number) <= 16 && (t.natural || isShort(t));

// ------------------------------------------------------------------------------------------------ instructions

function addressOperand(o: PtxOperand): AddressOperand {
  if (o.kind !== "address" || o.rest.length > 0) throw new Refusal();
  return o;
}

const registerType = (t: Transfer): PtxType => typeNamed(t.type === "f64" ? "b64" : "b32") as PtxType;

export function load(matrix: "a" | "b" | "c"): Lowering {
  return (c, i, m) => {
    const t = transfer(c, matrix, m);
    const [to, address, stride] = operands(i, 2, 3);
    const elements = elementsOf(to as PtxOperand, t.fragment.elements);
    const given = { address: addressOperand(address as PtxOperand), stride };
    const words = byMatrices(t) ? loadMatrices(c, t, given) : loadTiles(c, t, given);
    const per = t.type === "f64" ? 2 : 1;
    elements.forEach((e, k) => {
      const target = c.inPlace(e, registerType(t));
      for (let w = 0; w < per; w++) c.move(part(target, w), words[(k * per + w) % words.length] as Operand);
    });
  };
}

export const store: Lowering = (c, i, m) => {
  const t = transfer(c, "d", m);
  const list = operands(i, 2, 3);
  const given = { address: addressOperand(at(list, 0)), stride: list[2] };
  const type = registerType(t);
  const from = elementsOf(at(list, 1), t.fragment.elements);
  const per = from.length / t.fragment.tiles.length;
  const values = t.fragment.tiles.map((_, k) => ({
    kind: "vector" as const,
    elements: from.slice(k * per, (k + 1) * per),
  }));
  const found = pieces(c, t, given);
  allTogether(c);
  found.forEach((places, k) => {
    const data = readFragment(c, values[k] as PtxOperand, per, type);
    const whole = c.materialize(isShort(t) && !t.natural ? turn(c, c.materialize(data)) : data, data.width);
    const width = whole.width / places.length;
    places.forEach((p, j) => {
      storePiece(c, t, p, part(whole, j * width, width));
    });
  });
};
