/**
 * Machine words to instructions: bits 11:0 and 91 give the lines of the table that may apply, the first whose constant
 * bits agree is the instruction. Everything else is generic over the line's steps.
 */
import { InternalError } from "../errors.js";
import type { LineCase } from "../isa/cases.js";
import { type CompiledTable, tableFor } from "../isa/compiled.js";
import { inCubes } from "../isa/conditions.js";
import { controlIndex } from "../isa/legal.js";
import type { CodeLine } from "../isa/lines.js";
import { type Control, type Guard, type MachineInst, type Operand, ZERO_REG } from "../isa/operand.js";
import { applyWidths } from "../isa/widths.js";
import type { Target } from "../target/types.js";
import { operandOf } from "./decode-operand.js";

/**
 * The instruction in words[at … at+3], or null when the table does not know it.
 * `pc` is its byte address: labels become absolute addresses (`Kind.Label`, `id` −1, `value` the address).
 */
export function decodeInst(words: Uint32Array, at: number, target: Target, pc: number = at * 4): MachineInst | null {
  const table = tableFor(target.isa);
  const found = findCase(table, words, at);
  return found === null ? null : decodeAs(found, words, at, pc);
}

/** All instructions of a stretch of code; null where the table does not know the word. */
export function decodeCode(words: Uint32Array, target: Target): (MachineInst | null)[] {
  const out: (MachineInst | null)[] = new Array(words.length >> 2);
  const table = tableFor(target.isa);
  for (let at = 0; at + 3 < words.length; at += 4) {
    const found = findCase(table, words, at);
    out[at >> 2] = found === null ? null : decodeAs(found, words, at, at * 4);
  }
  return out;
}

/** The line that the word has; null when the table does not know it or nvdisasm refuses it. */
export function findLine(table: CompiledTable, words: Uint32Array, at: number): CodeLine | null {
  return findCase(table, words, at)?.code ?? null;
}

/** As `findLine`, with what its modifiers say. */
export function findCase(table: CompiledTable, words: Uint32Array, at: number): LineCase | null {
  const w0 = words[at]!;
  const w2 = words[at + 2]!;
  const opcode = (w0 & 0xfff) | (((w2 >>> 27) & 1) << 12);
  const { lines, masks } = table.at(opcode);
  const w1 = words[at + 1]!;
  const w3 = words[at + 3]!;
  for (let i = 0; i < masks.length; i += 8) {
    if (((w2 ^ masks[i + 6]!) & masks[i + 2]!) !== 0 || ((w1 ^ masks[i + 5]!) & masks[i + 1]!) !== 0) continue;
    if (((w0 ^ masks[i + 4]!) & masks[i]!) !== 0 || ((w3 ^ masks[i + 7]!) & masks[i + 3]!) !== 0) continue;
    return judged(table, lines[i >> 3]!, words, at, w3);
  }
  return null;
}

/** The case unless nvdisasm refuses the word; that of `table.hidden` when it prints nothing for it. */
function judged(table: CompiledTable, l: CodeLine, words: Uint32Array, at: number, w3: number): LineCase | null {
  if (!l.control[controlIndex(w3)] || (w3 & l.unset) !== l.unset) return null;
  const c = l.cases.of(l, words, at);
  if (c.refused !== null && inCubes(c.refused, words, at)) return null;
  if (c.hidden !== null && inCubes(c.hidden, words, at)) return table.hidden.cases.of(table.hidden, words, at);
  return c;
}

/** The instruction of a word that `findCase` gave the case of. */
export function decodeAs(found: LineCase, words: Uint32Array, at: number, pc: number): MachineInst {
  const { form, code } = found;
  if (form === null) throw new InternalError(`${code.line.row.op}: a modifier has no value`);
  const n = code.dsts;
  const { coded } = code;
  const dsts: Operand[] = new Array(n);
  const srcs: Operand[] = new Array(coded.length - n);
  const w3 = words[at + 3]!;
  for (let i = 0; i < n; i++) dsts[i] = operandOf(coded[i]!, form.dsts[i]!.width, words, at, pc);
  for (let i = n; i < coded.length; i++) srcs[i - n] = operandOf(coded[i]!, form.srcs[i - n]!.width, words, at, pc);
  if (code.widths !== null) applyWidths(code.widths, form, dsts, srcs);
  return { form, dsts, srcs, guard: guardOf(code, words[at]!), control: controlOf(w3) };
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
