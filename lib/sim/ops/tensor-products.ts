/**
 * Products in tensor memory (sm_100a and its kin) of every kind (UTCHMMA, UTCIMMA, UTCQMMA, UTCOMMA): dense, sparse, scaled, of one CTA or a pair, with stationary weights (.WS).
 * They are in flight until an arrival (UTCBAR, tensor-memory.ts) that follows them.
 *
 * Layouts of D (PTX ISA 9.7.16.10.5, figures as CUTLASS's fragments have them, include/cute/atom/mma_traits_sm100_frag.hpp, BSD-3-Clause), rows of a CTA:
 * 128: row r in lane r; 64, dense of a pair or .WS: row r in lanes r and r + 64, which have halves of the columns; 32 (.WS): in lanes r + 32 q, quarters;
 * 64 otherwise: sixteen lanes of each warp's part. A in tensor memory lies likewise, whole in every part. Each CTA of a pair has its half of A's rows, of B's columns and of
 * D's rows. Numbers as in tensor.ts, sums rounded once for each product: assumed.
 */
import { accumulate, type Element, truncatedF32, unpack } from "../number/elements.js";
import { f32OfBits } from "../number/f32.js";
import { f16Value } from "../number/half.js";
import type { Site } from "../site.js";
import { type Cta, type Exec, Step, type Warp } from "../state.js";
import { type Factor, factorOf, readRows, rowBytes } from "../tensor-descriptor.js";
import type { BlockProducts } from "../wasm/block-products.js";
import type { Scaling } from "../wasm/scales.js";
import { type FactorRows, type RowsKind, rowElements, type ScaleValues } from "../wasm/tensor-rows.js";
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

/** What an instruction says of its products. */
interface Form {
  readonly op: string;
  readonly pair: boolean;
  readonly weights: boolean;
  readonly scaled: boolean;
  /** Blocks along k that have scales of their own. */
  readonly blocks: 1 | 2 | 4;
  /** D is divided by 2 to this power before. */
  readonly exponent: number;
}

/** What that and the descriptor of an instruction come to. */
interface Shape extends Omit<Described, "a" | "b">, Form {
  readonly typeA: Element;
  readonly typeB: Element;
  readonly layout: Layout;
  /** Elements of a row of A and of a column of B. */
  readonly depth: number;
  /** How it is translated; null: it is not. */
  readonly kind: RowsKind | null;
}

/** Where the operands of a product are. */
interface Operands {
  readonly d: number;
  /** A in tensor memory, else null. */
  readonly t: number | null;
  readonly a: readonly [lo: number, hi: number];
  readonly b: readonly [lo: number, hi: number];
  readonly metadata: number;
  readonly scales: readonly [a: number, b: number] | null;
  readonly leftOut: readonly number[];
  readonly zeroed: readonly [lo: number, hi: number] | null;
  readonly adds: boolean;
}

interface Product {
  readonly shape: Shape;
  readonly at: Operands;
  readonly ctas: readonly Cta[];
  readonly factorA: Factor | null;
  readonly factorB: Factor;
  readonly products: BlockProducts | null;
}

/** The shape of products with this descriptor; null: there is none, or it is not built. */
function shapeOf(form: Form, word: number): Shape | null {
  const described = describe(form.op, form.scaled, word);
  const layout = described === null ? null : layoutOf(described, form.pair, form.weights);
  if (described === null || layout === null) return null;
  const { a: typeA, b: typeB, ...rest } = described;
  if (rest.sparse && typeA.bits >= 16 && layout.rows === 64 && !form.weights) return null;
  const kept = (8 * BYTES) / typeA.bits;
  const shape = { ...rest, ...form, typeA, typeB, layout, depth: rest.sparse ? 2 * kept : kept };
  return { ...shape, kind: kindOf(shape) };
}

/** How products are translated. */
function kindOf(s: Omit<Shape, "kind">): RowsKind | null {
  const { blocks, powers, exponent } = s;
  const sums = ({ f16: "half", f32: "float", s32: s.saturates ? "saturated" : "integer" } as const)[s.sums];
  const scaling: Scaling | null = s.scaled ? { blocks, powers } : null;
  const elements = rowElements([s.typeA.name, s.typeB.name], sums, scaling);
  if (elements === null || (s.columns / s.layout.parts) % 8 !== 0 || (s.pair && s.columns % 16 !== 0)) return null;
  const [a, b] = elements;
  return { a, b, negA: s.signA < 0, negB: s.signB < 0, sums, words: s.sparse ? 16 : 8, exponent, scaling };
}

