/**
 * Matrix products of a warp: HMMA, IMMA, BMMA, QMMA, OMMA, DMMA. All 32 lanes hold a part of each matrix.
 *
 * Fragments (PTX ISA 9.7.14.5.1 to .13; ptxas gives the registers of `mma` to the machine instruction as they are, which the
 * tests show by its own code). With g = lane / 4 and t = lane % 4 register j of a lane holds
 * - of A (16 rows) row g + 8 (j % 2), word t + 4 (j / 2) of the row; of 8 rows row g, word t + 4 j;
 * - of B column g, word t + 4 j of the column;
 * - of C and D row g + 8 (j / 2), column 2 t + j % 2; 16-bit ones row g + 8 j, columns 2 t and 2 t + 1;
 * a word of A or B being the 32 bits that hold consecutive elements along k (of f64: one element, two registers).
 *
 * Numbers. The PTX ISA leaves order and rounding of the sum open ("unspecified"). Here all products of an instruction and c are
 * added in double precision in the order of k, c last, and the sum is rounded once: to f32 toward zero, to f16 to nearest. Rounding toward
 * zero for f32 and to nearest for f16 is what Fasi et al. measured on V100, T4 and A100 ("Numerical behavior of NVIDIA tensor
 * cores", PeerJ CS 7:e330); the units align the products to the largest and cut, which is not modelled: sums that are not exact may
 * differ from a GPU in the last places. Subnormals are kept (the same paper). f64: a chain of fused multiply-adds in the
 * order of k (the manual: "identical to that of f64 fused multiply-add").
 */
import { Kind, Mod, type Operand } from "../../isa/operand.js";
import { popcount } from "../groups.js";
import { accumulate, type Element, elementOf, truncatedF32, unpack } from "../number/elements.js";
import { f32OfBits } from "../number/f32.js";
import { doubleOf, fma64, highOf, lowOf } from "../number/f64.js";
import { F16, f16Value, shortBits } from "../number/half.js";
import { Rounding } from "../number/rounding.js";
import type { Makers, Site } from "../site.js";
import { type Exec, LANES, Step, type Warp } from "../state.js";
import { scale, spread } from "./tensor-factors.js";

/** Columns of every product of a warp. */
const N = 8;

/** Room for the largest operands: 16 × 256 bits and 64 four-bit elements. */
const words = { a: new Int32Array(16 * 16), b: new Int32Array(8 * 16) };
const values = { a: new Float64Array(16 * 128), b: new Float64Array(8 * 128) };
const sum: Float64Array = new Float64Array(16 * N);

/** Rows of 32 lanes of the `count` registers of an operand. */
export function rowsOf(s: Site, o: Operand, count: number = o.width): number[] {
  return Array.from({ length: count }, (_, j) => s.row(o, j));
}

export function dstRowsOf(s: Site, o: Operand, count: number = o.width): number[] {
  return Array.from({ length: count }, (_, j) => s.dstRow(o, j));
}

/** A shape as the modifiers say it: `16816`, `88128`, `16x8x4`. */
export interface Shape {
  readonly rows: number;
  readonly depth: number;
}

const shapes: Readonly<Record<string, Shape>> = {
  "884": { rows: 8, depth: 4 },
  "8x8x4": { rows: 8, depth: 4 },
  "8816": { rows: 8, depth: 16 },
  "8832": { rows: 8, depth: 32 },
  "88128": { rows: 8, depth: 128 },
  "1684": { rows: 16, depth: 4 },
  "1688": { rows: 16, depth: 8 },
  "16816": { rows: 16, depth: 16 },
  "16832": { rows: 16, depth: 32 },
  "16864": { rows: 16, depth: 64 },
  "168128": { rows: 16, depth: 128 },
  "168256": { rows: 16, depth: 256 },
  "16x8x4": { rows: 16, depth: 4 },
  "16x8x8": { rows: 16, depth: 8 },
  "16x8x16": { rows: 16, depth: 16 },
};

function shapeOf(s: Site): Shape {
  return s.choose<Shape | null>(shapes, null) ?? s.unsupported("shape");
}

/** Runs only with all lanes there: what a product of some lanes computes is undefined (PTX ISA, mma). */
export function together(body: (w: Warp) => Step): Exec {
  return (w, m) => {
    if (m !== -1) return w.fault("illegal-instruction", m, "a matrix instruction needs all 32 lanes of its warp");
    return body(w);
  };
}

function checkParts(s: Site): void {
  if (!/^(\.ROW)?$/.test(s.operand("a").part) || !/^(\.COL)?$/.test(s.operand("b").part))
    s.unsupported("layout of a factor");
}

