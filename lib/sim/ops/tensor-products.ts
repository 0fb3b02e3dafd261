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
import { halfBits } from "./tensor.js";
import { COLUMNS, ctasOf, indexOf, memoryOf, ROWS } from "./tensor-columns.js";
import { type Described, describe } from "./tensor-instruction.js";
import { columnShift, type Scales, scaleRows, spreadRows, zeroColumns } from "./tensor-memory-factors.js";
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
}

/** Bytes of a row of A as it is stored. */
const BYTES = 32;

/** Elements from bytes; of those with 4 or 6 bits in containers, from shared memory, first into containers. */
function valuesOf(bytes: Uint8Array, e: Element, sign: number, contained: boolean): Float64Array {
  const bits = e.name === "E2M1" ? 4 : e.name === "E2M3" || e.name === "E3M2" ? 6 : 8;
  const spread = contained ? rowBytes(bytes, bits) : bytes;
  const words = new Int32Array(spread.buffer);
  const out = new Float64Array((words.length * 32) / e.bits);
  unpack(words, words.length, e, sign, out);
  return out;
}

/** A of a CTA for one part of D, with zeros and scales. */
function rowsOfA(p: Product, cta: Cta, part: number): Float64Array {
  const { words } = memoryOf(cta);
  const { layout } = p;
  const lanes = (part * ROWS) / layout.parts;
  let values: Float64Array;
  if (p.factorA !== null) values = valuesOf(readRows(cta, p.factorA), p.typeA, p.signA, true);
  else {
    const at = ((p.t! >>> 16) + lanes) * COLUMNS + (p.t! & 0xffff);
    const stored = new Int32Array((layout.rows * BYTES) / 4);
    for (let r = 0; r < layout.rows; r++) {
      const from = at + layout.laneOf(r) * COLUMNS;
      stored.set(words.subarray(from, from + BYTES / 4), (r * BYTES) / 4);
    }
    values = valuesOf(new Uint8Array(stored.buffer), p.typeA, p.signA, false);
  }
  if (p.sparse)
    values = spreadRows(
      words,
      {
        address: p.metadata,
        selector: p.selector,
        bits: p.typeA.bits,
        rows: layout.rows,
        depth: p.depth,
        laneOf: (row) => lanes + layout.laneOf(row),
      },
      values,
    );
  if (p.scales !== null)
    scaleRows(words, scalesOf(p, 0), values, p.depth, (row) => [lanes + 32 * ((row >> 5) % (4 / layout.parts)), row]);
  return values;
}

const scalesOf = (p: Product, of: 0 | 1): Scales => ({
  address: p.scales![of],
  byte: of === 0 ? p.scaleA : p.scaleB,
  blocks: p.blocks,
  powers: p.powers,
});

/** Columns of B from all CTAs. */
function columnsOfB(p: Product): Float64Array {
  const each = p.ctas.map((cta) => valuesOf(readRows(cta, p.factorB), p.typeB, p.signB, true));
  const all = new Float64Array(p.columns * p.depth);
  each.forEach((x, i) => {
    all.set(x.subarray(0, p.columns * p.depth), i * x.length);
  });
  if (p.zeroed === null) return all;
  const [lo, hi] = p.zeroed;
  zeroColumns(lo, hi, p.columns, p.layout.parts).forEach((zero, j) => {
    if (zero) all.fill(0, j * p.depth, (j + 1) * p.depth);
  });
  return all;
}

/** One part of D in one CTA. */
function multiplyPart(p: Product, cta: Cta, rank: number, part: number, b: Float64Array): void {
  const { layout, columns, depth } = p;
  const { words } = memoryOf(cta);
  const share = columns / layout.parts;
  const lanes = (part * ROWS) / layout.parts;
  const own = b.slice(part * share * depth, (part + 1) * share * depth);
  if (p.scales !== null) scaleRows(words, scalesOf(p, 1), own, depth, (row) => [lanes, row]);
  const at = ((p.d >>> 16) + lanes) * COLUMNS + (p.d & 0xffff);
  const sum = new Float64Array(layout.rows * share);
  const factor = 2 ** -p.exponent;
  if (p.adds)
    for (let r = 0; r < layout.rows; r++)
      for (let j = 0; j < share; j++) {
        const old = words[at + layout.laneOf(r) * COLUMNS + j]!;
        sum[r * share + j] =
          p.sums === "s32" ? old : factor * (p.sums === "f16" ? f16Value(old & 0xffff) : f32OfBits(old));
      }
  accumulate(sum, rowsOfA(p, cta, part), own, layout.rows, share, depth);
  for (let r = 0; r < layout.rows; r++) {
    const lane = (p.d >>> 16) + lanes + layout.laneOf(r);
    if ((((p.leftOut[4 * rank + (lane >> 5)] ?? 0) >>> (lane & 31)) & 1) !== 0) continue;
    for (let j = 0; j < share; j++) words[at + layout.laneOf(r) * COLUMNS + j] = written(p, sum[r * share + j]!);
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
  const p: Product = { ...d, ...o, typeA: d.a, typeB: d.b, layout, ctas, depth, factorA, factorB };
  const act = (): Step => {
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