/** Bytes of a row of A as it is stored. */
const BYTES = 32;

/** Bits of elements that stand packed in shared memory and in bytes elsewhere. */
const packedBits = ({ name }: Element): 4 | 6 | null =>
  name === "E2M1" ? 4 : name === "E2M3" || name === "E3M2" ? 6 : null;

/** Words of elements of rows of shared memory. */
const sharedWords = (cta: Cta, f: Factor, e: Element): Int32Array =>
  new Int32Array(rowBytes(readRows(cta, f), packedBits(e) ?? 8).buffer);

/** Index of the first lane of a part of D, or of what lies likewise at an address. */
const partAt = (p: Product, address: number, part: number): number =>
  ((address >>> 16) + (part * ROWS) / p.shape.layout.parts) * COLUMNS + (address & 0xffff);

// ------------------------------------------------------------------------------------------------ in closures

/** A of a CTA for one part of D, with zeros, from its tensor memory or its shared memory. */
function rowsOfA(p: Product, cta: Cta, words: Int32Array, part: number): Int32Array {
  const { layout } = p.shape;
  let stored: Int32Array;
  if (p.factorA !== null) stored = sharedWords(cta, p.factorA, p.shape.typeA);
  else {
    const at = partAt(p, p.at.t!, part);
    stored = new Int32Array((layout.rows * BYTES) / 4);
    for (let r = 0; r < layout.rows; r++) {
      const from = at + layout.laneOf(r) * COLUMNS;
      stored.set(words.subarray(from, from + BYTES / 4), (r * BYTES) / 4);
    }
  }
  if (!p.shape.sparse) return stored;
  const { selector, typeA } = p.shape;
  const laneOf = (row: number): number => (part * ROWS) / layout.parts + layout.laneOf(row);
  const sparse = { address: p.at.metadata, selector, bits: typeA.bits, rows: layout.rows, laneOf };
  return new Int32Array(spreadRows(words, sparse, new Uint8Array(stored.buffer)).buffer);
}

/** The scales of rows and columns of a part of D. */
function scalesOf(p: Product, words: Int32Array, part: number): { readonly a: ScaleValues; readonly b: ScaleValues } {
  const { blocks, powers, layout } = p.shape;
  const lanes = (part * ROWS) / layout.parts;
  const of = (side: 0 | 1): Scales => ({
    address: p.at.scales![side],
    byte: side === 0 ? p.shape.scaleA : p.shape.scaleB,
    blocks,
    powers,
  });
  return {
    a: scalesOfRows(words, of(0), layout.rows, (row) => lanes + 32 * ((row >> 5) % (4 / layout.parts))),
    b: scalesOfRows(words, of(1), p.shape.columns / layout.parts, () => lanes),
  };
}

/** Columns of B from all CTAs. */
function columnsOfB(p: Product): Int32Array {
  const each = p.ctas.map((cta) => sharedWords(cta, p.factorB, p.shape.typeB));
  const perColumn = (p.shape.depth * p.shape.typeB.bits) / 32;
  const all = new Int32Array(p.shape.columns * perColumn);
  each.forEach((x, i) => {
    all.set(x.subarray(0, all.length - i * x.length), i * x.length);
  });
  zerosOf(p)?.forEach((zero, j) => {
    if (zero) all.fill(0, j * perColumn, (j + 1) * perColumn);
  });
  return all;
}

/** Which columns of B become zeros. */
function zerosOf({ at: { zeroed }, shape }: Product): readonly boolean[] | null {
  return zeroed === null ? null : zeroColumns(zeroed[0], zeroed[1], shape.columns, shape.layout.parts);
}

/** Does a row of D stay as it is? `lane`: its own. */
const isLeftOut = ({ leftOut }: Operands, rank: number, lane: number): boolean =>
  (((leftOut[4 * rank + (lane >> 5)] ?? 0) >>> (lane & 31)) & 1) !== 0;