/** The elements of A and B by their modifiers: of two the first is A's. F16 names an accumulator; f16 elements have no name. */
export function elements(s: Site): [Element, Element] {
  const found = s.inst.form.mods.filter((m) => m !== "F16" && elementOf(m) !== undefined);
  for (const m of found) s.has(m);
  const a = elementOf(found[0] ?? "F16")!;
  return [a, elementOf(found[1] ?? a.name)!];
}

/** Words of A: see the layouts on top. */
function gatherA(I: Int32Array, from: readonly number[], rows: number): number {
  const perRow = rows === 16 ? from.length * 2 : from.length * 4;
  for (let j = 0; j < from.length; j++) {
    const row = rows === 16 ? 8 * (j & 1) : 0;
    const word = 4 * (rows === 16 ? j >> 1 : j);
    for (let l = 0; l < LANES; l++) words.a[(row + (l >> 2)) * perRow + word + (l & 3)] = I[from[j]! + l]!;
  }
  return rows * perRow;
}

function gatherB(I: Int32Array, from: readonly number[]): number {
  const perRow = from.length * 4;
  for (let j = 0; j < from.length; j++)
    for (let l = 0; l < LANES; l++) words.b[(l >> 2) * perRow + 4 * j + (l & 3)] = I[from[j]! + l]!;
  return N * perRow;
}

/** Adds C to the sums, or writes the sums to D. */
type Accumulator = (w: Warp, rows: readonly number[]) => void;

function addBits(value: (bits: number) => number): Accumulator {
  return (w, rows) => {
    for (let j = 0; j < rows.length; j++)
      for (let l = 0; l < LANES; l++)
        sum[((l >> 2) + 8 * (j >> 1)) * N + 2 * (l & 3) + (j & 1)]! += value(w.I[rows[j]! + l]!);
  };
}

function writeBits(bits: (value: number) => number): Accumulator {
  return (w, rows) => {
    for (let j = 0; j < rows.length; j++)
      for (let l = 0; l < LANES; l++)
        w.I[rows[j]! + l] = bits(sum[((l >> 2) + 8 * (j >> 1)) * N + 2 * (l & 3) + (j & 1)]!);
  };
}

const addHalves: Accumulator = (w, rows) => {
  for (let j = 0; j < rows.length; j++)
    for (let l = 0; l < LANES; l++) {
      const at = ((l >> 2) + 8 * j) * N + 2 * (l & 3);
      const word = w.I[rows[j]! + l]!;
      sum[at]! += f16Value(word & 0xffff);
      sum[at + 1]! += f16Value(word >>> 16);
    }
};

export const halfBits = (x: number): number => shortBits(x, 0, F16, Rounding.RN);

const writeHalves: Accumulator = (w, rows) => {
  for (let j = 0; j < rows.length; j++)
    for (let l = 0; l < LANES; l++) {
      const at = ((l >> 2) + 8 * j) * N + 2 * (l & 3);
      w.I[rows[j]! + l] = halfBits(sum[at]!) | (halfBits(sum[at + 1]!) << 16);
    }
};

const addF32 = addBits(f32OfBits);
const writeF32 = writeBits(truncatedF32);
const addS32 = addBits((x) => x);
const writeS32 = writeBits((x) => x | 0);
const writeSaturated = writeBits((x) => Math.min(Math.max(x, -0x80000000), 0x7fffffff));

interface Factors {
  readonly shape: Shape;
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly c: readonly number[];
  readonly d: readonly number[];
  /** Whether c counts: from sm_86 on a uniform predicate may say no. */
  readonly withC: (w: Warp) => number;
}

function factors(s: Site): Factors {
  const shape = shapeOf(s);
  const c = s.operand("c");
  if (c.kind !== Kind.Reg) s.unsupported("operand c");
  return {
    shape,
    a: rowsOf(s, s.operand("a")),
    b: rowsOf(s, s.operand("b")),
    c: rowsOf(s, c),
    d: dstRowsOf(s, s.operand("d")),
    withC: s.predMask("pin"),
  };
}

function signOf(o: Operand): number {
  return (o.mods & Mod.Neg) !== 0 ? -1 : 1;
}

