/**
 * Lines of the table compiled for one SM: an opcode of a line as a `CodeLine`, with the bits that tell it from others, the
 * places of its modifiers, and one `Step` per operand. Encoder and decoder run over steps; nothing here knows an
 * instruction by name.
 *
 * Places that the table leaves to convention: guard 15:12; d 23:16; a, b, c at 24, 32, 64 with sign and absolute-value
 * bits 72/73, 63/62, 75/74 and reuse bits 122, 123, 124; 32-bit immediates 63:32; constant bank 58:54 and offset/4
 * 53:40; uniform registers 6 bits wide up to sm_90, 8 above (measured on ptxas 13.0.88).
 */
import { InternalError } from "../errors.js";
import { Cases } from "./cases.js";
import { CodedStep, Field } from "./coded.js";
import { type Condition, cubesOf } from "./conditions.js";
import { legalControl, unsetBits } from "./legal.js";
import type { ImmFormat, Sets } from "./row.js";
import type { ConstRef, Group, GroupValue, Loc, OperandRef, Slot } from "./syntax.js";
import { widthOf } from "./syntax.js";
import type { ParsedLine } from "./table.js";
import { File } from "./types.js";
import type { Widths } from "./widths.js";

/** What a step reads or writes. */
export const Do = { Reg: 0, Imm: 1, Const: 2, Label: 3, Sreg: 4, Default: 5 } as const;
export type Do = (typeof Do)[keyof typeof Do];

/** One operand of a line. */
export interface Step {
  readonly what: Do;
  readonly slot: Slot;
  readonly file: File;
  readonly loc: Loc;
  /** Highest number of a register there. */
  readonly last: number;
  readonly nonzero: boolean;
  readonly complement: boolean;
  readonly signed: boolean;
  readonly scale: number;
  /** Registers this line reads there whatever the form says (`.U32`: 1, `.64`: 2), 0 when the form says it. */
  readonly width: number;
  /** Bits of the word, −1 = there is none. */
  readonly neg: number;
  readonly abs: number;
  readonly not: number;
  readonly reuse: number;
  readonly shown: number;
  readonly part: Group | null;
  readonly format: ImmFormat | Slot["format"];
  /** Constant operands. */
  readonly bank: Loc;
  readonly indirect: boolean;
  readonly indexFile: File;
  readonly keepIndex: boolean;
  readonly index: Loc | null;
  /** The number may need more than 32 bits. */
  readonly wide: boolean;
  /** The label field holds the distance from the next instruction. */
  readonly relative: boolean;
}

export interface CodeLine {
  readonly id: number;
  readonly line: ParsedLine;
  readonly opcode: number;
  /** Bits that a word of this line has: four u32. */
  readonly mask: Uint32Array;
  readonly value: Uint32Array;
  /** The same and the bits that no text shows. */
  readonly base: Uint32Array;
  readonly groups: readonly Group[];
  /** In the order of the slots: definitions, then sources. */
  readonly steps: readonly Step[];
  /** The same as the codec runs over them. */
  readonly coded: readonly CodedStep[];
  readonly groupFields: readonly Field[];
  readonly dsts: number;
  readonly guardFile: File;
  /** By the modifiers' bits, filled while decoding. */
  readonly cases: Cases;
  /** Widths that operands say, null when they say none. */
  readonly widths: Widths | null;
  /** Two operands share their bits and must be the same register. */
  readonly shared: boolean;
  /** What is not refused: by stall, yield and reuse bits. */
  readonly control: Uint8Array;
  /** Bits of the highest u32 that must be ones: scoreboards that the instruction does not set. */
  readonly unset: number;
  /** Words that are refused, and words that are printed as nothing (see `conditions.ts`). */
  readonly refused: Uint32Array | null;
  readonly hidden: Uint32Array | null;
}

