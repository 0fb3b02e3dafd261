/** Words made from the instruction table with random fields, for comparison with nvdisasm. */

import { setBits, setField } from "../../lib/isa/bits.js";
import { tableFor } from "../../lib/isa/compiled.js";
import { type CodeLine, Do } from "../../lib/isa/lines.js";
import { hiddenRow } from "../../lib/isa/rows/hidden.js";
import { widthOf } from "../../lib/isa/syntax.js";
import { rows } from "../../lib/isa/table.js";
import { decodeInst } from "../../lib/sass/decode.js";
import { targetOfSm } from "../../lib/target/index.js";

/** xorshift32: the same words on every machine. */
export function randomBits(seed: number): () => number {
  let x = seed >>> 0 || 1;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x >>> 0;
  };
}

/** Every line of the table on an SM, `count` words each. */
export function randomWords(isa: number, count: number, seed: number): { words: Uint32Array; lines: CodeLine[] } {
  const next = randomBits(seed);
  const lines: CodeLine[] = [];
  for (const row of rows.keys())
    for (const line of tableFor(isa).linesOfRow(row)) {
      const { row: r } = line.line.row;
      if (r === hiddenRow || !line.groups.every((g) => g.values.some(isDefined))) continue;
      for (let i = 0; i < count; i++) lines.push(line);
    }
  const words = new Uint32Array(4 * lines.length);
  const t = targetOfSm(isa)!;
  lines.forEach((line, i) => {
    randomWord(line, words, 4 * i, next);
    if (decodeInst(words, 4 * i, t, 16 * i) === null) setControl(words, 4 * i, still);
  });
  return { words, lines };
}

/** Stall 1, no scoreboards: what the disassembler takes with any reuse bits. */
const control = 0x7f1;
/** The same without a stall: all that one opcode without a name takes. */
const still = 0x7e0;

function setControl(out: Uint32Array, at: number, bits: number): void {
  out[at + 3] = (out[at + 3]! & 0xfc0001ff) | (bits << 9);
}

function randomWord(line: CodeLine, out: Uint32Array, at: number, next: () => number): void {
  out.set(line.base, at);
  setBits(out, at, 12, 4, next() % 3 === 0 ? 7 : next() & 15);
  for (const g of line.groups) setField(out, at, g.loc, definedCode(g.values, next));
  for (const s of line.steps) {
    if (s.what === Do.Default) continue;
    if (widthOf(s.loc) > 32) {
      // Distances: what a function can span.
      setField(out, at, s.loc, (next() >> 12) & (s.relative ? -1 : 0x7ffff));
      continue;
    }
    for (const loc of [s.loc, s.bank, s.index ?? []]) {
      // Special values are rare in random fields and matter most.
      const pick = next() % 5;
      const width = widthOf(loc);
      if (width === 0) continue;
      for (const p of loc) {
        for (let done = 0; done < p.width; done += 16) {
          const n = Math.min(16, p.width - done);
          const v = pick === 0 ? 0xffff : pick === 1 ? 0 : next();
          setBits(out, at, p.lo + done, n, v & ((1 << n) - 1));
        }
      }
    }
    for (const bit of [s.neg, s.abs, s.not, s.reuse]) if (bit >= 0) setBits(out, at, bit, 1, next() >>> 7);
    if (s.part) setField(out, at, s.part.loc, definedCode(s.part.values, next));
  }
  // Values of modifiers may share bits with what tells the line from others.
  for (let k = 0; k < 4; k++) out[at + k] = (out[at + k]! & ~line.mask[k]!) | line.value[k]!;
  setControl(out, at, control);
}

function definedCode(values: readonly { readonly text: string; readonly code: number }[], next: () => number): number {
  const defined = values.filter(isDefined);
  return defined[next() % defined.length]!.code;
}

const isDefined = (v: { readonly text: string }): boolean => !/INVALID|\?\?\?/.test(v.text);
