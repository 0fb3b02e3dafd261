/**
 * Products of matrices of 8 or 16 rows and 8 columns: of f16, bf16, tf32 or smaller floats with f32 or f16 accumulators (HMMA, QMMA), of bytes and nibbles
 * with 32-bit ones (IMMA), of single bits (BMMA), of f64 (DMMA: doubles.ts), block-scaled ones (QMMA.SF, OMMA: scales.ts). ops/tensor.ts says where the elements are and how sums are made. The
 * factors come as factors.ts leaves them; a round does rows g and g + 8, whose parts of C and D are the four lanes of the round.
 *
 * Sums of floats are those of f64 in the order of k. Where both factors are narrow, 32-bit integers have the same sum, which is exact.
 */
import { half } from "./elements.js";
import type { Fn } from "./encoder.js";
import { ROW_BYTES } from "./layout.js";
import { Op } from "./opcodes.js";
import { isExact, multiplied, multipliedAt, type Scaling, scaled } from "./scales.js";
import { type Factor, f64At, I16_AT, NARROW, UNIT } from "./slots.js";
import { EVEN_WORDS, HIGH_PAIR, LOW_HALVES, LOW_PAIR, ODD_WORDS, UPPER, Vectors } from "./vectors.js";

/** What is summed up: integers, saturating or not; ones in a and b, in a xor b; floats, rounded to f32 or to f16; f64. */
export type Sums = "integer" | "saturated" | "and" | "xor" | "float" | "half" | "double";

/** A step of HMMA.884 (quads.ts), and whether C and D are f16. */
export interface QuadStep {
  readonly step: number;
  readonly halfC: boolean;
  readonly halfD: boolean;
}

/** What makes products differ in code. */
export interface ProductKind {
  readonly rows: 8 | 16;
  readonly depth: number;
  readonly sums: Sums;
  /** Bytes of a row of A as pairs (factors.ts). */
  readonly pairs: number;
  readonly scaling?: Scaling;
  /** Of HMMA.884. */
  readonly quads?: QuadStep;
}

/** Where scales are in the warp's state: registers of A's, of B's, and the word that says where in them. */
export interface ScalesAt {
  readonly a: number;
  readonly b: number;
  readonly where: number;
}

export interface Product extends ProductKind {
  readonly a: Factor;
  readonly b: Factor;
  /** Offsets of the first rows of C and D in the warp's state. */
  readonly c: number;
  readonly d: number;
  readonly scales?: ScalesAt;
}

/** Registers of D. */
export const resultsOf = ({ rows, sums, quads }: ProductKind): number =>
  quads !== undefined ? 2 : (rows / 4) * (sums === "double" ? 2 : sums === "half" ? 1 / 2 : 1);

/** Parameters: addresses of the factors' slots, of the first rows of C and D; of scaled ones what scales.ts needs, the scales of rows, of columns. */
const [A, B, C, D, S, OF_ROWS, OF_COLUMNS] = [0, 1, 2, 3, 4, 5, 6] as const;

/** How a pair of words of A and B is counted. */
const counted = {
  pairs: [Op.i32x4DotI16, Op.i32x4Add],
  and: [Op.and, Op.i8x16Popcnt, Op.i8x16Add],
  xor: [Op.xor, Op.i8x16Popcnt, Op.i8x16Add],
} as const;

/** Sums of 32 bits of a row, or of one in each half of 16, four columns to a vector: over so many bytes of pairs from the first one on. */
function integerSums(
  w: Vectors,
  { rows, pairs }: ProductKind,
  a: number,
  count: keyof typeof counted = "pairs",
  [first, bytes]: readonly [first: number, bytes: number] = [0, pairs],
): number[] {
  const { code } = w;
  const sums = Array.from({ length: rows / 4 }, () => w.gathering(0));
  w.rounds(
    bytes / 4,
    [
      [a, 4],
      [B, 32],
    ],
    ([row, column]) => {
      const b = [0, 16].map((n) => w.load(Op.load, column!, I16_AT + 8 * first + n));
      for (let h = 0; h < rows / 8; h++) {
        const x = w.load(Op.load32Splat, row!, I16_AT + first + h * 8 * pairs);
        b.forEach((y, n) => {
          const sum = sums[2 * h + n]!;
          code.get(sum).get(x).get(y);
          for (const op of counted[count]) code.op(op);
          code.set(sum);
        });
      }
    },
  );
  if (count === "pairs") return sums;
  // At most eight words of eight bits to a byte.
  return sums.map((sum) => w.v(Op.i32x4PairwiseU, w.v(Op.i16x8PairwiseU, sum)));
}

