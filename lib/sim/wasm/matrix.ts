/**
 * Products of matrices of 8 or 16 rows and 8 columns: of f16, bf16, tf32 or smaller floats with f32 or f16 accumulators (HMMA, QMMA), of bytes and nibbles
 * with 32-bit ones (IMMA), of single bits (BMMA), of f64 (DMMA: doubles.ts), block-scaled ones (QMMA.SF, OMMA: scales.ts). ops/tensor.ts says where the elements are and how sums are made. The
 * factors come as factors.ts leaves them; a round does rows g and g + 8, whose parts of C and D are the four lanes of the round.
 *
 * Sums of floats are those of f64 in the order of k. Where both factors are narrow, 32-bit integers have the same sum, which is exact.
 */
import { File, Kind, type Operand } from "../../isa/operand.js";
import type { Site } from "../site.js";
import { TRASH_ROW, ZERO_ROW, ZERO_UNIFORM } from "../state.js";
import { type Elements, half } from "./elements.js";
import type { Fn } from "./encoder.js";
import { ROW_BYTES, UNIFORM } from "./layout.js";
import { Op } from "./opcodes.js";
import { isExact, multiplied, multipliedAt, type Scaling, scaled } from "./scales.js";
import { type Factor, f64At, I16_AT, NARROW, pairBytes, UNIT } from "./slots.js";
import { isSelector } from "./sparse.js";
import { EVEN_WORDS, HIGH_PAIR, LOW_HALVES, LOW_PAIR, ODD_WORDS, UPPER, Vectors } from "./vectors.js";

/** What is summed up: integers, saturating or not; ones in a and b, in a xor b; floats, rounded to f32 or to f16; f64. */
export type Sums = "integer" | "saturated" | "and" | "xor" | "float" | "half" | "double";

