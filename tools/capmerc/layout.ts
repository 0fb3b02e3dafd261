/** Where the operands of units with one record name go in the record, and which of its bits are one modifier bit each. */
import { bitOf, clear, guardValue, PT, RZ, recordBits, wideBig } from "./bits.js";
import type { Sample } from "./sample.js";
import { bitsAt, type Operand, type Shape, WORD } from "./shape.js";

const PARAM_BASE = 0x380;
const RECORD_START = 40;

export interface Move {
  readonly operand: Operand;
  readonly kind: "r" | "p" | "b" | "s" | "m" | "g";
  readonly to: number;
  readonly width: number;
}

export interface Copy {
  readonly from: number;
  readonly to: number;
  length: number;
}

export interface Layout {
  readonly moves: readonly Move[];
  readonly copies: readonly Copy[];
}

/** Also fills in what is left of each sample: `rest`, `flags`. */
export function layoutOf(shape: Shape, samples: readonly Sample[]): Layout {
  const moves: Move[] = [];
  const rests = samples.map((s) => s.item!.slice());
  const taken = new Set<number>();
  const take = (m: Move, from: number, length: number): void => {
    moves.push(m);
    for (let b = from; b < from + length; b++) taken.add(b);
    for (const r of rests) clear(r, from, length);
  };
  const bits = samples[0]!.item!.length * 8;
  for (let k = 0; k < shape.words; k++) {
    const operand: Operand = { kind: "p", from: k * WORD + 12, length: 4 };
    const varies = new Set(samples.map((s) => bitsAt(s.bits, operand.from, 4))).size > 1;
    const holds = samples.every((s) => recordBits(s.item!, 32, 8) === guardValue(bitsAt(s.bits, operand.from, 4)));
    if (holds && (varies || shape.words === 1)) {
      take({ operand, kind: "g", to: 32, width: 8 }, 32, 8);
      break;
    }
  }
  for (const operand of shape.operands) {
    const { from, length } = operand;
    const values = samples.map((s) => bitsAt(s.bits, from, length));
    if (new Set(values).size < 2 || operand.kind === "label") continue;
    const fits = (to: number, width: number, of: (v: number) => number): boolean => {
      if (to + width > bits) return false;
      for (let b = to; b < to + width; b++) if (taken.has(b)) return false;
      return samples.every((s, i) => recordBits(s.item!, to, width) === of(values[i]!));
    };
    for (let to = RECORD_START; to < bits; to++) {
      if (operand.kind === "r" && fits(to, 10, (v) => (v === RZ ? 1023 : v))) {
        take({ operand, kind: "r", to, width: 10 }, to, 10);
        for (let b = to - 6; b < to; b++) taken.add(b);
      } else if (operand.kind === "p" && fits(to, 5, (v) => (v === PT ? 31 : v)))
        take({ operand, kind: "p", to, width: 5 }, to, 5);
      else if (operand.kind === "n" && to % 8 === 0) number(operand, values, to, fits, take);
    }
  }
  const registers = shape.operands.filter((o) => o.kind === "r");
  const registerMoves = registers.map((o) => moves.find((m) => m.kind === "r" && m.operand === o));
  for (const [i, s] of samples.entries()) {
    s.flags = registerMoves.map((m) => (m === undefined ? 0 : recordBits(s.item!, m.to - 6, 6)));
    for (const m of registerMoves) if (m !== undefined) clear(rests[i]!, m.to - 6, 6);
  }
  const copies = copiesOf(shape, samples, rests, taken);
  for (const [i, s] of samples.entries()) s.rest = Buffer.from(rests[i]!).toString("hex");
  return { moves, copies };
}

function number(
  operand: Operand,
  values: readonly number[],
  to: number,
  fits: (to: number, width: number, of: (v: number) => number) => boolean,
  take: (m: Move, from: number, length: number) => void,
): void {
  const { length } = operand;
  const wide =
    (width: number): ((v: number) => number) =>
    (v) =>
      v >= 2 ** (length - 1) ? v + (2 ** width - 2 ** length) : v;
  const negative = values.some((v) => v >= 2 ** (length - 1));
  if (negative && fits(to, 64, wideBig(length))) take({ operand, kind: "s", to, width: 64 }, to, 64);
  else if (negative && length < 32 && fits(to, 32, wide(32))) take({ operand, kind: "s", to, width: 32 }, to, 32);
  else if (fits(to, length, (v) => v)) take({ operand, kind: "b", to, width: length }, to, length);
  else if (length <= 17 && fits(to, 32, (v) => (v >= PARAM_BASE ? v - PARAM_BASE : -1)))
    take({ operand, kind: "m", to, width: 32 }, to, 32);
}

/** Bits of the record that are one modifier bit each, and no other; cleared in `rests`. */
function copiesOf(
  shape: Shape,
  samples: readonly Sample[],
  rests: readonly Uint8Array[],
  taken: ReadonlySet<number>,
): Copy[] {
  const column = (get: (i: number) => number): string => samples.map((_, i) => get(i)).join("");
  const sources = new Map<string, number[]>();
  for (const b of shape.rest) {
    const c = column((i) => bitOf(samples[i]!.bits, b));
    const list = sources.get(c);
    if (list === undefined) sources.set(c, [b]);
    else list.push(b);
  }
  const copies: Copy[] = [];
  const bits = rests[0]!.length * 8;
  for (let to = RECORD_START; to < bits; to++) {
    if (taken.has(to)) continue;
    const c = column((i) => bitOf(rests[i]!, to));
    if (!c.includes("0") || !c.includes("1")) continue;
    const from = sources.get(c);
    if (from === undefined || from.length !== 1) continue;
    const last = copies.at(-1);
    if (last !== undefined && last.to + last.length === to && last.from + last.length === from[0]!) last.length++;
    else copies.push({ from: from[0]!, to, length: 1 });
    for (const r of rests) clear(r, to, 1);
  }
  return copies;
}