/**
 * Sums of f64 of two rows, two columns to a vector. `fused`: products of two elements are exact, so that one rounding is the same as two. A loop of one k each: of
 * straight-line code V8 moves operations toward their uses, beyond what its registers hold, which takes twice the time.
 */
function wideSums(
  w: Vectors,
  depth: number,
  [a, b]: readonly [a: number, b: number],
  fused: boolean,
  at: { readonly a: number; readonly b: number } = { a: f64At(depth), b: f64At(depth) },
): number[] {
  const { code } = w;
  const sums = Array.from({ length: 8 }, () => w.gathering(0));
  w.rounds(
    depth,
    [
      [a, 8],
      [b, 64],
    ],
    ([row, column]) => {
      const b = [0, 1, 2, 3].map((n) => w.load(Op.load, column!, at.b + 16 * n));
      for (let h = 0; h < 2; h++) {
        const x = w.load(Op.load64Splat, row!, at.a + h * 64 * depth);
        b.forEach((y, n) => {
          const sum = sums[4 * h + n]!;
          if (fused) code.get(x).get(y).get(sum).op(Op.f64x2RelaxedMadd).set(sum);
          else code.get(sum).get(x).get(y).op(Op.f64x2Mul).op(Op.f64x2Add).set(sum);
        });
      }
    },
  );
  return sums;
}

/** Four f64 of two vectors as f32, rounded toward zero; no number as the canonical one. */
export function rounded(w: Vectors, totals: readonly number[]): number {
  const near = totals.map((t) => w.v(Op.f32x4Demote, t));
  // Of numbers with the same sign the one with the larger bits has the larger magnitude.
  const away = near.map((x, n) => w.v(Op.i64x2GtS, w.v(Op.f64x2Promote, x), totals[n]!));
  const r = w.shuffled(near[0]!, near[1]!, LOW_HALVES);
  const less = w.v(Op.i32x4Add, r, w.shuffled(away[0]!, away[1]!, EVEN_WORDS));
  return w.v(Op.bitselect, w.splat(0x7fffffff), less, w.v(Op.f32x4Ne, r, r));
}

/** Adds C to the sums of f64 and rounds them. */
function addFloats(w: Vectors, sums: readonly number[], c: number, d: number): void {
  // All of it before D is written, which may be the same registers.
  const before = [0, 1, 2, 3].map((j) => w.load(Op.load, c, j * ROW_BYTES));
  for (let h = 0; h < 2; h++) {
    const [even, odd] = [before[2 * h]!, before[2 * h + 1]!];
    const results = [LOW_PAIR, HIGH_PAIR].map((order, half) =>
      rounded(
        w,
        w.promoted(w.shuffled(even, odd, order)).map((x, n) => w.v(Op.f64x2Add, sums[4 * h + 2 * half + n]!, x)),
      ),
    ) as [number, number];
    [EVEN_WORDS, ODD_WORDS].forEach((order, j) => {
      w.store(d, w.shuffled(results[0], results[1], order), (2 * h + j) * ROW_BYTES);
    });
  }
}

/** 1.5 · 2^42 in the exponent and fraction of an f64 that counts from 2^0: what is added to it is rounded to 10 places after its own first. */
const [PLACES, HALF_MORE] = [42 << 20, 1 << 19];
/** Exponents of the least normal f16 and of what is too large for one. */
const [LEAST, MOST] = [(1023 - 14) << 20, (1023 + 17) << 20];

