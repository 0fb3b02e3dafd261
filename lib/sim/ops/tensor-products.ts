/**
 * Products in tensor memory of every kind (UTCHMMA, UTCIMMA, UTCQMMA, UTCOMMA): sparse, scaled, of one CTA or a pair, with stationary weights (.WS). Dense ones of 128 rows of one CTA
 * have a shorter path (tensor-memory.ts).
 *
 * Layouts of D (PTX ISA 9.7.16.10.5, figures as CUTLASS's fragments have them, include/cute/atom/mma_traits_sm100_frag.hpp, BSD-3-Clause), rows of a CTA:
 * 128: row r in lane r; 64, dense of a pair or .WS: row r in lanes r and r + 64, which have halves of the columns; 32 (.WS): in lanes r + 32 q, quarters;
 * 64 otherwise: sixteen lanes of each warp's part. A in tensor memory lies likewise, whole in every part. Each CTA of a pair has its half of A's rows, of B's columns and of
 * D's rows. Numbers as in tensor.ts, sums rounded once: assumed.
 */
import { accumulate, type Element, truncatedF32, unpack } from "../number/elements.js";
import { f32OfBits } from "../number/f32.js";
import { f16Value } from "../number/half.js";
import type { Site } from "../site.js";
import { type Cta, type Exec, Step, type Warp } from "../state.js";
import { type Factor, factorOf, readRows, rowBytes } from "../tensor-descriptor.js";
import type { BlockProducts } from "../wasm/block-products.js";
import type { Scaling } from "../wasm/scales.js";
import { type RowsFactors, rowElements, type ScaleValues } from "../wasm/tensor-rows.js";
import { halfBits } from "./tensor.js";
import { COLUMNS, ctasOf, indexOf, ROWS, wordsFor } from "./tensor-columns.js";
import { type Described, describe } from "./tensor-instruction.js";
import { columnShift, type Scales, scaleRows, scalesOfRows, spreadRows, zeroColumns } from "./tensor-memory-factors.js";
import { inOrder } from "./tensor-moves.js";

interface Layout {
  /** Rows of a CTA. */
  readonly rows: number;
  /** Parts of the lanes, each with its share of the columns. */
  readonly parts: number;
  /** Lane of a row in the first part. */
  readonly laneOf: (row: number) => number;
}

/** Null: there is no such product. */
function layoutOf(d: Described, pair: boolean, weights: boolean): Layout | null {
  const rows = pair ? d.rows / 2 : d.rows;
  const straight = (row: number): number => row;
  if (rows === 128) return { rows, parts: 1, laneOf: straight };
  if (weights && (rows === 64 || rows === 32)) return { rows, parts: ROWS / rows, laneOf: straight };
  if (weights || rows !== 64) return null;
  if (pair && !d.sparse) return { rows, parts: 2, laneOf: straight };
  return { rows, parts: 1, laneOf: (row) => (row & 15) + 32 * (row >> 4) };
}

/** Where the operands of a product are. */
interface Operands {
  readonly pair: boolean;
  readonly weights: boolean;
  readonly d: number;
  /** A in tensor memory, else null. */
  readonly t: number | null;
  readonly a: readonly [lo: number, hi: number];
  readonly b: readonly [lo: number, hi: number];
  readonly metadata: number;
  readonly scales: readonly [a: number, b: number] | null;
  /** Blocks along k that have scales of their own. */
  readonly blocks: number;
  readonly leftOut: readonly number[];
  readonly zeroed: readonly [lo: number, hi: number] | null;
  readonly adds: boolean;
  readonly exponent: number;
}

interface Product extends Operands, Omit<Described, "a" | "b"> {
  readonly typeA: Element;
  readonly typeB: Element;
  readonly layout: Layout;
  readonly ctas: readonly Cta[];
  /** Elements of a row of A and of a column of B. */
  readonly depth: number;
  readonly factorA: Factor | null;
  readonly factorB: Factor;
  readonly products: BlockProducts | null;
}

