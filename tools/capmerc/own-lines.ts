/** Lines for the code of our own compiler, made from those for ptxas's. */
import type { Leaf } from "./leaf.js";
import { WORD } from "./shape.js";

const LDS = 0x984;
const MEMBAR = 0x992;
const NOP = 0x918;
const SHF = 0x819;
const BAR = 0x31d;
const REDUX: readonly number[] = [0x3c4, 0x2cc];
const MOV_UR = 0xc02;
/** Where REDUX has its result, MOV a uniform source, SHF what it shifts, LOP3 the barrier's number. */
const RESULT = 16;
const SOURCE = 32;
const SHIFTED = 24;
const NUMBER = 64;

/**
 * ptxas puts dummy loads and MEMBAR.ALL.CTA before what waits for all memory accesses, and a NOP after some; after a barrier whose
 * number and count are in registers it shifts the count back. Without these words it is the same instruction. It packs number
 * and count in the register of the count, our code in any that nothing else reads: the count is what the first word shifts. What lanes
 * add up goes through UR79 in its code and through any uniform register in ours, which nothing else reads.
 */
export function ownLines(leaves: readonly Leaf[]): Leaf[] {
  const out: Leaf[] = [];
  for (const l of leaves) {
    const ops = Array.from({ length: l.shape.words }, (_, k) => l.value[k * 4]! & 0xfff);
    const kept = keptWords(ops);
    const line = kept.length < ops.length ? without(l, kept, ops.indexOf(BAR)) : null;
    if (line !== null) out.push(line);
    const at = ops.findIndex((op) => REDUX.includes(op));
    if (at > 0 && ops[at + 1] === MOV_UR) out.push(anyUniform(l, at));
  }
  return out;
}

/** Indices of the words that our code has, too. */
function keptWords(ops: readonly number[]): number[] {
  const all = ops.map((_, i) => i);
  const bar = ops.indexOf(BAR);
  if (bar > 0 && ops[bar + 1] === SHF) return all.filter((i) => i !== bar + 1);
  if (!ops.includes(MEMBAR)) return all;
  let from = 0;
  while (ops[from] === LDS) from++;
  if (ops[from] === MEMBAR && ops[from + 1] === MEMBAR) from++;
  let to = ops.length;
  while (ops[to - 1] === NOP) to--;
  return all.slice(from, to);
}

/**
 * `bar`: the word of a barrier, after the two that pack its operands; −1 if there is none. Null where the packed register
 * stands for more than the count: in the words measured the result happened to go to the same.
 */
function without(l: Leaf, kept: readonly number[], bar: number): Leaf | null {
  const select = (q: Uint32Array): Uint32Array => Uint32Array.from(kept.flatMap((k) => [...q.slice(k * 4, k * 4 + 4)]));
  const packed = (word: number, bit: number): boolean =>
    bar >= 2 && word >= bar - 2 && word <= bar && !(word === bar - 1 && bit === NUMBER);
  let counts = 0;
  const fields = l.fields.map((f) =>
    f.replace(/^([grpbsm])(\d+)/, (_, kind: string, at: string) => {
      const word = Math.floor(Number(at) / WORD);
      const bit = Number(at) % WORD;
      if (kind === "r" && packed(word, bit)) {
        counts++;
        return `r${(bar - 2) * WORD + SHIFTED}`;
      }
      // All words of a guarded sequence have its guard.
      const place = kind === "g" && !kept.includes(word) ? 0 : kept.indexOf(word);
      if (kind === "g" && place === 0) return "g";
      if (place < 0) throw new Error(`${l.shape.name}: operand in a word that is left out`);
      return `${kind}${place * WORD + bit}`;
    }),
  );
  if (bar >= 0 && counts !== 1 && l.item !== "?") return null;
  const shape = { ...l.shape, words: kept.length };
  return { ...l, shape, mask: select(l.mask), value: select(l.value), fields, own: true };
}

function anyUniform(l: Leaf, redux: number): Leaf {
  const mask = l.mask.slice();
  const value = l.value.slice();
  const free = (word: number, bit: number): void => {
    const k = word * 4 + (bit >> 5);
    const bits = 0xff << (bit & 31);
    mask[k] = (mask[k]! & ~bits) >>> 0;
    value[k] = (value[k]! & ~bits) >>> 0;
  };
  free(redux, RESULT);
  free(redux + 1, SOURCE);
  return { ...l, mask, value, own: true };
}
