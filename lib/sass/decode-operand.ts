/** Operands out of machine words, as the steps of a line say. */
import { getBits, getWide } from "../isa/bits.js";
import type { CodedStep, Field } from "../isa/coded.js";
import { Do } from "../isa/lines.js";
import {
  defaultOperand,
  Kind,
  Mod,
  makeOperand,
  type Operand,
  setAddress,
  setNumber,
  ZERO_REG,
} from "../isa/operand.js";
import { File } from "../isa/types.js";

/** Reuse bits from here on mean something else while the yield bit is clear (isa/legal.ts). */
export const REUSE_BITS = 122;
export const YIELD_BIT = 109;

const bit = (words: Uint32Array, at: number, n: number): number => (words[at + (n >> 5)]! >>> (n & 31)) & 1;

/** The operand of a step; `width`: registers that the form reads or writes there, `pc`: byte address of the word. */
export function operandOf(step: CodedStep, width: number, words: Uint32Array, at: number, pc: number): Operand {
  switch (step.what) {
    case Do.Reg:
      return registerOf(step, width, words, at);
    case Do.Imm:
      return immediateOf(step, words, at);
    case Do.Const:
      return constOf(step, width, words, at);
    case Do.Label:
      return labelOf(step, words, at, pc);
    case Do.Sreg:
      return makeOperand(Kind.Sreg, File.None, 1, step.field.get(words, at), 0);
    default:
      return defaultOperand(step.optional, step.slotFile, step.width || width);
  }
}

function registerOf(step: CodedStep, width: number, words: Uint32Array, at: number): Operand {
  let id = step.field.get(words, at);
  if (step.complement) id = step.last - id;
  const o = makeOperand(Kind.Reg, step.file, step.width || width, id === step.zero ? ZERO_REG : id, 0);
  if (!step.decorated) return o;
  let mods = signsOf(step, words, at);
  if (step.reuse >= 0 && bit(words, at, step.reuse) && (step.reuse < REUSE_BITS || bit(words, at, YIELD_BIT)))
    mods |= Mod.Reuse;
  if (step.shown >= 0 && bit(words, at, step.shown)) mods |= Mod.Shown;
  o.mods = mods;
  if (step.part !== null) {
    const code = step.part.get(words, at);
    o.part = step.partTexts[code]!;
    if (step.partWidths !== null && step.partWidths[code]! > 0) o.width = step.partWidths[code]!;
  }
  return o;
}

function signsOf(step: CodedStep, words: Uint32Array, at: number): number {
  let mods = 0;
  if (step.neg >= 0 && bit(words, at, step.neg)) mods |= Mod.Neg;
  if (step.abs >= 0 && bit(words, at, step.abs)) mods |= Mod.Abs;
  if (step.not >= 0 && bit(words, at, step.not)) mods |= Mod.Not;
  return mods;
}

function labelOf(step: CodedStep, words: Uint32Array, at: number, pc: number): Operand {
  const v = step.field.getSigned(words, at) * step.scale;
  const o = makeOperand(Kind.Label, File.None, 1, -1, step.relative ? pc + 16 + v : v);
  if (!Number.isSafeInteger(o.value)) {
    const wide = getWide(words, at, step.field.loc, true) * BigInt(step.scale);
    setAddress(o, step.relative ? wide + BigInt(pc + 16) : wide);
  }
  return o;
}

function immediateOf(step: CodedStep, words: Uint32Array, at: number): Operand {
  if (step.whole64) {
    const { lo } = step.field.loc[0]!;
    const o = makeOperand(Kind.Imm, File.None, 1, 0, getBits(words, at, lo, 32));
    o.high = getBits(words, at, lo + 32, 32);
    return o;
  }
  if (step.wide) {
    const o = makeOperand(Kind.Imm, File.None, 1, 0, 0);
    setNumber(o, getWide(words, at, step.field.loc, step.signed) * BigInt(step.scale), step.signed);
    return o;
  }
  const v = (step.signed ? step.field.getSigned(words, at) : step.field.get(words, at)) * step.scale;
  if (step.format !== "f64") {
    const o = makeOperand(Kind.Imm, File.None, 1, 0, v >>> 0);
    const negative = step.format === "n32" || (step.format === "s32" && step.slotWidth === 2 && o.value >>> 31 === 1);
    if (negative) o.high = 0xffffffff;
    if (step.part !== null && step.format !== "word") o.part = step.partTexts[step.part.get(words, at)]!;
    return o;
  }
  const o = makeOperand(Kind.Imm, File.None, 2, 0, 0);
  o.high = v >>> 0;
  return o;
}

function constOf(step: CodedStep, width: number, words: Uint32Array, at: number): Operand {
  const offset = (step.signed ? step.field.getSigned(words, at) : step.field.get(words, at)) * step.scale;
  const o = makeOperand(Kind.Const, File.None, step.width || width, 0, offset);
  if (step.indirect) {
    o.id = -1;
    o.file = File.UR;
    o.index = zeroOr(step.bank, words, at);
  } else {
    o.id = step.bank.get(words, at);
    if (step.index !== null) {
      const index = zeroOr(step.index, words, at);
      if (index !== ZERO_REG || step.keepIndex) {
        o.file = step.indexFile;
        o.index = index;
      }
    }
  }
  if (!step.decorated) return o;
  o.mods = signsOf(step, words, at);
  if (step.part !== null) o.part = step.partTexts[step.part.get(words, at)]!;
  return o;
}

function zeroOr(field: Field, words: Uint32Array, at: number): number {
  const id = field.get(words, at);
  return id === 2 ** field.width - 1 ? ZERO_REG : id;
}
