/** Operands of a line by their bits: texts, and conditions on them (see `word-text.ts`). */

import type { CodedStep } from "../isa/coded.js";
import { Key, Memo } from "../isa/gather.js";
import { Do } from "../isa/lines.js";
import type { MachineInst } from "../isa/operand.js";
import type { LinePlan } from "../isa/plan.js";
import type { Piece, Slot, Token } from "../isa/syntax.js";
import { conditionHolds, type Names, operandText } from "../isa/text.js";
import type { Form } from "../isa/types.js";
import { operandOf, REUSE_BITS, YIELD_BIT } from "./decode-operand.js";

/** A slot with what reads it. */
export interface PlacedSlot {
  readonly slot: Slot;
  readonly step: CodedStep;
}

/** All bits that the operands depend on; null when they are too many, or when the place of the word matters. */
function keyOf(steps: readonly CodedStep[]): Key | null {
  return steps.some((s) => s.what === Do.Label) ? null : Key.of(steps.flatMap(bitsOf));
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

/** Texts with what stands before them: a space before the first operand, a comma before others. */
interface Texts {
  readonly first: Memo<string>;
  readonly rest: Memo<string>;
}

/** By `signature`. */
const shared = new Map<string, Texts>();

function textsOf(key: Key, what: string): Texts {
  let texts = shared.get(what);
  if (texts === undefined) {
    texts = { first: new Memo(key), rest: new Memo(key) };
    shared.set(what, texts);
  }
  return texts;
}

export class PrintedOperand {
  private readonly key: Key | null;
  private readonly texts: Texts | null;
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
    this.texts = this.key === null ? null : textsOf(this.key, signature(line, index, this.slots, isa));
  }

  /** With the space or comma before it; "" when it is left out. */
  text(words: Uint32Array, at: number, pc: number, names: Names, first: boolean): string {
    if (this.texts === null) return this.fresh(words, at, pc, names, first);
    const memo = first ? this.texts.first : this.texts.rest;
    return this.key!.get(memo, words, at) ?? this.add(memo, words, at, first);
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

  private add(memo: Memo<string>, words: Uint32Array, at: number, first: boolean): string {
    const text = this.fresh(words, at, 0, this.plain, first);
    this.key!.set(memo, words, at, text);
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
  private readonly key: Key | null;
  private readonly known: Memo<number> | null;

  /** The first condition has bit `shift` of the answer. */
  constructor(
    private readonly step: CodedStep,
    private readonly conditions: readonly string[],
    private readonly shift: number,
  ) {
    this.key = keyOf([step]);
    this.known = this.key === null ? null : new Memo(this.key);
  }

  /** A bit for each condition that holds. */
  holding(words: Uint32Array, at: number): number {
    if (this.known === null) return this.ask(words, at);
    const known = this.key!.get(this.known, words, at);
    if (known !== undefined) return known;
    const asked = this.ask(words, at);
    this.key!.set(this.known, words, at, asked);
    return asked;
  }

  private ask(words: Uint32Array, at: number): number {
    const o = operandOf(this.step, 1, words, at, 0);
    let bits = 0;
    for (let i = 0; i < this.conditions.length; i++)
      if (conditionHolds(o, this.conditions[i]!)) bits |= 1 << (this.shift + i);
    return bits;
  }
}