/** Four f64 of two vectors as f16 in words, rounded to nearest. */
export function roundedToHalf(w: Vectors, totals: readonly [number, number]): number {
  const near = totals.map((t) => {
    const e = w.v(Op.i32x4MinU, w.v(Op.and, t, w.pairs(0, 0x7ff00000)), w.pairs(0, MOST));
    const large = w.v(
      Op.or,
      w.v(Op.i32x4Add, w.v(Op.i32x4MaxU, e, w.pairs(0, LEAST)), w.pairs(0, PLACES)),
      w.pairs(0, HALF_MORE),
    );
    return w.v(Op.f32x4Demote, w.v(Op.f64x2Sub, w.v(Op.f64x2Add, t, large), large));
  }) as [number, number];
  const r = w.shuffled(...near, LOW_HALVES);
  // The f32 of a 2^112th of it has the bits of the f16, 13 places higher.
  const scaled = w.v(Op.f32x4Mul, w.v(Op.and, r, w.splat(0x7fffffff)), w.splat(0x07800000));
  const magnitude = w.v(Op.i32x4MinU, w.shifted(Op.i32x4ShrU, scaled, 13), w.splat(0x7c00));
  const sign = w.v(Op.and, w.shifted(Op.i32x4ShrU, w.shuffled(...totals, ODD_WORDS), 16), w.splat(0x8000));
  return w.v(Op.bitselect, w.splat(0x7fff), w.v(Op.or, magnitude, sign), w.v(Op.f32x4Ne, r, r));
}

/** Adds C, two f16 to a word, to the sums of f64 and rounds them. */
function addHalves(w: Vectors, sums: readonly number[], c: number, d: number): void {
  const before = [0, 1].map((h) => w.load(Op.load, c, h * ROW_BYTES));
  before.forEach((word, h) => {
    const [even, odd] = [half(w, word, false, "F16"), half(w, word, true, "F16")];
    const results = [LOW_PAIR, HIGH_PAIR].map((order, n) => {
      const [x, y] = w.promoted(w.shuffled(even, odd, order));
      const at = 4 * h + 2 * n;
      return roundedToHalf(w, [w.v(Op.f64x2Add, sums[at]!, x!), w.v(Op.f64x2Add, sums[at + 1]!, y!)]);
    }) as [number, number];
    const upper = w.shifted(Op.i32x4Shl, w.shuffled(...results, ODD_WORDS), 16);
    w.store(d, w.v(Op.or, w.shuffled(...results, EVEN_WORDS), upper), h * ROW_BYTES);
  });
}

/** The sum of words, of which a `saturated` one is the least or the greatest where it is beyond them. */
export function sumOfIntegers(w: Vectors, x: number, y: number, saturated: boolean): number {
  const r = w.v(Op.i32x4Add, x, y);
  if (!saturated) return r;
  // Both have another sign than their sum.
  const over = w.shifted(Op.i32x4ShrS, w.v(Op.and, w.v(Op.xor, x, r), w.v(Op.xor, y, r)), 31);
  const most = w.v(Op.xor, w.shifted(Op.i32x4ShrS, x, 31), w.splat(0x7fffffff));
  return w.v(Op.bitselect, most, r, over);
}

/** Adds C to the sums of 32 bits. */
function addIntegers(w: Vectors, sums: readonly number[], c: number, d: number, saturated: boolean): void {
  const before = sums.map((_, j) => w.load(Op.load, c, j * ROW_BYTES));
  for (let h = 0; h < sums.length / 2; h++)
    [EVEN_WORDS, ODD_WORDS].forEach((order, j) => {
      const x = w.shuffled(sums[2 * h]!, sums[2 * h + 1]!, order);
      w.store(d, sumOfIntegers(w, x, before[2 * h + j]!, saturated), (2 * h + j) * ROW_BYTES);
    });
}

/** Sums of 32 bits as f64, times `unit`. */
function asDoubles(w: Vectors, sums: readonly number[], unit: number): number[] {
  return sums.flatMap((s) =>
    [s, w.shuffled(s, s, UPPER)].map((x) => w.v(Op.f64x2Mul, w.v(Op.f64x2FromLowI32S, x), unit)),
  );
}

