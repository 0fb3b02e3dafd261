/**
 * Factors of matrix products, taken out of registers: where the elements are is said in ops/tensor.ts. What is made of a factor lies in a slot, so that
 * the next product with the same registers finds it there (translate.ts knows when they have changed):
 *
 * - as f32: A (of 16 rows) by row and k, B by k and column; as f64 the same, once a product needs them;
 * - as pairs of 16-bit integers, elements 2 p and 2 p + 1: A by row and p, B by p and column. Floats are integers of at most 13 bits times a power
 *   of two where that is exact, so that sums of 32 products fit into 32 bits; where it is not the factor is not `narrow`;
 * - of packed E2M1 as pairs only, of integers twice the elements;
 * - of single bits as words, in the places of the pairs; of f64 as f64 (doubles.ts).
 */
import { doublesOfFactor } from "./doubles.js";
import { float, isInteger, pairs, perWord } from "./elements.js";
import { type Fn, Type } from "./encoder.js";
import { ROW_BYTES } from "./layout.js";
import { Op } from "./opcodes.js";
import { quadFactor } from "./quads.js";
import {
  type FactorKind,
  f32At,
  f64At,
  I16_AT,
  NARROW,
  pairBytes,
  registersOf,
  slotBytes,
  UNIT,
  WIDE,
} from "./slots.js";
import { placesInRegisters, spreadWords } from "./sparse.js";
import { HIGH_HALVES, HIGH_PAIR, LOW_HALVES, LOW_PAIR, UPPER, Vectors } from "./vectors.js";

// ------------------------------------------------------------------------------------------------ elements

/** Parameters of the functions here: address of the first row, of the slot, and of metadata where the factor is sparse. */
const [ROW, SLOT, META] = [0, 1, 2] as const;
/** Where a slot has the words of a sparse factor with their zeros, until others are made of them. */
const spreadAt = (k: FactorKind): number => slotBytes(k) - registersOf(k) * ROW_BYTES;

/** Register `j` of a round's lanes: bytes from the round's first word, of which the next one's is `stepOf` bytes away. */
function offsetOf(k: FactorKind, j: number): number {
  if (k.from === "registers") return j * ROW_BYTES;
  return k.side === "a" && k.rows === 16 ? (j & 1) * 8 * lineOf(k) + (j >> 1) * 16 : 16 * j;
}

/** Bytes of a row of words outside registers. */
const lineOf = (k: FactorKind): number => (4 * k.depth) / perWord[k.elements];
const stepOf = (k: FactorKind): number => (k.from === "registers" ? 16 : lineOf(k));

/** The elements of four words as f32: vectors of every first, every second element … */
function floats(w: Vectors, word: number, { elements, negated }: FactorKind): number[] {
  return Array.from({ length: perWord[elements] }, (_, i) => {
    const x = float(w, word, i, elements);
    return negated === true ? w.v(Op.xor, x, w.splat(0x80000000)) : x;
  });
}

/** Vectors of the first, the second … elements of four words as vectors of the elements of one word after the other. */
function inOrder(w: Vectors, list: readonly number[]): readonly number[] {
  if (list.length === 1) return list;
  const [low, high] = [LOW_PAIR, HIGH_PAIR].map((order) => w.shuffled(list[0]!, list[1]!, order)) as [number, number];
  if (list.length === 2) return [low, high];
  const others = [LOW_PAIR, HIGH_PAIR].map((order) => w.shuffled(list[2]!, list[3]!, order));
  return [low, high].flatMap((x, i) => [LOW_HALVES, HIGH_HALVES].map((order) => w.shuffled(x, others[i]!, order)));
}

/** A as f32; gathers the exponents. */
function floatsOfA(w: Vectors, k: FactorKind, noted: (v: number) => void): void {
  const rowBytes = 4 * k.depth;
  w.rounds(
    8,
    [
      [ROW, stepOf(k)],
      [SLOT, rowBytes],
    ],
    ([from, to]) => {
      for (let j = 0; j < registersOf(k); j++) {
        const list = floats(w, w.load(Op.load, from!, offsetOf(k, j)), k);
        const at = f32At(k.depth) + (j & 1) * 8 * rowBytes + (j >> 1) * 16 * list.length;
        inOrder(w, list).forEach((v, i) => {
          noted(v);
          w.store(to!, v, at + 16 * i);
        });
      }
    },
  );
}

/** Stores a lane for each of four numbers k, `step` apart, of the round's column. */
function storeColumn(w: Vectors, to: number, v: number, offset: number, k: number, step: number): void {
  for (let t = 0; t < 4; t++)
    w.code
      .get(to)
      .get(v)
      .memory(Op.store32Lane, offset + 32 * (k + step * t), t);
}

function floatsOfB(w: Vectors, k: FactorKind, noted: (v: number) => void): void {
  w.rounds(
    8,
    [
      [ROW, stepOf(k)],
      [SLOT, 4],
    ],
    ([from, to]) => {
      for (let j = 0; j < registersOf(k); j++) {
        const list = floats(w, w.load(Op.load, from!, offsetOf(k, j)), k);
        list.forEach((v, i) => {
          noted(v);
          storeColumn(w, to!, v, f32At(k.depth), 4 * list.length * j + i, list.length);
        });
      }
    },
  );
}

