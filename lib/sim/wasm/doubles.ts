/**
 * Matrix products of f64 (DMMA): each sum begins with C and is a chain of FMAs in the order of k, rounded to nearest. They are done as float.ts says: with
 * the processor's FMA; as product and sum where all factors are short; else with the errors of product and sum, and a row of which one may be wrong
 * once more with the simulator's own.
 */
import { Callee } from "./emission.js";
import type { Code, Fn } from "./encoder.js";
import { type Maker, quickFma64, SHORT_BITS, SHORT_LEAST, SHORT_MOST } from "./fma64.js";
import { ROW_BYTES } from "./layout.js";
import { Op } from "./opcodes.js";
import { type FactorKind, f64At, NARROW } from "./slots.js";
import { EVEN_WORDS, HIGH_HALVES, HIGH_PAIR, LOW_HALVES, LOW_PAIR, ODD_WORDS, Vectors } from "./vectors.js";

const F64_AT: number = f64At(16);

/** Parameters of the function of a factor: address of the first row, and of the slot. */
const [ROW, SLOT] = [0, 1] as const;

/** The f64 of a pair of rows: of lanes 0 and 1, of lanes 2 and 3. */
function loaded(w: Vectors, from: number, j: number): [number, number] {
  const [low, high] = [0, 1].map((i) => w.load(Op.load, from, (2 * j + i) * ROW_BYTES)) as [number, number];
  return [w.shuffled(low, high, LOW_PAIR), w.shuffled(low, high, HIGH_PAIR)];
}

/** Takes a factor out of its registers, and notes whether all of it is short: of at most 26 bits, and zero or of a size that nothing over- or underflows. */
export function doublesOfFactor(k: FactorKind): Fn {
  const w = new Vectors(2);
  const { code } = w;
  const [least, most, bits] = [w.gathering(-1), w.gathering(-1), w.gathering(0)];
  const noted = (v: number): void => {
    code.get(bits).get(v).op(Op.or).set(bits);
    // Less 1, so that zero is none of the small ones.
    const size = w.v(Op.i64x2Sub, w.v(Op.f64x2Abs, v), w.pairs(1, 0));
    code.get(least).get(size).op(Op.i32x4MinU).set(least);
    code.get(most).get(size).op(Op.i32x4MaxS).set(most);
  };
  const isA = k.side === "a";
  const perLane = (k.rows * k.depth) / 32;
  w.rounds(
    8,
    [
      [ROW, 16],
      [SLOT, isA ? 8 * k.depth : 8],
    ],
    ([from, to]) => {
      for (let j = 0; j < perLane; j++) {
        const pair = loaded(w, from!, j);
        pair.forEach((v, i) => {
          noted(v);
          const [row, four] = isA && k.rows === 16 ? [j & 1, j >> 1] : [0, j];
          if (isA) w.store(to!, v, F64_AT + row * 64 * k.depth + 32 * four + 16 * i);
          else
            for (let lane = 0; lane < 2; lane++)
              code
                .get(to!)
                .get(v)
                .memory(Op.store64Lane, F64_AT + 64 * (4 * four + 2 * i + lane), lane);
        });
      }
    },
  );
  const wrong = [
    w.v(Op.i32x4LtU, least, w.pairs(0, SHORT_LEAST)),
    w.v(Op.i32x4GtS, most, w.pairs(0x7fffffff, SHORT_MOST)),
    w.v(Op.and, bits, w.pairs(SHORT_BITS, 0)),
  ];
  code
    .get(SLOT)
    .get(wrong.reduce((x, y) => w.v(Op.or, x, y)))
    .op(Op.anyTrue)
    .op(Op.i32Eqz)
    .memory(Op.i32Store, NARROW);
  return w.finish();
}

/** Parameters of the function of a product: addresses of the factors' slots, and of the first rows of C and D. */
const [A, B, C, D] = [0, 1, 2, 3] as const;

/** Goes through k for a row of A at `a`: calls `step` with an element of A twice, and vectors of two columns of B. */
function along(
  w: Vectors,
  depth: number,
  a: number,
  at: number,
  step: (x: number, b: readonly number[]) => void,
): void {
  w.rounds(
    depth,
    [
      [a, 8],
      [B, 64],
    ],
    ([row, column]) => {
      const b = [0, 1, 2, 3].map((n) => w.load(Op.load, column!, F64_AT + 16 * n));
      step(w.load(Op.load64Splat, row!, F64_AT + at), b);
    },
  );
}