/** Bytes of a row of A as it is stored. */
const BYTES = 32;

/** Words of elements: of those with 4 or 6 bits in containers, from shared memory, first into containers. */
function wordsOf(bytes: Uint8Array, e: Element, contained: boolean): Uint8Array {
  const bits = e.name === "E2M1" ? 4 : e.name === "E2M3" || e.name === "E3M2" ? 6 : 8;
  return contained ? rowBytes(bytes, bits) : bytes;
}

/** A of a CTA for one part of D, with zeros, from its tensor memory or its shared memory. */
function rowsOfA(p: Product, cta: Cta, words: Int32Array, part: number): Int32Array {
  const { layout } = p;
  const lanes = (part * ROWS) / layout.parts;
  let bytes: Uint8Array;
  if (p.factorA !== null) bytes = wordsOf(readRows(cta, p.factorA), p.typeA, true);
  else {
    const at = ((p.t! >>> 16) + lanes) * COLUMNS + (p.t! & 0xffff);
    const stored = new Int32Array((layout.rows * BYTES) / 4);
    for (let r = 0; r < layout.rows; r++) {
      const from = at + layout.laneOf(r) * COLUMNS;
      stored.set(words.subarray(from, from + BYTES / 4), (r * BYTES) / 4);
    }
    bytes = wordsOf(new Uint8Array(stored.buffer), p.typeA, false);
  }
  if (p.sparse) {
    const { metadata, selector, typeA } = p;
    const laneOf = (row: number): number => lanes + layout.laneOf(row);
    const sparse = { address: metadata, selector, bits: typeA.bits, rows: layout.rows, laneOf };
    bytes = spreadRows(words, sparse, bytes);
  }
  return new Int32Array(bytes.buffer);
}

const scalesOf = (p: Product, of: 0 | 1): Scales => ({
  address: p.scales![of],
  byte: of === 0 ? p.scaleA : p.scaleB,
  blocks: p.blocks,
  powers: p.powers,
});

/** Columns of B from all CTAs. */
function columnsOfB(p: Product): Int32Array {
  const each = p.ctas.map((cta) => new Int32Array(wordsOf(readRows(cta, p.factorB), p.typeB, true).buffer));
  const perColumn = (p.depth * p.typeB.bits) / 32;
  const all = new Int32Array(p.columns * perColumn);
  each.forEach((x, i) => {
    all.set(x.subarray(0, all.length - i * x.length), i * x.length);
  });
  if (p.zeroed === null) return all;
  const [lo, hi] = p.zeroed;
  zeroColumns(lo, hi, p.columns, p.layout.parts).forEach((zero, j) => {
    if (zero) all.fill(0, j * perColumn, (j + 1) * perColumn);
  });
  return all;
}

/** One part of D in one CTA: its rows and columns, its first word, and which of its rows stay as they are. */
interface Part extends RowsFactors {
  readonly words: Int32Array;
  readonly at: number;
  readonly columns: number;
  readonly isLeftOut: (row: number) => boolean;
}

function multiplyPart(p: Product, cta: Cta, rank: number, part: number, b: Int32Array): void {
  const { layout, leftOut } = p;
  const words = wordsFor(cta, p.products);
  const columns = p.columns / layout.parts;
  const lanes = (part * ROWS) / layout.parts;
  const perColumn = b.length / p.columns;
  const placeOfA = (row: number): readonly [number, number] => [lanes + 32 * ((row >> 5) % (4 / layout.parts)), row];
  const scales =
    p.scales === null
      ? null
      : {
          a: scalesOfRows(words, scalesOf(p, 0), layout.rows, placeOfA),
          b: scalesOfRows(words, scalesOf(p, 1), columns, (row) => [lanes, row]),
        };
  const first = (p.d >>> 16) + lanes;
  const made: Part = {
    a: rowsOfA(p, cta, words, part),
    b: b.subarray(part * columns * perColumn, (part + 1) * columns * perColumn),
    scales,
    words,
    at: first * COLUMNS + (p.d & 0xffff),
    columns,
    isLeftOut: (row) => {
      const lane = first + layout.laneOf(row);
      return (((leftOut[4 * rank + (lane >> 5)] ?? 0) >>> (lane & 31)) & 1) !== 0;
    },
  };
  if (!translated(p, made)) multiply(p, made);
}

