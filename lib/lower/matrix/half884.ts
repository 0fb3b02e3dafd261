/**
 * `mma.m8n8k4` of f16 from sm_80 on, where no unit has it: ptxas calls a routine that brings rows of A and columns of B together by SHFL and
 * computes, in f32 (read off its code for each layout and type on sm_80, 90, 100),
 *
 *     d = (c + fma(a1, b1, a0 · b0)) + fma(a3, b3, a2 · b2)
 *
 * and rounds once more where D is f16. The same here, in line. Where elements lie: PTX ISA 9.7.14.5.1. Lanes n to n + 3 and n + 16 to n + 19 make
 * one product; `base` is n.
 */
import { imm, neg, part, RZ, select, sreg } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Context } from "../context.js";

const LANE_ID = 0x00;
/** Any lane of the warp. */
const WARP = 0x1f;
const UPPER = 16;
const DEPTH = 4;

export interface Half884 {
  readonly aRow: boolean;
  readonly bRow: boolean;
  readonly d: "f16" | "f32";
  readonly c: "f16" | "f32";
}

/** The lane's places. */
interface Lane {
  readonly id: Operand;
  readonly base: Operand;
  /** 16 for the upper lanes of a product, which have its rows 4 to 7. */
  readonly upper: Operand;
}

/** Four factors along k, each a half of a word. */
type Factors = readonly Operand[];

const and = (c: Context, x: Operand, mask: number): Operand => c.op("LOP3.LUT", [x, imm(mask), RZ(), imm(0xc0)]);
const plus = (c: Context, x: Operand, n: number): Operand => (n === 0 ? x : c.op("IADD3", [x, imm(n), RZ()]));
const sum = (c: Context, x: Operand, y: Operand): Operand => c.op("IADD3", [x, y, RZ()]);

function from(c: Context, word: Operand, lane: Operand): Operand {
  const d = c.temp();
  c.emit("SHFL.IDX", [c.predicate(), d], [word, lane, imm(WARP)]);
  return d;
}

/** True where the bit of the lane's number is set. */
function bitOf(c: Context, lane: Lane, bit: number): Operand {
  const p = c.predicate();
  c.emit("ISETP.NE.AND", [p], [and(c, lane.id, bit), RZ()]);
  return p;
}

const pick = (c: Context, p: Operand, yes: Operand, no: Operand): Operand => c.op("SEL", [yes, no, p]);

/** The upper half of a word in lanes with an odd number, else the lower. */
const ownHalf = (c: Context, lane: Lane, word: Operand): Operand =>
  c.op("SHF.R.U32.HI", [RZ(), c.op("SHF.L.U32", [and(c, lane.id, 1), imm(4), RZ()]), word]);

const asF32 = (c: Context, word: Operand, upper: boolean): Operand =>
  c.op("HADD2.F32", [neg(RZ()), select(word, upper ? ".H1_H1" : ".H0_H0")]);

/** Halves of two words in order. */
const halves = (c: Context, words: readonly Operand[]): Factors =>
  words.flatMap((w) => [asF32(c, w, false), asF32(c, w, true)]);

const depths = [...Array(DEPTH).keys()];

/** Rows of A that the lane's elements of D need, in order. */
function rowsOfA(c: Context, k: Half884, lane: Lane, a: readonly [Operand, Operand]): Factors[] {
  const first = sum(c, lane.base, lane.upper);
  if (k.d === "f16") {
    if (k.aRow) return [halves(c, a)];
    const p = bitOf(c, lane, 2);
    return [
      depths.map((n) => {
        const at = plus(c, first, n);
        const word = pick(c, p, from(c, a[1], at), from(c, a[0], at));
        return asF32(c, ownHalf(c, lane, word), false);
      }),
    ];
  }
  const rows = [0, 1] as const;
  if (k.aRow) {
    const row = sum(c, first, and(c, lane.id, 1));
    return rows.map((r) => {
      const at = plus(c, row, 2 * r);
      return halves(
        c,
        a.map((w) => from(c, w, at)),
      );
    });
  }
  return rows.map((r) => depths.map((n) => asF32(c, ownHalf(c, lane, from(c, a[r], plus(c, first, n))), false)));
}

