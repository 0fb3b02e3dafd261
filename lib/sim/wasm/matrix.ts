/**
 * Products of 16 × k (of bytes also 8 × k) and k × 8 matrices: of f16, bf16 or tf32 elements with f32 accumulators, of f16 with f16 ones (HMMA), of bytes with 32-bit ones (IMMA). ops/tensor.ts says
 * where the elements are and how sums are made. The factors come as factors.ts leaves them; a round does rows g and g + 8, whose parts of C and D are
 * the four lanes of the round.
 *
 * Sums of floats are those of f64 in the order of k. Where both factors are narrow, 32-bit integers have the same sum, which is exact.
 */
import { Kind, type Operand } from "../../isa/operand.js";
import type { Site } from "../site.js";
import { TRASH_ROW, ZERO_ROW } from "../state.js";
import type { Fn } from "./encoder.js";
import { type Elements, F64_AT, type Factor, half, I16_AT, NARROW, UNIT } from "./factors.js";
import { ROW_BYTES } from "./layout.js";
import { Op } from "./opcodes.js";
import { EVEN_WORDS, HIGH_PAIR, LOW_HALVES, LOW_PAIR, ODD_WORDS, UPPER, Vectors } from "./vectors.js";

/** What makes products differ in code. */
export interface ProductKind {
  readonly rows: 8 | 16;
  readonly depth: number;
  /** Bytes, saturating or not; floats, rounded to f32 or to f16. */
  readonly sums: "integer" | "saturated" | "float" | "half";
}

export interface Product extends ProductKind {
  readonly a: Factor;
  readonly b: Factor;
  /** Offsets of the first rows of C and D in the warp's state; D is no more than four registers. */
  readonly c: number;
  readonly d: number;
}

const depths: Readonly<Record<string, number>> = { "1684": 4, "1688": 8, "16816": 16, "16832": 32, "8816": 16 };
const EIGHT_ROWS = "8816";
/** Depths that elements have. */
const possible: Readonly<Record<Elements, readonly number[]>> = {
  F16: [8, 16],
  BF16: [8, 16],
  TF32: [4, 8],
  S8: [16, 32],
  U8: [16, 32],
};

/** Elements of A and B, and what is summed up; null: other ones. */
function typesOf(op: string, mods: readonly string[]): readonly [Elements, Elements, ProductKind["sums"]] | null {
  const rest = mods.filter((m) => !(m in depths));
  if (op === "HMMA") {
    if (rest.length === 1 && rest[0] === "F16") return ["F16", "F16", "half"];
    if (!rest.includes("F32") || rest.some((m) => m !== "F32" && m !== "BF16" && m !== "TF32")) return null;
    const elements = rest.includes("BF16") ? "BF16" : rest.includes("TF32") ? "TF32" : "F16";
    return [elements, elements, "float"];
  }
  if (op !== "IMMA") return null;
  const types = rest.filter((m): m is "S8" | "U8" => m === "S8" || m === "U8");
  if (types.length !== 2 || rest.some((m) => m !== "S8" && m !== "U8" && m !== "SAT")) return null;
  return [types[0]!, types[1]!, rest.includes("SAT") ? "saturated" : "integer"];
}

/** The product of an instruction without guard; null for other ones. */
export function productOf(s: Site): Product | null {
  const { op, mods } = s.inst.form;
  const types = typesOf(op, mods);
  if (types === null || s.inst.guard !== null || (s.pred("pin") & 7) !== 7) return null;
  const pin = s.find("pin");
  if (pin !== null && pin.mods & 4) return null;
  const first = (o: Operand | null, zero: number): number | null =>
    o === null || o.kind !== Kind.Reg || o.mods & 7 || !/^(\.ROW|\.COL)?$/.test(o.part)
      ? null
      : (o.id < 0 ? zero : o.id) * ROW_BYTES;
  const [a, b, c, d] = (["a", "b", "c", "d"] as const).map((n) => first(s.find(n), n === "d" ? TRASH_ROW : ZERO_ROW));
  const depth = depths[mods.find((m) => m in depths) ?? ""];
  if (a == null || b == null || c == null || d == null || depth === undefined) return null;
  if (!types.slice(0, 2).every((t) => possible[t as Elements].includes(depth))) return null;
  const rows = mods.includes(EIGHT_ROWS) ? 8 : 16;
  if (rows === 8 && op !== "IMMA") return null;
  return {
    rows,
    depth,
    sums: types[2],
    a: { side: "a", rows, depth, elements: types[0], row: a },
    b: { side: "b", rows: 8, depth, elements: types[1], row: b },
    c,
    d,
  };
}

/** Parameters: addresses of the factors' slots, and of the first rows of C and D. */
const [A, B, C, D] = [0, 1, 2, 3] as const;

