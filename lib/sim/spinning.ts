/** Warps that spin: whoever looks at memory until others have written it leaves the turn to them. */
import { LANES, WARP_SLICE, type Warp } from "./state.js";

/** Warp-instructions of the first slice of a warp that span. */
const SHORT_SLICE = 256;

const PRIME = 0x01000193;

const { imul } = Math;

function mixed(h: number, words: Int32Array, count: number = words.length): number {
  for (let i = 0; i < count; i++) h = imul(h ^ words[i]!, PRIME);
  return h;
}

/** Registers and predicates of all lanes of a warp as a number of 32 bits. */
export function registersOf(w: Warp, start: number = PRIME): number {
  const vector = mixed(start, w.I, w.machine.registers * LANES);
  return mixed(mixed(vector, w.U), w.P);
}

/** What a warp's lanes go on with: where they are, and their registers. */
function fingerprint(w: Warp): number {
  return registersOf(w, imul(w.pc, PRIME) ^ w.active);
}

/**
 * Whether a warp at the end of a whole time slice has the place and the registers that it had at the end of the slice before. Then it does the same
 * again until another one writes what it reads, and its slices are short from now on, until it gets on. Two different states with one fingerprint only
 * end a turn early.
 */
export function spins(w: Warp): boolean {
  const now = fingerprint(w);
  const same = now === w.fingerprint;
  w.fingerprint = now;
  w.slice = same ? SHORT_SLICE : Math.min(2 * w.slice, WARP_SLICE);
  return same;
}
