/** Operands of a line by their bits: texts, and conditions on them (see `word-text.ts`). */
import { operandOf, REUSE_BITS, YIELD_BIT } from "./decode-operand.js";
import type { CodedStep } from "./isa/coded.js";
import { Gather } from "./isa/gather.js";
import { Do } from "./isa/lines.js";
import type { MachineInst } from "./isa/operand.js";
import type { LinePlan } from "./isa/plan.js";
import type { Piece, Slot, Token } from "./isa/syntax.js";
import { conditionHolds, type Names, operandText } from "./isa/text.js";
import type { Form } from "./isa/types.js";

/** A slot with what reads it. */
export interface PlacedSlot {
  readonly slot: Slot;
  readonly step: CodedStep;
}

/** More bits than that are no key of a table; a leaf of the table has the lowest. */
const KEY_BITS = 22;
const LEAF_BITS = 8;
const LEAF_SIZE: number = 2 ** LEAF_BITS;

/** All bits that the operands depend on; null when they are too many, or when the place of the word matters. */
function keyOf(steps: readonly CodedStep[]): Gather | null {
  if (steps.some((s) => s.what === Do.Label)) return null;
  const key = Gather.of(steps.flatMap(bitsOf));
  return key !== null && key.width <= KEY_BITS ? key : null;
}

function bitsOf(s: CodedStep): readonly Piece[] {
  if (s.what === Do.Default) return [];
  const single = [s.neg, s.abs, s.not, s.reuse, s.reuse >= REUSE_BITS ? YIELD_BIT : -1, s.shown];
  return [
    ...s.field.loc,
    ...s.bank.loc,
    ...(s.index?.loc ?? []),
    ...(s.part?.loc ?? []),
    ...single.filter((bit) => bit >= 0).map((lo) => ({ lo, width: 1 })),
  ];
}

// ---------------------------------------------------------------------------------------------- texts

/** Texts by key, with what stands before them: a space before the first operand, a comma before others. */
interface Texts {
  readonly first: (string[] | undefined)[];
  readonly rest: (string[] | undefined)[];
}

/** By `signature`. */
const shared = new Map<string, Texts>();

/** So many texts are kept at once; then all are forgotten. */
const MOST_TEXTS = 2 ** 19;
let kept = 0;

export class PrintedOperand {
  private readonly key: Gather | null;
  private readonly texts: Texts;
  private readonly slots: readonly PlacedSlot[];
  /** Has the operands of these slots. */
  private readonly inst: MachineInst;
  private readonly plain: Names;

  /** Operand `index` of the line; `all` are the slots of its row. */
  constructor(
    private readonly line: LinePlan,
    private readonly index: number,
    form: Form,
    all: readonly PlacedSlot[],
    isa: number,
  ) {
    const shown = new Set(line.operands[index]!.tokens.flatMap(slotsOf));
    this.slots = all.filter((s) => shown.has(s.slot));
    this.inst = { form, dsts: [], srcs: [], guard: null, control: null };
    this.plain = { isa };
    this.key = keyOf(this.slots.map((s) => s.step));
    const what = signature(line, index, this.slots, isa);
    let texts = shared.get(what);
    if (texts === undefined) {
      const size = this.key === null ? 0 : 2 ** Math.max(0, this.key.width - LEAF_BITS);
      texts = { first: new Array(size).fill(undefined), rest: new Array(size).fill(undefined) };
      shared.set(what, texts);
    }
    this.texts = texts;
  }

  /** With the space or comma before it; "" when it is left out. */
  text(words: Uint32Array, at: number, pc: number, names: Names, first: boolean): string {
    if (this.key === null) return this.fresh(words, at, pc, names, first);
    const key = this.key.get(words, at);
    const leaf = (first ? this.texts.first : this.texts.rest)[key >>> LEAF_BITS];
    const known = leaf === undefined ? undefined : leaf[key & (LEAF_SIZE - 1)];
    return known !== undefined ? known : this.add(key, words, at, first);
  }

  private fresh(words: Uint32Array, at: number, pc: number, names: Names, first: boolean): string {
    const { inst, slots } = this;
    for (let i = 0; i < slots.length; i++) {
      const { slot, step } = slots[i]!;
      (slot.isDst ? inst.dsts : inst.srcs)[slot.index] = operandOf(step, 1, words, at, pc);
    }
    const text = operandText(this.line, this.index, inst, names);
    if (text === null) return "";
    return first ? ` ${text}` : `, ${text}`;
  }