/** A line of the table as the codec runs over it, for one of its opcodes. */
export function compileLine(id: number, line: ParsedLine, shape: string, opcode: number, isa: number): CodeLine {
  const mask = new Uint32Array(4);
  const value = new Uint32Array(4);
  fix(mask, value, [{ lo: 0, width: 12 }], opcode & 0xfff);
  fix(mask, value, [{ lo: 91, width: 1 }], opcode >> 12);
  for (const f of line.is) fix(mask, value, f.loc, f.value);
  const base = value.slice();
  const filled = new Uint32Array(4);
  for (const f of line.fill) fix(filled, base, f.loc, f.value);
  const steps = line.row.slots.map((slot) => stepOf(line, slot, shape, isa));
  const groups = line.template.head.flatMap((p) => (p.kind === "group" ? [p.group] : []));
  return {
    id,
    line,
    opcode,
    mask,
    value,
    base,
    groups,
    steps,
    coded: steps.map((s) => new CodedStep(s)),
    groupFields: groups.map((g) => new Field(g.loc)),
    dsts: line.row.slots.filter((s) => s.isDst).length,
    guardFile: line.row.row.guard === "UP" ? File.UP : File.P,
    cases: new Cases(groups),
    widths: line.row.widths.open ? line.row.widths : null,
    shared: sharesBits(steps),
    control: legalControl(line.row.row.lines[line.index]!.reuse ?? (reuseMask(steps) || (reuses(line) ? 0 : -1))),
    unset: unsetBits(setsOf(line)),
    refused: exceptions("refused", line.not, isa, groups, steps, mask, value),
    hidden: exceptions("hidden", line.hidden, isa, groups, steps, mask, value),
  };
}

/** Words of a line that are refused or hidden. */
function exceptions(
  which: "refused" | "hidden",
  conditions: readonly Condition[],
  isa: number,
  groups: readonly Group[],
  steps: readonly Step[],
  mask: Uint32Array,
  value: Uint32Array,
): Uint32Array | null {
  const cubes = cubesOf(conditions, isa, mask, value);
  for (const g of [...groups, ...steps.flatMap((s) => s.part ?? [])])
    if (g[which].length > 0) cubes.add([{ loc: g.loc, values: g[which] }]);
  return cubes.done();
}

function fix(mask: Uint32Array, value: Uint32Array, loc: Loc, bits: number): void {
  let rest = bits;
  for (const p of loc) {
    for (let i = 0; i < p.width; i++) {
      const at = p.lo + i;
      const bit = 1 << (at & 31);
      mask[at >> 5] = mask[at >> 5]! | bit;
      value[at >> 5] = rest & 1 ? value[at >> 5]! | bit : value[at >> 5]! & ~bit;
      rest = Math.floor(rest / 2);
    }
  }
}

/** Scoreboards that a line may name. */
function setsOf(line: ParsedLine): Sets {
  const { time, sets } = line.row.row;
  const own = line.row.row.lines[line.index]!.sets ?? sets;
  if (own) return own;
  if (time === "operands") return "read";
  if (time === "write") return "write";
  return time === "fixed" && !reuses(line) ? "none" : "any";
}

/** Reuse bits of the operands, bit 0 for bit 122. */
function reuseMask(steps: readonly Step[]): number {
  let mask = 0;
  for (const s of steps) if (s.reuse >= 122) mask |= 1 << (s.reuse - 122);
  return mask;
}

function sharesBits(steps: readonly Step[]): boolean {
  const seen = new Set<number>();
  for (const s of steps) {
    if (s.what !== Do.Reg) continue;
    for (const p of s.loc)
      for (let i = 0; i < p.width; i++) {
        if (seen.has(p.lo + i)) return true;
        seen.add(p.lo + i);
      }
  }
  return false;
}

// ---------------------------------------------------------------------------------------------- steps

const none: Loc = [];