/** HMMA, QMMA, IMMA, OMMA. */
function product(
  s: Site,
  add: Accumulator,
  write: Accumulator,
  [ea, eb]: readonly [Element, Element] = elements(s),
): Exec {
  checkParts(s);
  const f = factors(s);
  const { rows, depth } = f.shape;
  const [sparse, scaled] = [s.has("SP"), s.has("SF")];
  const kept = sparse ? depth / 2 : depth;
  if ((f.a.length * LANES * 32) / ea.bits !== rows * kept || (f.b.length * LANES * 32) / eb.bits !== N * depth)
    s.unsupported("fragments that do not fit the shape");
  const extent = { rows, depth, bits: ea.bits };
  const changes = [...(sparse ? [spread(s, extent)] : []), ...(scaled ? [scale(s, extent, sparse)] : [])];
  const sa = signOf(s.operand("a"));
  const sb = signOf(s.operand("b"));
  return together((w) => {
    unpack(words.a, gatherA(w.I, f.a, rows), ea, sa, values.a);
    unpack(words.b, gatherB(w.I, f.b), eb, sb, values.b);
    for (const change of changes) change(w, values.a, values.b);
    sum.fill(0);
    accumulate(sum, values.a, values.b, rows, N, depth);
    if (f.withC(w) !== 0) add(w, f.c);
    write(w, f.d);
    return Step.Next;
  });
}

function floatProduct(s: Site): Exec {
  if (s.inst.form.mods.includes("884")) return product884(s);
  if (s.has("SATFINITE")) s.unsupported(".SATFINITE");
  return s.choose({ F32: true, F16: false }, true) ? product(s, addF32, writeF32) : product(s, addHalves, writeHalves);
}

function integerProduct(s: Site): Exec {
  return product(s, addS32, s.has("SAT") ? writeSaturated : writeS32);
}

/** OMMA: elements of four bits. */
function nibbleProduct(s: Site): Exec {
  s.has("E2M1");
  s.has("F32");
  const e = elementOf("E2M1.PACKED")!;
  return product(s, addF32, writeF32, [e, e]);
}

/** BMMA: ones in a op b. */
function bitProduct(s: Site): Exec {
  checkParts(s);
  const f = factors(s);
  const and = s.choose({ AND: true, XOR: false }, false);
  if (!s.has("POPC")) s.unsupported("no .POPC");
  const { rows, depth } = f.shape;
  const perRow = depth / 32;
  return together((w) => {
    gatherA(w.I, f.a, rows);
    gatherB(w.I, f.b);
    sum.fill(0);
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < N; j++) {
        let ones = 0;
        for (let k = 0; k < perRow; k++) {
          const a = words.a[i * perRow + k]!;
          const b = words.b[j * perRow + k]!;
          ones += popcount(and ? a & b : a ^ b);
        }
        sum[i * N + j] = ones;
      }
    if (f.withC(w) !== 0) addS32(w, f.c);
    writeS32(w, f.d);
    return Step.Next;
  });
}

// ------------------------------------------------------------------------------------------------ f64

function signed(o: Operand): (x: number) => number {
  const neg = (o.mods & Mod.Neg) !== 0;
  const abs = (o.mods & Mod.Abs) !== 0;
  if (abs) return neg ? (x) => -Math.abs(x) : Math.abs;
  return neg ? (x) => -x : (x) => x;
}

/** Element j of a fragment in lane l. */
function doubleAt(I: Int32Array, from: readonly number[], j: number, l: number): number {
  return doubleOf(I[from[2 * j]! + l]!, I[from[2 * j + 1]! + l]!);
}

function doubleProduct(s: Site): Exec {
  const f = factors(s);
  const mode = s.rounding();
  const { rows, depth } = f.shape;
  const [na, nb, nc] = [f.a.length / 2, f.b.length / 2, f.c.length / 2];
  const [a, b, c] = (["a", "b", "c"] as const).map((n) => signed(s.operand(n))) as [
    (x: number) => number,
    (x: number) => number,
    (x: number) => number,
  ];
  return together((w) => {
    const { I } = w;
    for (let l = 0; l < LANES; l++) {
      const g = l >> 2;
      const t = l & 3;
      for (let j = 0; j < na; j++) {
        const row = rows === 16 ? g + 8 * (j & 1) : g;
        values.a[row * depth + t + 4 * (rows === 16 ? j >> 1 : j)] = a(doubleAt(I, f.a, j, l));
      }
      for (let j = 0; j < nb; j++) values.b[g * depth + t + 4 * j] = b(doubleAt(I, f.b, j, l));
    }
    const withC = f.withC(w) !== 0;
    for (let l = 0; l < LANES; l++)
      for (let j = 0; j < nc; j++)
        sum[((l >> 2) + 8 * (j >> 1)) * N + 2 * (l & 3) + (j & 1)] = withC ? c(doubleAt(I, f.c, j, l)) : 0;
    for (let i = 0; i < rows * N; i++) {
      let x = sum[i]!;
      const ai = (i >> 3) * depth;
      const bj = (i & 7) * depth;
      for (let k = 0; k < depth; k++) x = fma64(values.a[ai + k]!, values.b[bj + k]!, x, mode);
      sum[i] = x;
    }
    for (let l = 0; l < LANES; l++)
      for (let j = 0; j < nc; j++) {
        const x = sum[((l >> 2) + 8 * (j >> 1)) * N + 2 * (l & 3) + (j & 1)]!;
        // No number is the canonical one.
        I[f.d[2 * j]! + l] = Number.isNaN(x) ? 0 : lowOf(x);
        I[f.d[2 * j + 1]! + l] = Number.isNaN(x) ? 0xfff80000 : highOf(x);
      }
    return Step.Next;
  });
}