/** The part by translated code; false: for some reason not. */
function translated(p: Product, made: Part): boolean {
  const { products, layout, sparse, blocks, powers, exponent, adds, leftOut } = p;
  const { words, at, columns, scales, isLeftOut } = made;
  if (products === null || !products.holds(words) || columns % 8 !== 0) return false;
  const sums = ({ f16: "half", f32: "float", s32: p.saturates ? "saturated" : "integer" } as const)[p.sums];
  const scaling = scales === null ? null : ({ blocks, powers } as Scaling);
  const elements = rowElements([p.typeA.name, p.typeB.name], sums, scaling);
  if (elements === null) return false;
  const [a, b] = elements;
  const kind = { a, b, negA: p.signA < 0, negB: p.signB < 0, sums, words: sparse ? 16 : 8, exponent, scaling } as const;
  const rowAt = (row: number): number => at + layout.laneOf(row) * COLUMNS;
  const kept: [from: number, row: Int32Array][] = [];
  for (let row = 0; row < layout.rows; row++) {
    const from = rowAt(row);
    if (leftOut.length > 0 && isLeftOut(row)) kept.push([from, words.slice(from, from + columns)]);
    else if (!adds) words.fill(0, from, from + columns);
  }
  const place = { at, rows: layout.rows, columns, lanes: layout.laneOf(16) };
  if (!products.rows.add(words, kind, made, place)) return false;
  for (const [from, row] of kept) words.set(row, from);
  return true;
}

/** The part in closures. */
function multiply(p: Product, { words, a, b, scales, at, columns, isLeftOut }: Part): void {
  const { layout, depth } = p;
  const valuesOf = (list: Int32Array, e: Element, sign: number, of: ScaleValues | undefined): Float64Array => {
    const out = new Float64Array((list.length * 32) / e.bits);
    unpack(list, list.length, e, sign, out);
    if (of !== undefined) scaleRows(out, of.values, depth / p.blocks);
    return out;
  };
  const sum = new Float64Array(layout.rows * columns);
  const factor = 2 ** -p.exponent;
  if (p.adds)
    for (let r = 0; r < layout.rows; r++)
      for (let j = 0; j < columns; j++) {
        const old = words[at + layout.laneOf(r) * COLUMNS + j]!;
        sum[r * columns + j] =
          p.sums === "s32" ? old : factor * (p.sums === "f16" ? f16Value(old & 0xffff) : f32OfBits(old));
      }
  const [x, y] = [valuesOf(a, p.typeA, p.signA, scales?.a), valuesOf(b, p.typeB, p.signB, scales?.b)];
  accumulate(sum, x, y, layout.rows, columns, depth);
  for (let r = 0; r < layout.rows; r++) {
    if (isLeftOut(r)) continue;
    for (let j = 0; j < columns; j++) words[at + layout.laneOf(r) * COLUMNS + j] = written(p, sum[r * columns + j]!);
  }
}

function written(p: Product, x: number): number {
  if (p.sums === "f16") return halfBits(x);
  if (p.sums === "f32") return truncatedF32(x);
  return p.saturates ? Math.max(-0x80000000, Math.min(0x7fffffff, x)) : x | 0;
}

