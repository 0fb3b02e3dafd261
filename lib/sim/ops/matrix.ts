/**
 * Matrices between shared memory and the fragments of products: LDSM, STSM, MOVM (PTX ISA 9.7.14.5.15 to .17, ldmatrix, stmatrix, movmatrix).
 * Rows are 16 bytes, and lane r has the address of row r, through all matrices of the instruction. Of 8 × 8 elements of 16 bits lane l holds elements 2 (l % 4)
 * and 2 (l % 4) + 1 of row l / 4, of the transposed matrix with .T. Of bytes (figures 105 and 106; the lanes' rows and columns are those of CUTLASS,
 * copy_traits_sm100.hpp, for SM100_U8x8_LDSM_T, SM100_SU4_DU8x16_x1_LDSM_N and SM100_U8x4_STSM_T) it holds four neighbours of a row, or of a column of the
 * matrix as it lies in memory.
 */
import { type Address, addressOf, locate, place, shortAddress } from "../access.js";
import type { Makers, Site } from "../site.js";
import { type Exec, LANES, Step, type Warp } from "../state.js";
import { dstRowsOf, rowsOf, together } from "./tensor.js";

/** Rows of four words, one matrix after the other, and the fragments. */
const matrix: Int32Array = new Int32Array(4 * 8 * 4);
const bytes: Uint8Array = new Uint8Array(matrix.buffer);
const halves: Uint16Array = new Uint16Array(matrix.buffer);
const fragment: Int32Array = new Int32Array(LANES);
const fragmentHalves: Uint16Array = new Uint16Array(fragment.buffer);
const fragmentBytes: Uint8Array = new Uint8Array(fragment.buffer);

/** How a matrix in memory becomes fragments. */
interface Loaded {
  /** Rows of 16 bytes in memory. */
  readonly rows: number;
  /** Registers of a lane. */
  readonly words: number;
  /** `fragment` for register `i` from the matrix at word `at` of `matrix`. */
  readonly take: (at: number, i: number) => void;
}

const inOrder = (at: number): void => toFragment(at, false);
const transposed = (at: number): void => toFragment(at, true);

const loads: Readonly<Record<string, Loaded>> = {
  M88: { rows: 8, words: 1, take: inOrder },
  MT88: { rows: 8, words: 1, take: transposed },
  M816: { rows: 8, words: 1, take: inOrder },
  MT1616: { rows: 16, words: 2, take: columnsOf },
};

/** How a fragment becomes a matrix of eight rows of 16 bytes in memory, at a word of `matrix`. */
const stores: Readonly<Record<string, (at: number) => void>> = {
  M88: (at) => fromFragment(at, false),
  MT88: (at) => fromFragment(at, true),
  MT168: toColumns,
};

/**
 * Bits of an element in memory. Below 8 they lie without gaps in a row's first bytes and become bytes with zeros above (CUTLASS, mma_traits_sm120_sparse.hpp,
 * fp4_shift_A).
 */
const widths: Readonly<Record<string, number>> = { "16": 16, "8": 8, U6x16P32TO8: 6, U4x16P64TO8: 4 };

const countOf = (s: Site): number => s.choose({ "2": 2, "4": 4 }, 1);

/** The first `bits` · 2 bytes of the row at byte `at` as sixteen bytes. */
function unpack(at: number, bits: number): void {
  const row = bytes.slice(at, at + 16);
  for (let i = 0; i < 16; i++) {
    const bit = i * bits;
    const pair = row[bit >> 3]! | (row[(bit >> 3) + 1]! << 8);
    bytes[at + i] = (pair >> (bit & 7)) & ((1 << bits) - 1);
  }
}

/** Of 16 × 16 bytes: lane l has rows 4 (l % 4) to 4 (l % 4) + 3 of column l / 4, in register 1 of column l / 4 + 8. */
function columnsOf(at: number, i: number): void {
  for (let l = 0; l < LANES; l++)
    for (let m = 0; m < 4; m++) fragmentBytes[4 * l + m] = bytes[4 * at + 16 * (4 * (l & 3) + m) + (l >> 2) + 8 * i]!;
}

/** To 8 rows of 16 bytes: lane l has of column l / 4 and then of column l / 4 + 8 rows 2 (l % 4) and 2 (l % 4) + 1. */
function toColumns(at: number): void {
  for (let l = 0; l < LANES; l++)
    for (let m = 0; m < 4; m++)
      bytes[4 * at + 16 * (2 * (l & 3) + (m & 1)) + (l >> 2) + 8 * (m >> 1)] = fragmentBytes[4 * l + m]!;
}

