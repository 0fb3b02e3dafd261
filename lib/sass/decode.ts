/**
 * Machine words to instructions: bits 11:0 and 91 give the lines of the table that may apply, the first whose constant
 * bits agree is the instruction. Everything else is generic over the line's steps.
 */
import type { Target } from "../target/types.js";
import { getBits, getField, getWide } from "./isa/bits.js";
import type { CodedStep, Field } from "./isa/coded.js";
import { inCubes } from "./isa/conditions.js";
import { type Form, intern } from "./isa/form.js";
import { controlIndex } from "./isa/legal.js";
import { type CodeLine, type CompiledTable, Do, tableFor } from "./isa/lines.js";
import {
  type Control,
  defaultOperand,
  type Guard,
  Kind,
  type MachineInst,
  Mod,
  makeOperand,
  type Operand,
  setAddress,
  setNumber,
  ZERO_REG,
} from "./isa/operand.js";
import type { GroupValue } from "./isa/syntax.js";
import { File } from "./isa/types.js";

/**
 * The instruction in words[at … at+3], or null when the table does not know it.
 * `pc` is its byte address: labels become absolute addresses (`Kind.Label`, `id` −1, `value` the address).
 */
export function decodeInst(words: Uint32Array, at: number, target: Target, pc: number = at * 4): MachineInst | null {
  const table = tableFor(target.isa);
  const code = findLine(table, words, at);
  return code === null ? null : decodeAs(code, words, at, pc);
}

/** All instructions of a stretch of code; null where the table does not know the word. */
export function decodeCode(words: Uint32Array, target: Target): (MachineInst | null)[] {
  const out: (MachineInst | null)[] = new Array(words.length >> 2);
  const table = tableFor(target.isa);
  for (let at = 0; at + 3 < words.length; at += 4) {
    const code = findLine(table, words, at);
    out[at >> 2] = code === null ? null : decodeAs(code, words, at, at * 4);
  }
  return out;
}

export function findLine(table: CompiledTable, words: Uint32Array, at: number): CodeLine | null {
  const w0 = words[at]!;
  const w2 = words[at + 2]!;
  const lines = table.byOpcode[(w0 & 0xfff) | (((w2 >>> 27) & 1) << 12)]!;
  const w1 = words[at + 1]!;
  const w3 = words[at + 3]!;
  for (const l of lines) {
    const { mask: m, value: v } = l;
    if (
      ((w0 ^ v[0]!) & m[0]!) === 0 &&
      ((w1 ^ v[1]!) & m[1]!) === 0 &&
      ((w2 ^ v[2]!) & m[2]!) === 0 &&
      ((w3 ^ v[3]!) & m[3]!) === 0
    )
      return judged(table, l, words, at, w3);
  }
  return null;
}

/** The line unless nvdisasm refuses the word or prints nothing for it. */
function judged(table: CompiledTable, l: CodeLine, words: Uint32Array, at: number, w3: number): CodeLine | null {
  if (!l.control[controlIndex(w3)] || (w3 & l.unset) !== l.unset) return null;
  if (l.refused !== null && inCubes(l.refused, words, at)) return null;
  return l.hidden !== null && inCubes(l.hidden, words, at) ? table.hidden : l;
}

function decodeAs(code: CodeLine, words: Uint32Array, at: number, pc: number): MachineInst {
  const form = formOf(code, words, at);
  const n = code.dsts;
  const { coded } = code;
  const dsts: Operand[] = new Array(n);
  const srcs: Operand[] = new Array(coded.length - n);
  const w3 = words[at + 3]!;
  const yields = (w3 >>> 13) & 1;
  for (let i = 0; i < n; i++) dsts[i] = operandOf(coded[i]!, form.dsts[i]!.width, words, at, pc, yields);
  for (let i = n; i < coded.length; i++)
    srcs[i - n] = operandOf(coded[i]!, form.srcs[i - n]!.width, words, at, pc, yields);
  return { form, dsts, srcs, guard: guardOf(code, words[at]!), control: controlOf(w3) };
}

function formOf(code: CodeLine, words: Uint32Array, at: number): Form {
  const { groups, groupFields, forms } = code;
  let key = 0;
  for (let i = 0; i < groups.length; i++) key = key * groups[i]!.byCode.length + groupFields[i]!.get(words, at);
  let f = forms.get(key);
  if (!f) {
    const values: GroupValue[] = groups.map((g) => g.byCode[getField(words, at, g.loc)]!);
    f = intern(code.line.row, code.line.template, values);
    forms.set(key, f);
  }
  return f;
}

function guardOf(code: CodeLine, w0: number): Guard | null {
  const bits = (w0 >>> 12) & 15;
  if (bits === 7) return null;
  const id = bits & 7;
  return { file: code.guardFile, id: id === 7 ? ZERO_REG : id, not: bits > 7 };
}

/** The scheduling bits of the highest u32 of a word. */
export function controlOf(w3: number): Control {
  return {
    stall: (w3 >>> 9) & 15,
    yield: (w3 >>> 13) & 1,
    writeSb: (w3 >>> 14) & 7,
    readSb: (w3 >>> 17) & 7,
    wait: (w3 >>> 20) & 63,
    reuse: (w3 >>> 26) & 15,
  };
}

const bit = (words: Uint32Array, at: number, n: number): number => (words[at + (n >> 5)]! >>> (n & 31)) & 1;

/** `width`: registers that the form reads or writes there. */
function operandOf(
  step: CodedStep,
  width: number,
  words: Uint32Array,
  at: number,
  pc: number,
  yields: number,
): Operand {
  switch (step.what) {
    case Do.Reg:
      return registerOf(step, width, words, at, yields);
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

function registerOf(step: CodedStep, width: number, words: Uint32Array, at: number, yields: number): Operand {
  let id = step.field.get(words, at);
  if (step.complement) id = step.last - id;
  const o = makeOperand(Kind.Reg, step.file, step.width || width, id === step.zero ? ZERO_REG : id, 0);
  if (!step.decorated) return o;
  let mods = signsOf(step, words, at);
  if (step.reuse >= 0 && (yields || step.reuse < 122) && bit(words, at, step.reuse)) mods |= Mod.Reuse;
  if (step.shown >= 0 && bit(words, at, step.shown)) mods |= Mod.Shown;
  o.mods = mods;
  if (step.part !== null) o.part = step.partTexts[step.part.get(words, at)]!;
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
