/**
 * Register pressure: how many registers of each file are occupied at each instruction. At an instruction that is the
 * greater of what is live before it and what is live after it together with what it writes (a result nobody reads
 * needs a register all the same). Units of 32-bit registers, or predicates; RZ and PT do not count.
 */
import { File } from "../ori/types.js";
import { popcount } from "./bits.js";
import { addDefinitions, type Liveness, stepBack } from "./liveness.js";

/** Per instruction in layout order. */
export interface PressureOf {
  /** Registers live at each instruction, by its index in `Flat.insts`. */
  readonly at: Uint16Array;
  /** The greatest of them. */
  readonly max: number;
  /** First instruction (index in layout order) with the maximum, −1 in an empty function. */
  readonly where: number;
}

/** Live registers at each instruction, by file. */
export interface Pressure {
  /** Ordinary registers, in 32-bit registers. */
  readonly R: PressureOf;
  /** Uniform registers. */
  readonly UR: PressureOf;
  /** Predicates. */
  readonly P: PressureOf;
  /** Uniform predicates. */
  readonly UP: PressureOf;
  /** Convergence barriers. */
  readonly B: PressureOf;
}

const files = [File.R, File.UR, File.P, File.UP, File.B] as const;

/** Which bits of each word of a set belong to a file. */
function masks(live: Liveness): Uint32Array[] {
  const byFile = files.map(() => new Uint32Array(live.words));
  const { file, count } = live.flat.units;
  for (let u = 0; u < count; u++) {
    const row = byFile[(file[u] as number) - File.R] as Uint32Array;
    row[u >>> 5] = (row[u >>> 5] as number) | (1 << (u & 31));
  }
  return byFile;
}

/** Counts live registers at each instruction. */
export function pressure(live: Liveness): Pressure {
  const { flat, words } = live;
  const n = flat.insts.length;
  const mask = masks(live);
  const at = files.map(() => new Uint16Array(n));
  const set = new Uint32Array(words);
  const writing = new Uint32Array(words);
  const note = (i: number, occupied: Uint32Array): void => {
    for (let f = 0; f < files.length; f++) {
      const column = at[f] as Uint16Array;
      const row = mask[f] as Uint32Array;
      let c = 0;
      for (let w = 0; w < words; w++) c += popcount((occupied[w] as number) & (row[w] as number));
      if (c > (column[i] as number)) column[i] = c;
    }
  };
  for (let b = 0; b + 1 < flat.first.length; b++) {
    set.fill(0);
    live.liveOut.addTo(b, set);
    for (let i = (flat.first[b + 1] as number) - 1; i >= (flat.first[b] as number); i--) {
      if (flat.defStart[i] !== flat.defStart[i + 1]) {
        writing.set(set);
        addDefinitions(flat, i, writing);
        note(i, writing);
      }
      stepBack(flat, i, set);
      note(i, set);
    }
  }
  const of = (f: number): PressureOf => {
    const column = at[f] as Uint16Array;
    let where = -1;
    for (let i = 0; i < n; i++) if (where < 0 || (column[i] as number) > (column[where] as number)) where = i;
    return { at: column, max: where < 0 ? 0 : (column[where] as number), where };
  };
  return { R: of(0), UR: of(1), P: of(2), UP: of(3), B: of(4) };
}
