/**
 * Where registers are defined and used. The index is the value id on virtual registers and the unit on physical ones.
 */
import type { Flat } from "./flat.js";

/** Definition and reads of each virtual register with one definition. */
export interface DefUse {
  /** Definitions of index v: `def[defStart[v]] … def[defStart[v + 1] − 1]`, instruction indices in layout order. */
  readonly defStart: Int32Array;
  /** Index of the instruction that defines the value, −1 for none or several. */
  readonly def: Int32Array;
  /** Where the reads of each value start in `use`. */
  readonly useStart: Int32Array;
  /** Indices of the reading instructions of all values. */
  readonly use: Int32Array;
  /** Source slot of each use, −1 for guards. */
  readonly useSlot: Int16Array;
}

/** Definitions and reads, from the flat arrays. */
export function defUse(flat: Flat): DefUse {
  const defs = bucket(flat, flat.defStart, flat.defUnit, flat.defWidth);
  const uses = bucket(flat, flat.useStart, flat.useUnit, flat.useWidth);
  const useSlot = new Int16Array(uses.entry.length);
  for (let i = 0; i < uses.entry.length; i++) useSlot[i] = flat.useSlot[uses.entry[i] as number] as number;
  return { defStart: defs.start, def: defs.inst, useStart: uses.start, use: uses.inst, useSlot };
}

interface Buckets {
  readonly start: Int32Array;
  /** Instruction of each reference, and its entry in the columns of `Flat`. */
  readonly inst: Int32Array;
  readonly entry: Int32Array;
}

/** Counting sort of references by what they refer to. */
function bucket(flat: Flat, start: Int32Array, unit: Int32Array, width: Uint8Array): Buckets {
  const { virtual, owner, count } = flat.units;
  const size = virtual ? flat.units.base.length - 1 : count;
  const span = (e: number): number => (virtual ? 1 : (width[e] as number));
  const key = (e: number): number => (virtual ? (owner[unit[e] as number] as number) : (unit[e] as number));
  const begin = new Int32Array(size + 1);
  for (let e = 0; e < unit.length; e++) {
    for (let k = key(e), n = span(e); n > 0; n--, k++) begin[k + 1] = (begin[k + 1] as number) + 1;
  }
  for (let k = 0; k < size; k++) begin[k + 1] = (begin[k + 1] as number) + (begin[k] as number);
  const next = begin.slice();
  const total = begin[size] as number;
  const inst = new Int32Array(total);
  const entry = new Int32Array(total);
  for (let i = 0; i < flat.insts.length; i++) {
    for (let e = start[i] as number; e < (start[i + 1] as number); e++) {
      for (let k = key(e), n = span(e); n > 0; n--, k++) {
        const at = next[k] as number;
        next[k] = at + 1;
        inst[at] = i;
        entry[at] = e;
      }
    }
  }
  return { start: begin, inst, entry };
}