/** One part of D in one CTA. */
function multiply(p: Product, cta: Cta, rank: number, part: number, allOfB: Int32Array): void {
  const { layout, depth } = p.shape;
  const words = wordsFor(cta, p.products);
  const columns = p.shape.columns / layout.parts;
  const b = allOfB.subarray((part * allOfB.length) / layout.parts, ((part + 1) * allOfB.length) / layout.parts);
  const scales = p.at.scales === null ? null : scalesOf(p, words, part);
  const valuesOf = (list: Int32Array, e: Element, sign: number, of: ScaleValues | undefined): Float64Array => {
    const out = new Float64Array((list.length * 32) / e.bits);
    unpack(list, list.length, e, sign, out);
    if (of !== undefined) scaleRows(out, of.values, depth / p.shape.blocks);
    return out;
  };
  const at = partAt(p, p.at.d, part);
  const sum = new Float64Array(layout.rows * columns);
  const factor = 2 ** -p.shape.exponent;
  if (p.at.adds)
    for (let r = 0; r < layout.rows; r++)
      for (let j = 0; j < columns; j++) {
        const old = words[at + layout.laneOf(r) * COLUMNS + j]!;
        sum[r * columns + j] =
          p.shape.sums === "s32" ? old : factor * (p.shape.sums === "f16" ? f16Value(old & 0xffff) : f32OfBits(old));
      }
  const x = valuesOf(rowsOfA(p, cta, words, part), p.shape.typeA, p.shape.signA, scales?.a);
  const y = valuesOf(b, p.shape.typeB, p.shape.signB, scales?.b);
  accumulate(sum, x, y, layout.rows, columns, depth);
  for (let r = 0; r < layout.rows; r++) {
    const row = at + layout.laneOf(r) * COLUMNS;
    if (isLeftOut(p.at, rank, Math.floor(row / COLUMNS))) continue;
    for (let j = 0; j < columns; j++) words[row + j] = written(p, sum[r * columns + j]!);
  }
}

function written(p: Product, x: number): number {
  if (p.shape.sums === "f16") return halfBits(x);
  if (p.shape.sums === "f32") return truncatedF32(x);
  return p.shape.saturates ? Math.max(-0x80000000, Math.min(0x7fffffff, x)) : x | 0;
}

// ------------------------------------------------------------------------------------------------ translated

const pieces: Int32Array = new Int32Array((ROWS * BYTES) / 16);

/** A factor in shared memory, for translated code. */
function sharedRows(cta: Cta, f: Factor, e: Element): FactorRows {
  if (f.turned && (f.bits !== 16 || f.rows % 8 !== 0)) return { from: sharedWords(cta, f, e), packed: null };
  return {
    from: { address: cta.shared.bytes.byteOffset, pieces: f.at, turned: f.turned },
    packed: packedBits(e),
  };
}

/** A in tensor memory, for translated code. */
function heldRows(p: Product, words: Int32Array, part: number): FactorRows {
  const { rows, laneOf } = p.shape.layout;
  const at = partAt(p, p.at.t!, part);
  for (let r = 0; r < rows; r++) {
    pieces[2 * r] = 4 * (at + laneOf(r) * COLUMNS);
    pieces[2 * r + 1] = pieces[2 * r]! + 16;
  }
  return { from: { address: words.byteOffset, pieces: pieces.subarray(0, 2 * rows), turned: false }, packed: null };
}

