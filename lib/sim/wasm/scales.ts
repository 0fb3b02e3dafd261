/**
 * Block-scaled products of 16 rows and 8 columns: as many elements along k as a block has share a scale for each row of A, and one for each column of B
 * (ops/tensor-factors.ts says where they are). What is decoded of them are f64 at an address, for rows and columns by block.
 *
 * Scales are powers of two (E8) or e4m3 without sign. With one block sums are made without scales and multiplied afterwards: a power of two changes no
 * rounding. With several, of packed E2M1, each block's sum is an integer times two scales. Summed up that is what the sum in the order of k is, where nothing of
 * it is rounded: with e4m3 always (multiples of 2^-20 below 2^30); with powers of two where those of a row and of a column lie near each other,
 * which is noted. Elsewhere elements are multiplied by their scales, and sums are made in order.
 */
import { float } from "./elements.js";
import { type Fn, Type } from "./encoder.js";
import { Op } from "./opcodes.js";
import { HIGH_PAIR, LOW_PAIR, UPPER, Vectors } from "./vectors.js";

export interface Scaling {
  readonly blocks: 1 | 2 | 4;
  /** Powers of two, else e4m3 without sign. */
  readonly powers: boolean;
}

/** What products need: whether sums are exact in any order; elements of A by row and k, of B by k and column. Of a warp's, after those, scales by block of 16 rows, of 8 columns. */
const EXACT = 0;
const A_AT = 0x10;
const B_AT: number = A_AT + 16 * 128 * 8;
export const SCALES_BYTES: number = B_AT + 8 * 128 * 8;
export const ROWS_AT: number = SCALES_BYTES;
export const COLUMNS_AT: number = ROWS_AT + 4 * 16 * 8;

/** Sums of at most 64 products of at most 144 (12²) quarters, and as many places, have 53 bits. */
export const MOST_RANGE = 38;

/** Four bytes of words as f64: of the first two words, of the others. */
function valuesOf(w: Vectors, byte: number, powers: boolean): [number, number] {
  if (!powers) {
    const x = float(w, w.v(Op.and, byte, w.splat(0x7f)), 0, "E4M3");
    return [w.v(Op.f64x2Promote, x), w.v(Op.f64x2Promote, w.shuffled(x, x, UPPER))];
  }
  const exponent = w.shifted(Op.i32x4Shl, w.v(Op.i32x4Add, byte, w.splat(1023 - 127)), 20);
  const isNan = w.v(Op.i32x4Eq, byte, w.splat(255));
  const upper = w.v(Op.bitselect, w.splat(0x7ff80000), exponent, isNan);
  return [LOW_PAIR, HIGH_PAIR].map((order) => w.shuffled(w.splat(0), upper, order)) as [number, number];
}

/** The function that decodes the scales of a warp's product: addresses of the registers of A's and of B's, the word that says where in them they are, where the f64 go. */
export function scalesFunction({ blocks, powers }: Scaling): Fn {
  const w = new Vectors(4);
  const { code } = w;
  const [rows, columns, where, to] = [0, 1, 2, 3] as const;
  const [byteA, byteB] = [w.local(Type.i32), w.local(Type.i32)];
  const field = (at: number, mask: number, times: number): void => {
    code.get(where);
    if (at > 0) code.i32(at).op(Op.i32ShrU);
    code.i32(mask).op(Op.i32And).i32(times).op(Op.i32Mul);
  };
  field(0, 3, 8);
  code.set(byteA);
  field(3, 3, 8);
  code.set(byteB);
  // The pair of threads of A, the thread of B.
  code.get(rows);
  field(2, 1, 8);
  code.op(Op.i32Add).set(rows).get(columns);
  field(5, 3, 4);
  code.op(Op.i32Add).set(columns);
  const range = w.gathering(0);
  w.rounds(
    8,
    [
      [rows, 16],
      [columns, 16],
      [to, 8],
    ],
    ([a, b, s]) => {
      const words = w.local();
      code.get(a!).memory(Op.i32Load, 0).get(byteA).op(Op.i32Rotr).op(Op.i32x4Splat);
      code.get(a!).memory(Op.i32Load, 4).get(byteA).op(Op.i32Rotr).lane(Op.i32x4Replace, 1);
      code.get(b!).memory(Op.i32Load, 0).get(byteB).op(Op.i32Rotr).lane(Op.i32x4Replace, 2).set(words);
      const bytes = Array.from({ length: blocks }, (_, i) =>
        w.v(Op.and, i === 0 ? words : w.shifted(Op.i32x4ShrU, words, 8 * i), w.splat(255)),
      );
      bytes.forEach((byte, i) => {
        const [ofA, ofB] = valuesOf(w, byte, powers);
        const store = (v: number, at: number, lane: number): void => {
          code.get(s!).get(v).memory(Op.store64Lane, at, lane);
        };
        store(ofA, ROWS_AT + 128 * i, 0);
        store(ofA, ROWS_AT + 128 * i + 64, 1);
        store(ofB, COLUMNS_AT + 64 * i, 0);
      });
      if (!powers || blocks === 1) return;
      const [least, most] = [Op.i32x4MinU, Op.i32x4MaxU].map((op) => bytes.reduce((x, y) => w.v(op, x, y)));
      code
        .get(range)
        .get(w.v(Op.i32x4Sub, most!, least!))
        .op(Op.i32x4MaxU)
        .set(range);
    },
  );
  code.get(to);
  for (const lane of [0, 1]) code.get(range).lane(Op.i32x4Extract, lane);
  // The larger one of A's rows, and that of B's columns.
  code.get(range).lane(Op.i32x4Extract, 0).get(range).lane(Op.i32x4Extract, 1).op(Op.i32GtU).op(Op.select);
  code.get(range).lane(Op.i32x4Extract, 2).op(Op.i32Add).i32(MOST_RANGE).op(Op.i32LeU).memory(Op.i32Store, EXACT);
  return w.finish();
}

