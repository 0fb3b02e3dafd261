/**
 * Products that an SM has no unit for, made of those that it has. Which elements of a factor lie at which place along k does not
 * matter as long as both factors agree, so factors are taken apart word by word; only nibbles that become bytes move between the lanes of a row.
 *
 * - f64 on 16 rows from sm_100 on: DMMA.8x8x4 for each four of k and half of the rows (as ptxas).
 * - bytes on 8 rows from sm_100 on: 16 rows, half of them zero (as ptxas).
 * - 8-bit floats where there is no QMMA: both halves of each word widened to f16, added to c at the end (as ptxas).
 * - 4-bit integers from sm_90 on: the low and the high nibbles of each word as bytes (ptxas puts the same into routines).
 * - single bits: XOR by two products AND; without BMMA each bit of a nibble as a byte (as ptxas, whose routine of XOR calls that of AND twice).
 */
import { formsNamed } from "../../isa/form.js";
import { imm, part, RZ, select } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import { File } from "../../ori/types.js";
import type { Context } from "../context.js";

/** Words of the factors and of C; returns the words of D. */
export type MadeOf = (c: Context, a: readonly Operand[], b: readonly Operand[], acc: readonly Operand[]) => Operand[];

/** Consecutive registers with these words. */
function wide(c: Context, words: readonly Operand[]): Operand {
  if (words.every((w) => w.id < 0 && w.file === File.R)) return RZ(words.length);
  const d = c.temp(words.length);
  words.forEach((w, k) => {
    c.move(part(d, k), w);
  });
  return d;
}

const wordsOf = (o: Operand): Operand[] => Array.from({ length: o.width }, (_, k) => part(o, k));

function product(c: Context, name: string, a: readonly Operand[], b: readonly Operand[], acc: Operand): Operand {
  const d = c.temp(acc.width);
  const [first, second] = [wide(c, a), wide(c, b)];
  const laidOut = /^[IB]MMA/.test(name);
  const [x, y] = laidOut ? [select(first, ".ROW"), select(second, ".COL")] : [first, second];
  // One-bit products of several shapes share their names.
  const form = formsNamed(name).find((f) => f.srcs.find((s) => s.name === "a")?.width === first.width);
  c.emit(form ?? name, [d], [x, y, acc]);
  return d;
}

// ------------------------------------------------------------------------------------------------ f64

/** Words of element n of f64. */
const pairAt = (words: readonly Operand[], n: number): Operand[] => words.slice(2 * n, 2 * n + 2);

export function doubles(rounding: string): MadeOf {
  return (c, a, b, acc) => {
    const rows = [0, 1].map((half) => {
      let d = wide(c, acc.slice(4 * half, 4 * half + 4));
      for (let k = 0; k < b.length / 2; k++)
        d = product(c, `DMMA.8x8x4${rounding}`, pairAt(a, 2 * k + half), pairAt(b, k), d);
      return d;
    });
    return rows.flatMap(wordsOf);
  };
}

// ------------------------------------------------------------------------------------------------ integers

/** Eight rows as the upper ones of sixteen. */
export function eightRows(name: string): MadeOf {
  return (c, a, b, acc) => {
    const [first] = a as [Operand];
    return wordsOf(product(c, name, [first, RZ()], b, wide(c, [...acc, RZ(), RZ()]))).slice(0, 2);
  };
}

/** The nibbles of a word as bytes, from bit 0 or 4 of each byte on; signed ones with their sign brought up. */
export function nibbles(c: Context, word: Operand, high: boolean, signed: boolean): Operand {
  const low = high ? c.op("SHF.R.U32.HI", [RZ(), imm(4), word]) : word;
  const value = c.op("LOP3.LUT", [low, imm(0x0f0f0f0f), RZ(), imm(0xc0)]);
  if (!signed) return value;
  const sign = c.op("LOP3.LUT", [low, imm(0x08080808), RZ(), imm(0xc0)]);
  // Bit 3 of a byte times 0x1e: bits 4 to 7.
  return c.op("IMAD", [sign, imm(0x1e), value]);
}

const LIMIT = 0x7fffffff;

/** Sums that end at the greatest and least number. */
export function saturatingSum(c: Context, x: Operand, y: Operand): Operand {
  const sum = c.op("IADD3", [x, y, RZ()]);
  // Overflow: both signs differ from that of the sum.
  const over = c.op("LOP3.LUT", [x, y, sum, imm(~(0xf0 ^ 0xcc) & (0xf0 ^ 0xaa) & 0xff)]);
  const bound = c.op("LOP3.LUT", [c.op("SHF.R.S32.HI", [RZ(), imm(31), x]), imm(LIMIT), RZ(), imm(0x3c)]);
  const p = c.predicate();
  c.emit("ISETP.LT.AND", [p], [over, RZ()]);
  return c.op("SEL", [bound, sum, p]);
}