function integers(w: Vectors, k: FactorKind): void {
  const isA = k.side === "a";
  const rowBytes = pairBytes(k);
  w.rounds(
    8,
    [
      [ROW, stepOf(k)],
      [SLOT, isA ? rowBytes : 4],
    ],
    ([from, to]) => {
      for (let j = 0; j < registersOf(k); j++) {
        const found = pairs(w, w.load(Op.load, from!, offsetOf(k, j)), k.elements);
        const isOrdered = k.elements === "E2M1.PACKED";
        const list = isOrdered && isA ? inOrder(w, found) : found;
        const n = 16 * list.length;
        list.forEach((v, i) => {
          if (isA && k.rows === 8) w.store(to!, v, I16_AT + n * j + 16 * i);
          else if (isA) w.store(to!, v, I16_AT + (j & 1) * 8 * rowBytes + (j >> 1) * n + 16 * i);
          else if (isOrdered) storeColumn(w, to!, v, I16_AT, 4 * list.length * j + i, list.length);
          else storeColumn(w, to!, v, I16_AT, 4 * list.length * j + 4 * i, 1);
        });
      }
    },
  );
}

// ------------------------------------------------------------------------------------------------ narrow and wide

/** By the largest exponent: the f32 that makes integers of at most 13 bits of the floats; notes what they count. */
function scaleOf(w: Vectors, exponents: number): number {
  const { code } = w;
  let m = w.v(Op.i32x4MaxU, exponents, w.shuffled(exponents, exponents, UPPER));
  m = w.v(Op.i32x4MaxU, m, w.shuffled(m, m, [4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7]));
  // Exponents with their biases: 2^(12 − e) has 127 + 12 − (e' − 127), but at most 254; its inverse as f64 1023 less the exponent.
  const biased = w.local(Type.i32);
  code.i32(266).get(m).lane(Op.i32x4Extract, 0).i32(23).op(Op.i32ShrU).op(Op.i32Sub).set(biased);
  code.get(biased).i32(254).get(biased).i32(254).op(Op.i32LtU).op(Op.select).set(biased);
  code.get(SLOT).i32(0).memory(Op.i32Store, UNIT);
  code
    .get(SLOT)
    .i32(1150)
    .get(biased)
    .op(Op.i32Sub)
    .i32(20)
    .op(Op.i32Shl)
    .memory(Op.i32Store, UNIT + 4);
  const scale = w.local();
  code.get(biased).i32(23).op(Op.i32Shl).op(Op.i32x4Splat).set(scale);
  return scale;
}

/** The floats as integers, and whether that is exact. */
function narrowed(w: Vectors, k: FactorKind, scale: number): void {
  const { code } = w;
  const first = f32At(k.depth);
  const wrong = w.gathering(0);
  const integer = (at: number, offset: number): number => {
    const x = w.v(Op.f32x4Mul, w.load(Op.load, at, offset), scale);
    const i = w.v(Op.i32x4TruncF32S, x);
    code
      .get(wrong)
      .get(w.v(Op.f32x4Ne, w.v(Op.f32x4FromI32S, i), x))
      .op(Op.or)
      .set(wrong);
    return i;
  };
  if (k.side === "a")
    w.rounds(
      2 * k.depth,
      [
        [SLOT, 32],
        [SLOT, 16],
      ],
      ([from, to]) => {
        w.store(to!, w.v(Op.i16x8NarrowS, integer(from!, first), integer(from!, first + 16)), I16_AT);
      },
    );
  else
    w.rounds(
      k.depth / 2,
      [
        [SLOT, 64],
        [SLOT, 32],
      ],
      ([from, to]) => {
        for (const n of [0, 16]) {
          const even = w.v(Op.and, integer(from!, first + n), w.splat(0xffff));
          const odd = w.shifted(Op.i32x4Shl, integer(from!, first + 32 + n), 16);
          w.store(to!, w.v(Op.or, even, odd), I16_AT + n);
        }
      },
    );
  code.get(SLOT).get(wrong).op(Op.anyTrue).op(Op.i32Eqz).memory(Op.i32Store, NARROW);
}

/** The function that takes a factor out of its registers. Of f64 it has no third parameter. */
export function factorFunction(k: FactorKind): Fn {
  if (k.elements === "F64") return doublesOfFactor(k);
  if (k.quads !== undefined) return quadFactor(k.quads);
  const w = new Vectors(3);
  if (k.selector !== undefined) {
    spreadWords(w, k.elements, registersOf(k), placesInRegisters(k, spreadAt(k)), [ROW, META, SLOT]);
    w.code.get(SLOT).i32(spreadAt(k)).op(Op.i32Add).set(ROW);
  }
  if (isInteger(k.elements)) {
    integers(w, k);
    return w.finish();
  }
  const exponents = w.gathering(0);
  const noted = (v: number): void => {
    w.code
      .get(exponents)
      .get(w.v(Op.and, v, w.splat(0x7f800000)))
      .op(Op.i32x4MaxU)
      .set(exponents);
  };
  w.code.get(SLOT).i32(0).memory(Op.i32Store, WIDE);
  (k.side === "a" ? floatsOfA : floatsOfB)(w, k, noted);
  narrowed(w, k, scaleOf(w, exponents));
  return w.finish();
}

/** The function that makes the f64 of so many rows of floats, unless they are there: address of the slot. */
export function wideFunction(rows: number, depth: number): Fn {
  const w = new Vectors(1);
  const { code } = w;
  code.get(0).memory(Op.i32Load, WIDE).open(Op.if).op(Op.return).end();
  code.get(0).i32(1).memory(Op.i32Store, WIDE);
  w.rounds(
    (rows * depth) / 8,
    [
      [0, 32],
      [0, 64],
    ],
    ([from, to]) => {
      for (let n = 0; n < 4; n++)
        w.store(to!, w.v(Op.f64x2Promote, w.load(Op.load64Zero, from!, f32At(depth) + 8 * n)), f64At(depth) + 16 * n);
    },
  );
  return w.finish();
}
