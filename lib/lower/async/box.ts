/**
 * Boxes of tensors: how they are walked (plainly, as the columns of a convolution's image, row by row where numbers name the rows), with the
 * register that holds what im2col and multicast want (measured at -O3 on sm_90a, 100a, with offsets that can be told apart):
 *
 *     lower half   im2col: one offset; two, a byte each; three, five bits each
 *                  im2col::w, im2col::w::128: the halo, and from bit 11 on the offset
 *     upper half   the CTAs of a multicast
 */
import { imm, RZ } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { AddressOperand, Operand as PtxOperand } from "../../ptx/ast.js";
import type { Context } from "../context.js";
import type { Modifiers } from "../modifiers.js";
import { Refusal } from "../refusal.js";
import { U16, U32 } from "../types.js";
import { type Operands, wideAddress } from "./operands.js";

export interface Mode {
  /** As the machine says it. */
  readonly word: string;
  /** Numbers in the braces, where they are not the dimensions. */
  readonly coordinates: number | null;
  /** How many offsets there are, and the lower half of the register with them; null: none. */
  readonly offsets: { readonly count: (dimensions: number) => number; readonly pack: Pack } | null;
  /** The driver's routines know it (remote.ts). */
  readonly remote: boolean;
}

type Pack = (c: Context, offsets: readonly Operand[]) => Operand;

/** The offsets after a box; null where the mode has none. */
export function offsetsOf(c: Context, mode: Mode, list: Operands, dimensions: number): Operand[] | null {
  if (mode.offsets === null) return null;
  const o = list.take();
  if (o.kind !== "vector" || o.elements.length !== mode.offsets.count(dimensions)) throw new Refusal();
  return o.elements.map((x) => c.materialize(c.read(x, U16)));
}

/** Offsets of im2col. */
const columns: Pack = (c, offsets) => {
  const [first, second, third] = offsets as [Operand, Operand?, Operand?];
  if (second === undefined) return first;
  if (third === undefined) return c.op("PRMT", [first, imm(0x0040), second]);
  return c.op("IMAD.U32", [third, imm(1 << 10), c.op("IMAD.U32", [second, imm(1 << 5), first])]);
};

/** Halo and offset of im2col::w. */
const halo: Pack = (c, offsets) => {
  const [first, second] = offsets as [Operand, Operand];
  return c.op("IMAD.U32", [second, imm(1 << 11), first]);
};

const tile: Mode = { word: "", coordinates: null, offsets: null, remote: true };
const columnOffsets = { count: (dimensions: number): number => dimensions - 2, pack: columns };
const haloOffsets = { count: (): number => 2, pack: halo };
/** A column and four rows. */
const FOUR_ROWS = 5;

export type Modes = Readonly<Record<string, Mode>>;

export const loadModes: Modes = {
  tile,
  im2col: { word: ".IM2COL", coordinates: null, offsets: columnOffsets, remote: true },
  "im2col::w": { word: ".W", coordinates: null, offsets: haloOffsets, remote: false },
  "im2col::w::128": { word: ".W128", coordinates: null, offsets: haloOffsets, remote: false },
  "tile::gather4": { word: ".GATHER4", coordinates: FOUR_ROWS, offsets: null, remote: false },
};
/** Of stores and reductions. */
export const storeModes: Modes = {
  tile,
  im2col_no_offs: { word: ".IM2COL", coordinates: null, offsets: null, remote: false },
  "tile::scatter4": { word: ".SCATTER4", coordinates: FOUR_ROWS, offsets: null, remote: false },
};

export const takeMode = (m: Modifiers, modes: Modes): Mode => modes[m.oneOf(Object.keys(modes)) ?? "tile"] as Mode;

/** The register with offsets and mask, where there is either. */
export function wordOf(c: Context, mode: Mode, offsets: readonly Operand[] | null, mask: Operand | null): Operand[] {
  const packed = offsets === null ? null : (mode.offsets?.pack(c, offsets) ?? null);
  if (packed === null && mask === null) return [];
  return [c.op("PRMT", [packed ?? RZ(), imm(0x5410), mask ?? RZ()])];
}

export interface Box {
  readonly map: Operand;
  readonly coordinates: readonly Operand[];
}

/** `[map, {c0, …}]`. */
export function boxOf(c: Context, o: PtxOperand, count: number): Box {
  if (o.kind !== "address" || o.rest.length !== 1) throw new Refusal();
  const [list] = o.rest as [PtxOperand];
  const coordinates = list.kind === "vector" ? list.elements : [list];
  if (coordinates.length !== count) throw new Refusal();
  const plain: AddressOperand = { ...o, rest: [] };
  return {
    map: wideAddress(c, plain, "generic"),
    coordinates: coordinates.map((x) => c.materialize(c.read(x, U32))),
  };
}