const absent: Omit<Step, "slot"> = {
  what: Do.Default,
  file: File.None,
  loc: none,
  last: 0,
  nonzero: false,
  complement: false,
  signed: false,
  scale: 1,
  width: 0,
  neg: -1,
  abs: -1,
  not: -1,
  reuse: -1,
  shown: -1,
  part: null,
  format: "hex",
  bank: none,
  indirect: false,
  indexFile: File.None,
  keepIndex: false,
  index: null,
  wide: false,
  relative: false,
};

function stepOf(line: ParsedLine, slot: Slot, shape: string, isa: number): Step {
  const found = line.refs[line.row.slots.indexOf(slot)];
  if (!found) return { ...absent, slot };
  return "indirect" in found ? constStep(found, isa) : refStep(line, found, shape, isa);
}

export function registerBits(file: File, isa: number): number {
  switch (file) {
    case File.R:
      return 8;
    case File.UR:
      return isa < 100 ? 6 : 8;
    case File.B:
      return 4;
    default:
      return 3;
  }
}

function constStep(ref: ConstRef, isa: number): Step {
  const bank = ref.indirect ? registerLoc(ref.bank, File.UR, isa) : ref.bank;
  const index = ref.index && registerLoc(ref.index, ref.indexFile, isa);
  const { slot, indirect, indexFile, keepIndex, signed, scale } = ref;
  return {
    ...absent,
    what: Do.Const,
    slot,
    loc: ref.offset,
    signed,
    scale,
    bank,
    indirect,
    indexFile,
    keepIndex,
    index,
  };
}

function registerLoc(loc: Loc, file: File, isa: number): Loc {
  return loc.length === 1 && loc[0]!.width <= 1 ? [{ lo: loc[0]!.lo, width: registerBits(file, isa) }] : loc;
}

/** Bits of sign and absolute value by the place of the operand. */
const signOf: Readonly<Record<number, readonly [neg: number, abs: number]>> = {
  24: [72, 73],
  32: [63, 62],
  64: [75, 74],
};

/** Reuse bits go by the operand's part in the operation, not by its place. */
const reuseOf: Readonly<Record<string, number>> = { a: 122, b: 123, c: 124 };

function signsAt(line: ParsedLine, at: number): readonly [neg: number, abs: number] {
  const own = line.row.row.signOfC;
  if (at === 64 && own !== undefined) return [own, own - 1];
  return signOf[at] ?? [-1, -1];
}

function refStep(line: ParsedLine, ref: OperandRef, shape: string, isa: number): Step {
  const letter = ref.loc ? "" : letterOf(line, ref.slot, shape);
  const place = ref.loc ?? shapePlace(line, ref.slot, shape, letter);
  const at = place[0]!.lo;
  const [neg, abs] = signsAt(line, at);
  const common: Step = {
    ...absent,
    slot: ref.slot,
    nonzero: ref.nonzero,
    loc: place,
    complement: ref.complement,
    signed: ref.signed,
    scale: ref.scale,
    width: ref.suffix === ".U32" ? 1 : ref.suffix === ".64" ? 2 : 0,
    neg: ref.neg ? (ref.negBit >= 0 ? ref.negBit : neg) : -1,
    abs: ref.abs ? (ref.negBit >= 0 ? ref.negBit - 1 : abs) : -1,
    not: ref.not === "~" ? (ref.negBit >= 0 ? ref.negBit : neg) : -1,
    shown: ref.shownBit,
    part: ref.part?.places ? { ...ref.part, loc: ref.part.places.get(at)! } : ref.part,
  };
  if (letter === "I")
    return {
      ...common,
      what: Do.Imm,
      loc: bits32,
      neg: -1,
      abs: -1,
      not: -1,
      part: ref.partOfNumber ? common.part : null,
      format: line.imm,
    };
  if (letter === "C") return { ...common, what: Do.Const, loc: constOffset, scale: 4, signed: true, bank: constBank };
  if (letter === "X") {
    const bank = [{ lo: 32, width: registerBits(File.UR, isa) }];
    return { ...common, what: Do.Const, loc: constOffset, scale: 4, bank, indirect: true };
  }
  const { holds } = ref.slot;
  if (holds === "imm" || ref.number)
    return {
      ...common,
      what: Do.Imm,
      wide: isWide(place),
      part: ref.slot.format === "word" ? ref.part : null,
      format: ref.slot.format,
    };
  if (holds === "label") return { ...common, what: Do.Label, relative: !line.template.head.some(isAbsolute) };
  if (holds === "sreg") return { ...common, what: Do.Sreg };
  const file = letter === "U" ? File.UR : ref.slot.file;
  const loc = registerLoc(place, file, isa);
  return {
    ...common,
    what: Do.Reg,
    file,
    loc,
    last: 2 ** widthOf(loc) - 1,
    not: ref.not === "!" ? (ref.notBit >= 0 ? ref.notBit : loc[0]!.lo + 3) : common.not,
    reuse: ref.reuseBit >= 0 ? ref.reuseBit : file !== File.R || !reuses(line) ? -1 : reuseBit(ref.slot, letter),
  };
}