/** What makes products differ in code. */
export interface ProductKind {
  readonly rows: 8 | 16;
  readonly depth: number;
  readonly sums: Sums;
  /** Bytes of a row of A as pairs (factors.ts). */
  readonly pairs: number;
  readonly scaling?: Scaling;
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
export const resultsOf = ({ rows, sums }: ProductKind): number =>
  (rows / 4) * (sums === "double" ? 2 : sums === "half" ? 1 / 2 : 1);

/** Rows and depth by the modifier. */
const shapes: Readonly<Record<string, readonly [rows: 8 | 16, depth: number]>> = {
  "884": [8, 4],
  "8x8x4": [8, 4],
  "8816": [8, 16],
  "8832": [8, 32],
  "88128": [8, 128],
  "1684": [16, 4],
  "1688": [16, 8],
  "16816": [16, 16],
  "16832": [16, 32],
  "16864": [16, 64],
  "168128": [16, 128],
  "168256": [16, 256],
  "16x8x4": [16, 4],
  "16x8x8": [16, 8],
  "16x8x16": [16, 16],
};

/** Depths that elements have: of eight rows, of sixteen. */
const nibbles = [[32], [32, 64]] as const;
const bytes = [[16], [16, 32]] as const;
const halves = [[], [8, 16]] as const;
const smallFloats = [[], [16, 32]] as const;
const possible: Readonly<Record<Elements, readonly [readonly number[], readonly number[]]>> = {
  F16: halves,
  BF16: halves,
  TF32: [[], [4, 8]],
  E4M3: smallFloats,
  E5M2: smallFloats,
  E3M2: smallFloats,
  E2M3: smallFloats,
  E2M1: smallFloats,
  S8: bytes,
  U8: bytes,
  S4: nibbles,
  U4: nibbles,
  "E2M1.PACKED": [[], [64]],
  B1: [[128], [128, 256]],
  F64: [[4], [4, 8, 16]],
};
/** Depths of sparse products, of sixteen rows. */
const sparseDepths: Readonly<Partial<Record<Elements, readonly number[]>>> = {
  F16: [16, 32],
  BF16: [16, 32],
  TF32: [8, 16],
  S8: [32, 64],
  U8: [32, 64],
  S4: [64, 128],
  U4: [64, 128],
  E4M3: [32, 64],
  E5M2: [32, 64],
  E3M2: [32, 64],
  E2M3: [32, 64],
  E2M1: [32, 64],
  "E2M1.PACKED": [128],
};
const smallNames: readonly string[] = ["E4M3", "E5M2", "E3M2", "E2M3", "E2M1"];
const integerNames: readonly string[] = ["S8", "U8", "S4", "U4"];

type Types = readonly [a: Elements, b: Elements, sums: Sums, scaling?: Scaling];

/** Of two modifiers among `names` the first is A's; null where there are others than they, and `more`. */
function twoOf(
  mods: readonly string[],
  names: readonly string[],
  more: readonly string[],
): [Elements, Elements] | null {
  const types = mods.filter((m) => names.includes(m)) as Elements[];
  if (types.length !== 2 || mods.some((m) => !names.includes(m) && !more.includes(m))) return null;
  return [types[0]!, types[1]!];
}

/** Elements of A and B, and what is summed up, by the modifiers but the shape; null: other ones. */
const typesOf: Readonly<Record<string, (mods: readonly string[]) => Types | null>> = {
  HMMA: (mods) => {
    if (mods.length === 1 && mods[0] === "F16") return ["F16", "F16", "half"];
    if (!mods.includes("F32") || mods.some((m) => m !== "F32" && m !== "BF16" && m !== "TF32")) return null;
    const elements = mods.includes("BF16") ? "BF16" : mods.includes("TF32") ? "TF32" : "F16";
    return [elements, elements, "float"];
  },
  QMMA: (mods) => {
    const types = twoOf(mods, smallNames, ["F32", "F16", "SF", "E8"]);
    if (types === null) return null;
    if (mods.includes("SF"))
      return mods.includes("E8") && mods.includes("F32") && mods.length === 5
        ? [...types, "float", { blocks: 1, powers: true }]
        : null;
    return mods.length !== 3 ? null : [...types, mods.includes("F16") ? "half" : "float"];
  },
  OMMA: (mods) => {
    if (twoOf(mods, ["E2M1"], ["SF", "F32", "E8", "UE4M3", "4X"]) === null || !mods.includes("SF")) return null;
    const powers = mods.includes("E8");
    if (powers === mods.includes("UE4M3") || !mods.includes("F32")) return null;
    return ["E2M1.PACKED", "E2M1.PACKED", "float", { blocks: mods.includes("4X") ? 4 : 2, powers }];
  },
  IMMA: (mods) => {
    const types = twoOf(mods, integerNames, ["SAT"]);
    return types === null ? null : [...types, mods.includes("SAT") ? "saturated" : "integer"];
  },
  BMMA: (mods) => {
    const [op, count] = mods;
    if (mods.length !== 2 || count !== "POPC" || (op !== "AND" && op !== "XOR")) return null;
    return ["B1", "B1", op === "AND" ? "and" : "xor"];
  },
  DMMA: (mods) => (mods.length === 0 ? ["F64", "F64", "double"] : null),
};

/** The product of an instruction without guard; null for other ones. */
export function productOf(s: Site): Product | null {
  const { op, mods } = s.inst.form;
  const name = mods.find((m) => m in shapes);
  const isSparse = mods.includes("SP");
  const types = typesOf[op]?.(mods.filter((m) => m !== name && m !== "SP")) ?? null;
  if (types === null || name === undefined || s.inst.guard !== null || (s.pred("pin") & 7) !== 7) return null;
  const pin = s.find("pin");
  if (pin !== null && pin.mods & 4) return null;
  const [rows, depth] = shapes[name]!;
  const depthsOf = (e: Elements): readonly number[] =>
    isSparse ? (rows === 8 ? [] : (sparseDepths[e] ?? [])) : possible[e][rows === 8 ? 0 : 1];
  if (!types.slice(0, 2).every((t) => depthsOf(t as Elements).includes(depth))) return null;
  const first = (o: Operand | null, zero: number): number | null =>
    o === null || o.kind !== Kind.Reg || o.mods & 7 || !/^(\.ROW|\.COL)?$/.test(o.part)
      ? null
      : (o.id < 0 ? zero : o.id) * ROW_BYTES;
  const [a, b, c, d] = (["a", "b", "c", "d"] as const).map((n) => first(s.find(n), n === "d" ? TRASH_ROW : ZERO_ROW));
  if (a == null || b == null || c == null || d == null) return null;
  const sparse = isSparse ? { meta: first(s.find("e"), ZERO_ROW), selector: s.imm("n") } : null;
  if (sparse !== null && sparse.meta === null) return null;
  const scaling = types[3];
  const scales = scaling === undefined ? undefined : scalesAt(s, isSparse);
  if (scales === null) return null;
  const factors = {
    a: {
      side: "a",
      rows,
      depth,
      elements: types[0],
      row: a,
      from: "registers",
      ...(sparse as Pick<Factor, "meta" | "selector"> | null),
    },
    b: { side: "b", rows: 8, depth, elements: types[1], row: b, from: "registers" },
  } as const;
  if (sparse !== null && !isSelector(factors.a, sparse.selector)) return null;
  const more = scaling === undefined || scales === undefined ? {} : { scaling, scales };
  return { rows, depth, sums: types[2], pairs: pairBytes(factors.a), ...factors, c, d, ...more };
}

/** Null: other operands than those of registers. Above the metadata of a sparse product is the register of A's scales. */
function scalesAt(s: Site, isSparse: boolean): ScalesAt | null {
  const [e, f, where] = ["e", "f", "ur"].map((n) => s.find(n));
  if (e?.kind !== Kind.Reg || f?.kind !== Kind.Reg || where?.kind !== Kind.Reg || where.file !== File.UR) return null;
  if ((e.mods | f.mods) & 7) return null;
  return {
    a: (e.id < 0 ? ZERO_ROW : e.id + (isSparse ? 1 : 0)) * ROW_BYTES,
    b: (f.id < 0 ? ZERO_ROW : f.id) * ROW_BYTES,
    where: UNIFORM + 4 * (where.id < 0 ? ZERO_UNIFORM : where.id),
  };
}

/** Parameters: addresses of the factors' slots, of the first rows of C and D, and of scales where there are some. */
const [A, B, C, D, S] = [0, 1, 2, 3, 4] as const;

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
  const w = new Vectors(scaling === undefined ? 4 : 5);
  const { code } = w;
  /** Goes on by `bytes` in A; `s`: scales of the row. */
  const rounds = (a: number, bytes: number, body: (a: number, c: number, d: number, s: number) => void): void =>
    w.rounds(
      8,
      [[a, bytes], [C, to.step], [D, to.step], ...(scaling === undefined ? [] : ([[S, 8]] as const))],
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
      multiplied(w, [A, B], I16_AT, depth, blocks, S);
      rounds(S, 8 * depth, (a, c, d) => {
        add(w, wideSums(w, depth, [a, S], fused, multipliedAt), c, d);
      });
      code.op(Op.return).end();
    }
    rounds(A, pairs, (a, c, d, s) => {
      const bytes = pairs / blocks;
      const each = Array.from({ length: blocks }, (_, i) =>
        scaled(w, asDoubles(w, integerSums(w, kind, a, "pairs", [i * bytes, bytes]), quarter), s, S, i),
      );
      // Sums begin with 0: a negative one times a scale of 0 is −0.
      if (!powers) each.unshift(new Array<number>(8).fill(w.splat(0)));
      const total = each.reduce((x, y) => x.map((v, i) => w.v(Op.f64x2Add, v, y[i]!)));
      add(w, total, c, d);
    });
    return w.finish();
  }
  const scaledOnce = (list: readonly number[], s: number): readonly number[] =>
    scaling === undefined ? list : scaled(w, list, s, S, 0);
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