/** Where C and D are: how sums of two rows get there, and the bytes between the rows of one round and of the next. */
export interface Accumulators {
  readonly step: number;
  readonly floats: typeof addFloats;
  readonly halves: typeof addHalves;
  readonly integers: typeof addIntegers;
}

/** In the registers of a warp. */
export const fragments: Accumulators = { step: 16, floats: addFloats, halves: addHalves, integers: addIntegers };

/** The function of a kind of product of what is no f64. Of floats it calls `wide` for each factor (factors.ts) before it needs their f64. */
export function productFunction(
  kind: ProductKind,
  wide: readonly [number, number],
  fused: boolean,
  to: Accumulators = fragments,
): Fn {
  const { depth, sums, pairs, scaling } = kind;
  const w = new Vectors(scaling === undefined ? 4 : 7);
  const { code } = w;
  /** Goes on by `bytes` in A; `s`: scales of the row. */
  const rounds = (a: number, bytes: number, body: (a: number, c: number, d: number, s: number) => void): void =>
    w.rounds(
      8,
      [[a, bytes], [C, to.step], [D, to.step], ...(scaling === undefined ? [] : ([[OF_ROWS, 8]] as const))],
      ([a, c, d, s]) => {
        body(a!, c!, d!, s ?? 0);
      },
    );
  if (sums !== "float" && sums !== "half") {
    rounds(A, pairs, (a, c, d) => {
      const total = integerSums(w, kind, a, sums === "and" || sums === "xor" ? sums : "pairs");
      to.integers(w, total, c, d, sums === "saturated");
    });
    return w.finish();
  }
  const add = sums === "half" ? to.halves : to.floats;
  if (scaling !== undefined && scaling.blocks > 1) {
    const { blocks, powers } = scaling;
    const quarter = w.pairs(0, 0x3fd00000);
    if (powers) {
      isExact(w, S);
      code.op(Op.i32Eqz).open(Op.if);
      multiplied(w, { pairs: [A, B], pairsAt: I16_AT, depth, blocks, scales: [OF_ROWS, OF_COLUMNS], to: S });
      rounds(S, 8 * depth, (a, c, d) => {
        add(w, wideSums(w, depth, [a, S], fused, multipliedAt), c, d);
      });
      code.op(Op.return).end();
    }
    rounds(A, pairs, (a, c, d, s) => {
      const bytes = pairs / blocks;
      const each = Array.from({ length: blocks }, (_, i) =>
        scaled(w, asDoubles(w, integerSums(w, kind, a, "pairs", [i * bytes, bytes]), quarter), s, OF_COLUMNS, i),
      );
      // Sums begin with 0: a negative one times a scale of 0 is −0.
      if (!powers) each.unshift(new Array<number>(8).fill(w.splat(0)));
      const total = each.reduce((x, y) => x.map((v, i) => w.v(Op.f64x2Add, v, y[i]!)));
      add(w, total, c, d);
    });
    return w.finish();
  }
  const scaledOnce = (list: readonly number[], s: number): readonly number[] =>
    scaling === undefined ? list : scaled(w, list, s, OF_COLUMNS, 0);
  code.get(A).memory(Op.i32Load, NARROW).get(B).memory(Op.i32Load, NARROW).op(Op.i32And).open(Op.if);
  const unit = w.v(Op.f64x2Mul, w.load(Op.load64Splat, A, UNIT), w.load(Op.load64Splat, B, UNIT));
  rounds(A, 2 * depth, (a, c, d, s) => {
    add(w, scaledOnce(asDoubles(w, integerSums(w, { ...kind, pairs: 2 * depth }, a), unit), s), c, d);
  });
  code.op(Op.return).end();
  [A, B].forEach((slot, i) => {
    code.get(slot).index(Op.call, wide[i]!);
  });
  rounds(A, 8 * depth, (a, c, d, s) => {
    add(w, scaledOnce(wideSums(w, depth, [a, B], fused), s), c, d);
  });
  return w.finish();
}