function reuseBit(slot: Slot, letter: string): number {
  if (letter === "") return -1;
  return letter === "q" || letter === "r" ? 124 : reuseOf[slot.name]!;
}

/** Operands of instructions that run in a unit of their own are not kept for reuse. */
function reuses(line: ParsedLine): boolean {
  const { time, flow, decoupled } = line.row.row;
  const own = line.row.row.lines[line.index]!.decoupled ?? decoupled;
  if (own !== undefined) return !own;
  // Products are of fixed latency on some SMs, and keep operands on all.
  const fixed = time === "fixed" || time === "fp64" || time === "mma" || time === "imma";
  return fixed ? flow === undefined : time === undefined;
}

/** More than 32 bits in pieces; a number of 64 bits in one piece is read by its own rule. */
function isWide(loc: Loc): boolean {
  return widthOf(loc) > 32 && loc[0]!.width !== 64;
}

const bits32: Loc = [{ lo: 32, width: 32 }];
const constOffset: Loc = [{ lo: 40, width: 14 }];
const constBank: Loc = [{ lo: 54, width: 5 }];

function isAbsolute(p: { readonly kind: string; readonly mod?: string }): boolean {
  return p.kind === "fixed" && p.mod === "ABS";
}

/** Slots that a shape's letters stand for. */
export function shapeSlots(line: ParsedLine): readonly Slot[] {
  return line.row.slots.filter((s) => /^[abc]$/.test(s.name));
}

function letterOf(line: ParsedLine, slot: Slot, shape: string): string {
  const at = shapeSlots(line).indexOf(slot);
  return at < 0 ? "" : (shape[at] ?? "");
}

function shapePlace(line: ParsedLine, slot: Slot, shape: string, letter: string): Loc {
  if (slot.name === "d") return [{ lo: 16, width: 0 }];
  if (letter === "") throw new InternalError(`instruction table: ${line.row.row.op} does not place slot ${slot.name}`);
  if (letter === "r") return [{ lo: 64, width: 0 }];
  // I, C, X, U, and q
  if (letter !== "R") return [{ lo: 32, width: 0 }];
  if (slot.name === "a") return [{ lo: 24, width: 0 }];
  // An operand that is no register takes the middle; b moves to the end when c does.
  const cIsOther = shapeSlots(line).some((s, i) => s.name === "c" && !/[Rr]/.test(shape[i]!));
  return slot.name === "b" ? [{ lo: cIsOther ? 64 : 32, width: 0 }] : [{ lo: 64, width: 0 }];
}

// ---------------------------------------------------------------------------------------------- modifiers

/** Bits of a line with all modifiers of a form: four u32, or null when the line does not take them. */
export function modifierWords(values: readonly GroupValue[], code: CodeLine): Uint32Array {
  const out = code.base.slice();
  const mask = new Uint32Array(4);
  code.groups.forEach((g, i) => {
    fix(mask, out, g.loc, values[i]!.code);
  });
  return out;
}

export { widthOf };