/** `s4` and `u4` on the unit for bytes: rows 8 or 16, each word of b a product of depth 32, or two of 16. */
export function nibbleProduct(a: string, b: string, saturates: boolean): MadeOf {
  const types = `${a === "s4" ? "S8" : "U8"}.${b === "s4" ? "S8" : "U8"}`;
  return (c, wa, wb, acc) => {
    const rows = wa.length / wb.length;
    // One word of b: a product for each half of its nibbles, as ptxas.
    const once = wb.length === 1;
    const eight = once && rows === 1 && c.target.has("mmaInteger8");
    const name = once ? (eight ? "IMMA.8816" : "IMMA.16816") : "IMMA.16832";
    const padded = rows === 2 || eight ? acc : [...acc, RZ(), RZ()];
    const both = [false, true];
    let d = saturates ? RZ(padded.length) : wide(c, padded);
    wb.forEach((word, k) => {
      for (const highs of once ? [[false], [true]] : [both]) {
        const factor = highs.flatMap((high) =>
          (eight ? [0] : [0, 1]).map((r) =>
            r < rows ? nibbles(c, wa[k * rows + r] as Operand, high, a === "s4") : RZ(),
          ),
        );
        const other = highs.map((high) => nibbles(c, word, high, b === "s4"));
        d = product(c, `${name}.${types}`, factor, other, d);
      }
    });
    const sums = wordsOf(d).slice(0, acc.length);
    return saturates ? sums.map((s, k) => saturatingSum(c, s, acc[k] as Operand)) : sums;
  };
}

// ------------------------------------------------------------------------------------------------ bits

const inverted = (c: Context, words: readonly Operand[]): Operand[] =>
  words.map((w) => c.op("LOP3.LUT", [RZ(), w, RZ(), imm(0x33)]));

/** a XOR b has the ones of a AND NOT b and those of NOT a AND b. */
function bothWays(and: MadeOf): MadeOf {
  return (c, a, b, acc) => and(c, inverted(c, a), b, and(c, a, inverted(c, b), acc));
}

/** Bit `at` of each nibble. */
function bitOfNibbles(c: Context, word: Operand, at: number): Operand {
  const bit = c.op("LOP3.LUT", [word, imm(0x11111111 << at), RZ(), imm(0xc0)]);
  return at === 0 ? bit : c.op("SHF.R.U32.HI", [RZ(), imm(at), bit]);
}

/** The nibbles of a word as the bytes of two; across the lanes of a row, alike for both factors. */
function nibblesAsBytes(c: Context, word: Operand): Operand[] {
  const d = c.temp(2);
  c.emit("MOVM.U4TO8.M832", [d], [word]);
  return wordsOf(d);
}

const bitsAsBytes: MadeOf = (c, wa, wb, acc) => {
  const rows = wa.length / wb.length;
  let d = wide(c, rows === 2 ? acc : [...acc, RZ(), RZ()]);
  wb.forEach((word, k) => {
    for (const bit of [3, 2, 1, 0]) {
      const [upper, lower] = [0, 1].map((r) =>
        r < rows ? nibblesAsBytes(c, bitOfNibbles(c, wa[k * rows + r] as Operand, bit)) : [RZ(), RZ()],
      ) as [Operand[], Operand[]];
      const factor = [0, 1].flatMap((half) => [upper[half] as Operand, lower[half] as Operand]);
      d = product(c, "IMMA.16832.U8.U8", factor, nibblesAsBytes(c, bitOfNibbles(c, word, bit)), d);
    }
  });
  return wordsOf(d).slice(0, acc.length);
};

/** One-bit products; `name` is the BMMA of AND where there is one. */
export function bits(xor: boolean, name: string | null): MadeOf {
  const and: MadeOf = name === null ? bitsAsBytes : (c, a, b, acc) => wordsOf(product(c, name, a, b, wide(c, acc)));
  return xor ? bothWays(and) : and;
}

// ------------------------------------------------------------------------------------------------ 8-bit floats

/** Both 8-bit floats of a half of the word as f16. */
function widened(c: Context, word: Operand, type: string, upper: boolean): Operand {
  return c.op(`F2FP.F16.${type.toUpperCase()}.UNPACK_B`, [upper ? select(word, ".H1") : word]);
}

export function byteFloats(a: string, b: string, sum: string): MadeOf {
  return (c, wa, wb, acc) => {
    const name = `HMMA.${wa.length === 2 ? "1688" : "16816"}.${sum.toUpperCase()}`;
    let d: Operand = RZ(acc.length);
    for (const upper of [false, true]) {
      const half = (words: readonly Operand[], type: string): Operand[] => words.map((w) => widened(c, w, type, upper));
      d = product(c, name, half(wa, a), half(wb, b), d);
    }
    const add = sum === "f32" ? "FADD" : "HADD2";
    return wordsOf(d).map((x, k) => c.op(add, [x, acc[k] as Operand]));
  };
}
