/**
 * HMMA.884: four products of 8 × 8 × 4 of f16, each on two quads of lanes, lower and upper ones; ops/tensor.ts says where the elements are. Factors lie in their slots as f64, by
 * product, k, and row of A or column of B, for the two or four steps that read them. An f32 step makes two rows and four columns for each quad, an f16 one
 * four rows and four columns.
 */
import { half } from "./elements.js";
import type { Fn } from "./encoder.js";
import { ROW_BYTES } from "./layout.js";
import { type QuadStep, rounded, roundedToHalf } from "./matrix.js";
import { Op } from "./opcodes.js";
import { f64At, type Quads } from "./slots.js";
import { UPPER, Vectors } from "./vectors.js";

const AT: number = f64At(4);
/** Bytes of eight f64, and of a product's. */
const LINE = 64;
const PRODUCT: number = 4 * LINE;
/** Upper quads are 16 lanes further on. */
const QUADS = [0, 1] as const;
const FURTHER = 64;

/** The four halves that lanes of a quad have in two registers. */
function halves(w: Vectors, from: number, quad: number): number[] {
  return [0, 1].flatMap((j) => {
    const word = w.load(Op.load, from, j * ROW_BYTES + quad * FURTHER);
    return [false, true].map((upper) => half(w, word, upper, "F16"));
  });
}

/** The function that takes a factor out of its registers: address of the first row, of the slot. `lanes`: a lane has a row of A or column of B, else one k. */
export function quadFactor(of: Quads): Fn {
  const w = new Vectors(3);
  w.rounds(
    4,
    [
      [0, 16],
      [1, PRODUCT],
    ],
    ([from, to]) => {
      for (const quad of QUADS)
        halves(w, from!, quad).forEach((x, i) => {
          w.promoted(x).forEach((pair, n) => {
            if (of === "lanes") w.store(to!, pair, AT + LINE * i + 32 * quad + 16 * n);
            else
              for (const lane of [0, 1])
                w.code
                  .get(to!)
                  .get(pair)
                  .memory(Op.store64Lane, AT + LINE * (2 * n + lane) + 32 * quad + 8 * i, lane);
          });
        });
    },
  );
  return w.finish();
}

/** The function of a step: addresses of the factors' slots, of the first rows of C and D. */
export function quadProduct({ step, halfC, halfD }: QuadStep, fused: boolean): Fn {
  const w = new Vectors(4);
  const { code } = w;
  /** Sums over k of two rows from `row` on and a column. */
  const sumsOf = (a: number, b: number, row: number, column: number): number => {
    const sum = w.gathering(0);
    for (let k = 0; k < 4; k++) {
      const x = w.load(Op.load, a, AT + LINE * k + 8 * row);
      const y = w.load(Op.load64Splat, b, AT + LINE * k + 8 * column);
      if (fused) code.get(x).get(y).get(sum).op(Op.f64x2RelaxedMadd).set(sum);
      else code.get(sum).get(x).get(y).op(Op.f64x2Mul).op(Op.f64x2Add).set(sum);
    }
    return sum;
  };
  const add = (x: number, y: number): number => w.v(Op.f64x2Add, x, y);
  w.rounds(
    4,
    [
      [0, PRODUCT],
      [1, PRODUCT],
      [2, 16],
      [3, 16],
    ],
    ([a, b, c, d]) => {
      // All of C before D is written, which may be the same registers.
      const before = QUADS.map((quad) =>
        halfC ? halves(w, c!, quad) : [0, 1].map((j) => w.load(Op.load, c!, j * ROW_BYTES + quad * FURTHER)),
      );
      const results = QUADS.map((quad) => {
        if (halfD) {
          const words = [0, 1, 2, 3].map((n) => {
            const old = w.promoted(before[quad]![n]!);
            const [x, y] = old.map((v, pair) => add(sumsOf(a!, b!, 4 * quad + 2 * pair, 4 * step + n), v));
            return roundedToHalf(w, [x!, y!]);
          });
          return [0, 2].map((n) => w.v(Op.or, words[n]!, w.shifted(Op.i32x4Shl, words[n + 1]!, 16)));
        }
        // Lanes 0 and 1 have the rows of this step and one column, lanes 2 and 3 the same rows two columns further on.
        const row = 2 * (step & 1);
        return [0, 1].map((j) => {
          const old = halfC
            ? [0, 1].map((pair) => {
                const column = before[quad]![2 * pair + j]!;
                return w.v(Op.f64x2Promote, row === 0 ? column : w.shuffled(column, column, UPPER));
              })
            : w.promoted(before[quad]![j]!);
          return rounded(
            w,
            old.map((v, pair) => add(sumsOf(a!, b!, 4 * quad + row, 4 * (step >> 1) + 2 * pair + j), v)),
          );
        });
      });
      results.forEach((list, quad) => {
        list.forEach((v, j) => {
          w.store(d!, v, j * ROW_BYTES + quad * FURTHER);
        });
      });
    },
  );
  return w.finish();
}
