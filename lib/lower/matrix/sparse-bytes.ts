/**
 * Sparse products of 8-bit floats where there is no QMMA (sm_90, 100): as ptxas, two products of halves, of the even and of the odd groups of four
 * along k, added to C at the end (read off its code on sm_90, 100a).
 *
 * - A: the lower half of a word holds what is left of an even group, the upper that of the odd one after it.
 * - B: a thread holds a group; its elements go to two threads, half of a word each, so every second half comes from a neighbour.
 * - Metadata: a nibble is a group, and where the unit wants it in order it is put so, even if PTX says that it is (as ptxas). Lanes 0 and 1 of four get the even ones of both rows, lanes 2 and 3 the odd ones.
 */
import { imm, part, RZ, select, sreg } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Context } from "../context.js";
import { sorted } from "./metadata.js";

const LANE_ID = 0x00;
/** Lanes of four by themselves. */
const FOUR = 0x1c03;

export interface SparseBytes {
  readonly a: string;
  readonly b: string;
  readonly d: "f16" | "f32";
  /** The metadata must be put in order. */
  readonly sorts: boolean;
}

function joined(c: Context, words: readonly Operand[]): Operand {
  const d = c.temp(words.length);
  words.forEach((w, k) => {
    c.move(part(d, k), w);
  });
  return d;
}

const widened = (c: Context, word: Operand, type: string, upper: boolean): Operand =>
  c.op(`F2FP.F16.${type.toUpperCase()}.UNPACK_B`, [upper ? select(word, ".H1") : word]);

function fromLane(c: Context, word: Operand, lane: Operand): Operand {
  const d = c.temp();
  c.emit("SHFL.IDX", [c.predicate(), d], [word, lane, imm(FOUR)]);
  return d;
}

const masked = (c: Context, x: Operand, mask: number): Operand => c.op("LOP3.LUT", [x, imm(mask), RZ(), imm(0xc0)]);

/** The metadata of both products. */
function groups(c: Context, metadata: Operand, lane: Operand): Operand {
  // Nibbles of the upper lanes are one further on.
  const shift = c.op("SHF.L.U32", [masked(c, lane, 2), imm(1), RZ()]);
  const first = c.op("SHF.L.U32", [masked(c, lane, 1), imm(1), RZ()]);
  const [low, high] = [0, 1].map((row) => {
    const from = row === 0 ? first : c.op("IADD3", [first, imm(1), RZ()]);
    const nibbles = masked(c, c.op("SHF.R.U32.HI", [RZ(), shift, fromLane(c, metadata, from)]), 0x0f0f0f0f);
    return c.op("LOP3.LUT", [nibbles, c.op("SHF.R.U32.HI", [RZ(), imm(4), nibbles]), RZ(), imm(0xfc)]);
  }) as [Operand, Operand];
  return c.op("PRMT", [low, imm(0x6420), high]);
}

/** The words of D. */
export function sparseBytes(
  c: Context,
  x: SparseBytes,
  a: readonly Operand[],
  b: readonly Operand[],
  acc: readonly Operand[],
  metadata: Operand,
): Operand[] {
  const lane = c.op("S2R", [sreg(LANE_ID)]);
  const odd = c.predicate();
  c.emit("ISETP.NE.AND", [odd], [masked(c, lane, 1), RZ()]);
  const [neighbour, places] = [c.op("LOP3.LUT", [lane, imm(1), RZ(), imm(0x3c)]), groups(c, metadata, lane)];
  const others = masked(c, neighbour, 3);
  let d: Operand = RZ(acc.length);
  for (const upper of [false, true]) {
    const halves = a.map((w) => widened(c, w, x.a, upper));
    const factor = b.map((w) => {
      const [low, high] = [widened(c, w, x.b, false), widened(c, w, x.b, true)];
      // Even groups: an odd thread gets its neighbour's upper half; odd groups: an even one gets its neighbour's lower half.
      const there = fromLane(c, upper ? low : high, others);
      return upper ? c.op("SEL", [high, there, odd]) : c.op("SEL", [there, low, odd]);
    });
    const lanes = upper ? 1 : 0;
    const made = x.sorts ? sorted(c, "halves", halves, places, lanes) : { a: halves, metadata: places };
    const to = c.temp(acc.length);
    c.emit(
      `HMMA.SP.16832.${x.d.toUpperCase()}`,
      [to],
      [joined(c, made.a), joined(c, factor), d, made.metadata, imm(x.sorts ? 0 : lanes)],
    );
    d = to;
  }
  const add = x.d === "f32" ? "FADD" : "HADD2";
  return acc.map((w, k) => c.op(add, [part(d, k), w]));
}
