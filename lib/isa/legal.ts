/**
 * What nvdisasm refuses although it knows the instruction. Every rule is measured on random words (tools/isa-random.ts).
 */

import type { Sets } from "./row.js";

/** Bits of the highest u32 that say "no scoreboard" of those that an instruction does not set. */
export function unsetBits(sets: Sets): number {
  const write = 7 << 14;
  const read = 7 << 17;
  return sets === "any" ? 0 : sets === "write" ? read : sets === "read" ? write : read | write;
}

/** Index of a control word for `legalControl`: stall, yield, reuse bits 124:122. */
export function controlIndex(w3: number): number {
  return ((w3 >>> 9) & 0x1f) | ((w3 >>> 21) & 0xe0);
}

const tables = new Map<number, Uint8Array>();

/**
 * Which stall, yield and reuse bits go together, by `controlIndex`: with bit 109 set, stalls 1 … 11 and the reuse bits that
 * the operands have; with bit 109 clear the reuse bits mean something else, which needs a stall. Bit 125 is not looked at.
 * `mask`: reuse bits of the operands, −1 when the instruction runs in a unit of its own.
 */
export function legalControl(mask: number): Uint8Array {
  let table = tables.get(mask);
  if (!table) {
    table = new Uint8Array(256);
    for (let i = 0; i < 256; i++) table[i] = isLegal(i & 15, (i >> 4) & 1, i >> 5, mask) ? 1 : 0;
    tables.set(mask, table);
  }
  return table;
}

function isLegal(stall: number, yields: number, reuse: number, mask: number): boolean {
  if (yields === 1) return stall >= 1 && stall <= 11 && (mask < 0 ? reuse < 6 : (reuse & ~mask) === 0);
  if (reuse === 0) return true;
  return stall >= 1 && reuse < 6 && (reuse !== 3 || mask !== 0);
}