/** Fragment of the matrix of halves (or, not transposed, of words) at word `at` of `matrix`. */
function toFragment(at: number, transposed: boolean): void {
  if (!transposed) for (let l = 0; l < LANES; l++) fragment[l] = matrix[at + l]!;
  else
    for (let l = 0; l < LANES; l++) {
      const row = 2 * (l & 3);
      fragmentHalves[2 * l] = halves[2 * at + row * 8 + (l >> 2)]!;
      fragmentHalves[2 * l + 1] = halves[2 * at + (row + 1) * 8 + (l >> 2)]!;
    }
}

function fromFragment(at: number, transposed: boolean): void {
  if (!transposed) for (let l = 0; l < LANES; l++) matrix[at + l] = fragment[l]!;
  else
    for (let l = 0; l < LANES; l++) {
      const row = 2 * (l & 3);
      halves[2 * at + row * 8 + (l >> 2)] = fragmentHalves[2 * l]!;
      halves[2 * at + (row + 1) * 8 + (l >> 2)] = fragmentHalves[2 * l + 1]!;
    }
}

/** Finds the row of lane `l`; false: the fault is noted. */
function rowAt(w: Warp, a: Address, add: number, l: number): boolean {
  return locate(w, "shared", shortAddress(w, a, add, l), 16, l);
}

function load(s: Site): Exec {
  const bits = s.choose<number | null>(widths, null) ?? s.unsupported("width of elements");
  const layout = s.choose<Loaded | null>(loads, null) ?? s.unsupported("shape");
  const count = countOf(s);
  const a = addressOf(s);
  const d = dstRowsOf(s, s.operand("d"), layout.words * count);
  return together((w) => {
    const add = a.add(w);
    for (let l = 0; l < layout.rows * count; l++) {
      if (!rowAt(w, a, add, l)) return Step.Fault;
      const at = place.at >> 2;
      for (let i = 0; i < 4; i++) matrix[4 * l + i] = place.words[at + i]!;
      if (bits < 8) unpack(16 * l, bits);
    }
    d.forEach((row, i) => {
      layout.take(4 * layout.rows * Math.floor(i / layout.words), i % layout.words);
      w.I.set(fragment, row);
    });
    return Step.Next;
  });
}

function store(s: Site): Exec {
  if (!s.has("16") && !s.has("8")) s.unsupported("width of elements");
  const put = s.choose<((at: number) => void) | null>(stores, null) ?? s.unsupported("shape");
  const count = countOf(s);
  const a = addressOf(s);
  const data = rowsOf(s, s.operand("data"), count);
  return together((w) => {
    const add = a.add(w);
    for (let i = 0; i < count; i++) {
      for (let l = 0; l < LANES; l++) fragment[l] = w.I[data[i]! + l]!;
      put(32 * i);
    }
    for (let l = 0; l < 8 * count; l++) {
      if (!rowAt(w, a, add, l)) return Step.Fault;
      const at = place.at >> 2;
      for (let i = 0; i < 4; i++) place.words[at + i] = matrix[4 * l + i]!;
    }
    return Step.Next;
  });
}

function transpose(s: Site): Exec {
  if (s.has("U4TO8")) return widen(s);
  if (!s.has("16") || !s.has("MT88")) s.unsupported("shape");
  const [a] = rowsOf(s, s.operand("a"), 1) as [number];
  const [d] = dstRowsOf(s, s.operand("d"), 1) as [number];
  return together((w) => {
    for (let l = 0; l < LANES; l++) fragment[l] = w.I[a + l]!;
    fromFragment(0, false);
    toFragment(0, true);
    w.I.set(fragment, d);
    return Step.Next;
  });
}

/**
 * MOVM.U4TO8.M832: a fragment of 8 × 32 elements of four bits becomes two of bytes, each row's elements in their order along
 * the words of the products (see tensor.ts). Inferred from its name and from ptxas's code for one-bit and four-bit products from sm_100 on, which
 * passes both factors through it: any one order of k would do there.
 */
function widen(s: Site): Exec {
  if (!s.has("M832")) s.unsupported("shape");
  const [a] = rowsOf(s, s.operand("a"), 1) as [number];
  const d = dstRowsOf(s, s.operand("d"), 2);
  return together((w) => {
    for (let l = 0; l < LANES; l++) fragment[l] = w.I[a + l]!;
    for (let j = 0; j < 2; j++)
      for (let l = 0; l < LANES; l++) {
        const t = l & 3;
        const half = fragmentHalves[2 * ((l & ~3) + 2 * j + (t >> 1)) + (t & 1)]!;
        w.I[d[j]! + l] = (half & 15) | ((half & 0xf0) << 4) | ((half & 0xf00) << 8) | ((half & 0xf000) << 12);
      }
    return Step.Next;
  });
}

export const matrices: Makers = { LDSM: load, STSM: store, MOVM: transpose };
