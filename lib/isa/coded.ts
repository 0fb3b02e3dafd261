/**
 * Steps as the codec runs over them: places as word, shift and mask instead of lists of pieces, and every object of one
 * shape. A field of one piece inside a u32 (nearly all) is read and written without a loop.
 */
import { getField, getSigned, setField } from "./bits.js";
import type { Step } from "./lines.js";
import { type Loc, widthOf } from "./syntax.js";
import { File, type SlotInfo } from "./types.js";

export class Field {
  /** u32 of the word, and where the field sits in it; `mask` 0 stands for a field of several pieces. */
  readonly word: number;
  readonly shift: number;
  readonly mask: number;
  readonly width: number;

  constructor(readonly loc: Loc) {
    const first = loc[0] ?? { lo: 0, width: 0 };
    const plain = loc.length === 1 && first.width > 0 && (first.lo & 31) + first.width <= 32;
    this.word = first.lo >> 5;
    this.shift = first.lo & 31;
    this.mask = plain ? (first.width === 32 ? -1 : (1 << first.width) - 1) : 0;
    this.width = widthOf(loc);
  }

  get(words: Uint32Array, at: number): number {
    if (this.mask === 0) return getField(words, at, this.loc);
    return ((words[at + this.word]! >>> this.shift) & this.mask) >>> 0;
  }

  getSigned(words: Uint32Array, at: number): number {
    if (this.mask === 0) return getSigned(words, at, this.loc);
    const unused = 32 - this.width;
    return (words[at + this.word]! << (unused - this.shift)) >> unused;
  }

  /** Stores an integer, two's complement when negative. */
  set(words: Uint32Array, at: number, value: number): void {
    if (this.mask !== 0) words[at + this.word] = words[at + this.word]! & ~(this.mask << this.shift);
    this.put(words, at, value);
  }

  /** As `set`, where zeros are. */
  put(words: Uint32Array, at: number, value: number): void {
    if (this.mask === 0) {
      setField(words, at, this.loc, value);
      return;
    }
    words[at + this.word] = words[at + this.word]! | ((value & this.mask) << this.shift);
  }
}

const noField = new Field([]);

/** A `Step` with its places worked out. */
export class CodedStep {
  readonly what: Step["what"];
  readonly file: File;
  /** Registers this line reads there whatever the form says, 0 when the form says it. */
  readonly width: number;
  readonly field: Field;
  readonly last: number;
  /** Number that stands for the hard-wired register, −2 where there is none. */
  readonly zero: number;
  /** Numbers from here on are no registers. */
  readonly end: number;
  readonly nonzero: boolean;
  readonly complement: boolean;
  readonly signed: boolean;
  /** Half the numbers that the field has. */
  readonly half: number;
  readonly scale: number;
  readonly neg: number;
  readonly abs: number;
  readonly not: number;
  readonly reuse: number;
  readonly shown: number;
  /** One of the bits above exists, or a part selector. */
  readonly decorated: boolean;
  readonly part: Field | null;
  readonly partTexts: readonly string[];
  /** Registers that a part selector takes, 0 where it does not say; null when none says. */
  readonly partWidths: readonly number[] | null;
  readonly partCodes: ReadonlyMap<string, number> | null;
  readonly format: Step["format"];
  /** The immediate is 64 bits in one piece. */
  readonly whole64: boolean;
  readonly wide: boolean;
  readonly bank: Field;
  readonly indirect: boolean;
  readonly index: Field | null;
  readonly indexFile: File;
  readonly keepIndex: boolean;
  readonly relative: boolean;
  readonly optional: SlotInfo["optional"];
  readonly slotFile: File;
  readonly slotWidth: number | string;

  constructor(readonly step: Step) {
    this.what = step.what;
    this.file = step.file;
    this.width = step.width;
    this.field = new Field(step.loc);
    this.last = step.last;
    const hardWired = step.file !== File.B && !step.nonzero;
    this.zero = hardWired ? step.last : -2;
    this.end = step.last + (hardWired ? 0 : 1);
    this.nonzero = step.nonzero;
    this.complement = step.complement;
    this.signed = step.signed;
    this.half = 2 ** (this.field.width - 1);
    this.scale = step.scale;
    this.neg = step.neg;
    this.abs = step.abs;
    this.not = step.not;
    this.reuse = step.reuse;
    this.shown = step.shown;
    this.part = step.part === null ? null : new Field(step.part.loc);
    this.partTexts = step.part === null ? [] : step.part.byCode.map((v) => v?.text ?? "");
    this.partWidths = step.part?.values.some((v) => v.bytes > 0)
      ? step.part.byCode.map((v) => (v?.bytes ?? 0) >> 2)
      : null;
    this.partCodes = step.part === null ? null : codesOf(step.part.values);
    this.decorated =
      step.part !== null || [step.neg, step.abs, step.not, step.reuse, step.shown].some((bit) => bit >= 0);
    this.format = step.format;
    this.whole64 = step.loc[0]?.width === 64;
    this.wide = step.wide;
    this.bank = step.bank.length === 0 ? noField : new Field(step.bank);
    this.indirect = step.indirect;
    this.index = step.index === null ? null : new Field(step.index);
    this.indexFile = step.indexFile;
    this.keepIndex = step.keepIndex;
    this.relative = step.relative;
    this.optional = step.slot.optional;
    this.slotFile = step.slot.file;
    this.slotWidth = step.slot.width;
  }
}

/** Text → code; of two codes with one text the first. */
function codesOf(values: readonly { readonly text: string; readonly code: number }[]): ReadonlyMap<string, number> {
  const codes = new Map<string, number>();
  for (const v of values) if (!codes.has(v.text)) codes.set(v.text, v.code);
  return codes;
}
