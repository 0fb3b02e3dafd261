/**
 * Operands into machine words, as the steps of a line say. An operand that the step does not take (another kind, a register
 * or number out of range, a sign without a bit) is not written: the line is then not the instruction's.
 */

import { setBits, setWide } from "../isa/bits.js";
import type { CodedStep } from "../isa/coded.js";
import { Do } from "../isa/lines.js";
import { addressOf, isDefault, Kind, Mod, NO_INDEX, numberOf, type Operand, ZERO_REG } from "../isa/operand.js";
import type { CodeReloc } from "./code.js";

/** What labels and symbols become. */
export interface EncodeContext {
  /** Byte offset of a block. */
  label(block: number): number;
  /** Takes in a relocation that an operand asks for. */
  reloc(r: CodeReloc): void;
}

/** Where a word goes: out[at … at+3], for byte `pc` of the code. */
export interface Place {
  readonly out: Uint32Array;
  readonly at: number;
  readonly pc: number;
  readonly context: EncodeContext;
  /** A symbol was among the operands. */
  symbols: boolean;
}

/** False when the step does not take the operand; its bits must be zeros before. Symbols leave zeros: a relocation fills them. */
export function writeOperand(step: CodedStep, o: Operand, place: Place): boolean {
  switch (step.what) {
    case Do.Reg:
      return writeRegister(step, o, place);
    case Do.Imm:
      return writeNumber(step, o, place);
    case Do.Const:
      return writeConst(step, o, place);
    case Do.Label:
      return writeLabel(step, step.relative, o, place);
    case Do.Sreg:
      if (o.kind !== Kind.Sreg) return false;
      step.field.put(place.out, place.at, o.id);
      return true;
    default:
      return isDefault(o, step.optional);
  }
}

function setBit({ out, at }: Place, bit: number): void {
  out[at + (bit >> 5)] = out[at + (bit >> 5)]! | (1 << (bit & 31));
}

const signs: number = Mod.Neg | Mod.Abs | Mod.Not;

function writeMods(step: CodedStep, o: Operand, place: Place): boolean {
  const { mods } = o;
  if (!step.decorated) return (mods & signs) === 0 && o.part === "";
  if (mods & Mod.Neg) {
    if (step.neg < 0) return false;
    setBit(place, step.neg);
  }
  if (mods & Mod.Abs) {
    if (step.abs < 0) return false;
    setBit(place, step.abs);
  }
  if (mods & Mod.Not) {
    if (step.not < 0) return false;
    setBit(place, step.not);
  }
  return writePart(step, o, place);
}

function writePart(step: CodedStep, o: Operand, place: Place): boolean {
  if (step.part === null) return o.part === "";
  const code = step.partCodes!.get(o.part);
  if (code === undefined) return false;
  step.part.put(place.out, place.at, code);
  return true;
}

function writeRegister(step: CodedStep, o: Operand, place: Place): boolean {
  if (o.kind !== Kind.Reg || o.file !== step.file) return false;
  const { last, field } = step;
  let { id } = o;
  if (id === ZERO_REG) {
    if (step.nonzero) return false;
    id = last;
  } else if (id < 0 || id >= step.end) return false;
  if (step.width !== 0 && o.width !== step.width) return false;
  field.put(place.out, place.at, step.complement ? last - id : id);
  const { mods } = o;
  if (mods === 0 && step.part === null) return o.part === "";
  if (step.reuse >= 0 && mods & Mod.Reuse) setBit(place, step.reuse);
  if (step.shown >= 0 && mods & Mod.Shown) setBit(place, step.shown);
  return writeMods(step, o, place);
}

