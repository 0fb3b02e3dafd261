/**
 * Machine words to instructions: bits 11:0 and 91 give the lines of the table that may apply, the first whose constant
 * bits agree is the instruction. Everything else is generic over the line's steps.
 */
import type { Target } from "../target/types.js";
import { getBits, getField, getSigned, getWide } from "./isa/bits.js";
import { inCubes } from "./isa/conditions.js";
import { type Form, intern } from "./isa/form.js";
import { controlIndex } from "./isa/legal.js";
import { type CodeLine, type CompiledTable, Do, type Step, tableFor } from "./isa/lines.js";
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
  const { steps } = code;
  const dsts: Operand[] = new Array(n);
  const srcs: Operand[] = new Array(steps.length - n);
  const yields = getBits(words, at, 109, 1);
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!;
    const slot = i < n ? form.dsts[i]! : form.srcs[i - n]!;
    const o = operandOf(step, words, at, pc, step.width || slot.width, yields);
    if (i < n) dsts[i] = o;
    else srcs[i - n] = o;
  }
  return { form, dsts, srcs, guard: guardOf(code, words[at]!), control: controlOf(words[at + 3]!) };
}

function formOf(code: CodeLine, words: Uint32Array, at: number): Form {
  const { groups, forms } = code;
  let key = 0;
  for (let i = 0; i < groups.length; i++) key = key * groups[i]!.byCode.length + getField(words, at, groups[i]!.loc);
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

function operandOf(step: Step, words: Uint32Array, at: number, pc: number, width: number, yields: number): Operand {
  switch (step.what) {
    case Do.Reg:
      return registerOf(step, words, at, width, yields);
    case Do.Imm:
      return immediateOf(step, words, at);
    case Do.Const:
      return constOf(step, words, at, width);
    case Do.Label: {
      const v = getSigned(words, at, step.loc) * step.scale;
      const o = makeOperand(Kind.Label, File.None, 1, -1, step.relative ? pc + 16 + v : v);
      if (!Number.isSafeInteger(o.value)) {
        const wide = getWide(words, at, step.loc, true) * BigInt(step.scale);
        setAddress(o, step.relative ? wide + BigInt(pc + 16) : wide);
      }
      return o;
    }
    case Do.Sreg:
      return makeOperand(Kind.Sreg, File.None, 1, getField(words, at, step.loc), 0);
    default:
      return defaultOperand(step.slot.optional, step.slot.file, width);
  }
}

function registerOf(step: Step, words: Uint32Array, at: number, width: number, yields: number): Operand {
  const last = step.last;
  let id = getField(words, at, step.loc);
  if (step.complement) id = last - id;
  const o = makeOperand(
    Kind.Reg,
    step.file,
    width,
    id === last && step.file !== File.B && !step.nonzero ? ZERO_REG : id,
    0,
  );
  let mods = 0;
  if (step.neg >= 0 && bit(words, at, step.neg)) mods |= Mod.Neg;
  if (step.abs >= 0 && bit(words, at, step.abs)) mods |= Mod.Abs;
  if (step.not >= 0 && bit(words, at, step.not)) mods |= Mod.Not;
  if (step.reuse >= 0 && (yields || step.reuse < 122) && bit(words, at, step.reuse)) mods |= Mod.Reuse;
  if (step.shown >= 0 && bit(words, at, step.shown)) mods |= Mod.Shown;
  o.mods = mods;
  if (step.part) o.part = step.part.byCode[getField(words, at, step.part.loc)]!.text;
  return o;
}

function immediateOf(step: Step, words: Uint32Array, at: number): Operand {
  if (step.loc[0]!.width === 64) {
    const o = makeOperand(Kind.Imm, File.None, 1, 0, getBits(words, at, step.loc[0]!.lo, 32));
    o.high = getBits(words, at, step.loc[0]!.lo + 32, 32);
    return o;
  }
  if (step.wide) {
    const o = makeOperand(Kind.Imm, File.None, 1, 0, 0);
    setNumber(o, getWide(words, at, step.loc, step.signed) * BigInt(step.scale), step.signed);
    return o;
  }
  const v = (step.signed ? getSigned(words, at, step.loc) : getField(words, at, step.loc)) * step.scale;
  if (step.format !== "f64") {
    const o = makeOperand(Kind.Imm, File.None, 1, 0, v >>> 0);
    const negative = step.format === "n32" || (step.format === "s32" && step.slot.width === 2 && o.value >>> 31 === 1);
    if (negative) o.high = 0xffffffff;
    if (step.part && step.format !== "word") o.part = step.part.byCode[getField(words, at, step.part.loc)]!.text;
    return o;
  }
  const o = makeOperand(Kind.Imm, File.None, 2, 0, 0);
  o.high = v >>> 0;
  return o;
}

function constOf(step: Step, words: Uint32Array, at: number, width: number): Operand {
  const offset = (step.signed ? getSigned(words, at, step.loc) : getField(words, at, step.loc)) * step.scale;
  const o = makeOperand(Kind.Const, File.None, width, 0, offset);
  if (step.indirect) {
    o.id = -1;
    o.file = File.UR;
    o.index = zeroOr(getField(words, at, step.bank), step.bank[0]!.width);
  } else {
    o.id = getField(words, at, step.bank);
    if (step.index) {
      const index = zeroOr(getField(words, at, step.index), step.index[0]!.width);
      if (index !== ZERO_REG || step.keepIndex) {
        o.file = step.indexFile;
        o.index = index;
      }
    }
  }
  if (step.neg >= 0 && bit(words, at, step.neg)) o.mods |= Mod.Neg;
  if (step.abs >= 0 && bit(words, at, step.abs)) o.mods |= Mod.Abs;
  if (step.not >= 0 && bit(words, at, step.not)) o.mods |= Mod.Not;
  if (step.part) o.part = step.part.byCode[getField(words, at, step.part.loc)]!.text;
  return o;
}

const zeroOr = (id: number, width: number): number => (id === (1 << width) - 1 ? ZERO_REG : id);
