/** A line of the table: which words it is for, the item, and where their fields go in it. */
import { PT, RZ, setBit } from "./bits.js";
import type { Layout } from "./layout.js";
import { numbered, type Sample } from "./sample.js";
import { bitsAt, type Operand, type Shape } from "./shape.js";
import type { Test } from "./splits.js";

export interface Leaf {
  readonly shape: Shape;
  readonly context: string;
  readonly mask: Uint32Array;
  readonly value: Uint32Array;
  /** `?` refuses. */
  readonly item: string;
  readonly either: boolean;
  readonly fields: readonly string[];
  readonly samples: number;
  /** For code of our own compiler only. */
  readonly own?: boolean;
}

/** Words with this value in these bits only. */
export function require(mask: Uint32Array, value: Uint32Array, t: Test): void {
  for (let i = 0; i < t.length; i++) {
    setBit(mask, t.from + i);
    if (Math.floor(t.value / 2 ** i) % 2 === 1) setBit(value, t.from + i);
  }
}

export function lineKnows(l: Leaf, words: Uint32Array): boolean {
  return l.mask.every((m, k) => (words[k]! & m) >>> 0 === l.value[k]!);
}

/** Operands that are special in all samples, or have no place in the record and never varied, belong to the key. */
export function operandTests(shape: Shape, first: Sample, all: readonly Sample[], layout: Layout): Test[] {
  const whole = first.item !== null && first.item.length >= 16;
  return shape.operands.flatMap((o) => {
    const v = bitsAt(first.bits, o.from, o.length);
    if (!all.every((s) => bitsAt(s.bits, o.from, o.length) === v)) return [];
    const special = (o.kind === "r" && v === RZ) || (o.kind === "p" && v === PT);
    const lost = whole && o.kind !== "label" && !layout.moves.some((m) => m.operand === o);
    return special || lost ? [{ from: o.from, length: o.length, value: v }] : [];
  });
}

/** What a leaf's item is made of: its samples, their layout, the register operands of their shape. */
export class Items {
  constructor(
    private readonly samples: readonly Sample[],
    private readonly layout: Layout,
    private readonly registers: readonly Operand[],
  ) {}

  /** The record with its fields zero, or the name; the number of 16 bytes where the word stands for itself. */
  base(): string {
    const first = this.samples[0]!;
    if (first.item === null) return `${Number(first.label) / 16}`;
    if (first.item.length < 16) return Buffer.from(first.item).toString("hex");
    const record = Uint8Array.from(Buffer.from(first.rest, "hex"));
    for (const m of this.layout.moves) {
      if (m.kind !== "r") continue;
      const { zero, other } = this.flagsOf(m.operand);
      const v = zero !== null && (other === null || (zero & ~other) === 0) ? zero : other!;
      for (let i = 0; i < 6; i++) if ((v >> i) & 1) record[(m.to - 6 + i) >> 3]! |= 1 << ((m.to - 6 + i) & 7);
    }
    return Buffer.from(record).toString("hex");
  }

  fields(): string[] {
    const out = this.layout.moves.map((m) => {
      const { from, length } = m.operand;
      switch (m.kind) {
        case "g":
          return from === 12 ? "g" : `g${from}`;
        case "r": {
          const { zero, other } = this.flagsOf(m.operand);
          if (zero === null) return `r${from}>${m.to}!`;
          if (other === null || other === zero) return `r${from}>${m.to}`;
          return (zero & ~other) === 0 ? `r${from}>${m.to}/${other & ~zero}` : `r${from}>${m.to}!`;
        }
        case "p":
          return `p${from}>${m.to}`;
        case "s":
          return `s${from}.${length}>${m.to}${m.width === 64 ? ".64" : ""}`;
        default:
          return `${m.kind}${from}.${length}>${m.to}`;
      }
    });
    for (const c of this.layout.copies) out.push(`b${c.from}.${c.length}>${c.to}`);
    const { bits, item } = this.samples[0]!;
    const last = bits.subarray(bits.length - 4);
    if (item !== null && item.length >= 16 && bits.length > 4 && numbered([bits, last]))
      out.push(`k>${item.length * 8 - 32}`);
    return out;
  }

  private flagsOf(o: Operand): { zero: number | null; other: number | null } {
    const k = this.registers.indexOf(o);
    const zero = this.samples.find((s) => bitsAt(s.bits, o.from, o.length) === RZ);
    const other = this.samples.find((s) => bitsAt(s.bits, o.from, o.length) !== RZ);
    return { zero: zero?.flags[k] ?? null, other: other?.flags[k] ?? null };
  }
}
