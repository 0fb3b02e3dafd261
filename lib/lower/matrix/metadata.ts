/**
 * Metadata of sparse products in ascending order, which the units of sm_100 and later want for f16 and integers (`mmaOrderedMetadata`): ptxas calls a
 * routine for `.sp` without `::ordered_metadata` that gathers a lane's own metadata from the four lanes of its group, exchanges both numbers of a nibble
 * where they descend, with the elements of A that they name, and deals the metadata out again. The same here, bit for bit (read off its code on sm_100a
 * for each shape): it exchanges where m0 ∧ ¬m3 ∨ m1 ∧ ¬m2, which all descending pairs but (2, 1) are.
 */
import { imm, RZ, sreg } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Context } from "../context.js";

const LANE_ID = 0x00;
/** Lanes of four by themselves. */
const FOUR = 0x1c03;

export interface Sorted {
  readonly metadata: Operand;
  readonly a: readonly Operand[];
}

/** A nibble of metadata names two bytes, or two halves. */
type Unit = "bytes" | "halves";

/** Bits where the mask has ones, else the other's. */
const merge = (c: Context, x: Operand, mask: number | Operand, other: Operand): Operand =>
  c.op("LOP3.LUT", [x, typeof mask === "number" ? imm(mask) : mask, other, imm(0xe2)]);

const right = (c: Context, x: Operand, n: number | Operand): Operand =>
  c.op("SHF.R.U32.HI", [RZ(), typeof n === "number" ? imm(n) : n, x]);

/** Left out where nothing moves. */
const left = (c: Context, x: Operand, n: number): Operand => (n === 0 ? x : c.op("SHF.L.U32", [x, imm(n), RZ()]));

function fromLane(c: Context, word: Operand, lane: number, shift: Operand): Operand {
  const d = c.temp();
  c.emit("SHFL.IDX", [c.predicate(), d], [word, lane === 0 ? RZ() : imm(lane), imm(FOUR)]);
  return right(c, d, shift);
}

/** Bits of a lane's part, and the same part in every half of a word that has one. */
const parts = { bytes: { bits: 8, mask: 0xff }, halves: { bits: 4, mask: 0x000f000f } } as const;
/** The nibble of metadata of each word of A. */
const halfNibbles = [0, 4, 1, 5] as const;

/** Parts of so many lanes side by side. */
function gathered(c: Context, unit: Unit, words: readonly Operand[]): Operand {
  const { bits, mask } = parts[unit];
  return words.reduce((whole, x, i) =>
    i === 0 ? x : merge(c, left(c, x, i * bits), (mask << (i * bits)) >>> 0, whole),
  );
}

/** The word where the bit is set, else as it was. */
function exchanged(c: Context, word: Operand, order: number, swaps: Operand, bit: number): Operand {
  const p = c.predicate();
  c.emit("ISETP.NE.AND", [p], [c.op("LOP3.LUT", [swaps, imm((1 << bit) >>> 0), RZ(), imm(0xc0)]), RZ()]);
  return c.op("SEL", [c.op("PRMT", [word, imm(order), RZ()]), word, p]);
}

/** `selector`: which lanes of four hold the metadata, as the instruction says it; afterwards it is 0. */
export function sorted(c: Context, unit: Unit, a: readonly Operand[], metadata: Operand, selector: number): Sorted {
  const { bits } = parts[unit];
  const id = c.op("S2R", [sreg(LANE_ID)]);
  const shift = left(c, c.op("LOP3.LUT", [id, imm(3), RZ(), imm(0xc0)]), bits === 8 ? 3 : 2);
  const lanes = unit === "bytes" ? a.length : a.length / 2;
  const own = Array.from({ length: lanes }, (_, i) => fromLane(c, metadata, lanes * selector + i, shift));
  const m = gathered(c, unit, own);
  const swaps = c.op("LOP3.LUT", [
    c.op("LOP3.LUT", [m, right(c, m, 3), RZ(), imm(0x30)]),
    right(c, m, 2),
    right(c, m, 1),
    imm(0xf2),
  ]);
  const turned = merge(c, left(c, m, 2), 0xcccccccc, right(c, m, 2));
  const nibbles = c.op("IMAD", [c.op("LOP3.LUT", [swaps, imm(0x11111111), RZ(), imm(0xc0)]), imm(15), RZ()]);
  const ordered = merge(c, turned, nibbles, m);
  const dealt = [0, 1, 2, 3].map((i) => fromLane(c, ordered, i, shift));
  const words = a.map((word, r) => {
    if (unit === "halves") return exchanged(c, word, 0x1032, swaps, 4 * halfNibbles[r]!);
    return exchanged(c, exchanged(c, word, 0x3201, swaps, 8 * r), 0x2310, swaps, 8 * r + 4);
  });
  return { metadata: gathered(c, unit, dealt), a: words };
}
