/**
 * Fragments of `wmma` as tiles. PTX leaves open which lane holds what ("unspecified, and target architecture dependent"); here it is what ptxas
 * does (its code of each form, run on numbered elements): fragments of the machine's products, one after the other, so that no register is moved.
 *
 * A factor's tile is 8 lines (rows of A, columns of B) of 4 words along k: lane 4g + t has word t of line g. A tile of C and D is 8 × 8: lane 4g + t has
 * columns 2t and 2t + 1 of row g. m8n32k16 is computed as its transpose (Dᵀ = Bᵀ Aᵀ), so that each product has 16 rows; C and D then lie
 * transposed. Integers on sm_75 have products of 8 rows, and need no such thing.
 */
import type { Context } from "../context.js";
import { Refusal } from "../refusal.js";

export type Matrix = "a" | "b" | "c" | "d";

/** A place in a matrix: tile number along its lines and along k (of C and D: along rows and columns). */
export interface Tile {
  readonly line: number;
  readonly along: number;
}

export interface Fragment {
  readonly tiles: readonly Tile[];
  /** Elements of the fragment as PTX counts them: 16-bit factors of the older kind hold everything twice or four times. */
  readonly elements: number;
  /** Of C and D: tiles are transposed. */
  readonly transposed: boolean;
}

const shapes: Readonly<Record<string, readonly [m: number, n: number, k: number]>> = {
  m16n16k16: [16, 16, 16],
  m8n32k16: [8, 32, 16],
  m32n8k16: [32, 8, 16],
  m16n16k8: [16, 16, 8],
  m8n8k4: [8, 8, 4],
  m8n8k32: [8, 8, 32],
  m8n8k128: [8, 8, 128],
};

export const shapeNames: readonly string[] = Object.keys(shapes);

export interface Size {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

export function sizeOf(shape: string): Size {
  const [m, n, k] = shapes[shape] as [number, number, number];
  return { m, n, k };
}

/** Bits of an element. */
export const bitsOf: Readonly<Record<string, number>> = {
  f16: 16,
  bf16: 16,
  tf32: 32,
  f32: 32,
  s32: 32,
  f64: 64,
  s8: 8,
  u8: 8,
  s4: 4,
  u4: 4,
  b1: 1,
};

const factorTypes: Readonly<Record<string, readonly string[]>> = {
  m16n16k16: ["f16", "bf16", "s8", "u8"],
  m8n32k16: ["f16", "bf16", "s8", "u8"],
  m32n8k16: ["f16", "bf16", "s8", "u8"],
  m16n16k8: ["tf32"],
  m8n8k4: ["f64"],
  m8n8k32: ["s4", "u4"],
  m8n8k128: ["b1"],
};

const sumTypes: Readonly<Record<string, readonly string[]>> = {
  m16n16k16: ["f16", "f32", "s32"],
  m8n32k16: ["f16", "f32", "s32"],
  m32n8k16: ["f16", "f32", "s32"],
  m16n16k8: ["f32"],
  m8n8k4: ["f64"],
  m8n8k32: ["s32"],
  m8n8k128: ["s32"],
};

/** The factors' type, checked. */
export function isFactor(shape: string, type: string): boolean {
  return factorTypes[shape]?.includes(type) === true;
}

/** Elements of k in one tile: four words, of f64 four elements. */
export const depthOfTile = (type: string): number => (type === "f64" ? 4 : 128 / (bitsOf[type] as number));

function tiles(lines: number, along: number, order: "pairs" | "along"): Tile[] {
  const out: Tile[] = [];
  if (order === "along")
    for (let l = 0; l < lines; l++) for (let k = 0; k < along; k++) out.push({ line: l, along: k });
  else
    for (let l = 0; l < lines; l += 2)
      for (let k = 0; k < along; k++) for (let i = l; i < Math.min(l + 2, lines); i++) out.push({ line: i, along: k });
  return out;
}

/** Whether B takes the place of the factor with 16 rows. */
export function isTurned(c: Context, shape: string, type: string): boolean {
  return shape === "m8n32k16" && (bitsOf[type] !== 8 || c.target.has("mma80"));
}

export function factor(shape: string, matrix: "a" | "b", type: string): Fragment {
  if (!isFactor(shape, type)) throw new Refusal();
  const { m, n, k } = sizeOf(shape);
  const lines = (matrix === "a" ? m : n) / 8;
  // The factor of 16 rows, whose lines come in pairs, is A, or B of m8n32k16.
  const leads = (matrix === "b") === (shape === "m8n32k16");
  const list = tiles(lines, k / depthOfTile(type), leads ? "pairs" : "along");
  return { tiles: list, elements: type === "f16" ? 8 : list.length, transposed: false };
}

/** C or D. */
export function sum(c: Context, shape: string, type: string): Fragment {
  if (sumTypes[shape]?.includes(type) !== true) throw new Refusal();
  const { m, n } = sizeOf(shape);
  const transposed = isTurned(c, shape, type === "s32" ? "s8" : type);
  const list = Array.from({ length: (m * n) / 64 }, (_, i) => {
    const [line, along] = [i % (m / 8), Math.floor(i / (m / 8))];
    return { line, along };
  });
  return { tiles: list, elements: list.length * (type === "f16" ? 1 : 2), transposed };
}
