/**
 * 8 × 8 matrices of 16-bit elements between shared memory and the fragments of products: LDSM, STSM, MOVM (PTX ISA 9.7.14.5.15 to
 * .17, ldmatrix, stmatrix, movmatrix). Lane 8i + r has the address of row r of matrix i, 16 bytes; lane l holds elements 2 (l % 4) and
 * 2 (l % 4) + 1 of row l / 4, of the transposed matrix with .T.
 */
import { type Address, addressOf, locate, place, shortAddress } from "../access.js";
import type { Makers, Site } from "../site.js";
import { type Exec, LANES, Step, type Warp } from "../state.js";
import { dstRowsOf, rowsOf, together } from "./tensor.js";

/** Four rows of eight words for one matrix after the other, and the fragments. */
const matrix: Int32Array = new Int32Array(4 * 8 * 4);
const halves: Uint16Array = new Uint16Array(matrix.buffer);
const fragment: Int32Array = new Int32Array(LANES);
const fragmentHalves: Uint16Array = new Uint16Array(fragment.buffer);

/** Matrices that the modifiers say. */
function countOf(s: Site): number {
  if (!s.has("16")) s.unsupported("elements of other widths");
  return s.choose({ "2": 2, "4": 4 }, 1);
}

function isTransposed(s: Site): boolean {
  return s.choose<boolean | null>({ M88: false, MT88: true }, null) ?? s.unsupported("shape");
}

/** Fragment of the matrix at word `at` of `matrix`. */
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
  const n = countOf(s);
  const transposed = isTransposed(s);
  const a = addressOf(s);
  const d = dstRowsOf(s, s.operand("d"), n);
  return together((w) => {
    const add = a.add(w);
    for (let l = 0; l < 8 * n; l++) {
      if (!rowAt(w, a, add, l)) return Step.Fault;
      const at = place.at >> 2;
      for (let i = 0; i < 4; i++) matrix[4 * l + i] = place.words[at + i]!;
    }
    for (let i = 0; i < n; i++) {
      toFragment(32 * i, transposed);
      w.I.set(fragment, d[i]!);
    }
    return Step.Next;
  });
}

function store(s: Site): Exec {
  const n = countOf(s);
  const transposed = isTransposed(s);
  const a = addressOf(s);
  const data = rowsOf(s, s.operand("data"), n);
  return together((w) => {
    const add = a.add(w);
    for (let i = 0; i < n; i++) {
      for (let l = 0; l < LANES; l++) fragment[l] = w.I[data[i]! + l]!;
      fromFragment(32 * i, transposed);
    }
    for (let l = 0; l < 8 * n; l++) {
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
