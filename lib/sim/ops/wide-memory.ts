/**
 * Loads and stores of 256 bits: words 0 to 3 in d (data), 4 to 7 in d2 (data2). A mask says which words are moved; those that are
 * not have no register.
 */
import { type Address, addressOf, locate, place, wideAddress } from "../access.js";
import type { Site } from "../site.js";
import { type Exec, LANES, Step } from "../state.js";

const BYTES = 32;

/** For each word the index of its row of lanes, −1 where the mask leaves it out. */
function rowsOf(s: Site, low: string, high: string, row: (name: string, n: number) => number): number[] {
  const mask = s.imm("mask");
  const next: Record<string, number> = { [low]: 0, [high]: 0 };
  return Array.from({ length: 8 }, (_, i) => {
    if (((mask >>> i) & 1) === 0) return -1;
    const name = i < 4 ? low : high;
    const n = next[name] as number;
    next[name] = n + 1;
    return row(name, n);
  });
}

function each(a: Address, rows: readonly number[], move: (I: Int32Array, row: number, at: number) => void): Exec {
  return (w, m) => {
    const add = a.add(w);
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      if (!locate(w, "global", wideAddress(w, a, add, l), BYTES, l)) return Step.Fault;
      const at = place.at >> 2;
      rows.forEach((row, i) => {
        if (row >= 0) move(w.I, row + l, at + i);
      });
    }
    return Step.Next;
  };
}

export function load256(s: Site): Exec {
  if ((s.pred("pin") & 7) !== 7) s.unsupported("predicated load result");
  const rows = rowsOf(s, "d", "d2", (name, n) => s.dstRow(s.find(name), n));
  return each(addressOf(s), rows, (I, row, at) => {
    I[row] = place.words[at]!;
  });
}

export function store256(s: Site): Exec {
  const rows = rowsOf(s, "data", "data2", (name, n) => s.row(s.operand(name), n));
  return each(addressOf(s), rows, (I, row, at) => {
    place.words[at] = I[row]!;
  });
}