/** Leaves on the stack whether sums are exact. */
export function isExact(w: Vectors, scales: number): void {
  w.code.get(scales).memory(Op.i32Load, EXACT);
}

/** Sums of two rows (f64 of two columns each) times the scales of a block. `row`: address of the row's, moved on by 8 bytes for each; `ofColumns`: of the first column's. */
export function scaled(w: Vectors, sums: readonly number[], row: number, ofColumns: number, block: number): number[] {
  const columns = [0, 16, 32, 48].map((n) => w.load(Op.load, ofColumns, 64 * block + n));
  return sums.flatMap((_, at) => {
    const h = at >> 2;
    if ((at & 3) !== 0) return [];
    const ofRow = w.load(Op.load64Splat, row, 128 * block + 64 * h);
    return columns.map((c, n) => w.v(Op.f64x2Mul, sums[at + n]!, w.v(Op.f64x2Mul, ofRow, c)));
  });
}

/** Where the elements are that `multiplied` makes. */
export const multipliedAt: { readonly a: number; readonly b: number } = { a: A_AT, b: B_AT };

/** Addresses: of slots of A and B, whose pairs begin at an offset, of scales of rows and of columns, of where the elements go. */
interface Multiplied {
  readonly pairs: readonly [a: number, b: number];
  readonly pairsAt: number;
  readonly depth: number;
  readonly blocks: number;
  readonly scales: readonly [ofRows: number, ofColumns: number];
  readonly to: number;
}

/** Makes f64 of integers, halves that pairs in slots are, times their scales. */
export function multiplied(w: Vectors, { pairs, pairsAt, depth, blocks, scales, to: at }: Multiplied): void {
  const [a, b] = pairs;
  const [ofRows, ofColumns] = scales;
  const run = depth / blocks;
  const half = w.pairs(0, 0x3fe00000);
  /** Words of two vectors of columns, or of elements, as f64. */
  const doubles = (x: number): [number, number] => [
    w.v(Op.f64x2FromLowI32S, x),
    w.v(Op.f64x2FromLowI32S, w.shuffled(x, x, UPPER)),
  ];
  for (let block = 0; block < blocks; block++) {
    const first = block * run;
    for (const h of [0, 8])
      w.rounds(
        8,
        [
          [a, 2 * depth],
          [at, 8 * depth],
          [ofRows, 8],
        ],
        ([from, to, row]) => {
          const scale = w.v(Op.f64x2Mul, w.load(Op.load64Splat, row!, 128 * block + 8 * h), half);
          for (let k = 0; k < run; k += 8) {
            const eight = w.load(Op.load, from!, pairsAt + 2 * (h * depth + first + k));
            [Op.i32x4ExtendLowS, Op.i32x4ExtendHighS]
              .flatMap((op) => doubles(w.v(op, eight)))
              .forEach((x, i) => {
                w.store(to!, w.v(Op.f64x2Mul, x, scale), A_AT + 8 * (h * depth + first + k) + 16 * i);
              });
          }
        },
      );
    const columns = [0, 16, 32, 48].map((n) => w.v(Op.f64x2Mul, w.load(Op.load, ofColumns, 64 * block + n), half));
    w.rounds(
      run / 2,
      [
        [b, 32],
        [at, 128],
      ],
      ([from, to]) => {
        for (const n of [0, 1]) {
          const words = w.load(Op.load, from!, pairsAt + 32 * (first / 2) + 16 * n);
          const even = w.shifted(Op.i32x4ShrS, w.shifted(Op.i32x4Shl, words, 16), 16);
          [even, w.shifted(Op.i32x4ShrS, words, 16)].forEach((x, odd) => {
            doubles(x).forEach((v, i) => {
              const offset = B_AT + 64 * (first + odd) + 32 * n + 16 * i;
              w.store(to!, w.v(Op.f64x2Mul, v, columns[2 * n + i]!), offset);
            });
          });
        }
      },
    );
  }
}