/** Columns of B that the lane's elements of D need, in order: all, or four. */
function columnsOfB(c: Context, k: Half884, lane: Lane, b: readonly [Operand, Operand]): Factors[] {
  const all = k.d === "f16";
  const halfsOf = [0, UPPER];
  if (!k.bRow) {
    const first = all ? lane.base : sum(c, lane.base, and(c, lane.id, 2));
    const near = all ? [0, 1, 2, 3] : [0, 1];
    return halfsOf.flatMap((h) =>
      near.map((n) => {
        const at = plus(c, first, h + n);
        return halves(
          c,
          b.map((w) => from(c, w, at)),
        );
      }),
    );
  }
  const p = all ? null : bitOf(c, lane, 2);
  return halfsOf.flatMap((h) => {
    const words = depths.map((n) => {
      const at = plus(c, lane.base, h + n);
      const both = b.map((w) => from(c, w, at)) as [Operand, Operand];
      return p === null ? both : [pick(c, p, both[1], both[0])];
    });
    const columns = all ? [0, 1, 2, 3] : [0, 1];
    return columns.map((x) => words.map((w) => asF32(c, w[x >> 1] as Operand, x % 2 === 1)));
  });
}

/** C as f32, in the order of D's elements. */
function sumsOf(c: Context, k: Half884, lane: Lane, words: readonly Operand[]): Operand[] {
  if (k.c === "f32") return [...words];
  if (k.d === "f16") return [...halves(c, words)];
  // Another lane has the row, two of its words the columns.
  const row = sum(c, sum(c, lane.base, lane.upper), and(c, lane.id, 1));
  const p = bitOf(c, lane, 2);
  const of = [0, 2].map((r) => {
    const there = words.map((w) => from(c, w, plus(c, row, r)));
    return halves(c, [pick(c, p, there[1]!, there[0]!), pick(c, p, there[3]!, there[2]!)]);
  }) as [Factors, Factors];
  return elements.map(([r, column]) => of[r]![column]!);
}

/** Of D in f32, element by element: which of the lane's two rows, which of its four columns. */
const elements: readonly (readonly [0 | 1, number])[] = Array.from({ length: 8 }, (_, i) => [
  ((i >> 1) & 1) as 0 | 1,
  (i & 1) + ((i & 4) >> 1),
]);

function element(c: Context, sums: Operand, a: Factors, b: Factors): Operand {
  const two = (n: number): Operand => c.op("FFMA", [a[n + 1]!, b[n + 1]!, c.op("FMUL", [a[n]!, b[n]!])]);
  const low = c.op("FADD", [sums, two(0)]);
  return c.op("FADD", [low, two(2)]);
}

/** The words of D. */
export function half884(
  c: Context,
  k: Half884,
  a: readonly [Operand, Operand],
  b: readonly [Operand, Operand],
  acc: readonly Operand[],
): Operand[] {
  const id = c.op("S2R", [sreg(LANE_ID)]);
  const lane: Lane = { id, base: and(c, id, 0xc), upper: and(c, id, UPPER) };
  const [rows, columns, sums] = [rowsOfA(c, k, lane, a), columnsOfB(c, k, lane, b), sumsOf(c, k, lane, acc)];
  if (k.d === "f32") return elements.map(([r, x], i) => element(c, sums[i]!, rows[r]!, columns[x]!));
  const values = columns.map((column, i) => element(c, sums[i]!, rows[0]!, column));
  const pack = c.target.has("f2fpTypes") ? "F2FP.F16.F32.PACK_AB" : "F2FP.PACK_AB";
  return [0, 2, 4, 6].map((i) => c.op(pack, [values[i + 1]!, values[i]!]));
}

/** Words of a value, one operand each. */
export const wordsOf = (o: Operand): Operand[] => Array.from({ length: o.width }, (_, n) => part(o, n));