/** Begins a product. */
function start(w: Warp, op: string, o: Operands, word: number): Step {
  const scaled = o.scales !== null;
  const d = describe(op, scaled, word);
  const layout = d === null ? null : layoutOf(d, o.pair, o.weights);
  if (d === null || layout === null || (d.sparse && d.a.bits >= 16 && layout.rows === 64 && !o.weights))
    return w.fault("not-supported", w.active, "not supported by the simulator: this product in tensor memory");
  const ctas = ctasOf(w, o.pair);
  if (ctas === null) return Step.Fault;
  const kept = (8 * BYTES) / d.a.bits;
  const depth = d.sparse ? 2 * kept : kept;
  const shift = o.zeroed === null ? 0 : columnShift(o.zeroed[1]);
  const bytes = (depth * d.b.bits) / 8;
  const factorA =
    o.t === null ? factorOf(w, ...o.a, { rows: layout.rows, bytes: BYTES, bits: d.a.bits, turned: d.turnA }) : null;
  const factorB = factorOf(w, ...o.b, { rows: d.columns / ctas.length, bytes, bits: d.b.bits, turned: d.turnB });
  if (shift !== 0) return w.fault("not-supported", w.active, "not supported by the simulator: a shift of B's columns");
  const lanes = layout.laneOf(layout.rows - 1) + ROWS - ROWS / layout.parts + 1;
  const from = o.t === null ? 0 : indexOf(w, o.t, lanes, BYTES / 4);
  if (factorB === null || (o.t === null && factorA === null) || from < 0) return Step.Fault;
  if (indexOf(w, o.d, lanes, d.columns / layout.parts) < 0) return Step.Fault;
  const asked = { ...d, ...o, typeA: d.a, typeB: d.b, layout, ctas, depth, factorA, factorB };
  const act = (): Step => {
    const p: Product = { ...asked, products: w.machine.products };
    const b = columnsOfB(p);
    ctas.forEach((cta, rank) => {
      for (let part = 0; part < layout.parts; part++) multiplyPart(p, cta, rank, part, b);
    });
    return Step.Next;
  };
  const at = new Int32Array((factorA?.sources.length ?? 0) + factorB.sources.length);
  if (factorA !== null) at.set(factorA.sources);
  at.set(factorB.sources, factorA?.sources.length ?? 0);
  return inOrder(w, act, at);
}

/** The instruction that begins a product of any kind. */
export function anyProduct(s: Site): Exec {
  const { op } = s.inst.form;
  const pair = s.has("2CTA");
  const weights = s.has("WS");
  if (s.has("ASHIFT")) s.unsupported("shifted rows of A");
  const [first, t, second] = [s.operand("a"), s.operand("t"), s.operand("b")];
  const inTensor = first.width === 0;
  // What is kept in collector buffers is there anyway.
  for (const o of [first, t, second]) void o.part;
  const two = (o: typeof first): ((w: Warp) => readonly [number, number]) => {
    const [lo, hi] = [s.scalar(o)!, s.scalar(o, 1)!];
    return (w) => [lo(w), hi(w)];
  };
  const [a, b] = [inTensor ? (): readonly [number, number] => [0, 0] : two(first), two(second)];
  const inside = inTensor ? s.scalar(t)! : null;
  const d = s.scalar(s.operand("d"))!;
  const e = two(s.operand("e"));
  const scaled = s.operand("s").width > 0;
  const scales = two(s.operand("s"));
  const fine = s.has("4X") || s.has("BLOCK16");
  const blocks = op === "UTCOMMA" ? (fine ? 4 : 2) : 1;
  const c = s.operand("c");
  const zeroed = weights && c.id >= 0 ? two(c) : null;
  const masks = weights || c.id < 0 ? [] : Array.from({ length: c.width }, (_, i) => s.scalar(c, i)!);
  const exponent = s.find("n") === null ? 0 : s.imm("n");
  const adds = s.predMask("pin");
  return (w) => {
    const [metadata, word] = e(w);
    return start(
      w,
      op,
      {
        pair,
        weights,
        d: d(w),
        t: inside === null ? null : inside(w),
        a: a(w),
        b: b(w),
        metadata,
        scales: scaled ? scales(w) : null,
        blocks,
        leftOut: masks.map((x) => x(w)),
        zeroed: zeroed === null ? null : zeroed(w),
        adds: adds(w) !== 0,
        exponent,
      },
      word,
    );
  };
}