  private add(key: number, words: Uint32Array, at: number, first: boolean): string {
    if (++kept > MOST_TEXTS) {
      for (const t of shared.values()) {
        t.first.fill(undefined);
        t.rest.fill(undefined);
      }
      kept = 0;
    }
    const leaves = first ? this.texts.first : this.texts.rest;
    leaves[key >>> LEAF_BITS] ??= new Array(LEAF_SIZE).fill(undefined);
    const text = this.fresh(words, at, 0, this.plain, first);
    leaves[key >>> LEAF_BITS]![key & (LEAF_SIZE - 1)] = text;
    return text;
  }
}

function slotsOf(t: Token): readonly Slot[] {
  switch (t.kind) {
    case "text":
      return [];
    case "echo":
      return [t.slot];
    case "sum":
      return t.terms.map((r) => r.slot);
    default:
      return [t.ref.slot];
  }
}

/** All that the text depends on beside the bits: where they are and what the slots are called is left out. */
function signature(line: LinePlan, index: number, slots: readonly PlacedSlot[], isa: number): string {
  const { tokens, omit, tail } = line.operands[index]!;
  const order = new Map(slots.map(({ slot }, i) => [slot, i]));
  const plain = (key: string, value: unknown): unknown => {
    if (key === "slot") return [order.get(value as Slot), ...slotFacts(value as Slot)];
    if (key === "part" && value !== null) return (value as { byCode: readonly unknown[] }).byCode;
    // The width of a field says whether a lone offset is an address.
    if (key === "loc") return value === null ? null : (value as readonly Piece[]).map((p) => p.width);
    // Of a constant operand.
    if (key === "index") return value !== null;
    return key === "bank" || key === "offset" || key.endsWith("Bit") ? undefined : value;
  };
  const steps = slots.map(({ step }) => stepFacts(step));
  return JSON.stringify([isa, line.line.imm, steps, omit !== null, tail !== null, tokens], plain);
}

function slotFacts(s: Slot): unknown[] {
  return [s.file, s.holds, s.width, s.optional, s.format];
}

/** What `operandOf` asks of a step, and how its bits follow each other in a key. */
function stepFacts(s: CodedStep): unknown[] {
  const bits = [s.neg, s.abs, s.not, s.reuse, s.shown].map((bit) => bit >= 0);
  return [
    [s.what, s.file, s.width, s.last, s.zero, s.nonzero, s.complement, s.signed, s.scale, s.format, s.optional],
    [s.slotFile, s.slotWidth, s.whole64, s.wide, s.indirect, s.indexFile, s.keepIndex, s.relative],
    [bits, s.reuse >= REUSE_BITS, s.partTexts, s.field.width, s.bank.width, s.index?.width ?? -1, s.part?.loc.length],
  ];
}

// ---------------------------------------------------------------------------------------------- conditions

/** Which of some conditions hold for the operand of a slot. */
export class SlotConditions {
  private readonly key: Gather | null;
  private readonly known: (Int32Array | undefined)[];

  /** The first condition has bit `shift` of the answer. */
  constructor(
    private readonly step: CodedStep,
    private readonly conditions: readonly string[],
    private readonly shift: number,
  ) {
    this.key = keyOf([step]);
    const size = this.key === null ? 0 : 2 ** Math.max(0, this.key.width - LEAF_BITS);
    this.known = new Array(size).fill(undefined);
  }

  /** A bit for each condition that holds. */
  holding(words: Uint32Array, at: number): number {
    if (this.key === null) return this.ask(words, at);
    const key = this.key.get(words, at);
    this.known[key >>> LEAF_BITS] ??= new Int32Array(LEAF_SIZE).fill(-1);
    const leaf = this.known[key >>> LEAF_BITS]!;
    const i = key & (LEAF_SIZE - 1);
    if (leaf[i]! < 0) leaf[i] = this.ask(words, at);
    return leaf[i]!;
  }

  private ask(words: Uint32Array, at: number): number {
    const o = operandOf(this.step, 1, words, at, 0);
    let bits = 0;
    for (let i = 0; i < this.conditions.length; i++)
      if (conditionHolds(o, this.conditions[i]!)) bits |= 1 << (this.shift + i);
    return bits;
  }
}