// ------------------------------------------------------------------------------------------------ sm_75: 8 × 8 × 4

/** Lanes that hold each of the four products of HMMA.884. */
const lanesOf: readonly (readonly number[])[] = [0, 4, 8, 12].map((l) =>
  [0, 1, 2, 3, 16, 17, 18, 19].map((i) => l + i),
);
/** The matrices of one of them. */
const part = { a: new Float64Array(32), b: new Float64Array(32), c: new Float64Array(64) };

/**
 * HMMA.884 on sm_75: four products of 8 × 8 × 4, product q on the lanes 4q … 4q+3 and 16+4q … 16+4q+3 (PTX ISA 9.7.14.5.1, mma.m8n8k4).
 * Step n makes registers 2n and 2n+1 of each lane's D: ptxas writes one step after the other on consecutive pairs. C in f16
 * beside D in f32 is two registers per half of the columns.
 */
function product884(s: Site): Exec {
  const [dHalf, cHalf] = s.inst.form.mods.filter((m) => m === "F16" || m === "F32").map((m) => m === "F16");
  s.has("F16");
  s.has("F32");
  s.has("884");
  if (s.has("SATFINITE")) s.unsupported(".SATFINITE");
  const step = s.choose({ STEP0: 0, STEP1: 1, STEP2: 2, STEP3: 3 }, 0);
  const [a, b, c] = [s.operand("a"), s.operand("b"), s.operand("c")];
  const [aRow, bRow] = [a.part === ".ROW", b.part === ".ROW"];
  const [ra, rb, rc] = [rowsOf(s, a, 2), rowsOf(s, b, 2), rowsOf(s, c, 2)];
  const d = dstRowsOf(s, s.operand("d"), 2);
  const [sa, sb] = [signOf(a), signOf(b)];
  const half = (I: Int32Array, rows: readonly number[], i: number, l: number): number =>
    f16Value((I[rows[i >> 1]! + l]! >>> (16 * (i & 1))) & 0xffff);
  /** Where element i of an f32 accumulator of lane l is. */
  const row = (i: number, l: number): number => (l & 1) + (i & 2) + (l < 16 ? 0 : 4);
  const column = (i: number, l: number): number => (i & 4) + (l & 2) + (i & 1);
  const result = new Int32Array(2 * LANES);
  const at = (r: number, n: number): number => {
    let x = 0;
    for (let k = 0; k < 4; k++) x += part.a[r * 4 + k]! * part.b[n * 4 + k]!;
    return x + part.c[r * 8 + n]!;
  };
  return together((w) => {
    const { I } = w;
    for (let q = 0; q < 4; q++) {
      const lanes = lanesOf[q]!;
      for (const l of lanes) {
        const high = l < 16 ? 0 : 4;
        const t = l & 3;
        for (let i = 0; i < 4; i++) {
          part.a[aRow ? (t + high) * 4 + i : (i + high) * 4 + t] = sa * half(I, ra, i, l);
          part.b[bRow ? (i + high) * 4 + t : (t + high) * 4 + i] = sb * half(I, rb, i, l);
          if (cHalf) part.c[(t + high) * 8 + (dHalf ? 4 * step : 4 * (step >> 1)) + i] = half(I, rc, i, l);
        }
        if (!cHalf)
          for (let j = 0; j < 2; j++)
            part.c[row(2 * step + j, l) * 8 + column(2 * step + j, l)] = f32OfBits(I[rc[j]! + l]!);
      }
      for (const l of lanes)
        for (let j = 0; j < 2; j++) {
          const r = (l & 3) + (l < 16 ? 0 : 4);
          const n = 4 * step + 2 * j;
          const i = 2 * step + j;
          result[j * LANES + l] = dHalf
            ? halfBits(at(r, n)) | (halfBits(at(r, n + 1)) << 16)
            : truncatedF32(at(row(i, l), column(i, l)));
        }
    }
    for (let j = 0; j < 2; j++) for (let l = 0; l < LANES; l++) I[d[j]! + l] = result[j * LANES + l]!;
    return Step.Next;
  });
}

export const tensor: Makers = {
  HMMA: floatProduct,
  QMMA: floatProduct,
  IMMA: integerProduct,
  OMMA: nibbleProduct,
  BMMA: bitProduct,
  DMMA: doubleProduct,
};