function writeNumber(step: CodedStep, o: Operand, place: Place): boolean {
  const { out, at } = place;
  const { width } = step.field;
  if (o.kind === Kind.Sym) {
    place.symbols = true;
    step.field.put(out, at, 0);
    return width >= 32;
  }
  if (o.kind === Kind.Label) {
    const relative = step.format === "rel";
    return (relative || width >= 32) && writeLabel(step, relative, o, place);
  }
  if (o.kind !== Kind.Imm || o.mods !== 0) return false;
  if (o.part !== "" && !step.partCodes?.has(o.part)) return false;
  // The part of a word is the number itself.
  if (step.part !== null && step.format !== "word") step.part.put(out, at, step.partCodes!.get(o.part) ?? 0);
  if (step.whole64) {
    const { lo } = step.field.loc[0]!;
    setBits(out, at, lo, 32, o.value);
    setBits(out, at, lo + 32, 32, o.high);
    return true;
  }
  if (step.format === "f64") {
    // Only the upper half of a double is encoded.
    step.field.put(out, at, o.high);
    return o.width !== 2 || o.value === 0;
  }
  if (step.wide) {
    const [number, scale] = [numberOf(o, step.signed), BigInt(step.scale)];
    setWide(out, at, step.field.loc, number / scale);
    return number % scale === 0n;
  }
  return writeShort(step, o, place);
}

/** A number of up to 32 bits. */
function writeShort(step: CodedStep, o: Operand, { out, at }: Place): boolean {
  if (!hasUpperHalf(step, o)) return false;
  const value = step.signed ? o.value | 0 : o.value;
  const v = step.scale === 1 ? value : value / step.scale;
  step.field.put(out, at, v);
  const { width } = step.field;
  if (width >= 32) return true;
  if (step.scale !== 1 && !Number.isInteger(v)) return false;
  return step.signed ? v >= -step.half && v < step.half : v < 2 * step.half;
}

/** What a number of 64 bits must have above the 32 that are encoded. */
function hasUpperHalf(step: CodedStep, o: Operand): boolean {
  if (step.format === "n32") return o.high === 0xffffffff;
  if (o.high === 0) return true;
  // A signed number of 32 bits that stands for 64.
  return step.format === "s32" && step.slotWidth === 2 && o.value >>> 31 === 1 && o.high === 0xffffffff;
}

function writeConst(step: CodedStep, o: Operand, place: Place): boolean {
  if (o.kind !== Kind.Const) return false;
  const { out, at } = place;
  const indirect = o.id === -1;
  if (indirect !== step.indirect) return false;
  if (indirect) step.bank.put(out, at, o.index === ZERO_REG ? -1 : o.index);
  else {
    if (o.id >= 2 ** step.bank.width) return false;
    step.bank.put(out, at, o.id);
    if (o.index !== NO_INDEX && (step.index === null || o.file !== step.indexFile)) return false;
    step.index?.put(out, at, o.index === NO_INDEX || o.index === ZERO_REG ? -1 : o.index);
  }
  if (step.keepIndex && o.index === NO_INDEX) return false;
  const v = step.scale === 1 ? o.value : o.value / step.scale;
  // Constant offsets of arithmetic are printed signed but address 64 KiB; a distance from an index register is signed.
  const most = step.signed && !indirect && o.index !== NO_INDEX && o.index !== ZERO_REG ? step.half : 2 * step.half;
  if (v < (step.signed ? -step.half : 0) || v >= most || !Number.isInteger(v)) return false;
  step.field.put(out, at, v);
  return writeMods(step, o, place);
}

function writeLabel(step: CodedStep, relative: boolean, o: Operand, place: Place): boolean {
  const { out, at, pc } = place;
  if (o.kind === Kind.Sym) {
    place.symbols = true;
    step.field.put(out, at, 0);
    return true;
  }
  if (o.kind !== Kind.Label) return false;
  if (o.id < 0 && !Number.isSafeInteger(o.value)) {
    const far = addressOf(o) - BigInt(relative ? pc + 16 : 0);
    setWide(out, at, step.field.loc, far / BigInt(step.scale));
    return true;
  }
  const address = o.id >= 0 ? place.context.label(o.id) : o.value;
  step.field.put(out, at, (relative ? address - pc - 16 : address) / step.scale);
  return true;
}