/** How FMAs are made. */
type FmaKind = "fused" | "short" | "quick";

/** The sums of a row, from what they begin with. */
function sumsOf(w: Vectors, depth: number, a: number, at: number, begin: readonly number[], kind: FmaKind): number[] {
  const { code } = w;
  const restart = (sums: readonly number[]): void => {
    sums.forEach((sum, n) => {
      code.get(begin[n]!).set(sum);
    });
  };
  const sums = begin.map(() => w.local());
  restart(sums);
  const wrong = w.gathering(0);
  along(w, depth, a, at, (x, b) => {
    const made = new Map<string, unknown>();
    const maker: Maker = {
      v: (op, ...args) => w.v(op, ...args),
      pairs: (low, high) => w.pairs(low, high),
      once: <T>(key: string, make: () => T): T => {
        if (!made.has(key)) made.set(key, make());
        return made.get(key) as T;
      },
    };
    sums.forEach((sum, n) => {
      if (kind === "fused") code.get(x).get(b[n]!).get(sum).op(Op.f64x2RelaxedMadd).set(sum);
      else if (kind === "short") code.get(sum).get(x).get(b[n]!).op(Op.f64x2Mul).op(Op.f64x2Add).set(sum);
      else {
        const [result, risk] = quickFma64(maker, x, b[n]!, sum);
        code.get(wrong).get(risk).op(Op.or).set(wrong);
        code.get(result).set(sum);
      }
    });
  });
  if (kind !== "quick") return sums;
  code.get(wrong).op(Op.anyTrue).open(Op.if);
  restart(sums);
  along(w, depth, a, at, (x, b) => {
    sums.forEach((sum, n) => {
      exact(code, x, b[n]!, sum);
    });
  });
  code.end();
  return sums;
}

/** An FMA of two lanes by the simulator's own, into `sum`. */
function exact(code: Code, x: number, y: number, sum: number): void {
  for (let lane = 0; lane < 2; lane++) {
    code.get(sum);
    for (const v of [x, y, sum]) code.get(v).lane(Op.f64x2Extract, lane);
    code.index(Op.call, Callee.fma64).lane(Op.f64x2Replace, lane).set(sum);
  }
}

/** Rows of C as vectors of two neighbouring columns. */
function rowOfC(w: Vectors, c: number, h: number): number[] {
  const [even, odd] = [0, 1].map((j) => loaded(w, c, 2 * h + j)) as [[number, number], [number, number]];
  return even.flatMap((x, i) => [LOW_HALVES, HIGH_HALVES].map((order) => w.shuffled(x, odd[i]!, order)));
}

function storeRow(w: Vectors, d: number, h: number, sums: readonly number[]): void {
  const results = sums.map((s) => w.v(Op.bitselect, w.pairs(0, -0x80000), s, w.v(Op.f64x2Ne, s, s)));
  [LOW_HALVES, HIGH_HALVES].forEach((order, j) => {
    const [first, second] = [0, 2].map((n) => w.shuffled(results[n]!, results[n + 1]!, order)) as [number, number];
    [EVEN_WORDS, ODD_WORDS].forEach((words, i) => {
      w.store(d, w.shuffled(first, second, words), (4 * h + 2 * j + i) * ROW_BYTES);
    });
  });
}

/** The function of products of so many rows and columns; it calls imports. */
export function doubleProduct(rows: 8 | 16, depth: number, fused: boolean): Fn {
  const w = new Vectors(4);
  const { code } = w;
  const rounds = (kind: FmaKind): void => {
    w.rounds(
      8,
      [
        [A, 8 * depth],
        [C, 16],
        [D, 16],
      ],
      ([a, c, d]) => {
        const all = Array.from({ length: rows / 8 }, (_, h) => h);
        // All of C before D is written, which may be the same registers.
        const begin = all.map((h) => rowOfC(w, c!, h));
        const sums = all.map((h) => sumsOf(w, depth, a!, h * 64 * depth, begin[h]!, kind));
        sums.forEach((row, h) => {
          storeRow(w, d!, h, row);
        });
      },
    );
  };
  if (fused) rounds("fused");
  else {
    code.get(A).memory(Op.i32Load, NARROW).get(B).memory(Op.i32Load, NARROW).op(Op.i32And).open(Op.if);
    rounds("short");
    code.op(Op.else);
    rounds("quick");
    code.end();
  }
  return w.finish();
}