/** Sums of 32 bits of a row, or of one in each half of 16, four columns to a vector. */
function integerSums(w: Vectors, rows: 8 | 16, depth: number, a: number): number[] {
  const { code } = w;
  const sums = Array.from({ length: rows / 4 }, () => w.gathering(0));
  w.rounds(
    depth / 2,
    [
      [a, 4],
      [B, 32],
    ],
    ([row, column]) => {
      const b = [0, 16].map((n) => w.load(Op.load, column!, I16_AT + n));
      for (let h = 0; h < rows / 8; h++) {
        const x = w.load(Op.load32Splat, row!, I16_AT + h * 16 * depth);
        b.forEach((y, n) => {
          const sum = sums[2 * h + n]!;
          code.get(sum).get(x).get(y).op(Op.i32x4DotI16).op(Op.i32x4Add).set(sum);
        });
      }
    },
  );
  return sums;
}

/**
 * Sums of f64 of two rows, two columns to a vector. `fused`: products of two elements are exact, so that one rounding is the same as two. A loop of one k each: of
 * straight-line code V8 moves operations toward their uses, beyond what its registers hold, which takes twice the time.
 */
function wideSums(w: Vectors, depth: number, a: number, fused: boolean): number[] {
  const { code } = w;
  const sums = Array.from({ length: 8 }, () => w.gathering(0));
  w.rounds(
    depth,
    [
      [a, 8],
      [B, 64],
    ],
    ([row, column]) => {
      const b = [0, 1, 2, 3].map((n) => w.load(Op.load, column!, F64_AT + 16 * n));
      for (let h = 0; h < 2; h++) {
        const x = w.load(Op.load64Splat, row!, F64_AT + h * 64 * depth);
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
function rounded(w: Vectors, totals: readonly number[]): number {
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
function roundedToHalf(w: Vectors, totals: readonly [number, number]): number {
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

/** Adds C to the sums of 32 bits. */
function addIntegers(w: Vectors, sums: readonly number[], c: number, d: number, saturated: boolean): void {
  const before = sums.map((_, j) => w.load(Op.load, c, j * ROW_BYTES));
  for (let h = 0; h < sums.length / 2; h++)
    [EVEN_WORDS, ODD_WORDS].forEach((order, j) => {
      const x = w.shuffled(sums[2 * h]!, sums[2 * h + 1]!, order);
      const y = before[2 * h + j]!;
      let r = w.v(Op.i32x4Add, x, y);
      if (saturated) {
        // Both have another sign than their sum.
        const over = w.shifted(Op.i32x4ShrS, w.v(Op.and, w.v(Op.xor, x, r), w.v(Op.xor, y, r)), 31);
        const most = w.v(Op.xor, w.shifted(Op.i32x4ShrS, x, 31), w.splat(0x7fffffff));
        r = w.v(Op.bitselect, most, r, over);
      }
      w.store(d, r, (2 * h + j) * ROW_BYTES);
    });
}

/** Sums of 32 bits as f64, times `unit`. */
function asDoubles(w: Vectors, sums: readonly number[], unit: number): number[] {
  return sums.flatMap((s) =>
    [s, w.shuffled(s, s, UPPER)].map((x) => w.v(Op.f64x2Mul, w.v(Op.f64x2FromLowI32S, x), unit)),
  );
}

/** The function of a kind of product. Of floats it calls `wide` for each factor (factors.ts) before it needs their f64. */
export function productFunction(
  { rows, depth, sums }: ProductKind,
  wide: readonly [number, number],
  fused: boolean,
): Fn {
  const w = new Vectors(4);
  const { code } = w;
  /** `bytes`: of an element of A. */
  const rounds = (bytes: number, body: (a: number, c: number, d: number) => void): void =>
    w.rounds(
      8,
      [
        [A, bytes * depth],
        [C, 16],
        [D, 16],
      ],
      ([a, c, d]) => {
        body(a!, c!, d!);
      },
    );
  if (sums === "integer" || sums === "saturated") {
    rounds(2, (a, c, d) => {
      addIntegers(w, integerSums(w, rows, depth, a), c, d, sums === "saturated");
    });
    return w.finish();
  }
  const add = sums === "half" ? addHalves : addFloats;
  code.get(A).memory(Op.i32Load, NARROW).get(B).memory(Op.i32Load, NARROW).op(Op.i32And).open(Op.if);
  const unit = w.v(Op.f64x2Mul, w.load(Op.load64Splat, A, UNIT), w.load(Op.load64Splat, B, UNIT));
  rounds(2, (a, c, d) => {
    add(w, asDoubles(w, integerSums(w, rows, depth, a), unit), c, d);
  });
  code.op(Op.return).end();
  [A, B].forEach((slot, i) => {
    code.get(slot).index(Op.call, wide[i]!);
  });
  rounds(8, (a, c, d) => {
    add(w, wideSums(w, depth, a, fused), c, d);
  });
  return w.finish();
}
