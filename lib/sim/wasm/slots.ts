/** Slots of memory for the factors of matrix products; factors.ts says what lies in one. */
import { bytesOf, type Elements, isInteger, perWord } from "./elements.js";
import { FACTORS, FACTORS_END, ROW_BYTES } from "./layout.js";

/** What makes factors differ in code. */
export interface FactorKind {
  readonly side: "a" | "b";
  /** Of A; B has eight columns. */
  readonly rows: 8 | 16;
  readonly depth: number;
  readonly elements: Elements;
  /** Where its words are: in registers, as ops/tensor.ts says; 32 bytes of each row (of B: column), one row after the other. */
  readonly from: "registers" | "rows";
  /** Its floats count with the other sign. */
  readonly negated?: boolean;
  /** Of A of a sparse product, of which half the elements are there: which threads of a quad give metadata. */
  readonly selector?: number;
  /** Of a product of HMMA.884 (quads.ts). */
  readonly quads?: Quads;
}

/** What the halves of a lane have in common: the row of A or column of B, or k. */
export type Quads = "lanes" | "k";

export interface Factor extends FactorKind {
  /** Offset of its first row in the warp's state. */
  readonly row: number;
  /** Of a sparse one: the same of its metadata. */
  readonly meta?: number;
}

/** Registers of a factor. */
export const registersOf = ({ rows, depth, elements, quads }: FactorKind): number =>
  ((quads === undefined ? 1 : 4) * rows * depth) / (32 * perWord[elements]);

/** Bytes of a row of A, or column of B, as pairs. */
export const pairBytes = ({ depth, elements }: FactorKind): number => (depth / perWord[elements]) * bytesOf(elements);

/** In a slot: whether it is narrow (of f64: short, doubles.ts), whether the f64 are made, 2 to the power by which the integers count; elements. */
export const NARROW = 0;
export const WIDE = 4;
export const UNIT = 8;
export const I16_AT = 0x40;
/** Room for elements of a row is that of 32, or of as many as there are of floats. */
const room = (depth: number): number => Math.max(32, depth);
export const f32At = (depth: number): number => I16_AT + 32 * room(depth);
export const f64At = (depth: number): number => f32At(depth) + 64 * room(depth);

/** Bytes of a slot. Integers of any depth fit into what is there for 32 floats. */
export function slotBytes(k: FactorKind): number {
  const depth = isInteger(k.elements) ? 32 : k.depth;
  return f64At(depth) + 128 * room(depth);
}

/** Where a factor lies, and the bit that says whether it is there; null: never for longer than one product. */
export interface Slot {
  readonly at: number;
  readonly bit: number | null;
}

/** Bytes of the largest slot, of 64 floats. */
export const MOST_SLOT_BYTES: number = f64At(64) + 128 * 64;
/** Slots for all factors without one of their own, of each side. */
const sharedAt = { a: FACTORS_END - 2 * MOST_SLOT_BYTES, b: FACTORS_END - MOST_SLOT_BYTES } as const;

/** Gives the factors of a module their slots. */
export class Slots {
  private readonly known = new Map<string, { slot: Slot; factor: Factor }>();
  private next: number = FACTORS;
  private bits = 0;

  slotOf(f: Factor): Slot {
    const key = `${f.side} ${f.rows} ${f.depth} ${f.elements} ${f.row} ${f.meta} ${f.selector} ${f.quads}`;
    const known = this.known.get(key);
    if (known !== undefined) return known.slot;
    const bytes = slotBytes(f);
    const fits = this.bits < 32 && this.next + bytes <= sharedAt.a;
    const slot = fits ? { at: this.next, bit: this.bits++ } : { at: sharedAt[f.side], bit: null };
    if (fits) this.next += bytes;
    this.known.set(key, { slot, factor: f });
    return slot;
  }

  /** Bits of the factors that have one of these registers. */
  touchedBy(written: (register: number) => boolean): number {
    let bits = 0;
    for (const { slot, factor } of this.known.values()) {
      const first = factor.row / ROW_BYTES;
      const count = registersOf(factor) / (factor.selector === undefined ? 1 : 2);
      const all = Array.from({ length: count }, (_, i) => first + i);
      if (factor.meta !== undefined) all.push(factor.meta / ROW_BYTES);
      if (slot.bit !== null && all.some(written)) bits |= 1 << slot.bit;
    }
    return bits;
  }
}