/** The product by translated code; false: for some reason not, nothing has been done. */
function translated(p: Product): boolean {
  const { products, ctas, shape } = p;
  const { kind, layout } = shape;
  if (products === null || kind === null) return false;
  const { rows } = products;
  if (!ctas.every((cta) => rows.holds(wordsFor(cta, products)) && rows.holds(cta.shared.words))) return false;
  const lanes = layout.laneOf(16);
  const last = layout.parts - 1;
  // What is beyond the end of tensor memory is for the closures.
  const end = partAt(p, p.at.metadata, last) + layout.laneOf(layout.rows - 1) * COLUMNS + Math.max(1, shape.selector);
  if (shape.sparse && end >= ROWS * COLUMNS) return false;
  const columns = shape.columns / layout.parts;
  ctas.forEach((cta, i) => {
    rows.takeColumns(kind, sharedRows(cta, p.factorB, shape.typeB), (i * shape.columns) / ctas.length);
  });
  const zeros = zerosOf(p);
  if (zeros !== null) rows.clearColumns(kind, zeros);
  ctas.forEach((cta, rank) => {
    const words = wordsFor(cta, products);
    for (let part = 0; part <= last; part++) {
      const at = partAt(p, p.at.d, part);
      const place = { at, rows: layout.rows, firstColumn: part * columns, columns, lanes };
      const metadata = shape.sparse ? { at: partAt(p, p.at.metadata, part), selector: shape.selector } : null;
      // Rows in shared memory are the same for all parts; metadata are not.
      const sameRows = part > 0 && p.factorA !== null && !shape.sparse;
      if (!sameRows) {
        const a = p.factorA === null ? heldRows(p, words, part) : sharedRows(cta, p.factorA, shape.typeA);
        rows.takeRows(kind, a, place, words, metadata);
      }
      if (p.at.scales !== null) {
        const scales = scalesOf(p, words, part);
        rows.takeScales(kind, scales.a, scales.b);
      }
      const kept: [from: number, row: Int32Array][] = [];
      const leavesOut = p.at.leftOut.some((mask) => mask !== 0);
      if (leavesOut || !p.at.adds)
        for (let r = 0; r < layout.rows; r++) {
          const from = at + layout.laneOf(r) * COLUMNS;
          if (leavesOut && isLeftOut(p.at, rank, Math.floor(from / COLUMNS)))
            kept.push([from, words.slice(from, from + columns)]);
          else if (!p.at.adds) words.fill(0, from, from + columns);
        }
      rows.add(words, kind, place, sameRows);
      for (const [from, row] of kept) words.set(row, from);
    }
  });
  return true;
}

// ------------------------------------------------------------------------------------------------ the instruction

/** Begins a product. */
function start(w: Warp, shape: Shape | null, o: Operands): Step {
  if (shape === null)
    return w.fault("not-supported", w.active, "not supported by the simulator: this product in tensor memory");
  const { layout, typeA, typeB, depth } = shape;
  const ctas = ctasOf(w, shape.pair);
  if (ctas === null) return Step.Fault;
  const bytes = (depth * typeB.bits) / 8;
  const factorA =
    o.t === null
      ? factorOf(w, ...o.a, { rows: layout.rows, bytes: BYTES, bits: typeA.bits, turned: shape.turnA })
      : null;
  const rowsB = shape.columns / ctas.length;
  const factorB = factorOf(w, ...o.b, { rows: rowsB, bytes, bits: typeB.bits, turned: shape.turnB });
  if (o.zeroed !== null && columnShift(o.zeroed[1]) !== 0)
    return w.fault("not-supported", w.active, "not supported by the simulator: a shift of B's columns");
  const lanes = layout.laneOf(layout.rows - 1) + ROWS - ROWS / layout.parts + 1;
  const from = o.t === null ? 0 : indexOf(w, o.t, lanes, BYTES / 4);
  if (factorB === null || (o.t === null && factorA === null) || from < 0) return Step.Fault;
  if (indexOf(w, o.d, lanes, shape.columns / layout.parts) < 0) return Step.Fault;
  const act = (): Step => {
    const p: Product = { shape, at: o, ctas, factorA, factorB, products: w.machine.products };
    if (translated(p)) return Step.Next;
    const b = columnsOfB(p);
    ctas.forEach((cta, rank) => {
      for (let part = 0; part < layout.parts; part++) multiply(p, cta, rank, part, b);
    });
    return Step.Next;
  };
  return inOrder(w, act, factorA === null ? [factorB] : [factorA, factorB]);
}

/** The instruction that begins a product. */
export function product(s: Site): Exec {
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
  const form = { op, pair, weights, scaled, blocks, exponent } as const;
  // What the descriptor was that came last, mostly the only one.
  let last: { readonly word: number; readonly shape: Shape | null } | null = null;
  return (w) => {
    const [metadata, word] = e(w);
    if (last?.word !== word) last = { word, shape: shapeOf(form, word) };
    return start(w, last.shape, {
      d: d(w),
      t: inside === null ? null : inside(w),
      a: a(w),
      b: b(w),
      metadata,
      scales: scaled ? scales(w) : null,
      leftOut: masks.map((x) => x(w)),
      zeroed: zeroed === null ? null : zeroed(w),
      adds: adds(w) !== 0,
    });
  };
}
